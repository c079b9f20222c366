"""Exporting boundaries: a list of formats, then the text as it will be, to save or to copy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widget import Widget
from textual.widgets import Input, Static

from dgplay.core.saving import write_atomically

from ..file_answer import FileAnswer
from ..footer import PREVIEW, TYPING
from ..i18n import Translate
from .modal import Box


class PreviewScreen(Box):
    """The text of an export. ``s`` asks for a file, ``y`` copies, the arrows scroll."""

    AUTO_FOCUS = "VerticalScroll"
    KEYS = PREVIEW
    DEFAULT_CSS = """
    PreviewScreen VerticalScroll { height: auto; max-height: 70vh; }
    PreviewScreen #preview { width: auto; height: auto; }
    PreviewScreen #preview-line { color: $text-muted; height: auto; max-height: 3; }
    PreviewScreen Input { display: none; height: 1; }
    PreviewScreen.-asking Input { display: block; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "save", show=False),
        Binding("y", "copy", show=False),
        Binding("j", "scroll(1)", show=False),
        Binding("k", "scroll(-1)", show=False),
    ]

    def __init__(
        self,
        title: str,
        text: str,
        name: str,
        tr: Translate,
        copy: Callable[[str], Path | None],
        *,
        ascii: bool,
    ) -> None:
        super().__init__(title, ascii=ascii)
        self.text = text
        self.file_name = name
        self.tr = tr
        self._copy = copy
        self._answer: Callable[[str], None] = lambda typed: None

    def content(self) -> list[Widget]:
        """Return the text below a line that says what can be done."""
        field = Input(compact=True, select_on_focus=False)
        field.cursor_blink = False
        shown = Static(Text(self.text.rstrip("\n"), no_wrap=True), id="preview")
        hint = self.tr("s saves to a file, y copies, Esc closes")
        return [Static(Text(hint), id="preview-line"), field, VerticalScroll(shown)]

    def say(self, text: str) -> None:
        """Put a sentence under the text."""
        self.query_one("#preview-line", Static).update(Text(text))

    def action_scroll(self, lines: int) -> None:
        """Scroll by lines."""
        self.query_one(VerticalScroll).scroll_relative(y=lines, animate=False)

    def action_copy(self) -> None:
        """Copy the text."""
        kept = self._copy(self.text)
        where = self.tr("copied, also in {path}") if kept else self.tr("copied")
        self.say(where.format(path=kept))

    def action_save(self) -> None:
        """Ask for a file."""
        self._answer = FileAnswer(
            lambda path: write_atomically(path, self.text),
            say=self.say,
            done=self._saved,
            tr=self.tr,
        )
        field = self.query_one(Input)
        field.value = self.file_name
        field.cursor_position = len(self.file_name)
        self.add_class("-asking")
        field.focus()
        self.show_keys(TYPING)
        self.say(self.tr("Enter saves, Esc gives up"))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Write the file."""
        event.stop()
        self._answer(event.value)

    def _saved(self, path: Path) -> None:
        self._close_field()
        self.say(self.tr("saved to {path}").format(path=path))

    def on_key(self, event: events.Key) -> None:
        """Give up typing on Escape; the next one closes the screen."""
        if event.key == "escape" and self.has_class("-asking"):
            event.stop()
            event.prevent_default()
            self._close_field()

    def _close_field(self) -> None:
        self.remove_class("-asking")
        self.query_one(VerticalScroll).focus()
        self.show_keys(self.KEYS)
        self.say(self.tr("s saves to a file, y copies, Esc closes"))

    def action_close(self) -> None:
        """Close the typed line, or the screen."""
        if self.has_class("-asking"):
            self._close_field()
        else:
            self.dismiss(None)
