"""Costs: what one sequence padded to a length costs, in exact whole numbers.

A plan minimises count * price(pad_to), where the price never falls as the length grows: the length
itself, its square (attention), A * length + B * length^2, or a table of measured times. Times are
decimals; they are scaled by one power of ten to whole numbers, so totals stay exact, and
:meth:`Cost.exact` gives a total back in its own unit.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from pathlib import Path

from ..errors import DataError, PlanError
from ..foreign import reason
from ..wording import say

#: A decimal as people write it; the exponent is short so that no row makes astronomical numbers.
_DECIMAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,2})?")
_WHOLE = re.compile(r"\d+")
_PAIR = re.compile(r"\s*([+-]?[\d.]+)\s*[,，]\s*([+-]?[\d.]+)\s*")


@dataclass(frozen=True)
class CostTable:
    """Measured times: ascending ``lengths``, their ``prices`` in 10^-digits milliseconds.

    ``where`` is the file and line of the longest length, for the message of a length beyond it.
    """

    lengths: tuple[int, ...]
    prices: tuple[int, ...]
    digits: int
    where: str

    def price(self, length: int) -> int:
        """Return the time of the next measured length; raises PlanError above the last one."""
        place = bisect_left(self.lengths, length)
        if place == len(self.lengths):
            raise PlanError(
                say(
                    "the table ends at length {last}, below the {length} to be priced",
                    last=self.lengths[-1],
                    length=length,
                ),
                where=self.where,
                hint=say("measure a length of at least {length}", length=length),
            )
        return self.prices[place]


@dataclass(frozen=True)
class Cost:
    """A price per sequence: ``linear`` * length + ``square`` * length^2, or a ``table``.

    ``name`` is the cost as a command line spells it.
    """

    name: str
    linear: int = 0
    square: int = 0
    table: CostTable | None = None

    @property
    def unit(self) -> str:
        """What a total counts: steps where the price is the length, ms for a table."""
        if self.table is not None:
            return "ms"
        return "steps" if self.is_steps else "cost"

    @property
    def is_steps(self) -> bool:
        """Whether the cost of a plan is its padded steps."""
        return self.table is None and (self.linear, self.square) == (1, 0)

    @property
    def scale(self) -> int:
        """How many units of :meth:`price` make one unit of the cost: a power of ten."""
        return 1 if self.table is None else 10**self.table.digits

    def price(self, length: int) -> int:
        """Return what one sequence padded to ``length`` costs, in 1/``scale`` of the unit.

        Raises PlanError for a length that a table does not reach.
        """
        if self.table is not None:
            return self.table.price(length)
        return length * (self.linear + self.square * length)

    def prices(self, lengths: Iterable[int]) -> list[int]:
        """Return the price of each length."""
        return [self.price(length) for length in lengths]

    def exact(self, total: int) -> int | Decimal:
        """Return a sum of prices in the cost's own unit, exactly; whole where it is whole."""
        digits = 0 if self.table is None else self.table.digits
        while digits and total % 10 == 0:
            total, digits = total // 10, digits - 1
        if not digits:
            return total
        figures = tuple(int(figure) for figure in str(abs(total)))
        return Decimal((int(total < 0), figures, -digits))


LINEAR = Cost("linear", linear=1)
QUADRATIC = Cost("quadratic", square=1)


def parse_cost(text: str) -> Cost:
    """Return the cost that ``linear``, ``quadratic``, ``A,B`` or the name of a file stands for.

    Raises PlanError for A and B that are not whole numbers of at least 0 or both 0, and DataError
    for a file that cannot be read or does not hold a table.
    """
    for known in (LINEAR, QUADRATIC):
        if text == known.name:
            return known
    pair = _PAIR.fullmatch(text)
    if pair is None:
        return read_cost_table(text)
    if not all(_WHOLE.fullmatch(part) for part in pair.groups()):
        raise PlanError(
            say("{text!r} is not A,B", text=text),
            where="--cost",
            hint=say("A and B are whole numbers of at least 0"),
        )
    return affine(int(pair[1]), int(pair[2]))


def affine(linear: int, square: int) -> Cost:
    """Return the cost linear * length + square * length^2; raises PlanError where it cannot be."""
    if linear < 0 or square < 0:
        raise PlanError(
            say("a cost of {linear},{square} falls", linear=linear, square=square),
            hint=say("A and B are at least 0"),
        )
    if linear == square == 0:
        raise PlanError(say("a cost of 0,0 makes every plan free"), hint=say("give A or B above 0"))
    return Cost(f"{linear},{square}", linear, square)


def read_cost_table(path: str | Path) -> Cost:
    """Read rows of ``length, milliseconds`` (comma, tab or blanks between them), in any order.

    A heading, blank lines, ``#`` comments, a byte order mark and CRLF are tolerated. Raises
    DataError with file and line for a row that is not a whole length and a decimal time, for a
    length given twice, and where a longer length takes less time than a shorter one.
    """
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise DataError(
            say("cannot be read as a cost table ({reason})", reason=reason(error)),
            where=str(path),
            hint=say("a cost is linear, quadratic, A,B or a file of length,milliseconds"),
        ) from error
    except UnicodeDecodeError as error:
        raise DataError(say("is not UTF-8 text"), where=str(path)) from error
    rows = sorted(_rows(text, str(path)), key=lambda row: row[0])
    if not rows:
        raise DataError(say("holds no row of length,milliseconds"), where=str(path))
    _refuse_falling(rows, str(path))
    digits = max(0, *(-_exponent(time) for _, time, _ in rows))
    return Cost(
        str(path),
        table=CostTable(
            tuple(length for length, _, _ in rows),
            tuple(_scaled(time, digits) for _, time, _ in rows),
            digits,
            f"{path}:{rows[-1][2]}",
        ),
    )


def _rows(text: str, path: str) -> list[tuple[int, Decimal, int]]:
    """Return (length, milliseconds, line) of every row that is not a comment or a heading."""
    found: list[tuple[int, Decimal, int]] = []
    first = True
    for number, line in enumerate(text.splitlines(), start=1):
        content = line.partition("#")[0].strip()
        if not content:
            continue
        cells = re.split(r"\s*[,\t]\s*|\s+", content)
        heading = first and not any(character.isdigit() for character in content)
        first = False
        if heading:
            continue
        if len(cells) != 2 or not _WHOLE.fullmatch(cells[0]) or not _DECIMAL.fullmatch(cells[1]):
            raise DataError(
                say(
                    "{content!r} is not a whole length and a time in milliseconds", content=content
                ),
                where=f"{path}:{number}",
            )
        time = Decimal(cells[1])
        if time < 0:
            raise DataError(say("the time {time} is below 0", time=time), where=f"{path}:{number}")
        found.append((int(cells[0]), time, number))
    return found


def _refuse_falling(rows: list[tuple[int, Decimal, int]], path: str) -> None:
    for (length, time, _), (longer, later, line) in pairwise(rows):
        if length == longer:
            raise DataError(
                say("length {longer} is given twice", longer=longer), where=f"{path}:{line}"
            )
        if later < time:
            raise DataError(
                say(
                    "the time falls from {time} ms at length {length} to {later} ms at {longer}",
                    time=time,
                    length=length,
                    later=later,
                    longer=longer,
                ),
                where=f"{path}:{line}",
                hint=say("a longer sequence cannot be the cheaper one; measure it again"),
            )


def _exponent(time: Decimal) -> int:
    return int(time.as_tuple().exponent)


def _scaled(time: Decimal, digits: int) -> int:
    """Return time * 10^digits as a whole number, without rounding to a decimal context."""
    figures = int("".join(map(str, time.as_tuple().digits)))
    power: int = 10 ** (digits + _exponent(time))
    return figures * power
