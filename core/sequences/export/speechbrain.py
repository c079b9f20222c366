"""speechbrain: ``DynamicBatchSampler``, which takes the boundaries as they are.

Length l goes to the first boundary that is at least as large; a longer one is a batch of its own.
The batch size of a bucket is not written: speechbrain computes max_batch_length / boundary,
rounded down, at least 1 and at most max_batch_ex.
"""

from __future__ import annotations

from .request import Exporter, ExportRequest, assignment, header, sizes_not_kept

_FUNCTION = '''

def make_sampler(dataset, **options):
    """Return a sampler over `dataset`; give lengths_list, or length_func if not of durations."""
    from speechbrain.dataio.sampler import DynamicBatchSampler

    return DynamicBatchSampler(
        dataset,
        max_batch_length=MAX_BATCH_LENGTH,
        max_batch_ex=MAX_BATCH_EX,
        bucket_boundaries=BUCKET_BOUNDARIES,
        **options,
    )
'''


def _render(request: ExportRequest) -> str:
    """Write the budget, or for a plain batch size the least budget under which it holds."""
    batches = request.batches
    most = batches.batch_size if batches else None
    budget = batches.budget if batches else None
    length = budget if budget is not None else (most or 1) * request.boundaries[-1]
    return (
        header(
            request,
            "speechbrain's batch size is MAX_BATCH_LENGTH / boundary, rounded down, 1 or more.",
            "A length above the last boundary is a batch of its own.",
            *sizes_not_kept(request),
        )
        + "\n"
        + assignment("BUCKET_BOUNDARIES", request.boundaries)
        + f"MAX_BATCH_LENGTH = {length}\n"
        + f"MAX_BATCH_EX = {most}\n"
        + _FUNCTION
    )


EXPORTERS = (
    Exporter("speechbrain", "lengths", True, _render, "boundaries for DynamicBatchSampler"),
)
