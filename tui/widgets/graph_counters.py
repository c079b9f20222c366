"""The counters of a mode: Python dispatches, modelled launches and measured time, always apart."""

from __future__ import annotations

from collections.abc import Mapping

from dgplay.core.graph_view.lockstep import ColumnFrame
from dgplay.core.graph_view.timing import Measured

from .graph_text import NARROW
from .lab_panes import Look


def counted_rows(
    column: ColumnFrame, rows: int, times: list[str], width: int, look: Look, *, measured: bool
) -> list[list[str]]:
    """Return the counters in so many rows, each longest way first.

    Dispatches, launches and time are three things: they stand apart, also in one row.
    """
    tr, now = look.tr, column.counters
    numbers = {
        "dispatches": now.dispatches, "launches": now.launches, "buffers": now.buffers,
        "nbytes": f"{now.nbytes:,}",
    }  # fmt: skip
    counts = [tr("dispatches {dispatches}  launches {launches}").format(**numbers)]
    if width < NARROW:  # by the room, not by the numbers: words do not change while one steps
        counts = [tr("disp. {dispatches}  launches {launches}").format(**numbers)]
    buffers = [
        tr("buffers {buffers}, {nbytes} B").format(**numbers),
        tr("{nbytes} B").format(**numbers),
    ]
    match rows:
        case 0:
            return []
        case 1:
            return [[*_joined(counts, times), *counts]]
        case 2:
            return [counts, [*_joined(buffers, times), *(times if measured else buffers)]]
        case _:
            return [counts, buffers, times]


def _joined(left: list[str], right: list[str]) -> list[str]:
    return [f"{one}  {other}" for one in left for other in right]


def time_ways(times: Mapping[str, Measured] | None, mode: str, look: Look) -> list[str]:
    """Return the measured time of a whole call in milliseconds, longest way first."""
    tr = look.tr
    if times is None:
        return [f"{tr('measured:')} {'...' if look.ascii else '…'}"]
    found = times.get(mode)
    if found is None:
        return [tr("measured: no whole call"), tr("no whole call")]
    first = f"{found.first_ms:.3g}"
    if found.again_ms is None:
        return [tr("measured: first {first} ms").format(first=first)]
    again = f"{found.again_ms:.3g}"
    return [
        way.format(first=first, again=again)
        for way in (
            tr("measured: {again} ms, first {first} ms"),
            tr("{again} ms, first {first}"),
            tr("{again} ms"),
        )
    ]
