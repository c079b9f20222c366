"""lhotse: duration bins in seconds for ``DynamicBucketingSampler``, and fixed batch sizes.

``duration_bins`` are the edges between buckets, so the last boundary is left out. Up to lhotse
1.26 a duration equal to a bin went to the next bucket (``bisect_right``), since 1.27.0 (#1387,
2024-08-22) it stays (``bisect_left``): the same list means two things. For the older rule each
bin is the next float above the boundary: d < next(b) says the same as d <= b for every float d.
"""

from __future__ import annotations

import math

from .request import Exporter, ExportRequest, assignment, header, sizes_not_kept

_SAMPLER = '''

def make_sampler(cuts, {parameter}, **options):
    """Return a sampler over `cuts`; `options` go to DynamicBucketingSampler."""
    from lhotse.dataset import DynamicBucketingSampler

    return DynamicBucketingSampler(
        cuts, duration_bins=DURATION_BINS, {name}={name}, **options
    )
'''

_FIXED = '''

def make_sampler(cuts, **options):
    """Return a sampler over `cuts` whose buckets have fixed batch sizes."""
    from lhotse.dataset import DynamicBucketingSampler
    from lhotse.dataset.sampling.dynamic_bucketing import FixedBucketBatchSizeConstraint

    constraint = FixedBucketBatchSizeConstraint(
        max_seq_len_buckets=MAX_SEQ_LEN_BUCKETS, batch_sizes=BATCH_SIZES
    )
    return DynamicBucketingSampler(
        cuts, duration_bins=MAX_SEQ_LEN_BUCKETS[:-1], constraint=constraint, **options
    )
'''


def _bins(request: ExportRequest, said: str, bins: list[float]) -> str:
    opening = header(
        request,
        said,
        "Longer cuts go to the last bucket. lhotse closes a batch when one more as long as its",
        "longest so far would not fit, so a longer last cut may exceed max_duration.",
        *sizes_not_kept(request),
    )
    return opening + "\n" + assignment("DURATION_BINS", bins) + _sampler(request)


def _sampler(request: ExportRequest) -> str:
    """Return the function that makes the sampler, with the budget in seconds as its default."""
    name, parameter = "max_duration", "max_duration"
    if request.batches is not None and request.batches.budget is not None:
        parameter = f"max_duration={request.to_seconds(request.batches.budget)!r}"
    elif request.batches is not None:
        name, parameter = "max_cuts", f"max_cuts={request.batches.batch_size}"
    return _SAMPLER.format(name=name, parameter=parameter)


def _render(request: ExportRequest) -> str:
    said = "For lhotse 1.27.0 (2024-08-22) or later: a duration equal to a bin stays below it."
    return _bins(request, said, list(request.seconds[:-1]))


def _render_before(request: ExportRequest) -> str:
    said = "For lhotse before 1.27.0 (2024-08-22): each bin is the next float above the boundary."
    bins = [math.nextafter(second, math.inf) for second in request.seconds[:-1]]
    return _bins(request, said, bins)


def _render_fixed(request: ExportRequest) -> str:
    opening = header(
        request,
        "For lhotse 1.27.0 (2024-08-22) or later; a cut above the last bucket is an error.",
    )
    buckets = assignment("MAX_SEQ_LEN_BUCKETS", request.seconds)
    sizes = assignment("BATCH_SIZES", request.batch_sizes or ())
    return opening + "\n" + buckets + sizes + _FIXED


EXPORTERS = (
    Exporter(
        "lhotse", "seconds", False, _render, "duration bins for DynamicBucketingSampler, in seconds"
    ),
    Exporter(
        "lhotse-before-2024-08",
        "seconds",
        False,
        _render_before,
        "the same buckets for lhotse before August 2024, whose bins exclude their upper end",
    ),
    Exporter(
        "lhotse-fixed",
        "seconds",
        True,
        _render_fixed,
        "buckets with fixed batch sizes (FixedBucketBatchSizeConstraint)",
    ),
)
