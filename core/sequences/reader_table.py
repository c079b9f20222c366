"""Readers of tables: CSV and TSV with a header, and ``length,count`` histograms.

CSV is cut by the csv module, strictly: a quote that is never closed is an error, not the rest
of the file. TSV has no quoting rules of its own; a cell wrapped in quotes is unwrapped.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction

from ..errors import DataError
from ..foreign import foreign
from ..wording import say
from .dataset import DataOptions
from .detect import is_comment
from .fields import NUMERIC, choose_field, frame_rate, holds_seconds, unit_of
from .reading import Reading
from .streams import ByteStream, line_blocks
from .tally import Tally
from .units import Unit, unit_in_words
from .values import BadRow, decoded, frames, looks_like_number, measure, shown, whole

_LONGEST_CELL = 2**31 - 1

#: Counts of a histogram may have this many digits; they are exact.
_COUNT_DIGITS = 1000

_REMARK = re.compile(r"\s*#\s*(unit|frame-rate)\s*:\s*(.*?)\s*\Z")


class _Lines:
    """Lines of a table for the csv module, without blank lines and comments between rows.

    ``fresh`` is set by the caller where a row begins: inside a quoted cell a line that looks
    like a comment is data. ``start`` is the line where the present row began.
    """

    def __init__(self, stream: ByteStream) -> None:
        self.comments: list[str] = []
        self.fresh = True
        self.line = 0
        self.start = 1
        self._raw = (raw for block in line_blocks(stream) for raw in block[:-1].split(b"\n"))

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        for raw in self._raw:
            self.line += 1
            if self.fresh:
                self.start = self.line
            text = decoded(raw)
            if self.fresh and is_comment(text):
                self.comments.append(text)
                continue
            self.fresh = False
            return text + "\n"
        raise StopIteration


@contextmanager
def _any_cell_size() -> Iterator[None]:
    before = csv.field_size_limit(_LONGEST_CELL)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _rows(lines: _Lines, kind: str) -> Iterator[tuple[int, list[str] | BadRow]]:
    """Yield the line where each row begins, and its cells or what is wrong with it."""
    cut = (
        csv.reader(lines, strict=True)
        if kind == "csv"
        else csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
    )
    while True:
        lines.fresh = True
        try:
            row = next(cut)
        except StopIteration:
            return
        except BadRow as problem:
            yield lines.start, problem
        except csv.Error as error:
            closed = "unexpected end" not in str(error)
            what = say("a quoted cell is never closed")
            if closed:
                reason = foreign(str(error))
                what = say("broken {kind}: {reason}", kind=kind.upper(), reason=reason)
            yield lines.start, BadRow(what)
        else:
            yield lines.start, row if kind == "csv" else [_unwrapped(cell) for cell in row]


def _unwrapped(cell: str) -> str:
    if len(cell) >= 2 and cell[0] == cell[-1] == '"':
        return cell[1:-1].replace('""', '"')
    return cell


def read_csv(stream: ByteStream, tally: Tally, options: DataOptions) -> Reading:
    """Read one column of a comma-separated table with a header."""
    return _read_table(stream, tally, options, "csv")


def read_tsv(stream: ByteStream, tally: Tally, options: DataOptions) -> Reading:
    """Read one column of a tab-separated table with a header."""
    return _read_table(stream, tally, options, "tsv")


def _read_table(stream: ByteStream, tally: Tally, options: DataOptions, kind: str) -> Reading:
    lines = _Lines(stream)
    with _any_cell_size():
        rows = _rows(lines, kind)
        line, header = next(rows, (1, BadRow(say("has no header"))))
        if isinstance(header, BadRow):
            raise DataError(header.what, where=f"{tally.name}:{line}", hint=header.hint)
        names = [cell.strip() for cell in header]
        column = _Column(choose_field(names, options.field, tally.name), names, options)
        for line, row in rows:
            try:
                if isinstance(row, BadRow):
                    raise row
                column.add(row, line, tally)
            except BadRow as problem:
                tally.bad(problem, line)
        column.settle(False, tally)
    if not column.rows:
        raise DataError(say("has a header but no rows"), where=tally.name)
    shape = "number" if column.numeric else "text"
    unit = unit_of(column.field, shape, options)
    assumed = column.seconds and options.frame_rate is None
    return Reading(kind.upper(), column.field, unit, assumed)


class _Column:
    """The measured column; numbers or words is settled by its first cell that is not empty."""

    def __init__(self, field: str, names: list[str], options: DataOptions) -> None:
        self.field = field
        self.seconds = holds_seconds(field, options)
        self.numeric: bool | None = True if self.seconds or field in NUMERIC else None
        self.rows = 0
        self._index = names.index(field)
        self._width = len(names)
        self._rate = frame_rate(options)
        self._unit = options.unit or "words"
        self._empty: list[int] = []  # lines of empty cells before the first other one

    def add(self, row: list[str], line: int, tally: Tally) -> None:
        """Measure the row's cell and add it to the tally. Raises BadRow."""
        self.rows += 1
        if any(row[self._width :]):
            raise BadRow(
                say("{cells} cells under a header of {width}", cells=len(row), width=self._width)
            )
        if len(row) <= self._index:
            raise BadRow(
                say(
                    "no cell for field {field}: the row has {cells}",
                    field=shown(self.field),
                    cells=len(row),
                )
            )
        cell = row[self._index]
        if self.numeric is None:
            if not cell.strip():
                self._empty.append(line)
                return
            self.settle(looks_like_number(cell), tally)
        if not self.numeric:
            tally.add(measure(cell, self._unit), line)
        else:
            tally.add(frames(cell, self._rate) if self.seconds else whole(cell), line)

    def settle(self, numeric: bool, tally: Tally) -> None:
        """Decide what the column holds, if that is open, and so what its empty cells are."""
        if self.numeric is not None:
            return
        self.numeric = numeric
        for line in self._empty:
            if numeric:
                tally.bad(BadRow(say("empty where a number is expected")), line)
            else:
                tally.add(0, line)


def read_histogram(stream: ByteStream, tally: Tally, options: DataOptions) -> Reading:
    """Read lines of ``length,count`` (comma or tab); each stands for ``count`` sequences.

    A remark ``# unit: words`` or ``# unit: 10 ms frames`` states the unit.
    """
    lines = _Lines(stream)
    header_seen = False
    while True:
        lines.fresh = True
        try:
            text = next(lines, None)
            if text is None:
                break
            cells = [cell.strip() for cell in re.split("[,\t]", text)]
            if not header_seen:
                header_seen = True
                if cells == ["length", "count"]:
                    continue
                if not looks_like_number(cells[0]):
                    raise DataError(
                        say("the header is {text}, not length,count", text=shown(text.strip())),
                        where=f"{tally.name}:{lines.start}",
                    )
            if len(cells) != 2:
                raise BadRow(say("{cells} cells where length,count is expected", cells=len(cells)))
            tally.add_group(whole(cells[0]), _count(cells[1]), lines.start)
        except BadRow as problem:
            tally.bad(problem, lines.start)
    return Reading("length,count histogram", unit=_stated_unit(lines.comments))


def _count(text: str) -> int:
    """Return a number of sequences, exact at any size. Raises BadRow."""
    if text.isascii() and text.isdigit() and len(text) <= _COUNT_DIGITS:
        return int(text)
    if len(text) > _COUNT_DIGITS:
        raise BadRow(say("the count {text} is too long", text=shown(text)))
    try:
        return whole(text)
    except BadRow as problem:
        raise BadRow(say("the count is wrong: {what}", what=problem.what)) from None


def _stated_unit(comments: list[str]) -> Unit | None:
    remarks = {match[1]: match[2] for text in comments if (match := _REMARK.match(text))}
    unit = unit_in_words(remarks.get("unit", ""))
    rate = remarks.get("frame-rate", "")
    if (
        unit is not None
        and unit.name == "frames"
        and re.fullmatch(r"[0-9]{1,12}(/[1-9][0-9]*)?", rate)
    ):
        return Unit(unit.name, Fraction(rate))
    return unit
