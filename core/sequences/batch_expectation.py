"""The expected longest of a random batch, in closed form, and the steps of a bucket from it.

For a bucket whose lengths have the distribution F, the longest of n random draws is at most v with
probability F(v)^n, so its expectation is

    top - sum over v below the top of (next v - v) * F(v)^n.

Under a token budget T a batch holds the n for which n * E[longest of n] = T: a fixed point, since
E grows with n but slower than n. A bucket then runs population * E[longest] steps. This is an
expectation under draws with replacement; batch_simulation.py says how near it is (0.3 % and less
on the bundled corpora under good boundaries, 1 % where a bucket has a long thin tail).

Where there are more distinct lengths than points, the lengths between two points stand for their
mean: F is averaged over the gap, which is exact for n = 1 and where nothing lies between.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

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

    def expected_longest_of_all(self, n: Floats) -> Floats:
        """Return E[longest of n draws] for the one bucket from the first to the last point."""
        longest: Floats = self.ends[-1] - np.exp(n * self._log_shares) @ self.gaps
        return np.atleast_1d(longest)

    @cached_property
    def _log_shares(self) -> Floats:
        """log F before each point of the one bucket from the first to the last point."""
        with np.errstate(divide="ignore"):
            logs: Floats = np.log(self.between / self.counts[-1])
        return logs


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
        n, longest = _batch(
            lambda n, first=first: points.expected_longest(first, n),  # type: ignore[misc]
            population,
            points.ends[first + 1 :],
            rule,
            guess,
        )
        steps[first, first + 1 :] = population * longest
        guess = n[1:]
    return steps


def expected_steps_of_all(points: Points, rule: BatchRule) -> float:
    """Return the expected steps of the one bucket from the first to the last point."""
    population = points.counts[-1:]
    _, longest = _batch(points.expected_longest_of_all, population, points.ends[-1:], rule, None)
    return float((population * longest)[0])


def _batch(
    expected_longest: Callable[[Floats], Floats],
    population: Floats,
    tops: Floats,
    rule: BatchRule,
    guess: Floats | None,
) -> tuple[Floats, Floats]:
    """Return the draws per batch and their expected longest, for several buckets at once.

    ``tops`` are the longest lengths of the buckets. A bucket that makes one batch holds its longest
    sequence for certain.
    """
    if rule.size is not None:
        n = np.minimum(float(rule.size), population)
        return n, np.where(population <= rule.size, tops, expected_longest(n))
    assert rule.budget is not None
    budget = float(rule.budget)
    n = np.clip(budget / tops if guess is None else guess, 1.0, population)
    for _ in range(_COLD_ROUNDS if guess is None else _WARM_ROUNDS):
        longest = expected_longest(n)
        before, n = n, np.clip(budget / longest, 1.0, population)
        if (n == before).all():
            break
    return n, np.where(population * tops <= budget, tops, longest)
