"""Owns running one program in one mode, call after call: what the report and screens show.

``eager`` runs each call on a tape. ``static`` draws a graph for every new signature (shapes,
element types, Python numbers) and runs it in a session. ``capture`` is ``capture.Capture``.
Counters, node order and seconds are those of the last call.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..wording import say
from .capture import RECOMPILE_LIMIT, Capture
from .capture_call import arrays_of, check_wanted
from .capture_helper import Helpers
from .eager import EagerBuilder
from .errors import GraphError
from .events import KEPT_ELEMENTS, Observer, Refused, RunEnded, RunStarted
from .feeds import Feed
from .grad import gradients
from .interp import RunStats
from .ir import Graph
from .lang_budget import DEFAULT_BUDGET, Budget, Meter, watch
from .lang_code import Code, Program
from .lang_host import EagerHost, StaticHost
from .lang_machine import Machine
from .lang_refusal import BudgetExceeded, Refusal
from .lang_values import Function
from .ops import Op
from .passes import DEFAULT, Applied, optimize
from .runtime import Session
from .segments import tensors_in
from .static import GraphBuilder
from .tensor import Tensor

MODES: tuple[str, ...] = ("eager", "static", "capture")


@dataclass(frozen=True)
class Options:
    """How programs are run; what does not concern a mode is ignored by it."""

    grads: tuple[str, ...] = ()
    passes: tuple[str, ...] = DEFAULT
    recompile_limit: int = RECOMPILE_LIMIT
    dynamic: bool = True
    guards: bool = True
    budget: Budget = DEFAULT_BUDGET
    observer: Observer | None = None
    cancelled: Callable[[], bool] | None = None


@dataclass
class ModeCall:
    """One call: its inputs, outputs, gradients, what it printed, compiles so far."""

    inputs: dict[str, Feed]
    outputs: list[Any]
    gradients: dict[str, Any]
    prints: list[str]
    compiles: int


@dataclass
class ModeRun:
    """All calls of one mode, and the counters of the last one."""

    mode: str
    calls: list[ModeCall] = field(default_factory=list)
    nodes: int = 0
    stats: RunStats = field(default_factory=RunStats)
    listing: Callable[[], list[str]] = list  #: makes ``order``, which not everyone wants
    capture: Capture | None = None
    drawn: list[Drawn] = field(default_factory=list)  #: what static ran, one for each call

    @property
    def order(self) -> list[str]:
        """The nodes of the last call, one line each."""
        return self.listing()


def run_mode(
    program: Program, mode: str, calls: Sequence[Mapping[str, Feed]], options: Options
) -> ModeRun:
    """Run all calls in one mode; :class:`Refusal` at the first thing it cannot do."""
    runner = open_mode(program, mode, options)
    for inputs in calls:
        runner.step(inputs)
    return runner.run


def open_mode(program: Program, mode: str, options: Options) -> Runner:
    """Return a runner that takes one call after another, keeping what it has drawn."""
    return {"eager": _Eager, "static": _Static, "capture": _Captured}[mode](program, options)


def listed(result: Any) -> list[Any]:
    """Return what a program returned as a list of outputs: a tuple is several."""
    return list(result) if isinstance(result, (tuple, list)) else [result]


class Runner:
    """One program in one mode, call after call; what the three modes share."""

    mode = ""

    def __init__(self, program: Program, options: Options) -> None:
        self.program = program
        self.options = options
        self.meter = Meter(options.budget, options.cancelled)
        self.observer = watch(self.meter, options.observer, program.loops)
        self.print_line: Callable[[str], None] = lambda text: None
        self.compiles = 0
        self.run = ModeRun(self.mode)

    def step(self, inputs: Mapping[str, Feed]) -> ModeCall:
        """Run the next call; it is added to ``run.calls`` unless it is refused."""
        prints: list[str] = []
        self.print_line = prints.append
        try:
            for name in self.options.grads:
                check_wanted(name, inputs)
            outputs, found = self.call(inputs)
        except (GraphError, RecursionError) as error:
            refusal = error if isinstance(error, Refusal) else self._explained(error)
            if self.options.observer is not None:
                self.options.observer.emit(
                    Refused(
                        refusal.place.line, refusal.place.column, refusal.what, refusal.why,
                        refusal.hint,
                    )
                )  # fmt: skip
            raise refusal from None
        made = ModeCall(dict(inputs), outputs, found, prints, self.compiles)
        self.run.calls.append(made)
        return made

    def _explained(self, error: GraphError | RecursionError) -> Refusal:
        main = self.program.main
        if isinstance(error, RecursionError):  # such as ten thousand functions, each in the next
            return BudgetExceeded(
                main.place,
                say("values are nested too deeply"),
                say("functions or tuples hold one another in a long chain"),
                say("use a list or a loop"),
            )
        why = say("while {name} ran", name=main.name)
        return Refusal(main.place, error.what, why, error.hint or say("change the program"))

    def printed(self, text: str) -> None:
        """Take a printed line of the current call; it is kept, so it counts as a result."""
        self.meter.array(0, len(text))
        self.print_line(text)

    def call(self, inputs: Mapping[str, Feed]) -> tuple[list[Any], dict[str, Any]]:
        """Run one call; return outputs and gradients as arrays."""
        raise NotImplementedError


class ListingBuilder(EagerBuilder):
    """An eager builder that keeps the order of what it computed, without keeping values."""

    def __init__(self, observer: Observer | None, print_line: Callable[[str], None]) -> None:
        super().__init__(observer, print_line)
        self._rows: list[tuple[int, str, tuple[Any, ...], str, str]] = []
        self._names: dict[int, str] = {}

    def call(self, op: str | Op, *operands: Any, **options: Any) -> Tensor:
        """Apply an op and note it."""
        made = super().call(op, *operands, **options)
        name = op if isinstance(op, str) else op.name
        args = tuple(t.number if isinstance(t, Tensor) else str(t) for t in operands)
        value = made.value
        small = isinstance(value, np.ndarray) and value.size <= KEPT_ELEMENTS
        shown = str(value.tolist()) if small else ""
        self._rows.append((made.number, name, args, self.phase, shown))
        return made

    def input(self, value: Any, name: str = "", requires_grad: bool = False) -> Tensor:
        """Return a leaf and note its name."""
        made = super().input(value, name, requires_grad)
        self._names[made.number] = name
        return made

    def name(self, value: Tensor, name: str) -> None:
        """Note a variable's name."""
        super().name(value, name)
        self._names.setdefault(value.number, name)

    @property
    def nodes(self) -> int:
        """How many values there were: inputs, constants and results."""
        return self._rows[-1][0] + 1 if self._rows else len(self._names)

    def order(self) -> list[str]:
        """Return one line for each op, in the order computed: ``s = add a b  # 5.0``."""
        lines = []
        for number, op, args, phase, value in self._rows:
            notes = [value, "backward" if phase == "backward" else ""]
            note = "; ".join(filter(None, notes))
            line = f"{self._called(number)} = {' '.join([op, *map(self._called, args)])}"
            lines.append(f"{line}  # {note}" if note else line)
        return lines

    def _called(self, number: Any) -> str:
        if isinstance(number, str):
            return number
        return self._names.get(number) or f"%{number}"


class _Eager(Runner):
    mode = "eager"

    def __init__(self, program: Program, options: Options) -> None:
        super().__init__(program, options)
        self.helpers = Helpers(self.capture_of)

    def capture_of(self, code: Code) -> Capture:
        """Return the capture of a helper marked ``@capture``."""
        options = self.options
        return Capture(
            self.program, options.passes, options.recompile_limit, options.dynamic, True,
            options.observer, self.printed, options.budget, options.cancelled, code,
        )  # fmt: skip

    def call(self, inputs: Mapping[str, Feed]) -> tuple[list[Any], dict[str, Any]]:
        self.meter.restart()
        observer = self.options.observer
        if observer is not None:
            observer.emit(RunStarted("eager", self.program.main.name))
        begun = time.perf_counter()
        builder = ListingBuilder(self.observer, self.printed)
        host = EagerHost(builder, self.options.observer, self.printed)
        host.helper = lambda code, values: self.helpers.call(builder, code, values)
        machine = Machine(self.program, host, self.meter)
        wanted = self.options.grads
        leaves = {
            name: builder.input(value, name, name in wanted)
            for name, value in inputs.items()
            if isinstance(value, np.ndarray)
        }
        machine.start(Function(self.program.main), (), {**inputs, **leaves})
        result = machine.run()
        chosen = [leaves[name] for name in wanted]
        found = builder.gradients(tensors_in(result), chosen) if wanted else []
        stats = builder.stats
        stats.seconds = time.perf_counter() - begun
        if observer is not None:
            observer.emit(
                RunEnded("eager", stats.dispatches, stats.launches, stats.seconds, stats.peak_bytes)
            )
        self.run.stats = stats
        self.run.listing = builder.order
        self.run.nodes = builder.nodes
        self.compiles = self.helpers.compiles
        return listed(arrays_of(result)), dict(zip(wanted, arrays_of(found), strict=True))


@dataclass
class Drawn:
    """A drawn graph, its session, the result with numbers for its outputs."""

    graph: Graph
    session: Session
    result: Any
    outputs: int
    raw: Graph
    applied: tuple[Applied, ...]


class _Static(Runner):
    mode = "static"

    def __init__(self, program: Program, options: Options) -> None:
        super().__init__(program, options)
        self.drawn: dict[Any, Drawn] = {}

    def call(self, inputs: Mapping[str, Feed]) -> tuple[list[Any], dict[str, Any]]:
        self.meter.restart()
        key = tuple(
            (value.dtype, value.shape) if isinstance(value, np.ndarray) else repr(value)
            for value in inputs.values()
        )
        if key not in self.drawn:
            self.drawn[key] = self.draw(inputs)
            self.compiles += 1
        drawn = self.drawn[key]
        self.run.drawn.append(drawn)
        feed = {name: v for name, v in inputs.items() if isinstance(v, np.ndarray)}
        outputs = drawn.session.run(feed)
        self.run.stats = drawn.session.stats
        self.run.nodes = len(drawn.graph)
        self.run.listing = lambda: drawn.graph.text().splitlines()
        result = _filled(drawn.result, outputs)
        found = dict(zip(self.options.grads, outputs[drawn.outputs :], strict=True))
        return listed(result), found

    def draw(self, inputs: Mapping[str, Feed]) -> Drawn:
        """Draw, differentiate and optimise the graph of one signature."""
        builder = GraphBuilder(self.options.observer)
        host = StaticHost(builder, self.options.observer, self.printed)
        machine = Machine(self.program, host, self.meter)
        args = [
            builder.placeholder(name, value.shape, value.dtype)
            if isinstance(value, np.ndarray)
            else value
            for name, value in inputs.items()
        ]
        machine.start(Function(self.program.main), args, {})
        result = machine.run()
        outputs = tensors_in(result)
        graph = builder.finish(*outputs)
        if self.options.grads:
            graph = gradients(graph, self.options.grads)
        raw = graph
        options = self.options
        graph, applied = optimize(raw, options.passes, options.observer, self.meter.look)
        self.meter.look()
        session = Session(graph, self.observer, print_line=self.printed)
        return Drawn(graph, session, result, len(outputs), raw, applied)


def _filled(result: Any, outputs: Sequence[Any]) -> Any:
    """Return a drawn result with arrays for its values, in order."""
    rest = iter(outputs)

    def fill(value: Any) -> Any:
        if isinstance(value, (tuple, list)):
            return type(value)(fill(item) for item in value)
        return next(rest) if tensors_in(value) else value

    return fill(result)


class _Captured(Runner):
    mode = "capture"

    def __init__(self, program: Program, options: Options) -> None:
        super().__init__(program, options)
        self.capture = Capture(
            program, options.passes, options.recompile_limit, options.dynamic, options.guards,
            options.observer, self.printed, options.budget, options.cancelled,
        )  # fmt: skip
        self.run.capture = self.capture
        self.meter = self.capture.meter

    def call(self, inputs: Mapping[str, Feed]) -> tuple[list[Any], dict[str, Any]]:
        found = self.capture.call(inputs, self.options.grads)
        self.compiles = self.capture.compiles
        self.run.stats = found.stats
        self.run.nodes = sum(len(entry.graph) for entry in found.entries)
        self.run.listing = lambda: [
            f"segment {entry.segment}, graph {entry.number}: {line}"
            for entry in found.entries
            for line in entry.graph.text().splitlines()
        ]
        return listed(found.outputs), found.gradients


__all__ = ["MODES", "ModeCall", "ModeRun", "Options", "Runner", "open_mode", "run_mode"]
