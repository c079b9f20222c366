"""Owns the fold: one mode's events of one call as entries, and counters after every event.

An entry is what a column shows in a line: an op drawn or computed, a print, a branch, a graph
break, a pass. Entries only ever come on, each with the number of events after which it is
there, so the column at any moment is a part of the list and stepping back loses nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..graph.avals import Aval
from ..graph.events import (
    Alloc,
    BranchTaken,
    CompileEnd,
    CompileStart,
    Event,
    Fallback,
    Free,
    GradReady,
    GraphBreak,
    GuardChecked,
    LoopTrip,
    NodeCreated,
    NonFinite,
    OpEnd,
    OpStart,
    PassApplied,
    Printed,
    Refused,
    RunEnded,
    RunStarted,
)
from ..graph.ir import Graph
from ..wording import joined, say
from .words import collect_names, fused_text, node_options, operand_text, structural, value_text

#: Where several graphs do not fit, so many of the different guards that failed are told.
TOLD_GUARDS = 2


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a column; ``at`` is the number of events after which it is there.

    ``kind``: ``computed`` (eager), ``drawn``, ``ran`` (in a session), ``print``, ``branch``,
    ``trip``, ``guard``, ``miss``, ``compile``, ``compiled``, ``session``, ``pass``, ``break``,
    ``fallback``, ``grad``, ``nonfinite``, ``refused``, ``stale``, ``differs``, ``returned``,
    ``gradient``, ``wrong`` (either of the two, without guards; ``what`` is what eager gives).
    """

    at: int
    kind: str
    name: str = ""
    op: str = ""
    args: tuple[str, ...] = ()
    options: str = ""
    value: str = ""
    shape: str = ""
    node: int = -1
    depth: int = 0
    line: int = 0
    column: int = 0
    what: str = ""
    why: str = ""
    where: str = ""
    hint: str = ""
    numbers: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Counters:
    """Dispatches and launches, kept apart, and the buffers, after some events.

    The third counter, measured time, is not counted here: see ``timing.py``.
    """

    dispatches: int = 0
    launches: int = 0
    buffers: int = 0
    nbytes: int = 0
    peak: int = 0


@dataclass(frozen=True, eq=False)
class Track:
    """The fold of one log: entries in order, counters after 0, 1, 2 … events."""

    mode: str
    events: tuple[Event, ...]
    entries: tuple[Entry, ...]
    counters: tuple[Counters, ...]


class Folder:
    """Folds one log; ``graphs`` are those that sessions run, in the order they are run."""

    def __init__(self, mode: str, events: Sequence[Event], graphs: Sequence[Graph | None]) -> None:
        self.mode = mode
        self.names = collect_names(events)
        self.drawing = 0
        self.graphs = list(graphs)
        self.sessions = 0
        self.session = False
        self.swept = False
        self.fell_back = False
        self.entries: list[Entry] = []
        self.now = Counters()
        self.live: dict[tuple[int, str, int], int] = {}
        self.created: dict[tuple[str, int], NodeCreated] = {}
        self.opened = ""

    @property
    def graph(self) -> Graph | None:
        """The graph that the session runs which is under way."""
        place = self.sessions - 1
        return self.graphs[place] if 0 <= place < len(self.graphs) else None

    def called(self, scope: str, node: int) -> str:
        """Return the name of a value: of the running graph, else of what is drawn."""
        graph = self.graph
        if self.session and graph is not None and not scope and node < len(graph):
            return operand_text(graph, node)
        if self.session:
            return f"%{node}"
        return self.names.get((self.drawing, scope, node)) or f"%{node}"

    def take(self, at: int, event: Event) -> None:
        """Take one event, the ``at``-th from 1."""
        match event:
            case NodeCreated():
                self.created[event.scope, event.node] = event
                self.opened = event.op
                if self.drawing_now and event.op not in ("placeholder", "const"):
                    self.entries.append(self._op(at, "drawn", event))
            case OpStart():
                self._started(event)
            case OpEnd():
                self._ended(at, event)
            case Alloc() | Free():
                self._memory(event)
            case RunStarted():
                if event.mode != "eager":
                    self.session = True
                    self.sessions += 1
                    self._count(dispatches=1)
                    nodes = len(self.graph) if self.graph is not None else 0
                    self.entries.append(Entry(at, "session", numbers=(nodes,)))
            case RunEnded():
                if event.mode != "eager":
                    self.session = False
                    self._release()
            case _:
                self._told(at, event)

    @property
    def drawing_now(self) -> bool:
        """Whether ops are drawn rather than computed."""
        return not self.session and self.mode != "eager" and not self.fell_back

    def _op(self, at: int, kind: str, made: NodeCreated, value: str = "") -> Entry:
        args = tuple(self.called(made.scope, arg) for arg in made.args)
        name = self.called(made.scope, made.node)
        if made.shape.endswith("results"):
            value = ""  # several at once; each has a line of its own where it is taken
        return Entry(
            at, kind, name, made.op, args, made.options, value, made.shape, made.node,
            made.scope.count("/") + bool(made.scope), made.line, made.column,
        )  # fmt: skip

    def _started(self, event: OpStart) -> None:
        self.opened = event.op
        outside = not self.session and not event.scope
        if outside and event.phase == "forward" and not structural(event.op):
            self._count(dispatches=1)
        if outside and event.phase == "backward" and not self.swept:
            self.swept = True
            self._count(dispatches=1)

    def _ended(self, at: int, event: OpEnd) -> None:
        self._count(launches=event.launches)
        value = value_text(event.value)
        made = self.created.get((event.scope, event.node))
        if not self.session and not event.scope and made is not None:
            if event.phase == "forward":
                self.entries.append(self._op(at, "computed", made, value))
            return
        if event.op == "const":
            return
        args: tuple[str, ...] = ()
        shape, op, options = "", event.op, ""
        graph = self.graph
        if graph is not None and not event.scope and event.node < len(graph):
            node = graph.nodes[event.node]
            args = tuple(operand_text(graph, arg) for arg in node.args)
            shape = str(node.aval)
            options = node_options(node)
            value = value if isinstance(node.aval, Aval) else ""
            if op == "fused":
                op = fused_text(node.option("body"))
        name = self.called(event.scope, event.node)
        depth = event.scope.count("/") + bool(event.scope)
        what = "backward" if event.phase == "backward" else ""
        self.entries.append(
            Entry(at, "ran", name, op, args, options, value, shape, event.node, depth, what=what)
        )

    def _told(self, at: int, event: Event) -> None:
        """Take an event that is worth a line of its own."""
        add = self.entries.append
        if isinstance(event, GuardChecked):
            self._guard(at, event)
            return
        match event:
            case GradReady():
                name = self.called("", event.node)
                add(Entry(at, "grad", name, value=value_text(event.value), node=event.node))
            case Printed():
                add(Entry(at, "print", what=event.text, line=event.line))
            case BranchTaken():
                add(Entry(at, "branch", line=event.line, numbers=(int(event.taken),)))
            case LoopTrip():
                add(Entry(at, "trip", numbers=(event.trip,), depth=1))
            case CompileStart():
                self.drawing += 1
                shapes = self._open_shapes()
                add(Entry(at, "compile", args=shapes, what=event.reason, numbers=(event.segment,)))
            case CompileEnd():
                add(Entry(at, "compiled", numbers=(event.nodes, event.total)))
            case PassApplied():
                rules = joined(", ", dict.fromkeys(event.rules))
                numbers = (event.before, event.after)
                add(Entry(at, "pass", event.name, what=rules, numbers=numbers))
            case GraphBreak() | Refused():
                kind = "break" if isinstance(event, GraphBreak) else "refused"
                where = event.where if isinstance(event, GraphBreak) else ""
                add(Entry(at, kind, what=event.what, why=event.why, where=where, hint=event.hint,
                          line=event.line, column=event.column))  # fmt: skip
            case Fallback():
                self.drawing += 1
                self.fell_back = True
                add(Entry(at, "fallback", what=event.function, numbers=(event.limit,)))
            case NonFinite():
                name = self.called(event.scope, event.node)
                numbers = (event.nans, event.infs)
                flags = ", ".join(event.flags)
                add(Entry(at, "nonfinite", name, event.op, what=flags, numbers=numbers))
            case _:
                pass

    def _open_shapes(self) -> tuple[str, ...]:
        """Return the inputs of the next graph whose sizes are not fixed: ``x: f64[s0]``."""
        graph = self.graphs[self.sessions] if self.sessions < len(self.graphs) else None
        if graph is None:
            return ()
        avals = ((name, graph.nodes[number].aval) for name, number in graph.inputs)
        return tuple(
            f"{name}: {aval}"
            for name, aval in avals
            if isinstance(aval, Aval) and not all(isinstance(dim, int) for dim in aval.shape)
        )

    def _guard(self, at: int, event: GuardChecked) -> None:
        """Take a guard: those that held are one line with their number, a miss has its own."""
        if not event.ok:
            what = event.text
            self.entries.append(Entry(at, "miss", what=what, numbers=(event.segment, event.entry)))
            return
        last = self.entries[-1] if self.entries else None
        numbers = (event.segment, event.entry)
        if last is not None and last.kind == "guard" and last.numbers[:2] == numbers:
            self.entries.append(Entry(at, "guard", numbers=(*numbers, last.numbers[2] + 1)))
        else:
            self.entries.append(Entry(at, "guard", numbers=(*numbers, 1)))

    def _memory(self, event: Alloc | Free) -> None:
        key = (self.sessions if self.session else 0, event.scope, event.node)
        if isinstance(event, Alloc) and self.opened in ("placeholder", "const"):
            return  # the caller's, or the graph's own
        if isinstance(event, Free) and key not in self.live:
            return
        before = self.live.pop(key, None)
        nbytes = self.now.nbytes - (before or 0)
        if isinstance(event, Alloc):
            self.live[key] = event.nbytes
            nbytes += event.nbytes
        self._held(nbytes)

    def _release(self) -> None:
        """Let go what a session held: its results are the caller's, which counts them."""
        gone = [key for key in self.live if key[0] == self.sessions]
        self._held(self.now.nbytes - sum(self.live.pop(key) for key in gone))

    def _held(self, nbytes: int) -> None:
        now = self.now
        self.now = Counters(
            now.dispatches, now.launches, len(self.live), nbytes, max(now.peak, nbytes)
        )

    def _count(self, dispatches: int = 0, launches: int = 0) -> None:
        now = self.now
        self.now = Counters(
            now.dispatches + dispatches, now.launches + launches, now.buffers, now.nbytes, now.peak
        )


def fold(mode: str, events: Sequence[Event], graphs: Sequence[Graph | None] = ()) -> Track:
    """Return the track of one log."""
    folder = Folder(mode, events, graphs)
    counters = [folder.now]
    for at, event in enumerate(events, 1):
        folder.take(at, event)
        counters.append(folder.now)
    return Track(mode, tuple(events), tuple(_joined(folder.entries)), tuple(counters))


def _joined(entries: Sequence[Entry]) -> list[Entry]:
    """Keep, of guards that held one after the other, the line that counts them all.

    Its ``what`` says whether one of the same graph failed after them. Where several graphs were
    asked and did not fit, one line says so of all of them.
    """
    kept: list[Entry] = []
    for entry in entries:
        last = kept[-1] if kept else None
        if last is not None and last.kind == "guard" and last.numbers[:2] == entry.numbers[:2]:
            if entry.kind == "miss":
                kept[-1] = replace(last, what="then one fails")
            elif entry.kind == "guard" and last.numbers[2] < entry.numbers[2]:
                kept.pop()
        kept.append(entry)
    return _missed_together(kept)


def _missed_together(entries: Sequence[Entry]) -> list[Entry]:
    """Make one entry of graphs that failed one after the other; ``numbers`` ends in how many.

    Its ``why`` is ``none`` where no graph that was there fitted.
    """
    kept: list[Entry] = []
    failed: list[Entry] = []
    for entry in (*entries, None):
        if entry is not None and (entry.kind == "miss" or entry.what == "then one fails"):
            failed.append(entry)
            continue
        misses = [one for one in failed if one.kind == "miss"]
        if len(misses) > 1:
            none = entry is not None and entry.kind in ("compile", "fallback")
            numbers = (*misses[-1].numbers, len(misses))
            why, what = "none" if none else "", _guards_text(misses)
            failed = [Entry(misses[-1].at, "miss", what=what, why=why, numbers=numbers)]
        kept += failed if entry is None else (*failed, entry)
        failed = []
    return kept


def _guards_text(misses: Sequence[Entry]) -> str:
    """Return the guards that failed, each once with how often, the first few of them."""
    counted = Counter(miss.what for miss in misses)
    told = [
        say("{guard} (×{count})", guard=guard, count=count) if count > 1 else guard
        for guard, count in counted.items()
    ]
    return joined("; ", [*told[:TOLD_GUARDS], *(["…"] if len(told) > TOLD_GUARDS else [])])
