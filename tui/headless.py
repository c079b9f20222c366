"""The commands that print and return: report, lengths, data.

Each loads, asks core for rows and prints them; no number is made here. Textual is never imported.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dgplay.core.command_line import request_from
from dgplay.core.compare import same_unit
from dgplay.core.errors import DgplayError
from dgplay.core.saving import write_atomically
from dgplay.core.sequences.analysis import Analysis
from dgplay.core.sequences.bundled import describe
from dgplay.core.sequences.dataset import DataOptions, Dataset
from dgplay.core.sequences.loading import load
from dgplay.core.state import Appearance, Request, open_state

if TYPE_CHECKING:
    from rich.console import Console

    from dgplay.core.report import Report
    from dgplay.core.tables import Signs, Table

#: A load that takes longer than this says how far it is.
PATIENCE_SECONDS = 1.0


class Progress:
    """Narration of a long load on stderr, from its second second on."""

    def __init__(self) -> None:
        self.started = time.monotonic()
        self.said = 0.0

    def __call__(self, rows: int) -> None:
        """Say how many rows are read, at most four times a second."""
        now = time.monotonic()
        if now - self.started < PATIENCE_SECONDS or now - self.said < 0.25:
            return
        self.said = now
        sys.stderr.write(f"\rdgplay: reading, {rows:,} rows so far")
        sys.stderr.flush()

    def finish(self) -> None:
        """End the line, if one was begun."""
        if self.said:
            sys.stderr.write("\n")


def load_quietly(options: DataOptions) -> Dataset:
    """Load with progress; the notes of the data are still to be told, once all has succeeded."""
    progress = Progress()
    try:
        # A closed standard input is None.
        stdin = sys.stdin.buffer if sys.stdin else None
        return load(options, stdin=stdin, progress=progress)
    finally:
        progress.finish()


def tell(*datasets: Dataset) -> None:
    """Say on stderr how data were read."""
    for dataset in datasets:
        for note in dataset.notes:
            sys.stderr.write(f"dgplay: {note}\n")


def load_told(options: DataOptions) -> Dataset:
    """Load with progress, and say the notes of the data on stderr once it has succeeded."""
    dataset = load_quietly(options)
    tell(dataset)
    return dataset


def requested(given: argparse.Namespace) -> Request:
    """Return the request in parsed arguments, of a command with DATA or without."""
    return request_from({**vars(given), "sources": tuple(getattr(given, "sources", ()))})


def load_other(request: Request, analysis: Analysis) -> Analysis | None:
    """Load the data of --compare; raises DgplayError where a step means something else there."""
    if request.state.compare is None:
        return None
    options = replace(request.state.data, sources=(request.state.compare,))
    other = Analysis(load_quietly(options))
    if not same_unit(analysis.dataset, other.dataset):
        raise DgplayError(
            f"has another frame rate than {analysis.dataset.name}", where=request.state.compare
        )
    return other


def report_command(given: argparse.Namespace) -> int:
    """Print the report of a state."""
    from dgplay.core import report, tables

    request = requested(given)
    analysis = Analysis(load_quietly(request.state.data))
    state = open_state(request, analysis)
    other = load_other(request, analysis)
    made = report.make_report(state, analysis, other)
    tell(analysis.dataset, *([] if other is None else [other.dataset]))
    signs = tables.ASCII if state.appearance.ascii else tables.UNICODE
    if given.output == "json":
        print_json(made.record)
    elif given.output == "csv":
        print_csv(made.record[given.table or "strategies"])
    elif given.output == "markdown":
        for table in _chosen(given.table, made, signs):
            sys.stdout.write(_markdown(table) + "\n")
        sys.stdout.write(f"`{made.record['reproduce']}`\n")
    else:
        console = console_for(state.appearance)
        _print_report(console, made, given.table, signs)
    return 0


def print_json(record: Any) -> None:
    """Print JSON with Python's default separators and non-finite numbers as strings."""
    from dgplay.core.report import json_safe

    sys.stdout.write(json.dumps(json_safe(record), allow_nan=False) + "\n")


def print_csv(records: Sequence[dict[str, Any]]) -> None:
    """Print records as CSV under their keys."""
    writer = csv.DictWriter(sys.stdout, list(records[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)


def _chosen(name: str | None, made: Report, signs: Signs) -> Iterable[Table]:
    from dgplay.core.report_lines import report_tables

    both = report_tables(made, signs)
    return both.values() if name is None else (both[name],)


def _markdown(table: Table) -> str:
    lines = ["| " + " | ".join(heading.title for heading in table.headings) + " |"]
    rule = ("---:" if heading.align == "right" else "---" for heading in table.headings)
    lines.append("| " + " | ".join(rule) + " |")
    lines += ["| " + " | ".join(cell.text for cell in cells) + " |" for _, cells in table.rows]
    return "\n".join(lines) + "\n"


def console_for(appearance: Appearance) -> Console:
    """Return a console for stdout: as wide as the terminal, or wide enough in a pipe."""
    from rich.console import Console

    class Output(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # for the command line to answer, as everywhere else

    plain = appearance.no_color or "NO_COLOR" in os.environ
    console = Output(no_color=plain, highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console = Output(
            no_color=True, highlight=False, markup=False, emoji=False, width=160, file=sys.stdout
        )
    return console


def _print_report(console: Console, made: Report, only: str | None, signs: Signs) -> None:
    from dgplay.core.report_lines import closing_lines, heading_lines

    for line in heading_lines(made, signs):
        console.print(line, soft_wrap=True)
    for table in _chosen(only, made, signs):
        console.print()
        print_table(console, table, signs)
    console.print()
    for line in closing_lines(made, signs):
        console.print(line, soft_wrap=True)


def print_table(console: Console, table: Table, signs: Signs) -> None:
    """Print a table of core; what a narrow terminal has no room for follows below it."""
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    from dgplay.core.tables import ASCII

    styles = {"good": "green", "bad": "red", "muted": "dim", "strong": "bold"}
    for columns in _columns_that_fit(table, console.width):
        drawn = RichTable(box=box.ASCII2 if signs is ASCII else box.SIMPLE_HEAD, pad_edge=False)
        for column in columns:
            heading = table.headings[column]
            drawn.add_column(
                heading.title,
                justify="right" if heading.align == "right" else "left",
                no_wrap=not (column and _widest(table, column) > PROSE),
                overflow="fold",
            )
        for _, cells in table.rows:
            picked = (cells[column] for column in columns)
            drawn.add_row(*(Text(cell.text, styles.get(cell.style, "")) for cell in picked))
        console.print(drawn)


#: A column of wider cells than this holds sentences, which may wrap.
PROSE = 24


def _widest(table: Table, column: int) -> int:
    from rich.cells import cell_len

    texts = [table.headings[column].title, *(cells[column].text for _, cells in table.rows)]
    return max(map(cell_len, texts))


def _columns_that_fit(table: Table, room: int) -> list[list[int]]:
    """Return the columns of each part of the table; the first column names the rows in all."""
    widths = [_widest(table, column) for column in range(len(table.headings))]
    needed = [width if not column else min(width, PROSE) for column, width in enumerate(widths)]
    parts, used = [[0]], needed[0] + 2
    for column in range(1, len(needed)):
        if used + needed[column] + 3 > room and len(parts[-1]) > 1:
            parts.append([0])
            used = needed[0] + 2
        parts[-1].append(column)
        used += needed[column] + 3
    return parts


def lengths_command(given: argparse.Namespace) -> int:
    """Print or write any input as a length,count histogram."""
    dataset = load_told(requested(given).state.data)
    rows = [f"{length},{count}\n" for length, count in dataset.histogram.items()]
    rate = dataset.frame_rate
    # Without these two lines a histogram of frames could not be shown in seconds again.
    unit = "" if rate is None else f"# unit: {dataset.unit}\n# frame-rate: {rate}\n"
    text = f"{unit}length,count\n" + "".join(rows)
    if given.to is None:
        sys.stdout.write(text)
        return 0
    path = Path(given.to)
    replaced = path.exists()
    write_atomically(path, text)
    done = "replaced" if replaced else "wrote"
    sys.stderr.write(f"dgplay: {done} {path}, {len(rows)} distinct lengths\n")
    return 0


def data_command(given: argparse.Namespace) -> int:
    """Print the bundled data sets: name, field, unit, sequences."""
    from dgplay.core import tables

    sets = describe()
    if given.output == "json":
        fields = ("name", "field", "unit", "sequences")
        print_json([{name: getattr(item, name) for name in fields} for item in sets])
        return 0
    headings = tuple(
        tables.Heading(name, name, "right" if name == "sequences" else "left")
        for name in ("name", "field", "unit", "sequences")
    )
    rows = tuple(
        (
            item.name,
            tuple(
                tables.Cell(str(text))
                for text in (item.name, item.field, item.unit, item.sequences)
            ),
        )
        for item in sets
    )
    print_table(console_for(Appearance()), tables.Table(headings, rows), tables.UNICODE)
    return 0
