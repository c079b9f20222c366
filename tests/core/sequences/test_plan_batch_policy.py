"""The batch policy: its expectation, its simulation, and that it beats equal totals."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest

from dgplay.core.errors import PlanError
from dgplay.core.sequences.batch_options import BatchOptions
from dgplay.core.sequences.batch_policy import (
    batch_frontier,
    batch_plan,
    candidates,
    expected_of,
)
from dgplay.core.sequences.batch_report import batch_report
from dgplay.core.sequences.batch_simulation import BatchRule, simulate
from dgplay.core.sequences.bundled import names, open_set
from dgplay.core.sequences.histogram import Histogram
from dgplay.core.sequences.orders import Ints, cut_by_budget
from dgplay.core.sequences.planners import plan


def corpus(name: str) -> Histogram:
    with open_set(name) as lines:
        rows = [line.decode().split(",") for line in lines if line[:1].isdigit()]
    return Histogram.from_counts({int(length): int(count) for length, count in rows}).positive


def thinned(histogram: Histogram, sequences: int) -> Histogram:
    """A seeded sample of the sequences, to keep a test short."""
    if histogram.sequences <= sequences:
        return histogram
    all_lengths = np.repeat(histogram.lengths, histogram.counts)
    drawn = np.random.default_rng(1).choice(all_lengths, sequences, replace=False)
    return Histogram.from_lengths(drawn)


def between(histogram: Histogram, low: int, high: int) -> Histogram:
    """The sequences longer than ``low``, of at most ``high`` steps."""
    return Histogram.from_counts({n: count for n, count in histogram.items() if low < n <= high})


def starts(lengths: Ints, budget: int) -> list[int]:
    found: list[int] = cut_by_budget(lengths, 0, len(lengths), BatchOptions(budget)).tolist()
    return found


def test_batches_close_as_lhotse_closes_them() -> None:
    rng = np.random.default_rng(0)
    for _ in range(1000):
        lengths = rng.integers(1, rng.choice([3, 20, 100]), rng.integers(1, 40))
        budget = int(rng.integers(1, 400))
        expected, longest, count = [], 0, 0
        for place, length in enumerate(lengths.tolist()):
            if count == 0 or max(longest, length) * (count + 1) > budget:
                expected.append(place)
                longest, count = length, 1
            else:
                longest, count = max(longest, length), count + 1
        assert starts(lengths, budget) == expected


def test_longest_times_count_stays_within_the_budget() -> None:
    """Case 22: 7.3 and 11.4 s with a limit of 20: 2 * 11.4 is above it, so two batches."""
    assert starts(np.array([73, 114]), 200) == [0, 1]
    assert starts(np.array([73, 100]), 200) == [0]
    assert starts(np.array([300, 1]), 200) == [0, 1]


def test_a_fixed_batch_size() -> None:
    simulated = simulate(Histogram.from_counts({5: 1, 1: 4}), (1, 5), BatchRule(size=2))
    assert (simulated.steps, simulated.batches) == ((9, 9, 9), (3, 3, 3))


@pytest.mark.parametrize("multiple", [1, 8])
@pytest.mark.parametrize("rule", [BatchRule(budget=400), BatchRule(size=7)])
def test_the_simulation_is_that_of_the_batches(rule: BatchRule, multiple: int) -> None:
    """One epoch is made in one way, whoever asks for it."""
    lengths = np.random.default_rng(3).integers(0, 60, 700)
    options = BatchOptions(rule.budget, rule.size, pad_to="batch", seed=5, multiple_of=multiple)
    report = batch_report(lengths, (16, 32, 64), options)
    rounded = -(-lengths // multiple) * multiple
    simulated = simulate(
        Histogram.from_lengths(rounded), (16, 32, 64), rule, in_order=rounded, seed=5
    )
    assert simulated.mean_steps == report.steps_per_epoch
    assert simulated.spread == pytest.approx(report.steps_spread)
    assert report.bucket_steps is not None
    assert sum(report.bucket_steps) == pytest.approx(report.steps_per_epoch)
    assert report.real_steps == lengths.sum()


def test_simulations_repeat_from_the_seed() -> None:
    histogram = Histogram.from_counts(dict.fromkeys(range(1, 31), 30))
    rule = BatchRule(budget=100)
    first = simulate(histogram, (15, 30), rule, seed=3)
    assert first == simulate(histogram, (15, 30), rule, seed=3)
    assert first != simulate(histogram, (15, 30), rule, seed=4)
    assert not first.sampled
    assert len(first.steps) == 3
    assert histogram.real_steps <= first.mean_steps <= 450 * 15 + 450 * 30
    assert first.spread > 0


def test_one_length_has_no_padding_and_no_spread() -> None:
    simulated = simulate(Histogram.from_counts({7: 100}), (7,), BatchRule(budget=70))
    assert (simulated.mean_steps, simulated.spread, simulated.mean_batches) == (700, 0, 10)


def test_more_sequences_than_fit_are_sampled_and_scaled() -> None:
    histogram = Histogram.from_counts(dict.fromkeys(range(1, 21), 10**12))
    small = Histogram.from_counts(dict.fromkeys(range(1, 21), 10**4))
    rule = BatchRule(budget=80)
    large = simulate(histogram, (10, 20), rule, epochs=1)
    assert large.sampled
    expected = simulate(small, (10, 20), rule).mean_steps * 10**8
    assert large.mean_steps == pytest.approx(expected, rel=0.005)


def test_the_expected_longest_of_draws() -> None:
    """Two of 2000, half of them 1 and half 3: both are 1 with probability 1/2 * 999/1999."""
    histogram = Histogram.from_counts({1: 1000, 3: 1000})
    longest = 3 - 2 * 999 / 3998
    assert expected_of(histogram, (3,), BatchRule(size=2)) == pytest.approx(2000 * longest)
    assert expected_of(histogram, (1, 3), BatchRule(size=2)) == pytest.approx(4000)
    assert expected_of(histogram, (3,), BatchRule(size=5000)) == 6000


def test_the_budget_sets_how_many_are_drawn() -> None:
    """Under 5 a 3 is always alone and ones stay together: nothing is ever padded."""
    histogram = Histogram.from_counts({1: 1000, 3: 1000})
    assert expected_of(histogram, (3,), BatchRule(budget=5)) == pytest.approx(4000, rel=1e-9)
    assert simulate(histogram, (3,), BatchRule(budget=5)).mean_steps == 4000


def test_the_expectation_is_near_the_simulation() -> None:
    histogram = corpus("ud_english_ewt_words")
    for boundaries in (plan(histogram, 8, "optimal"), plan(histogram, 4, "geometric")):
        for rule in (BatchRule(budget=4 * histogram.maximum), BatchRule(size=16)):
            simulated = simulate(histogram, boundaries, rule)
            assert expected_of(histogram, boundaries, rule) == (
                pytest.approx(simulated.mean_steps, rel=0.02)
            )


@pytest.mark.parametrize("rule", [BatchRule(budget=60), BatchRule(size=5)])
def test_least_expectation_of_all_choices(rule: BatchRule) -> None:
    rng = np.random.default_rng(2)
    for _ in range(8):
        histogram = Histogram.from_lengths(rng.integers(1, 13, 300) * rng.integers(1, 4, 300))
        lengths = histogram.lengths.tolist()
        solved = batch_frontier(histogram, rule, 3)
        steps = {
            (low, high): expected_of(between(histogram, low, high), (high,), rule)
            for low, high in combinations((0, *lengths), 2)
        }
        for k in (1, 2, 3):
            tried = min(
                sum(steps[ends] for ends in pairwise((0, *cut, lengths[-1])))
                for size in range(k)
                for cut in combinations(lengths[:-1], size)
            )
            assert solved.expected[k - 1] == pytest.approx(tried, rel=2e-3)
            chosen = solved.boundaries(k)
            assert expected_of(histogram, chosen, rule) == pytest.approx(tried, rel=2e-3)


def test_candidates_are_all_lengths_or_quantiles() -> None:
    few = Histogram.from_lengths(range(1, 513))
    assert candidates(few).tolist() == list(range(512))
    many = Histogram.from_lengths(range(1, 5001))
    chosen = candidates(many)
    assert len(chosen) <= 512
    assert chosen[-1] == 4999


def test_averaging_between_candidates_loses_little() -> None:
    histogram = corpus("nemo_python_file_tokens")
    rule = BatchRule(budget=4 * histogram.maximum)
    assert histogram.distinct > 512
    solved = batch_frontier(histogram, rule, 8)
    exact = expected_of(histogram, solved.boundaries(8), rule)
    assert solved.expected[7] == pytest.approx(exact, rel=1e-3)


@pytest.mark.parametrize("name", names())
@pytest.mark.parametrize("times", [4, 16])
def test_never_worse_than_equal_total(name: str, times: int) -> None:
    histogram = thinned(corpus(name), 6000)
    rule = BatchRule(budget=times * histogram.maximum)
    ours = batch_plan(histogram, 8, rule)
    theirs = simulate(histogram, plan(histogram, 8, "equal-total"), rule)
    assert ours.simulation.mean_steps <= theirs.mean_steps + ours.simulation.spread + theirs.spread


@pytest.mark.benchmark
@pytest.mark.parametrize("name", names())
@pytest.mark.parametrize("times", [4, 16])
def test_never_worse_than_equal_total_on_whole_corpora(name: str, times: int) -> None:
    histogram = corpus(name)
    rule = BatchRule(budget=times * histogram.maximum)
    ours = batch_plan(histogram, 8, rule, epochs=10)
    theirs = simulate(histogram, plan(histogram, 8, "equal-total"), rule, epochs=10)
    assert ours.simulation.mean_steps < theirs.mean_steps


def test_a_multiple_and_a_minimum() -> None:
    histogram = corpus("ud_english_ewt_words")
    rule = BatchRule(budget=400)
    found = batch_plan(histogram, 8, rule, multiple_of=8, min_count=300)
    assert all(boundary % 8 == 0 for boundary in found.boundaries)
    lows = (0, *found.boundaries[:-1])
    for low, high in zip(lows, found.boundaries, strict=True):
        assert histogram.count_between(low + 1, high) >= 300


@pytest.mark.parametrize("given", [{}, {"budget": 5, "size": 5}, {"budget": 0}, {"size": -1}])
def test_rules_that_cannot_be(given: dict[str, int]) -> None:
    with pytest.raises(PlanError) as refused:
        BatchRule(**given)
    assert "\n" not in str(refused.value)


def test_nothing_to_batch() -> None:
    with pytest.raises(PlanError, match="no sequence with a step"):
        batch_plan(Histogram.from_counts({0: 3}), 2, BatchRule(size=2))
    with pytest.raises(PlanError, match="0 buckets"):
        batch_plan(Histogram.from_counts({1: 3}), 0, BatchRule(size=2))
