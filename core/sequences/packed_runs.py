"""Strategies without a padded batch: packed, exact-length and packed-rows, as programs.

Where a run must keep every bit (see rnn.py) it multiplies row by row as the padded ones do; a
run that is timed takes the batched products of packed.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from .generators import Floats
from .histogram import Histogram
from .inputs import Ints, Ragged
from .packed import forward, last_states, pack_batch
from .packing import pack
from .rnn import CancelledError
from .strategy_runs import Job, blocks, multiplier, run_padded

#: A batch of more numbers than that is run in blocks of time steps, not in one product.
_MOST_NUMBERS = 4_000_000


def run_packed(job: Job) -> Floats:
    """Sort by length, longest first, and let the batch shrink: no step is ever padded.

    States come back in the caller's order.
    """
    lengths = job.batch.lengths
    if not job.alone and int(lengths.sum()) * job.rnn.hidden <= _MOST_NUMBERS:
        packed = pack_batch(job.batch)
        for size in packed.sizes.tolist():
            job.tally.launched(size, 1)
        return last_states(packed, forward(job.rnn, packed))
    order = np.argsort(-lengths, kind="stable")
    rows = job.batch.take(order)
    h = np.zeros((len(order), job.rnn.hidden))
    total = np.empty_like(h)
    for active, projected in blocks(job, rows, int(lengths.max(initial=0))):
        job.tally.launched(active, len(projected))
        state, sums = h[:active], total[:active]
        multiply = multiplier(state, job.rnn.wh, sums, job.alone)
        for inputs in projected:
            if job.cancelled():
                raise CancelledError
            multiply()
            np.add(sums, inputs, sums)
            np.tanh(sums, state)
    restored = np.empty_like(h)
    restored[order] = h
    return restored


def run_exact_length(job: Job) -> Floats:
    """Each length that occurs as a batch of its own: rows of one length need no padding."""
    lengths = job.batch.lengths
    states = np.empty((len(lengths), job.rnn.hidden))
    for length in np.unique(lengths).tolist():
        rows = np.flatnonzero(lengths == length)
        states[rows] = run_padded(replace(job, batch=job.batch.take(rows)), length)
    return states


def run_packed_rows(job: Job) -> Floats:
    """Sequences end to end in rows as long as the longest; h is h0 again behind each seam.

    Every row takes as many steps as the fullest one. Without the reset a sequence would go on
    from the state of the one before it.
    """
    laid = lay_in_rows(job.batch, job.longest)
    rows, rnn = laid.rows, job.rnn
    states = np.empty((len(job.batch.lengths), rnn.hidden))
    h = np.zeros((len(rows.lengths), rnn.hidden))
    total = np.empty_like(h)
    multiply = multiplier(h, rnn.wh, total, job.alone)
    ends = laid.ends()
    time, (end, ending, ended) = 0, next(ends)
    for active, projected in blocks(job, rows, int(rows.lengths.max(initial=0))):
        job.tally.launched(len(h), len(projected))
        top, rest = total[:active], total[active:]
        for inputs in projected:
            if job.cancelled():
                raise CancelledError
            multiply()
            np.add(top, inputs, top)
            np.add(rest, rnn.blank, rest)
            np.tanh(total, h)
            time += 1
            if time == end:
                states[ended] = h[ending]
                h[ending] = 0.0
                end, ending, ended = next(ends)
    return states


@dataclass(frozen=True, eq=False)
class LaidRows:
    """Sequences laid end to end in rows, the fullest row first.

    ``rows`` are the rows as if each were one sequence. Sequence ``sequences[i]`` (a position in
    the batch) ends in row ``row_of[i]`` after ``end_at[i]`` steps.
    """

    rows: Ragged
    sequences: Ints
    row_of: Ints
    end_at: Ints

    def ends(self) -> Iterator[tuple[int, Ints, Ints]]:
        """Yield (steps, rows, sequences) for each moment at which some end, then (-1, …)."""
        order = np.argsort(self.end_at, kind="stable")
        moments, firsts = np.unique(self.end_at[order], return_index=True)
        for moment, chosen in zip(moments.tolist(), np.split(order, firsts[1:]), strict=False):
            yield moment, self.row_of[chosen], self.sequences[chosen]
        yield -1, self.row_of[:0], self.sequences[:0]


def lay_in_rows(batch: Ragged, capacity: int) -> LaidRows:
    """Lay sequences of at least one step into rows by best-fit decreasing (see packing.py).

    Sequences of one length are taken in their order in the batch. The inputs are copied once,
    row behind row. Raises PlanError for a length above ``capacity``.
    """
    kinds = pack(Histogram.from_lengths(batch.lengths), capacity).kinds
    waiting: dict[int, list[int]] = {}
    for position, length in enumerate(batch.lengths.tolist()):
        waiting.setdefault(length, []).append(position)
    for positions in waiting.values():
        positions.reverse()
    fills: list[int] = []
    laid: list[tuple[int, int, int]] = []
    for kind in sorted(kinds, key=lambda kind: -kind.fill):
        for _ in range(kind.count):
            time = 0
            for length, often in kind.lengths:
                for _ in range(often):
                    time += length
                    laid.append((waiting[length].pop(), len(fills), time))
            fills.append(kind.fill)
    sequences, row_of, end_at = np.array(laid, np.int64).reshape(-1, 3).T
    lengths = batch.lengths[sequences]
    behind = np.cumsum(lengths) - lengths
    source = np.repeat(batch.starts[sequences] - behind, lengths) + np.arange(lengths.sum())
    filled = np.array(fills, np.int64)
    rows = Ragged(batch.x[source], np.cumsum(filled) - filled, filled)
    return LaidRows(rows, sequences, row_of, end_at)
