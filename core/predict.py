"""Predict, then reveal: which results are hidden, what was guessed, how the guesses went.

Results hide until guessed or revealed. A new setting hides them again, because it is a new
question; the tally of guesses goes on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

#: Columns whose cells hide; what is left is what one predicts from.
HIDDEN = frozenset(
    {"pad", "steps", "waste", "saved", "extra", "graphs", "launches", "wrong", "result", "error"}
    | {"macs", "excess"}
)

#: How a guess can go, best first.
SCORES = ("exact", "close", "off")

Place = tuple[str, str, str]


@dataclass(frozen=True)
class Prediction:
    """What is revealed (table, row), what was guessed (table, row, column) and the tally."""

    revealed: frozenset[tuple[str, str]] = frozenset()
    guesses: Mapping[Place, str] = field(default_factory=dict)
    tally: tuple[int, int, int] = (0, 0, 0)

    def hides(self, table: str, row: str, column: str) -> bool:
        """Return whether a cell is still a question."""
        if column not in HIDDEN or (table, row) in self.revealed:
            return False
        return (table, row, column) not in self.guesses

    def reveal(self, table: str, row: str) -> Prediction:
        """Show a row."""
        return replace(self, revealed=self.revealed | {(table, row)})

    def guess(self, place: Place, score: str) -> Prediction:
        """Keep a guess with its score, which is one of :data:`SCORES`."""
        counts = [count + (name == score) for name, count in zip(SCORES, self.tally, strict=True)]
        return replace(
            self,
            guesses={**self.guesses, place: score},
            tally=(counts[0], counts[1], counts[2]),
        )

    def asked_again(self) -> Prediction:
        """Hide everything for a new setting; the tally stays."""
        return Prediction(tally=self.tally)
