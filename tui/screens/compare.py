"""Settings side by side: A, the present one, and the same boundaries on other data."""

from __future__ import annotations

from textual import events
from textual.widget import Widget

from dgplay.core import tables

from ..footer import SCROLL
from ..widgets.lab_panes import Look, model_of
from ..widgets.line_table import LineTable
from .modal import Box


class CompareScreen(Box):
    """A table over the Lab; the arrows scroll it."""

    KEYS = SCROLL

    def __init__(self, look: Look, table: tables.Table) -> None:
        super().__init__(look.tr("Compare"), ascii=look.ascii)
        self.look = look
        self.table = table

    def content(self) -> list[Widget]:
        """Return the table."""
        return [LineTable(model_of(self.table, self.look, None, gap=3))]

    def on_key(self, event: events.Key) -> None:
        """Scroll."""
        if event.key in ("down", "up", "j", "k"):
            event.stop()
            self.query_one(LineTable).scroll_rows(1 if event.key in ("down", "j") else -1)
