"""The RNN: its formula, one row at a time, and the masked state of an empty sequence."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jobs import job_of, random_sequences

from dgplay.core.errors import DgplayError
from dgplay.core.sequences.generators import open_stream
from dgplay.core.sequences.rnn import (
    CancelledError,
    ModelOptions,
    Rnn,
    macs_per_step,
    make_rnn,
    times_alone,
)
from dgplay.core.sequences.strategy_runs import Mask, run_dynamic, run_padded


def test_the_weights_are_those_of_the_stream_scaled():
    stream = open_stream("uniform:1-20", 1, 7)
    rnn = make_rnn(ModelOptions(weight_scale=0.3, seed=7))
    for scaled, drawn in ((rnn.wx, stream.wx), (rnn.wh, stream.wh), (rnn.wy, stream.wy)):
        assert np.array_equal(scaled, 0.3 * drawn)
        assert not scaled.flags.writeable


def test_the_formula_step_by_step():
    rnn = make_rnn(ModelOptions(hidden=5, weight_scale=0.7, bias=0.2))
    (x,) = random_sequences([6])
    h = np.zeros(5)
    for step, state in zip(x, rnn.states(x), strict=True):
        h = np.tanh(step @ rnn.wx + h @ rnn.wh + 0.2)
        np.testing.assert_allclose(state, h, rtol=1e-13)
    assert np.array_equal(rnn.final_state(x), rnn.states(x)[-1])
    np.testing.assert_allclose(rnn.output(x), h @ rnn.wy, rtol=1e-12)


@pytest.mark.parametrize(("hidden", "macs"), [(8, 192), (1, 17), (64, 5120)])
def test_multiply_adds_of_a_step(hidden, macs):
    assert macs_per_step(hidden) == make_rnn(ModelOptions(hidden=hidden)).macs_per_step == macs


def test_the_width_changes_the_weights_only():
    assert make_rnn(ModelOptions(hidden=3)).wx.shape == (16, 3)
    assert make_rnn(ModelOptions(hidden=3)).wy.shape == (3, 4)
    again = make_rnn(ModelOptions(hidden=3))
    assert np.array_equal(again.wh, make_rnn(ModelOptions(hidden=3)).wh)


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (ModelOptions(hidden=0), "--hidden: is 1 to 1024, not 0"),
        (ModelOptions(hidden=1025), "--hidden: is 1 to 1024, not 1025"),
        (ModelOptions(seed=-1), "--seed: a seed is 0 or above, not -1"),
        (ModelOptions(bias=math.nan), "--bias: nan is not a finite number"),
        (ModelOptions(weight_scale=math.inf), "--weight-scale: inf is not a finite number"),
    ],
)
def test_options_that_cannot_be(options, line):
    with pytest.raises(DgplayError) as caught:
        make_rnn(options)
    assert str(caught.value) == line


def test_a_row_keeps_its_bits_in_any_company():
    rng = np.random.default_rng(0)
    rows, matrix = rng.standard_normal((37, 16)), rng.standard_normal((16, 8))
    products = times_alone(rows, matrix)
    for row, product in zip(rows, products, strict=True):
        assert np.array_equal(row.dot(matrix), product)


@settings(deadline=None, max_examples=30)
@given(
    st.lists(st.integers(0, 9), min_size=1, max_size=12),
    st.integers(0, 3),
    st.sampled_from([1, 8, 33]),
    st.sampled_from([0.0, 0.5]),
)
def test_a_masked_batch_is_the_eager_run_at_any_scale(lengths, more, hidden, bias):
    rnn = make_rnn(ModelOptions(hidden=hidden, weight_scale=2.0, bias=bias))
    sequences = random_sequences(lengths)
    job = job_of(rnn, sequences)
    eager = np.array([rnn.final_state(x) for x in sequences])
    masked = run_padded(job, max(lengths) + more, mask=Mask.WHERE)
    np.testing.assert_allclose(masked, eager, rtol=0, atol=1e-12)
    np.testing.assert_allclose(run_dynamic(job), eager, rtol=0, atol=1e-12)


def test_case_28_an_empty_sequence_keeps_its_first_state():
    rnn = make_rnn(ModelOptions(bias=0.5))
    states = run_padded(job_of(rnn, random_sequences([0, 3, 2])), 3, mask=Mask.WHERE)
    assert np.array_equal(states[0], np.zeros(8))
    assert np.all(states[1:] != 0)
    assert np.array_equal(rnn.output(np.zeros((0, 16))), np.zeros(4))


def test_case_31_a_bias_goes_through_leading_pads():
    rnn = Rnn(np.zeros((1, 1)), np.ones((1, 1)), np.ones((1, 1)), bias=1.0)
    job = job_of(rnn, [np.zeros((0, 1))])
    assert run_padded(job, 2, left=True)[0, 0] == pytest.approx(0.9427, abs=5e-5)
    assert run_padded(job, 2, mask=Mask.WHERE)[0, 0] == 0


def test_case_31_trailing_pads_change_the_state():
    rnn = Rnn(np.ones((1, 1)), np.ones((1, 1)), np.ones((1, 1)))
    job = job_of(rnn, [np.ones((1, 1))])
    assert rnn.final_state(np.ones((1, 1)))[0] == pytest.approx(0.7616, abs=5e-5)
    assert run_padded(job, 3)[0, 0] == pytest.approx(0.5663, abs=5e-5)


def test_case_34_a_masked_sequence_does_not_see_its_neighbours():
    rnn = make_rnn(ModelOptions(weight_scale=1.0))
    short, long = random_sequences([40, 400])
    alone = run_padded(job_of(rnn, [short]), 40, mask=Mask.WHERE)[0]
    beside = run_padded(job_of(rnn, [long, short]), 400, mask=Mask.WHERE)[1]
    np.testing.assert_allclose(beside, alone, rtol=0, atol=1e-12)


def test_multiplying_together_gives_the_same_numbers_to_rounding():
    rnn = make_rnn(ModelOptions())
    sequences = random_sequences([3, 20, 7, 20, 1])
    exact = run_padded(job_of(rnn, sequences), 20, mask=Mask.WHERE)
    fast = run_padded(job_of(rnn, sequences, alone=False), 20, mask=Mask.WHERE)
    np.testing.assert_allclose(fast, exact, rtol=0, atol=1e-12)


def test_long_batches_are_run_in_blocks_of_the_same_numbers(monkeypatch):
    rnn = make_rnn(ModelOptions(bias=0.1))
    job = job_of(rnn, random_sequences([30, 50, 50, 7]))
    whole = [run_padded(job, 60, left=left, repeat_last=not left) for left in (True, False)]
    monkeypatch.setattr("dgplay.core.sequences.strategy_runs._BLOCK_NUMBERS", 50)
    pieces = [run_padded(job, 60, left=left, repeat_last=not left) for left in (True, False)]
    assert np.array_equal(whole, pieces)


def test_every_run_can_be_called_off():
    rnn = make_rnn(ModelOptions())
    job = job_of(rnn, random_sequences([2]), cancelled=lambda: True)
    with pytest.raises(CancelledError):
        run_padded(job, 2)
    with pytest.raises(CancelledError):
        run_dynamic(job)
    with pytest.raises(CancelledError):
        rnn.final_state(np.zeros((2, 16)), lambda: True)
