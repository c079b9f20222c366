"""Variants: one entry to every exact plan, whatever the cost and the conditions.

Lengths are first rounded up to the multiple asked for (rounding an optimum afterwards is not
optimal), then the frontier is solved by the method that is valid for the conditions: the fast ones
where the cost is Monge, the quadratic table where the last batch is filled up. A compile cost per
graph chooses the number of buckets where none is given. Dropping or truncating above a cap is done
where the data are read.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from ..errors import PlanError
from ..wording import say
from .buckets import Bucket, check_boundaries
from .compile_cost import cheapest_boundaries
from .costs import LINEAR, Cost
from .frontier import MOST_BUCKETS, Frontier, frontier, refuse_no_buckets
from .histogram import Histogram
from .table_frontier import TableFrontier, cheapest_cuts, table_frontier

#: The number of buckets where neither it nor a compile cost is given.
DEFAULT_BUCKETS = 8


@dataclass(frozen=True)
class PlanOptions:
    """What is minimised, and under which conditions.

    ``k`` buckets at most; None leaves it to ``compile_cost``, or takes ``DEFAULT_BUCKETS``.
    ``compile_cost`` is per graph, in the unit of ``cost``. Every boundary is a multiple of
    ``multiple_of``, every bucket has ``min_count`` sequences at least, and the last batch of a
    bucket is filled to ``fill_last`` sequences. ``method`` is ``hull``, ``anchors`` or ``table``;
    they agree, the last is quadratic. ``pad_to`` says what given boundaries are priced by: each
    bucket's boundary, or the longest length in it (an optimum is the same under both).
    """

    k: int | None = None
    cost: Cost = LINEAR
    multiple_of: int = 1
    min_count: int = 1
    compile_cost: Fraction | None = None
    fill_last: int = 1
    method: str = "hull"
    pad_to: str = "boundary"


DEFAULT_OPTIONS = PlanOptions()


@dataclass(frozen=True)
class FrontierRow:
    """The optimum for at most ``k`` buckets.

    ``saves`` is steps(k - 1) - steps(k), ``break_even`` is cost(k - 1) - cost(k): the compile cost
    up to which the k-th graph pays. Both are None at k = 1. Whole numbers, except for a table of
    times and under the ``batch`` policy, where steps and cost are expectations.
    """

    k: int
    steps: int | float
    cost: int | float | Decimal
    waste: float | None
    saves: int | float | None
    break_even: int | float | Decimal | None


@dataclass(frozen=True)
class Priced:
    """What given boundaries cost under the options, exactly; their steps count filled batches."""

    buckets: tuple[Bucket, ...]
    cost: int | Decimal

    @property
    def boundaries(self) -> tuple[int, ...]:
        """The boundaries, rounded up to the multiple."""
        return tuple(bucket.high for bucket in self.buckets)

    @property
    def steps(self) -> int:
        """All cell steps, padding included."""
        return sum(bucket.steps for bucket in self.buckets)

    @property
    def fewest(self) -> int:
        """The least number of sequences in a bucket that has any."""
        return min((bucket.count for bucket in self.buckets if bucket.count), default=0)

    @property
    def unused(self) -> int:
        """The number of buckets that hold no sequence."""
        return sum(1 for bucket in self.buckets if not bucket.count)


@dataclass(frozen=True)
class Plan:
    """An optimal plan with the frontier around it.

    ``steps`` count padding (and the filling of last batches), ``real_steps`` do not; ``waste`` is
    (steps - real steps) / steps. ``k`` may be below ``k_asked`` where more buckets gain nothing.
    """

    boundaries: tuple[int, ...]
    k_asked: int | None
    cost: int | Decimal
    steps: int
    real_steps: int
    rows: tuple[FrontierRow, ...]

    @property
    def k(self) -> int:
        """The number of buckets."""
        return len(self.boundaries)

    @property
    def waste(self) -> float | None:
        """(steps - real steps) / steps, None where there is no step."""
        return _waste(self.steps, self.real_steps)


@dataclass(frozen=True, eq=False)
class Solution:
    """A histogram solved under options, for any number of buckets: what a screen keeps."""

    histogram: Histogram
    rounded: Histogram
    options: PlanOptions
    frontier: Frontier | TableFrontier

    def boundaries(self, k: int) -> tuple[int, ...]:
        """Return optimal boundaries for at most ``k`` buckets; beyond the frontier solve again."""
        positive = self.rounded.positive
        if k <= self.frontier.most or self.frontier.most == positive.distinct:
            return self.frontier.boundaries(k)
        if k >= positive.distinct and self.options.min_count == self.options.fill_last == 1:
            return tuple(positive.lengths.tolist())
        return _frontier(self.rounded, self.options, k).boundaries(k)

    def optimal_cost(self, k: int) -> int | Decimal:
        """Return the least cost with at most ``k`` buckets."""
        if k <= self.frontier.most:
            return self.options.cost.exact(self.frontier.cost(k))
        return priced(self.histogram, self.boundaries(k), self.options).cost

    def best(self) -> tuple[int, ...]:
        """Return the boundaries that cost least with the compile cost of every graph added."""
        per_graph = self.options.compile_cost
        if per_graph is None or per_graph < 0:
            raise PlanError(say("there is no compile cost of at least 0 to choose the buckets by"))
        scaled = per_graph * self.options.cost.scale
        price, minimum = self.options.cost.price, self.options.min_count
        if self.options.fill_last > 1:
            fill = self.options.fill_last
            return cheapest_cuts(self.rounded, scaled, price, min_count=minimum, fill_last=fill)
        costs = self.frontier.costs
        totals = [cost + scaled * (index + 1) for index, cost in enumerate(costs)]
        k = totals.index(min(totals)) + 1
        # Costs are convex in k: a minimum inside the frontier is the minimum of all.
        if k < len(costs) or k == self.rounded.positive.distinct:
            return self.frontier.boundaries(k)
        return cheapest_boundaries(self.rounded, scaled, price, min_count=minimum)

    def rows(self) -> tuple[FrontierRow, ...]:
        """Return the frontier for 1…``MOST_BUCKETS`` buckets."""
        rows: list[FrontierRow] = []
        before: tuple[int, int] | None = None
        exact = self.options.cost.exact
        for k in range(1, min(self.frontier.most, MOST_BUCKETS) + 1):
            cost = self.frontier.cost(k)
            steps = cost
            if not self.options.cost.is_steps:
                steps = priced(self.histogram, self.frontier.boundaries(k), self.options).steps
            rows.append(
                FrontierRow(
                    k,
                    steps,
                    exact(cost),
                    _waste(steps, self.histogram.real_steps),
                    None if before is None else before[1] - steps,
                    None if before is None else exact(before[0] - cost),
                )
            )
            before = cost, steps
        return tuple(rows)


def prepare(histogram: Histogram, options: PlanOptions) -> Solution:
    """Solve the frontier of a histogram under options; raises PlanError where no plan exists."""
    rounded = round_up(histogram, options.multiple_of)
    if rounded.maximum:
        options.cost.price(rounded.maximum)
    return Solution(histogram, rounded, options, _frontier(rounded, options, MOST_BUCKETS))


def solve(histogram: Histogram, options: PlanOptions = DEFAULT_OPTIONS) -> Plan:
    """Return an optimal plan and the frontier k = 1…64, or up to the number of distinct lengths.

    Raises PlanError for k < 1, without any step, with fewer sequences than the minimum per bucket,
    for a cost table that ends below the longest length, and where filling last batches would take
    more than ten seconds.
    """
    if options.k is not None:
        refuse_no_buckets(options.k)
    solution = prepare(histogram, options)
    if options.k is None and options.compile_cost is not None:
        boundaries = solution.best()
    else:
        boundaries = solution.boundaries(DEFAULT_BUCKETS if options.k is None else options.k)
    chosen = priced(histogram, boundaries, options)
    return Plan(
        boundaries,
        options.k,
        chosen.cost,
        chosen.steps,
        histogram.real_steps,
        solution.rows(),
    )


def priced(histogram: Histogram, boundaries: Iterable[int], options: PlanOptions) -> Priced:
    """Return what boundaries cost under the options: padded to each, last batches filled.

    Under ``longest`` a bucket is padded to its longest length, rounded up to the multiple.

    Boundaries are rounded up to the multiple asked for and repeats dropped, as their owner would
    have to. Raises PlanError where they are not boundaries of this histogram.
    """
    multiple = options.multiple_of
    checked = check_boundaries(boundaries, histogram.maximum)
    taken = tuple(dict.fromkeys(-(-boundary // multiple) * multiple for boundary in checked))
    cost = low = 0
    buckets: list[Bucket] = []
    for high in taken:
        count = histogram.count_between(low + 1, high)
        pad: int | None = high
        if options.pad_to == "longest":
            longest = histogram.longest_between(low + 1, high)
            pad = None if longest is None else -(-longest // multiple) * multiple
        filled = -(-count // options.fill_last) * options.fill_last
        if filled and pad is not None:
            cost += filled * options.cost.price(pad)
        steps, real = filled * (pad or 0), histogram.steps_between(low + 1, high)
        buckets.append(Bucket(low + 1, high, count, pad, steps, real))
        low = high
    return Priced(tuple(buckets), options.cost.exact(cost))


def round_up(histogram: Histogram, multiple_of: int) -> Histogram:
    """Return the histogram with every length rounded up to a multiple; raises PlanError."""
    if multiple_of < 1:
        raise PlanError(
            say("{multiple_of} has no multiples above 0", multiple_of=multiple_of),
            where="--multiple-of",
        )
    if multiple_of == 1:
        return histogram
    counts: dict[int, int] = {}
    for length, count in histogram.items():
        rounded = -(-length // multiple_of) * multiple_of
        counts[rounded] = counts.get(rounded, 0) + count
    return Histogram.from_counts(counts)


def _frontier(rounded: Histogram, options: PlanOptions, most: int) -> Frontier | TableFrontier:
    price, minimum = options.cost.price, options.min_count
    if options.fill_last != 1 or options.method == "table":
        fill = options.fill_last
        return table_frontier(rounded, most, price, min_count=minimum, fill_last=fill)
    return frontier(rounded, most, price, min_count=minimum, method=options.method)


def _waste(steps: int, real_steps: int) -> float | None:
    return (steps - real_steps) / steps if steps else None
