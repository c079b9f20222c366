"""What every screen does alike: a size that nothing fits into, and the pane with the focus."""

from __future__ import annotations

from typing import Any

import pytest
from textual.widgets import Static

from dgplay.tui.widgets.pane import Pane

#: Each screen with the command that needs none.
SCREENS = {"lab": "report", "plan": "plan", "graph": "graph", "quiz": "quiz"}


@pytest.mark.parametrize("name", SCREENS)
async def test_below_the_least_size_every_screen_says_so_once(open_app: Any, name: str) -> None:
    async with open_app(f"--screen {name}") as lab:
        await lab.resize(39, 24)
        shown = lab.app.screen.query_one("#too-small", Static)
        assert shown.display
        assert not any(pane.display for pane in lab.app.screen.query(Pane))
        words = f"dgplay needs 40 x 10; enlarge, or use dgplay {SCREENS[name]}"
        assert str(shown.content) == words


@pytest.mark.parametrize("name", SCREENS)
async def test_the_focus_comes_back_with_the_size(open_app: Any, name: str) -> None:
    async with open_app(f"--screen {name}") as lab:
        await lab.press("tab")
        before = lab.app.screen.showing
        await lab.resize(30, 8)
        await lab.resize(80, 24)
        assert isinstance(lab.app.focused, Pane)
        assert lab.app.focused.key == lab.app.screen.showing == before


@pytest.mark.parametrize("name", SCREENS)
async def test_a_pane_that_takes_the_focus_is_the_one_shown(open_app: Any, name: str) -> None:
    async with open_app(f"--screen {name}", (120, 40)) as lab:
        for pane in lab.app.screen.query(Pane):
            if pane.display:
                pane.focus()
                await lab.settled()
                assert lab.app.screen.showing == pane.key
