"""Owns capture: a program run as compiled segments behind guards, with visible ways out.

``Capture(program).call(inputs)`` runs the program once. Where no cached entry's guards hold, a
segment is drawn from fakes and compiled; where Python must decide, the segment ends and the
program goes on from the decision. Past the recompile limit the rest runs eagerly, and says so.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..wording import say
from .capture_call import Call, check_wanted
from .capture_replay import Recording
from .capture_trace import SizePolicy
from .errors import GraphError
from .events import CompileEnd, CompileStart, GuardChecked, Observer
from .feeds import bind
from .guards import State
from .interp import RunStats
from .ir import Graph
from .lang_budget import DEFAULT_BUDGET, Budget, Meter, watch
from .lang_code import Code, Program
from .lang_refusal import Refusal
from .lang_values import Frame
from .passes import DEFAULT
from .runtime import Session
from .segments import (
    Ending,
    Entry,
    Segment,
    Settings,
    compile_entry,
    unguarded,
)

#: Recompiles of one position before it runs eagerly.
RECOMPILE_LIMIT = 8


@dataclass
class Break:
    """One place where segments end: how many compiled segments do, and how often calls did."""

    ending: Ending
    count: int = 0
    reached: int = 0


@dataclass
class CallResult:
    """What one call gave: outputs as Python structure of arrays, gradients by input."""

    outputs: Any
    gradients: dict[str, np.ndarray[Any, Any]]
    stats: RunStats
    compiles: int
    entries: tuple[Entry, ...]
    fell_back: bool


@dataclass
class Miss:
    """A call, from 1, that no cached entry served: the failing guard of every entry.

    ``graph`` is the number of the one that was compiled for it.
    """

    segment: int
    failed: tuple[str, ...]
    call: int = 0
    graph: int = 0


@dataclass
class Capture:
    """A captured program (or helper, ``code``), with its cache; not for two threads at once."""

    program: Program
    passes: Sequence[str] = DEFAULT
    limit: int = RECOMPILE_LIMIT
    dynamic: bool = True
    guards: bool = True
    observer: Observer | None = None
    print_line: Callable[[str], None] = lambda text: None
    budget: Budget = DEFAULT_BUDGET
    cancelled: Callable[[], bool] | None = None
    code: Code | None = None
    segments: dict[Any, Segment] = field(default_factory=dict)
    breaks: dict[tuple[int, int, str], Break] = field(default_factory=dict)
    misses: list[Miss] = field(default_factory=list)
    fallback: bool = False
    calls: int = 0  #: how many were begun

    def __post_init__(self) -> None:
        self.settings = Settings(tuple(self.passes), self.limit, self.dynamic, self.guards)
        self.meter = Meter(self.budget, self.cancelled)
        self.watcher = watch(self.meter, self.observer, self.program.loops)
        self.main = self.code or self.program.main
        self.constants: dict[str, Any] = dict(self.program.globals)
        self.recording: Recording | None = None

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Every compiled graph, in the order in which they were compiled."""
        found = [entry for segment in self.segments.values() for entry in segment.entries]
        return tuple(sorted(found, key=lambda entry: entry.number))

    @property
    def compiles(self) -> int:
        """How many graphs were compiled."""
        return sum(len(segment.entries) for segment in self.segments.values())

    def call(self, inputs: Mapping[str, Any], wrt: Sequence[str] = ()) -> CallResult:
        """Run the program once on arrays and Python numbers; gradients for ``wrt``.

        :class:`Refusal` for whatever the program cannot do, in any mode.
        """
        self.calls += 1
        self.meter.restart()
        defaults = self.program.inputs if self.code is None else {}
        bound = bind(self.main.parameters, defaults, inputs)
        for name in wrt:
            check_wanted(name, bound)
        call = Call(self, bound, tuple(wrt))
        replayed = None if self.guards else self.recording
        begun = time.perf_counter()
        try:
            if replayed is not None:
                result = replayed.replay(call, self.main.place, self.watcher)
            else:
                result = call.run()
                if not self.guards and not call.fell_back:
                    self.recording = Recording.of(call, result)
            gradients = call.gradients(result)
        except Refusal:
            raise
        except GraphError as error:
            if replayed is not None:
                raise unguarded(error, self.main.place) from None
            hint = error.hint or say("change it")
            raise Refusal(self.main.place, error.what, say("in this call"), hint) from None
        call.stats.seconds = time.perf_counter() - begun
        return CallResult(
            result, gradients, call.stats, self.compiles, tuple(r.entry for r in call.runs),
            call.fell_back,
        )  # fmt: skip

    def session(self, graph: Graph) -> Session:
        """Return a session for a compiled graph."""
        return Session(graph, self.watcher, print_line=self.print_line, mode="capture")

    def segment_at(self, frames: Sequence[Frame]) -> Segment:
        """Return the segment of a position: where every frame stands, what it has names for."""
        key = tuple((f.code, f.position, tuple(sorted(f.variables.values))) for f in frames)
        segment = self.segments.get(key)
        if segment is None:
            top = frames[-1]
            segment = Segment(
                len(self.segments), top.code.name, top.instruction.place,
                SizePolicy(dynamic=self.dynamic),
            )  # fmt: skip
            self.segments[key] = segment
        return segment

    def lookup(self, segment: Segment, state: State) -> tuple[Entry | None, tuple[str, ...]]:
        """Return the first entry whose guards hold, else the failing guard of every entry."""
        failed: list[str] = []
        for entry in segment.entries:
            missed = self._first_miss(entry, state)
            if missed is None:
                return entry, ()
            failed.append(missed)
        return None, tuple(failed)

    def _first_miss(self, entry: Entry, state: State) -> str | None:
        for guard in entry.guards:
            missed = guard.check(state)
            if self.observer is not None:
                text = guard.text if missed is None else missed
                self.observer.emit(GuardChecked(entry.segment, entry.number, text, missed is None))
            if missed is not None:
                return missed
        return None

    def compile(self, segment: Segment, state: State, failed: tuple[str, ...]) -> Entry:
        """Compile a new entry of a segment and note where it ends."""
        reason = failed[-1] if failed else "first call"
        if self.observer is not None:
            self.observer.emit(CompileStart(segment.number, reason))
        number = self.compiles
        if failed:
            self.misses.append(Miss(segment.number, failed, self.calls, number))
        entry = compile_entry(
            self.program, segment, state, self.meter, self.settings, number, self.observer,
            self.session, self.print_line,
        )  # fmt: skip
        segment.entries.append(entry)
        if entry.ending is not None:
            self.break_at(entry.ending).count += 1
        if self.observer is not None:
            total = self.compiles
            self.observer.emit(CompileEnd(segment.number, len(entry.graph), total, entry.seconds))
        return entry

    def break_at(self, ending: Ending) -> Break:
        """Return the record of the place where a segment ends; of several paths the first stays."""
        key = (ending.place.line, ending.place.column, ending.request)
        return self.breaks.setdefault(key, Break(ending))

    def reached(self, ending: Ending) -> None:
        """Count a call that has come to the end of a segment where Python must decide."""
        self.break_at(ending).reached += 1

    def explain(self) -> str:
        """Return segments, guards, breaks, compiles and misses as readable lines."""
        lines = [f"{len(self.segments)} segments, {self.compiles} compiles"]
        for segment in self.segments.values():
            lines.append(f"segment {segment.number} in {segment.function}, from {segment.place}")
            for entry in segment.entries:
                end = "returns" if entry.ending is None else f"ends at {entry.ending.place}"
                lines.append(f"  graph {entry.number}: {len(entry.graph)} nodes, {end}")
                lines.extend(
                    f"    guard {g.text} ({g.hits} hits, {g.misses} misses)" for g in entry.guards
                )
        for item in self.breaks.values():
            at = item.ending
            lines.append(f"break at {at.place} (x{item.count}): {at.what}; {at.why}")
            lines.append(f"  computed as {at.where}; {at.hint}")
        for miss in self.misses:
            lines.append(f"recompile of segment {miss.segment}: {' | '.join(miss.failed)}")
        if self.fallback:
            lines.append(f"past the limit of {self.limit}: runs eagerly")
        return "\n".join(lines)
