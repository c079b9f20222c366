"""JSON and CSV: the boundaries and their buckets for whatever reads them next."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

from .request import Exporter, ExportRequest, header


def _rows(request: ExportRequest) -> list[dict[str, Any]]:
    """Return one row per bucket; columns that the data cannot fill are left out."""
    sizes = request.batch_sizes
    rows = []
    for place, bucket in enumerate(request.table.buckets):
        row: dict[str, Any] = {
            "low": bucket.low,
            "high": bucket.high,
            "pad_to": bucket.pad_to,
            "count": bucket.count,
            "steps": bucket.steps,
            "real_steps": bucket.real_steps,
            "waste": bucket.waste,
        }
        if sizes is not None:
            row["batch_size"] = sizes[place]
        if request.frame_rate is not None:
            row["seconds"] = request.seconds[place]
        rows.append(row)
    return rows


def _render_json(request: ExportRequest) -> str:
    """Write one object; JSON has no comments, so its first keys say what they would."""
    table = request.table
    made: dict[str, Any] = {
        "data": request.data_name,
        "unit": request.unit,
        "frame_rate": None if request.frame_rate is None else float(request.frame_rate),
        "method": request.method,
        "pad_to": "boundary",
        "k": len(table.boundaries),
        "boundaries": list(table.boundaries),
        "steps": table.steps,
        "real_steps": table.real_steps,
        "waste": table.waste,
        "budget": request.batches.budget if request.batches else None,
        "batch_size": request.batches.batch_size if request.batches else None,
        "buckets": _rows(request),
    }
    if request.command:
        made["reproduce"] = request.command
    return json.dumps(made) + "\n"


def _render_csv(request: ExportRequest) -> str:
    rows = _rows(request)
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return header(request) + out.getvalue()


EXPORTERS = (
    Exporter("json", "either", False, _render_json, "boundaries and buckets as JSON", ".json"),
    Exporter("csv", "either", False, _render_csv, "one row per bucket", ".csv"),
)
