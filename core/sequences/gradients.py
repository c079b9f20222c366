"""Gradients of padded batches: what a mask lets through on the way back.

Backpropagation through time as it is done on a padded block, with the arithmetic of the mask in
it. What stands in the padding matters here even where the outputs are right: 0 * NaN is NaN, and
the gradient of Wx multiplies every input, padded ones too. Only small batches are run this way;
packed.py has the gradients without padding.
"""

from __future__ import annotations

import numpy as np

from .generators import Floats
from .inputs import Ragged
from .packed import Gradients
from .rnn import Bools, Rnn
from .strategy_runs import Mask


def padded_gradients(
    rnn: Rnn, batch: Ragged, mask: Mask, *, pad_value: float = 0.0, zeroed: bool = False
) -> Gradients:
    """Return the gradients of the sum of all outputs of ``batch``, padded to its longest.

    Padded inputs hold ``pad_value``, unless they are ``zeroed`` first. With d the gradient at a
    state, ``ARITHMETIC`` sends m * d to the new state and (1 - m) * d to the old one, ``WHERE``
    selects; without a mask everything goes to the new one.
    """
    lengths = batch.lengths
    steps = int(lengths.max(initial=0))
    real = np.arange(steps)[:, None, None] < lengths[:, None]
    x = _block(batch, steps, 0.0 if zeroed else pad_value)
    states = [np.zeros((len(lengths), rnn.hidden))]
    news = []
    with np.errstate(invalid="ignore"):
        for inputs, kept in zip(x, real, strict=True):
            news.append(np.tanh(states[-1] @ rnn.wh + (inputs @ rnn.wx + rnn.bias)))
            states.append(_masked(mask, kept, news[-1], states[-1]))
        wx, wh = np.zeros_like(rnn.wx), np.zeros_like(rnn.wh)
        flow = np.ones((len(lengths), rnn.wy.shape[1])) @ rnn.wy.T
        for time in reversed(range(steps)):
            nothing = np.zeros_like(flow)
            to_new = _masked(mask, real[time], flow, nothing)
            to_old = nothing if mask is Mask.NONE else _masked(mask, ~real[time], flow, nothing)
            before_tanh = to_new * (1.0 - news[time] * news[time])
            wx += x[time].T @ before_tanh
            wh += states[time].T @ before_tanh
            flow = to_old + before_tanh @ rnn.wh.T
    wy = states[-1].T @ np.ones((len(lengths), rnn.wy.shape[1]))
    return Gradients(wx, wh, wy)


def _masked(mask: Mask, real: Bools, new: Floats, old: Floats) -> Floats:
    """Return ``new`` where a row is real and ``old`` where it is not, by the mask's arithmetic."""
    if mask is Mask.NONE:
        return new
    if mask is Mask.WHERE:
        return np.where(real, new, old)
    m = real.astype(np.float64)
    return np.asarray(m * new + (1.0 - m) * old)


def _block(batch: Ragged, steps: int, pad_value: float) -> Floats:
    """Lay the inputs out as (steps, n, inputs), padding filled with ``pad_value``."""
    block = np.full((steps, len(batch.lengths), batch.x.shape[1]), pad_value)
    spans = zip(batch.starts.tolist(), batch.lengths.tolist(), strict=True)
    for row, (start, length) in enumerate(spans):
        block[:length, row] = batch.x[start : start + length]
    return block
