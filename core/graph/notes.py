"""Owns what only few tensors need to know, kept apart so that the others stay small and fast."""

from __future__ import annotations

from typing import Any

from ..wording import say
from .errors import InplaceError


class Notes:
    """Name, source position, place in a run, and the first and last write in place."""

    __slots__ = (
        "builder", "column", "first_written", "line", "name", "number", "writer", "written",
    )  # fmt: skip

    def __init__(self) -> None:
        self.name = ""
        self.builder: Any = None  #: the EagerBuilder of the run, if any
        self.number = -1  #: position in that run
        self.line = 0
        self.column = 0
        self.first_written = 0  #: id of the first write in place
        self.written = 0  #: id of the last one
        self.writer: object = ""  #: what wrote last; its ``str`` names it in messages


class Indexed:
    """A write in place at an index, put into words only where a message names it."""

    __slots__ = ("index",)

    def __init__(self, index: Any) -> None:
        self.index = index

    def __str__(self) -> str:
        return say("the in-place write x[{index}] = …", index=str(self.index))


IN_PLACE = say("an in-place write")

_NOTHING_NOTED = Notes()


def check_write(target: Any, data: Any) -> None:
    """Raise :class:`InplaceError` for a write that would lose a gradient.

    That is one into a leaf that requires a gradient, and one of a value that requires one.
    """
    if target.requires_grad and target.op is None:
        raise InplaceError(
            say(
                "{name} requires a gradient: write it under no_grad",
                name=target.name or say("a leaf"),
            )
        )
    if getattr(data, "requires_grad", False):
        raise InplaceError(
            say("a write in place would drop the gradient of {value}", value=data.describe()),
            hint=say("write x.detach(), or compute a new value, such as where(test, x, y)"),
        )


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
