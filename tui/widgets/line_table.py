"""A small table drawn line by line: exact cells, a cursor, pages of columns, plain text out.

``lay_out`` is a pure function from a ``TableModel``, a size and two scroll positions to lines of
styled pieces; the widget keeps the last layout and repaints only the lines that differ. Widths
are terminal cells, so Chinese text lines up, and text is never read as markup.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import ClassVar, Self
from unicodedata import category

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.content import Content
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

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
                lost = text.strip() and left > 0
                text = set_cell_size(text, left - 1) + self.ellipsis if lost else " " * left
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


class LineTable(Widget):
    """A table of few rows that redraws within a key's frame."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "line-table--text",
        "line-table--title",
        "line-table--header",
        "line-table--cursor",
        "line-table--footer",
        "line-table--good",
        "line-table--bad",
        "line-table--muted",
        "line-table--stale",
        "line-table--strong",
    }
    DEFAULT_CSS = """
    LineTable {
        height: auto;

        & > .line-table--title { color: $text-muted; }
        & > .line-table--header { color: $text-primary; text-style: bold; }
        & > .line-table--cursor { background: $boost; text-style: bold; }
        & > .line-table--footer { color: $text-accent; }
        & > .line-table--good { color: $text-success; }
        & > .line-table--bad { color: $text-error; text-style: bold; }
        & > .line-table--muted { color: $text-muted; }
        & > .line-table--stale { color: $text-muted; text-style: italic; }
        & > .line-table--strong { text-style: bold; }
    }
    """

    #: Compared by identity; a new model with equal lines repaints nothing.
    model: reactive[TableModel | None] = reactive(None, init=False, repaint=False)

    class RowChosen(Message):
        """A row was clicked."""

        def __init__(self, table: LineTable, key: str) -> None:
            super().__init__()
            self.table = table
            self.key = key

        @property
        def control(self) -> LineTable:
            """The table that was clicked."""
            return self.table

    def __init__(
        self,
        model: TableModel | None = None,
        *,
        name: str | None = None,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._layout_now: Layout | None = None
        self._strips: dict[int, Strip] = {}
        self._offset = 0
        self._top = 0
        self.set_reactive(LineTable.model, model)

    def as_text(self) -> str:
        """Return the whole table as plain text."""
        return plain_text(self.model) if self.model else ""

    def scroll_columns(self, pages: int) -> None:
        """Move the columns that are not pinned by so many places, right where positive."""
        self._offset = max(0, self._offset + pages)
        self._show()

    def scroll_rows(self, rows: int) -> bool:
        """Move the rows; return whether there was anywhere to go."""
        before = self._top
        self._top = max(0, self._top + rows)
        self._show()
        return self._top != before

    def watch_model(self, before: TableModel | None, model: TableModel | None) -> None:
        """Repaint the lines that the new model changes, and lay out again where it grew."""
        self._show()
        old, new = (shown.extent if shown else Size(0, 0) for shown in (before, model))
        styles = self.styles
        if (styles.is_auto_width and old.width != new.width) or (
            styles.is_auto_height and old.height != new.height
        ):
            self.refresh(layout=True)

    def _show(self) -> None:
        """Repaint the lines that differ from those on screen."""
        before = self._layout_now
        layout = self._current_layout(again=True)
        if before is None or layout is None or before.size != layout.size:
            self.refresh()
            return
        changed = [
            y
            for y, (old, new) in enumerate(zip(before.lines, layout.lines, strict=True))
            if old != new
        ]
        for y in changed:
            self._strips.pop(y, None)
        if changed:
            super().refresh(*(Region(0, y, layout.size.width, 1) for y in changed))

    def _current_layout(self, again: bool = False) -> Layout | None:
        """Return the layout of the present model, size and scroll position."""
        model, size, layout = self.model, self.size, self._layout_now
        if model is None:
            self._layout_now = None
        elif again or layout is None or layout.model is not model or layout.size != size:
            if layout is None or layout.size != size:
                self._strips.clear()
            self._layout_now = lay_out(model, size, self._offset, self._top)
            self._offset, self._top = self._layout_now.offset, self._layout_now.top
        return self._layout_now

    def refresh(
        self,
        *regions: Region,
        repaint: bool = True,
        layout: bool = False,
        recompose: bool = False,
    ) -> Self:
        """Repaint; without regions also read colours again, as a background may have changed."""
        if not regions:
            self._strips = {}
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)

    def notify_style_update(self) -> None:
        """Read colours again after the theme or a pseudo class changed."""
        self._strips = {}
        super().notify_style_update()

    def render_line(self, y: int) -> Strip:
        """Return one line of the table."""
        layout = self._current_layout()
        strip = self._strips.get(y)
        if strip is None:
            line = layout.lines[y] if layout and y < len(layout.lines) else ()
            segments = [Segment(piece.text, self._style_of(piece.styles)) for piece in line]
            strip = Strip(segments).adjust_cell_length(self.size.width, self._style_of(()))
            self._strips[y] = strip
        return strip

    def _style_of(self, names: tuple[str, ...]) -> Style:
        # Textual does not merge the background of one component with the colour of another, and
        # the background of the cursor row must run through under a coloured cell.
        first, *others = [name for name in names if name] or ["text"]
        style = self.get_component_rich_style(f"line-table--{first}")
        for name in others:
            over = self.get_component_rich_style(f"line-table--{name}")
            style += Style(color=over.color) + over.without_color
        return style

    def get_content_width(self, container: Size, viewport: Size) -> int:
        """Return the cells that all columns take side by side."""
        return self.model.extent.width if self.model else 0

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return the lines that all sections take."""
        return self.model.extent.height if self.model else 0

    def on_click(self, event: events.Click) -> None:
        """Tell which row was clicked."""
        layout, place = self._current_layout(), event.get_content_offset(self)
        if layout is None or place is None:
            return
        index = layout.rows[place.y]
        if index is not None:
            event.stop()
            self.post_message(self.RowChosen(self, layout.model.rows[index].key))

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Explain the column whose header the pointer is on."""
        layout, place = self._current_layout(), event.get_content_offset(self)
        over_header = layout is not None and place is not None and place.y == layout.header
        column = layout.column_at(place.x) if layout and place and over_header else None
        # Content and not str: a string would be read as markup.
        tooltip = Content(column.tooltip) if column and column.tooltip else None
        if tooltip != self.tooltip:
            self.tooltip = tooltip

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Show rows above; the wheel is left to others where there are none."""
        if self.scroll_rows(-1):
            event.stop()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Show rows below; the wheel is left to others where there are none."""
        if self.scroll_rows(1):
            event.stop()
