"""The check: run a strategy and compare its outputs with the eager run of each sequence.

It has a budget of cell steps, padding counted; a strategy that runs on the graph engine has a
smaller one of its own. What is checked: the shortest and the longest sequence, for a strategy with
buckets the ends of each bucket, then a seeded sample without replacement; everything where it
fits. What does not fit is not run, and the result says so. Only a strategy with buckets depends on
the boundaries, so the results of all others stay true when a boundary moves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from .buckets import BucketTable
from .dataset import Dataset
from .generators import Floats
from .histogram import Histogram
from .inputs import Ragged, open_source
from .rnn import ModelOptions, macs_per_step, make_rnn, never
from .strategies import Strategy
from .strategy_runs import Job, Tally

#: Cell steps that one strategy may execute in a check, padding included.
BUDGET = 200_000

RTOL = ATOL = 1e-9

#: How many numbers the states of one batch may hold; more rows than that run as more batches.
_MOST_STATE_NUMBERS = 2_000_000


@dataclass(frozen=True)
class Check:
    """What a comparison found.

    ``max_abs_error`` is the largest absolute difference of any output, nan where one is not a
    number; ``wrong`` of the ``checked`` sequences differ by more than 1e-9 (absolute + relative)
    or are not finite. With nothing checked, error and ``correct`` are None. ``per_bucket`` has
    one verdict for each bucket (None: none of its sequences was checked) under a strategy with
    buckets, else it is empty.
    """

    max_abs_error: float | None
    wrong: int
    checked: int
    correct: bool | None
    per_bucket: tuple[bool | None, ...] = ()


#: Multiply-adds that one strategy may take in a check: 2 s, or 200,000 steps up to width 96.
MOST_MACS = 2_200_000_000


def affordable(hidden: int, budget: int = BUDGET) -> int:
    """Return the steps a check may execute at a width: ``budget``, fewer where each costs much.

    At width 1024 a step is 1,064,960 multiply-adds, and 200,000 of them would take minutes.
    """
    return min(budget, MOST_MACS // macs_per_step(hidden))


class Baseline:
    """The eager run of every sequence that some strategy is compared with, made on demand.

    One baseline serves all strategies and all boundaries of one data set and model. Not for use
    by two threads at once.
    """

    def __init__(self, dataset: Dataset, model: ModelOptions, budget: int = BUDGET) -> None:
        self.histogram: Histogram = dataset.histogram
        self.model = model
        self.budget = affordable(model.hidden, budget)
        self.rnn = make_rnn(model)
        self.source = open_source(dataset, model.seed, budget)
        self._inputs: dict[int, Floats] = {}
        self._states: dict[int, Floats] = {}
        self._steps = 0

    def batch(
        self, positions: list[int], cancelled: Callable[[], bool] = never
    ) -> tuple[Ragged, Floats]:
        """Return the sequences at ``positions`` and their eager outputs, (n, outputs).

        Raises CancelledError; what was run before is kept.
        """
        if self._steps > 2 * self.budget:
            self._inputs, self._states, self._steps = {}, {}, 0
        for position in positions:
            if position not in self._states:
                inputs = self.source.inputs(position)
                self._states[position] = self.rnn.final_state(inputs, cancelled)
                self._inputs[position] = inputs
                self._steps += max(1, len(inputs))
        states = np.array([self._states[position] for position in positions])
        batch = Ragged.join([self._inputs[position] for position in positions])
        return batch, self.rnn.read_out(states.reshape(-1, self.rnn.hidden))

    @cached_property
    def sample(self) -> list[tuple[int, int]]:
        """Positions in the order in which they are drawn for checking, each with its length.

        The same for every strategy, so that they share their eager runs; long enough that each
        of them uses up its budget, and everything where that is not much longer.
        """
        sequences = self.histogram.sequences
        if not sequences:
            return []
        mean = (self.histogram.real_steps + self.histogram.zeros) / sequences
        size = min(sequences, 1000 + int(min(2 / mean, 1) * self.budget))
        rng = np.random.default_rng([self.model.seed, sequences, size])
        most = 2**62
        drawn = rng.choice(min(sequences, most), size, replace=False).tolist()
        if sequences > most:
            drawn = [position * sequences // most for position in drawn]
        return [(position, self.source.length(position)) for position in drawn]


def check(
    strategy: Strategy,
    dataset: Dataset,
    table: BucketTable,
    model: ModelOptions,
    budget: int = BUDGET,
    cancelled: Callable[[], bool] = never,
    baseline: Baseline | None = None,
) -> Check:
    """Run ``strategy`` on sequences worth ``budget`` steps and compare with the eager run.

    ``baseline`` shares eager runs between strategies; it must belong to the same data, model and
    budget. Raises CancelledError soon after ``cancelled`` answers True.
    """
    baseline = baseline or Baseline(dataset, model, budget)
    positions = choose(strategy, baseline, table)
    if not positions:
        unknown = (None,) * len(table.buckets) if strategy.by_bucket else ()
        return Check(None, 0, 0, None, unknown)
    with np.errstate(all="ignore"):
        batch, expected = baseline.batch(positions, cancelled)
        outputs = run_outputs(strategy, baseline, batch, table, cancelled=cancelled)
        errors = np.abs(outputs - expected)
        close = errors <= ATOL + RTOL * np.abs(expected)
    right = np.all(close & np.isfinite(outputs) & np.isfinite(expected), axis=1)
    wrong = int(np.count_nonzero(~right))
    per_bucket = _by_bucket(batch, table, right) if strategy.by_bucket else ()
    return Check(float(np.max(errors)), wrong, len(positions), wrong == 0, per_bucket)


def run_outputs(
    strategy: Strategy,
    baseline: Baseline,
    batch: Ragged,
    table: BucketTable,
    *,
    alone: bool = True,
    cancelled: Callable[[], bool] = never,
    tally: Tally | None = None,
) -> Floats:
    """Run ``strategy`` on ``batch`` and read out: (n, outputs). Raises CancelledError.

    A sequence without steps is never run: its output is the readout of h0. ``tally`` is counted
    up by what was really run.
    """
    rnn = baseline.rnn
    states = np.zeros((len(batch.lengths), rnn.hidden))
    real = np.flatnonzero(batch.lengths)
    rows_at_once = max(1, _MOST_STATE_NUMBERS // rnn.hidden)
    for start in range(0, len(real), rows_at_once):
        rows = real[start : start + rows_at_once]
        longest = baseline.histogram.maximum
        job = Job(
            rnn,
            batch.take(rows),
            longest,
            table,
            alone=alone,
            cancelled=cancelled,
            tally=tally or Tally(),
        )
        states[rows] = strategy.run(job)
    return rnn.read_out(states)


def budget_of(strategy: Strategy, baseline: Baseline) -> int:
    """Return the cell steps that ``strategy`` may run: the budget, or less where it says so."""
    return min(baseline.budget, strategy.most_steps or baseline.budget)


def choose(strategy: Strategy, baseline: Baseline, table: BucketTable) -> list[int]:
    """Return the positions to check, as many as the budget allows, each once.

    The shortest, the longest and the ends of buckets are taken wherever they still fit; the
    sample after them stops at the first sequence that does not, so that it is not biased towards
    short ones. A sequence without steps counts as one step.
    """
    histogram, left = baseline.histogram, budget_of(strategy, baseline)
    costs = {0: 1}

    def cost(length: int) -> int:
        if length not in costs:
            costs[length] = strategy.steps_of(length, histogram.maximum, table)
        return costs[length]

    if histogram.sequences <= left:
        total = sum(count * cost(length) for length, count in histogram.items())
        if total <= left:
            return list(range(histogram.sequences))
    chosen: dict[int, None] = {}
    for length in _telling_lengths(strategy, histogram, table):
        position = baseline.source.first_of(length)
        if position not in chosen and cost(length) <= left:
            chosen[position] = None
            left -= cost(length)
    for position, length in baseline.sample:
        if position in chosen:
            continue
        if cost(length) > left:
            break
        chosen[position] = None
        left -= cost(length)
    return list(chosen)


def _telling_lengths(strategy: Strategy, histogram: Histogram, table: BucketTable) -> Iterator[int]:
    if not histogram.distinct:
        return
    yield histogram.minimum
    yield histogram.maximum
    if strategy.by_bucket:
        for bucket in table.buckets:
            shortest = histogram.next_length(bucket.low - 1, 1)
            longest = histogram.longest_between(bucket.low, bucket.high)
            if shortest is not None and longest is not None:
                yield shortest
                yield longest


def _by_bucket(
    batch: Ragged, table: BucketTable, right: npt.NDArray[np.bool_]
) -> tuple[bool | None, ...]:
    verdicts: list[bool | None] = [None] * len(table.buckets)
    bucket_of: dict[int, int] = {}
    for length, is_right in zip(batch.lengths.tolist(), right.tolist(), strict=True):
        if length == 0:
            continue
        if length not in bucket_of:
            bucket_of[length] = table.bucket_index(length)
        verdicts[bucket_of[length]] = is_right and verdicts[bucket_of[length]] is not False
    return tuple(verdicts)
