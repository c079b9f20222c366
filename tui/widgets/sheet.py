"""A sheet: lines of styled pieces that a pure function lays out for the present size.

Only lines that differ from the ones before are painted again. Text is never read as markup.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

#: Text and the name of its style.
Piece = tuple[str, str]
Row = Sequence[Piece]

#: Makes the lines for a width and a height.
LayOut = Callable[[int, int], Sequence[Row]]

STYLES = ("text", "muted", "strong", "good", "bad", "warn", "accent", "value", "chosen", "fresh")


class Sheet(Widget):
    """Draws what a function lays out."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {f"sheet--{name}" for name in STYLES}
    DEFAULT_CSS = """
    Sheet {
        height: 1fr;

        & > .sheet--text { color: $foreground; }
        & > .sheet--muted { color: $text-muted; }
        & > .sheet--strong { color: $foreground; text-style: bold; }
        & > .sheet--good { color: $text-success; }
        & > .sheet--bad { color: $text-error; text-style: bold; }
        & > .sheet--warn { color: $text-warning; text-style: bold; }
        & > .sheet--accent { color: $text-accent; text-style: bold; }
        & > .sheet--value { color: $text-primary; }
        & > .sheet--chosen { color: $foreground; background: $accent 35%; text-style: bold; }
        & > .sheet--fresh { color: $foreground; text-style: bold; }
    }
    """

    class Clicked(Message):
        """A line was clicked."""

        def __init__(self, sheet: Sheet, x: int, y: int) -> None:
            super().__init__()
            self.sheet = sheet
            self.x = x
            self.y = y

        @property
        def control(self) -> Sheet:
            """The sheet that was clicked."""
            return self.sheet

    class Wheeled(Message):
        """The wheel was turned: -1 up, 1 down."""

        def __init__(self, sheet: Sheet, direction: int) -> None:
            super().__init__()
            self.sheet = sheet
            self.direction = direction

    def __init__(self, id: str) -> None:
        super().__init__(id=id)
        self._lay_out: LayOut = lambda width, height: []
        self._rows: list[Row] = []
        self._for: tuple[int, int] = (0, 0)

    def draw(self, lay_out: LayOut) -> None:
        """Show what ``lay_out`` makes; it is asked again when the size changes."""
        self._lay_out = lay_out
        before = self._rows
        size = (self.size.width, self.size.height)
        after = list(lay_out(*size))
        if self._for != size:
            self._rows, self._for = after, size
            self.refresh()
            return
        self._rows = after
        changed = [
            y
            for y in range(max(len(before), len(after)))
            if (before[y] if y < len(before) else ()) != (after[y] if y < len(after) else ())
        ]
        if len(changed) > size[1] // 2:
            self.refresh()
        elif changed:
            self.refresh(*(Region(0, y, size[0], 1) for y in changed if y < size[1]))

    @property
    def lines(self) -> list[str]:
        """The text of the lines."""
        return ["".join(text for text, _ in row) for row in self._rows]

    def render_line(self, y: int) -> Strip:
        """Draw one line."""
        size = (self.size.width, self.size.height)
        if self._for != size:
            self._rows, self._for = list(self._lay_out(*size)), size
        row = self._rows[y] if y < len(self._rows) else ()
        style = self.get_component_rich_style
        segments = [Segment(text, style(f"sheet--{name}")) for text, name in row]
        return Strip(segments).adjust_cell_length(size[0], style("sheet--text"))

    def on_click(self, event: events.Click) -> None:
        """Tell which line was clicked."""
        self.post_message(self.Clicked(self, event.x, event.y))

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Tell that the wheel was turned up."""
        event.stop()
        self.post_message(self.Wheeled(self, -1))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Tell that the wheel was turned down."""
        event.stop()
        self.post_message(self.Wheeled(self, 1))
