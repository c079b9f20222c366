"""Help: every key by group, what each column of the tables means, and each strategy."""

from __future__ import annotations

from itertools import groupby
from typing import ClassVar

from rich.cells import set_cell_size
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widget import Widget
from textual.widgets import Static

from dgplay.core.sequences.strategies import EVERY
from dgplay.core.tables import FORMULAS

from ..all_commands import ALL
from ..commands import Command, mark
from ..footer import SCROLL
from ..i18n import Translate
from .modal import Box

KEYMAP_NOTE = mark('Other keys: write "bucket.optimum" = "ctrl+o" into {path}')
COPY_NOTE = mark("To select text with the mouse, hold Shift while dragging.")


class HelpScreen(Box):
    """A scrolling page of keys and formulas."""

    KEYS = SCROLL

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark,f1,fullwidth_question_mark", "close", show=False),
        Binding("j", "scroll(1)", show=False),
        Binding("k", "scroll(-1)", show=False),
    ]

    def __init__(
        self, tr: Translate, keymap: str, *, ascii: bool, own: tuple[Command, ...] = ()
    ) -> None:
        super().__init__(tr("Keys and formulas"), ascii=ascii)
        self.tr = tr
        self.keymap = keymap
        self.ascii = ascii
        #: The commands of the screen below, which come first.
        self.own = own

    def content(self) -> list[Widget]:
        """Return the page, which scrolls with the arrows."""
        return [VerticalScroll(Static(Text(self.page())))]

    def page(self) -> str:
        """Return the whole text."""
        tr, lines = self.tr, []
        others = (command for command in ALL if command not in self.own)
        listed = [command for command in (*self.own, *others) if command.keys]
        for group, commands in groupby(listed, key=lambda command: command.group):
            lines += ["", tr(group)]
            for command in commands:
                shown = command.shown_as(ascii=self.ascii)
                lines.append(f"  {set_cell_size(shown, 14)} {tr(command.help)}")
        lines += ["", tr("Columns")]
        lines += [f"  {set_cell_size(tr(key), 14)} {tr(text)}" for key, text in FORMULAS.items()]
        lines += ["", tr("Strategies")]
        lines += [f"  {set_cell_size(each.name, 17)} {tr(each.doc)}" for each in EVERY]
        lines += ["", tr("Names for a keymap")]
        lines += [
            f"  {set_cell_size(command.id, 20)} {command.shown_as(ascii=self.ascii)}"
            for command in listed
        ]
        lines += ["", tr(KEYMAP_NOTE).format(path=self.keymap), tr(COPY_NOTE)]
        return "\n".join(lines).lstrip("\n")

    def action_scroll(self, lines: int) -> None:
        """Scroll by lines."""
        self.query_one(VerticalScroll).scroll_relative(y=lines, animate=False)
