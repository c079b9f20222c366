"""A check at a large width costs about what it costs at a small one: it runs fewer steps."""

import pytest

from dgplay.core.errors import DgplayError
from dgplay.core.sequences.checks import BUDGET, Baseline, affordable
from dgplay.core.sequences.generators import generate
from dgplay.core.sequences.rnn import ModelOptions, macs_per_step
from dgplay.core.sequences.traces import trace

REFERENCE = generate("uniform:1-20", 100, 0)


@pytest.mark.parametrize("hidden", [1, 8, 64, 96])
def test_up_to_width_96_the_budget_is_the_design_s(hidden):
    assert affordable(hidden) == BUDGET == 200_000


def test_at_width_1024_a_check_still_holds_the_reference_experiment():
    # 16 * 1024 + 1024 * 1024 multiply-adds a step; padding everything takes 2,000 steps.
    assert macs_per_step(1024) == 1_064_960
    assert 2_000 <= affordable(1024) < 2_100
    assert Baseline(REFERENCE, ModelOptions(hidden=1024)).budget == affordable(1024)


def test_a_trace_that_costs_too_much_says_how_long_it_may_be():
    with pytest.raises(DgplayError, match="a trace of 3000 steps is too long; at most 2065"):
        trace("pad", REFERENCE, ModelOptions(hidden=1024), 0, 3000)
