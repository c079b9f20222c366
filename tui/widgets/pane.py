"""A pane: a titled box that can take the focus and be zoomed.

The title carries a sign in front when the pane has the focus, so that focus shows without colour.
"""

from __future__ import annotations

from rich.cells import cell_len, set_cell_size
from textual import events
from textual.containers import Vertical


class Pane(Vertical):
    """A box with its title in the top border; ``key`` is its name in ``layout.py``."""

    DEFAULT_CSS = """
    Pane {
        border-top: solid $secondary;
        border-title-color: $foreground;
        height: 1fr;
        padding: 0;

        &:focus { border-top: heavy $accent; border-title-style: bold; }
        &.-ascii { border-top: ascii $secondary; }
        &.-ascii:focus { border-top: ascii $accent; }
    }
    """

    can_focus = True

    def __init__(self, key: str) -> None:
        super().__init__(id=key)
        self.key = key
        self._title = ""

    def title(self, text: str) -> None:
        """Set the title; brackets in it are text, not markup."""
        if text != self._title:
            self._title = text
            self._show_title(focused=self.has_focus)

    def on_focus(self, event: events.Focus) -> None:
        """Mark the title."""
        self._show_title(focused=True)

    def on_blur(self, event: events.Blur) -> None:
        """Unmark the title."""
        self._show_title(focused=False)

    def on_resize(self, event: events.Resize) -> None:
        """Cut the title to the new width."""
        self._show_title(focused=self.has_focus)

    def _show_title(self, *, focused: bool) -> None:
        text, room = f"> {self._title}" if focused else self._title, self.outer_size.width - 2
        if cell_len(text) > room > 0:  # Textual would cut it with a sign that is not ASCII
            text = set_cell_size(text, room - 1) + ("~" if self.has_class("-ascii") else "…")
        self.border_title = text.replace("[", r"\[")
