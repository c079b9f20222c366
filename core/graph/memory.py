"""Owns memory planning: how long values live, where they are put, and the proof that it fits.

Only what the engine makes for itself is planned. What the caller holds is never reused: feeds,
constants, outputs, and the results of control flow keep buffers of their own. A plan is a list
of slots in one arena; :func:`prove` replays it and fails if two live slots overlap.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from types import MappingProxyType

from ..wording import say
from .avals import Aval
from .errors import PlanError
from .ir import Graph, Node
from .tiles import compile_group

#: Slots begin at multiples of this, a cache line, so that kernels see aligned arrays.
ALIGNMENT = 64

_NO_PAIRS: Mapping[int, int] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Interval:
    """A value lives from the step that makes it to the last step that reads it."""

    node: int
    start: int
    end: int
    nbytes: int
    planned: bool  #: whether the engine may place it


@dataclass(frozen=True, slots=True)
class Slot:
    """Where a value is put; ``inplace_of`` is the operand that it overwrites, else -1."""

    node: int
    offset: int
    nbytes: int
    start: int
    end: int
    inplace_of: int = -1


@dataclass(frozen=True)
class Plan:
    """Slots in order of their start, the size of the arena, and the bytes outside it.

    ``held`` is what the caller or the graph holds, ``scratch`` what the largest group or
    subgraph needs for itself while it runs.
    """

    slots: tuple[Slot, ...]
    arena: int
    held: int
    scratch: int = 0

    @property
    def peak(self) -> int:
        """Bytes of a run: the arena and what is outside it."""
        return self.arena + self.held + self.scratch


@dataclass(frozen=True, slots=True)
class Peaks:
    """Largest number of bytes alive at once under each policy, feeds and constants included.

    ``keep_all`` frees nothing; ``eager`` frees as the tape of the eager mode does;
    ``liveness`` frees after the last use; ``inplace`` also overwrites an operand that dies;
    ``fused`` is ``inplace`` after the default passes. It may also be more, and then a run
    really holds more (:func:`why_more`).
    """

    keep_all: int
    eager: int
    liveness: int
    inplace: int
    fused: int


def why_more(found: Peaks) -> str:
    """Return in a sentence why a run after the passes holds more; blank where it does not."""
    if found.fused <= found.inplace:
        return ""
    return say(
        "more after passes: a group holds its operands until it runs, and what is computed once "
        "for several uses lives until the last"
    )


def liveness(graph: Graph) -> tuple[Interval, ...]:
    """Return the interval of every value in node order; sizes must be known."""
    end = list(range(len(graph.nodes)))
    for number, node in enumerate(graph.nodes):
        for arg in node.args:
            end[arg] = number
    last = len(graph.nodes)
    kept = set(graph.outputs)
    intervals = []
    for number, node in enumerate(graph.nodes):
        held = node.op.structural or number in kept
        start = 0 if node.op.name in ("placeholder", "const") else number
        until = last if (held and node.op.name != "pick") or number in kept else end[number]
        planned = not held and node.op.control is None and isinstance(node.aval, Aval)
        intervals.append(Interval(number, start, until, node.aval.nbytes, planned))
    return tuple(intervals)


def inplace_pairs(graph: Graph, intervals: Sequence[Interval]) -> dict[int, int]:
    """Return for each node the operand that it may overwrite.

    The node is elementwise, the operand has the same aval, dies here, is placed by the plan,
    and occurs once among the operands.
    """
    pairs: dict[int, int] = {}
    for number, node in enumerate(graph.nodes):
        if not node.op.elementwise or not intervals[number].planned:
            continue
        found = []
        for arg in node.args:
            mine = intervals[arg]
            same = graph.nodes[arg].aval == node.aval
            if mine.planned and mine.end == number and same and node.args.count(arg) == 1:
                found.append(arg)
        if found:
            pairs[number] = min(found, key=lambda arg: _group_scratch(node, arg))
    return pairs


def _group_scratch(node: Node, overwritten: int = -1) -> int:
    """Return the bytes that a group needs for itself if its result overwrites an operand."""
    if node.op.name != "fused":
        return 0
    over = node.args.index(overwritten) if overwritten >= 0 else -1
    return compile_group(node.option("body"), over).scratch


class _Arena:
    """Free gaps by offset; a request takes the smallest gap that holds it, else the end."""

    def __init__(self) -> None:
        self.size = 0
        self._gaps: list[tuple[int, int]] = []

    def take(self, nbytes: int) -> int:
        """Return the offset of ``nbytes`` free bytes."""
        best = -1
        for position, (_, room) in enumerate(self._gaps):
            if room >= nbytes and (best < 0 or room < self._gaps[best][1]):
                best = position
        if best >= 0:
            offset, room = self._gaps.pop(best)
            if room > nbytes:
                self._gaps.insert(best, (offset + nbytes, room - nbytes))
            return offset
        if self._gaps and sum(self._gaps[-1]) == self.size:  # grow the gap at the end
            offset, _ = self._gaps.pop()
        else:
            offset = self.size
        self.size = offset + nbytes
        return offset

    def give(self, offset: int, nbytes: int) -> None:
        """Return bytes, joined with the gaps beside them."""
        position = bisect_left(self._gaps, (offset, 0))
        if position < len(self._gaps) and self._gaps[position][0] == offset + nbytes:
            nbytes += self._gaps.pop(position)[1]
        if position and sum(self._gaps[position - 1]) == offset:
            before, room = self._gaps.pop(position - 1)
            offset, nbytes, position = before, room + nbytes, position - 1
        self._gaps.insert(position, (offset, nbytes))


def plan(graph: Graph, inplace: bool = True) -> Plan:
    """Return a greedy plan: each value in the smallest gap that holds it, in order of start."""
    intervals = liveness(graph)
    pairs = inplace_pairs(graph, intervals) if inplace else {}
    taken = set(pairs.values())
    slots: dict[int, Slot] = {}
    ending: list[tuple[int, int]] = []
    arena = _Arena()
    used = held = 0
    for item in intervals:
        if not item.planned:
            held += item.nbytes
            continue
        while ending and ending[0][0] < item.start:
            gone = slots[heappop(ending)[1]]
            arena.give(gone.offset, _aligned(gone.nbytes))
        operand = pairs.get(item.node, -1)
        offset = slots[operand].offset if operand >= 0 else arena.take(_aligned(item.nbytes))
        slots[item.node] = Slot(item.node, offset, item.nbytes, item.start, item.end, operand)
        used = max(used, offset + item.nbytes)
        if item.node not in taken:  # else its bytes pass on to the node that overwrites it
            heappush(ending, (item.end, item.node))
    scratch = max((nbytes for _, nbytes in _inner_peaks(graph, pairs)), default=0)
    return Plan(tuple(slots.values()), used, held, scratch)


def _aligned(nbytes: int) -> int:
    """Return ``nbytes`` rounded up to whole cache lines, at least one."""
    return max(-(-nbytes // ALIGNMENT), 1) * ALIGNMENT


def prove(made: Plan) -> int:
    """Replay a plan; return the number of checks, :class:`PlanError` on an overlap.

    Two slots may share bytes only if one has ended before the other starts, or if the later
    one overwrites the other in place in the very step in which it dies. Live slots are kept
    by offset, so a new one need only be compared with its two neighbours.
    """
    checks = 0
    live: list[tuple[int, int]] = []
    ending: list[tuple[int, int]] = []
    slots = {slot.node: slot for slot in made.slots}
    for slot in made.slots:
        if slot.offset < 0 or slot.offset + slot.nbytes > made.arena:
            raise PlanError(say("the slot of %{node} ends outside the arena", node=slot.node))
        while ending and ending[0][0] < slot.start:
            _forget(live, slots[heappop(ending)[1]])
        if slot.inplace_of >= 0:
            operand = slots[slot.inplace_of]
            if (operand.offset, operand.nbytes) != (slot.offset, slot.nbytes):
                raise PlanError(
                    say("%{node} is not where %{taken} was", node=slot.node, taken=slot.inplace_of)
                )
            if operand.end == slot.start:
                _forget(live, operand)
        position = bisect_left(live, (slot.offset, slot.node))
        for beside in live[max(position - 1, 0) : position + 1]:
            checks += 1
            other = slots[beside[1]]
            if other.offset < slot.offset + max(slot.nbytes, 1) and (
                slot.offset < other.offset + max(other.nbytes, 1)
            ):
                raise PlanError(
                    say(
                        "%{node} overlaps %{other} while both are live",
                        node=slot.node,
                        other=other.node,
                    )
                )
        live.insert(position, (slot.offset, slot.node))
        heappush(ending, (slot.end, slot.node))
    return checks


def _forget(live: list[tuple[int, int]], slot: Slot) -> None:
    position = bisect_left(live, (slot.offset, slot.node))
    if position < len(live) and live[position] == (slot.offset, slot.node):
        live.pop(position)


def why_not_reused(graph: Graph, node: int) -> str:
    """Return in a sentence why the buffer of a value is not reused, or when it is free."""
    item = liveness(graph)[node]
    made: Node = graph.nodes[node]
    if made.op.name == "placeholder":
        return say("the caller holds it")
    if made.op.name == "const":
        return say("it is a constant of the graph")
    if node in graph.outputs:
        return say("it is an output: the caller will hold it")
    if not item.planned:
        return say("control flow decides its lifetime while it runs")
    op = graph.nodes[item.end].op.name
    return say("its bytes are free after step {step} ({op})", step=item.end, op=op)


def _peak(
    graph: Graph, spans: Sequence[tuple[int, int, int]], pairs: Mapping[int, int] = _NO_PAIRS
) -> int:
    """Return the largest sum of bytes over the steps, each span ``(start, end, bytes)``.

    ``pairs`` are the operands that are overwritten, as :func:`inplace_pairs` gives them.
    """
    steps = len(graph.nodes) + 1
    change = [0] * (steps + 1)
    for start, end, nbytes in spans:
        change[start] += nbytes
        change[min(end + 1, steps)] -= nbytes
    highest = current = 0
    inner = dict(_inner_peaks(graph, pairs))
    for step, delta in enumerate(change[:-1]):
        current += delta
        highest = max(highest, current + inner.get(step, 0))
    return highest


def _inner_peaks(graph: Graph, pairs: Mapping[int, int]) -> Iterator[tuple[int, int]]:
    """Yield for each node with subgraphs what the largest needs besides operands and result."""
    for number, node in enumerate(graph.nodes):
        if node.op.name == "fused":
            yield number, _group_scratch(node, pairs.get(number, -1))
        if node.op.control is None:
            continue
        needs = []
        for _, inner in node.subgraphs:
            spans = [
                (i.start, i.end, i.nbytes)
                for i in liveness(inner)
                if inner.nodes[i.node].op.name != "placeholder"
            ]
            needs.append(_peak(inner, spans))
        if needs:
            yield number, max(needs)


def peak_keep_all(graph: Graph) -> int:
    """Return the peak when nothing is freed."""
    last = len(graph.nodes)
    return _peak(graph, [(i.start, last, i.nbytes) for i in liveness(graph)])


def peak_liveness(graph: Graph) -> int:
    """Return the peak when every value goes after its last use."""
    return _peak(graph, [(i.start, i.end, i.nbytes) for i in liveness(graph)])


def peak_inplace(graph: Graph) -> int:
    """Return the peak when a value may also overwrite an operand that dies."""
    intervals = liveness(graph)
    pairs = inplace_pairs(graph, intervals)
    taken = set(pairs.values())
    spans = []
    for item in intervals:
        # An operand that is overwritten ends a step earlier: its bytes are the result's then.
        end = item.end - 1 if item.node in taken else item.end
        spans.append((item.start, end, item.nbytes))
    return _peak(graph, spans, pairs)


def peak_eager(graph: Graph) -> int:
    """Return the peak of the eager mode: named values and what the tape holds stay longer.

    A value that the program names lives while the forward runs; one that the backward has
    on its tape, until the backward is over.
    """
    phases = [
        any(o.phase == "backward" for o in graph.origin(number))
        for number in range(len(graph.nodes))
    ]
    first = phases.index(True) if True in phases else len(graph.nodes)
    last = len(graph.nodes)
    spans = []
    for item in liveness(graph):
        end = item.end
        if not phases[item.node]:
            named = any(origin.name for origin in graph.origin(item.node))
            end = max(end, last if first < last else first if named else end)
        spans.append((item.start, end, item.nbytes))
    return _peak(graph, spans)


def peaks(raw: Graph, optimized: Graph) -> Peaks:
    """Return the peaks of a program: raw under four policies, after the passes under the last."""
    return Peaks(
        peak_keep_all(raw),
        peak_eager(raw),
        peak_liveness(raw),
        peak_inplace(raw),
        peak_inplace(optimized),
    )
