"""A text area for programs: Python highlighting, its own keys, Escape hands the text over."""

from __future__ import annotations

from textual import events
from textual.message import Message
from textual.widgets import TextArea


class Editor(TextArea):
    """Edits a program in place; undo, copy and all other keys of the text area are its own."""

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

    def on_key(self, event: events.Key) -> None:
        """Hand the text over on Escape, which would only move the focus."""
        if event.key == "escape":
            event.stop()
            event.prevent_default()
            self.post_message(self.Finished(self.text))
