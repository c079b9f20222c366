"""One sequence: the norms that the article's point rests on."""

import pytest

from dgplay.core.errors import DgplayError
from dgplay.core.sequences.buckets import bucket_table
from dgplay.core.sequences.checks import Baseline, run_outputs
from dgplay.core.sequences.dataset import Dataset
from dgplay.core.sequences.generators import generate
from dgplay.core.sequences.histogram import Histogram
from dgplay.core.sequences.rnn import ModelOptions
from dgplay.core.sequences.strategies import STRATEGIES
from dgplay.core.sequences.traces import trace

REFERENCE = generate("uniform:1-20", 100, 0)
REAL = [2.16, 1.83, 1.71]


def rounded(strategy, model=None):
    found = trace(strategy, REFERENCE, model or ModelOptions(), 2, 20)
    return [round(norm, 2) for norm in found.norms], found


def test_dynamic_stops_where_the_sequence_does():
    norms, found = rounded("dynamic")
    assert norms == REAL
    assert (found.length, found.real_start, found.real_end, found.output_error) == (3, 0, 3, 0)


def test_padding_rots_the_state():
    norms, found = rounded("pad")
    assert len(norms) == 20
    assert norms[:5] == [*REAL, 1.37, 0.95]
    assert norms[-1] == 0.09
    assert round(found.output_error, 2) == 1.07
    assert found.real_end == 3


def test_a_mask_holds_it():
    norms, found = rounded("pad+mask")
    assert norms == REAL + [1.71] * 17
    assert len(set(found.norms[2:])) == 1
    assert found.output_error == 0


def test_left_padding_never_starts_without_a_bias():
    norms, found = rounded("left-pad")
    assert norms == [0.0] * 17 + REAL
    assert (found.real_start, found.real_end) == (17, 20)
    assert found.output_error == 0


def test_left_padding_starts_early_with_a_bias():
    norms, found = rounded("left-pad", ModelOptions(bias=0.5))
    assert norms[0] == round(8**0.5 * 0.46211715726, 2)
    assert found.output_error > 0.01


def test_repeating_the_last_step_drifts():
    norms, found = rounded("repeat-last")
    assert norms[:3] == REAL
    assert norms[3] != REAL[-1]
    assert found.output_error > 0.1


@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda strategy: strategy.name)
@pytest.mark.parametrize("bias", [0.0, 0.5])
def test_a_trace_ends_where_the_strategy_does(strategy, bias):
    model = ModelOptions(bias=bias, weight_scale=1.0)
    baseline = Baseline(REFERENCE, model)
    table = bucket_table(REFERENCE.histogram, (5, 10, 15, 20))
    batch, _ = baseline.batch([2, 7])
    outputs = run_outputs(strategy, baseline, batch, table)
    for row, index in enumerate((2, 7)):
        steps = strategy.steps_of(int(batch.lengths[row]), 20, table)
        found = trace(strategy.name, REFERENCE, model, index, steps)
        assert len(found.norms) == steps
        assert found.output == pytest.approx(outputs[row].tolist(), rel=1e-12)


def test_an_empty_sequence():
    data = Dataset("few", "file", Histogram.from_lengths([0, 2]), rows=2)
    model = ModelOptions(bias=0.5)
    assert trace("dynamic", data, model, 0, 2).norms == ()
    assert trace("pad+mask", data, model, 0, 2).norms == (0.0, 0.0)
    assert trace("pad+mask", data, model, 0, 2).output_error == 0
    assert trace("pad", data, model, 0, 2).output_error > 0
    assert trace("repeat-last", data, model, 0, 2).real_end == 0


@pytest.mark.parametrize(
    ("strategy", "index", "pad_to", "line"),
    [
        ("packed", 2, 20, "no trace of 'packed'; there are dynamic, pad"),
        ("pad", 100, 20, "no sequence 100; there are 100"),
        ("pad", -1, 20, "no sequence -1"),
        ("pad", 2, 2, "sequence 2 has 3 steps, more than 2"),
        ("pad", 2, 200_001, "a trace of 200001 steps is too long; at most 200000"),
    ],
)
def test_a_trace_that_cannot_be(strategy, index, pad_to, line):
    with pytest.raises(DgplayError) as caught:
        trace(strategy, REFERENCE, ModelOptions(), index, pad_to)
    assert line in str(caught.value)
