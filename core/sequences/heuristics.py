"""Heuristics of other tools: boundaries from a formula that hardly looks at the data.

Each follows its source: GluonNLP's ``ExpWidthBucket`` (data/sampler.py), speechbrain's
``DynamicBatchSampler`` without boundaries (dataio/sampler.py), powers of two as XLA users pad, and
equal steps of M as in OpenNMT-tf's ``length_bucket_width`` or vLLM-HPU's linear buckets.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil, exp
from statistics import NormalDist

from .histogram import Histogram

#: GluonNLP's default ratio between the widths of neighbouring buckets.
EXPONENTIAL_RATIO = 1.1

#: What tensor cores want of a length, and the usual ``pad_to_multiple_of``.
DEFAULT_MULTIPLE = 8


def exponential(histogram: Histogram, k: int) -> tuple[int, ...]:
    """Boundaries whose widths grow by 1.1 from the shortest to the longest, as GluonNLP has them.

    The i-th is round(min + (max - min) * (r^i - 1) / (r^k - 1)), written here with negative powers
    so that no k overflows.
    """
    shortest, longest = histogram.positive.minimum, histogram.maximum
    last = EXPONENTIAL_RATIO**-k
    shares = [(EXPONENTIAL_RATIO ** (i - k) - last) / (1 - last) for i in range(1, k)]
    return distinct((round(shortest + (longest - shortest) * share) for share in shares), longest)


def lognormal(histogram: Histogram, k: int) -> tuple[int, ...]:
    """Boundaries at the quantiles i / (k + 1) of a standard log-normal, scaled to the longest.

    speechbrain scales them to its ``max_batch_length`` and ignores the data; the longest length is
    the least that fits. Its boundaries are real numbers; a shape is the next whole number.
    """
    longest = histogram.maximum
    quantiles = [exp(NormalDist().inv_cdf(i / (k + 1))) for i in range(1, k + 1)]
    return distinct((ceil(each * longest / quantiles[-1]) for each in quantiles), longest)


def power_of_two(histogram: Histogram, k: int) -> tuple[int, ...]:
    """The k largest powers of two up to the one that holds the longest length.

    Powers that no length needs (those below the shortest) are left out.
    """
    top = (histogram.maximum - 1).bit_length()
    least = (histogram.positive.minimum - 1).bit_length()
    return tuple(2**power for power in range(max(least, top - k + 1), top + 1))


def multiples(histogram: Histogram, k: int, multiple: int = DEFAULT_MULTIPLE) -> tuple[int, ...]:
    """Every multiple of ``multiple`` up to the longest length, or of the least multiple of it that
    makes at most k.
    """
    needed = -(-histogram.maximum // multiple)
    step = -(-needed // k) * multiple
    return tuple(step * i for i in range(1, -(-histogram.maximum // step) + 1))


def distinct(chosen: Iterable[int], longest: int) -> tuple[int, ...]:
    """Drop repeats and whatever lies outside 1…longest, and end with the longest."""
    return tuple(sorted({length for length in chosen if 0 < length <= longest} | {longest}))
