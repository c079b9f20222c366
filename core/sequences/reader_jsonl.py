"""Reader of JSONL: one object a line, one field of it measured.

Two ways lead through a block of lines. The slow one parses each line with the json module and
defines what is right. The fast one matches lines against the shape of an earlier line
(jsonl_shape.py) and leaves each line that it cannot prove the same to the slow one.
"""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from ..foreign import foreign
from ..wording import say
from .dataset import DataOptions
from .fields import NUMERIC, choose_field, frame_rate, holds_seconds, unit_of
from .jsonl_shape import Shape
from .jsonl_tokens import Numbers, Seconds, Texts
from .reading import Reading
from .streams import ByteStream, line_blocks
from .tally import Lengths, Tally
from .values import LARGEST, BadRow, decoded, frames, measure, shown, whole

#: Shapes tried, one after another, before a file is taken for irregular.
_SHAPES = 8

#: Lines looked at for one shape.
_LOOKED_AT = 64


class Literal(str):
    """A number as it is written in JSON, so that nothing of it is lost."""

    __slots__ = ()


_DECODER = json.JSONDecoder(parse_float=Literal, parse_constant=Literal)
_LONG_DECODER = json.JSONDecoder(parse_float=Literal, parse_constant=Literal, parse_int=Literal)


def parse_row(text: str) -> dict[str, Any]:
    """Return the object that a line holds; its fractional and very long numbers are Literals.

    Raises BadRow.
    """
    try:
        try:
            row = _DECODER.decode(text)
        except json.JSONDecodeError:
            raise
        except ValueError:  # more digits than Python converts at once
            row = _LONG_DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise BadRow(
            say(
                "broken JSON at column {column}: {problem}",
                column=error.colno,
                problem=foreign(error.msg),
            )
        ) from None
    except RecursionError:
        raise BadRow(say("the JSON is nested too deeply")) from None
    if not isinstance(row, dict):
        raise BadRow(
            say("{found} where an object is expected", found=_a_kind(row)),
            say("JSONL is one object a line"),
        )
    return row


#: Types of JSON with their articles.
_NULL, _TRUTH = say("null"), say("true or false")
_NUMBER, _TEXT = say("a number"), say("a text")
_LIST, _OBJECT = say("a list"), say("an object")


def _a_kind(value: object) -> str:
    """Name the JSON type of a value, with its article."""
    if value is None:
        return _NULL
    if isinstance(value, bool):
        return _TRUTH
    if isinstance(value, (int, Literal)):
        return _NUMBER
    if isinstance(value, str):
        return _TEXT
    return _LIST if isinstance(value, list) else _OBJECT


_SHAPE_NAMES: dict[str, str] = {_NUMBER: "number", _LIST: "list", _TEXT: "text"}


class Measure:
    """How the field of a file is measured, settled by its first row: number, list or text."""

    def __init__(self, field: str, first: object, options: DataOptions) -> None:
        self.field = field
        self.seconds = holds_seconds(field, options)
        self.rate: Fraction = frame_rate(options)
        self.text_unit = options.unit or "words"
        kind = _a_kind(first)
        # A duration is a number; so is a length, unless the file has lists under that name.
        if self.seconds or (field in NUMERIC and kind != _LIST):
            kind = _NUMBER
        if kind not in _SHAPE_NAMES:
            raise BadRow(
                say(
                    "field {field} is {kind}, not a number, a list or a text",
                    field=shown(field),
                    kind=kind,
                )
            )
        self.kind = kind
        self.shape = _SHAPE_NAMES[kind]

    def row(self, row: dict[str, Any]) -> int:
        """Return the length of a row. Raises BadRow."""
        if self.field not in row:
            raise BadRow(say("no field {field}", field=shown(self.field)))
        value = row[self.field]
        kind = _a_kind(value)
        if kind != self.kind:
            raise BadRow(
                say(
                    "field {field} is {kind} where {wanted} is expected",
                    field=shown(self.field),
                    kind=kind,
                    wanted=self.kind,
                )
            )
        if self.shape == "list":
            return len(value)
        if self.shape == "text":
            return measure(value, self.text_unit)
        if self.seconds:
            return frames(str(value), self.rate)
        if type(value) is int and 0 <= value <= LARGEST:
            return value
        return whole(str(value))

    def tokens(self, shape: Shape) -> Texts | Numbers | Seconds:
        """Return what measures the values that lines of a shape have there."""
        if self.shape == "text":
            return Texts(self.token)
        fast = Seconds.at(self.rate) if shape.decimals else None
        return Numbers(self.token) if fast is None else fast

    def token(self, token: bytes) -> int:
        """Return the length for what a shape captured: a number, or the inside of a text."""
        if self.shape == "text":
            return measure(token.decode("utf-8"), self.text_unit)
        if token.startswith(b"0") and token[1:2].isdigit():
            raise BadRow(say("a leading zero is not JSON"))
        text = token.decode("ascii")
        return frames(text, self.rate) if self.seconds else whole(text)


def read_jsonl(stream: ByteStream, tally: Tally, options: DataOptions) -> Reading:
    """Read one field of each object; blank lines are passed over."""
    rows = Rows(tally, options)
    for block in line_blocks(stream):
        rows.block(block)
    how = rows.how
    if how is None:
        return Reading("JSONL")
    unit = unit_of(how.field, how.shape, options)
    return Reading("JSONL", how.field, unit, how.seconds and options.frame_rate is None)


class Rows:
    """Takes blocks of lines to the tally; without ``fast`` every line goes the slow way."""

    def __init__(self, tally: Tally, options: DataOptions, *, fast: bool = True) -> None:
        self.how: Measure | None = None
        self._tally = tally
        self._options = options
        self._line = 1
        self._shape: Shape | None = None
        self._shapes_left = _SHAPES if fast else 0
        self._worth: Texts | Numbers | Seconds | None = None

    def block(self, block: bytes) -> None:
        """Take the next block, which ends in a newline."""
        while block and self._shape is None and self._shapes_left:
            block = self._learn(block)
        if not block:
            return
        if self._shape is None or self._worth is None:
            self._slow_lines(block[:-1].split(b"\n"))
            return
        values = self._shape.whole_block(block)
        lengths = None if values is None else self._worth.lengths(values)
        if lengths is None:
            self._mixed(block, self._shape, self._worth)
        else:
            self._tally.add_many(lengths, range(self._line, self._line + lengths.size))
            self._line += lengths.size

    def _learn(self, block: bytes) -> bytes:
        """Take lines up to the first that gives a shape; return what is left of the block."""
        self._shapes_left -= 1
        begin = 0
        for _ in range(_LOOKED_AT):
            end = block.find(b"\n", begin)
            if end < 0:
                return b""
            line, begin = block[begin:end], end + 1
            if not self._slow_line(line) or self.how is None:
                continue
            if self.how.shape == "list":
                self._shapes_left = 0
                break
            kind = self.how.rate if self.how.seconds else self.how.shape
            self._shape = Shape.of(line, self.how.field, kind)
            if self._shape is not None:
                self._worth = self.how.tokens(self._shape)
                break
        return block[begin:]

    def _mixed(self, block: bytes, shape: Shape, worth: Texts | Numbers | Seconds) -> None:
        """Take a block of which some lines have another shape, in the order of the lines."""
        values, others = zip(*shape.lines(block), strict=True)
        lengths = worth.lengths(values)
        if lengths is None:
            self._slow_lines(block[:-1].split(b"\n"))
            return
        first, begin = self._line, 0
        rows = np.ones(len(lengths), np.bool_)
        slow = [place for place, other in enumerate(others) if other]
        for place in slow:
            try:
                length = self._parsed(others[place][:-1], first + place)
            except BadRow as problem:
                self._add(lengths[begin:place], rows[begin:place], first + begin)
                self._tally.bad(problem, first + place)
                begin = place + 1
            else:
                rows[place] = length is not None
                lengths[place] = length or 0
        self._add(lengths[begin:], rows[begin:], first + begin)
        self._line = first + len(lengths)
        if 2 * len(slow) > len(lengths):
            self._shape = None  # most lines have another shape: learn anew

    def _add(self, lengths: Lengths, rows: npt.NDArray[np.bool_], line: int) -> None:
        """Add the lengths of lines from ``line`` on, those that are rows."""
        self._tally.add_many(lengths[rows], (np.flatnonzero(rows) + line).tolist())

    def _slow_lines(self, lines: list[bytes]) -> None:
        for line in lines:
            self._slow_line(line)

    def _slow_line(self, line: bytes) -> bool:
        """Take one line by parsing it; return whether it was a good row."""
        number = self._line
        self._line += 1
        try:
            length = self._parsed(line, number)
        except BadRow as problem:
            self._tally.bad(problem, number)
            return False
        if length is None:
            return False
        self._tally.add(length, number)
        return True

    def _parsed(self, line: bytes, number: int) -> int | None:
        """Return the length of a line, None if it is blank. Raises BadRow."""
        text = decoded(line)
        if not text.strip():
            return None
        row = parse_row(text)
        if self.how is None:
            field = choose_field(list(row), self._options.field, f"{self._tally.name}:{number}")
            self.how = Measure(field, row[field], self._options)
        return self.how.row(row)
