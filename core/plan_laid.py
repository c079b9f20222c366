"""A plan laid over data: each bucket with what it holds, costs and is padded to, and the batches.

The same boundaries can be laid over the data they were chosen for and over others. Under
``longest`` and ``boundary`` steps are exact; under ``batch`` they are means of simulated epochs.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any

from .sequences.batch_options import BatchOptions
from .sequences.batch_report import BatchReport, batch_report
from .sequences.batches import sequence_lengths
from .sequences.dataset import Dataset
from .sequences.variants import PlanOptions, priced


@dataclass(frozen=True)
class PlanBucket:
    """One bucket of a plan.

    Under ``batch`` no length is fixed (``pad_to`` None) and steps are a simulated mean, None where
    batches cross buckets. ``batch_size`` is None without batches.
    """

    low: int
    high: int
    count: int
    pad_to: int | None
    steps: int | float | None
    real_steps: int
    batch_size: int | None

    @property
    def waste(self) -> float | None:
        """(steps - real steps) / steps, None where there is no step or none is known."""
        return (self.steps - self.real_steps) / self.steps if self.steps else None


@dataclass(frozen=True, eq=False)
class Laid:
    """Boundaries laid over one data set under a policy, with its batches where they are made."""

    name: str
    buckets: tuple[PlanBucket, ...]
    steps: int | float
    real_steps: int
    batches: BatchReport | None

    @property
    def boundaries(self) -> tuple[int, ...]:
        """The boundaries, rounded up to the multiple asked for."""
        return tuple(bucket.high for bucket in self.buckets)

    @property
    def waste(self) -> float | None:
        """(steps - real steps) / steps, None where there is no step."""
        return (self.steps - self.real_steps) / self.steps if self.steps else None


def lay(
    dataset: Dataset,
    boundaries: Iterable[int],
    options: PlanOptions,
    batches: BatchOptions | None,
) -> Laid:
    """Lay boundaries over a data set; the policy is that of ``batches`` where they are made.

    Raises PlanError where the boundaries do not cover the data, or batches cannot be made.
    """
    histogram = dataset.histogram
    found = priced(histogram, boundaries, options)
    report = None
    if batches is not None:
        lengths = sequence_lengths(histogram, dataset.in_order)
        report = batch_report(lengths, found.boundaries, batches)
    buckets = tuple(
        PlanBucket(
            bucket.low,
            bucket.high,
            bucket.count,
            bucket.pad_to,
            bucket.steps,
            bucket.real_steps,
            None if batches is None else batches.size_for(bucket.pad_to or bucket.high),
        )
        for bucket in found.buckets
    )
    if report is None or batches is None or batches.pad_to != "batch":
        return Laid(dataset.name, buckets, found.steps, histogram.real_steps, report)
    steps = report.bucket_steps or (None,) * len(buckets)
    simulated = tuple(
        replace(bucket, pad_to=None, steps=mean)
        for bucket, mean in zip(buckets, steps, strict=True)
    )
    return Laid(dataset.name, simulated, report.steps_per_epoch, report.real_steps, report)


def lay_on_other(
    boundaries: tuple[int, ...],
    other: Dataset,
    options: PlanOptions,
    batches: BatchOptions | None,
) -> Laid:
    """Lay a plan over other data; a longer length there is one more boundary.

    Raises like :func:`lay`.
    """
    if boundaries[-1] < other.histogram.maximum:
        boundaries = (*boundaries, other.histogram.maximum)
    return lay(other, boundaries, options, batches)


def bucket_records(laid: Laid) -> list[dict[str, Any]]:
    """Return the ``buckets`` of the JSON; ``batch_size`` only where batches are made."""
    records = []
    for bucket in laid.buckets:
        record = asdict(bucket)
        size = record.pop("batch_size")
        record["waste"] = bucket.waste
        records.append(record if size is None else {**record, "batch_size": size})
    return records


def laid_record(laid: Laid) -> dict[str, Any]:
    """Return the JSON object of a plan that is laid over other data."""
    return {
        "name": laid.name,
        "steps": laid.steps,
        "real_steps": laid.real_steps,
        "waste": laid.waste,
        "buckets": bucket_records(laid),
    }
