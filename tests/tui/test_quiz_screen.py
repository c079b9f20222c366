"""The Quiz screen: answered by keys alone, at every size, with what it keeps."""

from __future__ import annotations

import json
import random
import unicodedata
from collections.abc import Callable
from typing import Any

import pytest

from dgplay.tui.quiz_commands import QUIZ_COMMANDS, SHARED_COMMANDS
from dgplay.tui.screens.lab import LabScreen
from dgplay.tui.screens.quiz import QuizScreen
from dgplay.tui.widgets.line import Line
from dgplay.tui.widgets.prompt import Prompt

SIZES = ((120, 40), (80, 24), (60, 20), (40, 12), (30, 8))


async def quiz_of(lab: Any, seed: int = 7) -> QuizScreen:
    """Go from the Lab to the Quiz."""
    await lab.press("5")
    await lab.known()
    screen = lab.app.screen
    assert isinstance(screen, QuizScreen)
    screen.seed = seed
    screen.show_session()
    await lab.calm()
    return screen


def line(screen: QuizScreen, id: str) -> str:
    return screen.query_one(f"#{id}", Line).text.strip()


async def drawn(lab: Any) -> None:
    """Wait until what is done after a refresh, such as scrolling, is done."""
    for _ in range(3):
        await lab.pilot.pause()


SITUATIONS: dict[str, tuple[str, tuple[str, ...]]] = {
    "question": ("", ()),
    "wrong": ("", ("space", "space", "2")),
    "table": ("--ascii", (*"1270", "enter", "tab")),
}


@pytest.mark.parametrize("name", SITUATIONS)
async def test_quiz_frames(
    open_app: Any, frame_golden: Callable[[str, str], None], name: str
) -> None:
    start, keys = SITUATIONS[name]
    async with open_app(start, SIZES[0]) as lab:
        await quiz_of(lab)
        await lab.press(*keys)
        for width, height in SIZES:
            await lab.resize(width, height)
            await drawn(lab)
            frame = lab.frame()
            assert len(frame) == height
            frame_golden(f"quiz-{name}-{width}x{height}", lab.text)
            if start == "--ascii":
                wide = {one for one in lab.text if unicodedata.east_asian_width(one) in "AWF"}
                assert not wide


async def test_a_round_by_keys_alone(open_app: Any) -> None:
    async with open_app() as lab:
        screen = await quiz_of(lab)
        await lab.press(*"1270")
        assert screen.query_one(Prompt).asking
        assert "your answer 1270" in lab.text
        await lab.press("enter")
        assert "✓ exact; computed: 1270" in lab.text
        assert "115 + 270 + 345 + 540 = 1270 steps, 1065 of them real." in lab.text
        assert line(screen, "status").endswith("exact 1  close 0  off 0")
        await lab.press("enter")
        assert "Question 2/5" in lab.text
        await lab.press("enter", *"90%", "enter", "space")  # wrong
        await lab.press("１", "n")  # a full-width digit chooses
        await lab.press("3", "enter", "space", "2", "space")  # the last one wrong
        assert "Question 2/5 (again)" in lab.text
        assert "36.5%" not in lab.text
        await lab.press(*"36.5", "enter", "space")
        assert "Question 5/5 (again)" in lab.text
        await lab.press("1", "space")
        assert line(screen, "status").startswith("all answered; r asks anew")
        assert line(screen, "status").endswith("exact 3  close 0  off 2")
        assert [screen.boxes.box_of(one.id) for one in screen.quiz_run.quiz.questions] == [2] * 5


async def test_what_cannot_be_read_is_asked_again(open_app: Any) -> None:
    async with open_app() as lab:
        screen = await quiz_of(lab)
        await lab.press("enter", *"many", "enter")
        assert line(screen, "status").startswith("! a number, please")
        assert screen.query_one(Prompt).asking
        await lab.press("escape")
        assert not screen.query_one(Prompt).asking
        await lab.press("space", "space", "9")
        assert line(screen, "status").startswith("! one of the numbers, please")
        assert screen.open_question
        await lab.press("enter", *"9", "enter", "backspace", "1", "enter")
        assert not screen.open_question


async def test_digits_are_not_taken_where_nothing_is_asked(open_app: Any) -> None:
    async with open_app() as lab:
        screen = await quiz_of(lab)
        assert screen.check_action("type", ()) is True
        await lab.press(*"1270", "enter")
        assert screen.check_action("type", ()) is False
        await lab.press("5")
        assert not screen.query_one(Prompt).asking


async def test_a_minus_begins_a_number(open_app: Any) -> None:
    async with open_app() as lab:
        screen = await quiz_of(lab)
        await lab.press("down", "down", "down", "-", "3", "enter")
        assert screen.quiz_run.reply.text == "-3"
        assert screen.quiz_run.reply.grade == "off"


async def test_keys_that_come_at_once_are_all_taken(open_app: Any) -> None:
    async with open_app() as lab:
        screen = await quiz_of(lab)
        for key in "1270":
            lab.send(key)
        await lab.calm()
        await lab.press("enter")
        assert screen.quiz_run.reply.text == "1270"


async def test_a_change_of_the_state_asks_about_the_new_one(open_app: Any) -> None:
    async with open_app() as lab:
        screen = await quiz_of(lab)
        await lab.press(*"1270", "enter", "escape")
        assert isinstance(lab.app.screen, LabScreen)
        await lab.press("o", "5")
        await lab.known()
        assert "Which share of the 2000 fully padded steps do the boundaries 4,11,17,20" in lab.text
        await lab.press(*"37.2", "enter")
        assert screen.quiz_run.reply.grade == "exact"
        assert screen.boxes.box_of("steps") == 2


async def test_until_the_checks_are_known_it_waits(open_app: Any) -> None:
    async with open_app() as lab:
        screen = await quiz_of(lab)
        lab.app.undo()
        session = lab.app.session
        lab.app.session = type(session)(session.history, session.analyses)
        screen._asked_of = None
        screen.show_session()
        await lab.calm()
        assert "checking ..." in lab.text
        await lab.press("enter", "space", "down")
        lab.app.session = session
        await lab.calm()
        assert "Question 1/5" in lab.text


async def test_seeds_and_draws(open_app: Any) -> None:
    async with open_app() as lab:
        screen = await quiz_of(lab, 3)
        first = [one.id for one in screen.quiz_run.quiz.questions]
        await lab.press("e")
        await lab.enter("7 x")
        assert line(screen, "status").startswith("! two whole numbers, please: 7 5")
        await lab.enter("７，3")
        assert "Question 1/3  seed 7━" in lab.text
        assert [one.id for one in screen.quiz_run.quiz.questions] == ["steps", "saved", "standard"]
        await lab.press("r")
        assert "seed 8 and boxes" in lab.text
        await lab.press("e")
        await lab.enter("3 5")
        assert [one.id for one in screen.quiz_run.quiz.questions] == first


async def test_what_was_wrong_comes_first_in_the_next_draw(open_app: Any) -> None:
    async with open_app() as lab:
        screen = await quiz_of(lab)
        await lab.press("down", *"90", "enter", "r")
        assert screen.quiz_run.quiz.questions[0].id == "saved"


async def test_progress_is_kept_and_taken_up(open_app: Any, tmp_path: Any) -> None:
    async with open_app() as lab:
        await quiz_of(lab)
        await lab.press(*"1270", "enter")
    kept = json.loads((tmp_path / "quiz.json").read_text())
    assert kept["cards"] == {"steps": {"box": 2, "due": 4}}
    async with open_app() as lab:
        screen = await quiz_of(lab)
        assert screen.boxes.box_of("steps") == 2
        assert screen.boxes.draws == 4


async def test_a_damaged_file_is_reported_and_kept(open_app: Any, tmp_path: Any) -> None:
    (tmp_path / "quiz.json").write_text("{")
    async with open_app("", (120, 40)) as lab:
        screen = await quiz_of(lab)
        assert "is damaged" in line(screen, "status")
        await lab.press(*"1270", "enter")
    assert (tmp_path / "quiz.json.damaged-1").read_text() == "{"
    assert json.loads((tmp_path / "quiz.json").read_text())["version"] == 1


async def test_a_newer_file_is_not_written_over(open_app: Any, tmp_path: Any) -> None:
    newer = '{"format": "dgplay-quiz", "version": 9}'
    (tmp_path / "quiz.json").write_text(newer)
    async with open_app("", (120, 40)) as lab:
        screen = await quiz_of(lab)
        assert "newer dgplay" in line(screen, "status")
        await lab.press(*"1270", "enter")
        assert screen.boxes.box_of("steps") == 2
    assert (tmp_path / "quiz.json").read_text() == newer


async def test_copying(open_app: Any, tmp_path: Any) -> None:
    async with open_app() as lab:
        await quiz_of(lab)
        await lab.press("Y")
        copied = (tmp_path / "copied.txt").read_text()
        assert copied == "dgplay quiz --boundaries 5,10,15,20 --seed 7 --count 5\n"
        await lab.press("y")
        rows = (tmp_path / "copied.txt").read_text().splitlines()
        assert rows[0].split() == ["#", "question", "your", "answer", "computed", "box"]
        assert len(rows) == 6


async def test_panes_and_zoom(open_app: Any) -> None:
    async with open_app("", (40, 12)) as lab:
        screen = await quiz_of(lab)
        assert "Answers" not in lab.text
        await lab.press("tab")
        assert "> Answers" in lab.text
        assert "How many cell steps" not in lab.text
        await lab.press("down", "down", "shift+tab")
        assert "Question 3/5" in lab.text
        await lab.resize(80, 24)
        assert "Answers" in lab.text
        await lab.press("z")
        assert "Answers" not in lab.text
        await lab.press("escape")
        assert "Answers" in lab.text
        assert lab.app.screen is screen
        await lab.press("escape")
        assert isinstance(lab.app.screen, LabScreen)


async def test_an_answer_scrolls_to_its_reason(open_app: Any) -> None:
    async with open_app("", (40, 12)) as lab:
        await quiz_of(lab)
        await lab.press("space", "space", "2")
        await drawn(lab)
        assert "mask it gets 0 wrong." in lab.text
        await lab.press("pageup", "pageup")
        await drawn(lab)
        assert "All the world" in lab.text


async def test_a_click_chooses_a_question(open_app: Any) -> None:
    async with open_app() as lab:
        screen = await quiz_of(lab)
        await lab.pilot.click("LineTable", offset=(10, 3))
        await lab.calm()
        assert screen.quiz_run.index == 2


def test_every_command_can_be_rebound() -> None:
    ids = [command.id for command in (*QUIZ_COMMANDS, *SHARED_COMMANDS)]
    assert len(set(ids)) == len(ids)
    for command in (*QUIZ_COMMANDS, *SHARED_COMMANDS):
        name = command.action.partition("(")[0]
        assert hasattr(QuizScreen, f"action_{name}"), command.id
        assert command.help


async def test_random_keys_never_raise(open_app: Any) -> None:
    rng = random.Random(5)
    keys = [*"0123456789-jkneyYrz.", "enter", "escape", "tab", "space", "up", "down", "pagedown"]
    async with open_app() as lab:
        await quiz_of(lab)
        for _ in range(200):
            lab.send(rng.choice(keys))
            if rng.random() < 0.2:
                await lab.calm()
            if rng.random() < 0.02:
                await lab.resize(rng.choice((30, 50, 80, 130)), rng.choice((8, 12, 24, 40)))
            if isinstance(lab.app.screen, LabScreen):
                await lab.press("5")
        await lab.settled()
