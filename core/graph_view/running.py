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

from ..graph.bundled import NAMES, source
from ..graph.compare import Difference, first_difference
from ..graph.events import CompileEnd, Event, EventLog, GuardChecked, RunEnded, RunStarted
from ..graph.feeds import Feed, bind, format_feed, read_feeds
from ..graph.ir import Graph
from ..graph.lang import load
from ..graph.lang_budget import DEFAULT_BUDGET, Budget
from ..graph.lang_code import Program
from ..graph.lang_refusal import Cancelled, Place, Refusal
from ..graph.modes import MODES, Drawn, ModeCall, ModeRun, Options, open_mode
from .options import ALL_GRADIENTS, NO_GRADIENTS, GraphOptions


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

    @property
    def seconds(self) -> float | None:
        """The measured time of the call, None where it did not end."""
        ends = [event for event in self.events if isinstance(event, RunEnded)]
        return None if self.gave is None else sum(event.seconds for event in ends)


@dataclass(frozen=True, eq=False)
class CallRun:
    """One call in every mode."""

    inputs: Mapping[str, Feed]
    logs: Mapping[str, ModeLog]

    @property
    def inputs_text(self) -> str:
        """The inputs as they would be typed."""
        return "; ".join(f"{name}={format_feed(value)}" for name, value in self.inputs.items())


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
                    Place(), f"{name} is larger than {budget.source_bytes:,} bytes",
                    "that is the budget of a program", "split it, or keep data out of it",
                )  # fmt: skip
            return path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else "it is no text"
        raise Refusal(Place(), f"{name} cannot be read", why, "name another file") from None
    if "/" in name or name not in NAMES:
        bundled = ", ".join(NAMES)
        raise Refusal(
            Place(), f"there is no program {name}", f"bundled are {bundled}",
            "give a bundled name or a file",
        )  # fmt: skip
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
    settings = Options(
        grads=grads, passes=options.passes, recompile_limit=options.recompile_limit,
        dynamic=options.dynamic == "on", guards=not options.no_guards, budget=budget,
        cancelled=cancelled,
    )  # fmt: skip
    logs: list[dict[str, ModeLog]] = [{} for _ in calls]
    modes: dict[str, ModeRun] = {}
    for mode in MODES:
        log = EventLog()
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


def _no_float(log: ModeLog) -> bool:
    """Return whether a call was refused only because nothing can be differentiated."""
    return log.refusal is not None and log.refusal.what.startswith("no output is a float")


def graphs_of(
    ran: ModeRun, events: Sequence[Event], drawn: Sequence[Drawn]
) -> tuple[Graph | None, ...]:
    """Return the graph behind every session of a log, in order.

    In capture a session runs the entry whose guards held, or that was compiled, just before;
    one that nothing came before is a way back, whose graph is not kept.
    """
    if ran.capture is None:
        return tuple(item.graph for item in drawn)
    entries = ran.capture.entries
    found: list[Graph | None] = []
    number: int | None = None
    for event in events:
        match event:
            case GuardChecked():
                number = event.entry if event.ok else None
            case CompileEnd():
                number = event.total - 1
            case RunStarted():
                known = number is not None and number < len(entries)
                found.append(entries[number].graph if known and number is not None else None)
                number = None
            case _:
                pass
    return tuple(found)


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
                Place(), f"the program has no input {name}",
                f"its inputs are: {', '.join(program.parameters) or 'none'}", "name one of them",
            )  # fmt: skip
    floats = tuple(
        name
        for name, value in inputs.items()
        if isinstance(value, np.ndarray) and value.dtype.kind == "f"
    )
    if options.grad == (ALL_GRADIENTS,):
        return floats
    return options.grad or floats[:1]
