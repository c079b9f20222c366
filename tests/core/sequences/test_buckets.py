"""Buckets: inclusive pad-to sizes over a histogram, both policies, every edge."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dgplay.core.errors import PlanError
from dgplay.core.sequences.buckets import bucket_table, check_boundaries
from dgplay.core.sequences.histogram import Histogram

REFERENCE = json.loads(
    (Path(__file__).parents[2] / "data" / "chainer_100.json").read_text(encoding="utf-8")
)
ARTICLE = Histogram.from_lengths(REFERENCE["lengths"])
PLANS = st.tuples(
    st.lists(st.integers(0, 30), min_size=1, max_size=25),
    st.sets(st.integers(1, 29), max_size=6),
    st.sampled_from(["longest", "boundary"]),
)


def rows(table):
    names = ("low", "high", "count", "pad_to", "steps", "real_steps")
    return [{name: getattr(bucket, name) for name in names} for bucket in table.buckets]


def test_the_reference_experiment():
    assert rows(bucket_table(ARTICLE, (5, 10, 15, 20))) == REFERENCE["buckets_5_10_15_20"]


def test_totals_of_the_reference_experiment():
    table = bucket_table(ARTICLE, (5, 10, 15, 20))
    assert (table.steps, table.real_steps) == (1270, 1065)
    assert table.waste == pytest.approx(REFERENCE["waste_bucketed"], rel=1e-12)


def test_eight_equal_buckets_of_the_reference_experiment():
    eight = REFERENCE["eight_equal_buckets"]
    assert bucket_table(ARTICLE, eight["boundaries"]).steps == eight["total"]


def test_four_single_moves_lead_to_the_optimum():
    # DESIGN section 4: 5→4 1259, 15→16 1258, 10→11 1257, 16→17 1256.
    path = [(4, 10, 15, 20), (4, 10, 16, 20), (4, 11, 16, 20), (4, 11, 17, 20)]
    assert [bucket_table(ARTICLE, stop).steps for stop in path] == [1259, 1258, 1257, 1256]


@pytest.mark.parametrize(
    ("k", "steps"), [(1, 2000), (2, 1500), (4, 1250), (5, 1200), (10, 1100), (20, 1050)]
)
def test_closed_form_of_equal_widths(k, steps):
    # anchors/batching.md section 3: lengths 1..20, five each.
    histogram = Histogram.from_counts(dict.fromkeys(range(1, 21), 5))
    width = 20 // k
    assert bucket_table(histogram, range(width, 21, width)).steps == steps


def test_longest_pads_to_the_longest_length_of_the_bucket():
    table = bucket_table(Histogram.from_lengths([2, 4, 9]), (5, 20))
    assert [bucket.pad_to for bucket in table.buckets] == [4, 9]
    assert table.steps == 2 * 4 + 9


def test_boundary_pads_to_the_boundary():
    table = bucket_table(Histogram.from_lengths([2, 4, 9]), (5, 20), "boundary")
    assert [bucket.pad_to for bucket in table.buckets] == [5, 20]
    assert table.steps == 2 * 5 + 20


def test_an_empty_bucket_has_no_length_to_pad_to_under_longest():
    empty = bucket_table(Histogram.from_lengths([1, 9]), (3, 6, 9)).buckets[1]
    assert (empty.count, empty.pad_to, empty.steps, empty.waste) == (0, None, 0, None)


def test_zero_lengths_belong_to_no_bucket():
    table = bucket_table(Histogram.from_lengths([0, 0, 3]), (3,), "boundary")
    assert (table.buckets[0].count, table.steps) == (1, 3)


def test_bucket_index_is_the_first_boundary_at_least_as_large():
    table = bucket_table(Histogram.from_lengths([1, 9]), (3, 6, 9))
    assert [table.bucket_index(length) for length in (1, 3, 4, 6, 7, 9)] == [0, 0, 1, 1, 2, 2]


def test_pad_to_of_a_length_in_an_empty_bucket_is_the_length():
    assert bucket_table(Histogram.from_lengths([1, 9]), (3, 6, 9)).pad_to_of(5) == 5


@pytest.mark.parametrize(
    ("length", "what"),
    [(0, "length 0 belongs to no bucket"), (10, "length 10 is above the last boundary 9")],
)
def test_bucket_index_refuses_what_has_no_bucket(length, what):
    table = bucket_table(Histogram.from_lengths([1, 9]), (3, 6, 9))
    with pytest.raises(PlanError, match=what):
        table.bucket_index(length)


@pytest.mark.parametrize(
    ("boundaries", "line"),
    [
        ((), "there are no boundaries; give at least the longest length"),
        ((0, 9), "boundary 0 is not above 0; boundaries rise strictly from 1"),
        ((-3, 9), "boundary -3 is not above 0; boundaries rise strictly from 1"),
        ((5, 5, 9), "boundary 5 does not rise above 5; boundaries rise strictly from 1"),
        ((5, 4, 9), "boundary 4 does not rise above 5; boundaries rise strictly from 1"),
        ((3, 8), "the last boundary 8 is below the longest length 9; add 9"),
    ],
)
def test_boundaries_that_cannot_be_are_refused_in_one_line(boundaries, line):
    with pytest.raises(PlanError) as refusal:
        check_boundaries(boundaries, 9)
    assert str(refusal.value) == line


def test_an_unknown_policy_is_refused():
    with pytest.raises(PlanError, match="unknown pad_to policy 'batch'"):
        bucket_table(ARTICLE, (20,), "batch")


def test_boundaries_above_every_int64_are_exact():
    table = bucket_table(Histogram.from_lengths([1, 7]), (3, 10**20), "boundary")
    assert table.steps == 3 + 10**20
    assert table.waste == (10**20 - 5) / (10**20 + 3)


def test_steps_beyond_int64_are_exact():
    histogram = Histogram.from_counts({1: 10**6, 2**53: 10**6})
    assert bucket_table(histogram, (2**53,)).steps == 2 * 10**6 * 2**53


@given(PLANS)
def test_buckets_cover_every_length_without_gap_or_overlap(plan):
    lengths, inner, policy = plan
    table = bucket_table(Histogram.from_lengths(lengths), sorted(inner | {30}), policy)
    covered = [length for bucket in table.buckets for length in range(bucket.low, bucket.high + 1)]
    assert covered == list(range(1, 31))


@given(PLANS)
def test_totals_equal_the_sum_over_single_sequences(plan):
    lengths, inner, policy = plan
    table = bucket_table(Histogram.from_lengths(lengths), sorted(inner | {30}), policy)
    real = [length for length in lengths if length]
    assert table.steps == sum(table.pad_to_of(length) for length in real)
    assert table.real_steps == sum(real)
    assert sum(bucket.count for bucket in table.buckets) == len(real)


@given(PLANS)
def test_longest_never_costs_more_than_boundary(plan):
    lengths, inner, _ = plan
    histogram, boundaries = Histogram.from_lengths(lengths), sorted(inner | {30})
    longest = bucket_table(histogram, boundaries, "longest")
    assert longest.steps <= bucket_table(histogram, boundaries, "boundary").steps
