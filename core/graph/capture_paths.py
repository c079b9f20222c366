"""Owns how capture names a place in the state of a paused program.

A path leads from the frames to one value: ``(("frame", 0), ("name", "x"), ("item", 1))``.
Guards look values up by path, and a compiled segment takes its inputs by path.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from ..wording import joined, say
from .lang_values import Frame, ItemsIterator

Path: TypeAlias = "tuple[tuple[str, Any], ...]"


def follow(frames: Sequence[Frame], constants: Any, path: Path) -> Any:
    """Return the value at ``path``; LookupError or AttributeError where there is none."""
    value: Any = None
    for step, key in path:
        if step == "frame":
            value = frames[key]
        elif step == "constant":
            value = constants[key]
        elif step == "name":
            variables = value.variables if isinstance(value, Frame) else value
            value = variables.values[key]
        elif step == "outer":
            value = value.variables.outer if isinstance(value, Frame) else value.outer
        elif step == "stack":
            value = value.stack[key]
        elif step == "items":
            assert isinstance(value, ItemsIterator)
            value = value.items
        elif step == "part":
            value = value.parts[key]
        elif step == "default":
            value = value.defaults[key]
        else:
            value = value[key]
    return value


def describe(path: Path, frames: Sequence[Frame]) -> str:
    """Return how sentences name a place: ``x``, ``xs[1]``, ``x in helper``, ``a value``."""
    text: str = _IN_USE
    function = ""
    for step, key in path:
        if step == "frame" and key > 0:
            function = frames[key].code.name
        elif step in ("name", "constant"):
            text = str(key)
        elif step == "stack":
            text = _IN_USE
        elif step in ("item", "part"):
            text = joined("", (text, f"[{key}]"))
        elif step == "items":
            text = say("the loop") if text == _IN_USE else text
        elif step == "default":
            text = say("a default of {function}", function=text)
    return say("{value} in {function}", value=text, function=function) if function else text


_IN_USE = say("a value in use")
