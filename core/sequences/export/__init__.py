"""Exporters: boundaries in the format of the tool that trains with them, by name.

Every target compares a length with its boundaries in its own way; each module owns one family
and says which. :func:`export` refuses what a target cannot take before anything is written.
"""

from __future__ import annotations

from ...errors import PlanError
from ...wording import say
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
        raise PlanError(
            say("is one of {names}, not {name!r}", names=", ".join(EXPORTERS), name=name),
            where="--export",
        )
    exporter = EXPORTERS[name]
    if exporter.axis == "seconds" and "seconds" not in request.axes:
        raise PlanError(
            say(
                "{name} counts in seconds, but {data_name} in {unit}",
                name=name,
                data_name=request.data_name,
                unit=say(request.unit),
            ),
            where="--export",
            hint=say("give a duration field, or --frame-rate for data in frames"),
        )
    if exporter.axis == "lengths" and "lengths" not in request.axes:
        raise PlanError(
            say(
                "{name} counts in steps, but {data_name} holds seconds, "
                "of which only {frame_rate} frames each were assumed",
                name=name,
                data_name=request.data_name,
                frame_rate=request.frame_rate,
            ),
            where="--export",
            hint=say("say what a frame is with --frame-rate"),
        )
    if exporter.needs_batch_sizes and request.batches is None:
        raise PlanError(
            say("{name} needs batch sizes", name=name),
            where="--export",
            hint=say("give --budget or --batch-size"),
        )
    return exporter.render(request)
