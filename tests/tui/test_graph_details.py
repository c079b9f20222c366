"""The views beside the lockstep: nodes, passes, backward, memory, capture, time and export."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from graph_driver import drawn, graph_of, line, type_line

from dgplay.tui.screens.graph_detail import GraphDetail
from dgplay.tui.widgets.graph_panes import SheetPane


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
@pytest.mark.parametrize("view", ["c", "d", "m"])
async def test_pages_of_a_list_leave_no_row_out(
    open_app: Any, size: tuple[int, int], view: str
) -> None:
    line_ = "--screen graph --program dynamic_block --call x=[1,2] --call x=[1,2,2]"
    async with open_app(line_, size) as lab:
        screen = await graph_of(lab)
        await lab.press("end", view, "home")
        seen: set[str] = set()
        pane = screen.query_one("#g-detail", SheetPane)
        for _ in range(40):
            seen |= {row[1:] for row in pane.sheet.lines}
            if screen.detail_chosen == screen.detail_rows - 1:
                break
            await lab.press("pagedown")
        missing = []
        await lab.press("home")
        for _ in range(screen.detail_rows):
            chosen = next(row for row in pane.sheet.lines if row.startswith(">"))
            missing += [chosen] if chosen[1:] not in seen else []
            await lab.press("down")
        assert missing == []


async def test_the_capture_view_says_why_dynamic_sizes_do_not_help(open_app: Any) -> None:
    calls = "--call seq=[1,2,3,4] --call seq=[1,2,3,4,5]"
    async with open_app(f"--screen graph --program rnn_loop {calls}", (120, 40)) as lab:
        screen = await graph_of(lab)
        await lab.press("c")
        assert "Capture, calls 1 to 1 of 2, as far as time is; ]: call 2" in lab.text
        await lab.press("right_square_bracket", "down", "down")
        assert "seq: shape[0] == 4, was 5 (Python needs the number)" in lab.text
        assert "a column a call: C compiled, R run again, ✓ held, ✗ failed" in lab.text
        now = screen.now.cursor
        await lab.press("end")
        assert (screen.now.cursor, screen.detail_chosen) == (now, screen.detail_rows - 1)


async def test_esc_stops_what_is_being_exported(
    open_app: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped = threading.Event()

    def endless(views: object, budget: object, cancelled: Callable[[], bool]) -> str:
        while not cancelled():
            time.sleep(0.001)
        stopped.set()
        return ""

    monkeypatch.setattr("dgplay.tui.screens.graph_export.json_text", endless)
    async with open_app("--screen graph", (80, 24)) as lab:
        screen = await graph_of(lab)
        await lab.press("E", "down", "down", "enter")
        assert "being made" in line(screen, "status")
        await lab.press("right")
        assert screen.now.cursor == 1  # the screen is free meanwhile
        await lab.press("escape")
        assert "nothing was written" in line(screen, "status")
        await lab.settled()
        assert stopped.is_set()
        assert not screen.typing


@pytest.mark.parametrize("key", ["d", "x", "w", "m", "c"])
async def test_a_large_run_has_its_views_made_in_a_thread_and_shows_the_same(
    open_app: Any, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    async with open_app("--screen graph --program rnn_loop", (80, 24)) as lab:
        await graph_of(lab)
        await lab.press("end", key)
        wanted = lab.text
        await lab.press("escape")
        monkeypatch.setattr("dgplay.tui.screens.graph_kept.LARGE", 0)
        held = threading.Event()
        made = GraphDetail.views_by_name.fget

        def slow(this: Any) -> dict[str, Any]:
            return {
                name: lambda here, view=view: (held.wait(5), view(here))[1]
                for name, view in made(this).items()
            }

        monkeypatch.setattr(GraphDetail, "views_by_name", property(slow))
        await lab.press(key)
        assert "being made" in lab.text
        held.set()
        await drawn(lab)
        assert lab.text == wanted


async def test_time_is_measured_when_it_is_asked_for(
    open_app: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dgplay.core.graph_view.timing.SECONDS", 60.0)  # however busy it is here
    async with open_app("--screen graph --program dynamic_block", (120, 40)) as lab:
        screen = await graph_of(lab)
        assert "measured" not in lab.text
        await lab.press("T")
        await drawn(lab)
        (row,) = [row for row in lab.frame() if "measured:" in row]
        eager, static, capture = row.split("│")
        assert re.fullmatch(r"measured: [\d.e+]+ ms, first [\d.e+]+ ms", eager.strip())
        assert static.strip() == "measured: no whole call"
        assert "ms, first" in capture
        assert "shortest of 5" in line(screen, "status")


async def test_what_is_exported_lies_where_it_was_asked_for(open_app: Any, tmp_path: Path) -> None:
    async with open_app("--screen graph", (120, 40)) as lab:
        await graph_of(lab)
        for number, part in enumerate(("add a b", "digraph", '"agree": true', "import numpy")):
            await lab.press("E", *["down"] * number, "enter")
            await drawn(lab)
            path = tmp_path / f"out{number}"
            await type_line(lab, str(path))
            assert part in path.read_text()
        await lab.press("E", *["down"] * 4, "enter")
        assert lab.app.paths.copied.read_text().startswith("dgplay ")


async def test_passes_are_switched_by_enter_and_counts_follow(open_app: Any) -> None:
    async with open_app("--screen graph", (80, 24)) as lab:
        screen = await graph_of(lab)
        await lab.press("x")
        assert "run 6 nodes, 2 launches" in lab.text
        await lab.press(*["down"] * 4, "enter")
        await drawn(lab)
        assert "fuse" not in screen.now.asked.options.passes
        assert "run 7 nodes, 3 launches" in lab.text
        assert "would do 1 rewrite:" in lab.text
        await lab.press("down", "enter")
        await drawn(lab)
        assert screen.now.asked.options.passes[-1] == "fast-math"
        await lab.press("X")
        await drawn(lab)
        assert screen.now.asked.options.passes == ()
        assert "passes none" in line(screen, "status")


async def test_the_order_before_and_after_is_paged(open_app: Any) -> None:
    async with open_app("--screen graph --program x2_plus_xy", (80, 24)) as lab:
        await graph_of(lab)
        await lab.press("x", "down", "down")
        assert "%0 x = placeholder" in lab.text
        await lab.press("pagedown")
        assert "%0 x = placeholder" not in lab.text
        await lab.press("pageup")
        assert "%0 x = placeholder" in lab.text


async def test_a_node_is_found_and_entered(open_app: Any) -> None:
    async with open_app("--screen graph --program rnn_loop", (80, 24)) as lab:
        screen = await graph_of(lab)
        await lab.press("slash")
        await type_line(lab, "tanh")
        assert screen.now.view == "nodes"
        assert any(row.startswith(">") and "tanh" in row for row in lab.frame())
        await lab.press("enter")
        assert screen.now.cursor > 0
        rows = screen.detail_rows
        await lab.press("r")
        assert screen.detail_rows > rows
        await lab.press("slash")
        await type_line(lab, "nosuch")
        assert "no node has nosuch" in line(screen, "status")


async def test_finite_differences_on_demand(open_app: Any) -> None:
    async with open_app("--screen graph --program relu_half", (80, 24)) as lab:
        await graph_of(lab)
        await lab.press("F")
        await drawn(lab)
        assert "0.5 kink" in lab.text
        assert "✓ d x[4] 1, 1" in lab.text
        await lab.press("F")
        assert "0.5 kink" not in lab.text


async def test_memory_says_what_its_signs_mean(open_app: Any) -> None:
    async with open_app("--screen graph --program linear_ln_dropout", (80, 24)) as lab:
        await graph_of(lab)
        await lab.press("m", "o")
        assert "own: not in the arena, =y: written over y" in lab.text
        assert "liveness" not in lab.text


async def test_an_empty_arena_is_not_spoken_of(open_app: Any) -> None:
    async with open_app("--screen graph --program x2_plus_xy", (80, 24)) as lab:
        await graph_of(lab)
        await lab.press("m", "o")
        assert "arena of 0 bytes" not in lab.text
        assert "overlaps" not in lab.text
