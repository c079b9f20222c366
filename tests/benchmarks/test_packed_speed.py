"""Packed forward and backward against ``torch.nn.RNN``, as ratios within one run.

The reference experiment at width 8, float64, one thread. Both sides get their sequences packed
already and end with the same readout. The forward is compared with PyTorch's quicker one, that
records nothing; forward and backward give the gradients of Wx, Wh and Wy, none of the inputs.
Run alone: ``OMP_NUM_THREADS=1 pytest -m benchmark tests/benchmarks/test_packed_speed.py -s``.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from dgplay.core.sequences.checks import Baseline
from dgplay.core.sequences.generators import generate
from dgplay.core.sequences.inputs import Ragged
from dgplay.core.sequences.packed import backward, forward, last_states, pack_batch
from dgplay.core.sequences.rnn import ModelOptions, Rnn

pytestmark = pytest.mark.benchmark

torch = pytest.importorskip("torch", reason="PyTorch is not installed")


def best_of(ours: Callable[[], Any], theirs: Callable[[], Any], rounds: int) -> list[float]:
    best = [float("inf")] * 2
    for _ in range(rounds):
        for side, work in enumerate((ours, theirs)):
            start = time.perf_counter()
            work()
            best[side] = min(best[side], time.perf_counter() - start)
    return best


def ratio(title: str, ours: Callable[[], Any], theirs: Callable[[], Any]) -> float:
    mine, its = best_of(ours, theirs, 300)
    print(f"\n{title}: {1e6 * mine:.0f} us, torch.nn.RNN {1e6 * its:.0f} us ({its / mine:.1f}x)")
    return its / mine


class Peer:
    """The same RNN in PyTorch, on the same sequences, packed."""

    def __init__(self, rnn: Rnn, batch: Ragged) -> None:
        torch.set_num_threads(1)
        self.module = torch.nn.RNN(16, rnn.hidden, bias=False).double()
        with torch.no_grad():
            self.module.weight_ih_l0.copy_(torch.from_numpy(rnn.wx.T.copy()))
            self.module.weight_hh_l0.copy_(torch.from_numpy(rnn.wh.T.copy()))
        self.wy = torch.tensor(rnn.wy.copy(), requires_grad=True)
        spans = zip(batch.starts.tolist(), batch.lengths.tolist(), strict=True)
        rows = [torch.from_numpy(batch.x[start : start + n].copy()) for start, n in spans]
        self.packed = torch.nn.utils.rnn.pack_sequence(rows, enforce_sorted=False)

    def run(self) -> Any:
        _, last = self.module(self.packed)
        return last[0] @ self.wy

    def forward(self) -> Any:
        with torch.no_grad():
            return self.run()

    def both(self) -> list[Any]:
        self.module.zero_grad()
        self.wy.grad = None
        outputs = self.run()
        outputs.sum().backward()
        return [
            outputs.detach(),
            self.module.weight_ih_l0.grad.T,
            self.module.weight_hh_l0.grad.T,
            self.wy.grad,
        ]


def test_packed_against_pytorch() -> None:
    dataset = generate("uniform:1-20", 100, 0)
    baseline = Baseline(dataset, ModelOptions())
    batch, expected = baseline.batch(list(range(100)))
    rnn, packed, peer = baseline.rnn, pack_batch(batch), Peer(baseline.rnn, batch)
    ones = np.ones((100, 4))

    def only_forward() -> Any:
        return last_states(packed, forward(rnn, packed)).dot(rnn.wy)

    def both() -> list[Any]:
        states = forward(rnn, packed)
        slopes = backward(rnn, packed, states, ones)
        outputs = last_states(packed, states).dot(rnn.wy)
        return [outputs, slopes.wx, slopes.wh, slopes.wy]

    np.testing.assert_allclose(only_forward(), expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(only_forward(), peer.forward().numpy(), rtol=1e-12, atol=1e-12)
    for mine, its in zip(both(), peer.both(), strict=True):
        np.testing.assert_allclose(mine, its.numpy(), rtol=1e-12, atol=1e-12)
    assert ratio("packed forward", only_forward, peer.forward) >= 3
    assert ratio("packed forward and backward", both, peer.both) >= 4
