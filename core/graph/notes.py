"""Owns what only few tensors need to know, kept apart so that the others stay small and fast."""

from __future__ import annotations

from typing import Any

from ..wording import say


class Notes:
    """Name, source position, place in a run, and the last write in place."""

    __slots__ = ("builder", "column", "line", "name", "number", "writer", "written")

    def __init__(self) -> None:
        self.name = ""
        self.builder: Any = None  #: the EagerBuilder of the run, if any
        self.number = -1  #: position in that run
        self.line = 0
        self.column = 0
        self.written = 0  #: id of the last write in place
        self.writer: object = ""  #: what wrote; its ``str`` names it in messages


class Indexed:
    """A write in place at an index, put into words only where a message names it."""

    __slots__ = ("index",)

    def __init__(self, index: Any) -> None:
        self.index = index

    def __str__(self) -> str:
        return say("the in-place write x[{index}] = …", index=str(self.index))


IN_PLACE = say("an in-place write")

_NOTHING_NOTED = Notes()


def note(field: str) -> Any:
    """Return a property that reads a note; writing gives the tensor notes of its own."""

    def read(tensor: Any) -> Any:
        try:
            return getattr(tensor._notes, field)
        except AttributeError:  # the slot is empty: nothing is noted
            return getattr(_NOTHING_NOTED, field)

    def write(tensor: Any, value: Any) -> None:
        if not hasattr(tensor, "_notes"):
            tensor._notes = Notes()
        setattr(tensor._notes, field, value)

    return property(read, write)
