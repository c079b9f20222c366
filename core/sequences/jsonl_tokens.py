"""What the values that a shape captures are worth, many at a time.

Durations are computed by numpy on whole numbers; other numbers are remembered by how they are
written; texts are measured one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from .tally import Lengths
from .values import BadRow, frame_decimals

#: Token -> length pairs remembered; beyond it the memory is cleared.
_REMEMBERED = 1 << 18

_ZERO, _POINT, _NEWLINE = b"0.\n"

#: With at most this many digits before the point, and factors below, int64 cannot overflow.
_DIGITS_BEFORE = 9
_MOST_DECIMALS = 6
_LARGEST_FACTOR = 9000
_LARGEST_RATE = 10**6


class Texts:
    """Texts without escapes; ``length`` measures one."""

    def __init__(self, length: Callable[[bytes], int]) -> None:
        self._length = length

    def lengths(self, tokens: Sequence[bytes]) -> Lengths:
        """Return the length of each text."""
        return np.fromiter(map(self._length, tokens), np.int64, len(tokens))


class Numbers(dict[bytes, int]):
    """Numbers as they are written; ``length`` reads one and raises BadRow where it must."""

    def __init__(self, length: Callable[[bytes], int]) -> None:
        super().__init__()
        self._length = length

    def __missing__(self, token: bytes) -> int:
        # Nothing at all stands for a line of another shape.
        length = self[token] = self._length(token) if token else 0
        return length

    def lengths(self, tokens: Sequence[bytes]) -> Lengths | None:
        """Return the lengths of numbers, None if one of them is better judged with its line."""
        if len(self) > _REMEMBERED:
            self.clear()
        try:
            return np.fromiter(map(self.__getitem__, tokens), np.int64, len(tokens))
        except BadRow:
            return None


class Seconds:
    """Durations with a decimal point, at a frame rate where a frame ends after few decimals.

    A token has no digits but those that decide: before the point, the decimals that can end a
    frame, and behind them zeros and at most one other digit, which makes the frame one more.
    """

    def __init__(self, rate: Fraction, places: int) -> None:
        self._places = places
        self._factor = rate / 10**places

    @classmethod
    def at(cls, rate: Fraction) -> Seconds | None:
        """Return the way for a frame rate, None where whole numbers could overflow."""
        places = decisive_decimals(rate)
        if places is None or places > _MOST_DECIMALS or rate > _LARGEST_RATE:
            return None
        found = cls(rate, places)
        return found if found._factor.numerator <= _LARGEST_FACTOR else None

    def lengths(self, tokens: Sequence[bytes]) -> Lengths | None:
        """Return the frames of each duration, rounded up; None if one is not plain JSON.

        An empty token stands for a line of another shape and counts 0.
        """
        if b"" in tokens:
            tokens = [token or b"0.0" for token in tokens]
        codes = np.frombuffer(b"\n".join(tokens) + b"\n", np.uint8)
        ends = np.flatnonzero(codes == _NEWLINE)
        points = np.flatnonzero(codes == _POINT)
        starts = np.concatenate(([0], ends[:-1] + 1))
        before, after = points - starts, ends - points - 1
        most_before = int(before.max())
        if most_before > _DIGITS_BEFORE or np.any((before > 1) & (codes[starts] == _ZERO)):
            return None
        digits = codes - np.uint8(_ZERO)
        value = np.zeros(len(tokens), np.int64)
        for place in range(most_before, 0, -1):
            digit = digits[np.maximum(points - place, 0)]
            value = 10 * value + np.where(before >= place, digit, 0)
        for place in range(1, self._places + 1):
            digit = digits[np.minimum(points + place, digits.size - 1)]
            value = 10 * value + np.where(after >= place, digit, 0)
        more = (after > self._places) & (digits[ends - 1] != 0)
        if self._factor != 1:
            value, rest = np.divmod(value * self._factor.numerator, self._factor.denominator)
            more |= rest > 0
        value += more
        return value


def decisive_decimals(rate: Fraction) -> int | None:
    """Return how many decimals of a duration may be needed, at least 1; None for all of them."""
    places = frame_decimals(rate)
    return None if places is None else max(places, 1)
