"""Simulated batches: what an epoch runs when every batch is padded to its own longest sequence.

Epochs are made as batches.py makes them, each bucket shuffled and cut as lhotse does it: a sequence
joins the batch as long as longest * count stays within the token budget, else it opens the next
batch; a sequence above the budget is a batch by itself. A fixed batch size cuts every so many
sequences instead. Very many sequences are stood for by a sample.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt

import numpy as np

from ..errors import PlanError
from ..wording import say
from .batch_options import BatchOptions
from .batches import make_batches, sequence_lengths
from .buckets import check_boundaries
from .histogram import Histogram, Integers

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
                say("real batches need a token budget or a batch size, not both"),
                hint=say("give --budget STEPS or --batch-size N"),
            )
        given = self.budget if self.size is None else self.size
        if given is not None and given < 1:
            name = say("a token budget") if self.size is None else say("a batch size")
            raise PlanError(
                say("{name} of {given} holds no sequence", name=name, given=given),
                hint=say("give at least 1"),
            )


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
    in_order: Integers | None = None,
    seed: int = 0,
    epochs: int = EPOCHS,
) -> Simulation:
    """Simulate epochs of shuffled batches within buckets; deterministic from the seed.

    ``in_order`` holds the lengths in the order of their rows, where it is known: the shuffle
    starts from it, as that of the batches does. Zero-length sequences are in no batch. Raises
    PlanError where the boundaries do not cover the data or there is nothing to batch.
    """
    checked = check_boundaries(boundaries, histogram.maximum)
    if not histogram.positive.sequences:
        raise PlanError(say("there is no sequence with a step to batch"))
    if epochs < 1:
        raise PlanError(
            say("{epochs} epochs simulate nothing", epochs=epochs), hint=say("ask for at least 1")
        )
    sample, share = _sample(histogram, np.random.default_rng(seed))
    lengths = sequence_lengths(sample, in_order if share == 1 else None)
    options = BatchOptions(rule.budget, rule.size, pad_to="batch", over="keep", seed=seed)
    made = [make_batches(lengths, checked, options, epoch) for epoch in range(epochs)]
    return Simulation(
        tuple(batches.total_steps * share for batches in made),
        tuple(batches.count * share for batches in made),
        share != 1,
    )


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
