"""Owns the bundled programs: text files of the language, in ``programs/``, by name.

They are data: read, checked and interpreted like any program, never imported.
"""

from __future__ import annotations

import ast
import difflib
from importlib import resources
from pathlib import Path

from ..wording import say
from .lang import load
from .lang_budget import DEFAULT_BUDGET, Budget
from .lang_code import Program
from .lang_refusal import Place, Refusal

#: The bundled programs in the order in which they teach.
NAMES: tuple[str, ...] = (
    "affine", "square_sum", "x2_plus_xy", "dynamic_block", "static_block", "fold",
    "linear_bn_relu", "linear_ln_dropout", "rnn_loop", "rnn_masked", "rnn_while", "every_other",
    "tree", "clip_at_zero", "relu_half", "deep_chain",
)  # fmt: skip


def source(name: str) -> str:
    """Return the text of a bundled program; :class:`Refusal` lists the names there are."""
    if name not in NAMES:
        close = difflib.get_close_matches(name, NAMES, n=1)
        hint = (
            say("did you mean {name}?", name=close[0])
            if close
            else say("give a bundled name or a file")
        )
        raise Refusal(
            Place(),
            say("there is no program {name}", name=name),
            say("bundled are {known}", known=", ".join(NAMES)),
            hint,
        )
    folder = resources.files(__package__) / "programs"
    return (folder / f"{name}.py").read_text(encoding="utf-8")


def summary(name: str) -> str:
    """Return the first line of a bundled program: what it shows."""
    return (ast.get_docstring(ast.parse(source(name))) or "").splitlines()[0]


def bundled(name: str, seed: int = 0, budget: Budget = DEFAULT_BUDGET) -> Program:
    """Load a bundled program."""
    return load(source(name), name, seed, budget)


def from_path(path: Path, seed: int = 0, budget: Budget = DEFAULT_BUDGET) -> Program:
    """Load a program from a file; :class:`Refusal` for what is too large or not text."""
    size = path.stat().st_size
    if size > budget.source_bytes:
        raise Refusal(
            Place(),
            say("{path} has {size:,} bytes", path=path, size=size),
            say("the budget is {source_bytes:,}", source_bytes=budget.source_bytes),
            say("split it, or keep data out of it"),
        )
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise Refusal(
            Place(),
            say("{path} is not UTF-8 text", path=path),
            say("a program is text"),
            say("save it as UTF-8"),
        ) from None
    return load(text, path.name, seed, budget)


def find(name: str, seed: int = 0, budget: Budget = DEFAULT_BUDGET) -> Program:
    """Load a file, or else the bundled program of that name."""
    path = Path(name)
    if path.is_file():
        return from_path(path, seed, budget)
    return bundled(name, seed, budget)
