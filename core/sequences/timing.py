"""Time, measured on request: how long a strategy really takes on the sequences checked.

Every strategy is timed on the same sequences, those that fit the budget when padded to the
longest, or the times could not be compared. Here all rows of a batch are multiplied together, as
a framework does; the check multiplies them one by one to keep every bit (see rnn.py). What runs on
the graph engine is timed with compiling, and only where these sequences fit its own budget.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .buckets import BucketTable
from .checks import Baseline, budget_of, choose, run_outputs
from .rnn import CancelledError, never
from .strategies import Strategy, strategy_named
from .strategy_runs import Tally

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
    """Time ``strategy``, forward and readout; None where the sequences do not fit its budget.

    ``clock`` returns seconds. One run to warm up is not counted. Raises CancelledError.
    """
    positions = choose(strategy_named("pad"), baseline, table)
    if not positions:
        return None
    tally = Tally()
    seconds: list[float] = []
    with np.errstate(all="ignore"):
        batch, _ = baseline.batch(positions, cancelled)
        if strategy.most_steps and int(batch.lengths.sum()) > budget_of(strategy, baseline):
            return None
        run_outputs(strategy, baseline, batch, table, alone=False, cancelled=cancelled, tally=tally)
        while len(seconds) < FEWEST_RUNS or (len(seconds) < RUNS and sum(seconds) < MOST_SECONDS):
            if cancelled():
                raise CancelledError
            start = clock()
            run_outputs(strategy, baseline, batch, table, alone=False, cancelled=cancelled)
            seconds.append(clock() - start)
    low, median, high = np.percentile(seconds, (25, 50, 75)).tolist()
    return Timing(median, low, high, len(seconds), len(positions), tally.steps)
