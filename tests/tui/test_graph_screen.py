"""The Graph screen in lockstep: every key, at every size, whatever program; nothing may raise."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from graph_driver import SIZES, drawn, graph_of, line

from dgplay.tui.commands import APP_COMMANDS
from dgplay.tui.graph_commands import GRAPH_COMMANDS, GRAPH_SHARED


def test_no_two_keys_of_the_screen_are_the_same() -> None:
    keys = [
        key
        for command in (*GRAPH_COMMANDS, *GRAPH_SHARED, *APP_COMMANDS)
        for key in command.keys
    ]  # fmt: skip
    assert len(keys) == len(set(keys))
    ids = [command.id for command in GRAPH_COMMANDS]
    assert len(ids) == len(set(ids))
    assert all(id.startswith("graph.") for id in ids)


async def test_stepping_forward_then_back_shows_the_same_screens(open_app: Any) -> None:
    async with open_app("--screen graph --program static_block", (80, 24)) as lab:
        screen = await graph_of(lab)
        last = screen.now.views.last
        seen = [lab.text]
        for _ in range(min(last, 40)):
            await lab.press("right")
            seen.append(lab.text)
        for before in reversed(seen[:-1]):
            await lab.press("left")
            assert lab.text == before


async def test_a_line_opens_the_screen_at_its_cursor_and_is_copied(open_app: Any) -> None:
    words = "--program affine --feed a=7 --passes none --step 3 --screen graph"
    async with open_app(words, (80, 24)) as lab:
        screen = await graph_of(lab)
        assert screen.now.cursor == 2
        assert "y = mul s c" in lab.text
        assert "40.0" in lab.text
        await lab.press("right", "Y")
        assert "--step 4" in lab.app.paths.copied.read_text()
        assert "--feed a=7 --passes none" in lab.app.paths.copied.read_text()
        await lab.press("1", "3")
        assert screen.now.cursor == 3
        await lab.press("y")
        assert "mul s c" in lab.app.paths.copied.read_text()


async def test_every_command_can_be_run_by_its_key(open_app: Any) -> None:
    async with open_app("--screen graph --program dynamic_block", (80, 24)) as lab:
        screen = await graph_of(lab)
        for command in (*GRAPH_COMMANDS, *GRAPH_SHARED):
            await lab.press(command.keys[0])
            await lab.settled()
            while lab.app.screen is not screen:
                await lab.press("escape")
            for _ in range(3):
                if screen.typing:
                    await lab.press("escape")
            assert not screen.typing, command.id
        assert lab.app.is_running


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_that_the_rest_runs_eagerly_is_in_view_and_lines_before_and_after_are_reached(
    open_app: Any, size: tuple[int, int]
) -> None:
    line_ = "--screen graph --program dynamic_block --call x=[1,2] --call x=[1,2,3]"
    async with open_app(line_, size) as lab:
        screen = await graph_of(lab)

        def capture() -> str:
            columns = [row.split("│")[2] for row in lab.frame() if row.count("│") == 2]
            return " ".join(" ".join(columns).split())

        await lab.press("right_square_bracket", "b", "b", "b", "b")
        assert "LIMIT of 8 compiles reached: runs eagerly from here" in capture()
        assert "x = mul" in capture()  # the end of the step
        shown = capture()
        await lab.press(*["down"] * 12)
        assert "no more lines that way" in line(screen, "status")
        missed = "none of 8 graphs fits: x: shape[0] == 2, was 3 (×6)"
        for _ in range(6):
            if missed not in capture():
                await lab.press("up")
        assert missed in capture()
        await lab.press("left", "right")
        assert capture() == shown


async def test_a_stale_answer_says_so_beside_the_right_one(open_app: Any) -> None:
    calls = "--call seq=[1,2,3,4] --call seq=[1,2,3,4,5]"
    async with open_app(f"--screen graph --program rnn_loop --no-guards {calls}", (120, 40)) as lab:
        screen = await graph_of(lab)
        await lab.press("end")
        assert "STALE answer" in lab.text
        assert "DIFFER first at output 0: eager 1.9999, capture 1.99928" in line(screen, "status")
        assert "ulps" not in line(screen, "status")
        await lab.press("c")
        assert "call 2: STALE answer 1.99928, eager gives 1.9999" in lab.text
        assert "STALE gradient of seq: f64[4]" in lab.text
        assert "arity == 1   not asked" in lab.text


async def test_keys_that_can_do_nothing_say_so(open_app: Any) -> None:
    async with open_app("--screen graph", (80, 24)) as lab:
        screen = await graph_of(lab)
        await lab.press("o")
        assert line(screen, "status") == "all three modes are in view"
        await lab.press("d", "down", "down", "r")
        assert line(screen, "status") == "nothing repeats here, so nothing is folded"
        assert screen.now.row == 2


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=["80x24", "120x40"])
async def test_a_newcomer_sees_why_static_needs_cond_and_where_capture_breaks(
    open_app: Any, size: tuple[int, int]
) -> None:
    async with open_app("--screen graph --program dynamic_block", size) as lab:
        screen = await graph_of(lab)
        assert "if x.sum() > 0:" in lab.text
        assert "b: where the modes part; n: another call, of another shape" in lab.text
        await lab.press("b")
        rows = lab.frame()
        (at,) = [row for row in rows if row.startswith(">   6")]
        assert at.endswith("✗ static refuses, capture breaks")
        columns = [row.split("│") for row in rows if row.count("│") == 2]
        static = " ".join(" ".join(column[1] for column in columns).split())
        capture = " ".join(" ".join(column[2] for column in columns).split())
        assert "REFUSED line 6: if decides on a traced value" in static
        assert "x.sum() > 0 has no value while the graph is drawn" in static
        assert "use cond(test, f, g)" in static
        assert "refuses: nothing runs" in static
        assert "GRAPH BREAK line 6: if decides on a traced value (sum→gt)" in capture
        assert "Python decides, line 6: true" in capture
        await lab.press("end")
        assert "capture compiled 7, broke 6 times; n: next call" in line(screen, "status")


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=["80x24", "120x40"])
async def test_a_newcomer_sees_what_a_second_call_of_another_shape_does(
    open_app: Any, size: tuple[int, int]
) -> None:
    async with open_app("--screen graph --program dynamic_block", size) as lab:
        await graph_of(lab)
        await lab.press("n")
        assert "next call, then a question x=[1.0, 2.0, 2.0]" in lab.text
        await lab.press("enter")
        await drawn(lab)
        assert "does capture compile again (y, n)? Esc: only run" in lab.text
        assert "your answer is counted; call 2: x=[1.0, 2.0, 2.0]" in lab.text
        await lab.press("y")
        assert "only run y" in lab.text  # there is room to see what is typed
        await lab.press("enter")
        columns = [row.split("│")[2] for row in lab.frame() if row.count("│") == 2]
        capture = " ".join(" ".join(columns).split())
        assert "guard fails: x: shape[0] == 2, was 3" in capture
        assert "RECOMPILES segment 0, now for any size: x: f64[s0]" in capture
        await lab.press("left", "right")
        assert "call 2: capture compiles again, 3 in all; c shows the guards" in lab.text
        await lab.press("c")
        assert "RECOMPILED as graph 7: x: shape[0] == 2, was 3" in lab.text


async def test_play_goes_on_by_itself_and_pauses(open_app: Any) -> None:
    async with open_app("--screen graph", (80, 24)) as lab:
        screen = await graph_of(lab)
        await lab.press("plus", "plus", "plus", "space")
        for _ in range(200):
            if screen.now.cursor > 1:
                break
            await lab.pilot.pause(0.01)
        assert screen.now.cursor > 1
        await lab.press("space")
        assert line(screen, "status").startswith("paused")
        await lab.press("end", "space", "escape")
        assert screen.now.cursor < screen.now.views.last


async def test_clicks_go_to_stops_lines_and_rows(open_app: Any) -> None:
    async with open_app("--screen graph", (80, 24)) as lab:
        screen = await graph_of(lab)
        await lab.pilot.click("#g-timeline-sheet", offset=(25, 0))
        await drawn(lab)
        assert screen.now.cursor > 0
        await lab.pilot.click("#g-program-sheet", offset=(12, 3))
        await drawn(lab)
        assert screen.showing == "g-program"
        assert screen.line > 1
        await lab.press("d")
        await lab.pilot.click("#g-detail-sheet", offset=(12, 3))
        await drawn(lab)
        assert screen.now.row == 2


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (40, 12)])
async def test_a_thousand_random_keys_never_raise(open_app: Any, size: tuple[int, int]) -> None:
    async with open_app("--screen graph --program dynamic_block", size) as lab:
        screen = await graph_of(lab)
        pick = random.Random(size[0])
        keys = [key for command in GRAPH_COMMANDS for key in command.keys]
        keys += [key for command in GRAPH_SHARED for key in command.keys]
        keys += ["enter", "escape", "escape", "y", "1", "3", "tab", "backspace"]
        for number in range(334):
            lab.send(pick.choice(keys))
            if number % 20 == 0:
                await lab.calm()
            if number % 60 == 59:
                width, height = pick.choice(SIZES)
                await lab.resize(width, height)
        await drawn(lab)
        assert lab.app.is_running
        assert lab.app.return_code in (None, 0)
        assert screen.graph_session is not None


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_a_refusal_names_the_way_out_before_the_reason(
    open_app: Any, size: tuple[int, int], tmp_path: Path
) -> None:
    path = tmp_path / "huge.py"
    path.write_text("def f(x=1):\n    y = zeros([100000, 100000])\n    return x + y\n")
    async with open_app(f"--screen graph --program {path}", size) as lab:
        await graph_of(lab)
        await lab.press("end")
        columns = [row.split("│") for row in lab.frame() if row.count("│") == 2]
        for number in range(3):
            told = " ".join(" ".join(column[number] for column in columns).split())
            assert "use smaller shapes" in told


async def test_both_ways_out_of_a_decision_are_read_in_narrow_columns(open_app: Any) -> None:
    async with open_app("--screen graph --program dynamic_block", (80, 24)) as lab:
        await graph_of(lab)
        await lab.press("b")
        columns = [row.split("│") for row in lab.frame() if row.count("│") == 2]
        for number in (1, 2):
            told = " ".join(" ".join(column[number] for column in columns).split())
            assert "use cond(test, f, g) or where(test, a, b)" in told


async def test_choosing_a_line_begins_at_the_cursor_and_is_marked_in_text(open_app: Any) -> None:
    async with open_app("--screen graph --program affine", (80, 24)) as lab:
        screen = await graph_of(lab)
        await lab.press("right", "tab", "tab")
        assert screen.line == 5
        await lab.press("enter")
        assert line(screen, "status") == "line 5 does not run again; left steps back"
        await lab.press("down")
        assert [row[:6] for row in lab.frame() if row.startswith("*")] == ["*   6 "]
        await lab.press("up", "up", "enter")
        assert line(screen, "status") == "line 4 is not run"


async def test_a_value_without_a_name_is_told_by_its_number(open_app: Any) -> None:
    async with open_app("--screen graph --program x2_plus_xy --grad x", (120, 40)) as lab:
        await graph_of(lab)
        await lab.press("end")
        eager = [row.split("│")[0] for row in lab.frame() if row.count("│") == 2]
        assert any(row.startswith("%3 = pow x 2.0") for row in eager)
        assert any(row.startswith("d %3 = 1.0") for row in eager)


async def test_the_words_of_the_counters_do_not_change_while_one_steps(open_app: Any) -> None:
    async with open_app("--screen graph --program x2_plus_xy --grad x", (80, 24)) as lab:
        await graph_of(lab)
        for key in ("home", "end"):
            await lab.press(key)
            (row,) = [row for row in lab.frame() if "launches" in row and "│" in row]
            assert row.count("disp. ") == row.count("  launches ") == 3
