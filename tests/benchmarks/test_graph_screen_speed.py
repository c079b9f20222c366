"""How fast the Graph screen is with 2,000 nodes: opening, and one key; CPU, not wall time.

The program is a chain of 660 ops whose backward makes two nodes of each: 1,982 in all.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from dgplay.core.command_line import parse
from dgplay.core.sequences.analysis import Analysis
from dgplay.core.sequences.loading import load
from dgplay.core.session import open_session
from dgplay.tui.app import DgplayApp
from dgplay.tui.paths import Paths
from dgplay.tui.screens.graph import GraphScreen

pytestmark = pytest.mark.benchmark

LINE = ["--screen", "graph", "--program", "deep_chain", "--feed", "depth=int(660)"]

#: A key may cost this much more CPU than one that is bound to nothing.
KEY_SECONDS = 0.016
OPEN_SECONDS = 1.0


async def _settled(app: Any, pilot: Any) -> GraphScreen:
    screen = app.screen
    while not isinstance(screen, GraphScreen) or screen.now.views is None:
        await pilot.pause(0.005)
        screen = app.screen
    await pilot.pause()
    return screen


async def _cost(pilot: Any, key: str, times: int = 30) -> float:
    begun = time.process_time()
    for _ in range(times):
        await pilot.press(key)
    return (time.process_time() - begun) / times


async def test_two_thousand_nodes(tmp_path: Path) -> None:
    request = parse(LINE)
    session = open_session(request, Analysis(load(request.state.data)))
    paths = Paths(tmp_path / "state.json", tmp_path / "copied.txt", tmp_path / "keymap.toml")
    app = DgplayApp(session, paths)
    async with app.run_test(size=(80, 24)) as pilot:
        await app.workers.wait_for_complete()
        begun = time.process_time()
        screen = app.screen
        assert isinstance(screen, GraphScreen)
        screen.graph_session = None
        screen.start_run()
        await _settled(app, pilot)
        opened = time.process_time() - begun
        unbound = await _cost(pilot, "f12")
        costs = {}
        views_and_keys = {
            "a": ("right", "left"),
            "d": ("down", "pagedown"),
            "w": ("end", "left"),
            "m": ("down", "left"),
            "c": ("down", "left"),
        }
        for view, keys in views_and_keys.items():
            await pilot.press(view)
            if view == "d":
                await pilot.press("r")
            for key in keys:
                await pilot.press(key)
                costs[f"{view} {key}"] = await _cost(pilot, key) - unbound
    views = screen.now.views
    assert views is not None
    assert views.run.modes["eager"].nodes > 1980
    print({key: f"{1000 * cost:.1f} ms" for key, cost in costs.items()}, f"open {opened:.2f} s")
    assert opened < OPEN_SECONDS
    assert max(costs.values()) < KEY_SECONDS, costs
