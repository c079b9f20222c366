"""Columns: nothing lost, nothing twice, no comb, exact at any length, everything fits."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dgplay.core.sequences.columns import (
    Columns,
    bin_columns,
    columns,
    frame,
    place_boundaries,
    scale,
    short_number,
    ticks,
)
from dgplay.core.sequences.histogram import Histogram

EMPTY = Histogram.from_counts({})
MANY = Histogram.from_counts({3 * place + 1: place % 7 + 1 for place in range(100_000)})
counts = st.dictionaries(st.integers(0, 2**53), st.integers(1, 10**6), max_size=20)
small = st.dictionaries(st.integers(0, 60), st.integers(1, 50), max_size=30)


def drawn_cells(placed: Columns) -> list[int]:
    """Every cell that a bar or a separator takes, separators of one column once."""
    bars = [cell + part for cell in placed.cells for part in range(placed.bar)]
    return bars + sorted(set(placed.separators))


@given(counts | small, st.integers(0, 230), st.data())
def test_everything_is_counted_once_and_fits(
    content: dict[int, int], width: int, data: st.DataObject
) -> None:
    histogram = Histogram.from_counts(content)
    top = max(histogram.maximum, 1)
    boundaries = sorted(data.draw(st.sets(st.integers(1, top), max_size=64)) | {top})
    placed = columns(histogram, width, boundaries)
    assert int(placed.count.sum()) == histogram.sequences - histogram.zeros
    for low, high, count in zip(placed.low, placed.high, placed.count, strict=True):
        assert count == histogram.count_between(int(low), int(high))
    if placed.size:
        assert placed.low[0] == 1
        assert placed.high[-1] == histogram.maximum
        assert placed.low[1:].tolist() == (placed.high[:-1] + 1).tolist()
    if placed.size and width >= 2:
        cells = drawn_cells(placed)
        assert len(cells) == len(set(cells))
        assert max(cells) < width


@given(counts | small, st.integers(1, 230), st.integers(0, 64))
def test_a_column_is_found_by_its_length_and_by_its_cell(
    content: dict[int, int], width: int, separators: int
) -> None:
    bins = bin_columns(Histogram.from_counts(content), width, separators)
    placed = place_boundaries(bins, ())
    for column in range(placed.size):
        assert placed.column_of(placed.length_of(column)) == column
        assert placed.column_of(int(placed.low[column])) == column
        assert placed.column_at(placed.cells[column]) == column


def test_eighty_lengths_go_to_columns_and_back() -> None:
    placed = columns(Histogram.from_lengths(range(1, 81)), 90, (20, 40, 60, 80))
    assert placed.size == 80
    assert [placed.length_of(placed.column_of(length)) for length in range(1, 81)] == list(
        range(1, 81)
    )
    assert placed.column_width == 1
    # A click on a separator means the boundary that is drawn there.
    for boundary, cell in zip(placed.boundaries, placed.separators, strict=True):
        assert placed.length_of(placed.column_at(cell)) == boundary


@pytest.mark.parametrize("width", [198, 199, 150, 257, 511])
def test_a_uniform_distribution_shows_no_comb(width: int) -> None:
    placed = columns(Histogram.from_counts(dict.fromkeys(range(1, 513), 40)), width)
    assert placed.size == width
    jumps = np.abs(np.diff(placed.density))
    assert jumps.mean() / placed.density.mean() < 0.05
    heights = scale(placed.bins, 20).eighths
    assert len(set(heights)) == 1


def test_few_lengths_have_a_gap_after_each_bar() -> None:
    placed = columns(Histogram.from_lengths(range(1, 21)), 40, (5, 10, 15, 20))
    assert placed.cells == tuple(range(0, 40, 2))
    assert placed.separators == (9, 19, 29, 39)
    assert placed.bucket_columns(1) == range(5, 10)


def test_a_separator_never_takes_the_cell_of_a_bar() -> None:
    placed = columns(Histogram.from_lengths(range(1, 31)), 34, (1, 2, 29, 30))
    assert placed.cells[:4] == (0, 2, 4, 5)
    assert placed.separators == (1, 3, 31, 33)


def test_boundaries_in_one_column_share_a_separator() -> None:
    placed = columns(Histogram.from_lengths(range(1, 101)), 13, (41, 42, 43, 100))
    assert placed.separators[0] == placed.separators[2]
    assert not placed.bucket_columns(1)
    assert placed.bucket_columns(3) == range(placed.ends[2] + 1, placed.size)


def test_a_boundary_above_the_maximum_stands_after_the_last_column() -> None:
    placed = columns(Histogram.from_lengths([3, 9]), 40, (4, 50))
    assert placed.ends == (3, 8)


def test_moving_a_boundary_does_not_bin_again() -> None:
    bins = bin_columns(MANY, 120, 2)
    assert place_boundaries(bins, (7, 299_998)).bins is bins


@pytest.mark.parametrize("content", [{}, {0: 5}])
def test_nothing_to_draw(content: dict[int, int]) -> None:
    placed = columns(Histogram.from_counts(content), 40, (5,))
    assert placed.size == 0
    assert (placed.column_of(3), placed.length_of(0), placed.column_width) == (0, 0, 1)
    assert ticks(placed) == ()
    assert frame(EMPTY, 40, 5).scale.eighths == ()


def test_one_length() -> None:
    placed = columns(Histogram.from_lengths([7] * 9), 40, (7,))
    assert placed.count.tolist() == [0, 0, 0, 0, 0, 0, 9]
    assert scale(placed.bins, 3).labels == ("9", "6", "3")


@pytest.mark.parametrize("maximum", [31_444, 2**53])
def test_far_lengths_are_exact(maximum: int) -> None:
    placed = columns(Histogram.from_lengths([1, maximum - 1, maximum]), 60, (maximum,))
    assert placed.count.sum() == 3
    assert placed.high.tolist() == [
        maximum * (column + 1) // placed.size for column in range(placed.size)
    ]
    assert placed.column_width == round(maximum / placed.size)


def test_many_distinct_lengths() -> None:
    placed = columns(MANY, 200, (1000, MANY.maximum))
    assert placed.count.sum() == MANY.sequences


def test_rows_stand_for_round_numbers() -> None:
    bins = bin_columns(Histogram.from_counts({1: 8, 2: 7, 3: 2, 4: 0, 5: 1}), 40)
    assert scale(bins, 4).labels == ("8", "6", "4", "2")
    assert scale(bins, 4).eighths == (32, 28, 8, 0, 4)
    # A fifth row is above every bar and has no number.
    assert scale(bins, 5).labels == ("", "8", "6", "4", "2")
    one = bin_columns(Histogram.from_counts({1: 1}), 40)
    assert scale(one, 4).labels == ("1", "", "", "")
    assert scale(bin_columns(Histogram.from_counts({1: 10**6, 2: 1}), 40), 4).eighths == (32, 1)


@given(counts | small, st.integers(0, 40), st.integers(0, 200))
def test_bars_stay_inside_and_every_sequence_shows(
    content: dict[int, int], rows: int, width: int
) -> None:
    framed = frame(Histogram.from_counts(content), width, rows)
    assert len(framed.scale.labels) == rows
    for height, count in zip(framed.scale.eighths, framed.bins.count, strict=True):
        assert 0 <= height <= 8 * rows
        assert (height > 0) == (count > 0 and rows > 0)
    assert framed.gutter == 0 or framed.gutter > max(map(len, framed.scale.labels))


@settings(max_examples=60)
@given(counts | small, st.integers(1, 230), st.booleans())
def test_tick_labels_never_touch(content: dict[int, int], width: int, seconds: bool) -> None:
    placed = columns(Histogram.from_counts(content), width)
    found = ticks(placed, lambda length: f"{length / 100:.2f} s") if seconds else ticks(placed)
    for before, after in pairwise(found):
        assert before.cell + len(before.text) < after.cell
    for tick in found:
        assert 0 <= tick.cell <= placed.cells[placed.column_of(tick.length)]
        assert tick.cell + len(tick.text) <= width


def test_ticks_are_round() -> None:
    placed = columns(Histogram.from_lengths(range(1, 21)), 40)
    assert [(tick.cell, tick.text) for tick in ticks(placed)] == [
        (0, "1"),
        (8, "5"),
        (18, "10"),
        (28, "15"),
        (38, "20"),
    ]
    seconds = ticks(placed, lambda length: f"{length / 10:.1f} s")
    assert [tick.text for tick in seconds] == ["0.1 s", "1.0 s", "2.0 s"]


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0"), (999, "999"), (1200, "1.2k"), (12_000, "12k"), (3 * 10**6, "3M"), (10**21, "1000E")],
)
def test_short_number(number: int, text: str) -> None:
    assert short_number(number) == text
