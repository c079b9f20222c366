"""A packed batch: sequences side by side, longest first, in a batch that shrinks step by step.

All rows that still have inputs at step t stand together, so the inputs of a whole batch are one
array without padding, its steps one behind the other. All of them are multiplied by Wx in one
product; what is left of a step is one small product with the state, an addition and tanh, in
place. The gradients go the same way back, with every weight in one product over all rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from .generators import Floats
from .inputs import Ints, Ragged
from .rnn import Rnn


@dataclass(frozen=True, eq=False)
class Packed:
    """Sequences in time steps: ``x`` (all real steps, inputs), first step first.

    ``sizes`` says how many rows each step has, never more than the step before; ``order`` are
    the caller's positions of the rows, longest sequence first, equals in the caller's order.
    A sequence without steps is a row of no step.
    """

    x: Floats
    sizes: Ints
    order: Ints

    @cached_property
    def bounds(self) -> list[tuple[int, int]]:
        """Where the rows of each step begin in ``x``, and how many they are."""
        begins = np.cumsum(self.sizes) - self.sizes
        return list(zip(begins.tolist(), self.sizes.tolist(), strict=True))

    @cached_property
    def last_rows(self) -> Ints:
        """The row of ``x`` that holds the last step of each row, longest first.

        Rows without steps, which come last, are left out.
        """
        begins = np.cumsum(self.sizes) - self.sizes
        rows = np.arange(int(self.sizes[0]) if len(self.sizes) else 0)
        steps = len(self.sizes) - np.searchsorted(self.sizes[::-1], rows, side="right")
        return np.asarray(begins[steps - 1] + rows, np.int64)

    @cached_property
    def last_in_order(self) -> Ints | None:
        """The same in the caller's order, None where some sequence has no step."""
        if len(self.last_rows) < len(self.order):
            return None
        in_order = np.empty_like(self.last_rows)
        in_order[self.order] = self.last_rows
        return in_order


def pack_batch(batch: Ragged) -> Packed:
    """Pack the sequences of ``batch``; their inputs are copied once, without padding."""
    order = np.argsort(-batch.lengths, kind="stable")
    longest_first = batch.lengths[order]
    longest = int(longest_first[0]) if len(order) else 0
    shortest_first = np.sort(batch.lengths)
    sizes = len(order) - np.searchsorted(shortest_first, np.arange(longest), side="right")
    starts = batch.starts[order]
    steps = np.repeat(np.arange(longest), sizes)
    rows = np.arange(len(steps)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return Packed(batch.x[starts[rows] + steps], sizes.astype(np.int64), order)


def forward(rnn: Rnn, packed: Packed) -> Floats:
    """Run a packed batch; return the state after every step, laid out as ``packed.x``."""
    states: Floats = packed.x.dot(rnn.wx)
    if rnn.bias:
        states += rnn.bias
    wh, add, tanh = rnn.wh, np.add, np.tanh
    from_h = np.empty((len(packed.order), rnn.hidden))
    before = states[:0]
    for begin, size in packed.bounds:
        now = states[begin : begin + size]
        if begin:
            add(now, before[:size].dot(wh, from_h[:size]), now)
        tanh(now, now)
        before = now
    return states


def last_states(packed: Packed, states: Floats) -> Floats:
    """Return the last state of each sequence in the caller's order, (n, H); h0 without steps."""
    if packed.last_in_order is not None:
        return states.take(packed.last_in_order, axis=0)
    last = np.zeros((len(packed.order), states.shape[1]))
    rows = packed.last_rows
    last[packed.order[: len(rows)]] = states[rows]
    return last


@dataclass(frozen=True, eq=False)
class Gradients:
    """Gradients of a scalar with respect to the three matrices, in their shapes."""

    wx: Floats
    wh: Floats
    wy: Floats


def backward(rnn: Rnn, packed: Packed, states: Floats, of_outputs: Floats) -> Gradients:
    """Return the gradients of what ``of_outputs`` (n, outputs), the caller's order, comes from.

    ``states`` are those of :func:`forward`. Backpropagation through time: with d the gradient at
    a state h, the one before tanh is d * (1 - h * h), and its product with Wh transposed is
    added to the state before. Inputs get no gradient.
    """
    last = last_states(packed, states)
    # What flows into a state from behind starts with the readout, where a sequence ends.
    flow = np.zeros_like(states)
    rows = packed.last_rows
    flow[rows] = of_outputs[packed.order[: len(rows)]].dot(rnn.wy.T)
    slope = states * states
    np.subtract(1.0, slope, slope)
    transposed = np.ascontiguousarray(rnn.wh.T)
    later = flow[:0]
    for begin, size in reversed(packed.bounds):
        now = flow[begin : begin + size]
        if len(later):
            now[: len(later)] += later.dot(transposed)
        now *= slope[begin : begin + size]
        later = now
    before = _states_before(packed, states)
    # The first step of every sequence comes from h0, which is zero: no gradient of Wh.
    from_h0 = len(flow) - len(before)
    return Gradients(packed.x.T.dot(flow), before.T.dot(flow[from_h0:]), last.T.dot(of_outputs))


def _states_before(packed: Packed, states: Floats) -> Floats:
    """Return the state that each step but the first of a sequence starts from, in the layout."""
    pieces = [states[begin : begin + size] for (begin, _), (_, size) in pairwise(packed.bounds)]
    return np.concatenate(pieces) if pieces else states[:0]
