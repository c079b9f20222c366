"""Orders: in which order sequences are read, and where one batch ends and the next begins.

Three orders are known. ``bucketed`` shuffles, sorts into buckets and cuts batches inside each, so
that no batch crosses a boundary. ``random`` shuffles and cuts. ``grouped`` is what transformers'
``LengthGroupedSampler`` does: shuffle, cut into groups of some fifty batches, sort each group by
length, longest first, then cut batches.

A cut is an array of starts: batch i holds the places starts[i] … starts[i + 1] - 1 of the order.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .batch_options import MEGA_BATCHES, BatchOptions

Ints = npt.NDArray[np.int64]


def grouped_order(lengths: Ints, permutation: Ints, group: int) -> Ints:
    """Sort a permutation by length, longest first, inside each ``group`` sequences of it.

    Equal lengths keep the order of the permutation.
    """
    groups = np.arange(len(permutation)) // group
    return permutation[np.lexsort((-lengths[permutation], groups))]


def group_size(pads: Ints, options: BatchOptions) -> int:
    """Return how many sequences one group of the grouped order holds.

    That is ``mega_batches`` batches, by default fifty, or as many as leave four groups in the
    data. Under a budget the size of a batch is that of a batch of average sequences.
    """
    if options.batch_size is not None:
        size = options.size_for(1)
    else:
        size = max(1, (options.budget or 0) * len(pads) // max(1, int(pads.sum())))
    batches = options.mega_batches or min(len(pads) // (4 * size), MEGA_BATCHES)
    return size * max(1, batches)


def sort_into_buckets(permutation: Ints, buckets: Ints, count: int) -> tuple[Ints, Ints]:
    """Return the permutation sorted by bucket, and where each of ``count`` buckets begins.

    ``buckets`` holds the bucket of each sequence. Inside a bucket the order stays. The result
    has ``count`` + 1 edges.
    """
    # Narrow keys are sorted by radix, several times faster than wide ones.
    keys = buckets[permutation].astype(np.uint16 if count < 2**16 else np.int64)
    ordered = permutation[np.argsort(keys, kind="stable")]
    edges = np.zeros(count + 1, np.int64)
    np.cumsum(np.bincount(keys, minlength=count), out=edges[1:])
    return ordered, edges


def cut_by_size(first: int, last: int, size: int, multiple: int = 1) -> Ints:
    """Cut the places ``first`` … ``last`` - 1 into batches of ``size``; return their starts.

    With a ``multiple`` above 1 a tail that is no multiple becomes two batches, so that at most
    the last one is none.
    """
    starts = np.arange(first, last, size, dtype=np.int64)
    rest = (last - first) % size
    if rest > multiple and rest % multiple:
        starts = np.append(starts, last - rest % multiple)
    return starts


def cut_by_budget(pads: Ints, first: int, last: int, options: BatchOptions) -> Ints:
    """Cut the places ``first`` … ``last`` - 1 where the next sequence would not fit any more.

    ``pads`` holds what each sequence needs its batch padded to, in order. A sequence that does
    not fit on its own is a batch of one.
    """
    listed: list[int] = pads[first:last].tolist()
    if options.batch_sizes or options.batch_multiple > 1:
        starts = _cut_in_multiples(listed, options)
    else:
        starts = _cut_greedily(listed, options.budget or 0)
    return np.array(starts, np.int64) + first


def _cut_greedily(pads: list[int], budget: int) -> list[int]:
    """Return the starts of batches whose longest times count stays within ``budget``.

    A plain loop over Python integers: a tenth of a microsecond per sequence, where every
    vectorised form needs several passes.
    """
    starts: list[int] = [0] if pads else []
    start, top = 0, 0
    for place, pad in enumerate(pads):
        higher = pad if pad > top else top
        if higher * (place - start + 1) > budget and place > start:
            starts.append(place)
            start, top = place, pad
        else:
            top = higher
    return starts


def _cut_in_multiples(pads: list[int], options: BatchOptions) -> list[int]:
    """Cut as :func:`_cut_greedily` does, but only at multiples where one fits.

    What a batch must leave behind opens the next one, which may have to be cut again.
    """
    multiple = options.batch_multiple
    starts: list[int] = [0] if pads else []
    start, top = 0, 0
    for place, pad in enumerate(pads):
        top = max(top, pad)
        while place > start and not options.fits(top, place - start + 1):
            kept = place - start
            start += kept - kept % multiple if kept >= multiple else kept
            starts.append(start)
            top = max(pads[start : place + 1])
    rest = len(pads) - start
    if rest > multiple and rest % multiple:
        starts.append(len(pads) - rest % multiple)
    return starts


def longest_batch_first(longest: Ints) -> Ints:
    """Return the order of batches that puts the one with the longest sequence first.

    ``longest`` holds the longest length of each batch. Nothing else moves: the batch goes in
    front as it is (transformers swaps one sequence into a foreign group instead).
    """
    if not len(longest):
        return np.zeros(0, np.int64)
    first = int(longest.argmax())
    rest = np.delete(np.arange(len(longest), dtype=np.int64), first)
    return np.concatenate((np.array([first], np.int64), rest))
