"""What keys are called in the line of keys, where that depends on the pane with the focus.

The tables of commands name each key once; a pane in which a key does something else says so here.
An empty word leaves the key out.
"""

from __future__ import annotations

from collections.abc import Mapping

from dgplay.core.state import State

from . import layout
from .commands import mark
from .i18n import Translate

_MODE, _STRATEGY, _STEP, _ROW = mark("mode"), mark("strategy"), mark("step"), mark("row")
_TAKE, _CELL, _GUESS = mark("take"), mark("cell"), mark("guess")
_ANSWER, _NEXT, _TYPE = mark("answer"), mark("next"), mark("type")

Briefs = Mapping[str, str]

#: Keys of a box above a screen with their words.
Keys = tuple[tuple[str, str], ...]

CLOSE: Keys = (("Esc", mark("back")),)
SCROLL: Keys = (("↑↓", mark("scroll")), *CLOSE)
CHOOSE: Keys = (("↑↓", _ROW), ("Enter", _TAKE), *CLOSE)
OPEN: Keys = ((mark("letters"), mark("search")), ("↑↓", _ROW), ("Enter", mark("open")), *CLOSE)
TYPING: Keys = (("Enter", mark("save")), ("Esc", mark("give up")))
RUN: Keys = (("Esc", mark("run")),)
PREVIEW: Keys = (("s", mark("save")), ("y", mark("copy")), *SCROLL)


def lab_briefs(showing: str, state: State, *, question: bool = False) -> Briefs:
    """Return the words of a pane of the Lab; ``question`` says that its lesson waits for one."""
    if showing == layout.MODES:
        return {"bucket.previous": _MODE}
    if showing == layout.SEQUENCE:
        return {
            "bucket.previous": _STRATEGY,
            "bucket.left": _STEP,
            "bucket.type": "",
            "sequence.next": mark("sequence"),
            "view.sequence": "",
        }
    if showing == layout.LESSON:
        return {"bucket.left": _STEP, "bucket.type": _ANSWER if question else _NEXT}
    if showing != layout.STRATEGIES:
        return {"predict.reveal": mark("reveal")} if state.predict else {}
    if state.predict:
        return {
            "bucket.previous": _ROW,
            "bucket.left": _CELL,
            "bucket.type": _GUESS,
            "predict.reveal": mark("reveal"),
        }
    return {"bucket.previous": _ROW, **({"bucket.type": _TAKE} if state.preset == "data" else {})}


def plan_briefs(*, batches: bool, methods: bool) -> Briefs:
    """Return the words of the Plan: whether its batches have the focus, and methods are shown."""
    if batches:
        return {"plan.previous": mark("bucket"), **({} if methods else {"plan.take": ""})}
    return {} if methods else {"plan.previous": "", "plan.take": ""}


def quiz_briefs(*, asked: bool, choices: bool) -> Briefs:
    """Return the words of the Quiz: whether something is asked, and answers are listed."""
    if not asked:
        return {"quiz.enter": _NEXT, "quiz.choose": "", "quiz.next": ""}
    return {} if choices else {"quiz.choose": _TYPE}


def keys_text(keys: Keys, tr: Translate, *, ascii: bool) -> str:
    """Return keys with their words in one line."""
    shown = ((("up/down" if ascii and key == "↑↓" else tr(key)), tr(word)) for key, word in keys)
    return "  ".join(f"{key} {word}" for key, word in shown)
