"""Owns the budgets of a user's program: the limits, and the meter that counts against them.

A limit is checked before the work that would break it: a source before it is parsed, an
array before it is made. The clock and the cancel callback are looked at with every op and
every few hundred steps, so nothing runs on for long after either says stop.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from ..wording import say
from .events import Alloc, Event, LoopTrip, Observer, OpStart
from .lang_refusal import BudgetExceeded, Cancelled, Place

#: Whole numbers of Python beyond this many bits are refused; arrays hold 64.
LARGEST_BITS = 256

#: Axes of one array; numpy itself knows 64.
MOST_AXES = 32

#: Steps between two looks at the clock.
STEPS_PER_LOOK = 256


@dataclass(frozen=True, slots=True)
class Budget:
    """What one run of a program may use; ``limits()`` says it in words."""

    source_bytes: int = 200_000
    syntax_nodes: int = 100_000
    nesting: int = 150  #: brackets and blocks within one another
    steps: int = 500_000  #: instructions of the interpreter
    ops: int = 50_000  #: ops computed or drawn
    elements: int = 4_000_000  #: of one array
    bytes: int = 512_000_000  #: of all results together
    seconds: float = 10.0  #: of one call in one mode
    depth: int = 500  #: calls within one another

    def limits(self) -> tuple[tuple[str, str], ...]:
        """Return each limit as (what, how much), for help and screens."""
        return (
            ("source", f"{self.source_bytes:,} bytes"),
            ("syntax", f"{self.syntax_nodes:,} nodes"),
            ("nesting", f"{self.nesting:,} levels"),
            ("steps", f"{self.steps:,}"),
            ("ops", f"{self.ops:,}"),
            ("one array", f"{self.elements:,} elements"),
            ("all results", f"{self.bytes:,} bytes"),
            ("time", f"{self.seconds:g} s"),
            ("calls", f"{self.depth:,} within one another"),
        )


#: The budget that everything uses unless told otherwise.
DEFAULT_BUDGET = Budget()


class Meter:
    """Counts what a run uses. ``cancelled`` is asked with every op; True stops the run."""

    def __init__(
        self, budget: Budget = DEFAULT_BUDGET, cancelled: Callable[[], bool] | None = None
    ) -> None:
        self.budget = budget
        self.cancelled = cancelled
        self.place = Place()
        self.steps = 0
        self.ops = 0
        self.bytes = 0
        self._ends = time.monotonic() + budget.seconds

    def restart(self) -> None:
        """Begin to count afresh, as for the next call."""
        self.steps = self.ops = self.bytes = 0
        self._ends = time.monotonic() + self.budget.seconds

    def step(self) -> None:
        """Count one instruction."""
        self.steps += 1
        if self.steps % STEPS_PER_LOOK == 0:
            if self.steps > self.budget.steps:
                self._exceeded(
                    "steps",
                    say("{steps:,} steps", steps=self.budget.steps),
                    say("a loop may never end"),
                )
            self.look()

    def op(self, count: int = 1, loop: str = "") -> None:
        """Count ops that are computed or drawn; ``loop`` says which trip of a while_loop runs."""
        self.ops += count
        if self.ops > self.budget.ops:
            self._exceeded(
                "trips" if loop else "ops",
                say("{ops:,} ops", ops=self.budget.ops),
                loop or say("a long Python loop draws every trip"),
            )
        self.look(loop)

    def array(self, elements: int, nbytes: int) -> None:
        """Check an array that is about to be made."""
        if elements > self.budget.elements:
            self._exceeded(
                "elements",
                say("{elements:,} elements in one array", elements=self.budget.elements),
                say("this result would have {elements:,}", elements=elements),
            )
        self.bytes += nbytes
        if self.bytes > self.budget.bytes:
            self._exceeded(
                "bytes",
                say("{bytes:,} bytes of results", bytes=self.budget.bytes),
                say("with this result it would be {bytes:,}", bytes=self.bytes),
            )

    def depth(self, calls: int) -> None:
        """Check how many calls stand within one another."""
        if calls > self.budget.depth:
            self._exceeded(
                "depth",
                say("{depth:,} calls within one another", depth=self.budget.depth),
                say("the recursion does not end soon enough"),
            )

    def look(self, loop: str = "") -> None:
        """Look at the cancel callback and at the clock; ``loop`` as for :meth:`op`."""
        if self.cancelled is not None and self.cancelled():
            raise Cancelled(
                self.place, say("stopped"), say("the run was cancelled"), say("run it again")
            )
        if time.monotonic() > self._ends:
            self._exceeded(
                "trips" if loop else "time",
                say("{seconds:g} s", seconds=self.budget.seconds),
                loop or say("the program takes longer"),
            )

    def _exceeded(self, kind: str, limit: str, why: str) -> None:
        hints = {
            "steps": say("let the loop end, or use while_loop for many trips"),
            "trips": say("check its test: a carry must reach the bound, and in fewer trips"),
            "ops": say("make the loop shorter, or use while_loop: it is one op whatever the trips"),
            "elements": say("use smaller shapes"),
            "bytes": say("use smaller arrays or fewer steps"),
            "depth": say("give the recursion an end that it reaches earlier"),
            "time": say("use fewer steps or smaller arrays"),
        }
        what = say("the budget of {limit} is used up", limit=limit)
        raise BudgetExceeded(self.place, what, why, hints[kind])


class MeteredObserver:
    """Passes events on and counts what runs inside graphs: ops, trips, bytes of results."""

    def __init__(self, meter: Meter, inner: Observer | None = None) -> None:
        self.meter = meter
        self.inner = inner
        self._loop = ""

    def emit(self, event: Event) -> None:
        """Count what computes, then pass the event on."""
        if isinstance(event, LoopTrip):
            self._loop = (
                say("the gradient of a while_loop runs every trip again")
                if event.phase == "backward"
                else say("in trip {trip:,} of a while_loop its test still holds", trip=event.trip)
            )
            self.meter.op(1, self._loop)
        elif isinstance(event, OpStart):
            # "#" numbers the trips in a scope: this op runs inside a loop.
            self.meter.op(1, self._loop if "#" in event.scope else "")
        elif isinstance(event, Alloc) and event.scope:
            self.meter.array(0, event.nbytes)
        if self.inner is not None:
            self.inner.emit(event)


def watch(meter: Meter, observer: Observer | None, loops: bool) -> Observer | None:
    """Return the observer for whatever runs graphs.

    A ``while_loop`` decides its trips when it runs, so a program with one is always watched;
    others only where someone wants the events, which cost time.
    """
    if observer is None and not loops:
        return None
    return MeteredObserver(meter, observer)
