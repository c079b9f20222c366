"""Owns what the builders of programs share beyond the protocol: source positions and names.

Eager and static note the same things on every value that they make, where it stands in the
source and what the program calls it; only where they keep that differs.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager

from .build import Builder, V
from .events import Named, Observer


class PlacedBuilder(Builder[V]):
    """A builder that notes ``line``, ``column`` and ``phase`` on every value it makes."""

    def __init__(self, observer: Observer | None = None, scope: str = "") -> None:
        self.observer = observer
        self.scope = scope
        self.line = 0
        self.column = 0
        self.phase = "forward"

    @contextmanager
    def at(self, line: int, column: int) -> Iterator[None]:
        """Note a source position on the values made inside."""
        before = self.line, self.column
        self.line, self.column = line, column
        try:
            yield
        finally:
            self.line, self.column = before

    def name(self, value: V, name: str) -> None:
        """Note the user's variable name for a value; the first name stays in front."""
        number = self.keep_name(value, name)
        if number is not None and self.observer is not None:
            self.observer.emit(Named(number, name, self.scope))

    @abstractmethod
    def keep_name(self, value: V, name: str) -> int | None:
        """Keep a first name; return the number of the value if it is one of this builder's."""
