"""The widget of a small table: it draws a layout line by line and repaints what differs."""

from __future__ import annotations

from typing import ClassVar, Self

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.content import Content
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from .table_layout import Layout, TableModel, lay_out, plain_text


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
