"""What one row is worth: numbers, seconds and pieces of text turned into exact lengths.

A length is a whole number from 0 to 2^53. Numbers are read as the decimals that are written,
never as binary floats, so that 1.10 s at 100 frames a second is 110 frames and not 111.
"""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from fractions import Fraction

from ..wording import say

#: The longest length that is read; beyond it other tools' floats cannot count.
LARGEST = 2**53

#: Frame rates above this (or below its inverse) are refused; it keeps exact products small.
EXTREME_RATE = 10**12

_NUMBER = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?\Z")
_NON_FINITE = re.compile(r"[-+]?(?:nan|inf|infinity)\Z", re.IGNORECASE)

#: Decimals with more leading or fewer trailing places than these are decided without arithmetic.
_MANY_PLACES = 60


class BadRow(Exception):  # noqa: N818  (a finding about one row, not a failure of the program)
    """One row that holds no length: ``what`` is wrong, and ``hint`` says what to try."""

    def __init__(self, what: str, hint: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.hint = hint


def shown(text: str, limit: int = 40) -> str:
    """Return text fit for one line of a message: shortened, unprintable characters escaped."""
    short = text if len(text) <= limit else text[: limit - 1] + "…"
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in short)


def looks_like_number(text: str) -> bool:
    """Say whether text is written as a number; NaN and infinities count, so they get refused."""
    stripped = text.strip()
    return bool(_NUMBER.match(stripped) or _NON_FINITE.match(stripped))


def whole(text: str) -> int:
    """Read a length written as a whole number; ``3.0`` and ``3e0`` are 3 (pandas writes those).

    Raises BadRow for anything else: text, NaN, infinities, negative or fractional numbers, and
    numbers above 2^53.
    """
    stripped = text.strip()
    if len(stripped) <= 15 and stripped.isascii() and stripped.isdigit():
        return int(stripped)
    number = _decimal(stripped)
    if number > LARGEST:
        raise BadRow(
            say(
                "{text} is above 2^53, the longest length there can be",
                text=shown(stripped),
            )
        )
    if number != int(number):
        raise BadRow(
            say("{text} is not a whole number", text=shown(stripped)),
            say("if these are seconds, name the field and give --frame-rate"),
        )
    return int(number)


def frames(text: str, rate: Fraction) -> int:
    """Return the frames of a duration: seconds as written × rate (per second), rounded up.

    Raises BadRow for what is not a finite number, is negative, or makes more than 2^53 frames.
    """
    stripped = text.strip()
    before, _, after = stripped.partition(".")
    digits = before + after
    if len(digits) <= 15 and before and digits.isascii() and digits.isdigit():
        count = _ceiling(int(digits), 10 ** len(after), rate)
        if count <= LARGEST:
            return count
    seconds = _decimal(stripped)
    if not seconds:
        return 0
    if seconds.adjusted() < -_MANY_PLACES:
        return 1
    if seconds.adjusted() < _MANY_PLACES:
        count = _ceiling(*seconds.as_integer_ratio(), rate)
        if count <= LARGEST:
            return count
    raise BadRow(say("{text} seconds are more than 2^53 frames", text=shown(stripped)))


def _ceiling(numerator: int, denominator: int, rate: Fraction) -> int:
    return -(-numerator * rate.numerator // (denominator * rate.denominator))


def frame_decimals(rate: Fraction) -> int | None:
    """Return how many decimals of a duration in seconds end a frame, None if no number does.

    At 100 frames a second it is 2, at 12.5 it is 2 (0.08 s), at 44100 there is none. Digits
    beyond it matter only in being all zero or not.
    """
    frame = 1 / rate
    for places in range(10):
        if (frame * 10**places).denominator == 1:
            return places
    return None


def measure(text: str, unit: str) -> int:
    """Return the length of a text: its ``words`` (``str.split()``), ``chars`` or ``bytes``."""
    if unit == "chars":
        return len(text)
    if unit == "bytes":
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text.split())


def decoded(line: bytes) -> str:
    """Return a line of a file as text. Raises BadRow where a byte of it is not UTF-8."""
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        found = say(
            "byte 0x{byte:02x} at column {column} is not UTF-8",
            byte=line[error.start],
            column=error.start + 1,
        )
        raise BadRow(found, say("save the file as UTF-8")) from None


def _decimal(text: str) -> Decimal:
    """Return a number >= 0 exactly as written, or raise BadRow saying why there is none."""
    if not text:
        raise BadRow(say("empty where a number is expected"))
    if _NON_FINITE.match(text):
        raise BadRow(say("{text} is not a finite number", text=shown(text)))
    if not _NUMBER.match(text):
        raise BadRow(say('"{text}" is not a number', text=shown(text)))
    try:
        number = Decimal(text)
    except InvalidOperation:
        raise BadRow(say("{text} is out of the range of numbers", text=shown(text))) from None
    if number < 0:
        raise BadRow(say("{text} is negative", text=shown(text)))
    return number
