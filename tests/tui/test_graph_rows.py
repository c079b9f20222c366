"""Rows of the Graph screen: counters in as many rows as there are, the way back as it has room."""

from __future__ import annotations

from typing import Any

import pytest
from graph_driver import drawn, graph_of

from dgplay.core.graph_view.backward import Sweep, Walk
from dgplay.core.tables import UNICODE
from dgplay.tui.i18n import translator
from dgplay.tui.widgets.graph_more import backward_rows
from dgplay.tui.widgets.lab_panes import Look

LOOK = Look(translator("en"), UNICODE, ascii=False)


def sweep(number: int) -> Sweep:
    return Sweep(number, number, f"v{number}", "mul", (), "1.0", 1.0, (), True, False)


def texts(walk: Walk, done: int, height: int) -> list[str]:
    rows = backward_rows(walk, done, (), None, 40, height, LOOK)
    return ["".join(text for text, _ in row).rstrip() for row in rows]


TAPE = tuple((f"v{number}", "mul", ("x",)) for number in range(100))


def test_a_long_tape_is_shown_from_the_op_that_was_last_in() -> None:
    walk = Walk((), TAPE, None)
    head = ["the tape, last in first out; g walks", "it back"]
    assert texts(walk, 0, 4) == [*head, "v99 = mul saved: x", "v98 = mul saved: x"]


def test_of_a_long_way_back_the_newest_gradients_are_shown() -> None:
    walk = Walk(tuple(sweep(number) for number in range(100)), TAPE, None)
    shown = texts(walk, 50, 4)
    assert shown[0] == "d v49 = 1.0"
    assert shown[2] == "d v50 = 1.0"
    assert len(shown) == 4


def test_where_nan_comes_first_stays_in_sight() -> None:
    walk = Walk(tuple(sweep(number) for number in range(100)), TAPE, ("y", "log", "forward"))
    shown = texts(walk, 50, 4)
    assert shown[0] == "first NaN or inf: y = log, forward"
    assert shown[2] == "d v50 = 1.0"


@pytest.mark.parametrize(
    ("size", "mode"), [((60, 20), "static"), ((40, 12), "static"), ((80, 24), "eager")]
)
async def test_dispatches_launches_and_time_are_always_there(
    open_app: Any, size: tuple[int, int], mode: str
) -> None:
    async with open_app("--screen graph --program affine", size) as lab:
        await graph_of(lab)
        await lab.press("end")
        for time in ("time: T", " ms"):
            assert f"{mode}: " in lab.text
            assert "disp" in lab.text
            assert "launch" in lab.text
            assert time in lab.text
            await lab.press("T")
            await drawn(lab)
