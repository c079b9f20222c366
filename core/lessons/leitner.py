"""Leitner boxes: what was answered wrong comes back soon, what was right later and later.

Every kind of question is a card in one of five boxes and starts in the first. Right moves it one
box on, nearly right leaves it, wrong puts it back into the first. A card of box 1, 2, 3, 4, 5 is
due again after 1, 2, 4, 8, 16 draws. Progress is kept in a versioned file that is written whole
or not at all.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeGuard

from ..errors import DgplayError
from ..foreign import reason, unread
from ..saving import refuse_newer, set_aside, write_atomically
from ..wording import say

FORMAT = "dgplay-quiz"
VERSION = 1

BOXES = 5


@dataclass(frozen=True)
class Card:
    """Where a kind of question is: its box, and the draw from which on it is due."""

    box: int
    due: int


@dataclass(frozen=True)
class Boxes:
    """How many draws there were, and the cards that were ever answered."""

    draws: int = 0
    cards: Mapping[str, Card] = field(default_factory=dict)

    def box_of(self, id: str) -> int:
        """Return the box of a question; one that was never answered is in the first."""
        return self.cards[id].box if id in self.cards else 1

    def drawn(self) -> Boxes:
        """Begin another draw."""
        return replace(self, draws=self.draws + 1)

    def answered(self, id: str, grade: str) -> Boxes:
        """Move a card: on for ``exact``, nowhere for ``close``, back to the first for ``off``."""
        box = {"exact": min(self.box_of(id) + 1, BOXES), "close": self.box_of(id)}.get(grade, 1)
        card = Card(box, self.draws + 2 ** (box - 1))
        return replace(self, cards={**self.cards, id: card})

    def ordered(self, ids: Iterable[str]) -> list[str]:
        """Put questions into the order in which they should come.

        First what was wrong and is due, then what is new or due, in the given order, last what
        would not be due yet, the soonest first.
        """

        def rank(id: str) -> tuple[int, int]:
            card = self.cards.get(id)
            if card is None:
                return (1, 0)
            if card.due > self.draws:
                return (2, card.due)
            return (0, 0) if card.box == 1 else (1, 0)

        return sorted(ids, key=rank)


def save_boxes(path: Path, boxes: Boxes) -> None:
    """Keep progress; raises DgplayError where it cannot be written."""
    cards = {id: {"box": card.box, "due": card.due} for id, card in boxes.cards.items()}
    record = {"format": FORMAT, "version": VERSION, "draws": boxes.draws, "cards": cards}
    write_atomically(path, json.dumps(record, indent=1) + "\n")


def load_boxes(path: Path) -> Boxes:
    """Read progress; without a file nothing has been answered.

    Raises DgplayError where it cannot be read. A damaged file is set aside first, and the error
    names its new place; one of a newer version stays where it is and must not be written over.
    """
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Boxes()
    except OSError as error:
        raise DgplayError(
            say("cannot be read: {reason}", reason=reason(error)), where=str(path)
        ) from error
    except (ValueError, RecursionError) as error:
        raise set_aside(path, unread(error)) from error
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise set_aside(path, say("it does not say that it is the progress of a quiz"))
    version = record.get("version")
    if not _whole(version, 1):
        raise set_aside(path, say("it has no version"))
    refuse_newer(version, VERSION, path)
    boxes = _boxes(record)
    if boxes is None:
        raise set_aside(path, say("its cards cannot be read"))
    return boxes


def _boxes(record: dict[str, Any]) -> Boxes | None:
    draws, cards = record.get("draws"), record.get("cards")
    if not _whole(draws, 0) or not isinstance(cards, dict):
        return None
    read = {}
    for id, card in cards.items():
        if not isinstance(card, dict):
            return None
        box, due = card.get("box"), card.get("due")
        if not (_whole(box, 1) and _whole(due, 0)) or box > BOXES:
            return None
        read[id] = Card(box, due)
    return Boxes(draws, read)


def _whole(value: Any, least: int) -> TypeGuard[int]:
    """Return whether a value is a whole number from ``least`` on."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= least
