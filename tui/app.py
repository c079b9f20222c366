"""The application: opens the screens, keeps the state for the next start, leaves in order."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, cast

from textual.app import App
from textual.binding import Binding, BindingType
from textual.command import CommandPalette
from textual.screen import Screen
from textual.widgets import Input, TextArea

from dgplay.core import saving
from dgplay.core.actions import SetAppearance, SetScreen
from dgplay.core.errors import DgplayError
from dgplay.core.lessons.lesson import Lesson, LessonRun
from dgplay.core.report import reproduce
from dgplay.core.session import Session
from dgplay.core.state import LANGUAGES, SCREENS

from . import phrases
from .commands import APP_COMMANDS, SCREEN_COMMANDS, bindings
from .lesson_app import LessonApp
from .palette import CommandProvider, Palette
from .paths import Paths
from .screens import make_screen


class DgplayApp(LessonApp):
    """The playground."""

    TITLE = "dgplay"
    CSS_PATH = "dgplay.tcss"
    ENABLE_COMMAND_PALETTE = True
    MODES: ClassVar[dict[str, str | Callable[[], Screen[Any]]]] = {
        name: partial(make_screen, name) for name in SCREENS
    }
    COMMANDS = {CommandProvider}  # noqa: RUF012 - Textual's own class variable
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings((*SCREEN_COMMANDS, *APP_COMMANDS)),
        Binding("ctrl+z", "suspend_process", show=False, system=True),
    ]

    def __init__(
        self,
        session: Session,
        paths: Paths,
        *,
        first_start: bool = False,
        lesson: Lesson | None = None,
        keymap: dict[str, str] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(session, clock)
        self.paths = paths
        self.challenged = first_start
        self.lesson = None if lesson is None else LessonRun(lesson)
        self._saved = None if first_start else session.state
        self._unkept = ""
        self.set_keymap(keymap or {})
        look = session.state.appearance
        self.theme = look.theme or ("ansi-dark" if self.no_color else "textual-dark")
        self.animation_level = "none"

    # ---- keeping ------------------------------------------------------------------------

    def autosave(self) -> None:
        """Keep the state for the next start, where it has changed since it was kept."""
        if self._saved is self.session.state:
            return
        self._saved = self.session.state
        try:
            saving.save(self.paths.state, self.session.state)
        except DgplayError as error:
            if str(error) != self._unkept:  # once for every reason
                self._unkept = str(error)
                self.refuse(error)

    def _check_keeping(self) -> None:
        """Say at the start that nothing will be kept, where that is so."""
        try:
            saving.check_folder(self.paths.state)
        except DgplayError as error:
            self._unkept = str(error)
            words = self.tr("nothing is kept for the next start: {reason}")
            self.say(words.format(reason=phrases.said(str(error), self.tr)))

    def keep_copied(self, text: str) -> Path | None:
        """Put text on the clipboard (OSC 52) and into the file of what was copied last."""
        self.copy_to_clipboard(text)
        try:
            saving.write_atomically(self.paths.copied, text + "\n")
        except DgplayError:
            return None
        return self.paths.copied

    @property
    def line(self) -> str:
        """The command line of the present state."""
        return reproduce(self.session.state, self.session.analysis)

    # ---- starting and leaving -----------------------------------------------------------

    def on_mount(self) -> None:
        """Open the screen of the state, and leave in order when asked to by a signal."""
        self.set_class(self.look.ascii, "-ascii")
        self.switch_mode(self.session.state.screen)
        if sys.platform != "win32":
            loop = asyncio.get_running_loop()
            for number in (signal.SIGTERM, signal.SIGHUP):
                loop.add_signal_handler(number, self._leave, 128 + number)
        self._check_keeping()
        self.start_checks()
        self.start_traces()
        if self.lesson is not None:
            self.start_lesson_texts()

    def _leave(self, code: int) -> None:
        if self.leaving and code:
            # The terminal has gone while work was still ending: nothing is left to draw or save,
            # and the thread that reads keys would spin on the dead terminal.
            os._exit(code)
        self.autosave()
        self.leaving = True
        self.exit(return_code=code)

    async def action_quit(self) -> None:
        """Keep the state and leave."""
        self._leave(0)

    def action_help_quit(self) -> None:
        """Leave on ctrl+C, except where it is meant for a text field."""
        if not isinstance(self.focused, (Input, TextArea)):
            self._leave(0)

    def action_suspend_process(self) -> None:
        """Suspend, except where ctrl+Z is meant for a text field."""
        if not isinstance(self.focused, (Input, TextArea)):
            super().action_suspend_process()

    def action_screen(self, name: str) -> None:
        """Go to a screen; a modal one has to be closed first."""
        if len(self.screen_stack) == 1 and not isinstance(self.focused, (Input, TextArea)):
            self.act(SetScreen(name))
            self.switch_mode(name)

    def action_help(self) -> None:
        """Show keys and formulas, once."""
        from .screens.help import HelpScreen

        if not isinstance(self.screen, HelpScreen):
            look = self.look
            own = getattr(self.screen, "OWN", ())
            keymap = str(self.paths.keymap)
            self.push_screen(HelpScreen(look.tr, keymap, ascii=look.ascii, own=own))

    def action_command_palette(self) -> None:
        """Search for a command by its name, once."""
        if not CommandPalette.is_open(cast("App[object]", self)):
            hint = self.tr("search for a command")
            self.push_screen(Palette(placeholder=hint, id="--command-palette"))

    def action_language(self) -> None:
        """Go over to the next language."""
        appearance = self.session.state.appearance
        index = (LANGUAGES.index(appearance.lang) + 1) % len(LANGUAGES)
        self.act(SetAppearance(replace(appearance, lang=LANGUAGES[index])))
