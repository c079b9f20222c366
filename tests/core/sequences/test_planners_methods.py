"""Every method against the rule of its origin, written out once more; the optimum by trying."""

import json
from itertools import combinations
from math import gcd, log
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dgplay.core.errors import PlanError
from dgplay.core.sequences.buckets import bucket_table
from dgplay.core.sequences.dataset import DataOptions
from dgplay.core.sequences.frontier import frontier
from dgplay.core.sequences.histogram import Histogram
from dgplay.core.sequences.loading import load
from dgplay.core.sequences.planners import METHOD_NAMES, METHODS, equal_total_bins, plan

REFERENCE = json.loads(
    (Path(__file__).parents[2] / "data" / "chainer_100.json").read_text(encoding="utf-8")
)
LENGTHS = st.lists(st.integers(1, 60), min_size=1, max_size=40)
BUCKETS = st.integers(1, 12)


def of(lengths):
    return Histogram.from_lengths(lengths)


def fairseq_get_buckets(sizes, num_buckets):
    """fairseq/data/data_utils.py get_buckets, with numpy's new name for interpolation."""
    places = np.linspace(0, 100, num_buckets + 1)
    return np.unique(np.percentile(sizes, places, method="lower")[1:]).astype(int).tolist()


def lhotse_estimate_duration_buckets(durations, num_buckets):
    """lhotse/dataset/sampling/dynamic_bucketing.py estimate_duration_buckets."""
    durations = np.array(sorted(durations))
    bucket_duration = sum(durations) / num_buckets
    bins, total = [], 0
    for duration in durations:
        if total > bucket_duration:
            bins.append(int(duration))
            total = 0
        total += duration
    return bins


@given(LENGTHS, BUCKETS)
def test_quantile_is_fairseq_get_buckets(lengths, k):
    # Where (n - 1) i / k is whole, numpy's float position may fall just short of it.
    assume(gcd(len(lengths) - 1, k) == 1)
    assert list(plan(of(lengths), k, "quantile")) == fairseq_get_buckets(lengths, k)


@given(LENGTHS, BUCKETS)
def test_quantile_takes_the_lower_neighbour_of_each_exact_place(lengths, k):
    last, ordered = len(lengths) - 1, sorted(lengths)
    expected = sorted({ordered[last * i // k] for i in range(1, k + 1)})
    assert list(plan(of(lengths), k, "quantile")) == expected


@given(LENGTHS, BUCKETS)
def test_equal_total_is_the_walk_of_lhotse_and_the_longest_length(lengths, k):
    walked = lhotse_estimate_duration_buckets(lengths, k)
    # Whole totals may sit exactly on total / k, where floats are still exact below 2^53.
    assert equal_total_bins(of(lengths), k) == walked
    assert list(plan(of(lengths), k, "equal-total")) == sorted({*walked, max(lengths)})


@pytest.mark.parametrize(
    ("lengths", "k", "bins", "boundaries"),
    [
        (list(range(1, 11)), 4, [6, 9], (6, 9, 10)),
        ([1] * 10 + [100], 3, [], (100,)),
        ([30] * 6, 4, [30, 30], (30,)),
    ],
    ids=["1..10 K=4 gives two bins", "ten 1s and a 100 give none", "six 30s give one twice"],
)
def test_the_odd_cases_of_the_lhotse_walk(lengths, k, bins, boundaries):
    # anchors/batching.md section 2, RUN with lhotse a79cc864.
    assert equal_total_bins(of(lengths), k) == bins
    assert plan(of(lengths), k, "equal-total") == boundaries


@given(LENGTHS, BUCKETS)
def test_uniform_is_equal_widths_rounded_up(lengths, k):
    longest = max(lengths)
    expected = {-(-i * longest // k) for i in range(1, k + 1)}
    assert list(plan(of(lengths), k, "uniform")) == sorted(expected)


def test_uniform_on_the_reference_is_the_article():
    assert plan(of(REFERENCE["lengths"]), 4, "uniform") == (5, 10, 15, 20)
    eight = REFERENCE["eight_equal_buckets"]["boundaries"]
    assert list(plan(of(REFERENCE["lengths"]), 8, "uniform")) == eight


@pytest.mark.parametrize(
    ("shortest", "longest", "k", "boundaries"),
    [
        (1, 16, 4, (2, 4, 8, 16)),
        (1, 32, 5, (2, 4, 8, 16, 32)),
        (2, 486, 5, (6, 18, 54, 162, 486)),
        (10, 1000, 2, (100, 1000)),
        (1, 10, 2, (4, 10)),
        (7, 7, 3, (7,)),
    ],
)
def test_geometric_is_equal_ratios_and_whole_roots_stay_whole(shortest, longest, k, boundaries):
    assert plan(of([shortest, longest]), k, "geometric") == boundaries


@given(LENGTHS, BUCKETS)
def test_geometric_is_the_next_whole_number_of_each_root(lengths, k):
    shortest, longest = min(lengths), max(lengths)

    def root(i):  # the least x with x^k >= shortest^(k-i) * longest^i, in whole numbers
        power = shortest ** (k - i) * longest**i
        return next(x for x in range(1, longest + 1) if x**k >= power)

    expected = sorted({root(i) for i in range(1, k)} | {longest})
    assert list(plan(of(lengths), k, "geometric")) == expected


def test_geometric_ratios_are_equal_on_long_lengths():
    boundaries = plan(of([1000, 10**9]), 6, "geometric")
    ratios = np.diff([log(boundary) for boundary in (1000, *boundaries)])
    assert ratios == pytest.approx([log(10)] * 6, rel=1e-3)


@given(LENGTHS, BUCKETS)
def test_exponential_is_gluonnlp_exp_width_bucket(lengths, k):
    shortest, longest, step = min(lengths), max(lengths), 1.1
    width = (longest - shortest) * (step - 1) / (step**k - 1)
    keys = [shortest + width * (step**i - 1) / (step - 1) for i in range(1, k + 1)]
    assume(all(abs(key % 1 - 0.5) > 1e-9 for key in keys))  # where rounding may go either way
    assert list(plan(of(lengths), k, "exponential")) == sorted({round(key) for key in keys})


@given(LENGTHS, st.integers(1, 7))
def test_power_of_two_holds_every_length_in_the_least_power_there_is(lengths, k):
    boundaries = plan(of(lengths), k, "power-of-two")
    assert all(boundary.bit_count() == 1 for boundary in boundaries)
    assert len(boundaries) <= k
    assert boundaries[-1] // 2 < max(lengths) <= boundaries[-1]


@given(LENGTHS, BUCKETS)
def test_multiples_are_equal_steps_of_eight(lengths, k):
    boundaries = plan(of(lengths), k, "multiples")
    step = boundaries[0]
    assert step % 8 == 0
    assert boundaries == tuple(step * i for i in range(1, len(boundaries) + 1))
    assert len(boundaries) <= k
    assert boundaries[-1] - step < max(lengths) <= boundaries[-1]


def test_multiples_of_another_number():
    assert plan(of([1, 100]), 4, "multiples", multiple_of=10) == (30, 60, 90, 120)


@pytest.mark.parametrize("k", range(1, 21))
def test_the_optimum_of_the_reference_for_every_k(k):
    histogram = of(REFERENCE["lengths"])
    boundaries = plan(histogram, k, "optimal")
    assert bucket_table(histogram, boundaries).steps == REFERENCE["optimal"][str(k)]


def test_the_worked_example_of_habana():
    # anchors/batching.md, nearest prior art: theirs is 5,7,8 with 6 pads, the optimum has 4.
    histogram = of([3, 3, 4, 5, 5, 5, 6, 7, 8, 8])
    table = bucket_table(histogram, plan(histogram, 3, "optimal"))
    assert table.steps - table.real_steps == 4


@given(st.lists(st.integers(1, 30), min_size=1, max_size=12), st.integers(1, 6))
def test_the_optimum_equals_trying_every_choice(lengths, k):
    histogram = of(lengths)
    distinct = sorted(set(lengths))
    choices = combinations(distinct[:-1], min(k, len(distinct)) - 1)
    least = min(
        bucket_table(histogram, (*choice, distinct[-1]), "boundary").steps for choice in choices
    )
    assert bucket_table(histogram, plan(histogram, k, "optimal"), "boundary").steps == least


@given(LENGTHS, BUCKETS)
def test_the_optimum_is_the_same_from_a_frontier_that_is_known(lengths, k):
    histogram = of(lengths)
    assert plan(histogram, k, "optimal", frontier(histogram)) == plan(histogram, k, "optimal")


def test_more_buckets_than_lengths_cost_the_real_steps():
    histogram = of([0, 3, 5, 5])
    assert plan(histogram, 10**9, "optimal") == (3, 5)


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=25)
@given(lengths=st.lists(st.integers(0, 60), min_size=1, max_size=30).filter(any), k=BUCKETS)
def test_no_method_beats_the_optimum_and_each_covers_the_data(method, lengths, k):
    histogram = of(lengths)
    boundaries = plan(histogram, k, method)
    table = bucket_table(histogram, boundaries, "boundary")
    best = bucket_table(histogram, plan(histogram, k, "optimal"), "boundary")
    assert len(boundaries) <= k
    assert table.steps >= best.steps
    if method not in ("power-of-two", "multiples"):
        assert boundaries[-1] == max(lengths)


@pytest.mark.parametrize("method", METHODS)
def test_one_long_length_needs_no_long_array(method):
    histogram = Histogram.from_counts({1: 3, 2**53: 10**6})
    table = bucket_table(histogram, plan(histogram, 8, method), "boundary")
    assert sum(bucket.count for bucket in table.buckets) == 3 + 10**6


@pytest.mark.parametrize("method", [name for name in METHODS if name != "optimal"])
def test_a_heuristic_refuses_a_number_of_buckets_that_would_take_minutes(method):
    with pytest.raises(PlanError, match=f"{method} makes at most 100,000 buckets"):
        plan(of([1, 20]), 10**9, method)


@pytest.mark.parametrize(
    ("lengths", "k", "method", "line"),
    [
        ([1], 0, "uniform", "0 buckets cannot hold anything; ask for at least 1"),
        ([1], -3, "optimal", "-3 buckets cannot hold anything; ask for at least 1"),
        ([0, 0], 2, "uniform", "there is no sequence with a step to plan for"),
        ([1], 2, "best", f"unknown method 'best'; one of {', '.join(METHOD_NAMES)}"),
    ],
)
def test_what_cannot_be_planned_is_refused_in_one_line(lengths, k, method, line):
    with pytest.raises(PlanError) as refusal:
        plan(of(lengths), k, method)
    assert str(refusal.value) == line


#: What tests/core/sequences/test_plan_heuristics.py says of the twelve bundled sets, here by the
#: buckets themselves and to the last digit.
PUBLISHED = json.loads(
    (Path(__file__).parents[2] / "data" / "heuristics_excess.json").read_text(encoding="utf-8")
)
EXCESS_METHODS = PUBLISHED["columns"][1:]
EXCESS_AT_8 = PUBLISHED["excess"]


@pytest.mark.parametrize("name", EXCESS_AT_8)
def test_published_waste_and_excess_of_the_bundled_sets(name):
    histogram = load(DataOptions((name,))).histogram

    def table(method):
        return bucket_table(histogram, plan(histogram, 8, method), "boundary")

    best = table("optimal")
    excess = [100 * (table(method).steps / best.steps - 1) for method in EXCESS_METHODS]
    found = (round(100 * best.waste, 2), *(round(each, 1) for each in excess))
    assert list(found) == EXCESS_AT_8[name]
