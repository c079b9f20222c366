"""One screen a file; :func:`make_screen` makes one by its name in the state."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from textual.screen import Screen

#: Name in the state to module and class, imported when the screen is first opened.
_SCREENS = {
    "lab": ("lab", "LabScreen"),
    "plan": ("plan", "PlanScreen"),
    "graph": ("graph", "GraphScreen"),
    "quiz": ("quiz", "QuizScreen"),
}


def make_screen(name: str) -> Screen[Any]:
    """Return a new screen of that name."""
    module, kind = _SCREENS[name]
    screen: Screen[Any] = getattr(import_module(f".{module}", __package__), kind)()
    return screen
