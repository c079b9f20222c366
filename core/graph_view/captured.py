"""Owns the capture view: segments and guards, breaks, the history of calls, as plain rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..graph.events import CompileEnd, CompileStart, Fallback, GraphBreak, GuardChecked
from ..graph.guards import sentence
from ..wording import joined, say
from .differing import stale_values
from .lockstep import CallView, Views
from .running import ModeLog
from .words import array_text

#: One pair a call: of a guard how often it held and failed, of a graph made and run again.
Cells = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class CaptureRow:
    """One row: ``kind`` is call, recompile, break, segment, graph, guard or fallback.

    ``more`` is what only the row in full says, ``ran`` the graphs that a call ran, or that end
    at a break, ``cells`` what happened in every call.
    """

    kind: str
    numbers: tuple[int, ...] = ()
    text: str = ""
    more: str = ""
    hint: str = ""
    cells: Cells = ()
    ran: tuple[int, ...] = ()


@dataclass
class _Counted:
    """What is counted over the calls: by graph and guard, and by graph, one entry a call."""

    guards: dict[tuple[int, str], list[list[int]]] = field(default_factory=dict)
    graphs: dict[int, list[list[int]]] = field(default_factory=dict)
    made_in: dict[int, int] = field(default_factory=dict)
    calls: int = 0

    def guard(self, event: GuardChecked, call: int) -> None:
        """Count a guard that was asked."""
        text = event.text if event.ok else sentence(event.text)
        cells = self.guards.setdefault((event.entry, text), [[0, 0] for _ in range(self.calls)])
        cells[call][not event.ok] += 1

    def graph(self, number: int, call: int, *, made: bool) -> None:
        """Count a graph that was made, or run again."""
        cells = self.graphs.setdefault(number, [[0, 0] for _ in range(self.calls)])
        cells[call][not made] += 1


def capture_rows(views: Views, last_call: int) -> tuple[CaptureRow, ...]:
    """Return what capture did in the calls up to ``last_call``, from 0; counts are up to there."""
    rows: list[CaptureRow] = []
    counted = _Counted(calls=last_call + 1)
    total = 0
    for number, view in enumerate(views.calls[: last_call + 1]):
        mine, total = _call_rows(views, view, number, total, counted)
        rows += mine
    rows += _breaks(views, last_call, counted)
    rows += _segments(views, counted)
    return tuple(rows)


def _call_rows(
    views: Views, view: CallView, number: int, total: int, counted: _Counted
) -> tuple[list[CaptureRow], int]:
    """Return the row of a call and those of its recompiles, and the compiles so far."""
    log = view.call.logs["capture"]
    below: list[CaptureRow] = []
    failed: dict[int, str] = {}
    started: CompileStart | None = None
    compiles = broke = 0
    for event in log.events:
        match event:
            case GuardChecked():
                counted.guard(event, number)
                if event.ok:
                    failed.pop(event.entry, None)
                else:
                    failed[event.entry] = event.text
            case CompileStart():
                started = event
            case CompileEnd():
                made = event.total - 1
                counted.made_in[made] = number
                counted.graph(made, number, made=True)
                if started is not None and started.reason != "first call":
                    below.append(_recompile(views, started, made, failed))
                failed, started = {}, None
                compiles, total = compiles + 1, event.total
            case GraphBreak():
                broke += 1
                failed = {}
            case Fallback():
                told = _each(failed)
                below.append(CaptureRow("fallback", (event.limit,), event.function, told))
                failed = {}
            case _:
                pass
    served = _served(views, log)
    fresh = {row for row, cells in counted.graphs.items() if cells[number][0]}
    for graph in served:
        if graph in fresh:
            fresh.discard(graph)  # the run that it was made for
        else:
            counted.graph(graph, number, made=False)
    gave = "" if log.gave is None else _gave(log.gave.outputs)
    if log.refusal is not None:
        gave = say("REFUSED, {what}; {hint}", what=log.refusal.what, hint=log.refusal.hint)
    numbers = (number + 1, compiles, total, broke)
    head = CaptureRow(
        "call", numbers, view.call.inputs_text, gave, _stale(views, number, view), ran=tuple(served)
    )
    return [head, *below], total


def _stale(views: Views, number: int, view: CallView) -> str:
    """Return the wrong answers of a call where guards are off, nothing where there is none."""
    found = stale_values(views.run, number, view.call)
    return joined("; ", (
        say("STALE gradient of {name}: {value}, eager gives {right}",
            name=one.name, value=one.gave, right=one.right)
        if one.name else
        say("STALE answer {value}, eager gives {right}", value=one.gave, right=one.right)
        for one in found
    ))  # fmt: skip


def _recompile(
    views: Views, started: CompileStart, made: int, failed: dict[int, str]
) -> CaptureRow:
    """Return the row of a recompile: the guard that failed in every graph that was there.

    Its ``hint`` is the size, where the guard is on one that Python needs as a number although
    sizes may be symbolic.
    """
    numbers = (started.segment, made, len(failed))
    hint = _needed(views, started)
    return CaptureRow("recompile", numbers, started.reason, _each(failed), hint)


def _needed(views: Views, started: CompileStart) -> str:
    """Return the size that a recompile is about if the place has learnt to keep it exact."""
    capture = views.run.modes["capture"].capture
    segments = () if capture is None else capture.segments.values()
    for segment in segments:
        if segment.number != started.segment or not segment.policy.dynamic:
            continue
        for path, _, axis in segment.policy.exact:
            size = f"{path[-1][1]}: shape[{axis}]"
            if started.reason.startswith(f"{size} == "):
                return size
    return ""


def _each(failed: dict[int, str]) -> str:
    return joined("; ", (joined(": ", (str(n), text)) for n, text in failed.items()))


def _served(views: Views, log: ModeLog) -> list[int]:
    """Return the numbers of the graphs that a call ran, in order, those of the way back not."""
    capture = views.run.modes["capture"].capture
    numbers = {} if capture is None else {id(e.graph): e.number for e in capture.entries}
    return [numbers[id(graph)] for graph in log.graphs if id(graph) in numbers]


def _gave(outputs: list[object]) -> str:
    shown = [array_text(v) if isinstance(v, np.ndarray) else str(v) for v in outputs]
    return ", ".join(shown)


def _broke(event: GraphBreak) -> str:
    return say("{what} ({where})", what=event.what, where=event.where)


def _breaks(views: Views, last_call: int, counted: _Counted) -> list[CaptureRow]:
    """Return the places that broke: how often they were reached, how many graphs end there.

    Of several ways in which the value came about it is the first one that is shown.
    """
    found: dict[tuple[int, int, str], tuple[GraphBreak, int]] = {}
    for view in views.calls[: last_call + 1]:
        for event in view.call.logs["capture"].events:
            if isinstance(event, GraphBreak):
                key = (event.line, event.column, event.what)
                first, count = found.get(key, (event, 0))
                found[key] = (first, count + 1)
    capture = views.run.modes["capture"].capture
    ends: dict[tuple[int, int, str], tuple[int, ...]] = {}
    for entry in () if capture is None else capture.entries:
        if entry.ending is not None and entry.number in counted.made_in:
            place = entry.ending.place
            key = (place.line, place.column, entry.ending.what)
            ends[key] = (*ends.get(key, ()), entry.number)
    return [
        CaptureRow(
            "break", (e.line, e.column, count), _broke(e), e.why, e.hint, ran=ends.get(key, ())
        )
        for key, (e, count) in found.items()
    ]


def _segments(views: Views, counted: _Counted) -> list[CaptureRow]:
    capture = views.run.modes["capture"].capture
    if capture is None:
        return []
    rows: list[CaptureRow] = []
    for segment in capture.segments.values():
        entries = [entry for entry in segment.entries if entry.number in counted.made_in]
        if not entries:
            continue
        place = segment.place
        rows.append(
            CaptureRow("segment", (segment.number, place.line, len(entries)), segment.function)
        )
        for entry in entries:
            end = entry.ending.place.line if entry.ending is not None else 0
            made = counted.made_in[entry.number]
            numbers = (entry.number, len(entry.graph), end, made + 1)
            rows.append(CaptureRow("graph", numbers, cells=_cells(counted.graphs, entry.number)))
            for guard in entry.guards:
                cells = _cells(counted.guards, (entry.number, guard.text), counted.calls)
                sums = (sum(cell[0] for cell in cells), sum(cell[1] for cell in cells))
                rows.append(CaptureRow("guard", sums, guard.text, cells=cells))
    return rows


def _cells(counted: Mapping[Any, list[list[int]]], key: object, calls: int = 0) -> Cells:
    found = counted.get(key, [[0, 0] for _ in range(calls)])
    return tuple((first, second) for first, second in found)
