"""The expected steps of a bucket against what batches run: orderings, a chain, and epochs."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dgplay.core.sequences.batch_correction import MOST_ENDS
from dgplay.core.sequences.batch_law import BudgetLaw, expected_steps_of_bucket
from dgplay.core.sequences.batch_policy import batch_frontier, expected_of
from dgplay.core.sequences.batch_simulation import BatchRule, simulate
from dgplay.core.sequences.bundled import open_set
from dgplay.core.sequences.histogram import Histogram

small_counts = st.dictionaries(st.integers(1, 12), st.integers(1, 4), min_size=1, max_size=4)


def corpus(name: str) -> Histogram:
    with open_set(name) as lines:
        rows = [line.decode().split(",") for line in lines if line[:1].isdigit()]
    return Histogram.from_counts({int(length): int(count) for length, count in rows}).positive


def steps_of(ordered: tuple[int, ...], size: int) -> int:
    """Batches of ``size`` in this order, each padded to its own longest."""
    cut = [ordered[start : start + size] for start in range(0, len(ordered), size)]
    return sum(max(batch) * len(batch) for batch in cut)


def stream_rate(counts: dict[int, int], budget: int) -> float:
    """Steps per sequence of an endless stream, from the chain of its states.

    A state is the count and the longest of the open batch. Each length that is drawn joins it, or
    closes it and opens the next: the steps of a batch are paid where it closes. The stationary
    shares of the states solve a linear system.
    """
    total = sum(counts.values())
    states = [(n, m) for m in counts for n in range(1, max(budget // m, 1) + 1)]
    place = {state: index for index, state in enumerate(states)}
    moves, paid = np.zeros((len(states), len(states))), np.zeros(len(states))
    for (n, m), index in place.items():
        for length, count in counts.items():
            longest = max(m, length)
            joins = longest * (n + 1) <= budget
            moves[index, place[(n + 1, longest) if joins else (1, length)]] += count / total
            paid[index] += 0 if joins else n * m * count / total
    system = np.vstack((moves.T - np.eye(len(states)), np.ones(len(states))))
    shares = np.linalg.lstsq(system, np.append(np.zeros(len(states)), 1.0), rcond=None)[0]
    return float(shares @ paid)


@pytest.mark.parametrize("size", range(1, 8))
def test_a_batch_size_is_the_mean_over_every_order(size: int) -> None:
    lengths = (1, 2, 2, 5, 7, 7)
    every = [steps_of(ordered, size) for ordered in permutations(lengths)]
    found = expected_steps_of_bucket(Histogram.from_lengths(lengths), BatchRule(size=size))
    assert found == pytest.approx(sum(every) / len(every), rel=1e-12)


def test_a_budget_that_is_worked_out_by_hand() -> None:
    """1 and 3 under 5: a 3 is always alone, ones stay together, so there is no padding at all."""
    law = BudgetLaw(np.array([1.0, 3.0]), np.array([1000.0, 2000.0]), 5)
    assert law.steps_per_sequence == pytest.approx(2.0, rel=1e-12)


@given(small_counts, st.integers(1, 60))
def test_a_budget_is_the_rate_of_an_endless_stream(counts: dict[int, int], budget: int) -> None:
    histogram = Histogram.from_counts(counts)
    cumulated = histogram.count_prefix[1:].astype(np.float64)
    law = BudgetLaw(histogram.lengths.astype(np.float64), cumulated, budget)
    assert law.steps_per_sequence == pytest.approx(stream_rate(counts, budget), rel=1e-9)


def test_batches_beyond_all_measure_are_still_priced() -> None:
    """10^18 ones and as many threes under 10^18: only threes can waste, and all is padded to 3."""
    histogram = Histogram.from_counts({1: 10**18, 3: 10**18})
    steps = expected_steps_of_bucket(histogram, BatchRule(budget=10**18))
    assert steps == pytest.approx(6e18, rel=1e-9)


@given(small_counts, st.integers(1, 10**18))
def test_steps_are_never_fewer_than_the_real_ones(counts: dict[int, int], budget: int) -> None:
    histogram = Histogram.from_counts(counts)
    steps = expected_steps_of_bucket(histogram, BatchRule(budget=budget))
    assert steps >= histogram.real_steps * (1 - 1e-9)
    assert steps <= histogram.sequences * histogram.maximum * (1 + 1e-9)


def test_one_batch_is_certain_of_its_longest() -> None:
    histogram = Histogram.from_counts({1: 9, 10: 1})
    assert expected_steps_of_bucket(histogram, BatchRule(budget=100)) == 100


@pytest.mark.parametrize("k", [1, 4, 8])
def test_a_long_thin_tail_is_met_to_a_thousandth(k: int) -> None:
    """One number of draws for all batches was 19 % off here at k = 1, and 1.7 % at k = 8."""
    histogram, rule = corpus("voxconverse_segments_10ms"), BatchRule(budget=40_000)
    boundaries = batch_frontier(histogram, rule, k).boundaries(k)
    mean = simulate(histogram, boundaries, rule, epochs=40).mean_steps
    assert expected_of(histogram, boundaries, rule) == pytest.approx(mean, rel=1e-3)


@pytest.mark.parametrize(("sequences", "near"), [(80, 0.03), (400, 0.01), (2000, 0.002)])
def test_few_batches_differ_by_their_last_one(sequences: int, near: float) -> None:
    """About 3, 15 and 80 batches: what the last of them lacks matters less and less."""
    whole = corpus("voxconverse_segments_10ms")
    every = np.repeat(whole.lengths, whole.counts)
    drawn = np.random.default_rng(0).choice(every, sequences, replace=False)
    histogram, rule = Histogram.from_lengths(drawn), BatchRule(budget=100_000)
    mean = simulate(histogram, (histogram.maximum,), rule, epochs=400).mean_steps
    assert expected_steps_of_bucket(histogram, rule) == pytest.approx(mean, rel=near)


def test_the_table_to_choose_by_is_the_law() -> None:
    """With as few ends as there are every bucket is worked out, with more what lies between."""
    rng, rule = np.random.default_rng(4), BatchRule(budget=300)
    few = Histogram.from_lengths(rng.integers(1, MOST_ENDS, 900))
    many = Histogram.from_lengths(rng.integers(1, 150, 3000))
    for histogram, near in ((few, 1e-12), (many, 2e-3)):
        solved = batch_frontier(histogram, rule, 8)
        for k in (1, 3, 8):
            law = expected_of(histogram, solved.boundaries(k), rule)
            assert solved.expected[k - 1] == pytest.approx(law, rel=near)
