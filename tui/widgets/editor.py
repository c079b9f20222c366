"""A text area for programs: Python highlighting, its own keys, Escape hands the text over."""

from __future__ import annotations

from textual import events
from textual.message import Message
from textual.widgets import TextArea

from ..colours import PROGRAM_ON_LIGHT, is_light


class Editor(TextArea):
    """Edits a program in place; undo, copy and all other keys of the text area are its own."""

    DEFAULT_CSS = """
    Editor .text-area--gutter { color: $text-muted; }
    Editor .text-area--cursor-gutter { color: $text; }
    """

    class Finished(Message):
        """Escape was pressed; the text is what is to be run."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self, text: str) -> None:
        super().__init__(
            text, language="python", soft_wrap=False, show_line_numbers=True,
            tab_behavior="indent", id="editor",
        )  # fmt: skip
        self.cursor_blink = False
        self.register_theme(PROGRAM_ON_LIGHT)

    def on_mount(self) -> None:
        """Follow the theme of the app."""
        self.watch(self.app, "theme", self._follow_theme)

    def _follow_theme(self) -> None:
        self.theme = PROGRAM_ON_LIGHT.name if is_light(self.app.current_theme) else "css"

    def on_key(self, event: events.Key) -> None:
        """Hand the text over on Escape, which would only move the focus."""
        if event.key == "escape":
            event.stop()
            event.prevent_default()
            self.post_message(self.Finished(self.text))
