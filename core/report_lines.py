"""A report as its tables and the sentences above and below them."""

from __future__ import annotations

from .compare import Side
from .counting import counted, data_text
from .report import (
    Report,
    reproduce,
)
from .tables import (
    UNICODE,
    Signs,
    Table,
    bucket_rows_table,
    distance_text,
    percent,
    strategy_table,
)
from .time_verdict import TimeVerdict, time_verdict


def time_text(verdict: TimeVerdict, hidden: int) -> str:
    """Return in one sentence what the measured times follow, and why."""
    worth = verdict.launch_seconds / verdict.step_seconds
    microseconds, share = 1e6 * verdict.launch_seconds, percent(verdict.launch_share)
    return (
        f"at {hidden} units a launch costs {microseconds:.2f} us, as much as {worth:.1f} steps in "
        f"a batch: dynamic takes {verdict.seconds_ratio:.1f} x the time of pad for "
        f"{verdict.steps_ratio:.2f} x the steps, {share} of it launches: time follows "
        f"{verdict.follows}"
    )


def drift_text(drift: Side) -> str:
    """Return how the boundaries do on other data."""
    over = drift.table.steps / drift.least - 1 if drift.least else 0.0
    return (
        f"on {drift.name}: {drift.table.steps} steps, {percent(drift.table.waste)} waste, "
        f"{100 * over:.1f}% over the optimum for K={len(drift.table.boundaries)} there"
    )


def report_tables(report: Report, signs: Signs = UNICODE) -> dict[str, Table]:
    """Return both tables of a report by name, buckets first."""
    rate = report.analysis.dataset.frame_rate
    return {
        "buckets": bucket_rows_table(report.table, report.check_of_bucketed, rate, signs),
        "strategies": strategy_table(list(report.rows), report.state.mode, signs),
    }


def heading_lines(report: Report, signs: Signs = UNICODE) -> list[str]:
    """Return what stands above the tables: the data, where rows went, the policy."""
    dataset = report.analysis.dataset
    histogram = dataset.histogram
    mean = signs.unknown if histogram.mean is None else f"{histogram.mean:.2f}"
    real = counted(histogram.real_steps, "real steps")
    lines = [f"{data_text(dataset, signs.between)}, mean {mean}, {real}"]
    dropped, cut = (
        counted(steps, "steps") for steps in (dataset.dropped_steps, dataset.truncated_steps)
    )
    lost = [
        said
        for number, said in (
            (histogram.zeros, f"{histogram.zeros} of length zero, in no bucket"),
            (dataset.skipped, f"{counted(dataset.skipped, 'bad rows')} skipped"),
            (dataset.dropped, f"{dataset.dropped} dropped ({dropped})"),
            (dataset.truncated, f"{dataset.truncated} truncated ({cut})"),
        )
        if number
    ]
    if lost:
        lines.append(f"of {counted(dataset.rows, 'rows')}: {', '.join(lost)}")
    lines.append(f"K={report.best.k}, pad to {report.state.pad_to}, mode {report.state.mode}")
    return lines


def closing_lines(report: Report, signs: Signs = UNICODE) -> list[str]:
    """Return what stands below the tables: what was checked, the optimum, the line to reopen."""
    sequences = report.analysis.histogram.sequences
    checked = sorted({row.check.checked for row in report.rows if row.check})
    spread = str(checked[0]) if len(checked) == 1 else f"{checked[0]} to {checked[-1]}"
    best = report.best
    boundaries = ",".join(map(str, best.boundaries))
    verdict = time_verdict(report.rows)
    return [
        *([] if verdict is None else [time_text(verdict, report.state.model.hidden)]),
        *([] if report.drift is None else [drift_text(report.drift)]),
        f"checked: this RNN ({counted(report.state.model.hidden, 'units')}), "
        f"{spread} of {counted(sequences, 'sequences')}",
        f"optimum for {distance_text(best, signs)} at {boundaries}",
        reproduce(report.state, report.analysis),
    ]
