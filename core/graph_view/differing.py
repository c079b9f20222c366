"""Owns where modes part: the first named value of a run that is not the eager one, in ulps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from ..graph.compare import ulps_apart
from ..graph.events import OpEnd, ValueSummary
from .tracks import Entry, Track


def with_difference(tracks: Mapping[str, Track], names: tuple[str, ...]) -> dict[str, Track]:
    """Return the tracks with a line after the first value that differs from the eager one.

    Values are matched by name and by which of that name they are. Of a large array the entries
    that its summary keeps are compared, and its bounds.
    """
    eager = _named(tracks["eager"], "computed")
    made = dict(tracks)
    for mode in names:
        track = tracks[mode]
        for key, (place, value) in _named(track, "ran").items():
            if key not in eager:
                continue
            apart = _apart(eager[key][1], value)
            if apart == 0:
                continue
            entry = track.entries[place]
            numbers = () if apart is None else (apart,)
            told = Entry(entry.at, "differs", entry.name, numbers=numbers)
            entries = (*track.entries[: place + 1], told, *track.entries[place + 1 :])
            made[mode] = replace(track, entries=entries)
            break
    return made


def _named(track: Track, kind: str) -> dict[tuple[str, int], tuple[int, ValueSummary]]:
    """Return the named values of a track: by name and number, the entry and the value."""
    found: dict[tuple[str, int], tuple[int, ValueSummary]] = {}
    counts: dict[str, int] = {}
    for place, entry in enumerate(track.entries):
        named = entry.name and not entry.name.startswith("%")
        if entry.kind != kind or not named or entry.what == "backward" or entry.depth:
            continue
        event = track.events[entry.at - 1]
        if isinstance(event, OpEnd):
            number = counts.get(entry.name, 0)
            counts[entry.name] = number + 1
            found[entry.name, number] = (place, event.value)
    return found


def _apart(first: ValueSummary, second: ValueSummary) -> int | None:
    if (first.shape, first.dtype) != (second.shape, second.dtype):
        return None
    kept = [np.array(value.first, dtype=value.dtype) for value in (first, second)]
    apart = ulps_apart(*kept)
    if apart == 0 and (first.low, first.high, first.nans) != (second.low, second.high, second.nans):
        return None
    return apart
