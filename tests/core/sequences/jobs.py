"""Sequences of random inputs, jobs that run them, and the eager run that they are compared with."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from dgplay.core.sequences.buckets import bucket_table
from dgplay.core.sequences.generators import Floats
from dgplay.core.sequences.histogram import Histogram
from dgplay.core.sequences.inputs import Ragged
from dgplay.core.sequences.rnn import Rnn
from dgplay.core.sequences.strategy_runs import Job


def random_sequences(lengths: Iterable[int], seed: int = 0) -> list[Floats]:
    """Sequences of these lengths, (steps, 16) each."""
    rng = np.random.default_rng(seed)
    return [rng.standard_normal((length, 16)) for length in lengths]


def job_of(rnn: Rnn, sequences: list[Floats], **options: Any) -> Job:
    """A job on these sequences in one bucket."""
    batch = Ragged.join(sequences)
    histogram = Histogram.from_lengths(batch.lengths)
    longest = max(histogram.maximum, 1)
    return Job(rnn, batch, longest, bucket_table(histogram, (longest,)), **options)


def eager(job: Job) -> Floats:
    """The last state of each sequence of a job, run alone."""
    spans = zip(job.batch.starts, job.batch.lengths, strict=True)
    return np.array([job.rnn.final_state(job.batch.x[start : start + n]) for start, n in spans])
