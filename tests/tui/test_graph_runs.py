"""Programs, inputs, calls and the editor of the Graph screen; a run that fails leaves the last."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from graph_driver import drawn, drawn_quickly, graph_of, line, type_line
from textual.widgets import Input, OptionList

from dgplay.core.graph.lang_budget import Budget
from dgplay.tui.widgets.editor import Editor


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
