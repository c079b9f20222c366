"""The sparse histogram: exact sums over any range of lengths, never an array per length."""

import tracemalloc
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dgplay.core.sequences.histogram import INT64_MAX, Histogram, exact_array

LENGTHS = st.lists(st.integers(0, 60), max_size=40)
FEW = Histogram.from_lengths([3, 0, 7, 3, 3, 12, 0])  # 0 ×2, 3 ×3, 7 ×1, 12 ×1


def test_distinct_lengths_ascend_with_their_counts():
    assert FEW.items() == [(0, 2), (3, 3), (7, 1), (12, 1)]


def test_totals_count_zero_lengths_as_sequences_without_steps():
    assert (FEW.sequences, FEW.zeros, FEW.real_steps) == (7, 2, 28)
    assert (FEW.minimum, FEW.maximum, FEW.mean) == (0, 12, 4.0)


def test_positive_leaves_the_zero_lengths_out():
    assert FEW.positive.items() == [(3, 3), (7, 1), (12, 1)]
    assert FEW.positive.positive is FEW.positive


def test_nothing_at_all():
    empty = Histogram.from_lengths([])
    assert (empty.sequences, empty.real_steps, empty.zeros, empty.distinct) == (0, 0, 0, 0)
    assert (empty.minimum, empty.maximum, empty.mean) == (0, 0, None)
    assert empty.longest_between(0, 100) is None
    assert empty.next_length(5, 1) is None
    assert empty.next_length(5, -1) is None


@pytest.mark.parametrize(
    ("low", "high", "count", "steps", "longest"),
    [
        (1, 3, 3, 9, 3),
        (4, 12, 2, 19, 12),
        (4, 6, 0, 0, None),
        (0, 0, 2, 0, 0),
        (13, 99, 0, 0, None),
        (5, 4, 0, 0, None),
    ],
)
def test_ranges_are_inclusive_at_both_ends(low, high, count, steps, longest):
    assert FEW.count_between(low, high) == count
    assert FEW.steps_between(low, high) == steps
    assert FEW.longest_between(low, high) == longest


def test_next_length_is_the_nearest_that_occurs():
    assert [FEW.next_length(length, 1) for length in (0, 3, 6, 12)] == [3, 7, 7, None]
    assert [FEW.next_length(length, -1) for length in (0, 3, 6, 13)] == [None, 0, 3, 12]


def test_length_at_walks_the_sorted_sequences():
    assert [FEW.length_at(index) for index in range(7)] == [0, 0, 3, 3, 3, 7, 12]


@pytest.mark.parametrize("index", [-1, 7])
def test_length_at_refuses_a_place_that_there_is_not(index):
    with pytest.raises(IndexError, match=f"sequence {index} of 7"):
        FEW.length_at(index)


def test_counts_of_zero_are_left_out():
    assert Histogram.from_counts({5: 0, 2: 1}).items() == [(2, 1)]


def test_merge_multiplies_by_the_weights():
    other = Histogram.from_lengths([3, 5])
    merged = Histogram.merge([(FEW, 2), (other, 10)])
    assert merged.items() == [(0, 4), (3, 16), (5, 10), (7, 2), (12, 2)]


@given(LENGTHS)
def test_everything_follows_from_the_sorted_list(lengths):
    histogram = Histogram.from_lengths(lengths)
    assert histogram.items() == sorted(Counter(lengths).items())
    assert histogram.real_steps == sum(lengths)
    assert [histogram.length_at(i) for i in range(len(lengths))] == sorted(lengths)


@given(LENGTHS, st.integers(-1, 61), st.integers(-1, 61))
def test_range_sums_equal_a_scan(lengths, low, high):
    histogram = Histogram.from_lengths(lengths)
    inside = [length for length in lengths if low <= length <= high]
    assert histogram.count_between(low, high) == len(inside)
    assert histogram.steps_between(low, high) == sum(inside)
    assert histogram.longest_between(low, high) == max(inside, default=None)


@given(LENGTHS, LENGTHS, st.integers(1, 5))
def test_merging_is_concatenating(first, second, weight):
    merged = Histogram.merge([(Histogram.from_lengths(first), weight), (_of(second), 1)])
    assert merged.items() == _of(first * weight + second).items()


def _of(lengths):
    return Histogram.from_lengths(lengths)


@given(st.lists(st.integers(0, 2**53), min_size=1, max_size=20))
def test_scattered_and_dense_lengths_are_counted_alike(lengths):
    assert _of(lengths).items() == sorted(Counter(lengths).items())
    assert _of(np.array(lengths)).items() == _of(lengths).items()


def test_no_array_is_sized_by_the_largest_length():
    tracemalloc.start()
    histogram = Histogram.from_lengths([1, 2**53])
    assert histogram.steps_between(1, 2**53) == 2**53 + 1
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1_000_000


def test_steps_beyond_int64_stay_exact():
    # 2^53 × 10^6 is about 9.0e21; int64 ends at 9.2e18.
    histogram = Histogram.merge([(Histogram.from_lengths([2**53, 2**53 - 1]), 10**6)])
    assert histogram.real_steps == (2**54 - 1) * 10**6
    assert histogram.steps_between(2**53, 2**53) == 2**53 * 10**6
    assert histogram.step_prefix.tolist() == [0, (2**53 - 1) * 10**6, (2**54 - 1) * 10**6]


def test_counts_whose_sum_leaves_int64_stay_exact():
    histogram = Histogram.from_counts({1: 2**62, 2: 2**62, 3: 2**62})
    assert histogram.sequences == 3 * 2**62
    assert histogram.count_prefix.tolist() == [0, 2**62, 2**63, 3 * 2**62]
    assert histogram.length_at(2**63) == 3
    assert histogram.length_at(2**63 - 1) == 2


@pytest.mark.parametrize(("largest", "dtype"), [(INT64_MAX, np.int64), (INT64_MAX + 1, object)])
def test_exact_array_turns_to_python_integers_where_int64_ends(largest, dtype):
    array = exact_array([1, 2], largest)
    assert array.dtype == dtype
    assert exact_array(np.array([1, 2]), largest).tolist() == [1, 2]
