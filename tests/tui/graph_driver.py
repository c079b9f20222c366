"""Driving the Graph screen in tests: go there, wait for what is drawn, type a line."""

from __future__ import annotations

from typing import Any

from textual.widgets import Input

from dgplay.tui.screens.graph import GraphScreen
from dgplay.tui.widgets.line import Line
from dgplay.tui.widgets.prompt import Prompt

#: The sizes that every view is looked at in.
SIZES = ((120, 40), (80, 24), (60, 20), (40, 12), (30, 8))


async def graph_of(lab: Any) -> GraphScreen:
    """Go to the Graph screen, if that is not where it opened, and wait for the run."""
    if not isinstance(lab.app.screen, GraphScreen):
        await lab.press("3")
    await lab.settled()
    screen = lab.app.screen
    assert isinstance(screen, GraphScreen)
    return screen


async def drawn(lab: Any) -> None:
    """Wait until what is done after a refresh is done."""
    await lab.pilot.pause()
    await lab.settled()


async def drawn_quickly(lab: Any) -> None:
    for _ in range(3):
        await lab.pilot.pause()


def line(screen: GraphScreen, id: str) -> str:
    return screen.query_one(f"#{id}", Line).text.strip()


async def type_line(lab: Any, text: str) -> None:
    """Replace what stands in the typed line of the Graph screen, and press Enter."""
    lab.app.screen.query_one(Prompt).query_one(Input).value = text
    await lab.press("enter")
    await drawn(lab)
