"""What every screen shares: the session, the line of screens, the line of keys, the typed line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, ClassVar, cast

from rich.cells import cell_len
from textual import events
from textual.screen import Screen
from textual.widgets import Static

from dgplay.core.state import State

from .. import layout
from ..commands import APP_COMMANDS, SCREEN_COMMANDS, Command
from ..footer import CLOSE, Keys, keys_text
from ..phrases import said
from ..widgets.line import Line
from ..widgets.pane import Pane
from ..widgets.prompt import Prompt

if TYPE_CHECKING:
    from ..app import DgplayApp

#: Actions that still work while a line is being typed.
WHILE_TYPING = frozenset({"back"})


class TooSmall(Static):
    """What a screen says in the place of its panes where not even one of them fits."""

    def __init__(self) -> None:
        super().__init__(id="too-small", markup=False)


class Shell(Screen[None]):
    """A screen that draws the app's session.

    Subclasses name their commands in ``OWN`` and in ``INSTEAD`` the one that needs no screen,
    yield lines called ``top`` and ``keys``, a :class:`TooSmall` and a :class:`Prompt`, and draw in
    :meth:`show_session`. ``showing`` is the pane with the focus.
    """

    OWN: ClassVar[tuple[Command, ...]] = ()
    INSTEAD: ClassVar[str] = "dgplay report"
    WHILE_TYPING: ClassVar[Keys] = CLOSE

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
        data = said(app.session.analysis.dataset.name, app.tr)
        told = f"{data}  {self.state.appearance.lang}"
        ways = [(f"dgplay  {' '.join(digits)}", told), (" ".join(digits), data)]
        self.query_one("#top", Line).show(f"dgplay  {' '.join(names)}", told, *ways)

    @property
    def briefs(self) -> Mapping[str, str]:
        """What keys are called here, by the id of their command, where it is not the usual."""
        return {}

    def show_keys(self) -> None:
        """List as many keys as there is room for; help is always among them."""
        look = self.dgplay.look
        if self.typing:  # every other key is text
            told = keys_text(self.WHILE_TYPING, look.tr, ascii=look.ascii)
            self.query_one("#keys", Line).show(told)
            return
        help_key = next(command for command in APP_COMMANDS if command.id == "app.help")
        ending = f"{help_key.shown} {look.tr(help_key.brief)}"
        room, used, parts = self.size.width - 2, cell_len(ending), []
        briefs = self.briefs
        for command in self.OWN:
            brief = briefs.get(command.id, command.brief)
            if not brief:
                continue
            part = f"{_twins(command.shown_as(ascii=look.ascii))} {look.tr(brief)}"
            if used + cell_len(part) + 2 > room:
                break
            used += cell_len(part) + 2
            parts.append(part)
        self.query_one("#keys", Line).show("  ".join([*parts, ending]))

    # ---- the pane with the focus --------------------------------------------------------

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Remember which pane has the focus, and draw what depends on it."""
        if isinstance(event.widget, Pane):
            self.showing = event.widget.key
            self.show_session()

    def mark_size(self, kind: str) -> None:
        """Say so where nothing fits; give back the focus that was lost there once something does.

        ``kind`` is the layout that ``layout.kind_of`` found.
        """
        self.set_class(kind == "none", "-none")
        if kind == "none":
            words = self.dgplay.tr("dgplay needs {width} x {height}; enlarge, or use {command}")
            words = words.format(
                width=layout.LEAST_WIDTH, height=layout.LEAST_HEIGHT, command=self.INSTEAD
            )
            self.query_one(TooSmall).update(words)
        elif self.focused is None and not self.typing:  # what is typed into takes it itself
            self.query_one(f"#{self.showing}").focus()

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
        self.say_here(where.format(path=kept))

    def say_here(self, text: str) -> None:
        """Put a notice into the status line; a screen with notices of its own says how."""
        self.dgplay.say(text)

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
