"""PyTorch's packed sequences, float64, as independent truth for packed.py."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from jobs import random_sequences

from dgplay.core.sequences.generators import Floats
from dgplay.core.sequences.inputs import Ragged
from dgplay.core.sequences.packed import backward, forward, last_states, pack_batch
from dgplay.core.sequences.rnn import ModelOptions, Rnn, make_rnn

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.oracle


def torch_rnn(rnn: Rnn) -> Any:
    """The same cell in PyTorch, which keeps weights transposed and has two biases."""
    module = torch.nn.RNN(16, rnn.hidden).double()
    with torch.no_grad():
        module.weight_ih_l0.copy_(torch.from_numpy(rnn.wx.T.copy()))
        module.weight_hh_l0.copy_(torch.from_numpy(rnn.wh.T.copy()))
        module.bias_ih_l0.fill_(rnn.bias)
        module.bias_hh_l0.zero_()
    return module


def padded_and_packed(sequences: list[Floats]) -> Any:
    """Packed as most do it: padded first, then pack_padded_sequence, in any order."""
    rows = [torch.from_numpy(sequence) for sequence in sequences]
    padded = torch.nn.utils.rnn.pad_sequence(rows)
    lengths = torch.tensor([len(row) for row in rows])
    return torch.nn.utils.rnn.pack_padded_sequence(padded, lengths, enforce_sorted=False)


def test_case_20_the_order_and_the_batch_sizes_of_pack_padded_sequence() -> None:
    sequences = random_sequences([2, 3, 1])
    ours, theirs = pack_batch(Ragged.join(sequences)), padded_and_packed(sequences)
    assert ours.order.tolist() == theirs.sorted_indices.tolist() == [1, 0, 2]
    assert ours.sizes.tolist() == theirs.batch_sizes.tolist() == [3, 2, 1]
    assert np.array_equal(ours.x, theirs.data.numpy())


@pytest.mark.parametrize("bias", [0.0, 0.5])
@pytest.mark.parametrize("hidden", [1, 8, 33])
@pytest.mark.parametrize("lengths", [[2, 3, 1], [1], [4, 4, 4], [20, 1, 7, 13, 2, 20, 5]])
def test_outputs_and_gradients_in_the_order_of_the_caller(
    lengths: list[int], hidden: int, bias: float
) -> None:
    rnn = make_rnn(ModelOptions(hidden=hidden, bias=bias))
    sequences = random_sequences(lengths)
    weights = np.random.default_rng(9).standard_normal((len(lengths), 4))

    module, wy = torch_rnn(rnn), torch.tensor(rnn.wy.copy(), requires_grad=True)
    _, last = module(padded_and_packed(sequences))
    outputs = last[0] @ wy
    (outputs * torch.from_numpy(weights)).sum().backward()

    packed = pack_batch(Ragged.join(sequences))
    states = forward(rnn, packed)
    mine = last_states(packed, states) @ rnn.wy
    slopes = backward(rnn, packed, states, weights)
    for found, right in (
        (mine, outputs.detach()),
        (slopes.wx, module.weight_ih_l0.grad.T),
        (slopes.wh, module.weight_hh_l0.grad.T),
        (slopes.wy, wy.grad),
    ):
        np.testing.assert_allclose(found, right.numpy(), rtol=1e-12, atol=1e-12)
