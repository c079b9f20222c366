"""Sequences longer than allowed: refused, dropped or truncated, and always counted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..errors import DataError
from ..wording import say
from .dataset import Dataset
from .histogram import Histogram


def limited(dataset: Dataset, max_length: int | None, over: str) -> Dataset:
    """Return a data set in which no length is above ``max_length``.

    ``over`` is refuse, drop or truncate; what was dropped or cut off is in the account and in
    the notes. Raises DataError where it refuses, and where nothing would be left.
    """
    histogram = dataset.histogram
    if max_length is None or histogram.maximum <= max_length:
        return dataset
    if over == "refuse":
        raise DataError(
            say(
                "length {maximum} is above --max-length {max_length}",
                maximum=histogram.maximum,
                max_length=max_length,
            ),
            where=dataset.name,
            hint=say("give --over drop or --over truncate"),
        )
    long = histogram.sequences - histogram.count_between(0, max_length)
    long_steps = histogram.real_steps - histogram.steps_between(0, max_length)
    if over == "drop":
        return _dropped(dataset, max_length, long, long_steps)
    cut = long_steps - long * max_length
    kept = {length: count for length, count in histogram.items() if length < max_length}
    kept[max_length] = histogram.count_between(max_length, max_length) + long
    order = dataset.in_order
    return replace(
        dataset,
        histogram=Histogram.from_counts(kept),
        truncated=long,
        truncated_steps=cut,
        in_order=None if order is None else np.minimum(order, max_length),
        notes=(*dataset.notes, _told("truncated", dataset, long, cut, max_length)),
    )


def _dropped(dataset: Dataset, max_length: int, long: int, long_steps: int) -> Dataset:
    left = {length: count for length, count in dataset.histogram.items() if length <= max_length}
    if not any(left):
        what = say(
            "no sequence of at least one step is left under --max-length {max_length}",
            max_length=max_length,
        )
        raise DataError(what, where=dataset.name)
    order = dataset.in_order
    return replace(
        dataset,
        histogram=Histogram.from_counts(left),
        dropped=long,
        dropped_steps=long_steps,
        in_order=None if order is None else order[order <= max_length],
        notes=(*dataset.notes, _told("dropped", dataset, long, long_steps, max_length)),
    )


def _told(done: str, dataset: Dataset, long: int, steps: int, max_length: int) -> str:
    whole = dataset.histogram
    share = f"{steps} of {whole.real_steps} {dataset.unit} ({100 * steps / whole.real_steps:.1f}%)"
    return f"{done} {long} of {whole.sequences} sequences, {share}: longer than {max_length}"
