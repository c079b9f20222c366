"""Batches: one epoch of a data set, cut into batches under a budget or a batch size.

A batch is padded to the boundary of its bucket, to the longest length of its bucket, or to its
own longest length (the pad_to policy); a batch that crosses buckets, as random and grouped
batches do, to the highest of its sequences. Zero-length sequences belong to no bucket and so to
no batch; they are counted. Everything follows from the seed and the number of the epoch.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ..errors import PlanError
from ..wording import say
from .batch_options import BatchOptions
from .buckets import check_boundaries
from .histogram import INT64_MAX, Histogram, Integers, exact_array
from .orders import (
    Ints,
    cut_by_budget,
    cut_by_size,
    group_size,
    grouped_order,
    longest_batch_first,
    sort_into_buckets,
)

#: One epoch in memory takes some 80 bytes per sequence.
MOST_SEQUENCES = 20_000_000


@dataclass(frozen=True, eq=False)
class Batches:
    """The batches of one epoch in the order in which they run; made by :func:`make_batches`.

    ``items`` are positions of sequences; batch i holds items[starts[i] : starts[i + 1]].
    ``pad`` is the padded length of each batch, ``rows`` its number of rows (empty ones included,
    which only a list of compiled batch sizes makes). ``dropped`` are the positions of sequences
    that exceeded the budget, ``kept_over`` how many such were kept, ``zeros`` how many sequences
    have no step.
    """

    lengths: Ints
    items: Ints
    starts: Ints
    pad: Ints
    rows: Ints
    dropped: Ints
    kept_over: int
    zeros: int
    epoch: int

    @property
    def count(self) -> int:
        """The number of batches."""
        return len(self.pad)

    @cached_property
    def sizes(self) -> Ints:
        """Sequences per batch."""
        return np.diff(self.starts)

    @cached_property
    def steps(self) -> Integers:
        """Cell steps of each batch, padding included: rows times padded length, exact."""
        largest = int(self.pad.max(initial=0)) * int(self.rows.max(initial=0)) * max(1, self.count)
        return exact_array(self.rows, largest) * exact_array(self.pad, largest)

    @cached_property
    def real_steps(self) -> Ints:
        """Cell steps of each batch without padding."""
        return _per_batch(np.add, self.lengths[self.items], self.starts)

    @cached_property
    def longest(self) -> Ints:
        """The longest length of each batch."""
        return _per_batch(np.maximum, self.lengths[self.items], self.starts)

    @property
    def total_steps(self) -> int:
        """Cell steps of the epoch, padding included."""
        return int(self.steps.sum()) if self.count else 0

    @property
    def total_real_steps(self) -> int:
        """Cell steps of the epoch without padding."""
        return int(self.real_steps.sum())

    def batch(self, index: int) -> Ints:
        """Return the positions of the sequences of batch ``index``."""
        return self.items[int(self.starts[index]) : int(self.starts[index + 1])]

    def __iter__(self) -> Iterator[Ints]:
        return (self.batch(index) for index in range(self.count))

    def take(self, order: Ints) -> Batches:
        """Return the batches numbered ``order``, in that order; the rest is left out."""
        sizes = self.sizes[order]
        starts = np.zeros(len(order) + 1, np.int64)
        np.cumsum(sizes, out=starts[1:])
        places = np.arange(int(starts[-1])) + np.repeat(self.starts[order] - starts[:-1], sizes)
        return Batches(
            self.lengths,
            self.items[places],
            starts,
            self.pad[order],
            self.rows[order],
            self.dropped,
            self.kept_over,
            self.zeros,
            self.epoch,
        )


def sequence_lengths(histogram: Histogram, in_order: Integers | None = None) -> Ints:
    """Return one length per sequence: ``in_order`` where it holds all of them, else ascending.

    Raises PlanError where there are more than ``MOST_SEQUENCES``, or lengths beyond int64.
    """
    if histogram.sequences > MOST_SEQUENCES:
        raise PlanError(
            say(
                "{sequences:,} sequences are more than batches can be made of here ({most:,})",
                sequences=histogram.sequences,
                most=MOST_SEQUENCES,
            ),
            hint=say("plan without --budget and --batch-size, or give a sample of the data"),
        )
    if histogram.maximum * max(1, histogram.sequences) > INT64_MAX:
        raise PlanError(
            say(
                "batches of lengths as long as {maximum:,} cannot be counted",
                maximum=histogram.maximum,
            )
        )
    if in_order is not None and len(in_order) == histogram.sequences:
        return np.asarray(in_order, np.int64)
    return np.repeat(histogram.lengths.astype(np.int64), histogram.counts.astype(np.int64))


def make_batches(
    lengths: Ints, boundaries: tuple[int, ...], options: BatchOptions, epoch: int = 0
) -> Batches:
    """Cut one epoch of sequences into batches.

    ``lengths`` holds one length per sequence (see :func:`sequence_lengths`); its places are the
    positions that batches and errors name. Raises PlanError for options or boundaries that cannot
    be, for a sequence that exceeds the budget (with its position and its length) where such are
    refused, and where no sequence has a step.
    """
    options.check()
    checked = check_boundaries(boundaries, int(lengths.max(initial=0)))
    present = np.flatnonzero(lengths > 0)
    if not len(present):
        raise PlanError(say("there is no sequence with a step to make batches of"))
    buckets = np.searchsorted(np.array(checked, np.int64), lengths).astype(np.int64)
    pads = needed_pads(lengths, checked, buckets, options)
    # Under ``longest`` a bucket shrinks with its longest sequence, so only lengths count.
    alone = _rounded(lengths, options) if options.pad_to == "longest" else pads
    over = _over_budget(alone, options)[present]
    if over.any() and options.over == "refuse":
        _refuse(int(present[over][0]), lengths, alone, options)
    dropped = present[over] if options.over == "drop" else present[:0]
    if len(dropped):
        present = present[~over]
        if options.pad_to == "longest":
            longest = _longest_in_bucket(lengths, buckets, present, len(checked))[buckets]
            pads = _rounded(longest, options)
    rng = np.random.default_rng([options.seed, epoch])
    permutation = rng.permutation(present)
    if options.order == "bucketed":
        items, starts = _bucketed(permutation, pads, buckets, len(checked), options)
    else:
        items, starts = _across_buckets(permutation, lengths, pads, options)
    edges = np.append(starts, len(items))
    rows = np.diff(edges)
    if options.batch_sizes:
        distinct, inverse = np.unique(rows, return_inverse=True)
        rows = np.array([options.rows_for(int(n)) for n in distinct], np.int64)[inverse]
    kept_over = int(over.sum()) if options.over == "keep" else 0
    pad = _per_batch(np.maximum, pads[items], edges)
    made = Batches(lengths, items, edges, pad, rows, dropped, kept_over, _zeros(lengths), epoch)
    if options.order == "bucketed":
        made = made.take(rng.permutation(made.count))
    return made.take(longest_batch_first(made.longest)) if options.longest_first else made


def _zeros(lengths: Ints) -> int:
    return int(np.count_nonzero(lengths == 0))


def needed_pads(
    lengths: Ints, boundaries: tuple[int, ...], buckets: Ints, options: BatchOptions
) -> Ints:
    """Return what each sequence needs its batch padded to, given the bucket of each."""
    if options.pad_to == "boundary":
        needed = np.array(boundaries, np.int64)[buckets]
    elif options.pad_to == "batch":
        needed = lengths
    else:
        every = np.arange(len(lengths))
        needed = _longest_in_bucket(lengths, buckets, every, len(boundaries))[buckets]
    return _rounded(needed, options)


def _rounded(pads: Ints, options: BatchOptions) -> Ints:
    """Round up to the multiple asked for."""
    if options.multiple_of == 1:
        return pads
    rounded: Ints = -(-pads // options.multiple_of) * options.multiple_of
    return rounded


def _longest_in_bucket(
    lengths: Ints, buckets: Ints, chosen: npt.NDArray[np.intp], count: int
) -> Ints:
    longest = np.zeros(count, np.int64)
    np.maximum.at(longest, buckets[chosen], lengths[chosen])
    return longest


def _over_budget(pads: Ints, options: BatchOptions) -> npt.NDArray[np.bool_]:
    """Return which sequences do not even fit on their own."""
    if options.budget is None:
        return np.zeros(len(pads), bool)
    return pads > options.budget // options.rows_for(1)


def _refuse(position: int, lengths: Ints, pads: Ints, options: BatchOptions) -> None:
    length, pad = int(lengths[position]), int(pads[position])
    padded = say(" (padded to {pad})", pad=pad) if pad != length else ""
    raise PlanError(
        say(
            "sequence {position} of length {length}{padded} exceeds the budget of {budget}",
            position=position,
            length=length,
            padded=padded,
            budget=options.budget,
        ),
        where="--budget",
        hint=say(
            "raise it to {steps}, or drop what is too long",
            steps=int(pads.max()) * options.rows_for(1),
        ),
    )


def _bucketed(
    permutation: Ints, pads: Ints, buckets: Ints, count: int, options: BatchOptions
) -> tuple[Ints, Ints]:
    """Return sequences bucket by bucket, and the starts of batches inside each."""
    items, edges = sort_into_buckets(permutation, buckets, count)
    ordered = pads[items]
    cuts = []
    for first, last in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        if first == last:
            continue
        if options.pad_to == "batch" and options.budget is not None:
            cuts.append(cut_by_budget(ordered, first, last, options))
        else:
            size = options.size_for(int(ordered[first])) or 1
            cuts.append(cut_by_size(first, last, size, options.batch_multiple))
    return items, np.concatenate(cuts) if cuts else np.zeros(0, np.int64)


def _across_buckets(
    permutation: Ints, lengths: Ints, pads: Ints, options: BatchOptions
) -> tuple[Ints, Ints]:
    """Return sequences in random or length-grouped order, and the starts of batches."""
    items = permutation
    if options.order == "grouped":
        items = grouped_order(lengths, items, group_size(pads[items], options))
    if options.budget is not None:
        return items, cut_by_budget(pads[items], 0, len(items), options)
    return items, cut_by_size(0, len(items), options.size_for(1), options.batch_multiple)


def _per_batch(reduce: np.ufunc, values: Ints, edges: Ints) -> Ints:
    """Reduce ``values`` over each batch; batches are never empty."""
    if len(edges) < 2:
        return np.zeros(0, np.int64)
    reduced: Ints = reduce.reduceat(values, edges[:-1])
    return reduced
