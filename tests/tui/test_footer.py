"""The line of keys says what the keys do where the focus is, in every pane and every box."""

from __future__ import annotations

from typing import Any

import pytest

from dgplay.core.state import State
from dgplay.tui.footer import lab_briefs, plan_briefs, quiz_briefs


def keys(lab: Any) -> str:
    found: str = lab.app.screen.query_one("#keys").text.strip()
    return found


async def test_one_sequence_names_its_own_keys_and_they_do_that(open_app: Any) -> None:
    async with open_app("--sequence 2") as lab:
        assert keys(lab).startswith("↑↓ bucket  ←→ move  Enter type  ")
        await lab.press("t")
        await lab.known()
        assert keys(lab).startswith("↑↓ strategy  ←→ step  ")
        assert "n sequence" in keys(lab)
        before = lab.state
        await lab.press("up")
        assert lab.state.strategy != before.strategy
        assert lab.state.bucket == before.bucket
        await lab.press("left")
        assert lab.state.step == 19
        assert lab.state.boundaries == before.boundaries


async def test_the_modes_and_the_rows_are_named_by_their_panes(open_app: Any) -> None:
    async with open_app() as lab:
        await lab.press("tab")
        assert keys(lab).startswith("↑↓ mode  ←→ move  ")
        await lab.press("down")
        assert lab.state.mode == "capture"
        await lab.press("tab")
        assert keys(lab).startswith("↑↓ row  ←→ move  Enter type  ")
        await lab.press("p")
        assert keys(lab).startswith("↑↓ row  ←→ cell  Enter guess  ")


async def test_methods_of_real_data_are_taken(open_app: Any) -> None:
    async with open_app("--preset data") as lab:
        await lab.press("tab", "tab")
        assert keys(lab).startswith("↑↓ row  ←→ move  Enter take  ")


async def test_batches_cover_the_methods_that_enter_would_take(open_app: Any) -> None:
    async with open_app("--screen plan --budget 60") as lab:
        assert "Enter take" in keys(lab)
        await lab.press("tab", "tab")
        assert keys(lab).startswith("←→ graphs  ↑↓ bucket  = type  ")
        await lab.resize(120, 40)
        assert "Enter take" in keys(lab)  # the methods are beside them there


@pytest.mark.parametrize(
    ("pressed", "said"),
    [
        (("m",), "↑↓ row  Enter take  Esc back"),
        (("f",), "letters search  ↑↓ row  Enter open  Esc back"),
        (("question_mark",), "↑↓ scroll  Esc back"),
        (("c", "C"), "↑↓ scroll  Esc back"),
    ],
)
async def test_a_box_covers_the_keys_of_its_screen(
    open_app: Any, pressed: tuple[str, ...], said: str
) -> None:
    async with open_app() as lab:
        await lab.press(*pressed)
        assert lab.app.screen.query_one("#box-keys").text.strip() == said
        await lab.resize(80, 25)
        assert lab.text.splitlines()[-1].strip() == said


def test_what_is_asked_decides_what_enter_and_digits_do() -> None:
    assert quiz_briefs(asked=True, choices=True) == {}
    assert quiz_briefs(asked=True, choices=False) == {"quiz.choose": "type"}
    assert quiz_briefs(asked=False, choices=True)["quiz.enter"] == "next"


def test_a_lesson_is_stepped_through_and_answered() -> None:
    assert lab_briefs("lesson", State(), question=True)["bucket.type"] == "answer"
    assert lab_briefs("lesson", State())["bucket.type"] == "next"
    assert plan_briefs(batches=False, methods=True) == {}


async def test_the_editor_leaves_one_key(open_app: Any) -> None:
    async with open_app("--screen graph", (120, 40)) as lab:
        await lab.settled()
        await lab.press("e")
        await lab.until(lambda: keys(lab) == "Esc run")
        await lab.until(lambda: type(lab.app.focused).__name__ == "Editor")
        await lab.press("escape")
        await lab.until(lambda: keys(lab).startswith("←→ step  "))
