"""The strategies of a state as rows: counted at once, checked and timed on request.

What follows from the histogram alone is here in the frame of the key; what only a run can tell
(errors, verdicts, times) comes from :func:`run_checks` and :func:`run_timings`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .actions import table_of
from .errors import PlanError
from .sequences.analysis import Analysis
from .sequences.buckets import BucketTable, bucket_table
from .sequences.checks import Baseline, Check, check
from .sequences.dataset import Dataset
from .sequences.histogram import Histogram
from .sequences.rnn import never
from .sequences.strategies import PER_BATCH, PER_SEQUENCE, Strategy, shown
from .sequences.strategy_counts import StrategyCounts, captured_lengths, symbolic_graphs
from .sequences.timing import Timing, measure
from .state import State


@dataclass(frozen=True)
class StrategyRow:
    """One strategy: its counts, and what was found out by running it (None: not yet)."""

    strategy: Strategy
    counts: StrategyCounts
    graphs_made: int
    check: Check | None
    timing: Timing | None


@dataclass(frozen=True)
class ModeFacts:
    """The graphs that one graph-building mode makes for this data.

    ``graphs`` pairs what is run with how many graphs that takes; ``lengths`` is the number of
    distinct lengths, which capture without a symbolic size meets one by one.
    """

    mode: str
    graphs: tuple[tuple[str, int], ...]
    lengths: int


def laid_strategies(
    state: State, analysis: Analysis, table: BucketTable
) -> list[tuple[Strategy, BucketTable]]:
    """Return the strategies that a state shows, each with the buckets that it runs on.

    The optimum is left out where its search refuses so many buckets.
    """
    laid = []
    for strategy in shown(state.all_strategies):
        if not strategy.optimal:
            laid.append((strategy, table))
            continue
        try:
            _, boundaries = analysis.optimum(len(table.boundaries))
        except PlanError:
            continue
        laid.append((strategy, bucket_table(analysis.histogram, boundaries, state.pad_to)))
    return laid


def strategy_rows(
    state: State,
    analysis: Analysis,
    table: BucketTable,
    checks: Mapping[str, Check] | None = None,
    timings: Mapping[str, Timing | None] | None = None,
) -> list[StrategyRow]:
    """Return one row for each strategy that the state shows, in the order of the table."""
    histogram, first = analysis.histogram, analysis.dataset.first_length
    rows = []
    for strategy, own in laid_strategies(state, analysis, table):
        counts = strategy.counts(histogram, own, state.model.hidden, first)
        rows.append(
            StrategyRow(
                strategy,
                counts,
                graphs_made(strategy, counts, state.mode, histogram),
                (checks or {}).get(strategy.name),
                (timings or {}).get(strategy.name),
            )
        )
    return rows


def values_of(row: StrategyRow) -> dict[str, int | float | bool | None]:
    """Return what the cells of a row stand for, by column; None where it is not known."""
    counts, found = row.counts, row.check
    return {
        "steps": counts.steps,
        "waste": counts.waste,
        "saved": counts.saved,
        "extra": counts.extra,
        "graphs": row.graphs_made,
        "launches": counts.launches,
        "macs": counts.macs,
        "wrong": found.wrong if found else None,
        "result": found.correct if found else None,
        "error": found.max_abs_error if found else None,
    }


def graphs_made(strategy: Strategy, counts: StrategyCounts, mode: str, histogram: Histogram) -> int:
    """Return how many graphs a mode makes for a strategy.

    Eager draws one for each call of the program: one a batch, or one a sequence run alone.
    Static and capture compile one for each fixed shape; captured sequence by sequence, each
    distinct length is another shape, up to the recompile limit.
    """
    if mode == "eager" and strategy.called != PER_BATCH:
        return histogram.sequences if strategy.called == PER_SEQUENCE else min(counts.graphs, 1)
    if mode == "capture" and not counts.graphs:
        return captured_lengths(histogram)
    return counts.graphs


def mode_facts(analysis: Analysis, table: BucketTable) -> list[ModeFacts]:
    """Return what each mode makes of the data, in the order of the modes."""
    histogram = analysis.histogram
    filled = sum(1 for bucket in table.buckets if bucket.count)
    distinct = histogram.positive.distinct
    return [
        ModeFacts("eager", (("each sequence", histogram.sequences),), distinct),
        ModeFacts("static", (("pad", 1), ("bucketed", filled), ("while_loop", 1)), distinct),
        ModeFacts(
            "capture",
            (
                ("per length", captured_lengths(histogram)),
                ("symbolic", symbolic_compiles(analysis.dataset)),
                ("bucketed", filled),
            ),
            distinct,
        ),
    ]


def symbolic_compiles(dataset: Dataset) -> int:
    """Return how often capture compiles a program that takes any number of steps.

    Follows the order of the rows where it is known, else shortest first.
    """
    return symbolic_graphs(dataset.histogram, dataset.first_length)


def run_checks(
    state: State,
    analysis: Analysis,
    *,
    names: tuple[str, ...] | None = None,
    baseline: Baseline | None = None,
    cancelled: Callable[[], bool] = never,
) -> dict[str, Check]:
    """Run the named strategies and compare them with the eager run; by default those shown.

    ``baseline`` shares the eager runs between calls on the same data and model. Raises
    CancelledError.
    """
    shared = baseline or Baseline(analysis.dataset, state.model_options)
    table = table_of(state, analysis)
    return {
        strategy.name: check(
            strategy,
            analysis.dataset,
            own,
            state.model_options,
            cancelled=cancelled,
            baseline=shared,
        )
        for strategy, own in laid_strategies(state, analysis, table)
        if names is None or strategy.name in names
    }


def run_timings(
    state: State,
    analysis: Analysis,
    *,
    names: tuple[str, ...] | None = None,
    baseline: Baseline | None = None,
    cancelled: Callable[[], bool] = never,
) -> dict[str, Timing | None]:
    """Measure the named strategies, by default those shown, on sequences that fit the budget.

    What does not fit is None. Raises CancelledError.
    """
    shared = baseline or Baseline(analysis.dataset, state.model_options)
    table = table_of(state, analysis)
    return {
        strategy.name: measure(strategy, shared, own, cancelled=cancelled)
        for strategy, own in laid_strategies(state, analysis, table)
        if names is None or strategy.name in names
    }


def strategy_record(row: StrategyRow) -> dict[str, Any]:
    """Return one of the ``strategies`` of the JSON."""
    counts = row.counts
    found = row.check or Check(None, 0, 0, None)
    return {
        "name": counts.name,
        "steps": counts.steps,
        "real_steps": counts.real_steps,
        "waste": counts.waste,
        "saved": counts.saved,
        "extra": counts.extra,
        "macs": counts.macs,
        "graphs": counts.graphs,
        "launches": counts.launches,
        "seconds": row.timing.seconds if row.timing else None,
        "max_abs_error": found.max_abs_error,
        "wrong": found.wrong,
        "checked": found.checked,
        "correct": found.correct,
    }
