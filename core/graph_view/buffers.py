"""Owns the memory view: who occupies which bytes from which step to which, and the peaks."""

from __future__ import annotations

from dataclasses import dataclass

from ..graph.ir import Graph, bind, symbols
from ..graph.memory import Peaks, liveness, peaks, plan, prove, why_more, why_not_reused
from .nodes import called
from .pictures import Picture


@dataclass(frozen=True, slots=True)
class BufferRow:
    """One value: its bytes, the steps it lives, where the plan puts it (-1: outside).

    Of the eager tape ``used`` is the last step that computes with it on the way forward,
    ``saved`` names the values whose backward it is kept for, ``taped`` says that the way back
    goes through it.
    """

    node: int
    name: str
    op: str
    nbytes: int
    start: int
    end: int
    offset: int
    takes: str  #: whose bytes it takes over: in place, or after they were let go ("" for none)
    inplace: bool
    used: int | None = None
    saved: tuple[str, ...] = ()
    taped: bool = False


@dataclass(frozen=True, eq=False)
class BufferTable:
    """The buffers of a graph, the peak of every policy, and how often the plan was checked.

    Of the eager tape there is no plan: ``peak`` is what was alive at most in bytes, ``kept``
    what was when the backward began, at step ``backward``; ``peaks`` are those of the graph
    that static drew, None where it drew none.
    """

    rows: tuple[BufferRow, ...]
    steps: int
    peaks: Peaks | None
    arena: int
    checks: int
    peak: int | None = None
    kept: int = 0
    backward: int | None = None
    graph: Graph | None = None  #: with known sizes; None for the tape

    @property
    def more(self) -> str:
        """Why the passes may cost memory, blank where they do not."""
        return "" if self.peaks is None else why_more(self.peaks)


def buffer_table(picture: Picture) -> BufferTable | None:
    """Return the buffers of a picture; None for the tape, and where a size is not known.

    Symbolic sizes are those of the call.
    """
    graph, raw = picture.graph, picture.raw
    if graph is None or raw is None:
        return None
    if {*symbols(graph), *symbols(raw)} - set(picture.sizes):
        return None
    graph, raw = bind(graph, picture.sizes), bind(raw, picture.sizes)
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
    return BufferTable(tuple(rows), len(graph), peaks(raw, graph), made.arena, checks, graph=graph)


def why(graph: Graph, node: int) -> str:
    """Return in a sentence why a buffer is not used again, or when it is free."""
    return why_not_reused(graph, node)


def spans(row: BufferRow, steps: int, width: int) -> tuple[int, int, int]:
    """Return the first cell of a buffer's bar, the last in use, and the last it is kept in.

    The drawing is ``width`` cells wide.
    """
    used = row.end if row.used is None else min(row.used, row.end)
    if steps <= width:
        return row.start, used, row.end
    first = row.start * width // steps
    return first, max(first, used * width // steps), max(first, row.end * width // steps)
