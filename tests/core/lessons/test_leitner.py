"""Leitner boxes: how cards move, when they come again, and how progress is kept."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dgplay.core.errors import DgplayError
from dgplay.core.lessons.leitner import BOXES, Boxes, Card, load_boxes, save_boxes


def test_right_moves_on_and_wrong_comes_back():
    boxes = Boxes()
    assert boxes.box_of("steps") == 1
    seen = []
    for _ in range(6):
        boxes = boxes.answered("steps", "exact")
        seen.append(boxes.box_of("steps"))
    assert seen == [2, 3, 4, 5, 5, 5]
    assert boxes.answered("steps", "close").box_of("steps") == 5
    assert boxes.answered("steps", "off").box_of("steps") == 1


@pytest.mark.parametrize(("box", "wait"), [(1, 1), (2, 2), (3, 4), (4, 8), (5, 16)])
def test_a_box_waits_twice_as_long_as_the_one_before(box, wait):
    boxes = Boxes(7, {"steps": Card(box, 0)}).answered("steps", "close")
    assert boxes.cards["steps"] == Card(box, 7 + wait)


def test_what_was_wrong_comes_first_and_what_is_not_due_last():
    boxes = Boxes(10, {"a": Card(3, 12), "b": Card(2, 10), "c": Card(1, 9), "d": Card(2, 11)})
    assert boxes.ordered(["a", "b", "new", "c", "d"]) == ["c", "b", "new", "d", "a"]


def test_a_wrong_answer_is_due_in_the_next_draw():
    boxes = Boxes().drawn().answered("b", "off").answered("a", "exact").drawn()
    assert boxes.ordered(["a", "new", "b"]) == ["b", "new", "a"]
    assert boxes.drawn().ordered(["a", "new", "b"]) == ["b", "a", "new"]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(("exact", "close", "off")))))
def test_boxes_stay_boxes(answers):
    boxes = Boxes()
    for id, grade in answers:
        boxes = boxes.drawn().answered(id, grade)
        assert 1 <= boxes.box_of(id) <= BOXES
        assert boxes.cards[id].due > boxes.draws
    assert sorted(boxes.ordered("abc")) == ["a", "b", "c"]


def test_progress_is_kept(tmp_path):
    path = tmp_path / "deep" / "quiz.json"
    assert load_boxes(path) == Boxes()
    boxes = Boxes(4, {"steps": Card(2, 6), "waste": Card(1, 5)})
    save_boxes(path, boxes)
    assert load_boxes(path) == boxes
    assert [entry.name for entry in path.parent.iterdir()] == ["quiz.json"]
    record = json.loads(path.read_text())
    assert (record["format"], record["version"]) == ("dgplay-quiz", 1)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"format": "other", "version": 1}',
        '{"format": "dgplay-quiz"}',
        '{"format": "dgplay-quiz", "version": true, "draws": 0, "cards": {}}',
        '{"format": "dgplay-quiz", "version": 1, "draws": -1, "cards": {}}',
        '{"format": "dgplay-quiz", "version": 1, "draws": 0, "cards": []}',
        '{"format": "dgplay-quiz", "version": 1, "draws": 0, "cards": {"a": {"box": 6, "due": 1}}}',
        '{"format": "dgplay-quiz", "version": 1, "draws": 0, "cards": {"a": 3}}',
        "[" * 100_000,
    ],
)
def test_a_damaged_file_is_set_aside(tmp_path, text):
    path = tmp_path / "quiz.json"
    path.write_text(text)
    with pytest.raises(DgplayError, match=r"is damaged .*kept as quiz.json.damaged-1"):
        load_boxes(path)
    assert not path.exists()
    assert (tmp_path / "quiz.json.damaged-1").read_text() == text
    assert load_boxes(path) == Boxes()


def test_bytes_that_are_no_text_are_set_aside(tmp_path):
    path = tmp_path / "quiz.json"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DgplayError, match="is damaged"):
        load_boxes(path)


def test_a_newer_file_is_left_alone(tmp_path):
    path = tmp_path / "quiz.json"
    path.write_text('{"format": "dgplay-quiz", "version": 2}')
    with pytest.raises(DgplayError, match="newer dgplay"):
        load_boxes(path)
    assert path.exists()


def test_a_file_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(DgplayError, match="cannot be written"):
        save_boxes(tmp_path / "file" / "quiz.json", Boxes())
