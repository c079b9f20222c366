"""Drives the app in tests: opens it on a command line, presses keys, waits on conditions."""

from __future__ import annotations

import shlex
import unicodedata
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textual import events
from textual.keys import REPLACED_KEYS, _character_to_key, _get_unicode_name_from_key
from textual.pilot import Pilot
from textual.widgets import Input

from dgplay.core.command_line import parse
from dgplay.core.lessons.lesson import open_lesson
from dgplay.core.sequences.analysis import Analysis
from dgplay.core.sequences.loading import load
from dgplay.core.session import Session, open_session
from dgplay.core.state import State
from dgplay.tui.app import DgplayApp
from dgplay.tui.commands import APP_COMMANDS, LAB_COMMANDS, SCREEN_COMMANDS
from dgplay.tui.headless import load_other
from dgplay.tui.paths import Paths
from dgplay.tui.screens.lab import LabScreen
from dgplay.tui.widgets.line_table import LineTable
from dgplay.tui.widgets.prompt import Prompt

#: What can be done on the Lab.
COMMANDS = (*LAB_COMMANDS, *SCREEN_COMMANDS, *APP_COMMANDS)

#: No wait of a test is longer; the conditions come true within milliseconds.
MOST_ROUNDS = 2000


class Clock:
    """A clock that goes on by ``step`` seconds each time it is read."""

    def __init__(self) -> None:
        self.now = 0.0
        self.step = 1.0

    def __call__(self) -> float:
        self.now += self.step
        return self.now


def session_of(line: str) -> Session:
    """Open the session that a command line (without ``dgplay``) asks for."""
    request = parse(shlex.split(line))
    analysis = Analysis(load(request.state.data))
    return open_session(request, analysis, load_other(request, analysis))


def make_app(
    line: str, folder: Path, *, lesson: str = "", lang: str = "en", **others: Any
) -> DgplayApp:
    """Make the app on a line, or on a lesson by its name; its files are under ``folder``."""
    paths = Paths(folder / "state.json", folder / "copied.txt", folder / "keymap.toml")
    if not lesson:
        return DgplayApp(session_of(line), paths, **others)
    opened = open_lesson(lesson, lang)
    request = opened.steps[0].request
    session = open_session(request, Analysis(load(request.state.data)))
    return DgplayApp(session, paths, lesson=opened, **others)


@dataclass
class Lab:
    """An app under test and what a user sees and does."""

    app: DgplayApp
    pilot: Pilot[None]
    clock: Clock

    @property
    def state(self) -> State:
        return self.app.session.state

    @property
    def screen(self) -> LabScreen:
        """The Lab, also while something lies over it."""
        stacks = self.app._screen_stacks.values()
        return next(each for stack in stacks for each in stack if isinstance(each, LabScreen))

    @property
    def prompt(self) -> Prompt:
        return self.screen.query_one(Prompt)

    @property
    def boundaries(self) -> tuple[int, ...]:
        return self.state.boundaries

    @property
    def steps(self) -> int:
        """The steps of the present boundaries."""
        return self.app.session._steps()

    def frame(self) -> list[str]:
        """The lines of the screen on top, without blanks at their ends."""
        strips = self.app.screen._compositor.render_strips()
        return ["".join(segment.text for segment in strip).rstrip() for strip in strips]

    @property
    def text(self) -> str:
        return "\n".join(self.frame())

    def line(self, id: str) -> str:
        """What one of the lines of the Lab says: top, status, moves, keys."""
        return str(self.screen.query_one(f"#{id}").text).strip()  # type: ignore[attr-defined]

    async def press(self, *keys: str) -> None:
        """Press keys, each after what the one before has done."""
        for key in keys:
            self.send(key)
            await self.calm()

    def send(self, key: str) -> None:
        """Press a key and do not wait."""
        if len(key) == 1 and not key.isalnum():
            key = _character_to_key(key)
        char: str | None
        try:
            char = unicodedata.lookup(_get_unicode_name_from_key(REPLACED_KEYS.get(key, key)))
        except KeyError:
            char = key if len(key) == 1 else None
        event = events.Key(key, char)
        event.set_sender(self.app)
        assert self.app._driver is not None
        self.app._driver.send_message(event)

    async def calm(self) -> None:
        """Wait until messages, and the messages that they cause, are through."""
        for _ in range(3):
            await self.pilot.pause(0)

    async def until(self, condition: Callable[[], object]) -> None:
        """Wait until a condition holds."""
        for _ in range(MOST_ROUNDS):
            if condition():
                return
            await self.pilot.pause(0.005)
        raise TimeoutError("never came true")

    async def enter(self, text: str, key: str = "enter") -> None:
        """Replace what stands in the line to type into, and press Enter."""
        self.app.screen.query_one(Input).value = text
        await self.press(key)

    async def settled(self) -> None:
        """Wait until nothing is waited for: no pause, no worker, no message."""
        for _ in range(MOST_ROUNDS):
            waiting = any(
                timer._task is not None and not timer._task.done()
                for timer in self.app._pauses.values()
            )
            if not waiting and all(worker.is_finished for worker in self.app.workers):
                await self.calm()
                if not self.busy:
                    return
            await self.pilot.pause(0.005)
        raise TimeoutError(f"never at rest: {[*self.app.workers]}")

    @property
    def busy(self) -> bool:
        """Whether a pause or a worker is under way."""
        pauses = self.app._pauses.values()
        return any(
            timer._task is not None and not timer._task.done() for timer in pauses
        ) or not all(worker.is_finished for worker in self.app.workers)

    async def known(self) -> None:
        """Wait until every strategy is checked and the sequence traced."""
        await self.settled()
        session = self.app.session
        assert not self.app.problem
        assert not session.unchecked
        assert not session.untimed
        assert session.known.traces is not None

    async def reset(self, session: Session) -> None:
        """Close whatever is open and go over to another session."""
        for _ in range(10):
            if len(self.app.screen_stack) == 1 and not isinstance(self.app.focused, Input):
                break
            await self.press("escape")
        self.app.action_screen("lab")  # on the Quiz the digit may be an answer
        await self.calm()
        if self.prompt.asking:
            await self.press("escape")
        if self.screen.zoomed:
            await self.press("z")
        for table in self.screen.query(LineTable):
            table.scroll_columns(-99)
        self.app.problem = ""
        self.app.become(session)
        self.screen.go_to("buckets")
        await self.calm()

    async def resize(self, width: int, height: int) -> None:
        await self.pilot.resize_terminal(width, height)
        await self.until(lambda: len(self.frame()) == height and self.app.size.width == width)
        await self.calm()


@asynccontextmanager
async def opened(app: DgplayApp, size: tuple[int, int], clock: Clock) -> AsyncIterator[Lab]:
    async with app.run_test(size=size) as pilot:
        lab = Lab(app, pilot, clock)
        await lab.settled()
        yield lab
        if not app.leaving:
            await lab.settled()  # what still comes would find the screens half gone


def by_id(id: str) -> Any:
    """The command of an id."""
    return next(command for command in COMMANDS if command.id == id)
