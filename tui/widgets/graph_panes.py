"""The panes of the Graph screen: a titled box with one sheet in it."""

from __future__ import annotations

from textual.app import ComposeResult

from .pane import Pane
from .sheet import LayOut, Sheet


class SheetPane(Pane):
    """A pane that draws what a function lays out."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.sheet = Sheet(f"{key}-sheet")

    def compose(self) -> ComposeResult:
        """Put the sheet into the box."""
        yield self.sheet

    def show(self, title: str, lay_out: LayOut) -> None:
        """Draw the pane."""
        self.title(title)
        self.sheet.draw(lay_out)
