"""Owns the frame of the lockstep view: the program, three columns and the timeline at a cursor.

``Views`` holds what is folded once for a run; :meth:`Views.frame` is a pure function of it and
the cursor, so that going forward and back draws the same frame again.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..graph.events import CompileEnd, GraphBreak
from ..graph.modes import MODES
from .differing import with_difference
from .running import CallRun, GraphRun
from .timeline import Stop, stops_of
from .tracks import Counters, Entry, Track, fold
from .words import array_text


@dataclass(frozen=True)
class ColumnFrame:
    """One mode at the cursor. ``fresh`` is the first entry that came with this stop."""

    mode: str
    entries: tuple[Entry, ...]
    fresh: int
    counters: Counters
    waiting: str
    done: bool


@dataclass(frozen=True)
class Label:
    """A cell of the timeline: a word of the screen, or text such as ``y=20.0``."""

    word: str = ""
    text: str = ""


@dataclass(frozen=True)
class LockFrame:
    """Everything that the lockstep view draws at a cursor."""

    cursor: int
    last: int
    call: int
    calls: int
    inputs: str
    stop: Stop
    marks: tuple[tuple[int, tuple[tuple[str, str], ...]], ...]  #: line: (mode, break or refused)
    columns: tuple[ColumnFrame, ...]
    differs: tuple[str, int | None] | None
    begin: int  #: the line that the call comes to first
    compiles: int  #: what capture compiles in the whole call
    breaks: int


@dataclass(frozen=True, eq=False)
class CallView:
    """One call, folded: its stops and the track of every mode."""

    call: CallRun
    stops: tuple[Stop, ...]
    tracks: Mapping[str, Track]

    @cached_property
    def labels(self) -> tuple[tuple[Label, ...], ...]:
        """The timeline: for every stop one label a mode."""
        rows = []
        before = tuple(0 for _ in MODES)
        for stop in self.stops:
            row = []
            for mode, begin, end in zip(MODES, before, stop.positions, strict=True):
                row.append(_label(mode, stop, _between(self.tracks[mode].entries, begin, end)))
            rows.append(tuple(row))
            before = stop.positions
        return tuple(rows)

    @cached_property
    def captured(self) -> tuple[int, int]:
        """How many graphs capture compiles in this call, and how often it breaks."""
        events = self.call.logs["capture"].events
        compiles = sum(isinstance(event, CompileEnd) for event in events)
        return compiles, sum(isinstance(event, GraphBreak) for event in events)

    @property
    def begin(self) -> int:
        """The line that the call comes to first, 0 if to none."""
        return next((stop.line for stop in self.stops if stop.kind == "line"), 0)

    @cached_property
    def places(self) -> Mapping[str, tuple[int, ...]]:
        """The position of every entry of a mode, for looking up how many there are."""
        return {m: tuple(e.at for e in track.entries) for m, track in self.tracks.items()}


class Views:
    """What is folded once for a run; the cursor goes from 0 over the stops of all calls."""

    def __init__(self, run: GraphRun) -> None:
        self.run = run
        self.calls: list[CallView] = []
        for number, call in enumerate(run.calls):
            logs = {mode: call.logs[mode].events for mode in MODES}
            tracks = {mode: _track(run, number, call, mode) for mode in MODES}
            found = with_difference(run, call, tracks)
            self.calls.append(CallView(call, stops_of(logs), found))
        self.starts: list[int] = []
        total = 0
        for view in self.calls:
            self.starts.append(total)
            total += len(view.stops)
        self.total: int = total

    @property
    def last(self) -> int:
        """The last place of the cursor."""
        return max(self.total - 1, 0)

    def at(self, cursor: int) -> tuple[int, int]:
        """Return the call, and the stop within it, of a cursor."""
        cursor = min(max(cursor, 0), self.last)
        call = bisect_right(self.starts, cursor) - 1
        return call, cursor - self.starts[call]

    def stop(self, cursor: int) -> Stop:
        """Return the stop of a cursor."""
        call, number = self.at(cursor)
        return self.calls[call].stops[number]

    def frame(self, cursor: int) -> LockFrame:
        """Return the frame at a cursor."""
        call, number = self.at(cursor)
        view = self.calls[call]
        stop = view.stops[number]
        before = view.stops[number - 1].positions if number else tuple(0 for _ in MODES)
        columns = []
        marks: dict[int, dict[tuple[str, str], None]] = {}
        for index, mode in enumerate(MODES):
            track = view.tracks[mode]
            places = view.places[mode]
            count = bisect_right(places, stop.positions[index])
            fresh = bisect_right(places, before[index]) if number else 0
            entries = track.entries[:count]
            for entry in entries:
                if entry.kind in ("break", "refused"):
                    marks.setdefault(entry.line, {})[mode, entry.kind] = None
            done = stop.positions[index] >= len(track.events)
            columns.append(
                ColumnFrame(
                    mode, entries, fresh, track.counters[stop.positions[index]],
                    _waiting(mode, entries, done), done,
                )
            )  # fmt: skip
        differs = None
        found = self.run.difference
        if stop.kind == "end" and found.at is not None and found.at.call == call + 1:
            differs = (found.at.value, found.at.ulps)
        told = tuple((line, tuple(found)) for line, found in sorted(marks.items()))
        return LockFrame(
            min(max(cursor, 0), self.last), self.last, call + 1, len(self.calls),
            view.call.inputs_text, stop, told, tuple(columns), differs, view.begin, *view.captured,
        )  # fmt: skip

    def next_where(self, cursor: int, direction: int, kinds: tuple[str, ...]) -> int | None:
        """Return the next cursor at which an entry of one of ``kinds`` comes, or None."""
        place = cursor + direction
        while 0 <= place < self.total:
            if self._has(place, kinds):
                return place
            place += direction
        return None

    def _has(self, cursor: int, kinds: tuple[str, ...]) -> bool:
        call, number = self.at(cursor)
        view = self.calls[call]
        before = view.stops[number - 1].positions if number else tuple(-1 for _ in MODES)
        for index, mode in enumerate(MODES):
            end = view.stops[number].positions[index]
            fresh = _between(view.tracks[mode].entries, before[index], end)
            if any(entry.kind in kinds for entry in fresh):
                return True
        return False

    def _around(self, cursor: int) -> list[int]:
        """Return every cursor, the ones after ``cursor`` first."""
        return [*range(cursor + 1, self.total), *range(0, cursor + 1)]

    def next_line(self, cursor: int, line: int) -> int | None:
        """Return the next cursor that has passed ``line``, from the start where none follows."""
        for place in self._around(cursor):
            stop = self.stop(place)
            if stop.kind == "line" and stop.line == line:
                return place
        return None

    def next_kind(self, cursor: int, kind: str) -> int | None:
        """Return the next cursor of a kind of stop, from the start where none follows."""
        for place in self._around(cursor):
            if self.stop(place).kind == kind:
                return place
        return None


def _track(run: GraphRun, number: int, call: CallRun, mode: str) -> Track:
    """Fold one log, and add what is known only when the call is over."""
    log = call.logs[mode]
    track = fold(mode, log.events, log.graphs)
    entries = list(track.entries)
    stale = mode == "capture" and number > 0 and run.asked.options.no_guards
    if stale:
        entries.insert(0, Entry(0, "stale"))
    if log.gave is not None:
        for value in log.gave.outputs:
            shown = array_text(value) if isinstance(value, np.ndarray) else str(value)
            entries.append(Entry(len(log.events), "returned", value=shown))
        for name, gradient in log.gave.gradients.items():
            entries.append(Entry(len(log.events), "gradient", name, value=array_text(gradient)))
    return Track(mode, track.events, tuple(entries), track.counters)


def _between(entries: tuple[Entry, ...], begin: int, end: int) -> tuple[Entry, ...]:
    first = bisect_right(entries, begin, key=lambda entry: entry.at)
    return entries[first : bisect_right(entries, end, key=lambda entry: entry.at)]


def _waiting(mode: str, entries: tuple[Entry, ...], done: bool) -> str:
    """Return what a mode waits for: nothing, run, compile, or that it refuses."""
    if entries and any(entry.kind == "refused" for entry in entries[-3:]):
        return "refused"
    if done or mode == "eager":
        return "nothing"
    for entry in reversed(entries):
        if entry.kind == "compile":
            return "compile"
        if entry.kind in ("pass", "compiled"):
            return "run"
        if entry.kind in ("ran", "session"):
            return "nothing"
        if entry.kind in ("guard", "miss", "break", "branch"):
            return "guards"
    return "run" if mode == "static" else "guards"


def _label(mode: str, stop: Stop, fresh: tuple[Entry, ...]) -> Label:
    """Return the cell of the timeline for what came with a stop."""
    for kind in ("refused", "break", "fallback", "stale", "differs"):
        if any(entry.kind == kind for entry in fresh):
            return Label(kind)
    if any(entry.kind == "compile" and entry.what != "first call" for entry in fresh):
        return Label("recompile")
    for entry in reversed(fresh):
        named = bool(entry.name) and not entry.name.startswith("%")
        if entry.kind == "grad" and named:
            return Label("", f"d{entry.name}")
        if entry.kind in ("computed", "ran") and named and entry.what != "backward":
            short = len(entry.value) <= 8
            return Label("", f"{entry.name}={entry.value}" if short else entry.name)
        if entry.kind == "drawn" and named:
            return Label("", entry.name)
        if entry.kind == "branch" and entry.line and mode == "eager":
            return Label("", "T" if entry.numbers[0] else "F")
        if entry.kind in ("compile", "pass", "returned"):
            return Label({"pass": "passes", "returned": "return"}.get(entry.kind, entry.kind))
    if any(entry.kind == "ran" for entry in fresh):
        return Label("run")
    if any(entry.kind in ("guard", "miss") for entry in fresh):
        return Label("guards")
    return Label("step") if fresh else Label()
