"""Owns where modes part: the first value of a run that is not the eager one, in ulps.

Whole values are compared. Which value of a graph is which of the eager run follows from its
source (the line, the column and the op that it was drawn by) and from the order: a program
comes to its ops in the same order in every mode, so that every trip of a loop and every call of
a helper meets itself. Where the order is another one, a mode went another way than eager. A
node that a pass has made stands for the drawn nodes that it says it gives the values of. Where
eager calls captured helpers, it does not tell their ops, so only results are compared.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from ..graph.compare import ulps_apart
from ..graph.events import Event, NodeCreated, OpEnd, RunEnded, RunStarted, ValueSummary
from ..graph.ir import Graph
from ..graph.ops import OPS
from .running import CallRun, GraphRun
from .tracks import Entry, Track
from .words import result_text

#: Where a value comes from: line, column, op, forward or backward.
Source = tuple[int, int, str, str]


#: Answers of a replayed graph that are further off than this, relative and absolute, are stale;
#: passes that change values move less.
CLOSE = {"d": 1e-9, "f": 1e-5}

#: A value with its name; None where eager computed something else at this point.
Found = tuple[str, ValueSummary] | None


@dataclass
class Ordered:
    """The values of the eager run; those of the way forward are taken in their order."""

    forward: list[tuple[Source, str, ValueSummary]]
    backward: dict[Source, list[tuple[str, ValueSummary]]]
    parted: bool  #: whether nothing can be matched, or from here on nothing more
    place: int = 0
    seen: Counter[Source] = field(default_factory=Counter)

    def take(self, source: Source) -> list[Found]:
        """Return the next value, [None] where the ways part here, nothing where it is unknown."""
        if source[3] == "backward":
            number = self.seen[source]
            self.seen[source] += 1
            found = self.backward.get(source, [])
            return [found[number]] if number < len(found) and not self.parted else []
        if self.parted:
            return []
        if self.place < len(self.forward) and self.forward[self.place][0] == source:
            _, name, value = self.forward[self.place]
            self.place += 1
            return [(name, value)]
        self.parted = True
        return [None]


@dataclass(frozen=True, slots=True)
class Stale:
    """What a graph that was replayed without guards gave, and what eager gives, as texts.

    ``name`` is that of the input whose gradient it is, empty for the output ``number``.
    """

    name: str
    number: int
    gave: str
    right: str


def stale_values(run: GraphRun, number: int, call: CallRun) -> tuple[Stale, ...]:
    """Return the wrong answers of capture in call ``number`` (from 0) where guards are off."""
    gave, right = call.logs["capture"].gave, call.logs["eager"].gave
    if not (run.asked.options.no_guards and number) or gave is None or right is None:
        return ()
    found = []
    for place, (mine, other) in enumerate(zip(gave.outputs, right.outputs, strict=False)):
        if not _close(mine, other):
            found.append(Stale("", place, result_text(mine), result_text(other)))
    for name, gradient in gave.gradients.items():
        other = right.gradients.get(name)
        if other is not None and not _close(gradient, other):
            found.append(Stale(name, 0, result_text(gradient), result_text(other)))
    return tuple(found)


def _close(one: object, other: object) -> bool:
    """Return whether two results are the same but for rounding."""
    if not (isinstance(one, np.ndarray) and isinstance(other, np.ndarray)):
        return str(one) == str(other)
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    if one.dtype.kind != "f":
        return bool((one == other).all())
    limit = CLOSE[one.dtype.char]
    return bool(np.allclose(one, other, rtol=limit, atol=limit, equal_nan=True))


def with_difference(run: GraphRun, call: CallRun, tracks: Mapping[str, Track]) -> dict[str, Track]:
    """Return the tracks with a line after the first value that differs from the eager one."""
    made = dict(tracks)
    for mode, track in tracks.items():
        if mode == "eager":
            continue
        eager = _eager_values(tracks["eager"])  # each mode takes them one by one
        if not (eager.forward or eager.backward):
            continue
        for at, name, apart, parted in _differences(run, call, track, eager):
            after = bisect_right(track.entries, at, key=lambda entry: entry.at)
            shown = [entry.name for entry in track.entries[:after] if entry.at == at]
            numbers = () if apart is None else (apart,)
            what = "another way" if parted else ""
            told = Entry(at, "differs", name or "".join(shown[:1]), what=what, numbers=numbers)
            entries = (*track.entries[:after], told, *track.entries[after:])
            made[mode] = replace(track, entries=entries)
            break
    return made


def _eager_values(track: Track) -> Ordered:
    """Return what eager computed, each value with its name."""
    names = {entry.node: entry.name for entry in track.entries if entry.kind == "computed"}
    helpers = any(isinstance(e, NodeCreated) and e.op not in OPS for e in track.events)
    found = Ordered([], {}, parted=helpers)
    for source, event, _ in _computed(track.events):
        name = names.get(event.node, "")
        if source[3] == "backward":
            found.backward.setdefault(source, []).append((name, event.value))
        else:
            found.forward.append((source, name, event.value))
    return found


def _computed(events: tuple[Event, ...]) -> Iterator[tuple[Source, OpEnd, int]]:
    """Yield what is computed op by op outside of sessions: source, event, its number from 1."""
    made: dict[int, NodeCreated] = {}
    inside = False
    for at, event in enumerate(events, 1):
        if isinstance(event, RunStarted):
            inside = event.mode != "eager"
        elif isinstance(event, RunEnded):
            inside = False
        elif isinstance(event, NodeCreated) and not event.scope:
            made[event.node] = event
        elif isinstance(event, OpEnd) and not inside and not event.scope:
            drawn = made.get(event.node)
            if drawn is not None and drawn.op == event.op:
                yield _source(drawn.line, drawn.column, drawn.op, drawn.phase), event, at


def _differences(
    run: GraphRun, call: CallRun, track: Track, eager: Ordered
) -> Iterator[tuple[int, str, int | None, bool]]:
    """Yield every value that is not the eager one.

    That is the event, the name, the ulps (None where they cannot be compared), and whether
    eager went another way.
    """
    graphs = iter(call.logs[track.mode].graphs)
    raws = _raw_graphs(run, track.mode)
    computed = {at: source for source, _, at in _computed(track.events)}
    graph: Graph | None = None
    matched: dict[int, Found] = {}
    for at, event in enumerate(track.events, 1):
        if isinstance(event, RunStarted) and event.mode != "eager":
            graph = next(graphs, None)
            matched = {} if graph is None else _matched(raws.get(id(graph), graph), eager)
        elif isinstance(event, RunEnded):
            graph = None
        elif isinstance(event, OpEnd) and not event.scope:
            found: list[Found] = []
            if graph is not None and event.node < len(graph):
                drawn = (o.node for o in graph.origin(event.node))
                found = [matched[number] for number in drawn if number in matched]
            elif at in computed:
                found = eager.take(computed[at])
            for one in found:
                apart = None if one is None else _apart(one[1], event.value)
                if apart != 0:
                    yield at, "" if one is None else one[0], apart, one is None
                    break


def _raw_graphs(run: GraphRun, mode: str) -> dict[int, Graph]:
    """Return the graph as drawn behind every graph that runs."""
    ran = run.modes[mode]
    if ran.capture is None:
        return {id(drawn.graph): drawn.raw for drawn in ran.drawn}
    return {id(entry.graph): entry.raw for entry in ran.capture.entries}


def _matched(raw: Graph, eager: Ordered) -> dict[int, Found]:
    """Return the eager value of every node of a drawn graph, by its id as drawn."""
    drawn = []
    sizes = _from_sizes(raw)
    for number, node in enumerate(raw.nodes):
        origins = raw.origin(number)
        if origins and node.op.name not in ("placeholder", "const") and number not in sizes:
            first = origins[0]
            source = _source(first.line, first.column, node.op.name, first.phase)
            drawn.append((first.node, source))
    back = Counter(source for _, source in drawn if source[3] == "backward")
    whole = all(len(eager.backward.get(source, ())) == count for source, count in back.items())
    found: dict[int, Found] = {}
    for number, source in drawn:
        if source[3] == "forward" or whole:
            found.update((number, value) for value in eager.take(source))
    return found


def _from_sizes(raw: Graph) -> set[int]:
    """Return the nodes that compute with sizes of arrays alone, which is Python's in eager."""
    found: set[int] = set()
    constant: set[int] = set()
    for number, node in enumerate(raw.nodes):
        if node.op.name == "const":
            constant.add(number)
        known = all(arg in found or arg in constant for arg in node.args)
        forward = all(origin.phase == "forward" for origin in raw.origin(number))
        if forward and (node.op.name == "dim" or (known and found.intersection(node.args))):
            found.add(number)
    return found


def _source(line: int, column: int, op: str, phase: str) -> Source:
    """Return where a value comes from; the way back has no place in the text, only an order."""
    return (line, column, op, phase) if phase == "forward" else (0, 0, op, phase)


def _apart(first: ValueSummary, second: ValueSummary) -> int | None:
    """Return 0 for equal values, else how many ulps are between them, None where none are."""
    if (first.shape, first.dtype) != (second.shape, second.dtype):
        return None
    if first.digest == second.digest and first.first == second.first:
        return 0
    size = int(np.prod(first.shape, dtype=object))
    if size <= len(first.first):
        return ulps_apart(*(np.array(value.first, value.dtype) for value in (first, second)))
    if first.digest == second.digest:
        return 0  # they hold NaN, which Python does not call equal
    if not (first.whole and second.whole):
        return None
    return ulps_apart(*(np.frombuffer(value.whole, value.dtype) for value in (first, second)))
