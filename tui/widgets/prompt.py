"""One line to type into, in the place of the line of keys; it says what it asks for."""

from __future__ import annotations

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input, Static


class Prompt(Horizontal):
    """A label and an input. Hidden until :meth:`ask`; Enter submits, Escape gives up."""

    DEFAULT_CSS = """
    Prompt { height: 1; display: none; }
    Prompt.-asking { display: block; }
    Prompt Static { width: auto; padding: 0 1; color: $text-accent; }
    Prompt Input { width: 1fr; }
    """

    class Submitted(Message):
        """The line was entered; ``purpose`` is what :meth:`ask` was told."""

        def __init__(self, purpose: str, text: str) -> None:
            super().__init__()
            self.purpose = purpose
            self.text = text

    class Closed(Message):
        """The prompt went away; whatever had the focus should have it again."""

    def __init__(self) -> None:
        super().__init__(id="prompt")
        self.purpose = ""

    def compose(self) -> ComposeResult:
        """Lay the label before the input."""
        yield Static(id="prompt-label", markup=False)
        yield Input(compact=True, select_on_focus=False)

    @property
    def asking(self) -> bool:
        """Whether something is being typed."""
        return bool(self.purpose)

    def ask(self, purpose: str, label: str, text: str = "", *, select: bool = True) -> None:
        """Open the line with ``text`` in it; with ``select`` typing replaces it."""
        self.purpose = purpose
        self.query_one("#prompt-label", Static).update(label)
        field = self.query_one(Input)
        field.cursor_blink = False
        field.value = text
        field.cursor_position = len(text)
        self.add_class("-asking")
        field.focus()
        if select:
            field.select_all()

    def close(self) -> None:
        """Hide the line."""
        if self.asking:
            self.purpose = ""
            self.remove_class("-asking")
            self.post_message(self.Closed())

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Pass the line on; the screen closes the prompt when it can use it."""
        event.stop()
        self.post_message(self.Submitted(self.purpose, event.value))

    def on_key(self, event: events.Key) -> None:
        """Give up on Escape."""
        if event.key == "escape" and self.asking:
            event.stop()
            self.close()
