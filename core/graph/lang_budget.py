"""Owns the budgets of a user's program: the limits, and the meter that counts against them.

A limit is checked before the work that would break it: a source before it is parsed, an
array before it is made. The clock and the cancel callback are looked at with every op and
every few hundred steps, so nothing runs on for long after either says stop.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from .events import Event, LoopTrip, Observer, OpStart
from .lang_refusal import BudgetExceeded, Cancelled, Place

#: Whole numbers of Python beyond this many bits are refused; arrays hold 64.
LARGEST_BITS = 256

#: Steps between two looks at the clock.
STEPS_PER_LOOK = 256


@dataclass(frozen=True, slots=True)
class Budget:
    """What one run of a program may use; ``limits()`` says it in words."""

    source_bytes: int = 200_000
    syntax_nodes: int = 100_000
    nesting: int = 150  #: brackets and blocks within one another
    steps: int = 1_000_000  #: instructions of the interpreter
    ops: int = 50_000  #: ops computed or drawn
    elements: int = 4_000_000  #: of one array
    bytes: int = 512_000_000  #: of all results together
    seconds: float = 10.0
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
                self._exceeded("steps", f"{self.budget.steps:,} steps", "a loop may never end")
            self.look()

    def op(self, count: int = 1) -> None:
        """Count ops that are computed or drawn."""
        self.ops += count
        if self.ops > self.budget.ops:
            self._exceeded("ops", f"{self.budget.ops:,} ops", "a long Python loop draws every trip")
        self.look()

    def array(self, elements: int, nbytes: int) -> None:
        """Check an array that is about to be made."""
        if elements > self.budget.elements:
            self._exceeded(
                "elements",
                f"{self.budget.elements:,} elements in one array",
                f"this result would have {elements:,}",
            )
        self.bytes += nbytes
        if self.bytes > self.budget.bytes:
            self._exceeded(
                "bytes",
                f"{self.budget.bytes:,} bytes of results",
                f"with this result it would be {self.bytes:,}",
            )

    def depth(self, calls: int) -> None:
        """Check how many calls stand within one another."""
        if calls > self.budget.depth:
            self._exceeded(
                "depth", f"{self.budget.depth:,} calls within one another",
                "the recursion does not end soon enough",
            )  # fmt: skip

    def look(self) -> None:
        """Look at the cancel callback and at the clock."""
        if self.cancelled is not None and self.cancelled():
            raise Cancelled(self.place, "stopped", "the run was cancelled", "run it again")
        if time.monotonic() > self._ends:
            self._exceeded("time", f"{self.budget.seconds:g} s", "the program takes longer")

    def _exceeded(self, kind: str, limit: str, why: str) -> None:
        hints = {
            "steps": "let the loop end, or use while_loop for many trips",
            "ops": "make the loop shorter, or use while_loop: it is one op whatever the trips",
            "elements": "use smaller shapes",
            "bytes": "use smaller arrays or fewer steps",
            "depth": "give the recursion an end that it reaches earlier",
            "time": "use fewer steps or smaller arrays",
        }
        what = f"the budget of {limit} is used up"
        raise BudgetExceeded(self.place, what, why, hints[kind])


class MeteredObserver:
    """Passes events on and counts the ops and trips that run inside graphs."""

    def __init__(self, meter: Meter, inner: Observer | None = None) -> None:
        self.meter = meter
        self.inner = inner

    def emit(self, event: Event) -> None:
        """Count what computes, then pass the event on."""
        if isinstance(event, (OpStart, LoopTrip)):
            self.meter.op()
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
