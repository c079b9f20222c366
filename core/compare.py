"""Comparing: a pinned setting A against the present one, and boundaries on other data (drift)."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from .actions import table_of
from .sequences.analysis import Analysis
from .sequences.buckets import BucketTable, bucket_table
from .sequences.dataset import Dataset
from .state import State


@dataclass(frozen=True, eq=False)
class Side:
    """One side of a comparison: what it is called, its buckets, graphs and optimum for its K."""

    name: str
    table: BucketTable
    least: int

    @property
    def graphs(self) -> int:
        """Buckets that hold a sequence: one graph each."""
        return sum(1 for bucket in self.table.buckets if bucket.count)


def side_of(name: str, state: State, analysis: Analysis) -> Side:
    """Return a state as one side of a comparison."""
    table = table_of(state, analysis)
    return Side(name, table, analysis.optimum(len(table.boundaries))[0])


def on_other(state: State, other: Analysis) -> Side:
    """Return the boundaries of a state as they do on other data.

    Where the other data have longer sequences, their longest length becomes one more boundary:
    it is a graph that such data would need.
    """
    boundaries = state.boundaries
    if boundaries[-1] < other.histogram.maximum:
        boundaries = (*boundaries, other.histogram.maximum)
    table = bucket_table(other.histogram, boundaries, state.pad_to)
    return Side(other.dataset.name, table, other.optimum(len(boundaries))[0])


def compare_record(side: Side) -> dict[str, Any]:
    """Return the ``compare`` object of the JSON."""
    table = side.table
    return {
        "name": side.name,
        "steps": table.steps,
        "real_steps": table.real_steps,
        "waste": table.waste,
        "buckets": [{**asdict(bucket), "waste": bucket.waste} for bucket in table.buckets],
    }


def same_unit(one: Dataset, other: Dataset) -> bool:
    """Return whether a step means the same in both: frames of one rate, or the same unit."""
    return one.frame_rate == other.frame_rate
