"""Reports as tables of words: the same cells for the screens, the commands and the tests.

A cell is text with the name of a style; nothing here knows colours or widths. Titles and words
are English; a screen may show its own translation of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from .compare import Side
from .predict import Prediction
from .report import Distance, MethodRow, Neighbour, verdicts_of
from .sequences.buckets import BucketTable
from .sequences.checks import Check
from .sequences.timing import Timing
from .strategy_rows import StrategyRow

#: What each column holds, as the help and the tooltips say it.
FORMULAS: Mapping[str, str] = {
    "steps": "cell steps executed, padding included",
    "waste": "(steps - real steps) / steps",
    "saved": "1 - steps / steps of padding everything",
    "extra": "steps / real steps - 1",
    "graphs": "graphs made: compiled shapes in static and capture, drawn ones in eager",
    "launches": "calls of the cell on one batch",
    "macs": "multiply-adds of the cell, readout not counted",
    "wrong": "sequences whose output differs by more than 1e-9, of those checked",
    "result": "whether every checked output equals the per-sequence run",
    "error": "largest absolute difference of an output",
    "checked": "sequences run and compared",
    "seconds": "milliseconds: the median of the measured runs, and their quartiles; with compiling",
    "excess": "steps over the least for the same number of buckets",
    "pad": "what the sequences of the bucket are padded to",
    "n": "sequences in the bucket",
}


#: Columns that are a part of one, shown in percent.
SHARES = frozenset({"waste", "saved", "extra", "excess"})


@dataclass(frozen=True)
class Cell:
    """Text with a style: "", good, bad, muted or strong."""

    text: str
    style: str = ""


@dataclass(frozen=True)
class Heading:
    """A column: ``key`` for lookups, ``title`` to show, ``align`` left or right."""

    key: str
    title: str
    align: str = "right"


@dataclass(frozen=True)
class Table:
    """Headings and rows of cells, each row under the key it is chosen by."""

    headings: tuple[Heading, ...]
    rows: tuple[tuple[str, tuple[Cell, ...]], ...]


@dataclass(frozen=True)
class Signs:
    """The characters of a drawing; :data:`ASCII` has none that a terminal may draw wide."""

    good: str = "✓"
    bad: str = "✗"
    unknown: str = "–"
    waiting: str = "…"
    minus: str = "−"
    left: str = "←"
    right: str = "→"
    between: str = "–"


UNICODE = Signs()
ASCII = Signs("+", "x", "-", "...", "-", "<-", "->", "-")


def percent(value: float | None, signs: Signs = UNICODE) -> str:
    """Return a share with one decimal, ``–`` where there is none."""
    return signs.unknown if value is None else f"{100 * value:.1f}%"


def signed(change: int, signs: Signs = UNICODE) -> str:
    """Return a change with its sign: ``+7``, ``−11`` or ``0``."""
    if change == 0:
        return "0"
    return f"+{change}" if change > 0 else f"{signs.minus}{-change}"


def length_text(length: int, rate: Fraction | None) -> str:
    """Return a length, with its seconds where a step is a frame: ``1280 (12.80 s)``."""
    return str(length) if rate is None else f"{length} ({seconds_text(length, rate)})"


def seconds_text(length: int, rate: Fraction) -> str:
    """Return frames as seconds to two decimals, more where two would round: ``12.80 s``."""
    exact = Fraction(length) / rate
    for decimals in (2, 3, 4):
        if (exact * 10**decimals).denominator == 1:
            return f"{float(exact):.{decimals}f} s"
    return f"{float(exact):.4f} s"


def result_cell(check: Check | None, signs: Signs = UNICODE, note: str = "") -> Cell:
    """Return the verdict as a sign and a word."""
    if check is None:
        return Cell(signs.waiting, "muted")
    return verdict_cell(check.correct, signs, note)


def verdict_cell(correct: bool | None, signs: Signs = UNICODE, note: str = "") -> Cell:
    """Return OK, WRONG or not run, with its sign."""
    if correct is None:
        return Cell(f"{signs.unknown} not run", "muted")
    if correct:
        return Cell(f"{signs.good} OK{note}", "good")
    return Cell(f"{signs.bad} WRONG{note}", "bad")


def hidden(
    table: Table,
    name: str,
    prediction: Prediction,
    signs: Signs = UNICODE,
    cursor: tuple[str, str] | None = None,
) -> Table:
    """Return a table with ``?`` for what is still to be predicted, and scores at what was.

    The cell at ``cursor``, a row and a column, stands in brackets.
    """
    marks = {"exact": signs.good, "close": "~", "off": signs.bad}

    def bracketed(row: str, heading: Heading, cell: Cell) -> Cell:
        found = shown(row, heading, cell)
        return Cell(f"[{found.text}]", "strong") if (row, heading.key) == cursor else found

    def shown(row: str, heading: Heading, cell: Cell) -> Cell:
        if prediction.hides(name, row, heading.key):
            return Cell("?", "muted")
        score = prediction.guesses.get((name, row, heading.key))
        if score is None:
            return cell
        return Cell(f"{marks[score]}{cell.text}", "good" if score == "exact" else cell.style)

    return Table(
        table.headings,
        tuple(
            (
                row,
                tuple(
                    bracketed(row, heading, cell)
                    for heading, cell in zip(table.headings, cells, strict=True)
                ),
            )
            for row, cells in table.rows
        ),
    )


def compare_table(sides: list[Side], signs: Signs = UNICODE) -> Table:
    """Return settings side by side: totals first, then each bucket."""
    headings = (Heading("what", "", "left"), *(Heading(side.name, side.name) for side in sides))
    facts: list[tuple[str, list[str]]] = [
        ("K", [str(len(side.table.boundaries)) for side in sides]),
        ("steps", [_against(side.table.steps, sides[0].table.steps, signs) for side in sides]),
        ("waste", [percent(side.table.waste, signs) for side in sides]),
        ("graphs", [str(side.graphs) for side in sides]),
        ("optimum", [str(side.least) for side in sides]),
    ]
    for index in range(max(len(side.table.buckets) for side in sides)):
        facts.append((f"{index + 1}", [_bucket_text(side.table, index, signs) for side in sides]))
    return Table(
        headings,
        tuple((name, (Cell(name, "strong"), *(Cell(text) for text in texts)))
              for name, texts in facts),
    )  # fmt: skip


def _against(steps: int, base: int, signs: Signs) -> str:
    return str(steps) if steps == base else f"{steps} ({signed(steps - base, signs)})"


def _bucket_text(table: BucketTable, index: int, signs: Signs) -> str:
    if index >= len(table.buckets):
        return ""
    bucket = table.buckets[index]
    return f"{bucket.low}{signs.between}{bucket.high}: {bucket.steps}"


STRATEGY_HEADINGS = (
    Heading("strategy", "strategy", "left"),
    Heading("steps", "steps"),
    Heading("waste", "waste"),
    Heading("saved", "saved"),
    Heading("extra", "extra"),
    Heading("graphs", "graphs"),
    Heading("launches", "launches"),
    Heading("wrong", "wrong"),
    Heading("result", "result", "left"),
    Heading("error", "max error"),
    Heading("checked", "checked"),
    Heading("macs", "multiply-adds"),
    Heading("seconds", "ms"),
)


def strategy_table(rows: list[StrategyRow], mode: str, signs: Signs = UNICODE) -> Table:
    """Return the strategy table; ``*`` marks what a static graph cannot express."""

    def cells(row: StrategyRow) -> tuple[Cell, ...]:
        counts, found = row.counts, row.check
        starred = mode == "static" and not row.strategy.static
        return (
            Cell(counts.name, "strong"),
            Cell(str(counts.steps)),
            Cell(percent(counts.waste, signs)),
            Cell(percent(counts.saved, signs)),
            Cell(percent(counts.extra, signs)),
            Cell(str(row.graphs_made)),
            Cell(str(counts.launches)),
            _wrong(found, signs),
            result_cell(found, signs, "*" if starred else ""),
            _error(found, signs),
            Cell(signs.waiting if found is None else str(found.checked)),
            Cell(str(counts.macs)),
            Cell(_milliseconds(row.timing, signs)),
        )

    return Table(STRATEGY_HEADINGS, tuple((row.counts.name, cells(row)) for row in rows))


def _milliseconds(timing: Timing | None, signs: Signs) -> str:
    """Return the median, and in brackets the quartiles."""
    if timing is None:
        return signs.unknown
    low, high = 1000 * timing.low, 1000 * timing.high
    return f"{1000 * timing.seconds:.3g} ({low:.3g}{signs.between}{high:.3g})"


def _wrong(found: Check | None, signs: Signs) -> Cell:
    if found is None:
        return Cell(signs.waiting, "muted")
    if not found.checked:
        return Cell(signs.unknown, "muted")
    return Cell(f"{found.wrong}/{found.checked}", "bad" if found.wrong else "")


def _error(found: Check | None, signs: Signs) -> Cell:
    if found is None:
        return Cell(signs.waiting, "muted")
    if found.max_abs_error is None:
        return Cell(signs.unknown, "muted")
    return Cell(f"{found.max_abs_error:.3g}")


BUCKET_HEADINGS = (
    Heading("bucket", "bucket", "left"),
    Heading("n", "n"),
    Heading("pad", "pad"),
    Heading("steps", "steps"),
    Heading("waste", "waste"),
    Heading("result", "result", "left"),
)


def bucket_rows_table(
    table: BucketTable,
    check: Check | None,
    rate: Fraction | None = None,
    signs: Signs = UNICODE,
) -> Table:
    """Return one row for each bucket and one for all together."""
    verdicts = verdicts_of(table, check)
    rows = []
    for number, (bucket, correct) in enumerate(zip(table.buckets, verdicts, strict=True), 1):
        verdict = Cell(signs.waiting, "muted") if check is None else verdict_cell(correct, signs)
        if not bucket.count:
            verdict = Cell(f"{signs.unknown} empty", "muted")
        high = length_text(bucket.high, rate)
        rows.append(
            (
                str(number),
                (
                    Cell(f"{bucket.low}{signs.between}{high}", "strong"),
                    Cell(str(bucket.count)),
                    Cell(signs.unknown if bucket.pad_to is None else str(bucket.pad_to)),
                    Cell(str(bucket.steps)),
                    Cell(percent(bucket.waste, signs)),
                    verdict,
                ),
            )
        )
    total = (
        Cell("all", "strong"),
        Cell(str(sum(bucket.count for bucket in table.buckets))),
        Cell(""),
        Cell(str(table.steps), "strong"),
        Cell(percent(table.waste, signs)),
        result_cell(check, signs),
    )
    return Table(BUCKET_HEADINGS, (*rows, ("all", total)))


METHOD_HEADINGS = (
    Heading("method", "method", "left"),
    Heading("k", "K"),
    Heading("steps", "steps"),
    Heading("waste", "waste"),
    Heading("excess", "over optimum"),
)


def without(table: Table, key: str) -> Table:
    """Return a table without one of its columns."""
    kept = [index for index, heading in enumerate(table.headings) if heading.key != key]
    return Table(
        tuple(table.headings[index] for index in kept),
        tuple((name, tuple(cells[index] for index in kept)) for name, cells in table.rows),
    )


def method_table(rows: list[MethodRow], signs: Signs = UNICODE) -> Table:
    """Return what each method makes of the present number of buckets."""
    return Table(
        METHOD_HEADINGS,
        tuple(
            (
                row.name,
                (
                    Cell(row.name, "strong"),
                    Cell(str(len(row.boundaries))),
                    Cell(str(row.steps)),
                    Cell(percent(row.waste, signs)),
                    Cell(signs.unknown if row.excess is None else f"+{100 * row.excess:.1f}%"),
                ),
            )
            for row in rows
        ),
    )


def neighbours_text(
    bucket: int, found: list[Neighbour], signs: Signs = UNICODE, *, brief: bool = False
) -> str:
    """Return ``1: ← 4 1259 (−11)  → 6 1277 (+7)``, what the two arrow keys would cost.

    ``brief`` leaves the steps out and keeps their change.
    """
    parts = []
    for neighbour in found:
        arrow = signs.left if neighbour.direction < 0 else signs.right
        if neighbour.length is None:
            parts.append(f"{arrow} {signs.unknown}")
            continue
        change = signed(neighbour.change, signs)
        steps = "" if brief else f" {neighbour.steps}"
        parts.append(f"{arrow} {neighbour.length}{steps} ({change})")
    return f"{bucket}: {'  '.join(parts)}"


def distance_text(best: Distance | None, signs: Signs = UNICODE, *, brief: bool = False) -> str:
    """Return ``K=4: 1256 (−14)``, the optimum for the same number of buckets, or without K.

    ``–`` where there are too many buckets to search.
    """
    if best is None:
        return signs.unknown
    count = "" if brief else f"K={best.k}: "
    return f"{count}{best.steps} ({signed(best.change, signs)})"
