"""NeMo: the lhotse data loading options of a training data set, as YAML.

With ``bucket_batch_size`` the bins are all K boundaries; without, the first K - 1 and a
``max_duration``, above which NeMo filters. Both compare inclusively. Numbers are written without
an exponent, which YAML 1.1 would read as text where it has no sign or point.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from .request import Exporter, ExportRequest, comment, header, sizes_not_kept

_PLACE = "Goes under train_ds of the model's config; cuts above max_duration are filtered out."


def _plain(number: float) -> str:
    """Return the fewest digits that give this float, without an exponent."""
    return format(Decimal(repr(number)), "f")


def _flow(numbers: Iterable[float]) -> str:
    return f"[{', '.join(_plain(number) for number in numbers)}]"


def _render(request: ExportRequest) -> str:
    """Write bins without batch sizes; NeMo fails on an empty list, so one bucket has none."""
    bins = list(request.seconds[:-1])
    lines = ["use_lhotse: true\n"]
    if bins:
        lines += [
            "use_bucketing: true\n",
            f"num_buckets: {len(request.boundaries)}\n",
            f"bucket_duration_bins: {_flow(bins)}\n",
        ]
    else:
        lines.append("use_bucketing: false\n")
    lines.append(f"max_duration: {_plain(request.seconds[-1])}\n")
    batches = request.batches
    if batches is None:
        lines.append(comment("batch_duration: seconds per batch, padding included"))
    elif batches.budget is not None:
        lines.append(f"batch_duration: {_plain(request.to_seconds(batches.budget))}\n")
    else:
        lines.append(f"batch_size: {batches.batch_size}\n")
    return header(request, _PLACE, *sizes_not_kept(request)) + "".join(lines)


def _render_fixed(request: ExportRequest) -> str:
    return header(request, _PLACE) + (
        "use_lhotse: true\n"
        "use_bucketing: true\n"
        f"num_buckets: {len(request.boundaries)}\n"
        f"bucket_duration_bins: {_flow(request.seconds)}\n"
        f"bucket_batch_size: {list(request.batch_sizes or ())}\n"
        f"max_duration: {_plain(request.seconds[-1])}\n"
    )


EXPORTERS = (
    Exporter("nemo", "seconds", False, _render, "bucket_duration_bins and max_duration", ".yaml"),
    Exporter(
        "nemo-fixed",
        "seconds",
        True,
        _render_fixed,
        "bucket_duration_bins with bucket_batch_size",
        ".yaml",
    ),
)
