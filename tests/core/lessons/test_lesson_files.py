"""Lesson files: the bundled ones with every answer, and what a malformed line is told."""

import os
from importlib.resources import files

import pytest

from dgplay.core.errors import DgplayError
from dgplay.core.lessons.answers import Answer, paths_in
from dgplay.core.lessons.lesson import (
    LessonRun,
    bundled_lesson,
    bundled_lessons,
    open_lesson,
    parse_lesson,
    read_lesson,
)
from dgplay.core.lessons.outline import lesson_record
from dgplay.core.sequences.analysis import Analysis
from dgplay.core.sequences.loading import load

NAMES = ("tour", "bias-left-padding", "longer", "more-buckets", "real-data", "repeat-last")
ANALYSES: dict[object, Analysis] = {}


def analysis_of(options):
    if options not in ANALYSES:
        ANALYSES[options] = Analysis(load(options))
    return ANALYSES[options]


def test_the_bundled_lessons():
    assert bundled_lessons() == NAMES


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("name", NAMES)
def test_every_step_opens_and_is_answered(name, lang):
    record = lesson_record(bundled_lesson(name, lang), analysis_of)
    for step in record["steps"]:
        assert "{" not in step["sentence"]
        if step["path"]:
            assert step["answer"] is not None
            assert step["answer_text"] != "-"


@pytest.mark.parametrize("name", NAMES)
def test_the_twins_say_the_same(name):
    english, chinese = bundled_lesson(name), bundled_lesson(name, "zh")
    assert english.title != chinese.title
    assert [(step.line, step.path) for step in english.steps] == [
        (step.line, step.path) for step in chinese.steps
    ]
    for one, other in zip(english.steps, chinese.steps, strict=True):
        assert bool(one.question) == bool(other.question)
        assert set(paths_in(one.sentence)) == set(paths_in(other.sentence))


def test_no_number_of_the_answers_stands_in_the_files():
    """Words stand in the files; numbers are computed."""
    folder = files("dgplay.core.lessons") / "files"
    for entry in folder.iterdir():
        text = entry.read_text(encoding="utf-8")
        for number in ("1065", "2000", "1270", "1256", "1126", "46.8", "36.5", "2.42", "1.07"):
            assert number not in text, entry.name


def test_the_tour_says_what_the_issue_asks_for():
    record = lesson_record(bundled_lesson("tour"), analysis_of)
    answers = [step["answer_text"] for step in record["steps"] if step["path"]]
    assert answers == ["2000", "0.09", "92", "2000", "1270", "1256", "8", "4", "8"]
    assert "from 1.71 to 0.09, and the output is off by 1.07" in record["steps"][2]["sentence"]


GOOD = "dgplay | a sentence | how many? | steps\n"


def test_a_lesson_of_ones_own():
    lesson = parse_lesson(
        "\ufeff# a comment\r\ntitle: Mine\r\n\r\n"
        "dgplay uniform:1-9 -k 2 | The size is \\|h\\|. | And? | steps\r\n"
        "dgplay --bucket 2 | Only said.\r\n"
        "dgplay | To talk about. | What do you think? |\r\n",
        "mine.txt",
    )
    assert lesson.title == "Mine"
    assert [step.place for step in lesson.steps] == ["mine.txt:4", "mine.txt:5", "mine.txt:6"]
    assert lesson.steps[0].sentence == "The size is |h|."
    assert lesson.steps[0].request.state.data.sources == ("uniform:1-9",)
    assert lesson.steps[0].request.k == 2
    assert (lesson.steps[2].question, lesson.steps[2].path) == ("What do you think?", "")
    assert parse_lesson(GOOD, "folder/mine.txt").title == "mine"


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("dgplay", "has 1 field, not 2 to 4; command line | sentence | question | where"),
        ("dgplay | a | b | steps | e", "has 5 fields"),
        ("dgplay |", "the sentence is empty"),
        ("dgplay | a | | steps", "nothing is asked that 'steps' would answer"),
        ("dgplay | a | b | stepz", "no answer is called 'stepz'; there are data"),
        ("dgplay | a {stepz} | b | steps", "no answer is called 'stepz'"),
        ("report | a", "the command line begins with 'report', not with dgplay"),
        ("dgplay report | a", "'dgplay report' opens no state; give data and options only"),
        ("dgplay --foo | a", "the command line does not parse: unrecognized arguments: --foo"),
        ("dgplay --bucket zero | a", "the command line does not parse: argument --bucket"),
        ("dgplay 'open | a", "the command line cannot be read: no closing quotation"),
        ("dgplay - | a", "a lesson cannot read a pipe; name a file"),
        ("title:", "the title is empty"),
        ("title: a second", "is a second title; the first is 'first'"),
        ("dgplay | " + "x" * 5000, "is longer than 4000 characters"),
    ],
)
def test_a_malformed_line_is_named(line, error):
    text = f"title: first\n{GOOD}# comment\n\n{line}\n"
    if line == "title:":
        text = text.replace("title: first", "# nothing")
    with pytest.raises(DgplayError) as caught:
        parse_lesson(text, "my.txt")
    assert str(caught.value).startswith("my.txt:5: ")
    assert error in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("dgplay | a | b | buckets.9.waste", "there is no bucket 9; there are 4"),
        ("dgplay --boundaries 5,10 | a", "the last boundary 10 is below the longest length 20"),
        ("dgplay no-such-file.csv | a", "no-such-file.csv"),
        ("dgplay --sequence 100 | a", "there is no sequence 100"),
    ],
)
def test_what_only_the_data_show_names_the_line_too(line, error):
    with pytest.raises(DgplayError) as caught:
        lesson_record(parse_lesson(f"{GOOD}{line}\n", "my.txt"), analysis_of)
    assert str(caught.value).startswith("my.txt:2: ")
    assert error in str(caught.value)


def test_files_that_cannot_be_lessons(tmp_path):
    with pytest.raises(DgplayError, match="has no step"):
        parse_lesson("# nothing\n", "my.txt")
    with pytest.raises(DgplayError, match="no lesson or file is called 'nope'; there are tour"):
        open_lesson("nope")
    with pytest.raises(DgplayError, match="cannot be read: No such file"):
        open_lesson("nope.txt")
    bad = tmp_path / "bad.txt"
    bad.write_bytes(b"dgplay | \xff\xfe\n")
    with pytest.raises(DgplayError, match="is not UTF-8"):
        open_lesson(str(bad))
    with pytest.raises(DgplayError, match="cannot be read: Is a directory"):
        open_lesson(str(tmp_path))
    with pytest.raises(DgplayError, match="has 3001 lines"):
        parse_lesson("#\n" * 3001, "my.txt")


def test_data_beside_the_lesson(tmp_path, monkeypatch):
    folder = tmp_path / "class"
    folder.mkdir()
    (folder / "ours.csv").write_text("length,count\n3,2\n7,1\n")
    path = folder / "ours.txt"
    path.write_text("dgplay ours.csv | {data.sequences} of ours | | \n")
    monkeypatch.chdir(tmp_path)
    lesson = read_lesson(path)
    assert lesson.steps[0].request.state.data.sources == (os.path.join(folder, "ours.csv"),)
    assert lesson_record(lesson, analysis_of)["steps"][0]["sentence"] == "3 of ours"


def test_a_run_goes_on_back_and_keeps_answers():
    lesson = parse_lesson(GOOD + "dgplay | only said\n" + GOOD, "my.txt")
    run = LessonRun(lesson)
    assert run.go_back() == run
    assert (run.open_question, run.at_end) == (True, False)
    truth = Answer(1270)
    assert run.answered("what", truth) is run
    answered = run.answered(" 1,270 ", truth)
    assert run.given is None
    assert answered.given is not None
    assert (answered.given.text, answered.given.grade, answered.given.truth) == (
        "1,270",
        "exact",
        "1270",
    )
    assert not answered.open_question
    second = answered.go_on()
    assert (second.index, second.open_question) == (1, False)
    last = second.go_on().answered("5", truth)
    assert last.at_end
    assert last.go_on() == last
    assert last.tally == {"exact": 1, "close": 0, "off": 1}
    assert last.answered("1271", truth).tally == {"exact": 1, "close": 1, "off": 0}
    assert last.go_back().go_back().given == answered.given
