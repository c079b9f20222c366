"""Padded strategies as programs: how each one really runs the RNN on a filled batch.

A padded run is one batch of rows that all take ``pad_to`` steps. Inputs are fetched from the
ragged buffer for the rows that still have some; what the others get in that step, whether a mask
holds their state and by which arithmetic, and which state is read, is what tells the strategies
apart. Rows are ordered by length, so the rows with inputs are always the first ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import pairwise

import numpy as np

from .buckets import BucketTable
from .generators import Floats
from .inputs import Ints, Ragged
from .rnn import CancelledError, Product, Rnn, never, times_alone, times_together

#: How many numbers of projected inputs are held at once.
_BLOCK_NUMBERS = 131_072

#: Up to here a call per row is faster than one stacked product of the same bits.
_FEW_ROWS = 3


class Mask(Enum):
    """How a padded step is kept out of the state.

    ``ARITHMETIC`` is m * new + (1 - m) * old: right as long as ``new`` is a number, for 0 * NaN
    is NaN. ``WHERE`` selects one of the two, so that nothing in ``new`` can get through.
    """

    NONE = "none"
    ARITHMETIC = "arithmetic"
    WHERE = "where"


@dataclass
class Tally:
    """What a run really did: cell steps, padding included, calls of the cell, compiled graphs.

    ``graphs`` is counted where graphs are really drawn or compiled; numpy compiles none.
    """

    steps: int = 0
    launches: int = 0
    graphs: int = 0

    def launched(self, rows: int, times: int) -> None:
        """Count ``times`` calls of the cell on ``rows`` rows."""
        self.steps += rows * times
        self.launches += times


@dataclass(frozen=True, eq=False)
class Job:
    """What a strategy runs on, and how.

    ``batch`` holds sequences of length 1 or more, ``longest`` is the longest length of the whole
    data, which ``pad`` pads to. ``alone`` multiplies row by row, so that no rounding differs from
    the eager run (see rnn.py); without it all rows are multiplied together, as is fastest.
    ``pad_value`` is what a padded input holds unless a strategy fills it with zeros itself.
    ``tally`` is counted up by the run.
    """

    rnn: Rnn
    batch: Ragged
    longest: int
    table: BucketTable
    alone: bool = True
    cancelled: Callable[[], bool] = never
    pad_value: float = 0.0
    tally: Tally = field(default_factory=Tally)

    @property
    def times(self) -> Product:
        """The product of rows and a matrix that this run uses."""
        return times_alone if self.alone else times_together


def run_padded(
    job: Job,
    pad_to: int,
    *,
    left: bool = False,
    repeat_last: bool = False,
    mask: Mask = Mask.NONE,
    zeroed: bool = False,
    gather: bool = False,
) -> Floats:
    """Run ``job.batch`` as one batch for ``pad_to`` steps; return the states read, (n, H).

    Rows are filled on the right, or on the ``left``, with the pad value, with zeros (``zeroed``)
    or with their last input (``repeat_last``). With a ``mask`` every step of every row is
    computed, then the old state is kept where the step is padding; an empty row keeps h0
    exactly. What is read is the state after the last step, or with ``gather`` the state after
    the last real step of each row. Raises CancelledError.
    """
    rnn = job.rnn
    order = np.argsort(-job.batch.lengths, kind="stable")
    rows = job.batch.take(order)
    h = np.zeros((len(order), rnn.hidden))
    total, read = np.empty_like(h), np.zeros_like(h)
    multiply = multiplier(h, rnn.wh, total, job.alone)
    filler = _filler(job, rows, repeat_last, zeroed)
    alive = len(order)
    for active, projected in blocks(job, rows, pad_to, left):
        job.tally.launched(len(order), len(projected))
        if gather:
            read[active:alive] = h[active:alive]
            alive = active
        padding, hold = active < len(order), _holder(mask, h, total, active)
        top, rest, rest_filler = total[:active], total[active:], filler[active:]
        for inputs in projected:
            if job.cancelled():
                raise CancelledError
            multiply()
            np.add(top, inputs, top)
            if padding:
                np.add(rest, rest_filler, rest)
            if hold is None:
                np.tanh(total, h)
            else:
                np.tanh(total, total)
                hold()
    if gather:
        h[alive:] = read[alive:]
    restored = np.empty_like(h)
    restored[order] = h
    return restored


def _holder(mask: Mask, h: Floats, total: Floats, active: int) -> Callable[[], None] | None:
    """Return a call that takes ``total`` over into ``h`` for the ``active`` first rows only.

    None where nothing is held back: no mask, or no row that is padded.
    """
    real = np.arange(len(h))[:, None] < active
    m = real.astype(np.float64)
    rest = 1.0 - m

    def where() -> None:
        np.copyto(h, total, where=real)

    def arithmetic() -> None:
        np.multiply(total, m, total)
        np.multiply(h, rest, h)
        np.add(h, total, h)

    if mask is Mask.NONE or active == len(h):
        return None
    return where if mask is Mask.WHERE else arithmetic


def run_pad(job: Job) -> Floats:
    """Zeros on the right, no mask: the state goes on changing after the last real step."""
    return run_padded(job, job.longest)


def run_pad_mask(job: Job) -> Floats:
    """Padding on the right, and m * new + (1 - m) * old, which holds the last real state."""
    return run_padded(job, job.longest, mask=Mask.ARITHMETIC)


def run_pad_where(job: Job) -> Floats:
    """Padding on the right overwritten with zeros, and the old state selected by ``where``."""
    return run_padded(job, job.longest, mask=Mask.WHERE, zeroed=True)


def run_gather_last(job: Job) -> Floats:
    """Padding on the right, no mask; the state after the last real step is the one read."""
    return run_padded(job, job.longest, gather=True)


def run_left_pad(job: Job) -> Floats:
    """Zeros on the left, no mask: harmless exactly as long as a zero input leaves h0 alone."""
    return run_padded(job, job.longest, left=True)


def run_repeat_last(job: Job) -> Floats:
    """The last input again and again on the right, no mask."""
    return run_padded(job, job.longest, repeat_last=True)


def run_bucketed(job: Job) -> Floats:
    """Each bucket as a batch of its own, padded to its own length, with a mask."""
    lengths = job.batch.lengths.tolist()
    bucket_of = {length: job.table.bucket_index(length) for length in set(lengths)}
    buckets = np.array([bucket_of[length] for length in lengths], np.int64)
    states = np.empty((len(lengths), job.rnn.hidden))
    for bucket in np.unique(buckets):
        rows = np.flatnonzero(buckets == bucket)
        batch = job.batch.take(rows)
        pad_to = job.table.pad_to_of(int(batch.lengths[0]))
        states[rows] = run_padded(replace(job, batch=batch), pad_to, mask=Mask.WHERE)
    return states


def run_dynamic(job: Job) -> Floats:
    """One sequence after the other, one cell call for each step it has: define-by-run."""
    rnn, batch = job.rnn, job.batch
    states = np.empty((len(batch.lengths), rnn.hidden))
    from_x, from_h, h = np.empty(rnn.hidden), np.empty(rnn.hidden), np.empty(rnn.hidden)
    wx, wh, bias, times_wh = rnn.wx, rnn.wh, rnn.bias, h.dot
    add, tanh = np.add, np.tanh
    spans = zip(batch.starts.tolist(), batch.lengths.tolist(), strict=True)
    for row, (start, length) in enumerate(spans):
        if job.cancelled():
            raise CancelledError
        job.tally.launched(1, length)
        h.fill(0.0)
        for x in batch.x[start : start + length]:
            x.dot(wx, from_x)
            if bias:
                add(from_x, bias, from_x)
            times_wh(wh, from_h)
            add(from_h, from_x, from_h)
            tanh(from_h, h)
        states[row] = h
    return states


def multiplier(h: Floats, wh: Floats, total: Floats, alone: bool) -> Callable[[], object]:
    """Return a call that writes h @ Wh into ``total``: in one product or row by row."""
    if not alone:
        return lambda: h.dot(wh, total)
    if len(h) > _FEW_ROWS:
        rows, products = h[:, None, :], total[:, None, :]
        return lambda: np.matmul(rows, wh, products)
    pairs = [(row.dot, product) for row, product in zip(h, total, strict=True)]

    def multiply() -> None:
        for dot, product in pairs:
            dot(wh, product)

    return multiply


def _filler(job: Job, rows: Ragged, repeat_last: bool, zeroed: bool) -> Floats:
    """Return what a padded step of each row adds to the product with its state, (n, H)."""
    rnn = job.rnn
    if repeat_last:
        return _last_inputs(rnn, rows, job.times)
    blank = rnn.blank
    if job.pad_value != 0.0 and not zeroed:
        blank = rnn.project(np.full((1, rnn.wx.shape[0]), job.pad_value))[0]
    return np.broadcast_to(blank, (len(rows.lengths), rnn.hidden))


def _last_inputs(rnn: Rnn, rows: Ragged, times: Product) -> Floats:
    """Project the last input of each row; a row without one gets a zero input."""
    filler = np.tile(rnn.blank, (len(rows.lengths), 1))
    real = rows.lengths > 0
    filler[real] = rnn.project(rows.x[(rows.starts + rows.lengths - 1)[real]], times)
    return filler


def blocks(job: Job, rows: Ragged, pad_to: int, left: bool = False) -> Iterator[tuple[int, Floats]]:
    """Yield (active, projected) in the order of time steps; ``rows`` are longest first.

    ``projected`` has shape (steps, active, H): the projected inputs of the ``active`` first rows,
    the only ones that have inputs in these steps. Its size is bounded.
    """
    hidden = job.rnn.hidden
    first = pad_to - rows.lengths if left else np.zeros_like(rows.lengths)
    changes = first if left else rows.lengths
    for start, stop in pairwise(np.unique(np.concatenate(([0, pad_to], changes))).tolist()):
        active = int(np.count_nonzero((first <= start) & (start < first + rows.lengths)))
        origin = (rows.starts - first)[:active]
        block = max(1, _BLOCK_NUMBERS // (max(active, 1) * hidden))
        for time in range(start, stop, block):
            if job.cancelled():
                raise CancelledError
            times_of = np.arange(time, min(time + block, stop))
            yield active, _fetch(job.rnn, rows.x, origin, times_of, job.times)


def _fetch(rnn: Rnn, x: Floats, origin: Ints, steps: Ints, times: Product) -> Floats:
    if not len(origin):
        return np.empty((len(steps), 0, rnn.hidden))
    index = (steps[:, None] + origin).reshape(-1)
    return rnn.project(x[index], times).reshape(len(steps), len(origin), rnn.hidden)
