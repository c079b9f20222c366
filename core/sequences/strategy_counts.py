"""What a strategy costs, in closed form: from the histogram and the bucket table alone.

No sequence is looked at, so the numbers stand in the frame of the key that changed them, whatever
the size of the data. A zero length costs nothing under any strategy.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from .buckets import BucketTable
from .histogram import Histogram
from .packing import Packing, pack
from .rnn import macs_per_step

#: Compiled versions of one function before a capturing framework falls back to eager.
RECOMPILE_LIMIT = 8


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


@dataclass(frozen=True)
class Laid:
    """What a strategy is counted on.

    ``first`` is the length above zero that comes first in the order of the rows (where that is
    not known, the shortest): what a capturing framework compiles first.
    """

    histogram: Histogram
    table: BucketTable
    first: int


WorkOf = Callable[[Laid], Work]


def padded_work(laid: Laid) -> Work:
    """One batch, padded to the longest length of the data."""
    histogram = laid.histogram
    positive = histogram.sequences - histogram.zeros
    longest = histogram.maximum
    return Work(positive * longest, graphs=1 if longest else 0, launches=longest)


def dynamic_work(laid: Laid) -> Work:
    """Every sequence alone, for as many steps as it has, with nothing compiled."""
    return _alone(laid.histogram, graphs=0)


def bucketed_work(laid: Laid) -> Work:
    """One batch and one graph for each bucket that is not empty."""
    filled = [bucket for bucket in laid.table.buckets if bucket.count]
    return Work(
        sum(bucket.steps for bucket in filled),
        graphs=len(filled),
        launches=sum(bucket.pad_to or 0 for bucket in filled),
    )


def packed_work(laid: Laid) -> Work:
    """One batch that shrinks: a launch for each time step, of as many rows as still have inputs.

    The size of the batch changes after each length that occurs, and each size is a shape.
    """
    real = laid.histogram.real_steps
    return Work(real, graphs=laid.histogram.positive.distinct, launches=laid.histogram.maximum)


def exact_length_work(laid: Laid) -> Work:
    """One batch and one graph for each length that occurs, without padding."""
    lengths = laid.histogram.positive.lengths.tolist()
    return Work(laid.histogram.real_steps, graphs=len(lengths), launches=sum(lengths))


def while_loop_work(laid: Laid) -> Work:
    """Every sequence alone through one graph, whose loop ends where the sequence does."""
    return _alone(laid.histogram, graphs=1 if laid.histogram.maximum else 0)


def capture_work(laid: Laid) -> Work:
    """Every sequence alone: a graph for each length, up to the limit, then without one."""
    return _alone(laid.histogram, captured_lengths(laid.histogram))


def capture_symbolic_work(laid: Laid) -> Work:
    """Every sequence alone through graphs whose length becomes symbolic."""
    return _alone(laid.histogram, symbolic_graphs(laid.histogram, laid.first))


def packed_rows_work(laid: Laid) -> Work:
    """Rows of one capacity, the longest length, as one batch; what no sequence fills is waste."""
    if not laid.histogram.maximum:
        return Work(0, 0, 0)
    packing = rows_of(laid.histogram)
    return Work(packing.steps, graphs=1, launches=packing.capacity)


@lru_cache(maxsize=4)
def rows_of(histogram: Histogram) -> Packing:
    """Pack ``histogram`` into rows as long as its longest length, once for each histogram."""
    return pack(histogram, histogram.maximum)


def captured_lengths(histogram: Histogram) -> int:
    """Return how many graphs capture compiles where each length that is run is another shape."""
    return min(histogram.positive.distinct, RECOMPILE_LIMIT)


def symbolic_graphs(histogram: Histogram, first: int) -> int:
    """Return how often capture compiles a program that takes any number of steps.

    The ``first`` length is compiled as it is, the second distinct one makes the size symbolic,
    and a length of 1 always has a graph of its own (torch.compile's rule). A sequence without
    steps is never run.
    """
    special = 1 if histogram.count_between(1, 1) else 0
    larger = histogram.positive.distinct - special
    return special + min(larger, 2 if first > 1 else 1)


def _alone(histogram: Histogram, graphs: int) -> Work:
    """Count sequences that run one by one: a launch for each of their steps."""
    return Work(histogram.real_steps, graphs, launches=histogram.real_steps)


def count(name: str, work_of: WorkOf, laid: Laid, hidden: int) -> StrategyCounts:
    """Return the row of the strategy ``name`` at ``hidden`` units, in exact whole numbers."""
    work = work_of(laid)
    everything = padded_work(laid).steps
    real = laid.histogram.real_steps
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
