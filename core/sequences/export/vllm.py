"""vLLM on Gaudi: the file that ``VLLM_BUCKETING_FROM_FILE`` names.

One Python tuple a line, (batch, query, context blocks); a request takes the first bucket, in
sorted order, that is at least as large in each of the three. Since the batch sorts first, a small
batch would take the bucket with the smallest batch size, which is the longest. So with a list of
compiled batch sizes every length is written with each size its bucket can hold; without one, each
length with its own batch size only.
"""

from __future__ import annotations

from dataclasses import replace

from ...errors import PlanError
from ...wording import say
from ..batch_options import BatchOptions, bucket_batch_sizes
from .request import Exporter, ExportRequest, header


def _render(request: ExportRequest) -> str:
    """Write prompt buckets; queries are rounded up to the block size."""
    block = request.block_size
    if block < 1:
        raise PlanError(say("a block holds 1 token or more, not {block}", block=block))
    queries = tuple(sorted({-(-boundary // block) * block for boundary in request.boundaries}))
    if queries[0] == 1:
        raise PlanError(
            say("a query of 1 token means decoding there"), hint=say("take blocks of 2 or more")
        )
    lines = "".join(f"({rows}, {query}, 0)\n" for rows, query in _buckets(request, queries))
    return (
        header(
            request,
            f"Queries are rounded up to blocks of {block} tokens. The file replaces all buckets:",
            "add your decode buckets, (batch, 1, blocks). Longer prompts compile at run time.",
            *(
                ()
                if request.batches and request.batches.batch_sizes
                else (
                    "The batch is compared first: a smaller batch may take a longer bucket."
                    " --batch-sizes avoids it.",
                )
            ),
        )
        + lines
    )


def _buckets(request: ExportRequest, queries: tuple[int, ...]) -> list[tuple[int, int]]:
    """Return (rows, query) for every bucket, sorted as vLLM sorts them."""
    batches = request.batches or BatchOptions(batch_size=1)
    # Rounding up may take the last sequence of a budget; a batch of one still has to be served.
    sizes = bucket_batch_sizes(queries, replace(batches, over="keep"))
    compiled = batches.batch_sizes
    return sorted(
        (rows, query)
        for query, most in zip(queries, sizes, strict=True)
        for rows in (compiled or (most,))
        if rows <= most
    )


EXPORTERS = (
    Exporter(
        "vllm-hpu", "lengths", True, _render, "a bucket file for VLLM_BUCKETING_FROM_FILE", ".txt"
    ),
)
