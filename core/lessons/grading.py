"""Grading: a typed answer against a computed one, as exact, close, off or unreadable.

What is accepted, whatever the keyboard: full-width characters, thousands separators (``1,270``,
``1 270``, ``1_270``), a percent sign, a sign, ``92/100`` for 92, and the words of the screens.

========  =====================================================================================
exact     a whole number that is equal; any other number that rounds to what was typed, as long
          as rounding changed it by no more than 1% of itself; the same word or list
close     a number within 5% of the truth; a share also within 2 percentage points; a list of
          the right length whose members are each within 5%
off       anything else that could be read
========  =====================================================================================
"""

from __future__ import annotations

import math
import re
import unicodedata
from fractions import Fraction

Truth = int | float | bool | str | tuple[int, ...] | None

#: The grades that count as an answer, best first; the fourth is ``unreadable``.
GRADES = ("exact", "close", "off")
UNREADABLE = "unreadable"

#: Relative difference up to which a number is close.
CLOSE = Fraction(5, 100)

#: Difference up to which a share is close: 2 percentage points.
CLOSE_SHARE = Fraction(2, 100)

#: A typed rounding counts as exact while it changes the number by no more than this part of it.
ROUNDED = Fraction(1, 100)

YES = frozenset(("ok", "yes", "y", "true", "right", "correct", "same", "+", "✓", "√")) | frozenset(
    ("对", "是", "正确", "真", "一样", "相同")
)
NO = frozenset(("wrong", "no", "n", "false", "incorrect", "different", "x", "✗", "×")) | frozenset(
    ("错", "否", "不", "不对", "不是", "错误", "假")
)
NOTHING = frozenset(("none", "nothing", "-", "null", "n/a", "无", "没有"))

_MOST_CHARACTERS = 400


def grade(typed: str, truth: Truth, *, share: bool = False) -> str:
    """Grade what was typed: ``exact``, ``close``, ``off`` or ``unreadable``.

    ``share`` says that the truth is a part of one, shown as a percentage: then ``46.8``,
    ``46.8%`` and ``0.468`` all mean the same, and the reading that comes nearest counts.
    """
    text = plain(typed)
    if not text or len(text) > _MOST_CHARACTERS:
        return UNREADABLE
    if truth is None:
        return _graded_nothing(text)
    if isinstance(truth, bool):
        said = word_of(text)
        return UNREADABLE if said is None else ("exact" if said is truth else "off")
    if isinstance(truth, str):
        return "exact" if text == plain(truth) else "off"
    if isinstance(truth, tuple):
        return _graded_list(text, truth)
    if isinstance(truth, float) and not math.isfinite(truth):
        return _graded_infinite(text, truth)
    return _graded_number(text, truth, share)


def plain(typed: str) -> str:
    """Return typed text in ASCII forms and lower case, without blanks around it."""
    text = unicodedata.normalize("NFKC", typed).translate(_ALIKE)
    return text.strip().casefold()


def word_of(text: str) -> bool | None:
    """Return what a plain word such as ok, wrong, yes or no says; None for any other."""
    if text in YES:
        return True
    return False if text in NO else None


def _graded_nothing(text: str) -> str:
    if text in NOTHING:
        return "exact"
    return UNREADABLE if _number(text) is None else "off"


def _graded_infinite(text: str, truth: float) -> str:
    name = "nan" if math.isnan(truth) else "inf" if truth > 0 else "-inf"
    if text.removeprefix("+") == name:
        return "exact"
    return "off" if text in ("nan", "inf", "-inf") or _number(text) is not None else UNREADABLE


def _graded_number(text: str, truth: float, share: bool) -> str:
    read = _number(text)
    if read is None or (read.percent and not share):
        return UNREADABLE
    readings = [read.scaled(100)] if read.percent else [read]
    if share and not read.percent:
        readings.append(read.scaled(100))
    grades = [_compared(one, truth, share) for one in readings]
    return min(grades, key=GRADES.index)


def _compared(read: _Read, truth: float, share: bool) -> str:
    exact_truth = Fraction(truth)
    difference = abs(read.value - exact_truth)
    size = abs(exact_truth)
    if difference == 0:
        return "exact"
    if isinstance(truth, float) and difference <= min(read.half_digit, ROUNDED * size):
        return "exact"
    if difference <= CLOSE * size or (share and difference <= CLOSE_SHARE):
        return "close"
    return "off"


def _graded_list(text: str, truth: tuple[int, ...]) -> str:
    words = [word for word in re.split(r"[,;\s]+", text.strip("[]()")) if word]
    if not words or not all(re.fullmatch(r"\d{1,30}", word, re.ASCII) for word in words):
        return UNREADABLE
    typed = tuple(int(word) for word in words)
    if typed == truth:
        return "exact"
    near = len(typed) == len(truth) and all(
        abs(one - right) <= CLOSE * right for one, right in zip(typed, truth, strict=True)
    )
    return "close" if near else "off"


class _Read:
    """A number as typed: its value, half of its last digit, whether it was in percent."""

    def __init__(self, value: Fraction, half_digit: Fraction, percent: bool) -> None:
        self.value = value
        self.half_digit = half_digit
        self.percent = percent

    def scaled(self, by: int) -> _Read:
        """Return the number that this many hundredths, thousandths … are."""
        return _Read(self.value / by, self.half_digit / by, self.percent)


_NUMBER = re.compile(
    r"(?P<sign>[+-]?)\s*(?P<whole>\d{1,3}(?:[,_' ]\d{3})+|\d{1,40})?(?:\.(?P<part>\d{0,40}))?"
    r"(?P<power>e[+-]?\d{1,3})?\s*(?P<percent>%?)",
    re.ASCII,
)


def _number(text: str) -> _Read | None:
    """Read a number; None for what is none."""
    text = re.sub(r"\s*/\s*\d{1,40}$", "", text)
    match = _NUMBER.fullmatch(text.removeprefix("~").strip())
    if match is None or not (match["whole"] or match["part"]):
        return None
    whole = re.sub(r"[,_' ]", "", match["whole"] or "0")
    part = match["part"] or ""
    power = Fraction(10) ** int((match["power"] or "e0")[1:])
    value = Fraction(int(whole + part), 10 ** len(part)) * power
    value = -value if match["sign"] == "-" else value
    return _Read(value, Fraction(1, 2 * 10 ** len(part)) * power, bool(match["percent"]))


#: Signs that mean the same and that NFKC leaves apart.
_ALIKE = {0x2212: "-", 0x2013: "-", 0x2014: "-", 0x3001: ",", 0x3002: ".", 0x066C: ",", 0x2019: "'"}
