"""What a state amounts to, as records and as JSON: one source for the screens and the commands.

Whatever follows from the histogram alone is here at once; what only a run can tell (errors,
verdicts, times) comes from strategy_rows.py and may be missing until then.
"""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

from . import command_line
from .actions import table_of
from .compare import Side, compare_record, on_other
from .errors import PlanError
from .sequences.analysis import Analysis
from .sequences.buckets import BucketTable, bucket_table
from .sequences.checks import Baseline, Check
from .sequences.dataset import Dataset
from .sequences.edits import move
from .sequences.planners import METHODS
from .state import State, default_preset
from .strategy_rows import StrategyRow, run_checks, run_timings, strategy_record, strategy_rows


@dataclass(frozen=True)
class MethodRow:
    """One way to choose boundaries and what comes of it; ``excess`` is over the optimum for k."""

    name: str
    boundaries: tuple[int, ...]
    steps: int
    waste: float | None
    excess: float | None


@dataclass(frozen=True)
class Neighbour:
    """What one step of the active boundary would cost; ``length`` is None where it cannot go."""

    direction: int
    length: int | None
    steps: int
    change: int


@dataclass(frozen=True)
class Distance:
    """How far the present boundaries are from the least steps for the same number of buckets."""

    k: int
    steps: int
    boundaries: tuple[int, ...]
    change: int


def method_values(row: MethodRow) -> dict[str, int | float | bool | None]:
    """Return what the cells of a method's row stand for, by column."""
    return {"steps": row.steps, "waste": row.waste, "excess": row.excess}


def method_rows(state: State, analysis: Analysis) -> list[MethodRow]:
    """Return the present boundaries as ``now``, then what each method makes of their number."""
    rows = [_method_row("now", state.boundaries, state, analysis)]
    for name in METHODS:
        with suppress(PlanError):  # a method may refuse so many buckets; the others stand
            places = analysis.plan(len(state.boundaries), name)
            rows.append(_method_row(name, places, state, analysis))
    return rows


def _method_row(
    name: str, boundaries: tuple[int, ...], state: State, analysis: Analysis
) -> MethodRow:
    table = bucket_table(analysis.histogram, boundaries, state.pad_to)
    least = 0
    with suppress(PlanError):  # more buckets than the search can hold
        least, _ = analysis.optimum(len(boundaries))
    excess = table.steps / least - 1 if least else None
    return MethodRow(name, boundaries, table.steps, table.waste, excess)


def neighbours(state: State, analysis: Analysis, table: BucketTable) -> list[Neighbour]:
    """Return what one step to the left and one to the right of the active bucket's end costs."""
    found = []
    for direction in (-1, 1):
        moved = move(analysis, state.boundaries, state.bucket, direction)
        if moved == state.boundaries:
            found.append(Neighbour(direction, None, table.steps, 0))
            continue
        steps = bucket_table(analysis.histogram, moved, state.pad_to).steps
        length = moved[state.bucket - 1]
        found.append(Neighbour(direction, length, steps, steps - table.steps))
    return found


def distance(analysis: Analysis, table: BucketTable) -> Distance:
    """Return the optimum for the same number of buckets and how far it is."""
    k = len(table.boundaries)
    steps, boundaries = analysis.optimum(k)
    return Distance(k, steps, boundaries, steps - table.steps)


def data_record(dataset: Dataset) -> dict[str, Any]:
    """Return the ``data`` object of the JSON: what was read and where every row went."""
    histogram = dataset.histogram
    return {
        "name": dataset.name,
        "sequences": histogram.sequences,
        "zeros": histogram.zeros,
        "min": histogram.minimum,
        "max": histogram.maximum,
        "mean": histogram.mean,
        "real_steps": histogram.real_steps,
        "rows": dataset.rows,
        "skipped": dataset.skipped,
        "dropped": dataset.dropped,
        "dropped_steps": dataset.dropped_steps,
        "truncated": dataset.truncated,
        "truncated_steps": dataset.truncated_steps,
    }


def bucket_records(table: BucketTable, check_of_bucketed: Check | None) -> list[dict[str, Any]]:
    """Return the ``buckets`` of the JSON."""
    verdicts = verdicts_of(table, check_of_bucketed)
    return [
        {**asdict(bucket), "waste": bucket.waste, "correct": correct}
        for bucket, correct in zip(table.buckets, verdicts, strict=True)
    ]


def verdicts_of(table: BucketTable, check_of_bucketed: Check | None) -> tuple[bool | None, ...]:
    """Return one verdict for each bucket, None where nothing of it was checked."""
    per_bucket = check_of_bucketed.per_bucket if check_of_bucketed else ()
    return per_bucket or (None,) * len(table.buckets)


def reproduce(state: State, analysis: Analysis) -> str:
    """Return the command line that reopens exactly this state."""
    return command_line.line(state, default_preset(analysis))


@dataclass(frozen=True, eq=False)
class Report:
    """A state with everything that was found out about it."""

    state: State
    analysis: Analysis
    table: BucketTable
    rows: tuple[StrategyRow, ...]
    best: Distance
    drift: Side | None = None

    @property
    def record(self) -> dict[str, Any]:
        """The JSON object of ``dgplay report --json``."""
        best = self.best
        compare = {} if self.drift is None else {"compare": compare_record(self.drift)}
        return {
            "data": data_record(self.analysis.dataset),
            "pad_to": self.state.pad_to,
            "boundaries": list(self.state.boundaries),
            "optimal": {"k": best.k, "steps": best.steps, "boundaries": list(best.boundaries)},
            "buckets": bucket_records(self.table, self.check_of_bucketed),
            "strategies": [strategy_record(row) for row in self.rows],
            **compare,
            "reproduce": reproduce(self.state, self.analysis),
        }

    @property
    def check_of_bucketed(self) -> Check | None:
        """The check of the strategy that the boundaries belong to."""
        return next(row.check for row in self.rows if row.strategy.by_bucket)


def make_report(state: State, analysis: Analysis, other: Analysis | None = None) -> Report:
    """Count, run and compare everything about a state; measure times where it asks for them.

    ``other`` is the data to score the boundaries on as well.
    """
    table = table_of(state, analysis)
    baseline = Baseline(analysis.dataset, state.model_options)
    checks = run_checks(state, analysis, baseline=baseline)
    timings = run_timings(state, analysis, baseline=baseline) if state.time else None
    rows = strategy_rows(state, analysis, table, checks, timings)
    drift = None if other is None else on_other(state, other)
    return Report(state, analysis, table, tuple(rows), distance(analysis, table), drift)


def json_safe(value: Any) -> Any:
    """Return ``value`` with non-finite floats as the strings nan, inf and -inf."""
    if isinstance(value, dict):
        return {key: json_safe(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [json_safe(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else ("inf" if value > 0 else "-inf")
    return value
