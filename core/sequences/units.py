"""What one step of a sequence is, and which data may be added up."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from ..wording import say

_CATEGORIES = (
    ("frame", "frames"),
    ("word", "words"),
    ("character", "chars"),
    ("char", "chars"),
    ("byte", "bytes"),
    ("token", "tokens"),
    ("residue", "residues"),
    ("nucleotide", "residues"),
    ("item", "items"),
)
_PERIOD = re.compile(r"([0-9]+(?:\.[0-9]+)?) ?ms\b")


@dataclass(frozen=True)
class Unit:
    """The unit of lengths; ``rate`` is frames per second where a step is a frame of a clock."""

    name: str
    rate: Fraction | None = None

    def __str__(self) -> str:
        name = say(self.name)
        if not self.rate:
            return name
        return say("{unit} of {rate} a second", unit=name, rate=shown_rate(self.rate))


def shown_rate(rate: Fraction) -> str:
    """Return a rate as a person writes it: 100, 12.5, or 1/3 where no short decimal is it."""
    if rate.denominator == 1:
        return str(rate.numerator)
    decimal = f"{float(rate):g}"
    return decimal if Fraction(decimal) == rate else str(rate)


def unit_in_words(text: str) -> Unit | None:
    """Read a unit from a remark such as ``whitespace words`` or ``10 ms frames``.

    None where the remark names no unit that is known here.
    """
    lowered = text.lower()
    found = [
        (lowered.index(word), name)
        for word, name in _CATEGORIES
        if re.search(rf"\b{word}", lowered)
    ]
    if not found:
        return None
    name = min(found)[1]
    period = _PERIOD.search(lowered) if name == "frames" else None
    if period is None or not Fraction(period[1]):
        return Unit(name)
    return Unit(name, 1000 / Fraction(period[1]))
