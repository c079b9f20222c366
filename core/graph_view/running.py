"""Owns the run: one program under every call in every mode, with the events of each.

A run never raises for what a program does: a mode that refuses keeps its log up to there and
the refusal, and the other modes go on. Only what stops the run as a whole (a program that
cannot be read, inputs that do not fit) is its ``problem``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from ..foreign import reason
from ..graph.bundled import NAMES, source
from ..graph.capture_replay import REPLAYED
from ..graph.compare import Difference, first_difference
from ..graph.events import (
    CompileEnd,
    Event,
    EventLog,
    GradContrib,
    GradReady,
    GuardChecked,
    OpEnd,
    RunStarted,
)
from ..graph.feeds import Feed, bind, format_feed, read_feeds
from ..graph.ir import Graph
from ..graph.lang import load
from ..graph.lang_budget import DEFAULT_BUDGET, Budget
from ..graph.lang_code import Program
from ..graph.lang_refusal import Cancelled, Place, Refusal
from ..graph.modes import MODES, Drawn, ModeCall, ModeRun, Options, open_mode
from ..wording import say
from .options import ALL_GRADIENTS, NO_GRADIENTS, GraphOptions

#: Bytes of large values that the log of one mode keeps for comparing; of later ones, checksums.
KEPT_BYTES = 32 << 20


class KeepingLog(EventLog):
    """A log that keeps the bits of values up to a limit."""

    def __init__(self, limit_bytes: int = KEPT_BYTES) -> None:
        super().__init__()
        self.left = limit_bytes

    def emit(self, event: Event) -> None:
        """Append one event; without the bits of its value where there is no room left."""
        if isinstance(event, (OpEnd, GradReady, GradContrib)) and event.value.whole:
            compared = isinstance(event, OpEnd)
            self.left -= len(event.value.whole) if compared else 0
            if not compared or self.left < 0:
                event = replace(event, value=replace(event.value, whole=b""))
        self._events.append(event)
        self.emitted += 1


@dataclass(frozen=True, eq=False)
class Asked:
    """A run as asked for; ``text`` is an edited program that no file holds (None: as named)."""

    options: GraphOptions = field(default_factory=GraphOptions)
    text: str | None = None
    seed: int = 0

    @property
    def key(self) -> tuple[object, ...]:
        """What makes two runs the same."""
        return (self.options, self.text, self.seed)


@dataclass(frozen=True, eq=False)
class ModeLog:
    """One mode during one call: its events, what it gave, or why it refused."""

    mode: str
    events: tuple[Event, ...]
    gave: ModeCall | None
    refusal: Refusal | None
    graphs: tuple[Graph | None, ...] = ()  #: those that its sessions ran, None where unknown


def typed(inputs: Mapping[str, Feed]) -> str:
    """Return inputs as they would be typed."""
    return "; ".join(f"{name}={format_feed(value)}" for name, value in inputs.items())


@dataclass(frozen=True, eq=False)
class CallRun:
    """One call in every mode."""

    inputs: Mapping[str, Feed]
    logs: Mapping[str, ModeLog]

    @property
    def inputs_text(self) -> str:
        """The inputs as they would be typed."""
        return typed(self.inputs)


@dataclass(frozen=True, eq=False)
class GraphRun:
    """Everything a screen folds: the program and every call, or the problem that stopped it."""

    asked: Asked
    text: str
    program: Program | None = None
    calls: tuple[CallRun, ...] = ()
    modes: Mapping[str, ModeRun] = field(default_factory=dict)
    grads: tuple[str, ...] = ()
    problem: Refusal | None = None

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The source by lines."""
        return tuple(self.text.splitlines())

    @cached_property
    def difference(self) -> Difference:
        """Where two modes that ran differ first."""
        complete = {
            name: run for name, run in self.modes.items() if len(run.calls) == len(self.calls)
        }
        return first_difference(complete)


def text_of(asked: Asked, budget: Budget = DEFAULT_BUDGET) -> str:
    """Return the program's text: as edited, from a file, or bundled; :class:`Refusal` else."""
    if asked.text is not None:
        return asked.text
    name = asked.options.program
    path = Path(name)
    try:
        if path.is_file():
            if path.stat().st_size > budget.source_bytes:
                raise Refusal(
                    Place(),
                    say(
                        "{name} is larger than {source_bytes:,} bytes",
                        name=name,
                        source_bytes=budget.source_bytes,
                    ),
                    say("that is the budget of a program"),
                    say("split it, or keep data out of it"),
                )
            return path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        no_text = say("it is no text")
        why = reason(error, no_text) if isinstance(error, OSError) else no_text
        raise Refusal(
            Place(), say("{name} cannot be read", name=name), why, say("name another file")
        ) from None
    if "/" in name or name not in NAMES:
        bundled = ", ".join(NAMES)
        raise Refusal(
            Place(),
            say("there is no program {name}", name=name),
            say("bundled are {bundled}", bundled=bundled),
            say("give a bundled name or a file"),
        )
    return source(name)


def run(
    asked: Asked,
    budget: Budget = DEFAULT_BUDGET,
    cancelled: Callable[[], bool] | None = None,
) -> GraphRun:
    """Run every call in every mode; :class:`Cancelled` when asked to stop."""
    text = ""
    try:
        text = text_of(asked, budget)
        program = load(text, asked.options.program, asked.seed, budget)
        calls = read_calls(program, asked.options, asked.seed)
        grads = wanted_gradients(program, asked.options, calls[0])
    except Refusal as problem:
        return GraphRun(asked, text, problem=problem)
    options = asked.options
    settings = mode_options(options, grads, budget, cancelled)
    logs: list[dict[str, ModeLog]] = [{} for _ in calls]
    modes: dict[str, ModeRun] = {}
    for mode in MODES:
        log = KeepingLog()
        runner = open_mode(program, mode, replace(settings, observer=log))
        modes[mode] = runner.run
        for inputs, found in zip(calls, logs, strict=True):
            begun, drawn = len(log), len(runner.run.drawn)
            gave: ModeCall | None = None
            refusal: Refusal | None = None
            try:
                gave = runner.step(inputs)
            except Cancelled:
                raise
            except Refusal as error:
                refusal = error
            events = tuple(log)[begun:]
            ran = graphs_of(runner.run, events, runner.run.drawn[drawn:])
            found[mode] = ModeLog(mode, events, gave, refusal, ran)
    auto = not options.grad and bool(grads)
    if auto and all(_no_float(found["eager"]) for found in logs):
        without = replace(options, grad=(NO_GRADIENTS,))
        return replace(run(replace(asked, options=without), budget, cancelled), asked=asked)
    made = tuple(CallRun(i, found) for i, found in zip(calls, logs, strict=True))
    return GraphRun(asked, text, program, made, modes, grads)


def mode_options(
    options: GraphOptions,
    grads: tuple[str, ...],
    budget: Budget,
    cancelled: Callable[[], bool] | None,
) -> Options:
    """Return how the engine is to run the modes."""
    return Options(
        grads=grads, passes=options.passes, recompile_limit=options.recompile_limit,
        dynamic=options.dynamic == "on", guards=not options.no_guards, budget=budget,
        cancelled=cancelled,
    )  # fmt: skip


def _no_float(log: ModeLog) -> bool:
    """Return whether a call was refused only because nothing can be differentiated."""
    return log.refusal is not None and log.refusal.what.startswith("no output is a float")


def graphs_of(
    ran: ModeRun, events: Sequence[Event], drawn: Sequence[Drawn]
) -> tuple[Graph | None, ...]:
    """Return the graph behind every session of a log, in order, None where it is not kept."""
    if ran.capture is None:
        return tuple(item.graph for item in drawn)
    entries, recording = ran.capture.entries, ran.capture.recording
    replayed = iter(recording.steps if recording is not None else ())
    found: list[Graph | None] = []
    for number, label in sessions_of(events):
        if label == REPLAYED:
            step = next(replayed, None)
            found.append(None if step is None else step[0].graph)
        else:
            known = number is not None and number < len(entries)
            found.append(entries[number].graph if known and number is not None else None)
    return tuple(found)


def sessions_of(events: Sequence[Event]) -> list[tuple[int | None, str]]:
    """Return, for every session of a captured call, the number of its graph, and its label.

    The graph is the one whose guards held, or that was compiled, just before; a session that
    nothing came before is a way back or a replay, and has none.
    """
    found: list[tuple[int | None, str]] = []
    number: int | None = None
    for event in events:
        match event:
            case GuardChecked():
                number = event.entry if event.ok else None
            case CompileEnd():
                number = event.total - 1
            case RunStarted():
                found.append((number, event.label))
                number = None
            case _:
                pass
    return found


def read_calls(program: Program, options: GraphOptions, seed: int) -> list[dict[str, Feed]]:
    """Return the inputs of every call: defaults, then what every call is fed, then its own."""
    always = read_feeds(options.feed, seed)
    own = [read_feeds([text], seed) for text in options.calls] or [{}]
    return [bind(program.parameters, program.inputs, always, call) for call in own]


def wanted_gradients(
    program: Program, options: GraphOptions, inputs: Mapping[str, Feed]
) -> tuple[str, ...]:
    """Return the inputs whose gradients are wanted; :class:`Refusal` for one there is not."""
    if options.grad == (NO_GRADIENTS,):
        return ()
    for name in options.grad:
        if options.grad != (ALL_GRADIENTS,) and name not in program.parameters:
            raise Refusal(
                Place(),
                say("the program has no input {name}", name=name),
                say("its inputs are: {known}", known=", ".join(program.parameters) or say("none")),
                say("name one of the inputs"),
            )
    floats = tuple(
        name
        for name, value in inputs.items()
        if isinstance(value, np.ndarray) and value.dtype.kind == "f"
    )
    if options.grad == (ALL_GRADIENTS,):
        return floats
    return options.grad or floats[:1]
