"""Owns the cursor that all modes share: its stops, and where each mode's log stands at them.

The line visits of the eager run are the clock. A static drawing visits the same lines in the
same order; captured segments visit them while they are compiled, and a segment that is taken
from the cache is passed at the line where it ends. After the last line come the stops that
only some modes have: guards and passes, launches, the way back.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..graph.capture_replay import REPLAYED
from ..graph.events import (
    BranchTaken,
    Event,
    Free,
    GradReady,
    GraphBreak,
    LineReached,
    Named,
    NodeCreated,
    NonFinite,
    OpEnd,
    OpStart,
    Printed,
    Refused,
    RunEnded,
    RunStarted,
)

#: The order in which the stops of a call come.
KINDS = ("inputs", "line", "prepare", "run", "backward", "end")


@dataclass(frozen=True, slots=True)
class Stop:
    """One place of the cursor: what has just happened, the line, events done in each mode."""

    kind: str
    line: int
    positions: tuple[int, ...]


def visits_of(events: Sequence[Event]) -> list[int]:
    """Return the lines that a log reaches, in order."""
    return [event.line for event in events if isinstance(event, LineReached)]


def first_backward(events: Sequence[Event]) -> int:
    """Return where the eager backward begins, the end of the log if it does not."""
    for at, event in enumerate(events):
        if isinstance(event, OpStart) and event.phase == "backward" and not event.scope:
            return at
    return len(events)


def line_marks(events: Sequence[Event], visits: Sequence[int]) -> list[tuple[int, int]]:
    """Return (visit, position) pairs: from ``position`` on, the log is at that visit.

    A line that is reached is the next visit of that line. A graph break of a segment that was
    not compiled now is one too: what led there is passed in one go.
    """
    marks: list[tuple[int, int]] = []
    visit, begun, drawn = -1, 0, False
    for at, event in enumerate(events):
        if isinstance(event, LineReached):
            found = _next(visits, visit, event.line)
            if found is not None:
                marks.append((found, at if drawn or not begun else begun))
                visit, drawn = found, True
        elif isinstance(event, GraphBreak):
            if not drawn:
                found = _next(visits, visit, event.line)
                if found is not None:
                    visit = found
                    marks.append((visit, begun))
            drawn, begun = False, at + 1
        elif isinstance(event, BranchTaken) and begun == at:
            begun = at + 1
    return marks


def _next(visits: Sequence[int], after: int, line: int) -> int | None:
    for number in range(after + 1, len(visits)):
        if visits[number] == line:
            return number
    return None


def lines_end(mode: str, events: Sequence[Event], marks: Sequence[tuple[int, int]]) -> int:
    """Return the position at which a log is through with the lines of the program."""
    if mode == "eager":
        return first_backward(events)
    last = 0
    drawn = True
    for at, event in enumerate(events):
        if isinstance(event, (GraphBreak, LineReached, NodeCreated, Refused)):
            last, drawn = at + 1, True
        elif isinstance(event, Printed) and event.node < 0 and drawn:
            last = at + 1
        elif isinstance(event, RunStarted):
            drawn = False
    # Names, and what Python decides after a break, belong to the line before.
    while last < len(events) and isinstance(events[last], (BranchTaken, Named)):
        last += 1
    return last


def tail_positions(events: Sequence[Event], begin: int) -> tuple[int, list[int], list[int]]:
    """Return where a session's work begins after ``begin``, and the ends of its launches.

    The launches are in two lists: forward, then backward. A second session is the way back.
    """
    first = len(events)
    forward: list[int] = []
    backward: list[int] = []
    sessions = 0
    for at in range(begin, len(events)):
        event = events[at]
        if isinstance(event, RunStarted):
            # Replays are forward however many there are; what comes after them is not.
            sessions = 1 if event.label == REPLAYED else sessions + 1
            first = min(first, at)
        elif isinstance(event, OpEnd) and event.launches:
            back = event.phase == "backward" or sessions > 1
            (backward if back else forward).append(_settled(events, at + 1))
    return first, forward, backward


def _settled(events: Sequence[Event], at: int) -> int:
    """Return the position after what follows of itself: frees, the end of a session."""
    while at < len(events) and isinstance(events[at], (Free, NonFinite, RunEnded)):
        at += 1
    return at


def stops_of(logs: Mapping[str, Sequence[Event]]) -> tuple[Stop, ...]:
    """Return the stops of one call; ``logs`` are by mode, eager first."""
    modes = list(logs)
    visits = max((visits_of(logs[mode]) for mode in modes), key=len)
    if modes and len(visits_of(logs[modes[0]])) == len(visits):
        visits = visits_of(logs[modes[0]])
    marks = {mode: line_marks(logs[mode], visits) for mode in modes}
    ends = {mode: lines_end(mode, logs[mode], marks[mode]) for mode in modes}
    stops = [Stop("inputs", 0, tuple(_before(marks[m], 0, ends[m]) for m in modes))]
    for number, line in enumerate(visits):
        positions = tuple(_before(marks[m], number + 1, ends[m]) for m in modes)
        stops.append(Stop("line", line, positions))
    last = visits[-1] if visits else 0
    tails = {m: tail_positions(logs[m], ends[m]) for m in modes if m != "eager"}
    base = stops[-1].positions
    prepared = _moved(modes, base, {m: tail[0] for m, tail in tails.items()})
    if prepared != base:
        stops.append(Stop("prepare", last, prepared))
    for number in range(max((len(tail[1]) for tail in tails.values()), default=0)):
        done = {m: _at(tail[1], number) for m, tail in tails.items()}
        stops.append(Stop("run", last, _moved(modes, stops[-1].positions, done)))
    swept = {m: tail[2] for m, tail in tails.items()}
    swept |= {"eager": _grads(logs["eager"], ends["eager"])} if "eager" in logs else {}
    for number in range(max((len(found) for found in swept.values()), default=0)):
        done = {m: _at(found, number) for m, found in swept.items()}
        stops.append(Stop("backward", last, _moved(modes, stops[-1].positions, done)))
    whole = tuple(len(logs[m]) for m in modes)
    if stops[-1].kind != "end":
        stops.append(Stop("end", last, whole))
    return tuple(stops)


def _grads(events: Sequence[Event], begin: int) -> list[int]:
    return [at + 1 for at in range(begin, len(events)) if isinstance(events[at], GradReady)]


def _at(positions: Sequence[int], number: int) -> int:
    return positions[min(number, len(positions) - 1)] if positions else 0


def _moved(modes: Sequence[str], base: Sequence[int], to: dict[str, int]) -> tuple[int, ...]:
    return tuple(max(now, to.get(mode, 0)) for mode, now in zip(modes, base, strict=True))


def _before(marks: Sequence[tuple[int, int]], visit: int, end: int) -> int:
    """Return how far a log is when everything before ``visit`` is done."""
    place = bisect_left(marks, visit, key=lambda mark: mark[0])
    return min(marks[place][1], end) if place < len(marks) else end
