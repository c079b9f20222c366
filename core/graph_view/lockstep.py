"""Owns the frame of the lockstep view: the program, three columns and the timeline at a cursor.

``Views`` holds what is folded once for a run; :meth:`Views.frame` is a pure function of it and
the cursor, so that going forward and back draws the same frame again.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from ..graph.compare import Place
from ..graph.events import CompileEnd, GraphBreak
from ..graph.modes import MODES
from .differing import stale_values, with_difference
from .running import CallRun, GraphRun
from .timeline import Stop, stops_of
from .tracks import Counters, Entry, Track, fold
from .words import number_text, result_text

#: What a mode waits for once an entry of a kind has come.
WAITS = {
    "compile": "compile", "pass": "run", "compiled": "run", "ran": "nothing",
    "session": "nothing", "guard": "guards", "miss": "guards", "break": "guards",
    "branch": "guards",
}  # fmt: skip

#: More ulps than this between two results are no matter of rounding.
MOST_ULPS = 1_000_000

#: An entry's number, with something about it.
N = TypeVar("N", tuple[int, str], tuple[int, int, str])


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
class Parted:
    """Where results differ first: the value, two modes, the entry in each, ulps between them.

    ``ulps`` is None where they cannot be counted, or are so many that they say nothing.
    """

    value: str
    modes: tuple[str, str]
    entries: tuple[str, str]
    ulps: int | None


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
    differs: Parted | None
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

    @cached_property
    def turns(self) -> Mapping[str, tuple[tuple[int, str], ...]]:
        """Of every mode the entries that change what it waits for: (number, what it is then)."""
        return {
            mode: tuple((n, WAITS[e.kind]) for n, e in enumerate(track.entries) if e.kind in WAITS)
            for mode, track in self.tracks.items()
        }

    @cached_property
    def marked(self) -> Mapping[str, tuple[tuple[int, int, str], ...]]:
        """Of every mode the entries that mark a line of the program: (number, line, kind)."""
        return {
            mode: tuple(
                (number, entry.line, entry.kind)
                for number, entry in enumerate(track.entries)
                if entry.kind in ("break", "refused")
            )
            for mode, track in self.tracks.items()
        }

    @cached_property
    def comes(self) -> Mapping[str, tuple[int, ...]]:
        """By kind of entry, the stops at which one comes in any mode, in order."""
        found: dict[str, set[int]] = {}
        for index, mode in enumerate(MODES):
            positions = [stop.positions[index] for stop in self.stops]
            for entry in self.tracks[mode].entries:
                found.setdefault(entry.kind, set()).add(bisect_left(positions, entry.at))
        return {kind: tuple(sorted(stops)) for kind, stops in found.items()}

    @cached_property
    def passed(self) -> Mapping[tuple[str, int], tuple[int, ...]]:
        """By kind and line, the stops there, in order; by (kind, 0) those of all lines too."""
        found: dict[tuple[str, int], list[int]] = {}
        for number, stop in enumerate(self.stops):
            for key in dict.fromkeys(((stop.kind, stop.line), (stop.kind, 0))):
                found.setdefault(key, []).append(number)
        return {key: tuple(stops) for key, stops in found.items()}

    def prepare(self) -> None:
        """Make all that keys look up, so that none of it is left to a key."""
        _ = self.labels, self.places, self.turns, self.marked, self.comes, self.passed


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
            for _, line, kind in _first(view.marked[mode], count):
                marks.setdefault(line, {})[mode, kind] = None
            done = stop.positions[index] >= len(track.events)
            entries = track.entries[:count]
            turns = _first(view.turns[mode], count)
            columns.append(
                ColumnFrame(
                    mode, entries, fresh, track.counters[stop.positions[index]],
                    _waiting(mode, entries, turns, done), done,
                )
            )  # fmt: skip
        differs = None
        found = self.run.difference
        if stop.kind == "end" and found.at is not None and found.at.call == call + 1:
            differs = _parted(found.at)
        told = tuple((line, tuple(found)) for line, found in sorted(marks.items()))
        return LockFrame(
            min(max(cursor, 0), self.last), self.last, call + 1, len(self.calls),
            view.call.inputs_text, stop, told, tuple(columns), differs, view.begin, *view.captured,
        )  # fmt: skip

    def next_where(self, cursor: int, direction: int, kinds: tuple[str, ...]) -> int | None:
        """Return the next cursor at which an entry of one of ``kinds`` comes, or None."""
        found = [
            near + start
            for start, view in zip(self.starts, self.calls, strict=True)
            for kind in kinds
            for near in _beside(view.comes.get(kind, ()), cursor - start, direction)
        ]
        return min(found, key=lambda place: abs(place - cursor), default=None)

    def _next_stop(self, cursor: int, key: tuple[str, int]) -> int | None:
        """Return the next cursor at such a stop, from the start where none follows."""
        for begin in (cursor, -1):
            for start, view in zip(self.starts, self.calls, strict=True):
                for place in _beside(view.passed.get(key, ()), begin - start, 1):
                    return start + place
        return None

    def next_line(self, cursor: int, line: int) -> int | None:
        """Return the next cursor that has passed ``line``, from the start where none follows."""
        return self._next_stop(cursor, ("line", line)) if line > 0 else None

    def next_kind(self, cursor: int, kind: str) -> int | None:
        """Return the next cursor of a kind of stop, from the start where none follows."""
        return self._next_stop(cursor, (kind, 0))


def _track(run: GraphRun, number: int, call: CallRun, mode: str) -> Track:
    """Fold one log, and add what is known only when the call is over."""
    log = call.logs[mode]
    track = fold(mode, log.events, log.graphs)
    entries = list(track.entries)
    stale = mode == "capture" and number > 0 and run.asked.options.no_guards
    if stale:
        entries.insert(0, Entry(0, "stale"))
    wrong = {(one.name, one.number): one.right for one in stale_values(run, number, call)}
    if log.gave is not None:
        told = [("returned", "", place, v) for place, v in enumerate(log.gave.outputs)]
        told += [("gradient", name, 0, v) for name, v in log.gave.gradients.items()]
        for kind, name, place, value in told:
            right = wrong.get((name, place), "") if mode == "capture" else ""
            kind = "wrong" if right else kind
            entries.append(Entry(len(log.events), kind, name, value=result_text(value), what=right))
    return Track(mode, track.events, tuple(entries), track.counters)


def _parted(place: Place) -> Parted:
    """Return a difference in words; entries that look the same in six digits in all of theirs."""
    entries = tuple(number_text(value) for value in place.values)
    if entries[0] == entries[1]:
        entries = tuple(str(value) for value in place.values)
    few = place.ulps is not None and place.ulps <= MOST_ULPS
    return Parted(place.value, place.modes, (entries[0], entries[1]), place.ulps if few else None)


def _between(entries: tuple[Entry, ...], begin: int, end: int) -> tuple[Entry, ...]:
    first = bisect_right(entries, begin, key=lambda entry: entry.at)
    return entries[first : bisect_right(entries, end, key=lambda entry: entry.at)]


def _first(numbered: tuple[N, ...], count: int) -> tuple[N, ...]:
    """Return those that are about one of the first ``count`` entries."""
    return numbered[: bisect_left(numbered, count, key=lambda item: item[0])]


def _beside(places: tuple[int, ...], cursor: int, direction: int) -> tuple[int, ...]:
    """Return the first place after (1) or before (-1) a cursor, or nothing."""
    if direction > 0:
        return places[(after := bisect_right(places, cursor)) : after + 1]
    before = bisect_left(places, cursor)
    return places[max(before - 1, 0) : before]


def _waiting(
    mode: str, entries: tuple[Entry, ...], turns: tuple[tuple[int, str], ...], done: bool
) -> str:
    """Return what a mode waits for: nothing, run, compile, or that it refuses."""
    if entries and any(entry.kind == "refused" for entry in entries[-3:]):
        return "refused"
    if done or mode == "eager":
        return "nothing"
    if turns:
        return turns[-1][1]
    return "run" if mode == "static" else "guards"


def _label(mode: str, stop: Stop, fresh: tuple[Entry, ...]) -> Label:
    """Return the cell of the timeline for what came with a stop."""
    for kind in ("refused", "break", "fallback", "stale", "wrong", "differs"):
        if any(entry.kind == kind for entry in fresh):
            return Label("stale" if kind == "wrong" else kind)
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
