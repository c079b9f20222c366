"""The account of one source while it is read: lengths counted, bad rows, rows in their order.

Memory follows the number of distinct lengths, and never the largest length.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..errors import DataError
from ..wording import say
from .dataset import KEPT_IN_ORDER
from .histogram import Histogram
from .values import LARGEST, BadRow

#: Progress is told after this many rows, or after this many seconds if they pass first.
PROGRESS_ROWS = 50_000
PROGRESS_SECONDS = 0.2

#: Rows added one by one wait until there are this many of them.
_PENDING = 4096

#: Lengths below this are always counted in a table.
_SMALL = 1 << 16

#: Longer ones are gathered up to this many before they are counted.
_GATHERED = 1 << 22

Lengths = npt.NDArray[np.int64]


class Meter:
    """Counts the rows read over all sources and tells ``progress`` about them now and then.

    What ``progress`` raises goes through: it is how a load is cancelled.
    """

    def __init__(self, progress: Callable[[int], None] | None = None) -> None:
        self.rows = 0
        self._progress = progress
        self._told = 0
        self._when = time.monotonic()

    def advance(self, rows: int) -> None:
        """Count rows, and tell of them if it is time."""
        self.rows += rows
        if self._progress is None:
            return
        now = time.monotonic()
        if self.rows - self._told >= PROGRESS_ROWS or now - self._when >= PROGRESS_SECONDS:
            self._told, self._when = self.rows, now
            self._progress(self.rows)


class Counts:
    """A running count of lengths: a table for dense ones, sorted pairs for scattered ones.

    The table never has more than four entries for each length counted at once (or ``_SMALL``).
    """

    def __init__(self) -> None:
        self._table: Lengths = np.zeros(0, np.int64)
        self._pairs: list[tuple[Lengths, Lengths]] = []
        self._unmerged = 0
        self._gathered: Lengths = np.zeros(0, np.int64)
        self._waiting = 0

    def add(self, values: Lengths, largest: int) -> None:
        """Count lengths, all of which are in 0…``largest``."""
        if largest < _SMALL:
            self._tabulate(values)
            return
        # Long lengths are gathered, so that a long table is gone through seldom.
        if not self._gathered.size:
            self._gathered = np.empty(_GATHERED, np.int64)
        for begin in range(0, values.size, _GATHERED):
            piece = values[begin : begin + _GATHERED]
            if self._waiting + piece.size > _GATHERED:
                self._count_waiting()
            self._gathered[self._waiting : self._waiting + piece.size] = piece
            self._waiting += piece.size

    def _tabulate(self, values: Lengths) -> None:
        part = np.bincount(values)
        if part.size > self._table.size:
            self._table = np.pad(self._table, (0, part.size - self._table.size))
        self._table[: part.size] += part

    def _count_waiting(self) -> None:
        if not self._waiting:
            return
        values = self._gathered[: self._waiting]
        self._waiting = 0
        if int(values.max()) < 4 * values.size:
            self._tabulate(values)
            return
        lengths, counts = np.unique(values, return_counts=True)
        self._add_pairs(lengths.astype(np.int64), counts.astype(np.int64))

    def _add_pairs(self, lengths: Lengths, counts: Lengths) -> None:
        self._pairs.append((lengths, counts))
        self._unmerged += lengths.size
        # Merging only when the new pairs outgrow the merged ones keeps the whole n log n.
        if self._unmerged > max(1 << 20, self._pairs[0][0].size):
            self._pairs = [self._merged()]
            self._unmerged = 0

    def _merged(self) -> tuple[Lengths, Lengths]:
        lengths = np.concatenate([pair[0] for pair in self._pairs])
        counts = np.concatenate([pair[1] for pair in self._pairs])
        order = np.argsort(lengths, kind="stable")
        lengths, counts = lengths[order], counts[order]
        first = np.flatnonzero(np.concatenate(([True], lengths[1:] != lengths[:-1])))
        return lengths[first], np.add.reduceat(counts, first)

    def histogram(self) -> Histogram:
        """Return what has been counted so far."""
        self._count_waiting()
        short = np.flatnonzero(self._table)
        if not self._pairs:
            return Histogram(short.astype(np.int64), self._table[short])
        if short.size:
            self._pairs.append((short.astype(np.int64), self._table[short]))
            self._table = np.zeros(0, np.int64)
        self._pairs = [self._merged()]
        return Histogram(*self._pairs[0])


@dataclass(frozen=True)
class Account:
    """What a source held: rows = sequences of the histogram + skipped.

    ``first_bad`` is the message of the first row skipped. ``in_order`` is None where a row is
    not one sequence.
    """

    histogram: Histogram
    rows: int
    skipped: int
    first_bad: str | None
    in_order: Lengths | None


class Tally:
    """Takes the rows of one source, in order.

    ``name`` stands before the line in messages. With ``skip_bad`` bad rows are counted, else the
    first one raises DataError. A length above ``refuse_above`` raises DataError in any case.
    """

    def __init__(
        self, name: str, *, skip_bad: bool, refuse_above: int | None, meter: Meter
    ) -> None:
        self.name = name
        self._skip_bad = skip_bad
        self._refuse_above = LARGEST if refuse_above is None else refuse_above
        self._meter = meter
        self._counts = Counts()
        self._exact: dict[int, int] = {}
        self._pending: list[int] = []
        self._in_order: list[Lengths] = []
        self._kept = 0
        self._grouped = False
        self._skipped = 0
        self._first_bad: str | None = None

    def add(self, length: int, line: int) -> None:
        """Take one length, which stands in ``line`` (from 1)."""
        if length > self._refuse_above:
            raise self._too_long(length, line)
        self._pending.append(length)
        if len(self._pending) >= _PENDING:
            self._flush()

    def add_many(self, lengths: Lengths, lines: Sequence[int], largest: int | None = None) -> None:
        """Take lengths in the order of their rows, each with its line; all are 0…2^53.

        ``largest`` is their maximum if it is known.
        """
        if not lengths.size:
            return
        self._flush()
        if largest is None:
            largest = int(lengths.max())
        if largest > self._refuse_above:
            place = int(np.argmax(lengths > self._refuse_above))
            raise self._too_long(int(lengths[place]), lines[place])
        self._count(lengths, largest)

    def add_group(self, length: int, count: int, line: int) -> None:
        """Take ``count`` sequences of one length, of any whole number."""
        self._grouped = True
        if count and length > self._refuse_above:
            raise self._too_long(length, line)
        self._exact[length] = self._exact.get(length, 0) + count
        self._meter.advance(1)

    def bad(self, problem: BadRow, line: int) -> None:
        """Count a bad row. Raises DataError naming its line unless bad rows are skipped."""
        if not self._skip_bad:
            raise self._error(problem, line)
        self._skipped += 1
        self._meter.advance(1)
        if self._first_bad is None:
            self._first_bad = str(self._error(problem, line))

    def _error(self, problem: BadRow, line: int) -> DataError:
        return DataError(problem.what, where=f"{self.name}:{line}", hint=problem.hint)

    def finish(self) -> Account:
        """Return the account. Raises DataError where nothing could be read."""
        self._flush()
        histogram = self._counts.histogram()
        if self._exact:
            parts = [(histogram, 1), (Histogram.from_counts(self._exact), 1)]
            histogram = Histogram.merge(parts)
        if not histogram.distinct:
            if self._skipped:
                raise DataError(
                    say(
                        "no row is readable, all {skipped} are bad; the first: {first}",
                        skipped=self._skipped,
                        first=self._first_bad,
                    ),
                    where=self.name,
                )
            raise DataError(say("holds no rows"), where=self.name)
        in_order = np.concatenate(self._in_order) if self._in_order else np.zeros(0, np.int64)
        return Account(
            histogram=histogram,
            rows=histogram.sequences + self._skipped,
            skipped=self._skipped,
            first_bad=self._first_bad,
            in_order=None if self._grouped else in_order,
        )

    def _flush(self) -> None:
        if self._pending:
            lengths = np.array(self._pending, np.int64)
            self._pending = []
            self._count(lengths, int(lengths.max()))

    def _count(self, lengths: Lengths, largest: int) -> None:
        self._counts.add(lengths, largest)
        if self._kept < KEPT_IN_ORDER:
            self._in_order.append(lengths[: KEPT_IN_ORDER - self._kept].copy())
            self._kept += self._in_order[-1].size
        self._meter.advance(lengths.size)

    def _too_long(self, length: int, line: int) -> DataError:
        return DataError(
            say(
                "length {length} is above --max-length {max_length}",
                length=length,
                max_length=self._refuse_above,
            ),
            where=f"{self.name}:{line}",
            hint=say("give --over drop or --over truncate"),
        )
