"""The frontier by the plain quadratic table: for costs that are not Monge, and to check the rest.

Where the last batch of a bucket is filled up to B sequences, a bucket of n sequences costs
ceil(n / B) * B * f(pad_to). That weight is not Monge and its optimum is not convex in the number of
buckets, so neither fast method holds; every bucket has to be tried: most * D^2 / 2 of them for D
distinct lengths. The table makes no other assumption than that some optimal boundaries are lengths
that occur, which holds for every nondecreasing f.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ..errors import PlanError
from ..wording import say
from .frontier import MOST_BUCKETS, LeastCosts, checked_lengths, refuse_no_buckets
from .histogram import INT64_MAX, Histogram, Integers, exact_array

#: Seconds that the table may be expected to take, and what a million cells take (measured on one
#: core of a slow machine; Python integers where int64 would overflow).
_MOST_SECONDS = 10.0
_SECONDS_PER_MILLION = 0.0008
_SECONDS_PER_MILLION_BIG = 0.06


@dataclass(frozen=True, eq=False)
class BucketWeights:
    """What each possible bucket costs: rows of ceil(n / fill) * fill * price, or infinity.

    ``before`` holds the prefix counts (D + 1), ``values`` the prices (D). A bucket with fewer than
    ``min_count`` sequences costs ``infinite``.
    """

    before: Integers
    values: Integers
    fill_last: int
    min_count: int
    infinite: int

    def row(self, last: int) -> Integers:
        """Return the cost of the bucket that ends with length ``last``, for each first length."""
        counts = self.before[last + 1] - self.before[: last + 1]
        filled = -(-counts // self.fill_last) * self.fill_last
        costs: Integers = filled * self.values[last]
        if self.min_count > 1:
            costs[counts < self.min_count] = self.infinite
        return costs


@dataclass(frozen=True, eq=False)
class TableFrontier(LeastCosts):
    """The optimum for at most 1…``most`` buckets, as :class:`~.frontier.Frontier` has it."""

    lengths: Integers
    costs: tuple[int, ...]
    _weights: BucketWeights
    _totals: Integers

    def boundaries(self, k: int) -> tuple[int, ...]:
        """Return one optimal choice of at most ``k`` boundaries, ascending."""
        refuse_no_buckets(k)
        layer, end = min(k, self.most), len(self.lengths)
        chosen: list[int] = []
        while end:
            while self._totals[layer][end] == self._totals[layer - 1][end]:
                layer -= 1
            chosen.append(int(self.lengths[end - 1]))
            layer -= 1
            end = int((self._totals[layer][:end] + self._weights.row(end - 1)).argmin())
        return tuple(reversed(chosen))


def table_frontier(
    histogram: Histogram,
    most: int = MOST_BUCKETS,
    price: Callable[[int], int] = lambda length: length,
    *,
    min_count: int = 1,
    fill_last: int = 1,
) -> TableFrontier:
    """Solve for at most 1…``most`` buckets whose last batch is filled to ``fill_last`` sequences.

    Raises PlanError where no plan exists, and where the table would take more than ten seconds.
    """
    positive = checked_lengths(histogram, min_count)
    weights = bucket_weights(positive, price, min_count, fill_last)
    layers = min(most, positive.distinct)
    refuse_slow(positive, layers, weights)
    totals = np.full((layers + 1, positive.distinct + 1), weights.infinite, weights.values.dtype)
    totals[:, 0] = 0
    candidates = np.empty((layers, positive.distinct), weights.values.dtype)
    for last in range(positive.distinct):
        tried = candidates[:, : last + 1]
        np.add(totals[:-1, : last + 1], weights.row(last), out=tried)
        least = np.minimum.accumulate(tried.min(axis=1))
        totals[1:, last + 1] = np.minimum(least, weights.infinite)
    costs = tuple(int(total) for total in totals[1:, -1])
    return TableFrontier(positive.lengths, costs, weights, totals)


def bucket_weights(
    positive: Histogram,
    price: Callable[[int], int],
    min_count: int,
    fill_last: int,
    per_bucket: int = 0,
) -> BucketWeights:
    """Return the costs of all buckets of a histogram without zero lengths.

    ``per_bucket`` is what the caller will add for each bucket; it only decides how much room the
    sums need.
    """
    if fill_last < 1:
        raise PlanError(
            say("a batch cannot be filled to {fill_last} sequences", fill_last=fill_last)
        )
    prices = [price(length) for length in positive.lengths.tolist()]
    most_filled = positive.sequences + fill_last * positive.distinct
    # Two infinities and a bucket's price are the most that is ever added up.
    largest = most_filled * max(prices[-1], 1) + per_bucket * positive.distinct
    fits = 4 * largest <= INT64_MAX
    return BucketWeights(
        exact_array(positive.count_prefix, 4 * largest),
        exact_array(prices, 4 * largest),
        fill_last,
        min_count,
        2**61 if fits else 2 * largest,
    )


def refuse_slow(positive: Histogram, layers: int, weights: BucketWeights) -> None:
    """Raise PlanError where the table would take more than ten seconds."""
    big = weights.values.dtype == np.dtype(object)
    per_million = _SECONDS_PER_MILLION_BIG if big else _SECONDS_PER_MILLION
    seconds = layers * positive.distinct**2 / 2e6 * per_million
    if seconds <= _MOST_SECONDS:
        return
    can_do = int((_MOST_SECONDS * 2e6 / per_million / layers) ** 0.5)
    raise PlanError(
        say(
            "trying every pair of {distinct} distinct lengths would take about {seconds:.0f} s, "
            "the limit is {limit:.0f} s",
            distinct=positive.distinct,
            seconds=seconds,
            limit=_MOST_SECONDS,
        ),
        where="--fill-last",
        hint=say(
            "try --multiple-of {multiple}, which leaves at most {most}",
            multiple=-(-positive.maximum // can_do),
            most=can_do,
        ),
    )


def cheapest_cuts(
    histogram: Histogram,
    per_bucket: Fraction,
    price: Callable[[int], int],
    *,
    min_count: int = 1,
    fill_last: int = 1,
) -> tuple[int, ...]:
    """Return the boundaries with the least cost plus ``per_bucket`` for each, however many.

    ``per_bucket`` is in the unit of the prices. One pass over all pairs of lengths:
    total[j] = per_bucket + min over i of total[i] + weight(i, j). Raises as the table does.
    """
    positive = checked_lengths(histogram, min_count)
    scale, extra = per_bucket.denominator, per_bucket.numerator
    weights = bucket_weights(
        positive, lambda length: scale * price(length), min_count, fill_last, extra
    )
    refuse_slow(positive, MOST_BUCKETS, weights)
    totals = np.zeros(positive.distinct + 1, dtype=weights.values.dtype)
    came_from = [0]
    for last in range(positive.distinct):
        tried = totals[: last + 1] + weights.row(last)
        best = int(tried.argmin())
        totals[last + 1] = min(int(tried[best]) + extra, weights.infinite)
        came_from.append(best)
    ends = [len(came_from) - 1]
    while came_from[ends[-1]]:
        ends.append(came_from[ends[-1]])
    return tuple(int(positive.lengths[end - 1]) for end in reversed(ends))
