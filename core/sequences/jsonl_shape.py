"""The shape of a JSON line as a regular expression, for lines that differ in their values only.

A shape has the keys, the punctuation and the spaces of the line it was made from; each value is
any value of the same type. It matches only lines that are valid JSON, and captures the value of
one field: a number as written, or a text without escapes. What it cannot prove, it leaves.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import chain

import numpy as np

from .jsonl_tokens import decisive_decimals

_TOKEN = re.compile(
    rb'(?P<string>"[^"\\\x00-\x1f]*")|(?P<word>true|false|null)'
    rb"|(?P<number>-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)"
    rb"|(?P<mark>[][{}:,])|(?P<space>[ \t]+)"
)
_KEY_FOLLOWS = re.compile(rb"[ \t]*:")

_NUMBER = rb"-?+(?:0|[1-9][0-9]{0,17}+)(?:\.[0-9]{1,40}+)?+(?:[eE][-+]?+[0-9]{1,3}+)?+"
_WORD = rb"(?:true|false|null)"
_WHOLE = rb"([0-9]{1,15}+)(?:\.0{1,40}+)?+"
#: Any text, in a block that is known to have neither backslashes nor control characters.
_EASY_STRING = rb'"[^"]*+"'
_SAFE_STRING = rb'"[^"\\\x00-\x1f]*+"'

#: Lines of more tokens than this are lists of data; no two of them have one shape.
_MOST_PARTS = 400

#: Lines that one match of the fast expression takes at once.
_TOGETHER = 8

#: Stands for a captured string until it is known which kind of string it is.
_CAPTURED = b"\x00"

_NEWLINE = 10
_FIRST_PRINTABLE = 32


@dataclass(frozen=True)
class Shape:
    """One shape of line, with its measured value captured.

    ``easy`` is right where the whole block is harmless; ``safe`` is right anywhere. ``decimals``
    says that the value is a duration with a decimal point.
    """

    easy: bytes
    safe: bytes
    decimals: bool

    @classmethod
    def of(cls, line: bytes, field: str, kind: str | Fraction) -> Shape | None:
        """Return the shape of a valid line, None where it has none that is safe to use.

        ``kind`` is ``number`` (a whole one), ``text``, or the frame rate for seconds.
        """
        parts = _parts(line, field, kind)
        if parts is None:
            return None
        easy, safe = (
            b"".join(string if part is None else part for part in parts).replace(
                _CAPTURED, b'"(' + string[1:-1] + b')"'
            )
            for string in (_EASY_STRING, _SAFE_STRING)
        )
        decimals = isinstance(kind, Fraction) and _seconds(kind, True) in parts
        return cls(easy + rb"\n", safe + rb"\n", decimals)

    @cached_property
    def _one(self) -> re.Pattern[bytes]:
        return re.compile(b"^" + self.easy, re.MULTILINE)

    @cached_property
    def _several(self) -> re.Pattern[bytes]:
        return re.compile(b"^" + self.easy * _TOGETHER, re.MULTILINE)

    @cached_property
    def _any(self) -> re.Pattern[bytes]:
        return re.compile(rb"^(?:" + self.safe + rb"|(.*\n))", re.MULTILINE)

    def whole_block(self, block: bytes) -> list[bytes] | None:
        """Return the captured value of every line, None unless each line has this shape.

        In a block of valid UTF-8 without backslashes and control characters, a match from the
        start of a line to a newline is a valid line, if it holds no other newline; and none does
        if there are as many matches as newlines.
        """
        codes = np.frombuffer(block, np.uint8)
        newlines = int(np.count_nonzero(codes == _NEWLINE))
        if b"\\" in block or np.count_nonzero(codes < _FIRST_PRINTABLE) != newlines:
            return None
        if not _is_utf8(block):
            return None
        # One match for several lines costs less; the same argument holds for it.
        groups, left = divmod(newlines, _TOGETHER)
        cut = len(block)
        for _ in range(left):
            cut = block.rfind(b"\n", 0, cut - 1) + 1
        found = self._several.findall(block[:cut])
        if len(found) != groups:
            return None
        rest = self._one.findall(block[cut:])
        if len(rest) != left:
            return None
        return [*chain.from_iterable(found), *rest]

    def lines(self, block: bytes) -> list[tuple[bytes, bytes]]:
        """Return for every line its captured value and nothing, or nothing and the line.

        The line of the second kind still has its newline, so it is never empty.
        """
        if not _is_utf8(block):
            return [(b"", line + b"\n") for line in block[:-1].split(b"\n")]
        return self._any.findall(block)


def _is_utf8(block: bytes) -> bool:
    if block.isascii():
        return True
    try:
        block.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _value(kind: str | Fraction, token: bytes, is_number: bool) -> bytes | None:
    """Return the pattern that captures the measured value, None where its type does not fit."""
    if kind == "text":
        return None if is_number else _CAPTURED
    if not is_number:
        return None
    return _seconds(kind, b"." in token) if isinstance(kind, Fraction) else _WHOLE


def _seconds(rate: Fraction, fraction: bool) -> bytes:
    """Return the pattern of a duration, capturing no more of it than decides its frames.

    Behind the decimals that end a frame only the first digit that is not zero matters: it
    makes the frame one more. So long decimals become few distinct captures.
    """
    if not fraction:
        return rb"([0-9]{1,15}+)"
    places = decisive_decimals(rate)
    if places is None:
        return rb"([0-9]{1,15}+\.[0-9]{1,40}+)"
    return rb"([0-9]{1,15}+\.[0-9]{1,%d}+0*+[1-9]?+)[0-9]*+" % places


def _parts(line: bytes, field: str, kind: str | Fraction) -> list[bytes | None] | None:
    """Cut a line into patterns, None standing for any string; None if it cannot be used.

    The field must stand once at the top level, and no key may have an escape.
    """
    parts: list[bytes | None] = []
    place = depth = found = 0
    measured = False
    key = b'"' + field.encode("utf-8", "surrogatepass") + b'"'
    while place < len(line):
        if len(parts) > _MOST_PARTS:
            return None
        token = _TOKEN.match(line, place)
        if token is None:
            return None
        place = token.end()
        text, group = token[0], token.lastgroup
        if group == "mark":
            depth += {b"{": 1, b"[": 1, b"}": -1, b"]": -1}.get(text, 0)
            if measured and text in b"{[":
                return None
        if group == "string" and _KEY_FOLLOWS.match(line, place):
            measured = depth == 1 and text == key
            found += measured
            parts.append(re.escape(text))
        elif group in ("mark", "space"):
            parts.append(re.escape(text))
        elif measured:
            value = None if group == "word" else _value(kind, text, group == "number")
            if value is None:
                return None
            parts.append(value)
            measured = False
        else:
            parts.append({"string": None, "number": _NUMBER, "word": _WORD}[group or ""])
    return parts if found == 1 else None
