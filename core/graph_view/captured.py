"""Owns the capture view: segments and guards, breaks, the history of calls, as plain rows."""

from __future__ import annotations

from dataclasses import dataclass

from ..graph.events import CompileEnd, CompileStart, Fallback, GraphBreak, GuardChecked
from .lockstep import Views
from .tracks import array_text


@dataclass(frozen=True, slots=True)
class CaptureRow:
    """One row: ``kind`` is call, recompile, break, segment, graph, guard or fallback."""

    kind: str
    numbers: tuple[int, ...] = ()
    text: str = ""
    more: str = ""
    hint: str = ""


def capture_rows(views: Views, last_call: int) -> tuple[CaptureRow, ...]:
    """Return what capture did in the calls up to ``last_call``, from 0; counts are up to there."""
    rows: list[CaptureRow] = []
    hits: dict[tuple[int, str], int] = {}
    misses: dict[tuple[int, str], int] = {}
    compiled_in: dict[int, int] = {}
    total = 0
    for number, view in enumerate(views.calls[: last_call + 1]):
        log = view.call.logs["capture"]
        reasons: list[str] = []
        failed: list[str] = []
        compiles = broke = 0
        fallback = False
        for event in log.events:
            match event:
                case GuardChecked():
                    text = event.text if event.ok else _sentence(event.text)
                    counted = hits if event.ok else misses
                    counted[event.entry, text] = counted.get((event.entry, text), 0) + 1
                    if not event.ok:
                        failed.append(event.text)
                case CompileStart():
                    if event.reason != "first call":
                        reasons.append(event.reason)
                    failed = []
                case CompileEnd():
                    compiled_in[event.total - 1] = number
                    compiles += 1
                    total = event.total
                case GraphBreak():
                    broke += 1
                case Fallback():
                    fallback = True
                case _:
                    pass
        gave = "" if log.gave is None else _gave(log.gave.outputs)
        if log.refusal is not None:
            gave = log.refusal.what
        rows.append(
            CaptureRow("call", (number + 1, compiles, total, broke), view.call.inputs_text, gave)
        )
        rows += [
            CaptureRow("recompile", (number + 1,), reason) for reason in dict.fromkeys(reasons)
        ]
        if fallback:
            rows.append(CaptureRow("fallback", (views.run.asked.options.recompile_limit,)))
    rows += _breaks(views, last_call)
    rows += _segments(views, hits, misses, compiled_in)
    return tuple(rows)


def _sentence(missed: str) -> str:
    """Return the guard of a miss without what was found."""
    return missed.rpartition(", was ")[0] or missed


def _gave(outputs: list[object]) -> str:
    shown = [array_text(v) if hasattr(v, "dtype") else str(v) for v in outputs]  # type: ignore[arg-type]
    return ", ".join(shown)


def _breaks(views: Views, last_call: int) -> list[CaptureRow]:
    found: dict[tuple[int, int, str], tuple[GraphBreak, int]] = {}
    for view in views.calls[: last_call + 1]:
        for event in view.call.logs["capture"].events:
            if isinstance(event, GraphBreak):
                key = (event.line, event.column, event.what)
                found[key] = (event, found.get(key, (event, 0))[1] + 1)
    return [
        CaptureRow("break", (e.line, e.column, count), f"{e.what} ({e.where})", e.why, e.hint)
        for e, count in found.values()
    ]


def _segments(
    views: Views, hits: dict[tuple[int, str], int], misses: dict[tuple[int, str], int],
    compiled_in: dict[int, int],
) -> list[CaptureRow]:  # fmt: skip
    capture = views.run.modes["capture"].capture
    if capture is None:
        return []
    rows: list[CaptureRow] = []
    for segment in capture.segments.values():
        entries = [entry for entry in segment.entries if entry.number in compiled_in]
        if not entries:
            continue
        place = segment.place
        rows.append(
            CaptureRow("segment", (segment.number, place.line, len(entries)), segment.function)
        )
        for entry in entries:
            end = entry.ending.place.line if entry.ending is not None else 0
            numbers = (entry.number, len(entry.graph), end, compiled_in[entry.number] + 1)
            rows.append(CaptureRow("graph", numbers))
            for guard in entry.guards:
                key = (entry.number, guard.text)
                rows.append(CaptureRow("guard", (hits.get(key, 0), misses.get(key, 0)), guard.text))
    return rows
