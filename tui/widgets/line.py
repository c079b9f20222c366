"""A line of the screen: plain text at the left, plain text at the right, never markup."""

from __future__ import annotations

from rich.cells import cell_len
from rich.segment import Segment
from textual.strip import Strip
from textual.widget import Widget

from .prose import cut


class Line(Widget):
    """One row that is repainted only when its text changes.

    It may be told in several ways; the first that fits is shown. Nothing is cut without a sign.
    """

    DEFAULT_CSS = """
    Line { height: 1; width: 1fr; }
    """

    def __init__(self, id: str) -> None:
        super().__init__(id=id)
        self._ways: tuple[tuple[str, str], ...] = (("", ""),)

    @property
    def text(self) -> str:
        """What the line says, as wide as it is."""
        room = self.size.width
        for left, right in self._ways:
            words = f" {left}"
            gap = room - cell_len(words) - (cell_len(right) + 1 if right else 0)
            if gap >= bool(left and right):
                return f"{words}{' ' * gap}{right} " if right else words + " " * gap
        return self._cut(f" {left or right}", room)

    def _cut(self, text: str, room: int) -> str:
        """Return as much as fits, and a sign that there is more."""
        return cut(text, room, "~" if self.has_class("-ascii") else "…")

    def show(self, left: str, right: str = "", *shorter: tuple[str, str]) -> None:
        """Put text on the line; ``shorter`` are other ways to say it, where it does not fit."""
        ways = ((left, right), *shorter)
        if ways != self._ways:
            self._ways = ways
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """Draw the line."""
        return Strip([Segment(self.text, self.rich_style)], self.size.width)
