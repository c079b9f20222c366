"""The Graph screen: every key, at every size, whatever program; nothing it does may raise."""

from __future__ import annotations

import json
import random
import re
import threading
import time
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lab_driver import make_app
from textual.widgets import Input, OptionList

from dgplay.core.graph.lang_budget import Budget
from dgplay.tui.commands import APP_COMMANDS
from dgplay.tui.graph_commands import GRAPH_COMMANDS, GRAPH_SHARED
from dgplay.tui.screens.graph import GraphScreen
from dgplay.tui.screens.graph_detail import GraphDetail
from dgplay.tui.widgets.editor import Editor
from dgplay.tui.widgets.graph_panes import SheetPane
from dgplay.tui.widgets.line import Line
from dgplay.tui.widgets.prompt import Prompt

SIZES = ((120, 40), (80, 24), (60, 20), (40, 12), (30, 8))

#: What is on the screen: arguments of dgplay, keys.
SITUATIONS: dict[str, tuple[str, tuple[str, ...]]] = {
    "start": ("--program affine", ()),
    "break": ("--program dynamic_block", ("b",)),
    "second": ("--program dynamic_block --call x=[1,2] --call x=[1,2,3] --step 27", ("b",)),
    "backward": ("--program x2_plus_xy", ("g", "right", "right", "right", "w")),
    "tape": ("--program x2_plus_xy --step 3", ("w",)),
    "nodes": ("--program rnn_loop", ("end", "d", "down", "down", "down")),
    "passes": ("--program x2_plus_xy --passes all", ("x", "down", "down")),
    "fast-math": ("--program x2_plus_xy", ("x", "up", "down", "down", "down", "down", "down")),
    "memory": ("--program linear_bn_relu", ("m", "down", "down", "down")),
    "memory-plan": ("--program linear_bn_relu", ("m", "o", "down", "down", "down")),
    "calls": (
        "--program rnn_loop --call seq=[1,2] --call seq=[1,2] --call seq=[1,2,3] --call seq=[1]",
        ("end", "c", "down", "down", "down", "down", "down"),
    ),
    "capture": ("--program rnn_loop --call seq=[1,2] --call seq=[1,2,3]", ("end", "c", "down")),
    "stale": ("--program dynamic_block --call x=[1,2] --call x=[-2.5,0.2] --no-guards", ("end",)),
    "problem": ("--program nosuch", ()),
    "predict": ("--program affine --step 2", ("p",)),
    "plain": ("--program dynamic_block --ascii --step 3", ()),
}


@pytest.fixture(autouse=True)
def _elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Let files that are written by a random key lie where nobody minds."""
    monkeypatch.chdir(tmp_path)


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


def line(screen: GraphScreen, id: str) -> str:
    return screen.query_one(f"#{id}", Line).text.strip()


async def type_line(lab: Any, text: str) -> None:
    """Replace what stands in the typed line of the Graph screen, and press Enter."""
    lab.app.screen.query_one(Prompt).query_one(Input).value = text
    await lab.press("enter")
    await drawn(lab)


@pytest.mark.parametrize("name", SITUATIONS)
async def test_graph_frames(
    open_app: Any, frame_golden: Callable[[str, str], None], name: str
) -> None:
    start, keys = SITUATIONS[name]
    async with open_app(f"--screen graph {start}", SIZES[0]) as lab:
        await graph_of(lab)
        await lab.press(*keys)
        for width, height in SIZES:
            await lab.resize(width, height)
            await lab.settled()
            frame = lab.frame()
            assert len(frame) == height
            assert max(map(len, frame)) <= width
            frame_golden(f"graph-{name}-{width}x{height}", lab.text)
            if "--ascii" in start:
                wide = {one for one in lab.text if unicodedata.east_asian_width(one) in "AWF"}
                assert not wide


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=["80x24", "120x40"])
def test_a_picture_of_the_lockstep_view(
    snap_compare: Any, tmp_path: Path, size: tuple[int, int]
) -> None:
    app = make_app("--screen graph --program dynamic_block --step 3", tmp_path)

    async def ready(pilot: Any) -> None:
        for _ in range(1000):
            if all(worker.is_finished for worker in app.workers):
                break
            await pilot.pause(0.005)
        await pilot.pause()
        await pilot.pause()

    assert snap_compare(app, terminal_size=size, run_before=ready)


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


async def test_another_program_from_the_list(open_app: Any) -> None:
    async with open_app("--screen graph", (80, 24)) as lab:
        screen = await graph_of(lab)
        await lab.press("f", *"tree", "enter")
        await drawn(lab)
        assert screen.now.asked.options.program == "tree"
        assert "combine" in lab.text
        await lab.press("f")
        assert lab.app.screen.query_one(OptionList).option_count == 16
        await lab.press("escape", "u")
        await drawn(lab)
        assert screen.now.asked.options.program == "affine"
        assert "--program" not in lab.app.line


async def test_a_file_that_is_not_there_is_said_and_the_last_result_stays(open_app: Any) -> None:
    async with open_app("--screen graph", (120, 40)) as lab:
        screen = await graph_of(lab)
        await lab.press("f", *"no.py", "enter")
        await drawn(lab)
        assert "there is no program no.py" in lab.text
        assert line(screen, "status") == "that does not run; below is what ran last"
        assert screen.now.views.run.asked.options.program == "affine"
        await lab.press("u")
        await drawn(lab)
        assert screen.now.problem is None


async def test_inputs_are_typed_in_one_line(open_app: Any) -> None:
    async with open_app("--screen graph", (80, 24)) as lab:
        screen = await graph_of(lab)
        await lab.press("i")
        assert lab.app.screen.query_one(Input).value == "a=2.0; b=3.0; c=4.0"
        await type_line(lab, "a=2; b=oops")
        assert "oops is not a value" in line(screen, "status")
        assert screen.typing
        await type_line(lab, "a=7; c=[1,2]")
        assert not screen.typing
        assert "a=7.0; b=3.0; c=[1.0, 2.0]" in lab.text
        await lab.press("end")
        assert "returns [10.0, 20.0]" in lab.text


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (60, 20)])
@pytest.mark.parametrize("keys", ["escape", "enter"])
async def test_a_question_before_a_call_may_be_left_and_the_call_is_shown(
    open_app: Any, size: tuple[int, int], keys: str
) -> None:
    async with open_app("--screen graph --program dynamic_block", size) as lab:
        screen = await graph_of(lab)
        await lab.press("n", "enter")
        await drawn(lab)
        assert screen.asking_what is not None
        await lab.press(keys)
        await drawn(lab)
        assert screen.now.cursor == screen.now.views.starts[1]
        assert screen.tally == {"exact": 0, "close": 0, "off": 0}
        await lab.press("left")
        assert "n: next call" not in line(screen, "status")


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


async def test_keys_that_can_do_nothing_say_so(open_app: Any) -> None:
    async with open_app("--screen graph", (80, 24)) as lab:
        screen = await graph_of(lab)
        await lab.press("o")
        assert line(screen, "status") == "all three modes are in view"
        await lab.press("d", "down", "down", "r")
        assert line(screen, "status") == "nothing repeats here, so nothing is folded"
        assert screen.now.row == 2


async def test_the_next_call_is_predicted_then_seen(open_app: Any) -> None:
    async with open_app("--screen graph --program dynamic_block", (80, 24)) as lab:
        screen = await graph_of(lab)
        await lab.press("n")
        await type_line(lab, "x=[1,2,3]")
        assert screen.asking_what.card == "graph-recompile"
        assert "does capture compile again" in lab.text
        await type_line(lab, "perhaps")
        assert screen.typing
        await type_line(lab, "y")
        assert "exact: it is yes" in line(screen, "status")
        assert "call 2 of 2" in lab.text
        await lab.press("right", "right")
        assert "x: shape[0] == 2, was 3" in " ".join(lab.text.split()) or screen.now.cursor
        boxes = json.loads(lab.app.paths.state.with_name("quiz.json").read_text())
        assert boxes["cards"]["graph-recompile"]["box"] == 2
        await lab.press("N")
        await drawn(lab)
        assert len(screen.now.views.calls) == 1
        await lab.press("N")
        assert "there is only one call" in line(screen, "status")


async def test_predict_a_value_covers_what_comes(open_app: Any) -> None:
    async with open_app("--screen graph", (80, 24)) as lab:
        screen = await graph_of(lab)
        assert "s=5.0" in lab.text
        await lab.press("p")
        assert "s=5.0" not in lab.text
        await type_line(lab, "6")
        assert "off: it is 5.0" in line(screen, "status")
        assert screen.now.cursor == 1
        await lab.press("p", "escape")
        assert screen.asking_what is None
        await lab.press("p")
        await type_line(lab, "")
        assert "it is 20.0" in line(screen, "status")
        await lab.press("end", "p")
        assert "nothing to predict" in line(screen, "status")


async def test_the_editor_has_its_own_keys_and_runs_on_escape(open_app: Any) -> None:
    async with open_app("--screen graph", (80, 24)) as lab:
        screen = await graph_of(lab)
        await lab.press("e")
        await drawn(lab)
        editor = screen.query_one(Editor)
        assert editor.has_focus
        await lab.press(*"q1?", "tab", "b")
        assert "q1?" in editor.text
        assert lab.app.screen is screen
        await lab.press("ctrl+z")
        editor.text = "def f(x=3):\n    y = x + 4\n    return y\n"
        await lab.press("escape")
        await drawn(lab)
        assert not screen.editing
        assert "(edited)" in lab.text
        await lab.press("end")
        assert "returns 7.0" in lab.text
        await lab.press("u")
        await drawn(lab)
        assert "(edited)" not in lab.text


async def test_a_refusal_of_the_text_stands_at_its_line(open_app: Any) -> None:
    async with open_app("--screen graph", (80, 24)) as lab:
        screen = await graph_of(lab)
        await lab.press("e")
        await drawn(lab)
        screen.query_one(Editor).text = "def f(x=3):\n    import os\n    return x\n"
        await lab.press("escape")
        await drawn(lab)
        assert screen.now.problem.place.line == 2
        rows = lab.frame()
        at = next(number for number, row in enumerate(rows) if "import os" in row)
        assert "✗" in rows[at + 1]
        assert "Instead:" in " ".join(rows[at + 1 : at + 3])
        assert screen.now.views.run.asked.text is None
        await lab.press("right")
        assert screen.now.problem is not None


async def test_the_program_is_saved_and_then_part_of_the_line(
    open_app: Any, tmp_path: Path
) -> None:
    async with open_app("--screen graph", (120, 40)) as lab:
        screen = await graph_of(lab)
        await lab.press("e")
        await drawn(lab)
        screen.query_one(Editor).text = "def f(x=3):\n    return x * 2\n"
        await lab.press("escape", "s")
        path = tmp_path / "mine.py"
        await type_line(lab, str(path))
        assert path.read_text() == "def f(x=3):\n    return x * 2\n"
        assert str(path) in lab.app.line
        await lab.press("end")
        assert "returns 6.0" in lab.text
        await lab.press("s")
        await type_line(lab, str(path))
        assert "Enter again replaces it" in line(screen, "status")
        await lab.press("escape")


async def test_the_line_of_an_edited_program_is_copied_with_the_file_it_is_saved_to(
    open_app: Any, tmp_path: Path
) -> None:
    async with open_app("--screen graph", (120, 40)) as lab:
        screen = await graph_of(lab)
        await lab.press("e")
        await drawn(lab)
        screen.query_one(Editor).text = "def f(x=3):\n    return x * 2\n"
        await lab.press("escape")
        await drawn(lab)
        assert "edited, in no file" in line(screen, "status")
        await lab.press("Y")
        assert "its line needs one" in line(screen, "status")
        assert not lab.app.paths.copied.exists()
        path = tmp_path / "mine.py"
        path.write_text("other = 1\n")
        await type_line(lab, str(path))
        assert "Enter again replaces it" in line(screen, "status")
        assert path.read_text() == "other = 1\n"
        await lab.press("enter")
        await drawn(lab)
        assert path.read_text() == "def f(x=3):\n    return x * 2\n"
        assert f"--program {path}" in lab.app.paths.copied.read_text()
        assert "(edited)" not in lab.text


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


async def test_guards_dynamic_limit_and_gradients(open_app: Any) -> None:
    async with open_app("--screen graph --program rnn_loop", (120, 40)) as lab:
        screen = await graph_of(lab)
        await lab.press("v", "D")
        await drawn(lab)
        assert "guards OFF  dynamic off" in line(screen, "status")
        await lab.press("L")
        await type_line(lab, "1")
        assert screen.now.asked.options.recompile_limit == 1
        await lab.press("G")
        await type_line(lab, "none")
        await lab.press("g")
        assert "no gradient is wanted" in line(screen, "status")
        await lab.press("S")
        await type_line(lab, "7")
        assert screen.now.asked.seed == 7
        assert "--no-guards" in lab.app.line
        assert "--grad none" in lab.app.line


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


async def test_an_endless_program_is_stopped_by_its_budget(open_app: Any) -> None:
    async with open_app("--screen graph", (80, 24)) as lab:
        screen = await graph_of(lab)
        screen.budget = Budget(steps=20_000)
        await lab.press("e")
        await drawn(lab)
        screen.query_one(Editor).text = "def f(x=3):\n    while True:\n        x = x + 0\n"
        await lab.press("escape")
        await drawn(lab)
        await lab.press("end")
        assert "REFUSED" in lab.text
        assert "budget" in lab.text
        await lab.press("u")
        await drawn(lab)
        assert "budget" not in lab.text


async def test_escape_stops_a_run_and_the_last_result_stays(open_app: Any) -> None:
    async with open_app("--screen graph", (80, 24)) as lab:
        screen = await graph_of(lab)
        screen.budget = Budget(steps=10**9, ops=10**9, seconds=60, bytes=10**12)
        await lab.press("right", "right", "e")
        await drawn_quickly(lab)
        screen.query_one(Editor).text = "def f(x=3):\n    while True:\n        x = x + 0\n"
        await lab.press("escape")
        assert screen.running is not None
        assert "running ... Esc stops" in line(screen, "status")
        await lab.press("left")  # the screen goes on answering
        assert screen.now.cursor == 1
        await lab.press("escape")
        await drawn(lab)
        assert "stopped" in line(screen, "status")
        assert "s = add a b" in lab.text
        assert screen.running is None


async def drawn_quickly(lab: Any) -> None:
    for _ in range(3):
        await lab.pilot.pause()


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


async def test_a_program_that_is_not_there_names_what_to_give_first(open_app: Any) -> None:
    async with open_app("--screen graph --program nosuch.py", (80, 24)) as lab:
        await graph_of(lab)
        told = " ".join(" ".join(row.strip() for row in lab.frame()[2:7]).split())
        assert "Instead: give a bundled name or a file. Why: bundled are affine" in told


async def test_inputs_that_cannot_be_read_are_explained_in_one_line(open_app: Any) -> None:
    async with open_app("--screen graph --program affine", (80, 24)) as lab:
        screen = await graph_of(lab)
        await lab.press("i", "ctrl+u", *"a=[1", "enter")
        said = "Python cannot read this: '[' was never closed. Try: mend the line"
        assert line(screen, "status") == f"! column 3: {said}"


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
