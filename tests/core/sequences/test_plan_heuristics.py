"""Other people's heuristics: their formulas, and the figures measured on the bundled corpora."""

from __future__ import annotations

import json
import math
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from dgplay.core.errors import PlanError
from dgplay.core.sequences import heuristics
from dgplay.core.sequences.bundled import names, open_set
from dgplay.core.sequences.costs import QUADRATIC
from dgplay.core.sequences.frontier import frontier
from dgplay.core.sequences.histogram import Histogram
from dgplay.core.sequences.planners import METHOD_NAMES, METHODS, plan
from dgplay.core.sequences.variants import PlanOptions, prepare, priced

DATA = Path(__file__).parents[2] / "data" / "heuristics_excess.json"

#: At K = 8, padded to the boundary, in percent: the waste of the optimum, and how many steps above
#: it each method is. Geometric on ud_english is 6.2 once 81^(6/8) is 27 and not the
#: 27.000000000000004 that floats make of it, which would be rounded up to 28.
PUBLISHED = json.loads(DATA.read_text(encoding="utf-8"))
EXCESS: dict[str, list[float]] = PUBLISHED["excess"]
COLUMNS: list[str] = PUBLISHED["columns"][1:]


@cache
def corpus(name: str) -> Histogram:
    with open_set(name) as lines:
        rows = [line.decode().split(",") for line in lines if line[:1].isdigit()]
    return Histogram.from_counts({int(length): int(count) for length, count in rows})


def test_every_bundled_corpus_has_known_figures() -> None:
    assert sorted(EXCESS) == sorted(names())


@pytest.mark.parametrize("name", EXCESS)
def test_excess_over_the_optimum(name: str) -> None:
    histogram = corpus(name)
    solution = prepare(histogram, PlanOptions())
    waste, *expected = EXCESS[name]
    least = solution.frontier.cost(8)
    assert round(100 * (1 - histogram.real_steps / least), 2) == waste
    measured = []
    for method in COLUMNS:
        steps = priced(histogram, plan(histogram, 8, method), PlanOptions()).steps
        measured.append(100 * (steps / least - 1))
    assert measured == pytest.approx(expected, abs=0.0501)


@pytest.mark.parametrize("name", EXCESS)
def test_exact_totals_of_the_corpora(name: str) -> None:
    """Case 30: linear and quadratic optima of every corpus, by two methods."""
    histogram = corpus(name)
    for price in (lambda length: length, QUADRATIC.price):
        assert frontier(histogram, 16, price).costs == (
            frontier(histogram, 16, price, method="anchors").costs
        )


@pytest.mark.parametrize(
    ("name", "excess"),
    [
        ("resfinder_genes_nt", 0.2),
        ("mmlu_test_words", 6.5),
        ("prokka_virus_proteins", 15.1),
        ("voxconverse_segments_10ms", 23.7),
    ],
)
def test_linear_boundaries_under_attention_cost(name: str, excess: float) -> None:
    histogram = corpus(name)
    options = PlanOptions(k=8, cost=QUADRATIC)
    linear = priced(histogram, frontier(histogram, 8).boundaries(8), options)
    least = prepare(histogram, options).optimal_cost(8)
    assert round(100 * (float(linear.cost) / float(least) - 1), 1) == excess


@pytest.mark.parametrize("k", [1, 2, 7, 10, 64])
def test_exponential_as_its_source_writes_it(k: int) -> None:
    """min + width * (r^i - 1) / (r - 1) with width = (max - min) * (r - 1) / (r^k - 1)."""
    histogram = Histogram.from_lengths([3, 50, 997])
    width = (997 - 3) * (1.1 - 1) / (math.pow(1.1, k) - 1)
    keys = [round(3 + width * (math.pow(1.1, i) - 1) / (1.1 - 1)) for i in range(1, k + 1)]
    assert heuristics.exponential(histogram, k) == tuple(sorted({*keys[:-1], 997}))


def test_lognormal_scales_quantiles_to_the_longest() -> None:
    """Quartiles of exp(N(0, 1)) are 0.509, 1 and 1.963: at three buckets 0.26, 0.51 and 1."""
    assert heuristics.lognormal(Histogram.from_lengths([1, 1000]), 3) == (260, 510, 1000)


def test_powers_of_two() -> None:
    histogram = Histogram.from_lengths([3, 20])
    assert heuristics.power_of_two(histogram, 2) == (16, 32)
    assert heuristics.power_of_two(histogram, 9) == (4, 8, 16, 32)
    assert heuristics.power_of_two(Histogram.from_lengths([1]), 4) == (1,)
    assert heuristics.power_of_two(Histogram.from_lengths([16]), 4) == (16,)


def test_multiples() -> None:
    histogram = Histogram.from_lengths([3, 60])
    assert heuristics.multiples(histogram, 8) == (8, 16, 24, 32, 40, 48, 56, 64)
    assert heuristics.multiples(histogram, 4) == (16, 32, 48, 64)
    assert plan(histogram, 4, "multiples", multiple_of=25) == (25, 50, 75)


def test_equal_total_of_the_first_rows() -> None:
    first = np.array([5, 1, 2, 8, 3, 4, 6, 7])
    everything = Histogram.from_lengths([*first.tolist(), 50, 60])
    assert plan(everything, 3, "equal-total-10k", in_order=first) == (6, 8, 60)
    assert plan(everything, 3, "equal-total") == (60,)
    with pytest.raises(PlanError) as refused:
        plan(everything, 3, "equal-total-10k")
    assert "first 10,000 rows" in str(refused.value)
    assert "\n" not in str(refused.value)


def test_equal_total_of_all_rows_is_equal_total() -> None:
    lengths = np.random.default_rng(3).integers(1, 90, 500)
    histogram = Histogram.from_lengths(lengths)
    for k in (1, 3, 8, 40):
        ordered = plan(histogram, k, "equal-total-10k", in_order=lengths)
        assert ordered == plan(histogram, k, "equal-total")


def test_equal_total_against_its_walk() -> None:
    """lhotse's loop, item by item: close when the running sum exceeds total / k."""
    rng = np.random.default_rng(4)
    for _ in range(200):
        lengths = np.sort(rng.integers(1, rng.choice([3, 30, 300]), rng.integers(2, 60)))
        k = int(rng.integers(1, 9))
        bins, running = [], 0.0
        for length in lengths.tolist():
            if running > lengths.sum() / k:
                bins.append(length)
                running = 0.0
            running += length
        expected = tuple(sorted({*bins, int(lengths[-1])}))
        assert plan(Histogram.from_lengths(lengths), k, "equal-total") == expected


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("k", [1, 2, 8, 300, 10_000])
def test_every_method_covers_the_longest_with_at_most_k(method: str, k: int) -> None:
    rng = np.random.default_rng(11)
    for top in (1, 2, 30, 5000):
        histogram = Histogram.from_lengths(rng.integers(0, top + 1, 60).clip(0, top))
        if not histogram.maximum:
            continue
        boundaries = plan(histogram, k, method)
        assert 1 <= len(boundaries) <= k
        assert boundaries[-1] >= histogram.maximum
        assert all(later > earlier for earlier, later in pairwise((0, *boundaries)))


def test_method_names_are_all_methods() -> None:
    assert set(METHOD_NAMES) == {*METHODS, "equal-total-10k"}
    with pytest.raises(PlanError, match="equal-total-10k"):
        plan(Histogram.from_lengths([1]), 1, "best")
