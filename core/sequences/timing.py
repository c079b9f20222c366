"""Time, measured on request: how long a strategy really takes on the sequences checked.

Every strategy is timed on the same sequences, those that fit the budget when padded to the
longest, or the times could not be compared. Here all rows of a batch are multiplied together, as
a framework does; the check multiplies them one by one to keep every bit (see rnn.py).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .buckets import BucketTable
from .checks import Baseline, choose, run_outputs
from .rnn import CancelledError, never
from .strategies import Strategy, strategy_named

#: A strategy is run this often unless that takes too long, and at least three times.
RUNS, FEWEST_RUNS = 15, 3
MOST_SECONDS = 0.5


@dataclass(frozen=True)
class Timing:
    """Seconds of one run: the median of ``runs``, with the quartiles ``low`` and ``high``.

    ``sequences`` were run in each, ``steps`` cell steps with padding.
    """

    seconds: float
    low: float
    high: float
    runs: int
    sequences: int
    steps: int


def measure(
    strategy: Strategy,
    baseline: Baseline,
    table: BucketTable,
    clock: Callable[[], float] = time.perf_counter,
    cancelled: Callable[[], bool] = never,
) -> Timing | None:
    """Time ``strategy``, forward and readout; None where no sequence fits the budget.

    ``clock`` returns seconds. One run to warm up is not counted. Raises CancelledError.
    """
    positions = choose(strategy_named("pad"), baseline, table)
    if not positions:
        return None
    longest = baseline.histogram.maximum
    seconds: list[float] = []
    with np.errstate(all="ignore"):
        batch, _ = baseline.batch(positions, cancelled)
        run_outputs(strategy, baseline, batch, table, alone=False, cancelled=cancelled)
        while len(seconds) < FEWEST_RUNS or (len(seconds) < RUNS and sum(seconds) < MOST_SECONDS):
            if cancelled():
                raise CancelledError
            start = clock()
            run_outputs(strategy, baseline, batch, table, alone=False, cancelled=cancelled)
            seconds.append(clock() - start)
    lengths = batch.lengths.tolist()
    steps = sum(strategy.steps_of(length, longest, table) for length in lengths if length)
    low, median, high = np.percentile(seconds, (25, 50, 75)).tolist()
    return Timing(median, low, high, len(seconds), len(positions), steps)
