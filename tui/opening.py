"""Opening the screens: resume or read the request, load the data, run the app, return its code."""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import replace
from pathlib import Path

from dgplay.core import saving
from dgplay.core.errors import DgplayError
from dgplay.core.lessons.lesson import Lesson
from dgplay.core.sequences.analysis import Analysis
from dgplay.core.session import Session, open_session
from dgplay.core.state import Appearance, Request, State

from .all_commands import ALL
from .headless import load_other, load_told, requested, tell
from .paths import Paths, read_keymap, user_paths


def open_ui(given: argparse.Namespace) -> int:
    """Open the playground where the arguments say; return the exit code."""
    paths = user_paths()
    request = _asked_for(given, paths)
    analysis = Analysis(load_told(request.state.data))
    other = load_other(request, analysis)
    tell(*([] if other is None else [other.dataset]))
    session = open_session(request, analysis, other)
    first_start = not paths.state.exists() and session.state == State()
    return _run(session, paths, first_start=first_start)


def open_lesson_ui(given: argparse.Namespace, lesson: Lesson) -> int:
    """Open the playground on the first step of a lesson; return the exit code."""
    request = lesson.steps[0].request
    asked = requested(given).state.appearance
    if asked != Appearance():
        request = replace(request, state=replace(request.state, appearance=asked))
    session = open_session(request, Analysis(load_told(request.state.data)))
    return _run(session, user_paths(), lesson=lesson)


def _run(
    session: Session, paths: Paths, *, first_start: bool = False, lesson: Lesson | None = None
) -> int:
    """Run the app until it is left; return its exit code."""
    keymap = read_keymap(paths.keymap, {command.id for command in ALL})
    appearance = session.state.appearance
    _check_theme(appearance.theme)
    if problem := saving.make_room(paths.state):
        sys.stderr.write(f"dgplay: {problem}\n")
    if appearance.no_color:
        os.environ["NO_COLOR"] = "1"  # Textual reads it when the app is made
    from .app import DgplayApp

    app = DgplayApp(session, paths, first_start=first_start, lesson=lesson, keymap=keymap)
    app.run()
    return app.return_code or 0


def _asked_for(given: argparse.Namespace, paths: Paths) -> Request:
    """Return the saved request where one is to be resumed, else that of the arguments.

    Without a readable saved state the playground opens all the same, and says why.
    """
    asked = requested(given)
    if not hasattr(given, "resume") or given.resume is None:
        return asked
    if given.resume:
        saved = saving.load(Path(given.resume), own=False)
    else:
        try:
            saved = saving.load(paths.state)
        except DgplayError as error:
            sys.stderr.write(f"dgplay: {error}\n")
            return asked
    look = asked.state.appearance
    if look != type(look)():
        saved = replace(saved, state=replace(saved.state, appearance=look))
    return saved


def _check_theme(theme: str | None) -> None:
    if theme is None:
        return
    from textual.theme import BUILTIN_THEMES

    if theme not in BUILTIN_THEMES:
        raise DgplayError(
            f"there is no theme {theme!r}",
            where="--theme",
            hint=f"one of {', '.join(sorted(BUILTIN_THEMES))}",
        )
