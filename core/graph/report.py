"""Owns the report of ``dgplay graph``: one program in several modes, as plain JSON values."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .capture import RECOMPILE_LIMIT, Capture
from .compare import Difference, first_difference
from .events import EventLog
from .feeds import Feed
from .lang_budget import DEFAULT_BUDGET, Budget
from .lang_code import Program
from .lang_host import format_any
from .lang_refusal import Refusal
from .modes import ModeRun, Options, run_mode
from .passes import DEFAULT


@dataclass
class Told:
    """What a text says beside the JSON: which guard made capture compile again, and when."""

    capture: Capture | None = None


def graph_report(
    program: Program,
    modes: Sequence[str],
    calls: Sequence[Mapping[str, Feed]],
    grads: Sequence[str] = (),
    passes: Sequence[str] = DEFAULT,
    recompile_limit: int = RECOMPILE_LIMIT,
    dynamic: bool = True,
    guards: bool = True,
    events: bool = False,
    budget: Budget = DEFAULT_BUDGET,
    cancelled: Callable[[], bool] | None = None,
    told: Told | None = None,
) -> dict[str, Any]:
    """Run ``calls`` in every mode and return the report of DESIGN section 5.

    A mode that refuses is ``{"error": {...}}``. ``agree`` compares the modes that ran, bit for
    bit (all NaNs equal); it is None when fewer than two ran. ``outputs`` is a list, with one
    entry for each value that the program returns. ``told``, where given, gets the capture mode's
    record of breaks and misses, of which the report holds a part.
    """
    options = Options(
        tuple(grads), tuple(passes), recompile_limit, dynamic, guards, budget, None, cancelled
    )
    ran: dict[str, ModeRun] = {}
    shown: dict[str, dict[str, Any]] = {}
    for mode in modes:
        log = EventLog() if events else None
        try:
            ran[mode] = run_mode(program, mode, calls, dataclasses.replace(options, observer=log))
            shown[mode] = mode_report(ran[mode])
        except Refusal as refusal:
            shown[mode] = {"error": refusal.parts}
        if log is not None:
            shown[mode]["events"] = [event_report(event) for event in log]
    if told is not None and "capture" in ran:
        told.capture = ran["capture"].capture
    found = first_difference(ran)
    return {
        "program": program.name,
        "agree": None if len(ran) < 2 else found.at is None,
        "max_ulps": None if len(ran) < 2 else found.max_ulps,
        "first_difference": difference_report(found),
        "modes": shown,
    }


def mode_report(run: ModeRun) -> dict[str, Any]:
    """Return the part of one mode."""
    stats = run.stats
    report: dict[str, Any] = {
        "calls": [
            {
                "inputs": {name: plain(value) for name, value in call.inputs.items()},
                "outputs": [plain(value) for value in call.outputs],
                "gradients": {name: plain(value) for name, value in call.gradients.items()},
                "prints": call.prints,
                "compiles": call.compiles,
            }
            for call in run.calls
        ],
        "nodes": run.nodes,
        "dispatches": stats.dispatches,
        "launches": stats.launches,
        "peak_bytes": stats.peak_bytes,
        "seconds": stats.seconds,
        "order": run.order,
    }
    if run.capture is not None:
        report |= capture_report(run.capture)
    return report


def capture_report(capture: Capture) -> dict[str, Any]:
    """Return what only capture has: segments, compiles, guards, breaks, fallback.

    Guards with the same text are added up; ``count`` of a break is the number of compiled
    segments that end there.
    """
    guards: dict[str, dict[str, Any]] = {}
    for entry in capture.entries:
        for guard in entry.guards:
            row = guards.setdefault(guard.text, {"text": guard.text, "hits": 0, "misses": 0})
            row["hits"] += guard.hits
            row["misses"] += guard.misses
    breaks = [
        {
            "line": item.ending.place.line,
            "column": item.ending.place.column,
            "what": item.ending.what,
            "why": item.ending.why,
            "where": item.ending.where,
            "hint": item.ending.hint,
            "count": item.count,
        }
        for item in capture.breaks.values()
    ]
    return {
        "segments": len(capture.segments),
        "compiles": capture.compiles,
        "guards": list(guards.values()),
        "breaks": breaks,
        "fallback": capture.fallback,
    }


def difference_report(found: Difference) -> dict[str, Any] | None:
    """Return where two modes differ first, or None."""
    if found.at is None:
        return None
    at = found.at
    return {
        "call": at.call,
        "value": at.value,
        "index": list(at.index),
        "modes": list(at.modes),
        "values": [plain(value) for value in at.values],
        "ulps": at.ulps,
    }


def event_report(event: Any) -> dict[str, Any]:
    """Return an event as its name and fields."""
    fields = {key: plain(value) for key, value in dataclasses.asdict(event).items()}
    return {"event": type(event).__name__, **fields}


def plain(value: Any) -> Any:
    """Return a value as JSON takes it; numbers that are not finite become words."""
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if value != value else "inf" if value > 0 else "-inf"
    if isinstance(value, (bool, int, float, str)) or value is None:
        return value
    return format_any(value)
