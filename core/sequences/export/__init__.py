"""Exporters: boundaries in the format of the tool that trains with them, by name.

Every target compares a length with its boundaries in its own way; each module owns one family
and says which. :func:`export` refuses what a target cannot take before anything is written.
"""

from __future__ import annotations

from ...errors import PlanError
from . import compilers, huggingface, lhotse, nemo, pytorch, speechbrain, tables, tensorflow, vllm
from .request import AXES, Exporter, ExportRequest, axes_of

__all__ = ["AXES", "EXPORTERS", "ExportRequest", "Exporter", "axes_of", "export"]

EXPORTERS: dict[str, Exporter] = {
    exporter.name: exporter
    for module in (
        lhotse,
        nemo,
        tensorflow,
        speechbrain,
        huggingface,
        pytorch,
        compilers,
        vllm,
        tables,
    )
    for exporter in module.EXPORTERS
}


def export(name: str, request: ExportRequest) -> str:
    """Write ``request`` in the format of that name, ending with a newline.

    Raises PlanError for an unknown name, for data on an axis the target does not count in, where
    the target needs batch sizes and there is neither a budget nor a batch size, and for
    boundaries that the target cannot hold.
    """
    if name not in EXPORTERS:
        raise PlanError(f"is one of {', '.join(EXPORTERS)}, not {name!r}", where="--export")
    exporter = EXPORTERS[name]
    if exporter.axis == "seconds" and "seconds" not in request.axes:
        raise PlanError(
            f"{name} counts in seconds, but {request.data_name} in {request.unit}",
            where="--export",
            hint="give a duration field, or --frame-rate for data in frames",
        )
    if exporter.axis == "lengths" and "lengths" not in request.axes:
        raise PlanError(
            f"{name} counts in steps, but {request.data_name} holds seconds, of which only"
            f" {request.frame_rate} frames each were assumed",
            where="--export",
            hint="say what a frame is with --frame-rate",
        )
    if exporter.needs_batch_sizes and request.batches is None:
        raise PlanError(
            f"{name} needs batch sizes", where="--export", hint="give --budget or --batch-size"
        )
    return exporter.render(request)
