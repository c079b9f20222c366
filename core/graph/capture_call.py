"""Owns one call of a captured program: the frames, the segments run, the way back.

The loop is: find the segment of the position; find an entry whose guards hold, or compile one;
run it; let Python decide what ended it; again. Past the limit the rest runs eagerly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from ..wording import say
from .capture_fallback import EagerRest, StateCopy
from .capture_recipe import Rebuilder
from .capture_runs import Run, run_backward
from .errors import NotDifferentiableError
from .events import Fallback, GraphBreak, Observer
from .guards import State
from .interp import RunStats
from .ir import Graph
from .lang_budget import Meter
from .lang_code import Code, Program
from .lang_host import EagerHost
from .lang_machine import Machine
from .lang_refusal import Place, Refusal
from .lang_values import Frame, Variables
from .runtime import Session
from .segments import Ending, Entry, Segment, Settings, check_sizes, tensors_in
from .static import GraphBuilder

#: Compiles of a whole program before it runs eagerly, whatever the limit of one position.
TOTAL_LIMIT = 256


class Cache(Protocol):
    """What a call needs of the capture that it belongs to."""

    program: Program
    main: Code
    limit: int
    settings: Settings
    observer: Observer | None
    watcher: Observer | None
    meter: Meter
    constants: dict[str, Any]
    fallback: bool

    @property
    def print_line(self) -> Callable[[str], None]:
        """Where printed lines go."""

    @property
    def compiles(self) -> int:
        """How many graphs were compiled."""

    def segment_at(self, frames: Sequence[Frame]) -> Segment:
        """Return the segment of a position."""

    def lookup(self, segment: Segment, state: State) -> tuple[Entry | None, tuple[str, ...]]:
        """Return an entry whose guards hold, else what failed."""

    def compile(self, segment: Segment, state: State, failed: tuple[str, ...]) -> Entry:
        """Compile a new entry."""

    def session(self, graph: Graph) -> Session:
        """Return a session for a graph."""

    def reached(self, ending: Ending) -> None:
        """Count a call that has come to where Python must decide."""


class Call:
    """One call; ``stats``, ``runs`` and ``fell_back`` tell how it went."""

    def __init__(self, capture: Cache, inputs: dict[str, Any], wrt: tuple[str, ...]) -> None:
        self.capture = capture
        self.stats = RunStats()
        self.wrt = wrt
        self.runs: list[Run] = []
        self.fell_back = False
        # Views of their own, so that one array fed twice is two values, as in eager.
        self.inputs = {
            name: np.ascontiguousarray(value).reshape(value.shape).view()
            if isinstance(value, np.ndarray) else value
            for name, value in inputs.items()
        }  # fmt: skip
        self.wanted: set[int] = {id(self.inputs[name]) for name in wrt}
        self.held: list[Any] = []
        self.rest: EagerRest | None = None

    def run(self) -> Any:
        """Run to the end; return the result with arrays for tensors."""
        capture = self.capture
        values = {name: self.inputs[name] for name in capture.main.parameters}
        frames = [Frame(capture.main, Variables(values))]
        while True:
            state = State(frames, capture.constants, frozenset(self.wanted))
            capture.meter.op()
            segment = capture.segment_at(frames)
            entry, failed = capture.lookup(segment, state)
            if entry is None:
                full = len(segment.entries) >= capture.limit
                if full or capture.compiles >= TOTAL_LIMIT:
                    return self.eagerly(segment, frames)
                entry = capture.compile(segment, state, failed)
            rebuilder = self.execute(entry, state)
            if entry.ending is None:
                return rebuilder.value(entry.recipe.result)
            frames = rebuilder.frames(entry.recipe)
            self.decide(entry.ending, frames)

    def execute(self, entry: Entry, state: State) -> Rebuilder:
        """Run a compiled graph on the state before it."""
        arrays = [state.at(path) for path in entry.inputs]
        sizes = entry.sizes(arrays)
        check_sizes(entry, sizes, self.capture.meter)
        outputs = entry.session.run(zip(entry.names, arrays, strict=True))
        self.count(entry.session.stats, self.beside(arrays))
        return Rebuilder(state, self.note(entry, arrays, outputs, sizes), sizes)

    def note(
        self, entry: Entry, arrays: list[Any], outputs: list[Any], sizes: dict[str, int]
    ) -> list[Any]:
        """Remember a run for the backward; return its live values."""
        live = outputs[: len(entry.live)]
        self.runs.append(Run(entry, arrays, live, outputs[len(live) :], sizes))
        self.held.extend(live)
        self.wanted.update(id(a) for a, on in zip(live, entry.active, strict=True) if on)
        return live

    def count(self, stats: RunStats, beside: int = 0) -> None:
        """Add the counters of a session; ``beside`` bytes were alive outside it."""
        self.stats.dispatches += stats.dispatches
        self.stats.launches += stats.launches
        self.stats.peak_bytes = max(self.stats.peak_bytes, stats.peak_bytes + beside)

    def beside(self, fed: Sequence[Any]) -> int:
        """Return the bytes alive outside a session that is fed ``fed``.

        With gradients wanted, all that earlier segments gave stays alive; else what the last
        one gave.
        """
        runs = self.runs if self.wrt else self.runs[-1:]
        alive = {id(a): a.nbytes for run in runs for a in (*run.live, *run.extra)}
        alive |= {id(a): a.nbytes for a in self.inputs.values() if isinstance(a, np.ndarray)}
        for array in fed:
            alive.pop(id(array), None)
        return sum(alive.values())

    def count_rest(self) -> None:
        """Add what ran eagerly since it was last added."""
        if self.rest is not None:
            stats = self.rest.builder.stats
            self.count(stats)
            stats.dispatches = stats.launches = 0

    def decide(self, ending: Ending, frames: list[Frame]) -> None:
        """Let Python do, with real values, what ended the segment."""
        capture = self.capture
        capture.reached(ending)
        if capture.observer is not None:
            capture.observer.emit(
                GraphBreak(
                    ending.place.line, ending.place.column, ending.what, ending.why,
                    ending.where, ending.hint,
                )
            )  # fmt: skip
        host = EagerHost(GraphBuilder(), capture.observer, capture.print_line)
        machine = Machine(capture.program, host, capture.meter)
        machine.globals = capture.constants
        machine.frames = frames
        machine.step()

    def eagerly(self, segment: Segment, frames: list[Frame]) -> Any:
        """Run the rest of the program eagerly: the recompile limit is reached."""
        capture = self.capture
        if not self.fell_back and capture.observer is not None:
            capture.observer.emit(Fallback(capture.limit, segment.function))
        self.fell_back = capture.fallback = True
        rest = EagerRest(capture.watcher, capture.print_line, frozenset(self.wanted))
        host = EagerHost(rest.builder, capture.observer, capture.print_line)
        machine = Machine(capture.program, host, capture.meter)
        machine.globals = capture.constants
        machine.frames = StateCopy(rest.enter).frames(frames)
        rest.result = machine.run()
        self.rest = rest
        self.count_rest()
        return arrays_of(rest.result)

    def gradients(self, result: Any) -> dict[str, Any]:
        """Return the gradients of the sum of the float outputs, by input name."""
        if not self.wrt:
            return {}
        floats = [array for array in tensors_in(result) if array.dtype.kind == "f"]
        if not floats:
            raise NotDifferentiableError(
                say("no output is a float, so there is nothing to differentiate")
            )
        found = self.backward([(a, np.ones(a.shape, a.dtype)) for a in floats])
        return {
            name: np.zeros_like(self.inputs[name]) if gradient is None else gradient
            for name, gradient in found.items()
        }

    def backward(self, seeds: Sequence[tuple[Any, Any]]) -> dict[str, Any]:
        """Carry gradients of outputs (array, gradient) back to the wanted inputs.

        An input that no output depends on gets None.
        """
        found: dict[int, Any] = {}
        if self.rest is not None:
            found = self.rest.backward(seeds)
        elif not (self.runs and self.runs[-1].entry.whole):
            for array, seed in seeds:
                if id(array) in self.wanted:
                    known = found.get(id(array))
                    found[id(array)] = seed if known is None else known + seed
        for run in reversed(self.runs):
            run_backward(self.capture, self.count, run, found)
        self.count_rest()
        return {name: found.get(id(self.inputs[name])) for name in self.wrt}


def arrays_of(value: Any) -> Any:
    """Return a result with the arrays of its tensors."""
    if isinstance(value, (tuple, list)):
        return type(value)(arrays_of(item) for item in value)
    return value.value if hasattr(value, "requires_grad") else value


def check_wanted(name: str, inputs: Mapping[str, Any]) -> None:
    """Refuse the gradient of what is no float tensor among the inputs."""
    if name not in inputs:
        known = ", ".join(inputs) or say("none")
        raise Refusal(
            Place(),
            say("there is no input {name} to differentiate", name=name),
            say("the inputs are: {known}", known=known),
            say("name one of the inputs after --grad"),
        )
    value = inputs[name]
    if not (isinstance(value, np.ndarray) and value.dtype.kind == "f"):
        kind = value.dtype.name if isinstance(value, np.ndarray) else type(value).__name__
        raise Refusal(
            Place(),
            say("{name} has no gradient: it is {kind}", name=name, kind=kind),
            say("only float tensors can be differentiated"),
            say("feed it as a float, such as {name}=2", name=name),
        )
