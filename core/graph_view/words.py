"""Owns how the screen writes values, names and ops: short, the same in every view."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..graph.avals import Aval
from ..graph.events import (
    CompileStart,
    Event,
    Fallback,
    Named,
    NodeCreated,
    ValueSummary,
    summarize,
)
from ..graph.ir import Graph, Node
from ..graph.ops import OPS
from ..graph.option_text import option_text

#: Values longer than this are told by their shape.
LONGEST_VALUE = 40

#: Of those, so many entries are shown.
SHOWN_ENTRIES = 3


def value_text(value: ValueSummary) -> str:
    """Return a value as columns show it: itself where it is short, else what it is of.

    A longer one is told by its type and first entries, ``f64[40] [0.5, 0.25, 0.125 …]``: never by
    a bare number, which would read as one of its entries. Numbers have six digits at most;
    whether modes agree is compared in all of theirs.
    """
    if value.shape == ():
        return number_text(value.first[0])
    shown = ", ".join(number_text(item) for item in value.first)
    total = 1
    for size in value.shape:
        total *= size
    if len(value.shape) == 1 and total <= len(value.first) and len(shown) <= LONGEST_VALUE:
        return f"[{shown}]"
    more = " …" if total > SHOWN_ENTRIES else ""
    entries = ", ".join(map(number_text, value.first[:SHOWN_ENTRIES]))
    return f"{Aval(value.shape, np.dtype(value.dtype))} [{entries}{more}]"


def number_text(value: float | int | bool) -> str:
    """Return a number in at most six digits; a whole float keeps its point."""
    text = str(value)
    if not isinstance(value, float) or len(text) <= 8:
        return text
    return f"{value:.6g}"


def array_text(value: np.ndarray[Any, np.dtype[Any]]) -> str:
    """Return an array as columns show it."""
    return value_text(summarize(value))


def result_text(value: object) -> str:
    """Return a result as columns show it; what is no array as Python writes it."""
    return array_text(value) if isinstance(value, np.ndarray) else str(value)


def collect_names(events: Sequence[Event]) -> dict[tuple[int, str, int], str]:
    """Return the name, or the constant, behind every value, by drawing, scope and id."""
    names: dict[tuple[int, str, int], str] = {}
    drawing = 0
    for event in events:
        match event:
            case CompileStart() | Fallback():
                drawing += 1
            case NodeCreated():
                if event.name or event.text:
                    names[drawing, event.scope, event.node] = event.name or event.text
            case Named():
                names[drawing, event.scope, event.node] = event.name
            case _:
                pass
    return names


def operand_text(graph: Graph, node: int) -> str:
    """Return how an operand is written: a small constant itself, else its name."""
    record = graph.nodes[node]
    if record.op.name == "const":
        array = record.option("value").array
        named = graph.name_of(node)
        return named if not named.startswith("%") else (
            str(array.tolist()) if array.size <= 4 else named
        )  # fmt: skip
    return graph.name_of(node)


def node_options(node: Node) -> str:
    """Return the options of a node of a graph in words."""
    scalar = isinstance(node.aval, Aval) and not node.aval.shape
    return option_text(node.op, node.kwargs, scalar=scalar)


def structural(op: str) -> bool:
    """Return whether an op computes nothing; a call of a captured helper has an op of its own."""
    record = OPS.get(op)
    return record is not None and record.structural


def fused_text(body: Graph) -> str:
    """Return the ops of a fused group: ``add·mul``."""
    return "·".join(node.op.name for node in body.nodes if node.op.name != "placeholder")
