"""The expected longest of a random batch, for every bucket that candidate boundaries can make.

For a bucket whose lengths have the distribution F, the longest of n random draws is at most v with
probability F(v)^n, so its expectation is

    top - sum over v below the top of (next v - v) * F(v)^n.

Under a token budget T every batch is taken to hold the n for which n * E[longest of n] = T: a
fixed point, since E grows with n but slower than n. A bucket then runs population * E[longest]
steps. That is quick for all pairs of ends at once, and a first estimate only: real batches differ
in their counts, which batch_correction.py makes good.

Where there are more distinct lengths than points, the lengths between two points stand for their
mean: F is averaged over the gap, which is exact for n = 1 and where nothing lies between.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .batch_simulation import BatchRule
from .histogram import Histogram

Floats = npt.NDArray[np.float64]

#: Rounds of the fixed point from a neighbour's answer, and from nothing.
_WARM_ROUNDS = 2
_COLD_ROUNDS = 12


@dataclass(frozen=True, eq=False)
class Points:
    """Places where a bucket may end: ``ends`` in steps, ascending, after a first 0.

    ``counts[i]`` sequences are at most ``ends[i]`` long; ``between[i]`` is the mean of that count
    over the lengths from ``ends[i]`` up to ``ends[i + 1]``, exclusive. ``gaps`` are the
    differences of the ends.
    """

    ends: Floats
    counts: Floats
    between: Floats
    gaps: Floats

    @classmethod
    def of(cls, histogram: Histogram, places: npt.NDArray[np.int64]) -> Points:
        """Take the distinct lengths at ``places`` (ascending, the last among them) as the ends."""
        chosen = np.concatenate(([0], places + 1))
        real = histogram.step_prefix[chosen]
        counts = histogram.count_prefix[chosen].astype(real.dtype)
        ends = np.concatenate(([0], histogram.lengths[places])).astype(real.dtype)
        gaps = np.diff(ends).astype(np.float64)
        # The integral of the count over a gap, by parts: [count * v] less the lengths themselves.
        integral = np.diff(counts * ends) - np.diff(real)
        return cls(
            ends.astype(np.float64),
            counts.astype(np.float64),
            integral.astype(np.float64) / gaps,
            gaps,
        )

    def expected_longest(self, first: int, n: Floats) -> Floats:
        """Return E[longest of n draws] for the buckets from ``first`` to each later point.

        ``n`` has one entry per bucket that ends at point first + 1, first + 2, ….
        """
        with np.errstate(divide="ignore"):
            logs = np.log(np.maximum(self.between[first:] - self.counts[first], 0.0))
        populations = np.log(self.counts[first + 1 :] - self.counts[first])
        powers = np.exp(n[:, None] * np.minimum(logs - populations[:, None], 0.0))
        longest: Floats = self.ends[first + 1 :] - np.tril(powers) @ self.gaps[first:]
        return longest


def expected_steps(points: Points, rule: BatchRule) -> Floats:
    """Return the expected steps of every bucket: entry [i, j] from point i to point j > i.

    The other entries are infinite. Buckets with neighbouring first points hold nearly the same
    number of draws, so each row starts its fixed point from the answer of the one before.
    """
    size = len(points.ends)
    steps = np.full((size, size), np.inf)
    guess: Floats | None = None
    for first in range(size - 1):
        population = points.counts[first + 1 :] - points.counts[first]
        n, longest = _batch(points, first, population, rule, guess)
        steps[first, first + 1 :] = population * longest
        guess = n[1:]
    return steps


def _batch(
    points: Points, first: int, population: Floats, rule: BatchRule, guess: Floats | None
) -> tuple[Floats, Floats]:
    """Return the draws per batch and their expected longest, for the buckets from ``first``.

    A bucket that makes one batch holds its longest sequence for certain.
    """
    tops = points.ends[first + 1 :]
    if rule.size is not None:
        n = np.minimum(float(rule.size), population)
        longest = points.expected_longest(first, n)
        return n, np.where(population <= rule.size, tops, longest)
    assert rule.budget is not None
    budget = float(rule.budget)
    n = np.clip(budget / tops if guess is None else guess, 1.0, population)
    for _ in range(_COLD_ROUNDS if guess is None else _WARM_ROUNDS):
        longest = points.expected_longest(first, n)
        before, n = n, np.clip(budget / longest, 1.0, population)
        if (n == before).all():
            break
    return n, np.where(population * tops <= budget, tops, longest)
