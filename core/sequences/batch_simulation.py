"""Simulated batches: what an epoch runs when every batch is padded to its own longest sequence.

Each bucket is shuffled and cut into batches as lhotse does it: a sequence joins the batch as long
as longest * count stays within the token budget, else it opens the next batch; a sequence above the
budget is a batch by itself. A fixed batch size cuts every so many sequences instead. The last batch
of a bucket may be smaller. Nothing here depends on the order of the batches.

Where a batch that starts at s ends is found for all s at once, by doubling over running maxima;
then the ends are followed from the first. So an epoch of a million sequences takes a fraction of a
second, however many batches there are.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt

import numpy as np
import numpy.typing as npt

from ..errors import PlanError
from .buckets import check_boundaries
from .histogram import INT64_MAX, Histogram

Ints = npt.NDArray[np.int64]

#: Epochs that are simulated unless asked otherwise.
EPOCHS = 3

#: Sequences that one epoch simulates at most; more are stood for by a sample of this size.
MOST_SEQUENCES = 2_000_000


@dataclass(frozen=True)
class BatchRule:
    """When a batch is full: a token ``budget`` (longest * count <= budget) or a ``size``.

    Exactly one of them is given.
    """

    budget: int | None = None
    size: int | None = None

    def __post_init__(self) -> None:
        if (self.budget is None) == (self.size is None):
            raise PlanError(
                "real batches need a token budget or a batch size, not both",
                hint="give --budget STEPS or --batch-size N",
            )
        given = self.budget if self.size is None else self.size
        if given is not None and given < 1:
            name = "a token budget" if self.size is None else "a batch size"
            raise PlanError(f"{name} of {given} holds no sequence", hint="give at least 1")


@dataclass(frozen=True)
class Simulation:
    """Steps and batches of simulated epochs.

    ``steps`` and ``batches`` hold one number per epoch, padding included. ``sampled`` says that
    the epochs were drawn from a sample and scaled up.
    """

    steps: tuple[float, ...]
    batches: tuple[float, ...]
    sampled: bool

    @property
    def mean_steps(self) -> float:
        """The mean padded steps of an epoch."""
        return sum(self.steps) / len(self.steps)

    @property
    def spread(self) -> float:
        """The standard deviation of an epoch's steps (0 where only one was simulated)."""
        mean, count = self.mean_steps, len(self.steps)
        if count < 2:
            return 0.0
        return sqrt(sum((each - mean) ** 2 for each in self.steps) / (count - 1))

    @property
    def mean_batches(self) -> float:
        """The mean number of batches of an epoch."""
        return sum(self.batches) / len(self.batches)


def simulate(
    histogram: Histogram,
    boundaries: Iterable[int],
    rule: BatchRule,
    *,
    seed: int = 0,
    epochs: int = EPOCHS,
) -> Simulation:
    """Simulate epochs of shuffled batches within buckets; deterministic from the seed.

    Zero-length sequences are in no batch. Raises PlanError where the boundaries do not cover the
    data or there is nothing to batch.
    """
    checked = check_boundaries(boundaries, histogram.maximum)
    positive = histogram.positive
    if not positive.sequences:
        raise PlanError("there is no sequence with a step to batch")
    if epochs < 1:
        raise PlanError(f"{epochs} epochs simulate nothing", hint="ask for at least 1")
    if positive.maximum * min(positive.sequences, MOST_SEQUENCES) > INT64_MAX:
        raise PlanError(f"lengths of {positive.maximum} are too long to simulate")
    rng = np.random.default_rng(seed)
    sample, share = _sample(positive, rng)
    steps, batches = [], []
    for _ in range(epochs):
        ran, made = _epoch(sample, checked, rule, rng)
        steps.append(ran * share)
        batches.append(made * share)
    return Simulation(tuple(steps), tuple(batches), share != 1)


def batch_ends(lengths: Ints, budget: int) -> Ints:
    """Return for every start s the end of the batch that starts there (exclusive).

    The end is the largest e > s + 1 with max(lengths[s:e]) * (e - s) <= budget, else s + 1.
    Longest times count never falls as a batch grows, so the end is found by doubling: running
    maxima over 1, 2, 4, … sequences, then the largest power that still fits, and so on down.
    """
    size = len(lengths)
    fitting = min(size, max(1, budget // int(lengths.min())))
    maxima = [lengths]
    while 2 ** len(maxima) <= fitting:
        before, half = maxima[-1], 2 ** (len(maxima) - 1)
        maxima.append(np.maximum(before[:-half], before[half:]))
    starts = np.arange(size)
    ends, longest = starts.copy(), np.zeros_like(lengths)
    for power in reversed(range(len(maxima))):
        reach, running = 2**power, maxima[power]
        inside = ends + reach <= size
        taller = np.maximum(longest, running[np.where(inside, ends, 0)])
        fits = inside & (taller * (ends + reach - starts) <= budget)
        ends = np.where(fits, ends + reach, ends)
        longest = np.where(fits, taller, longest)
    return np.maximum(ends, starts + 1)


def batch_starts(lengths: Ints, rule: BatchRule) -> Ints:
    """Return where each batch starts when sequences are taken in the given order."""
    if rule.size is not None:
        return np.arange(0, len(lengths), rule.size)
    assert rule.budget is not None
    ends = batch_ends(lengths, rule.budget).tolist()
    starts, start, size = [], 0, len(lengths)
    while start < size:
        starts.append(start)
        start = ends[start]
    return np.array(starts, dtype=np.int64)


def _epoch(
    histogram: Histogram, boundaries: tuple[int, ...], rule: BatchRule, rng: np.random.Generator
) -> tuple[int, int]:
    """Return the steps and the number of batches of one shuffled epoch."""
    steps = batches = first = 0
    for boundary in boundaries:
        last = histogram.position(boundary)
        lengths = np.repeat(histogram.lengths[first:last], histogram.counts[first:last])
        first = last
        if not lengths.size:
            continue
        rng.shuffle(lengths)
        starts = batch_starts(lengths, rule)
        counts = np.diff(starts, append=len(lengths))
        steps += int((np.maximum.reduceat(lengths, starts) * counts).sum())
        batches += len(starts)
    return steps, batches


def _sample(histogram: Histogram, rng: np.random.Generator) -> tuple[Histogram, float]:
    """Return at most ``MOST_SEQUENCES`` drawn in proportion, and how many each one stands for."""
    total = histogram.sequences
    if total <= MOST_SEQUENCES:
        return histogram, 1
    shares = histogram.counts.astype(np.float64) / float(total)
    drawn = rng.multinomial(MOST_SEQUENCES, shares / shares.sum())
    kept = drawn > 0
    lengths = histogram.lengths[kept].astype(np.int64)
    return Histogram(lengths, drawn[kept].astype(np.int64)), total / MOST_SEQUENCES
