"""Scores: somebody's boundaries beside the optimum for as many buckets, under both policies."""

from __future__ import annotations

import numpy as np
import pytest

from dgplay.core.errors import PlanError
from dgplay.core.sequences.batch_simulation import BatchRule
from dgplay.core.sequences.costs import QUADRATIC
from dgplay.core.sequences.histogram import Histogram
from dgplay.core.sequences.planners import METHOD_NAMES
from dgplay.core.sequences.scores import Scorer, compare_methods
from dgplay.core.sequences.variants import PlanOptions, prepare

FIVE_EACH = Histogram.from_counts(dict.fromkeys(range(1, 21), 5))


def test_own_boundaries() -> None:
    score = Scorer(prepare(FIVE_EACH, PlanOptions())).score("own", (2, 10, 20))
    assert (score.k, score.steps, score.cost, score.optimal_cost) == (3, 1420, 1420, 1335)
    assert score.excess == pytest.approx(1420 / 1335 - 1)
    assert score.waste == pytest.approx(370 / 1420)
    assert score.batch is None


def test_the_optimum_has_no_excess_and_nothing_is_below_it() -> None:
    in_order = np.repeat(np.arange(1, 21), 5)
    for cost in (PlanOptions().cost, QUADRATIC):
        scorer = Scorer(prepare(FIVE_EACH, PlanOptions(cost=cost)))
        found = compare_methods(scorer, 4, in_order=in_order, own=(7, 20))
        assert not found.refused
        assert {score.name for score in found.scores} == {"own", *METHOD_NAMES}
        by_name = {score.name: score for score in found.scores}
        assert by_name["optimal"].excess == 0
        assert all(score.excess is not None and score.excess >= 0 for score in found.scores)


def test_a_method_that_refuses_says_why() -> None:
    found = compare_methods(Scorer(prepare(FIVE_EACH, PlanOptions())), 4)
    assert [name for name, _ in found.refused] == ["equal-total-10k"]
    assert "first 10,000 rows" in found.refused[0][1]


def test_a_minimum_that_is_broken_has_no_excess() -> None:
    scorer = Scorer(prepare(FIVE_EACH, PlanOptions(min_count=30)))
    broken, kept = scorer.score("own", (2, 20)), scorer.score("own", (10, 20))
    assert (broken.enough, broken.excess) == (False, None)
    assert (kept.enough, kept.excess) == (True, 0)


def test_everybody_is_rounded_to_the_multiple() -> None:
    scorer = Scorer(prepare(FIVE_EACH, PlanOptions(multiple_of=4)))
    score = scorer.score("own", (2, 3, 18, 20))
    assert (score.boundaries, score.steps) == ((4, 20), 20 * 4 + 80 * 20)
    assert score.optimal_cost == 40 * 8 + 60 * 20


def test_empty_buckets_are_counted() -> None:
    scorer = Scorer(prepare(Histogram.from_lengths([11, 12, 13, 14, 19]), PlanOptions()))
    score = scorer.score("own", (30, 40))
    assert (score.unused, score.steps, score.optimal_cost) == (1, 150, 75)


def test_under_real_batches() -> None:
    rng = np.random.default_rng(0)
    histogram = Histogram.from_lengths(rng.lognormal(3, 0.7, 4000).astype(int) + 1)
    scorer = Scorer(prepare(histogram, PlanOptions()), BatchRule(budget=4 * histogram.maximum))
    found = {score.name: score for score in compare_methods(scorer, 6).scores}
    best = found["batch"].batch
    assert best is not None
    assert best.excess == 0
    assert found["optimal"].excess == 0
    for name in ("uniform", "quantile"):
        batch = found[name].batch
        assert batch is not None
        assert batch.excess > 0
        assert batch.waste is not None
        assert batch.waste == pytest.approx(1 - histogram.real_steps / batch.simulation.mean_steps)
        # Batches padded to their own longest never run more than fixed shapes do.
        assert batch.simulation.mean_steps <= found[name].steps


def test_the_batch_policy_needs_a_rule() -> None:
    with pytest.raises(PlanError, match="needs a token budget or a batch size"):
        Scorer(prepare(FIVE_EACH, PlanOptions())).batch_boundaries(4)
