"""What a strategy costs, in closed form: from the histogram and the bucket table alone.

No sequence is looked at, so the numbers stand in the frame of the key that changed them, whatever
the size of the data. A zero length costs nothing under any strategy.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .buckets import BucketTable
from .histogram import Histogram
from .rnn import macs_per_step


@dataclass(frozen=True)
class Work:
    """The whole numbers of a strategy: cell steps, compiled graphs, calls of the cell."""

    steps: int
    graphs: int
    launches: int


@dataclass(frozen=True)
class StrategyCounts:
    """One row of the strategy table, without what only a run can tell.

    ``steps`` are cell steps with padding, ``real_steps`` without; ``macs`` multiply-adds of the
    cell, readout not counted; ``graphs`` shapes that a shape-specialising compiler would compile;
    ``launches`` calls of the cell on one batch. ``waste`` = (steps - real) / steps, ``saved`` =
    1 - steps / steps of padding everything, ``extra`` = steps / real - 1; None without real steps.
    """

    name: str
    steps: int
    real_steps: int
    macs: int
    graphs: int
    launches: int
    waste: float | None
    saved: float | None
    extra: float | None


WorkOf = Callable[[Histogram, BucketTable], Work]


def padded_work(histogram: Histogram, table: BucketTable) -> Work:
    """One batch, padded to the longest length of the data."""
    positive = histogram.sequences - histogram.zeros
    longest = histogram.maximum
    return Work(positive * longest, graphs=1 if longest else 0, launches=longest)


def dynamic_work(histogram: Histogram, table: BucketTable) -> Work:
    """Every sequence alone, for as many steps as it has."""
    return Work(histogram.real_steps, graphs=0, launches=histogram.real_steps)


def bucketed_work(histogram: Histogram, table: BucketTable) -> Work:
    """One batch and one graph for each bucket that is not empty."""
    filled = [bucket for bucket in table.buckets if bucket.count]
    return Work(
        sum(bucket.steps for bucket in filled),
        graphs=len(filled),
        launches=sum(bucket.pad_to or 0 for bucket in filled),
    )


def count(
    name: str, work_of: WorkOf, histogram: Histogram, table: BucketTable, hidden: int
) -> StrategyCounts:
    """Return the row of the strategy ``name`` at ``hidden`` units, in exact whole numbers."""
    work = work_of(histogram, table)
    everything = padded_work(histogram, table).steps
    real = histogram.real_steps
    return StrategyCounts(
        name=name,
        steps=work.steps,
        real_steps=real,
        macs=work.steps * macs_per_step(hidden),
        graphs=work.graphs,
        launches=work.launches,
        waste=(work.steps - real) / work.steps if real else None,
        saved=(everything - work.steps) / everything if real else None,
        extra=(work.steps - real) / real if real else None,
    )
