"""Owns the refusal: what the language says when it cannot run a program, in five parts.

Every way in which a program can fail ends here: Python's own parser errors, syntax outside
the subset, budgets, shapes that do not fit, a mode that cannot express the program. Lines
and columns count from 1, columns in characters; line 0 means the program as a whole.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..wording import say
from .errors import GraphError


@dataclass(frozen=True, slots=True)
class Place:
    """A position in the source, counted from 1; line 0 is the program as a whole."""

    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        if not self.line:
            return say("program")
        return say("line {line}, column {column}", line=self.line, column=self.column)


class Refusal(GraphError):  # noqa: N818 - the word that the screens use
    """A program that is not run further: where, what, why, and what to try instead."""

    def __init__(self, place: Place, what: str, why: str, hint: str) -> None:
        super().__init__(
            say("{place}: {what}: {why}; {hint}", place=str(place), what=what, why=why, hint=hint)
        )
        self.place = place
        self.what = what
        self.why = why
        self.hint = hint

    @property
    def parts(self) -> dict[str, int | str]:
        """The five parts by the names that JSON uses."""
        return {
            "line": self.place.line,
            "column": self.place.column,
            "what": self.what,
            "why": self.why,
            "hint": self.hint,
        }


class BudgetExceeded(Refusal):
    """A limit on source, nodes, steps, ops, elements, bytes, time or depth was reached."""


class Cancelled(Refusal):
    """Whoever runs the program asked it to stop."""
