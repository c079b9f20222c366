"""The Graph screen with a program that is refused as a whole: its text, the refusal at its line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from graph_driver import drawn, graph_of, line, type_line

from dgplay.core.graph.lang_budget import Budget
from dgplay.core.graph_view.session import Ask
from dgplay.tui.widgets.editor import Editor

REFUSED = "def f(x=2):\n    y = x +\n    return y\n"


def refused_file(folder: Path, text: str = REFUSED) -> Path:
    """Write a program that Python cannot read; the mistake is in line 2."""
    path = folder / "bad.py"
    path.write_text(text)
    return path


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_a_file_that_is_refused_is_shown_with_the_refusal_at_its_line(
    open_app: Any, tmp_path: Path, size: tuple[int, int]
) -> None:
    async with open_app(f"--screen graph --program {refused_file(tmp_path)}", size) as lab:
        screen = await graph_of(lab)
        assert screen.now.problem.place.line == 2
        rows = lab.frame()
        at = next(number for number, row in enumerate(rows) if row.startswith(">   2     y = x +"))
        assert rows[at - 1].startswith("    1 def f(x=2):")
        end = next(number for number, row in enumerate(rows) if row.startswith("    3     return"))
        told = " ".join(row.strip() for row in rows[at + 1 : end])
        assert told.startswith("✗ Python cannot read this: invalid syntax")
        assert "the program must be valid Python" in told
        assert "Instead: mend the line" in told
        assert line(screen, "status") == "that does not run; e edits the program, f opens another"


async def test_a_refusal_far_down_is_in_sight_while_the_program_has_the_focus(
    open_app: Any, tmp_path: Path
) -> None:
    lines = ["def f(x=2):", *(f"    x = x + {number}" for number in range(40)), "    return x.a"]
    path = refused_file(tmp_path, "\n".join(lines))
    async with open_app(f"--screen graph --program {path}", (80, 24)) as lab:
        screen = await graph_of(lab)
        screen.go_to("g-program")
        await drawn(lab)
        assert screen.showing == "g-program"
        assert any(row.startswith(">  42     return x.a") for row in lab.frame())
        assert any(row.strip().startswith("✗ x.a is not in the language") for row in lab.frame())


async def test_a_refused_file_replaces_the_text_of_the_program_before(
    open_app: Any, tmp_path: Path
) -> None:
    async with open_app("--screen graph", (80, 24)) as lab:
        screen = await graph_of(lab)
        good = screen.now.text
        screen.ask_for(replace(screen.now.asked.options, program=str(refused_file(tmp_path))))
        await drawn(lab)
        assert screen.now.text == REFUSED
        assert screen.now.views.run.text == good
        assert "s = a + b" not in lab.text
        assert line(screen, "status") == "that does not run; below is what ran last"


async def test_a_refused_file_is_mended_in_the_editor(open_app: Any, tmp_path: Path) -> None:
    async with open_app(f"--screen graph --program {refused_file(tmp_path)}", (80, 24)) as lab:
        screen = await graph_of(lab)
        await lab.press("e")
        await drawn(lab)
        editor = screen.query_one(Editor)
        assert editor.text == REFUSED
        assert editor.cursor_location[0] == 1
        await lab.press("end", "space", "1", "escape")
        await drawn(lab)
        assert screen.now.problem is None
        assert screen.now.text == "def f(x=2):\n    y = x + 1\n    return y\n"


async def test_esc_from_a_run_goes_back_to_the_refusal_that_was_there(
    open_app: Any, tmp_path: Path
) -> None:
    async with open_app("--screen graph", (80, 24)) as lab:
        screen = await graph_of(lab)
        screen.ask_for(replace(screen.now.asked.options, program=str(refused_file(tmp_path))))
        await drawn(lab)
        screen.budget = Budget(steps=10**9, ops=10**9, seconds=60, bytes=10**12)
        screen.do(Ask(screen.now.asked.options, "def f(x=3):\n    while True:\n        x = 1\n"))
        assert screen.running is not None
        await lab.press("escape")
        await drawn(lab)
        assert screen.now.problem.place.line == 2
        assert screen.now.text == REFUSED


async def test_a_refused_file_is_saved_as_it_is(open_app: Any, tmp_path: Path) -> None:
    async with open_app("--screen graph", (80, 24)) as lab:
        screen = await graph_of(lab)
        screen.ask_for(replace(screen.now.asked.options, program=str(refused_file(tmp_path))))
        await drawn(lab)
        await lab.press("s")
        await type_line(lab, str(tmp_path / "copy.py"))
        assert (tmp_path / "copy.py").read_text() == REFUSED


async def test_where_the_program_is_not_shown_the_status_line_says_the_refusal(
    open_app: Any, tmp_path: Path
) -> None:
    async with open_app(f"--screen graph --program {refused_file(tmp_path)}", (40, 12)) as lab:
        screen = await graph_of(lab)
        assert line(screen, "status").startswith("line 2, column 12: Python cannot read")
