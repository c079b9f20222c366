"""Sentences that wrap: between words, and in Chinese between any two characters."""

from __future__ import annotations

import re

from rich.cells import cell_len, set_cell_size
from rich.text import Text
from textual import events
from textual.geometry import Size
from textual.widgets import Static

#: Signs that do not begin a line, and those that do not end one.
_CLOSING = frozenset("，。；：！？、）」》”’…%,.;:!?)]")
_OPENING = frozenset("（「《“‘([")


def wrapped(text: str, width: int) -> list[str]:
    """Return text in lines of at most ``width`` cells, where a unit is not longer."""
    lines = [""]
    for unit in units_of(text):
        if lines[-1] and cell_len(lines[-1]) + cell_len(unit.rstrip()) > width:
            lines[-1] = lines[-1].rstrip()
            lines.append("")
        lines[-1] += unit
    lines[-1] = lines[-1].rstrip()
    return lines


def units_of(text: str) -> list[str]:
    """Return what is not broken: words, single wide characters, each with its signs and blanks."""
    units: list[str] = []
    for character in re.sub(r"\s+", " ", text):
        before = units[-1][-1] if units else ""
        joined = character in _CLOSING or before in _OPENING
        joined = joined or (cell_len(character) < 2 and cell_len(before) < 2)
        if units and (character == " " or (before != " " and joined)):
            units[-1] += character
        else:
            units.append(character)
    return units


def cut(text: str, width: int, sign: str) -> str:
    """Return the whole words, or wide characters, that fit in ``width`` cells before a sign."""
    taken, kept, before = 0, 0, ""
    for place, character in enumerate(f"{text} "):
        if taken > width - cell_len(sign) - 1:
            break
        apart = character == " " or max(cell_len(character), cell_len(before)) > 1
        if apart and character not in _CLOSING and before not in _OPENING:
            kept = place
        taken, before = taken + cell_len(character), character
    whole = text[:kept].rstrip()
    told = f"{whole} {sign}" if whole else set_cell_size(text, max(0, width - 1)) + sign
    return set_cell_size(told, max(0, width))


class Prose(Static):
    """Plain text as high as its lines are."""

    def __init__(self, id: str) -> None:
        super().__init__(id=id, markup=False)
        self.said = ""

    def say(self, text: str) -> None:
        """Show a text."""
        if text != self.said:
            self.said = text
            self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return how many lines the text takes."""
        return len(wrapped(self.said, width))

    def render(self) -> Text:
        """Return the lines."""
        return Text("\n".join(wrapped(self.said, self.size.width)), no_wrap=True)

    def on_resize(self, event: events.Resize) -> None:
        """Break the lines anew."""
        self.refresh()
