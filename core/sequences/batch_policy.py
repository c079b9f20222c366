"""The ``batch`` policy: boundaries for batches that are padded to their own longest sequence.

The optimum for fixed shapes is not the optimum here: what a bucket costs follows from how its
batches are cut (batch_law.py). No Monge property is known for that, so the plain O(K * M^2) table
runs over at most 512 candidate boundaries, which are all the distinct lengths where there are that
few, else quantiles of the count and of the total length; its entries come near the law
(batch_correction.py), and what is chosen is priced by the law itself. The result is the least
*expectation* over the candidates, not a proved optimum; a simulation stands beside it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..errors import PlanError
from ..wording import say
from .batch_correction import corrected
from .batch_expectation import Floats, Points, expected_steps
from .batch_law import expected_steps_of_bucket
from .batch_simulation import EPOCHS, BatchRule, Simulation, simulate
from .frontier import MOST_BUCKETS, checked_lengths, refuse_no_buckets
from .histogram import Histogram
from .variants import round_up

#: Candidate boundaries at most.
MOST_CANDIDATES = 512

Places = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class BatchFrontier:
    """The least expected steps for at most 1…``most`` buckets, over the candidate boundaries."""

    expected: tuple[float, ...]
    _lengths: tuple[int, ...]
    _steps: Floats
    _totals: Floats

    @property
    def most(self) -> int:
        """The largest number of buckets that is solved for."""
        return len(self.expected)

    def boundaries(self, k: int) -> tuple[int, ...]:
        """Return the boundaries with the least expectation for at most ``k`` buckets."""
        refuse_no_buckets(k)
        layer, end = min(k, self.most), len(self._lengths)
        chosen: list[int] = []
        while end:
            while self._totals[layer, end] == self._totals[layer - 1, end]:
                layer -= 1
            chosen.append(self._lengths[end - 1])
            layer -= 1
            end = int((self._totals[layer, :end] + self._steps[:end, end]).argmin())
        return tuple(reversed(chosen))


@dataclass(frozen=True)
class BatchPlan:
    """Boundaries under the ``batch`` policy.

    ``expected_steps`` is the closed form, ``simulation`` what shuffled epochs ran; both count
    padding.
    """

    boundaries: tuple[int, ...]
    expected_steps: float
    simulation: Simulation


def batch_plan(
    histogram: Histogram,
    k: int,
    rule: BatchRule,
    *,
    multiple_of: int = 1,
    min_count: int = 1,
    seed: int = 0,
    epochs: int = EPOCHS,
) -> BatchPlan:
    """Choose at most ``k`` boundaries with the least expected steps, and simulate them.

    With ``multiple_of`` every batch is padded to a multiple, with ``min_count`` every bucket has
    that many sequences at least. Raises PlanError where no plan exists.
    """
    rounded = round_up(histogram, multiple_of)
    solved = batch_frontier(rounded, rule, max(k, 1), min_count=min_count)
    boundaries = solved.boundaries(k)
    simulated = simulate(rounded, boundaries, rule, seed=seed, epochs=epochs)
    return BatchPlan(boundaries, solved.expected[min(k, solved.most) - 1], simulated)


def batch_frontier(
    histogram: Histogram, rule: BatchRule, most: int = MOST_BUCKETS, *, min_count: int = 1
) -> BatchFrontier:
    """Solve for the least expected steps with at most 1…``most`` buckets."""
    positive = checked_lengths(histogram, min_count)
    places = candidates(positive)
    points = Points.of(positive, places)
    steps = corrected(expected_steps(points, rule), points, positive, places, rule)
    if min_count > 1:
        too_few = points.counts - points.counts[:, None] < min_count
        steps[too_few] = np.inf
    layers = min(most, len(points.ends) - 1)
    totals = np.full((layers + 1, len(points.ends)), np.inf)
    totals[:, 0] = 0.0
    for layer in range(1, layers + 1):
        reached = (totals[layer - 1][:, None] + steps).min(axis=0)
        totals[layer, 1:] = np.minimum(totals[layer - 1], reached)[1:]
    if not np.isfinite(totals[layers, -1]):
        raise PlanError(
            say("no candidate leaves {min_count} sequences in every bucket", min_count=min_count)
        )
    lengths = tuple(positive.lengths[places].tolist())
    return BatchFrontier(tuple(totals[1:, -1].tolist()), lengths, steps, totals)


def expected_of(histogram: Histogram, boundaries: tuple[int, ...], rule: BatchRule) -> float:
    """Return the expected steps of given boundaries, from all the distinct lengths."""
    positive = histogram.positive
    total, low = 0.0, 0
    for high in boundaries:
        first, last = positive.position(low), positive.position(high)
        low = high
        if last > first:
            bucket = Histogram(positive.lengths[first:last], positive.counts[first:last])
            total += expected_steps_of_bucket(bucket, rule)
    return total


@dataclass(frozen=True)
class ExpectedRow:
    """Boundaries for so many buckets, and their expected steps from all the distinct lengths."""

    boundaries: tuple[int, ...]
    steps: float


def expected_rows(
    solved: BatchFrontier, histogram: Histogram, rule: BatchRule
) -> tuple[ExpectedRow, ...]:
    """Return the boundaries for at most 1, 2, … buckets, priced as given boundaries are.

    The table behind them comes near the law, which is enough to choose by; these steps are those
    of :func:`expected_of`. They never rise.
    """
    rows: list[ExpectedRow] = []
    for k in range(1, solved.most + 1):
        boundaries = solved.boundaries(k)
        row = ExpectedRow(boundaries, expected_of(histogram, boundaries, rule))
        rows.append(row if not rows or row.steps < rows[-1].steps else rows[-1])
    return tuple(rows)


def candidates(positive: Histogram, most: int = MOST_CANDIDATES) -> Places:
    """Return which distinct lengths may be boundaries: all, or quantiles of count and of total."""
    if positive.distinct <= most:
        return np.arange(positive.distinct)
    share = np.arange(1, most // 2 + 1) / (most // 2)
    chosen = [
        np.searchsorted(prefix[1:].astype(np.float64), share * float(prefix[-1]))
        for prefix in (positive.count_prefix, positive.step_prefix)
    ]
    last = positive.distinct - 1
    return np.unique(np.minimum(np.concatenate((*chosen, [last])), last))
