"""A small table laid out in lines: exact cells, a cursor, pages of columns, plain text out.

``lay_out`` is a pure function from a ``TableModel``, a size and two scroll positions to lines of
styled pieces. Widths are terminal cells, so Chinese text lines up, and text is never read as
markup.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from unicodedata import category

from rich.cells import cell_len, set_cell_size
from textual.geometry import Size

#: Cells before the first column, for the cursor and for "more rows".
MARKER = 2
#: What stands at the right of the header where columns are hidden: a blank and the sign.
HINT = 2


@dataclass(frozen=True)
class Column:
    """One column. ``width`` is the least number of cells, None for as wide as its content.

    With ``width``, text aligned left is cut with an ellipsis; a number, aligned right, widens the
    column instead, since a cut number would lie. Pinned columns come first and are never paged
    away. ``tooltip`` says how the numbers come about, shown when the pointer rests on the header.
    """

    key: str
    title: str
    width: int | None = None
    align: str = "left"
    tooltip: str = ""
    pinned: bool = False


@dataclass(frozen=True)
class Cell:
    """Text and its meaning: "", good, bad, muted, stale or strong."""

    text: str
    style_name: str = ""


@dataclass(frozen=True)
class Row:
    """One row: a cell for each column, in the order of the columns."""

    key: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, eq=False)
class TableModel:
    """What a :class:`LineTable` shows.

    ``titles`` stand above the header, one line each; ``footer`` rows (totals) below the rows,
    where the cursor does not go. ``cursor`` is the index of a row.
    """

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    cursor: int | None = None
    titles: tuple[Cell, ...] = ()
    footer: tuple[Row, ...] = ()
    gap: int = 2
    ascii: bool = False

    @cached_property
    def widths(self) -> tuple[int, ...]:
        """The cells that each column takes."""
        return tuple(self._width_of(index) for index in range(len(self.columns)))

    def _width_of(self, index: int) -> int:
        column = self.columns[index]
        if column.width is not None and column.align != "right":
            return column.width
        cells = (row.cells[index].text for row in (*self.rows, *self.footer))
        needed = max(cell_len(printable(text)) for text in (column.title, *cells))
        return max(column.width or 0, needed)

    @cached_property
    def extent(self) -> Size:
        """The width and height that show the whole table."""
        titles = (cell_len(printable(cell.text)) for cell in self.titles)
        columns = sum(self.widths) + self.gap * max(0, len(self.widths) - 1)
        height = len(self.titles) + 1 + len(self.rows) + len(self.footer)
        return Size(max(MARKER + columns, *titles, 0), height)


@dataclass(frozen=True)
class Piece:
    """Text in one style, named by the component classes that make it up."""

    text: str
    styles: tuple[str, ...]


#: A line is compared with the one before it to see whether it must be repainted.
Line = tuple[Piece, ...]


@dataclass(frozen=True)
class Placed:
    """A visible column: its index in the model, its first cell and its width."""

    index: int
    x: int
    width: int


@dataclass(frozen=True, eq=False)
class Layout:
    """A model laid out for one size; ``rows`` is the row of each line, None for other lines."""

    model: TableModel
    size: Size
    lines: tuple[Line, ...]
    rows: tuple[int | None, ...]
    header: int | None
    placed: tuple[Placed, ...]
    offset: int
    top: int

    def column_at(self, x: int) -> Column | None:
        """Return the visible column at cell ``x``."""
        for place in self.placed:
            if place.x <= x < place.x + place.width:
                return self.model.columns[place.index]
        return None


def lay_out(model: TableModel, size: Size, offset: int = 0, top: int = 0) -> Layout:
    """Lay a table out, ``offset`` columns paged to the right, ``top`` rows down.

    Both are corrected to the nearest value that leaves no empty room; the cursor stays visible.
    """
    titles, header, footer = _sections(model, size.height)
    room = max(0, size.height - titles - header - footer)
    top = _scrolled_to_cursor(model, room, top)
    placed, offset, more = _place_columns(model, size.width, offset)
    writer = _LineWriter(model, size.width, placed)
    lines: list[Line] = [writer.title(cell) for cell in model.titles[:titles]]
    if header:
        lines.append(writer.header(offset, more))
    rows: list[int | None] = [None] * len(lines)
    for index in range(top, min(top + room, len(model.rows))):
        above = index == top > 0
        below = index == top + room - 1 < len(model.rows) - 1
        lines.append(writer.row(index, above, below))
        rows.append(index)
    for row in model.footer[:footer]:
        lines.append(writer.footer(row))
        rows.append(None)
    while len(lines) < size.height:
        lines.append(writer.blank())
        rows.append(None)
    return Layout(
        model, size, tuple(lines), tuple(rows), titles if header else None, placed, offset, top
    )


def _sections(model: TableModel, height: int) -> tuple[int, int, int]:
    """Return how many title, header and footer lines fit beside at least one row.

    Where there is no room the titles go first, then the totals, then the header.
    """
    spare = max(0, height - min(1, len(model.rows)))
    header = min(1, spare)
    footer = min(len(model.footer), spare - header)
    titles = min(len(model.titles), spare - header - footer)
    return titles, header, footer


def _scrolled_to_cursor(model: TableModel, room: int, top: int) -> int:
    top = max(0, min(top, len(model.rows) - room))
    if model.cursor is not None and room:
        top = max(model.cursor - room + 1, min(top, model.cursor))
    return max(0, top)


def _place_columns(
    model: TableModel, width: int, offset: int
) -> tuple[tuple[Placed, ...], int, bool]:
    """Return the visible columns, the offset as corrected, and whether more are to the right."""
    widths = model.widths
    pinned = [index for index, column in enumerate(model.columns) if column.pinned]
    paged = [index for index, column in enumerate(model.columns) if not column.pinned]
    placed: list[Placed] = []
    x = MARKER
    for index in pinned:
        placed.append(Placed(index, x, widths[index]))
        x += widths[index] + model.gap
    needed = [widths[index] + model.gap for index in paged]
    last = next(
        (first for first in range(len(paged)) if x + sum(needed[first:]) - model.gap <= width),
        max(0, len(paged) - 1),
    )
    offset = max(0, min(offset, last))
    room = width if offset == last else width - HINT
    for index in paged[offset:]:
        first_of_page = index == paged[offset]
        if x + widths[index] > room and not first_of_page:
            break
        placed.append(Placed(index, x, widths[index]))
        x += widths[index] + model.gap
    visible = [place for place in placed if place.x < width]
    return tuple(visible), offset, offset < last


class _LineWriter:
    """Writes the lines of one layout, each exactly ``width`` cells."""

    def __init__(self, model: TableModel, width: int, placed: tuple[Placed, ...]) -> None:
        self.model = model
        self.width = width
        self.placed = placed
        self.ellipsis = "~" if model.ascii else "…"

    def title(self, cell: Cell) -> Line:
        """Return a line above the header."""
        return self._line([(printable(cell.text), ("title", cell.style_name))], ("title",))

    def header(self, offset: int, more: bool) -> Line:
        """Return the header, with signs where columns are hidden on either side."""
        before, after = ("<", ">") if self.model.ascii else ("‹", "›")
        pieces = []
        x = 0
        for place in self.placed:
            column = self.model.columns[place.index]
            gap = " " * (place.x - x)
            if offset and not column.pinned and x < place.x:
                gap, offset = before.rjust(place.x - x), 0
            pieces.append((gap, ("header",)))
            pieces.append((self._fit(column.title, place.width, column.align), ("header",)))
            x = place.x + place.width
        line = self._line(pieces, ("header",))
        if not more or self.width < HINT:
            return line
        text = set_cell_size("".join(piece.text for piece in line), self.width - HINT)
        return (Piece(f"{text} {after}", ("header",)),)

    def row(self, index: int, above: bool, below: bool) -> Line:
        """Return a row; ``above`` and ``below`` say that there are hidden rows beyond it."""
        row = self.model.rows[index]
        if index == self.model.cursor:
            marker = ">" if self.model.ascii else "›"
            return self._cells(row, marker, ("cursor",))
        up, down = ("^", "v") if self.model.ascii else ("↑", "↓")
        return self._cells(row, up if above else down if below else " ", ())

    def footer(self, row: Row) -> Line:
        """Return a row of totals."""
        return self._cells(row, " ", ("footer",))

    def blank(self) -> Line:
        """Return an empty line."""
        return self._line([], ())

    def _cells(self, row: Row, marker: str, base: tuple[str, ...]) -> Line:
        pieces = [(marker, base)]
        x = 1
        for place in self.placed:
            cell, column = row.cells[place.index], self.model.columns[place.index]
            styles = (*base, cell.style_name) if cell.style_name else base
            pieces.append((" " * (place.x - x), base))
            pieces.append((self._fit(cell.text, place.width, column.align), styles))
            x = place.x + place.width
        return self._line(pieces, base)

    def _fit(self, text: str, width: int, align: str) -> str:
        """Return ``text`` in exactly ``width`` cells; what is cut off leaves an ellipsis."""
        text = printable(text)
        missing = width - cell_len(text)
        if missing < 0:
            return set_cell_size(text, width - 1) + self.ellipsis if width > 0 else ""
        return " " * missing + text if align == "right" else text + " " * missing

    def _line(self, pieces: Iterable[tuple[str, tuple[str, ...]]], base: tuple[str, ...]) -> Line:
        """Join neighbours of one style and cut or fill the line to its width."""
        line: list[Piece] = []
        left = self.width
        for text, styles in (*pieces, (" " * self.width, base)):
            taken = cell_len(text)
            if taken > left:
                # A line that does not fit says so too, unless only blanks are lost.
                lost = cell_len(text.rstrip()) > left > 0
                text = set_cell_size(text, left - 1) + self.ellipsis if lost else text
                text = set_cell_size(text, max(0, left))
                taken = left
            left -= taken
            if line and line[-1].styles == styles:
                line[-1] = Piece(line[-1].text + text, styles)
            elif text:
                line.append(Piece(text, styles))
        return tuple(line)


@lru_cache(maxsize=4096)
def printable(text: str) -> str:
    """Return ``text`` with blanks for odd spaces and ``?`` for what would break a line."""
    if text.isprintable():
        return text
    return "".join(
        one if one.isprintable() else " " * cell_len(one) if category(one) == "Zs" else "?"
        for one in text
    )


def plain_text(model: TableModel) -> str:
    """Return the whole table, hidden rows and columns included, for copying."""
    widths = model.widths
    writer = _LineWriter(model, sum(widths) + model.gap * len(widths), ())
    lines = [printable(cell.text) for cell in model.titles]
    headings = Row("", tuple(Cell(column.title) for column in model.columns))
    for row in (headings, *model.rows, *model.footer):
        fitted = (
            writer._fit(cell.text, width, column.align)
            for cell, width, column in zip(row.cells, widths, model.columns, strict=True)
        )
        lines.append((" " * model.gap).join(fitted))
    return "\n".join(line.rstrip() for line in lines)
