"""Edits of boundaries: clamped, never reordered, always covering the longest length."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dgplay.core.errors import PlanError
from dgplay.core.sequences import edits
from dgplay.core.sequences.analysis import Analysis
from dgplay.core.sequences.buckets import bucket_table
from dgplay.core.sequences.dataset import Dataset
from dgplay.core.sequences.generators import generate
from dgplay.core.sequences.histogram import Histogram

REFERENCE = Analysis(generate("uniform:1-20", 100, 0))
FOUR = (5, 10, 15, 20)


def of_file(lengths, rate=None):
    histogram = Histogram.from_lengths(lengths)
    return Analysis(Dataset("few.txt", "file", histogram, frame_rate=rate))


SPARSE = of_file([0, 3, 5, 9, 20])


@pytest.mark.parametrize(
    ("bucket", "limits"), [(1, (1, 9)), (2, (6, 14)), (3, (11, 19)), (4, (20, None))]
)
def test_limits_lie_between_the_neighbours(bucket, limits):
    assert edits.limits(FOUR, bucket, 20) == limits


def test_the_last_boundary_is_open_above_and_ends_at_the_longest_length():
    assert edits.limits((5, 40), 2, 20) == (20, None)
    assert edits.limits((30, 40), 2, 20) == (31, None)


@pytest.mark.parametrize(
    ("bucket", "value", "placed"),
    [
        (1, 7, (7, 10, 15, 20)),
        (1, 99, (9, 10, 15, 20)),
        (1, -4, (1, 10, 15, 20)),
        (2, 5, (5, 6, 15, 20)),
        (4, 3, FOUR),
        (4, 99, (5, 10, 15, 99)),
    ],
)
def test_a_place_is_clamped_and_never_reorders(bucket, value, placed):
    assert edits.place(FOUR, bucket, value, 20) == placed


def test_on_generated_lengths_a_step_is_one_length():
    assert edits.move(REFERENCE, FOUR, 1, -1) == (4, 10, 15, 20)
    assert edits.move(REFERENCE, FOUR, 3, 1) == (5, 10, 16, 20)


def test_on_generated_lengths_a_jump_is_clamped():
    assert edits.move(REFERENCE, FOUR, 2, 1, 50) == (5, 14, 15, 20)
    assert edits.move(REFERENCE, FOUR, 2, -1, 50) == (5, 6, 15, 20)


def test_the_last_boundary_stays_at_the_longest_length():
    assert edits.move(REFERENCE, FOUR, 4, -1) == FOUR
    assert edits.move(REFERENCE, FOUR, 4, 1) == FOUR


def test_a_last_boundary_above_the_longest_length_can_come_back():
    assert edits.move(REFERENCE, (5, 22), 2, -1) == (5, 21)
    assert edits.move(SPARSE, (5, 40), 2, -1) == (5, 20)


def test_on_real_data_a_step_goes_to_the_next_length_that_occurs():
    assert edits.move(SPARSE, (5, 20), 1, 1) == (9, 20)
    assert edits.move(SPARSE, (5, 20), 1, -1) == (3, 20)
    assert edits.move(SPARSE, (6, 20), 1, 1) == (9, 20)


def test_on_real_data_no_boundary_reaches_length_zero():
    assert edits.move(SPARSE, (3, 20), 1, -1) == (3, 20)


def test_on_real_data_a_step_that_meets_its_neighbour_stays():
    assert edits.move(SPARSE, (5, 9, 20), 1, 1) == (5, 9, 20)


def test_on_real_data_a_jump_ends_at_the_last_length_before_its_limit():
    assert edits.move(SPARSE, (9, 20), 1, -1, 8) == (3, 20)
    assert edits.move(SPARSE, (3, 20), 1, 1, 40) == (9, 20)
    assert edits.move(SPARSE, (3, 9, 20), 1, 1, 40) == (5, 9, 20)


def test_delete_joins_with_the_bucket_above():
    assert edits.delete(FOUR, 2) == (5, 15, 20)


def test_delete_joins_the_last_bucket_with_the_one_below():
    assert edits.delete(FOUR, 4) == (5, 10, 20)


def test_the_only_bucket_cannot_be_deleted():
    with pytest.raises(PlanError, match="one bucket is the least there can be"):
        edits.delete((20,), 1)


def test_best_addition_saves_the_most_steps():
    # One bucket of 2000 steps; the optimum for two is 11, 20 with 1496 (reference file).
    table = bucket_table(REFERENCE.histogram, (20,))
    assert edits.best_addition(REFERENCE.histogram, table) == 11


def test_best_addition_refuses_where_nothing_can_be_saved():
    table = bucket_table(SPARSE.histogram, (3, 5, 9, 20))
    with pytest.raises(PlanError, match="no further boundary saves a step"):
        edits.best_addition(SPARSE.histogram, table)


def test_best_addition_is_exact_beyond_int64():
    # A boundary at 1 saves 10^6 (2^53 - 1) steps, one at 2^52 saves 10^6 more.
    histogram = Histogram.from_counts({1: 10**6, 2**52: 10**6, 2**53: 10**6})
    assert edits.best_addition(histogram, bucket_table(histogram, (2**53,))) == 2**52


@given(
    st.lists(st.integers(0, 25), min_size=1, max_size=20).filter(any),
    st.sets(st.integers(1, 24), max_size=4),
    st.sampled_from(["longest", "boundary"]),
)
def test_best_addition_equals_trying_every_length(lengths, inner, policy):
    histogram = Histogram.from_lengths(lengths)
    boundaries = tuple(sorted(inner | {25}))
    table = bucket_table(histogram, boundaries, policy)
    tried = {
        length: bucket_table(histogram, sorted({*boundaries, length}), policy).steps
        for length in range(1, 26)
    }
    least = min(tried.values())
    if least == table.steps:
        with pytest.raises(PlanError):
            edits.best_addition(histogram, table)
    else:
        assert tried[edits.best_addition(histogram, table)] == least


def test_a_boundary_that_is_there_cannot_be_added():
    with pytest.raises(PlanError, match="10 is a boundary already"):
        edits.add(FOUR, 10)


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("7", (7, 10, 15, 20)),
        ("+3", (8, 10, 15, 20)),
        ("-2", (3, 10, 15, 20)),
        ("−2", (3, 10, 15, 20)),
        (" 7 ", (7, 10, 15, 20)),
        ("99", (9, 10, 15, 20)),
    ],
)
def test_a_typed_length_places_the_active_end(text, result):
    assert edits.typed(text, REFERENCE, FOUR, 1) == (result, "place")


@pytest.mark.parametrize("text", ["4,11,17,20", "4 11 17 20", " 4, 11,17 ,20 ", "4，11、17，20"])
def test_a_typed_list_replaces_all_boundaries(text):
    assert edits.typed(text, REFERENCE, FOUR, 1) == ((4, 11, 17, 20), "list")


@pytest.mark.parametrize("text", ["k=4", "K = 4", "ｋ＝４"])
def test_k_takes_the_optimum(text):
    assert edits.typed(text, REFERENCE, FOUR, 1) == ((4, 11, 17, 20), "optimum")


def test_more_buckets_than_lengths_give_one_for_each_length():
    assert edits.typed("k=999999999", REFERENCE, FOUR, 1)[0] == tuple(range(1, 21))


def test_seconds_are_frames_rounded_up():
    speech = of_file([110, 900], Fraction(100))
    assert edits.typed("1.10s", speech, (200, 900), 1)[0] == (110, 900)
    assert edits.typed("1.101s", speech, (200, 900), 1)[0] == (111, 900)
    assert edits.typed("+0.5s", speech, (200, 900), 1)[0] == (250, 900)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", "'' is not a length; type 17, +3, 5,10,15,20 or k=8"),
        ("five", "'five' is not a length; type 17, +3, 5,10,15,20 or k=8"),
        ("5.5", "'5.5' is not a length; type 17, +3, 5,10,15,20 or k=8"),
        ("+-3", "'-3' is not a length; type 17, +3, 5,10,15,20 or k=8"),
        ("1.5s", "'1.5s' is a time, but the lengths are not; give steps"),
        ("k=0", "0 buckets cannot hold anything; ask for at least 1"),
        ("5,4,20", "boundary 4 does not rise above 5; boundaries rise strictly from 1"),
        ("5,19", "the last boundary 19 is below the longest length 20; add 20"),
        (",", "there are no boundaries; give at least the longest length"),
        ("9007199254740993", "9007199254740993 is above 2^53, the longest length there can be"),
    ],
)
def test_what_cannot_be_read_is_refused_in_one_line(text, line):
    with pytest.raises(PlanError) as refusal:
        edits.typed(text, REFERENCE, FOUR, 1)
    assert str(refusal.value) == line


@given(
    st.lists(st.integers(0, 40), min_size=1, max_size=20).filter(any),
    st.booleans(),
    st.lists(
        st.tuples(st.integers(1, 4), st.sampled_from([-1, 1]), st.integers(1, 30)), max_size=12
    ),
)
def test_moves_keep_boundaries_rising_and_covering(lengths, real, moves):
    histogram = Histogram.from_lengths(lengths)
    analysis = Analysis(Dataset("few", "file" if real else "generator", histogram))
    boundaries = analysis.plan(4, "uniform")
    for bucket, direction, distance in moves:
        bucket = min(bucket, len(boundaries))
        before = boundaries[bucket - 1]
        boundaries = edits.move(analysis, boundaries, bucket, direction, distance)
        assert bucket_table(histogram, boundaries).boundaries == boundaries
        assert (boundaries[bucket - 1] - before) * direction >= 0


@given(
    st.lists(st.integers(1, 40), min_size=2, max_size=20, unique=True),
    st.lists(
        st.tuples(st.integers(1, 3), st.sampled_from([-1, 1]), st.integers(1, 30)), max_size=12
    ),
)
def test_on_real_data_boundaries_rest_on_lengths_that_occur(lengths, moves):
    analysis = of_file(lengths)
    boundaries = analysis.plan(3, "optimal")
    for bucket, direction, distance in moves:
        boundaries = edits.move(
            analysis, boundaries, min(bucket, len(boundaries)), direction, distance
        )
        assert set(boundaries) <= set(lengths)
