"""Owns the questions on what comes next: a value, a branch, a break, launches, a recompile.

A question is made from what the run did at the stops after the cursor; the answer is graded as
those of the Quiz are, and the card is one of the Quiz's boxes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..graph.events import GradReady, OpEnd, ValueSummary
from ..lessons.grading import Truth, grade
from .lockstep import CallView, Views
from .words import number_text

#: Cards of these questions in the boxes.
CARDS = (
    "graph-value", "graph-branch", "graph-break", "graph-launches", "graph-gradient",
    "graph-recompile",
)  # fmt: skip

#: Lists longer than this are not asked for.
LONGEST_LIST = 4

#: Decimals up to which a number can be found in one's head.
DECIMALS = 2


@dataclass(frozen=True)
class GraphQuestion:
    """A question: its card, what it is about, the truth, and where the cursor goes after it."""

    card: str
    name: str
    line: int
    truth: Truth
    to: int
    call: int

    def grade(self, typed: str) -> str:
        """Grade an answer: exact, close, off or unreadable."""
        return grade(typed.strip().removeprefix("[").removesuffix("]"), self.truth)

    @property
    def truth_text(self) -> str:
        """The truth as it is shown."""
        if isinstance(self.truth, bool):
            return "yes" if self.truth else "no"
        return str(self.truth)


def next_question(views: Views, cursor: int) -> GraphQuestion | None:
    """Return the question on what comes next after a cursor, None where nothing can be asked."""
    if not views.total:
        return None
    call, stop = views.at(cursor)
    view = views.calls[call]
    for number in range(stop + 1, len(view.stops)):
        made = _at_stop(views, view, call, number)
        if made is not None:
            return made
    return recompile_question(views, call + 1) if call + 1 < len(views.calls) else None


def recompile_question(views: Views, call: int) -> GraphQuestion:
    """Return the question whether capture compiles in a call."""
    log = views.calls[call].call.logs["capture"]
    compiles = any(type(event).__name__ == "CompileEnd" for event in log.events)
    return GraphQuestion(
        "graph-recompile", views.calls[call].call.inputs_text, 0, compiles, views.starts[call],
        call + 1,
    )  # fmt: skip


def _at_stop(views: Views, view: CallView, call: int, number: int) -> GraphQuestion | None:
    stop, before = view.stops[number], view.stops[number - 1]
    begin, end = before.positions[0], stop.positions[0]
    track = view.tracks["eager"]
    to = views.starts[call] + number
    if stop.kind == "line":
        for entry in reversed(track.entries):
            named = not entry.name.startswith("%")
            here = entry.line == stop.line  # in a loop as a node, a stop covers several lines
            if begin < entry.at <= end and entry.kind == "computed" and named and here:
                event = track.events[entry.at - 1]
                truth = _truth(event.value) if isinstance(event, OpEnd) else None
                if truth is not None:
                    return GraphQuestion("graph-value", entry.name, stop.line, truth, to, call + 1)
        return _decision(view, call, number, to)
    if stop.kind == "prepare":
        last = view.stops[-1].positions[1]
        counters = view.tracks["static"].counters
        launches = counters[last].launches
        if launches and view.call.logs["static"].gave is not None:
            return GraphQuestion("graph-launches", "", stop.line, launches, to, call + 1)
        return None
    if stop.kind == "backward":
        for entry in track.entries:
            if begin < entry.at <= end and entry.kind == "grad":
                event = track.events[entry.at - 1]
                scalar = isinstance(event, GradReady) and event.value.shape == ()
                truth = _truth(event.value) if isinstance(event, GradReady) and scalar else None
                if truth is not None and not entry.name.startswith("%"):
                    card = "graph-gradient"
                    return GraphQuestion(card, entry.name, stop.line, truth, to, call + 1)
    return None


def _decision(view: CallView, call: int, number: int, to: int) -> GraphQuestion | None:
    """Return the question on a line where Python decides.

    The first time a line comes in the first call it is whether capture breaks there, which it
    does only for values that are traced; after that it is which way Python goes.
    """
    stop, before = view.stops[number], view.stops[number - 1]
    entries = view.tracks["eager"].entries
    branches = [e for e in entries if e.kind == "branch" and e.line == stop.line]
    here = [e for e in branches if before.positions[0] < e.at <= stop.positions[0]]
    if not here:
        return None
    if not call and here[0] is branches[0]:
        broke = any(
            entry.kind == "break" and before.positions[2] < entry.at <= stop.positions[2]
            for entry in view.tracks["capture"].entries
        )
        return GraphQuestion("graph-break", "", stop.line, broke, to, call + 1)
    return GraphQuestion("graph-branch", "", stop.line, bool(here[0].numbers[0]), to, call + 1)


def _truth(value: ValueSummary) -> Truth:
    """Return a value as an answer to be typed: a number of few digits, or a short list of whole
    ones; None for what nobody finds in their head."""
    if value.shape == ():
        first = value.first[0]
        if isinstance(first, bool):
            return first
        found = float(number_text(first))
        return None if math.isfinite(found) and round(found, DECIMALS) != found else found
    if len(value.shape) == 1 and 1 < value.shape[0] <= LONGEST_LIST:
        whole = all(float(item).is_integer() for item in value.first if item == item)
        finite = not (value.nans or value.infs)
        if whole and finite:
            return tuple(int(item) for item in value.first)
    return None
