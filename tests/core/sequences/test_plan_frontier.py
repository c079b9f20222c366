"""The exact frontier: known figures, independent methods, whole numbers of any size."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from dgplay.core.errors import PlanError
from dgplay.core.sequences import layer_anchors, layer_hull, line_queue
from dgplay.core.sequences.buckets import bucket_table
from dgplay.core.sequences.frontier import FRONTIER_METHODS, Frontier, frontier
from dgplay.core.sequences.histogram import Histogram
from dgplay.core.sequences.table_frontier import table_frontier

REFERENCE = Path(__file__).parents[2] / "data" / "chainer_100.json"


def shape(name: str, distinct: int) -> Histogram:
    """A histogram of the named shape with that many distinct lengths."""
    rng = np.random.default_rng(7)
    lengths = np.arange(1, distinct + 1)
    x = lengths / distinct
    ones = np.ones(distinct, np.int64)
    match name:
        case "uniform":
            counts = rng.integers(1, 20, distinct)
        case "spikes":
            counts = ones.copy()
            counts[::37] = 100_000
        case "comb":
            counts = ones.copy()
            counts[::2] = 1000
        case "two humps":
            humps = np.exp(-(((x - 0.2) / 0.05) ** 2)) + np.exp(-(((x - 0.8) / 0.03) ** 2))
            counts = 1 + (1e5 * humps).astype(np.int64)
        case "decay":
            counts = 1 + (1e6 * np.exp(-12 * x)).astype(np.int64)
        case "all distinct":
            lengths, counts = np.cumsum(rng.integers(1, 50, distinct)), ones
        case "heavy tails":
            lengths = np.cumsum(rng.zipf(1.5, distinct).clip(1, 10**6))
            counts = rng.zipf(1.5, distinct).clip(1, 10**6)
        case "one value":
            lengths, counts = lengths[-1:], 5 * ones[:1]
        case _:
            raise ValueError(name)
    return Histogram(lengths.astype(np.int64), counts.astype(np.int64))


SHAPES = (
    "uniform",
    "spikes",
    "comb",
    "two humps",
    "decay",
    "all distinct",
    "heavy tails",
    "one value",
)


def check_boundaries_cost(histogram: Histogram, solved: Frontier) -> None:
    for k in (1, 2, 3, 7, solved.most):
        boundaries = solved.boundaries(k)
        assert bucket_table(histogram, boundaries, "boundary").steps == solved.cost(k)
        assert len(boundaries) == min(k, solved.most)


def test_reference_experiment() -> None:
    histogram = Histogram.from_lengths(json.loads(REFERENCE.read_text())["lengths"])
    solved = frontier(histogram)
    assert solved.costs[:5] == (2000, 1496, 1349, 1256, 1207)
    assert solved.boundaries(4) == (4, 11, 17, 20)
    assert solved.costs[-1] == histogram.real_steps == 1065


def test_worked_example_of_ten_lengths() -> None:
    histogram = Histogram.from_lengths([3, 3, 4, 5, 5, 5, 6, 7, 8, 8])
    solved = frontier(histogram)
    assert (histogram.real_steps, solved.cost(3)) == (54, 58)
    assert solved.boundaries(3) == (3, 5, 8)
    assert bucket_table(histogram, (5, 7, 8), "boundary").steps == 60


def test_one_to_twenty_five_each() -> None:
    histogram = Histogram.from_counts(dict.fromkeys(range(1, 21), 5))
    solved = frontier(histogram)
    known = {1: 2000, 2: 1500, 4: 1250, 5: 1200, 10: 1100, 20: 1050}
    assert {k: solved.cost(k) for k in known} == known
    assert solved.boundaries(4) == (5, 10, 15, 20)
    assert solved.most == 20
    assert solved.cost(99) == 1050


def test_a_bucket_for_one_outlier() -> None:
    """Case 23: lengths 1..10 a hundred times and one of 1000."""
    histogram = Histogram.from_counts({**dict.fromkeys(range(1, 11), 100), 1000: 1})
    assert frontier(histogram, 2).boundaries(2) == (10, 1000)


@pytest.mark.parametrize("name", SHAPES)
def test_methods_agree_on_every_shape(name: str) -> None:
    histogram = shape(name, 700)
    solved = {method: frontier(histogram, method=method) for method in FRONTIER_METHODS}
    assert solved["hull"].costs == solved["anchors"].costs
    for each in solved.values():
        check_boundaries_cost(histogram, each)
    for before, middle, after in zip(
        solved["hull"].costs, solved["hull"].costs[1:], solved["hull"].costs[2:], strict=False
    ):
        assert before - middle >= middle - after


@pytest.mark.parametrize("name", SHAPES)
def test_the_table_agrees_too(name: str) -> None:
    histogram = shape(name, 150)
    table = table_frontier(histogram, 20)
    assert table.costs == frontier(histogram, 20).costs
    assert bucket_table(histogram, table.boundaries(9), "boundary").steps == table.cost(9)


@pytest.mark.parametrize("name", ["spikes", "two humps"])
def test_pruning_is_bounded_on_bad_shapes(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the hull leaves to the anchor rows after too few rounds has the same answer."""
    histogram = shape(name, 900)
    whole = frontier(histogram, 16).costs
    monkeypatch.setattr(layer_hull, "_ROUNDS", 2)
    assert frontier(histogram, 16).costs == whole


@pytest.mark.parametrize("method", FRONTIER_METHODS)
def test_whole_numbers_beyond_int64(method: str) -> None:
    small = shape("two humps", 60)
    factor = 10**15
    large = Histogram.from_counts({factor * length: 10**9 * n for length, n in small.items()})
    solved = frontier(large, 12, method=method)
    expected = frontier(small, 12)
    assert solved.costs == tuple(factor * 10**9 * cost for cost in expected.costs)
    assert solved.boundaries(5) == tuple(factor * length for length in expected.boundaries(5))


def test_the_queue_of_lines_solves_the_same_layers() -> None:
    histogram = shape("heavy tails", 300)
    counted, values = histogram.count_prefix[1:], histogram.lengths
    layer = counted * values
    allowed = np.arange(1, 301).clip(1, 250)
    for limit in (None, allowed):
        by_queue = line_queue.row_minima(layer, counted, values, limit)
        assert (by_queue == layer_anchors.row_minima(layer, counted, values, limit)).all()
    free = layer_hull.row_minima(layer, counted, values)
    assert (free == line_queue.row_minima(layer, counted, values)).all()


def test_every_further_bucket_saves_until_nothing_is_padded() -> None:
    histogram = shape("heavy tails", 40)
    costs = frontier(histogram).costs
    assert len(costs) == 40
    assert all(later < earlier for earlier, later in pairwise(costs))
    assert costs[-1] == histogram.real_steps


def test_zero_lengths_cost_nothing() -> None:
    histogram = Histogram.from_lengths([0, 0, 2, 3])
    assert frontier(histogram).costs == (6, 5)
    assert frontier(histogram).boundaries(2) == (2, 3)


@pytest.mark.parametrize("histogram", [Histogram.from_counts({}), Histogram.from_counts({0: 4})])
def test_nothing_to_plan(histogram: Histogram) -> None:
    with pytest.raises(PlanError, match="no sequence with a step") as refused:
        frontier(histogram)
    assert "\n" not in str(refused.value)


def test_no_buckets() -> None:
    solved = frontier(Histogram.from_lengths([1, 2]))
    with pytest.raises(PlanError, match="0 buckets cannot hold anything"):
        solved.boundaries(0)


def test_a_frontier_above_a_gigabyte_is_refused() -> None:
    lengths = np.arange(1, 100_001)
    histogram = Histogram(lengths, np.ones_like(lengths))
    with pytest.raises(PlanError, match="more than 1 GiB; ask for at most 1342"):
        frontier(histogram, 2000)


def test_an_unknown_method_is_refused() -> None:
    with pytest.raises(PlanError, match="unknown method 'guess'"):
        frontier(Histogram.from_lengths([1, 2]), method="guess")
