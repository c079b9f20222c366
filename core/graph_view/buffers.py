"""Owns the memory view: who occupies which bytes from which step to which, and the peaks."""

from __future__ import annotations

from dataclasses import dataclass

from ..graph.ir import Graph, symbols
from ..graph.memory import Peaks, liveness, peaks, plan, prove, why_not_reused
from .nodes import called
from .pictures import Picture


@dataclass(frozen=True, slots=True)
class BufferRow:
    """One value: its bytes, the steps it lives, where the plan puts it (-1: outside)."""

    node: int
    name: str
    op: str
    nbytes: int
    start: int
    end: int
    offset: int
    takes: str  #: whose bytes it takes over: in place, or after they were let go ("" for none)
    inplace: bool


@dataclass(frozen=True, eq=False)
class BufferTable:
    """The buffers of a graph, the peak of every policy, and how often the plan was checked."""

    rows: tuple[BufferRow, ...]
    steps: int
    peaks: Peaks
    arena: int
    checks: int


def buffer_table(picture: Picture) -> BufferTable | None:
    """Return the buffers of a picture; None for the tape, and where sizes are symbolic."""
    graph, raw = picture.graph, picture.raw
    if graph is None or raw is None or symbols(graph) or symbols(raw):
        return None
    made = plan(graph)
    checks = prove(made)
    slots = {slot.node: slot for slot in made.slots}
    rows = []
    owner: dict[int, int] = {}
    for item in liveness(graph):
        slot = slots.get(item.node)
        node = picture.nodes[item.node]
        takes, inplace = "", False
        if slot is not None:
            inplace = slot.inplace_of >= 0
            before = slot.inplace_of if inplace else owner.get(slot.offset, -1)
            takes = called(picture.nodes[before]) if before >= 0 else ""
            owner[slot.offset] = item.node
        rows.append(
            BufferRow(
                item.node, called(node), node.op, item.nbytes, item.start,
                min(item.end, len(graph) - 1), slot.offset if slot is not None else -1, takes,
                inplace,
            )
        )  # fmt: skip
    return BufferTable(tuple(rows), len(graph), peaks(raw, graph), made.arena, checks)


def why(graph: Graph, node: int) -> str:
    """Return in a sentence why a buffer is not used again, or when it is free."""
    return why_not_reused(graph, node)


def spans(row: BufferRow, steps: int, width: int) -> tuple[int, int]:
    """Return the first and last cell of a buffer's bar in a drawing ``width`` cells wide."""
    if steps <= width:
        return row.start, row.end
    first = row.start * width // steps
    return first, max(first, row.end * width // steps)
