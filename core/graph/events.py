"""Owns the events that every mode emits, one schema for all, and the log that keeps them.

An event is a frozen record of numbers, words and small summaries; none holds an array that
the engine still writes to. What a screen shows is a fold over a list of events (``replay.py``),
so stepping back, scrubbing and comparing modes cost nothing extra. ``node`` is the id of a
value within ``scope``: "" for the program itself, "12.true" for the true arm of the ``cond``
at node 12, "12.body#3" for trip 3 of the loop at node 12.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from .summaries import KEPT_ELEMENTS as KEPT_ELEMENTS
from .summaries import ValueSummary as ValueSummary
from .summaries import constant_text as constant_text
from .summaries import format_number as format_number
from .summaries import format_value as format_value
from .summaries import summarize as summarize


@dataclass(frozen=True, slots=True)
class RunStarted:
    """A mode begins to run a program or a session a graph; ``mode`` as in DESIGN section 2."""

    mode: str
    label: str


@dataclass(frozen=True, slots=True)
class RunEnded:
    """The run is over; the three counters and the peak of live bytes."""

    mode: str
    dispatches: int
    launches: int
    seconds: float
    peak_bytes: int


@dataclass(frozen=True, slots=True)
class NodeCreated:
    """A value entered the graph: drawn by a static or capture builder, or computed eagerly.

    ``text`` is the value of a constant, where it is small; ``options`` are those of the op in
    words (``option_text.py``).
    """

    node: int
    op: str
    args: tuple[int, ...]
    shape: str
    line: int
    column: int
    name: str
    phase: str
    scope: str = ""
    text: str = ""
    options: str = ""


@dataclass(frozen=True, slots=True)
class Named:
    """The program gave a value its first variable name."""

    node: int
    name: str
    scope: str = ""


@dataclass(frozen=True, slots=True)
class OpStart:
    """A kernel is about to run."""

    node: int
    op: str
    args: tuple[int, ...]
    phase: str = "forward"
    scope: str = ""


@dataclass(frozen=True, slots=True)
class OpEnd:
    """A kernel has run; ``launches`` is 1 for everything that computes, 0 for bookkeeping."""

    node: int
    op: str
    value: ValueSummary
    nbytes: int
    ns: int
    launches: int = 1
    phase: str = "forward"
    scope: str = ""


@dataclass(frozen=True, slots=True)
class NonFinite:
    """The first op of this run whose result holds NaN or inf although its operands do not."""

    node: int
    op: str
    nans: int
    infs: int
    flags: tuple[str, ...]
    phase: str = "forward"
    scope: str = ""


@dataclass(frozen=True, slots=True)
class TapeSaved:
    """The tape keeps ``saved`` (ids) for the backward of ``node``."""

    node: int
    op: str
    saved: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TapeFreed:
    """The backward has passed ``node``; what it had saved is let go."""

    node: int


@dataclass(frozen=True, slots=True)
class GradContrib:
    """``source`` (a consumer) adds to the gradient of ``target``; ``order`` counts from 0."""

    source: int
    target: int
    order: int
    value: ValueSummary


@dataclass(frozen=True, slots=True)
class GradReady:
    """The gradient of ``node`` is complete; ``norm`` is its Euclidean length."""

    node: int
    value: ValueSummary
    norm: float


@dataclass(frozen=True, slots=True)
class Alloc:
    """A buffer for ``node`` comes to life."""

    node: int
    nbytes: int
    scope: str = ""


@dataclass(frozen=True, slots=True)
class Free:
    """The buffer of ``node`` is let go."""

    node: int
    nbytes: int
    scope: str = ""


@dataclass(frozen=True, slots=True)
class Reuse:
    """``node`` takes over bytes that ``previous`` has let go; ``inplace`` if it overwrites it."""

    node: int
    previous: int
    offset: int
    nbytes: int
    inplace: bool


@dataclass(frozen=True, slots=True)
class BranchTaken:
    """A ``cond`` chose the arm ``taken``, or Python an ``if`` at ``line`` (node -1)."""

    node: int
    taken: bool
    line: int = 0
    scope: str = ""


@dataclass(frozen=True, slots=True)
class LoopTrip:
    """A ``while_loop`` begins trip ``trip`` (from 0); ``backward`` in a gradient of the loop."""

    node: int
    trip: int
    phase: str = "forward"
    scope: str = ""


@dataclass(frozen=True, slots=True)
class Printed:
    """The program printed a line."""

    text: str
    node: int
    line: int = 0
    scope: str = ""


@dataclass(frozen=True, slots=True)
class LineReached:
    """The interpreter is about to execute a statement."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class PassApplied:
    """A pass turned a graph of ``before`` nodes into one of ``after``, by ``rules`` in order."""

    name: str
    before: int
    after: int
    rules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GuardChecked:
    """A guard was evaluated; ``text`` is a sentence such as ``x: shape[0] == 5, was 4``."""

    segment: int
    entry: int
    text: str
    ok: bool


@dataclass(frozen=True, slots=True)
class CompileStart:
    """Capture begins to draw a segment; ``reason`` is "first call" or the guard that failed."""

    segment: int
    reason: str


@dataclass(frozen=True, slots=True)
class CompileEnd:
    """The segment is drawn and optimised; ``total`` compiles so far for this function."""

    segment: int
    nodes: int
    total: int
    seconds: float


@dataclass(frozen=True, slots=True)
class GraphBreak:
    """Capture had to close a segment: Python needs a decision at ``line``, ``column``."""

    line: int
    column: int
    what: str
    why: str
    where: str
    hint: str


@dataclass(frozen=True, slots=True)
class Fallback:
    """The recompile limit is reached; from here on the function runs eagerly."""

    limit: int
    function: str


@dataclass(frozen=True, slots=True)
class Refused:
    """A mode cannot express the program; the five parts of every refusal."""

    line: int
    column: int
    what: str
    why: str
    hint: str


Event: TypeAlias = (
    RunStarted | RunEnded | NodeCreated | Named | OpStart | OpEnd | NonFinite | TapeSaved
    | TapeFreed | GradContrib | GradReady | Alloc | Free | Reuse | BranchTaken | LoopTrip | Printed
    | LineReached | PassApplied | GuardChecked | CompileStart | CompileEnd | GraphBreak
    | Fallback | Refused
)  # fmt: skip


class Observer(Protocol):
    """Whoever wants the events: a log, a profiler, a test, a cancel flag (by raising)."""

    def emit(self, event: Event) -> None:
        """Take one event, in the order in which things happen."""


class EventLog:
    """Keeps the last ``limit`` events (all when None) and how many were let go."""

    def __init__(self, limit: int | None = None) -> None:
        self._events: deque[Event] = deque(maxlen=limit)
        self.emitted = 0

    def emit(self, event: Event) -> None:
        """Append one event; the oldest goes when the log is full."""
        self._events.append(event)
        self.emitted += 1

    @property
    def dropped(self) -> int:
        """How many of the oldest events the limit cost."""
        return self.emitted - len(self._events)

    def __len__(self) -> int:
        return len(self._events)

    def __iter__(self) -> Iterator[Event]:
        return iter(tuple(self._events))

    def __getitem__(self, index: int) -> Event:
        return self._events[index]
