"""What gets past a mask: NaN in the padding, in values and gradients; what masked steps return."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jobs import eager, job_of, random_sequences

from dgplay.core.graph.library import Tensor, call
from dgplay.core.sequences.inputs import Ragged
from dgplay.core.sequences.packed import Gradients, backward, forward, last_states, pack_batch
from dgplay.core.sequences.rnn import MaskedOutput, ModelOptions, make_rnn
from dgplay.core.sequences.strategies import strategy_named
from dgplay.core.sequences.strategy_runs import Mask

LENGTHS = [3, 6, 1, 6]
PADDED = [0, 2]  # the rows that are shorter than the longest


def batch_of(lengths):
    return Ragged.join(random_sequences(lengths))


def run(name, pad_value, **model):
    rnn = make_rnn(ModelOptions(**model))
    job = job_of(rnn, random_sequences(LENGTHS), pad_value=pad_value)
    with np.errstate(invalid="ignore"):
        return strategy_named(name).run(job), eager(job)


# Values: anchors/graphs.md, decision 8; claim S0-17.


@pytest.mark.parametrize("pad_value", [np.nan, np.inf])
def test_nan_in_the_padding_gets_past_the_arithmetic_of_a_mask(pad_value):
    # Every unit has weights of both signs, so inf @ Wx is inf - inf: nan, and 0 * nan is nan.
    states, right = run("pad+mask", pad_value)
    assert np.isnan(states[PADDED]).all(axis=1).tolist() == [True, True]
    np.testing.assert_allclose(states[[1, 3]], right[[1, 3]], rtol=0, atol=1e-15)


@pytest.mark.parametrize("pad_value", [np.nan, np.inf, 1e300, -7.0])
@pytest.mark.parametrize("name", ["pad+where", "gather-last", "bucketed", "packed", "exact-length"])
def test_what_selects_or_never_pads_is_right_whatever_stands_in_the_padding(name, pad_value):
    states, right = run(name, pad_value, bias=0.3)
    np.testing.assert_allclose(states, right, rtol=0, atol=1e-15)


@pytest.mark.parametrize("pad_value", [0.0, 1e300, -7.0])
def test_finite_padding_is_harmless_under_either_mask(pad_value):
    for name in ("pad+mask", "pad+where"):
        states, right = run(name, pad_value, weight_scale=1.0)
        np.testing.assert_allclose(states, right, rtol=0, atol=1e-15)


def test_without_a_mask_the_padding_is_in_every_shorter_row():
    states, right = run("pad", np.nan)
    assert np.isnan(states[PADDED]).all()
    assert np.array_equal(states[1], right[1])


# Gradients of the sum of all outputs, by the tape of the graph engine on a padded block.


def masked(mask, real, new, old):
    """The next state of a padded batch, written as the mask says."""
    if mask is Mask.NONE:
        return new
    if mask is Mask.WHERE:
        return call("where", Tensor(real), new, old)
    m = Tensor(real.astype(np.float64))
    return m * new + (1.0 - m) * old


def padded_gradients(rnn, batch, mask, pad_value):
    """The gradients of a batch that is padded to its longest with ``pad_value``."""
    steps = max(batch.lengths)
    block = np.full((steps, len(batch.lengths), 16), pad_value)
    for row, (start, length) in enumerate(zip(batch.starts, batch.lengths, strict=True)):
        block[:length, row] = batch.x[start : start + length]
    wx, wh, wy = (Tensor(weight, requires_grad=True) for weight in (rnn.wx, rnn.wh, rnn.wy))
    h = Tensor(np.zeros((len(batch.lengths), rnn.hidden)))
    with np.errstate(invalid="ignore"):
        for time, x in enumerate(block):
            new = (Tensor(x) @ wx + h @ wh + rnn.bias).tanh()
            h = masked(mask, np.broadcast_to(batch.lengths[:, None] > time, h.shape), new, h)
        (h @ wy).sum().backward()
    return Gradients(wx.grad, wh.grad, wy.grad)


def exact(rnn, batch):
    """The gradients without any padding."""
    packed = pack_batch(batch)
    return backward(rnn, packed, forward(rnn, packed), np.ones((len(batch.lengths), 4)))


def gradients(mask, *, pad_value=0.0, bias=0.0):
    rnn, batch = make_rnn(ModelOptions(bias=bias)), batch_of(LENGTHS)
    return padded_gradients(rnn, batch, mask, pad_value), exact(rnn, batch)


def test_nan_in_the_padding_spoils_every_gradient_of_the_arithmetic_mask():
    found, _ = gradients(Mask.ARITHMETIC, pad_value=np.nan)
    assert np.isnan(found.wx).all()
    assert np.isnan(found.wh).any()
    assert np.isnan(found.wy).all()  # the states themselves are wrong


def test_where_alone_keeps_the_values_and_loses_the_gradient_of_wx():
    found, right = gradients(Mask.WHERE, pad_value=np.nan)
    np.testing.assert_allclose(found.wy, right.wy, rtol=0, atol=1e-13)  # the states are right
    assert np.isnan(found.wx).all()


@pytest.mark.parametrize("bias", [0.0, 0.5])
def test_where_with_zeroed_padding_is_right_in_values_and_gradients(bias):
    found, right = gradients(Mask.WHERE, pad_value=0.0, bias=bias)
    for mine, its in ((found.wx, right.wx), (found.wh, right.wh), (found.wy, right.wy)):
        np.testing.assert_allclose(mine, its, rtol=0, atol=1e-12)


@pytest.mark.parametrize("mask", [Mask.ARITHMETIC, Mask.WHERE])
def test_finite_padding_is_harmless_in_the_gradients_too(mask):
    found, right = gradients(mask, pad_value=-7.0)
    for mine, its in ((found.wx, right.wx), (found.wh, right.wh), (found.wy, right.wy)):
        np.testing.assert_allclose(mine, its, rtol=0, atol=1e-12)


def test_padding_without_a_mask_has_other_gradients():
    found, right = gradients(Mask.NONE)
    assert np.abs(found.wx - right.wx).max() > 0.1


@settings(deadline=None, max_examples=30)
@given(st.lists(st.integers(0, 7), min_size=1, max_size=8), st.sampled_from([0.0, 0.4]))
def test_gradients_are_those_of_central_differences(lengths, bias):
    rnn, batch = make_rnn(ModelOptions(hidden=3, bias=bias)), batch_of(lengths)
    found = exact(rnn, batch)
    step, rng = 1e-6, np.random.default_rng(1)

    def total(wx, wh, wy):
        moved = type(rnn)(wx, wh, wy, bias)
        packed = pack_batch(batch)
        return float((last_states(packed, forward(moved, packed)) @ wy).sum())

    weights = [rnn.wx, rnn.wh, rnn.wy]
    for index, slope in enumerate((found.wx, found.wh, found.wy)):
        direction = rng.standard_normal(slope.shape)
        ends = []
        for sign in (step, -step):
            moved = list(weights)
            moved[index] = weights[index] + sign * direction
            ends.append(total(*moved))
        measured = (ends[0] - ends[1]) / (2 * step)
        assert measured == pytest.approx(float((slope * direction).sum()), rel=1e-5, abs=1e-5)


# Field case 17 (keras-team/keras#1569, #7695, #3086): what a masked step returns.


def test_case_17_a_held_output_is_the_one_before_it_bit_for_bit():
    rnn = make_rnn(ModelOptions(weight_scale=1.0, bias=0.5))
    x = batch_of([6]).x
    real = np.array([False, True, True, False, True, False])
    held = rnn.states(x, real, MaskedOutput.HOLD)
    assert np.array_equal(held, rnn.states(x, real))  # the default
    assert np.array_equal(held[0], np.zeros(8))  # h0
    assert np.array_equal(held[3], held[2])
    assert np.array_equal(held[5], held[4])
    assert np.array_equal(held[[1, 2, 4]], rnn.states(x[real]))  # a masked step changes nothing


def test_case_17_a_zero_output_is_a_choice_of_its_own_and_leaves_the_state():
    rnn = make_rnn(ModelOptions(weight_scale=1.0, bias=0.5))
    x = batch_of([6]).x
    real = np.array([False, True, True, False, True, False])
    zero, held = rnn.states(x, real, MaskedOutput.ZERO), rnn.states(x, real)
    assert not zero[~real].any()
    assert np.array_equal(zero[real], held[real])  # the next real step goes on from the state


@given(st.lists(st.booleans(), max_size=9))
def test_case_17_the_two_differ_exactly_where_a_masked_step_follows_a_real_one(real):
    rnn, x = make_rnn(ModelOptions()), batch_of([len(real)]).x
    mask = np.array(real, np.bool_)
    zero, held = (rnn.states(x, mask, each) for each in (MaskedOutput.ZERO, MaskedOutput.HOLD))
    assert np.array_equal(zero, held) is (real == sorted(real))
