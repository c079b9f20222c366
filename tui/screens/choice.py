"""Choosing one of a list: methods with their steps, or data with what they are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rich.cells import cell_len, set_cell_size
from rich.text import Text
from textual import events
from textual.widget import Widget
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from dgplay.core.sequences.generators import is_generator

from ..footer import CHOOSE, OPEN
from .modal import Box


@dataclass(frozen=True)
class Choice:
    """One line to choose: what is returned, and its columns of text."""

    key: str
    columns: tuple[str, ...]


def aligned(choices: list[Choice], right: frozenset[int] = frozenset()) -> list[str]:
    """Return one line for each choice with its columns under one another."""
    if not choices:
        return []
    widths = [
        max(cell_len(choice.columns[index]) for choice in choices)
        for index in range(len(choices[0].columns))
    ]
    lines = []
    for choice in choices:
        cells = []
        for index, (text, width) in enumerate(zip(choice.columns, widths, strict=True)):
            pad = " " * (width - cell_len(text))
            cells.append(pad + text if index in right else set_cell_size(text, width))
        lines.append("  ".join(cells).rstrip())
    return lines


class ChoiceScreen(Box):
    """A list to choose from with the arrows and Enter."""

    KEYS = CHOOSE

    def __init__(
        self,
        title: str,
        choices: list[Choice],
        *,
        heading: tuple[str, ...] = (),
        chosen: str | None = None,
        right: frozenset[int] = frozenset(),
        ascii: bool,
    ) -> None:
        super().__init__(title, ascii=ascii)
        self.choices = choices
        self.heading = heading
        self.chosen = chosen
        self.right = right

    def content(self) -> list[Widget]:
        """Return the list under its heading, where it has one."""
        if not self.heading:
            return [self.list_of(self.choices)]
        first = aligned([Choice("", self.heading), *self.choices], self.right)[0]
        return [Static(Text(first, no_wrap=True), id="heading"), self.list_of(self.choices)]

    def list_of(self, choices: list[Choice]) -> OptionList:
        """Return an option list of the choices, the chosen one highlighted."""
        headed = [Choice("", self.heading), *choices] if self.heading else choices
        lines = aligned(headed, self.right)[len(headed) - len(choices) :]
        options = [
            Option(Text(line, no_wrap=True), id=choice.key)
            for line, choice in zip(lines, choices, strict=True)
        ]
        made = OptionList(*options, compact=True)
        keys = [choice.key for choice in choices]
        made.highlighted = keys.index(self.chosen) if self.chosen in keys else 0
        return made

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Take the chosen line."""
        self.dismiss(event.option.id)


class DataScreen(ChoiceScreen):
    """Data to open: type a path or a generator, or go down to the bundled sets."""

    AUTO_FOCUS = "Input"
    KEYS = OPEN

    def __init__(
        self,
        title: str,
        hint: str,
        choices: list[Choice],
        *,
        right: frozenset[int] = frozenset(),
        ascii: bool,
    ) -> None:
        super().__init__(title, choices, right=right, ascii=ascii)
        self.hint = hint

    def content(self) -> list[Widget]:
        """Return the line to type into above the list."""
        field = Input(placeholder=self.hint, compact=True)
        field.cursor_blink = False
        return [field, self.list_of(self.choices)]

    def _matching(self, typed: str) -> list[Choice]:
        """Return the choices whose line holds what is typed."""
        wanted = typed.strip().lower()
        return [item for item in self.choices if wanted in " ".join(item.columns).lower()]

    def on_input_changed(self, event: Input.Changed) -> None:
        """Keep the bundled sets whose line holds what is typed."""
        kept = self._matching(event.value) or self.choices
        old = self.query_one(OptionList)
        lines = aligned(kept, self.right)
        old.set_options(
            Option(Text(line, no_wrap=True), id=choice.key)
            for line, choice in zip(lines, kept, strict=True)
        )
        old.highlighted = 0

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Open a path or a generator as typed; for a part of a name, what is highlighted."""
        highlighted = self.query_one(OptionList).highlighted_option
        typed = event.value.strip()
        is_source = is_generator(typed) or Path(typed).expanduser().exists()
        if highlighted and (not typed or (self._matching(typed) and not is_source)):
            self.dismiss(highlighted.id)
        else:
            self.dismiss(typed or None)

    def on_key(self, event: events.Key) -> None:
        """Let the arrows go between the input and the list."""
        if event.key == "down" and self.query_one(Input).has_focus:
            event.stop()
            self.query_one(OptionList).focus()
