"""Bringing the table of every bucket's expected steps to what batches really run.

The table (batch_expectation.py) takes one number of draws for every batch, which is near for a
bucket of like lengths and up to a fifth too much for one with a long thin tail. The law of a batch
(batch_law.py) is exact but has to be worked out bucket by bucket. So the ratio of the two is worked
out for the buckets between some ends, which are all of them where there are few, and the others
take what lies between: the ratio changes slowly with the ends of a bucket, and is 1 for one length.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .batch_expectation import Points
from .batch_law import expected_steps_of_bucket
from .batch_simulation import BatchRule
from .histogram import Histogram

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]

#: Ends between which the law is worked out.
MOST_ENDS = 17


def corrected(
    steps: Floats, points: Points, positive: Histogram, places: Places, rule: BatchRule
) -> Floats:
    """Return the table of ``expected_steps`` brought to the law.

    ``places`` are the distinct lengths of ``positive`` that are the ends of ``points``. A bucket
    that makes one batch for certain is exact already.
    """
    size = len(points.ends)
    chosen = np.unique(np.linspace(0, size - 1, min(size, MOST_ENDS)).round().astype(np.intp))
    edges = np.concatenate(([0], places + 1))
    ratios = np.ones((len(chosen), len(chosen)))
    for row, first in enumerate(chosen):
        for column in range(row + 1, len(chosen)):
            last = chosen[column]
            low, high = int(edges[first]), int(edges[last])
            bucket = Histogram(positive.lengths[low:high], positive.counts[low:high])
            ratios[row, column] = expected_steps_of_bucket(bucket, rule) / steps[first, last]
    every = np.arange(size)
    along = np.array([np.interp(every, chosen, row) for row in ratios])
    factors = np.array([np.interp(every, chosen, column) for column in along.T]).T
    if rule.budget is not None:
        population = points.counts - points.counts[:, None]
        factors[population * points.ends <= rule.budget] = 1.0
    found: Floats = steps * factors
    return found
