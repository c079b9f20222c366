"""The errors that reach a person, each one line: where, what is wrong, what to try."""

from __future__ import annotations

from .wording import Said, joined, say


class DgplayError(Exception):
    """A failure of the work itself (exit code 1): bad data or a request that cannot be met.

    ``str()`` is the one line shown: ``WHERE: WHAT; TRY``. ``where`` names a file (and line) or an
    option; it may be empty. The line is said: a screen can translate it part by part.
    """

    def __init__(self, what: str, *, where: str = "", hint: str = "") -> None:
        self.what = what
        self.where = where
        self.hint = hint
        super().__init__(self.told)

    @property
    def told(self) -> str:
        """Where and what, without what to try."""
        if not self.where:
            return self.what
        return say("{where}: {what}", where=self.where, what=self.what)

    @property
    def said(self) -> Said:
        """The line with the texts that it was made from."""
        told = self.told
        if not self.hint:
            return told if isinstance(told, Said) else joined("", (told,))
        return say("{told}; {hint}", told=told, hint=self.hint)

    def __str__(self) -> str:
        return self.said


class DataError(DgplayError):
    """The data cannot be read, or holds something that is not a length."""


class PlanError(DgplayError):
    """Boundaries that cannot be: infeasible, empty, or below the longest length."""
