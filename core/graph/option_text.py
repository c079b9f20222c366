"""Owns how the options of an op are written for people: ``x[2]``, ``sum x axis=0``.

Options that are as usual, and those that hold a graph or an array, are left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .ir import Constant, Graph
from .ops import Op

#: Options that other words of a node say already.
_TOLD = ("aval", "carries", "gives", "name", "parts", "save", "takes", "value")

#: Options that are told even where they are as usual.
_ALWAYS = ("axis", "rate", "seed")

#: Ops that are written as an index behind their operand.
INDEXING = ("getitem", "pick")


def option_text(op: Op, options: Mapping[str, Any], *, scalar: bool = False) -> str:
    """Return the options of a node in words, blank where there is nothing to say.

    ``options`` are canonical, as :func:`~.ops.infer` gives them. ``scalar``: the result has no
    axis, so that a reduction went over all of them and need not say which.
    """
    words: list[str] = []
    for name, value in options.items():
        if name == "index":
            words.insert(0, index_text(value))
        elif _worth_telling(op, name, value) and not (name == "axis" and scalar):
            words.append(name if value is True else f"{name}={_value(value)}")
    return " ".join(words)


def _worth_telling(op: Op, name: str, value: Any) -> bool:
    if name in _TOLD and op.name != "fill":
        return False
    if isinstance(value, (Graph, Constant)) or value is None or value is False or value == ():
        return False
    return name in _ALWAYS or value != op.options.get(name)


def expression(op: str, operands: Sequence[str], options: str = "") -> str:
    """Return ``sum x axis=0``, or ``x[2]`` for an op that is written as an index."""
    if op in INDEXING and operands and options:
        return f"{operands[0]}{options}"
    return " ".join(filter(None, (op, *operands, options)))


def index_text(index: Any) -> str:
    """Return a canonical index, or a position, as Python writes it: ``[:, 1:3]``."""
    if not isinstance(index, tuple):
        return f"[{index}]"
    entries = list(index)
    while len(entries) > 1 and entries[-1] == ("slice", None, None, None):
        entries.pop()
    return f"[{', '.join(map(_entry, entries))}]"


def _entry(entry: tuple[Any, ...]) -> str:
    if entry[0] == "int":
        return str(entry[1])
    if entry[0] == "new":
        return "None"
    start, stop, step = ("" if bound is None else str(bound) for bound in entry[1:])
    return f"{start}:{stop}" + (f":{step}" if step else "")


def _value(value: Any) -> str:
    """Return an option's value: shapes and permutations as ``2,3``."""
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
