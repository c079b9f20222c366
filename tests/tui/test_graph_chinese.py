"""The Graph screen in Chinese: whatever goes wrong there, no English sentence is left."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from graph_driver import drawn, graph_of, type_line
from rich.cells import cell_len

from dgplay.core.graph.bundled import NAMES, source
from dgplay.core.graph.lang_budget import Budget
from dgplay.core.graph.ops import OPS
from dgplay.tui.screens.graph import GraphScreen

#: A program (bundled or a text), the rest of the line, and the keys after which it is looked at.
SITUATIONS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "a Python if": ("dynamic_block", "--call x=[1,2] --call x=[1,2,3]", ("b", "b", "b", "end")),
    "breaks and guards": ("dynamic_block", "--call x=[1,2] --call x=[1,2,3]", ("end", "c")),
    "recompiles": (
        "rnn_loop", "--call seq=[1,2] --call seq=[1,2,3] --call seq=[1,2,3,4]", ("end", "c"),
    ),
    "the limit": (
        "rnn_loop", "--call seq=[1,2] --call seq=[1,2,3] --recompile-limit 1", ("end", "a", "c"),
    ),
    "a stale graph": (
        "dynamic_block", "--call x=[1,2] --call x=[1,2,3] --no-guards", ("end", "a", "c"),
    ),
    "passes": ("x2_plus_xy", "--passes all", ("x",)),
    "rewrites": (
        "def f(x=[1, 2], y=[3, 4]):\n    a = x * y\n    b = x * y\n    c = exp(x)\n"
        "    z = cond(True, lambda: a, lambda: b)\n    return z + b * (2.0 + 3) + x * 0.0\n",
        "--passes all", ("x",),
    ),
    "memory": ("linear_bn_relu", "", ("end", "m")),
    "the tape": ("clip_at_zero", "", ("w", "g", "right", "right", "end", "F")),
    "NaN": ("def f(x=[1, -1]):\n    y = log(x)\n    return y * 2.0\n", "", ("end", "w", "d")),
    "nodes": ("rnn_loop", "", ("end", "d")),
    "a syntax error": ("def f(x=1):\n    y = (x +\n    return y\n", "", ()),
    "a statement": ("def f(x=1):\n    import os\n    return x\n", "", ()),
    "shapes": ("def f(x=[1, 2], y=[1, 2, 3]):\n    z = x + y\n    return z\n", "", ("end", "b")),
    "a budget": ("def f(x=1):\n    while True:\n        x = x + 1\n", "", ("end",)),
    "no such program": ("nosuch", "", ()),
    "an unknown input": ("affine", "--call q=1", ()),
}  # fmt: skip

#: Words that stay: names of the language, of modes, of ops' options, of Python and its words.
KEPT = frozenset(
    re.findall(
        r"\w+",
        "dgplay eager static capture tape python def if else for while return import lambda cond "
        "while_loop axis shape print segment ulps nan inf true false body test save f64 f32 i64 "
        "bool seq float int zeros fold deadbranch cse dce fuse fast math where const placeholder "
        "pick launch",
    )
)


def sentences(text: str, program: str) -> list[str]:
    """Runs of three Latin words that are not of the program or kept."""
    names = re.findall(r"[A-Za-z_]\w*", program)
    known = {*OPS, *KEPT, *names, *(f"d{name}" for name in names)}
    shown = re.sub(r"[A-Za-z_]\w*", lambda found: "#" if found[0] in known else found[0], text)
    return re.findall(r"[A-Za-z]{2,} [a-z]{2,} [a-z]{2,}", shown)


async def shown(lab: Any, keys: tuple[str, ...], down: int) -> list[str]:
    """Everything that is to be seen after each key, and after each row of the last view."""
    texts = [lab.text]
    for key in (*keys, *("down",) * down):
        await lab.press(key)
        await drawn(lab)
        texts.append(lab.text)
    return texts


@pytest.mark.parametrize("size", [(120, 40), (80, 24)], ids=["wide", "narrow"])
@pytest.mark.parametrize("name", SITUATIONS)
async def test_no_english_sentence_is_left(
    open_app: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, size: tuple[int, int]
) -> None:
    monkeypatch.setattr(GraphScreen, "budget", Budget(steps=5_000, ops=500))
    program, more, keys = SITUATIONS[name]
    text = source(program) if program in NAMES else program
    if "\n" in program:
        path = tmp_path / "p.py"
        path.write_text(program)
        program = str(path)
    line = f"--screen graph --program {program} {more} --lang zh"
    async with open_app(line, size) as lab:
        await graph_of(lab)
        down = 12 if keys and keys[-1] in "cxmd" else 0
        for frame in await shown(lab, keys, down):
            frame = frame.replace(str(tmp_path), "")
            assert sentences(frame, text) == [], frame
            assert all(cell_len(row) <= size[0] for row in frame.splitlines())


@pytest.mark.parametrize(
    ("typed", "said"),
    [("x=", "语法错误"), ("x=foo", "foo 不是值"), ("x=[[1],[2,3]]", "列表各行长短不一"),
     ("x=1; x=2", "x 给了两次"), ("x=int(1.5)", "int(1.5) 不是整数")],
)  # fmt: skip
async def test_inputs_are_refused_in_chinese(open_app: Any, typed: str, said: str) -> None:
    async with open_app("--screen graph --program affine --lang zh", (120, 40)) as lab:
        await graph_of(lab)
        await lab.press("i")
        await type_line(lab, typed)
        assert said in lab.text
        assert sentences(lab.text, source("affine")) == []
