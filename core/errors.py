"""The errors that reach a person, each one line: where, what is wrong, what to try."""

from __future__ import annotations


class DgplayError(Exception):
    """A failure of the work itself (exit code 1): bad data or a request that cannot be met.

    ``str()`` is the one line shown: ``WHERE: WHAT; TRY``. ``where`` names a file (and line) or an
    option; it may be empty.
    """

    def __init__(self, what: str, *, where: str = "", hint: str = "") -> None:
        self.what = what
        self.where = where
        self.hint = hint
        super().__init__(f"{where}: {what}" if where else what)

    def __str__(self) -> str:
        line = f"{self.where}: {self.what}" if self.where else self.what
        return f"{line}; {self.hint}" if self.hint else line


class DataError(DgplayError):
    """The data cannot be read, or holds something that is not a length."""


class PlanError(DgplayError):
    """Boundaries that cannot be: infeasible, empty, or below the longest length."""
