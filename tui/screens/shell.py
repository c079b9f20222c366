"""What every screen shares: the session, the line of screens, the line of keys, the typed line."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, cast

from rich.cells import cell_len
from textual import events
from textual.screen import Screen

from dgplay.core.state import State

from ..commands import APP_COMMANDS, SCREEN_COMMANDS, Command
from ..widgets.line import Line
from ..widgets.prompt import Prompt

if TYPE_CHECKING:
    from ..app import DgplayApp

#: Actions that still work while a line is being typed.
WHILE_TYPING = frozenset({"back"})


class Shell(Screen[None]):
    """A screen that draws the app's session.

    Subclasses name their commands in ``OWN``, yield lines called ``top`` and ``keys`` and a
    :class:`Prompt`, and draw in :meth:`show_session`. ``showing`` is the pane with the focus.
    """

    OWN: ClassVar[tuple[Command, ...]] = ()

    def __init__(self, name: str, showing: str) -> None:
        super().__init__(id=name)
        self.showing = showing
        self.zoomed = False
        self._own_actions = frozenset(command.action.partition("(")[0] for command in self.OWN)
        self._answer: Callable[[str], None] = lambda text: None

    @property
    def dgplay(self) -> DgplayApp:
        """The application."""
        return cast("DgplayApp", self.app)

    @property
    def state(self) -> State:
        """The present state."""
        return self.dgplay.session.state

    def show_session(self) -> None:
        """Draw the session; a screen that draws says how."""

    def lay_out_panes(self) -> None:
        """Show the panes that fit; a screen with panes says how."""

    def on_resize(self, event: events.Resize) -> None:
        """Lay out again."""
        if self.is_mounted:
            self.show_session()

    def on_screen_resume(self) -> None:
        """Draw what has changed while another screen was there."""
        self.show_session()

    # ---- the first and the last line ----------------------------------------------------

    def show_top(self) -> None:
        """Name the screens, this one in brackets, and the data."""
        app = self.dgplay
        names, digits = [], []
        for command in SCREEN_COMMANDS:
            name = f"{command.shown}{app.tr(command.brief)}"
            here = command.id == f"screen.{self.id}"
            names.append(f"[{name}]" if here else name)
            digits.append(f"[{name}]" if here else command.shown)
        data = app.session.analysis.dataset.name
        told = f"{data}  {self.state.appearance.lang}"
        ways = [(f"dgplay  {' '.join(digits)}", told), (" ".join(digits), data)]
        self.query_one("#top", Line).show(f"dgplay  {' '.join(names)}", told, *ways)

    def show_keys(self) -> None:
        """List as many keys as there is room for; help is always among them."""
        look = self.dgplay.look
        help_key = next(command for command in APP_COMMANDS if command.id == "app.help")
        ending = f"{help_key.shown} {look.tr(help_key.brief)}"
        room, used, parts = self.size.width - 2, cell_len(ending), []
        for command in self.OWN:
            if not command.brief:
                continue
            part = f"{_twins(command.shown_as(ascii=look.ascii))} {look.tr(command.brief)}"
            if used + cell_len(part) + 2 > room:
                break
            used += cell_len(part) + 2
            parts.append(part)
        self.query_one("#keys", Line).show("  ".join([*parts, ending]))

    # ---- the pane with the focus --------------------------------------------------------

    def go_to(self, key: str) -> None:
        """Give the focus to a pane."""
        self.showing = key
        self.lay_out_panes()
        self.query_one(f"#{key}").focus()
        self.call_after_refresh(self.show_session)

    @property
    def panes(self) -> tuple[str, ...]:
        """The panes in the order of Tab; a screen with panes names them."""
        return (self.showing,)

    def action_pane(self, direction: int) -> None:
        """Give the focus to the next pane, shown or not."""
        index = (self.panes.index(self.showing) + direction) % len(self.panes)
        self.go_to(self.panes[index])

    def action_zoom(self) -> None:
        """Show the pane alone, or all again."""
        self.zoomed = not self.zoomed
        self.lay_out_panes()

    def action_back(self) -> None:
        """Close the typed line, leave the zoom, or what the screen says to leave."""
        if self.typing:
            self.query_one(Prompt).close()
        elif self.zoomed:
            self.action_zoom()
        else:
            self.leave()

    def leave(self) -> None:
        """Escape with nothing open; a screen may say what it leaves."""

    # ---- copies -------------------------------------------------------------------------

    def action_copy_line(self) -> None:
        """Copy the command line of this state."""
        self.copied(self.dgplay.line)

    def copied(self, text: str) -> None:
        """Copy a text and say where it is."""
        kept, tr = self.dgplay.keep_copied(text), self.dgplay.tr
        where = tr("copied, also in {path}") if kept else tr("copied")
        self.dgplay.say(where.format(path=kept))

    # ---- the typed line -----------------------------------------------------------------

    @property
    def typing(self) -> bool:
        """Whether a line is being typed."""
        prompt = self.query(Prompt)
        return bool(prompt) and prompt.first().asking

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While a line is typed its keys are text, except those that close it."""
        if action in self._own_actions and self.typing:
            return action in WHILE_TYPING
        return True

    def ask(
        self, label: str, text: str, answer: Callable[[str], None], *, select: bool = True
    ) -> None:
        """Ask for a line; ``answer`` gets it and closes the prompt when it can use it.

        ``text`` stands in it already; with ``select`` typing replaces it.
        """
        self._answer = answer
        self.add_class("-asking")
        self.query_one(Prompt).ask("line", label, text, select=select)

    def on_prompt_submitted(self, message: Prompt.Submitted) -> None:
        """Hand the typed line to whoever asked."""
        self._answer(message.text)

    def on_prompt_closed(self) -> None:
        """Give the focus back to the pane."""
        self.remove_class("-asking")
        self.query_one(f"#{self.showing}").focus()


def _twins(shown: str) -> str:
    """Return both arrows for a command that has a twin: ``↑`` stands for ``↑↓``."""
    first = shown.split()[0]
    return {"↑": "↑↓", "←": "←→", "up": "up/down", "left": "left/right"}.get(first, first)
