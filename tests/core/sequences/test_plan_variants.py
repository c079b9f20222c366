"""Every variant of the planner against exhaustive search, and the cases it was built for."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations, pairwise

import pytest

from dgplay.core.errors import PlanError
from dgplay.core.sequences.compile_cost import cheapest_boundaries, steps_per_graph
from dgplay.core.sequences.costs import LINEAR, QUADRATIC, Cost, CostTable, affine
from dgplay.core.sequences.histogram import Histogram
from dgplay.core.sequences.table_frontier import table_frontier
from dgplay.core.sequences.variants import PlanOptions, prepare, priced, solve

METHODS = ("hull", "anchors", "table")


def least_by_trying_all(histogram: Histogram, most: int, options: PlanOptions) -> Fraction | None:
    """The least cost over all choices of at most ``most`` boundaries, compile cost included."""
    counts: dict[int, int] = {}
    for length, count in histogram.positive.items():
        rounded = -(-length // options.multiple_of) * options.multiple_of
        counts[rounded] = counts.get(rounded, 0) + count
    lengths = sorted(counts)
    best: Fraction | None = None
    for k in range(1, min(most, len(lengths)) + 1):
        for cut in combinations(range(1, len(lengths)), k - 1):
            edges = (0, *cut, len(lengths))
            total = Fraction(0)
            for first, stop in pairwise(edges):
                population = sum(counts[length] for length in lengths[first:stop])
                if population < options.min_count:
                    break
                filled = -(-population // options.fill_last) * options.fill_last
                total += filled * options.cost.price(lengths[stop - 1])
            else:
                if options.compile_cost is not None:
                    total += k * options.compile_cost * options.cost.scale
                best = total if best is None else min(best, total)
    return best


def small_case(rng: random.Random) -> tuple[Histogram, PlanOptions]:
    top = rng.choice([10, 15, 40])
    counts = {
        rng.randint(0, top): rng.choice([1, 2, 3, 7, 50, rng.randint(1, 9)])
        for _ in range(rng.randint(1, 8))
    }
    counts.setdefault(rng.randint(1, top), 1)
    times = tuple(sorted(rng.randint(0, 300) for _ in range(4)))
    table = Cost("times", table=CostTable((5, 11, 20, 100), times, 2, "times:4"))
    options = PlanOptions(
        k=rng.choice([1, 2, 3, 4, 8]),
        cost=rng.choice([LINEAR, QUADRATIC, affine(rng.randint(0, 5), rng.randint(1, 5)), table]),
        multiple_of=rng.choice([1, 1, 2, 3, 8]),
        min_count=rng.choice([1, 1, 2, 5, 20]),
        fill_last=rng.choice([1, 1, 2, 6]),
        method=rng.choice(METHODS),
    )
    return Histogram.from_counts(counts), options


def test_thousands_of_small_cases() -> None:
    rng = random.Random(5)
    solved = 0
    for _ in range(6000):
        histogram, options = small_case(rng)
        assert options.k is not None
        best = least_by_trying_all(histogram, options.k, options)
        if best is None:
            with pytest.raises(PlanError, match="cannot be met"):
                solve(histogram, options)
            assert histogram.positive.sequences < options.min_count
            continue
        plan = solve(histogram, options)
        assert Fraction(plan.cost) * options.cost.scale == best
        own = priced(histogram, plan.boundaries, options)
        assert (own.boundaries, own.cost, own.steps) == (plan.boundaries, plan.cost, plan.steps)
        assert own.fewest >= options.min_count
        assert own.unused == 0
        assert plan.k <= options.k
        solved += 1
    assert solved > 4000


def test_thousands_of_compile_costs() -> None:
    rng = random.Random(6)
    for _ in range(3000):
        histogram, fixed = small_case(rng)
        per_graph = Fraction(rng.randint(0, 400), rng.choice([1, 3, 100]))
        options = PlanOptions(
            cost=fixed.cost,
            multiple_of=fixed.multiple_of,
            min_count=min(fixed.min_count, histogram.positive.sequences),
            compile_cost=per_graph,
            fill_last=fixed.fill_last,
            method=fixed.method,
        )
        plan = solve(histogram, options)
        total = (Fraction(plan.cost) + per_graph * plan.k) * options.cost.scale
        assert total == least_by_trying_all(histogram, 9, options)


def test_compile_cost_beyond_the_frontier() -> None:
    """Where more than 64 graphs pay, the one-pass method finds them; it agrees within 64 too."""
    histogram = Histogram.from_counts({length: 1 + length % 7 for length in range(1, 400)})
    plan = solve(histogram, PlanOptions(compile_cost=Fraction(9)))
    assert plan.k > 64
    more = prepare(histogram, PlanOptions())
    for k in (plan.k - 1, plan.k + 1):
        assert more.optimal_cost(k) + 9 * k >= plan.cost + 9 * plan.k
    for per_graph in (Fraction(1000), Fraction(12345, 7)):
        by_frontier = solve(histogram, PlanOptions(compile_cost=per_graph))
        in_one_pass = cheapest_boundaries(histogram, per_graph)
        totals = [
            Fraction(priced(histogram, boundaries, PlanOptions()).cost)
            + per_graph * len(boundaries)
            for boundaries in (by_frontier.boundaries, in_one_pass)
        ]
        assert totals[0] == totals[1]


def test_break_even_is_where_the_next_graph_stops_paying() -> None:
    histogram = Histogram.from_counts(dict.fromkeys(range(1, 21), 5))
    rows = solve(histogram).rows
    break_even = rows[3].break_even
    assert break_even is not None
    assert solve(histogram, PlanOptions(compile_cost=Fraction(break_even) - 1)).k == 4
    assert solve(histogram, PlanOptions(compile_cost=Fraction(break_even) + 1)).k < 4


def test_compile_seconds_are_spread_over_the_epochs() -> None:
    assert steps_per_graph(Fraction("2.5"), 100_000, 10) == 25_000
    assert steps_per_graph(0, 1, 1) == 0
    for seconds, throughput, epochs in ((-1, 1, 1), (1, 0, 1), (1, 1, 0)):
        with pytest.raises(PlanError):
            steps_per_graph(seconds, throughput, epochs)


def test_filling_the_last_batch() -> None:
    """batching.md 3.6: neither Monge nor convex in the number of buckets."""
    histogram = Histogram.from_counts({6: 7, 11: 6, 13: 3, 19: 6, 36: 2})
    plan = solve(histogram, PlanOptions(k=5, fill_last=6))
    assert [row.cost for row in plan.rows] == [864, 630, 564, 558, 546]
    assert [row.saves for row in plan.rows] == [None, 234, 66, 6, 12]


def test_more_filled_buckets_than_pay_are_not_taken() -> None:
    histogram = Histogram.from_counts({9: 1, 10: 1})
    plan = solve(histogram, PlanOptions(k=2, fill_last=4))
    assert (plan.boundaries, plan.cost, plan.steps, plan.real_steps) == ((10,), 40, 40, 19)


def test_a_table_that_would_take_too_long_is_refused() -> None:
    histogram = Histogram.from_counts(dict.fromkeys(range(1, 60_001), 3))
    with pytest.raises(PlanError, match=r"about \d+ s, the limit is 10 s; try --multiple-of (\d+)"):
        solve(histogram, PlanOptions(k=8, fill_last=32))
    assert solve(histogram, PlanOptions(k=8, fill_last=32, multiple_of=100)).k == 8


def test_lengths_are_rounded_before_and_not_after() -> None:
    rng = random.Random(8)
    worse = 0
    for _ in range(60):
        histogram = Histogram.from_lengths([rng.randint(1, 60) for _ in range(40)])
        before = solve(histogram, PlanOptions(k=3, multiple_of=8))
        free = solve(histogram, PlanOptions(k=3)).boundaries
        after = priced(histogram, free, PlanOptions(multiple_of=8))
        assert all(boundary % 8 == 0 for boundary in before.boundaries + after.boundaries)
        assert before.steps <= after.steps
        worse += before.steps < after.steps
    assert worse


def test_the_frontier_ends_with_the_distinct_lengths_after_rounding() -> None:
    histogram = Histogram.from_counts(dict.fromkeys(range(1, 101), 1))
    assert len(solve(histogram).rows) == 64
    rows = solve(histogram, PlanOptions(multiple_of=16)).rows
    assert [row.k for row in rows] == list(range(1, 8))
    assert rows[0].steps == 112 * 100
    assert rows[0].waste == pytest.approx(1 - 5050 / 11200)


def test_a_minimum_population() -> None:
    histogram = Histogram.from_counts({1: 1, 2: 50, 3: 1, 9: 60})
    plan = solve(histogram, PlanOptions(k=4, min_count=50))
    assert (plan.boundaries, plan.k, plan.steps) == ((2, 9), 2, 102 + 61 * 9)
    assert [row.saves for row in plan.rows[2:]] == [0, 0]
    with pytest.raises(PlanError) as refused:
        solve(histogram, PlanOptions(min_count=113))
    assert str(refused.value) == (
        "a minimum of 113 sequences per bucket cannot be met by 112 in all; ask for at most 112"
    )


def test_quadratic_rows_hold_steps_and_cost() -> None:
    histogram = Histogram.from_counts({10: 9, 15: 4, 20: 1})
    rows = solve(histogram, PlanOptions(k=2, cost=QUADRATIC)).rows
    assert [(row.steps, row.cost) for row in rows] == [(280, 5600), (190, 2900), (170, 2200)]
    assert [(row.saves, row.break_even) for row in rows] == [(None, None), (90, 2700), (20, 700)]


def test_k_beyond_the_frontier() -> None:
    histogram = Histogram.from_counts({length: length % 5 + 1 for length in range(1, 301)})
    plan = solve(histogram, PlanOptions(k=100))
    assert plan.k == 100
    assert plan.steps == table_frontier(histogram, 100).cost(100)
    assert len(plan.rows) == 64
    assert solve(histogram, PlanOptions(k=10**12)).boundaries == tuple(range(1, 301))


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (PlanOptions(k=0), "0 buckets cannot hold anything"),
        (PlanOptions(multiple_of=0), "has no multiples"),
        (PlanOptions(min_count=0), "not a minimum"),
        (PlanOptions(fill_last=0), "cannot be filled to 0"),
        (PlanOptions(compile_cost=Fraction(-1)), "no compile cost of at least 0"),
        (PlanOptions(min_count=3), "cannot be met by 2"),
    ],
)
def test_plans_that_cannot_be(options: PlanOptions, reason: str) -> None:
    with pytest.raises(PlanError, match=reason) as refused:
        solve(Histogram.from_lengths([4, 5]), options)
    assert "\n" not in str(refused.value)


def test_a_boundary_below_the_maximum_is_refused() -> None:
    with pytest.raises(PlanError, match="below the longest length 9; add 9"):
        priced(Histogram.from_lengths([4, 9]), (5,), PlanOptions())


def test_unused_graphs_are_counted() -> None:
    """Cases 4 and 42: a bucket that holds nothing is reported, not an error."""
    histogram = Histogram.from_lengths([11, 12, 13, 14, 19])
    own = priced(histogram, (30, 40), PlanOptions())
    assert (own.steps, own.unused, own.fewest) == (150, 1, 5)


def test_every_sequence_is_in_one_bucket() -> None:
    """Case 21: 1000 items into 500 buckets lose none."""
    rng = random.Random(9)
    histogram = Histogram.from_lengths([rng.randint(1, 5000) for _ in range(1000)])
    boundaries = solve(histogram, PlanOptions(k=500)).boundaries
    assert len(boundaries) == 500
    lows = (0, *boundaries[:-1])
    pairs = zip(lows, boundaries, strict=True)
    assert sum(histogram.count_between(low + 1, high) for low, high in pairs) == 1000


def test_after_a_cap_the_longest_is_the_cap() -> None:
    """Cases 35 and 36: what truncation and dropping leave is what is planned for."""
    truncated = Histogram.from_lengths([min(length, 100) for length in (5, 50, 500)])
    dropped = Histogram.from_lengths([5, 50])
    assert solve(truncated, PlanOptions(k=2)).boundaries[-1] == 100
    assert solve(dropped, PlanOptions(k=2)).steps == dropped.real_steps == 55
