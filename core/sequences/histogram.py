"""The histogram: distinct lengths with their counts, and exact sums over ranges of them.

Steps and waste follow from this alone, so the size of a data set never enters the cost of a
key press. No array is ever sized by the largest length, and every total is an exact whole
number: int64 where it provably fits, Python integers (object arrays) where it would not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

INT64_MAX = 2**63 - 1

#: int64 where every value and sum fits, object (Python integers) where one would not.
Integers = npt.NDArray[Any]


def exact_array(values: Iterable[int], largest: int) -> Integers:
    """Return whole numbers as int64, or as Python integers where arithmetic would overflow.

    ``largest`` is the largest magnitude that later arithmetic on the array may produce.
    """
    listed = values if isinstance(values, np.ndarray) else [int(value) for value in values]
    return np.array(listed, dtype=np.int64 if largest <= INT64_MAX else object)


@dataclass(frozen=True, eq=False)
class Histogram:
    """Distinct lengths in ascending order, each with a positive count.

    Build one with :meth:`from_lengths`, :meth:`from_counts` or :meth:`merge`; the constructor
    trusts its arrays. Length 0 may be present: it counts as a sequence and costs no steps.
    """

    lengths: Integers
    counts: Integers

    @classmethod
    def from_counts(cls, counts: Mapping[int, int]) -> Histogram:
        """Make a histogram from a mapping of length to count; zero counts are left out."""
        lengths = sorted(length for length, count in counts.items() if count)
        largest_count = max((counts[length] for length in lengths), default=0)
        return cls(
            exact_array(lengths, lengths[-1] if lengths else 0),
            exact_array((counts[length] for length in lengths), largest_count),
        )

    @classmethod
    def from_lengths(cls, lengths: Iterable[int] | Integers) -> Histogram:
        """Count the lengths of sequences, given in any order.

        Dense lengths are counted by ``bincount``, scattered ones by sorting, so that the
        memory follows the number of sequences and never the largest length.
        """
        values = np.asarray(lengths if isinstance(lengths, np.ndarray) else list(lengths))
        if values.size == 0:
            return cls(np.zeros(0, np.int64), np.zeros(0, np.int64))
        if int(values.max()) < 4 * values.size + 1024:
            dense = np.bincount(values.astype(np.int64, copy=False))
            distinct = np.flatnonzero(dense)
            return cls(distinct.astype(np.int64), dense[distinct].astype(np.int64))
        distinct, counts = np.unique(values, return_counts=True)
        return cls(distinct.astype(np.int64), counts.astype(np.int64))

    @classmethod
    def merge(cls, parts: Iterable[tuple[Histogram, int]]) -> Histogram:
        """Add histograms up, each multiplied by its whole-number weight."""
        counts: dict[int, int] = {}
        for histogram, weight in parts:
            for length, count in histogram.items():
                counts[length] = counts.get(length, 0) + weight * count
        return cls.from_counts(counts)

    def items(self) -> list[tuple[int, int]]:
        """Return ``(length, count)`` pairs as Python integers, shortest first."""
        return list(zip(self.lengths.tolist(), self.counts.tolist(), strict=True))

    @cached_property
    def distinct(self) -> int:
        """The number of distinct lengths, zero included."""
        return int(self.lengths.size)

    @cached_property
    def sequences(self) -> int:
        """The number of sequences, zero-length ones included."""
        return sum(self.counts.tolist())

    @cached_property
    def real_steps(self) -> int:
        """The sum of all lengths: cell steps with no padding."""
        return sum(length * count for length, count in self.items())

    @cached_property
    def zeros(self) -> int:
        """The number of zero-length sequences."""
        return int(self.counts[0]) if self.distinct and int(self.lengths[0]) == 0 else 0

    @cached_property
    def minimum(self) -> int:
        """The shortest length, 0 where a zero-length sequence or nothing is present."""
        return int(self.lengths[0]) if self.distinct else 0

    @cached_property
    def maximum(self) -> int:
        """The longest length, 0 where there is none."""
        return int(self.lengths[-1]) if self.distinct else 0

    @cached_property
    def mean(self) -> float | None:
        """Real steps per sequence, zero-length ones included; None without sequences."""
        return self.real_steps / self.sequences if self.sequences else None

    @cached_property
    def positive(self) -> Histogram:
        """The same histogram without zero-length sequences."""
        return Histogram(self.lengths[1:], self.counts[1:]) if self.zeros else self

    @cached_property
    def count_prefix(self) -> Integers:
        """Shape (distinct + 1,): how many sequences lie before each distinct length."""
        return self._prefix(self.counts, self.sequences)

    @cached_property
    def step_prefix(self) -> Integers:
        """Shape (distinct + 1,): how many real steps lie before each distinct length."""
        largest = self.maximum * self.sequences
        products = exact_array(self.counts, largest) * exact_array(self.lengths, largest)
        return self._prefix(products, largest)

    @staticmethod
    def _prefix(values: Integers, largest: int) -> Integers:
        running = np.zeros(len(values) + 1, np.int64 if largest <= INT64_MAX else object)
        if len(values):
            np.cumsum(values, out=running[1:])
        return running

    def position(self, length: int) -> int:
        """Return how many distinct lengths are <= ``length``."""
        return int(np.searchsorted(self.lengths, length, side="right"))

    def count_between(self, low: int, high: int) -> int:
        """Return how many sequences have ``low`` <= length <= ``high``."""
        first, last = self.position(low - 1), self.position(high)
        return int(self.count_prefix[last] - self.count_prefix[first]) if last > first else 0

    def steps_between(self, low: int, high: int) -> int:
        """Return the real steps of the sequences with ``low`` <= length <= ``high``."""
        first, last = self.position(low - 1), self.position(high)
        return int(self.step_prefix[last] - self.step_prefix[first]) if last > first else 0

    def longest_between(self, low: int, high: int) -> int | None:
        """Return the longest length that occurs in ``low``…``high``, None where none does."""
        last = self.position(high)
        if last == 0 or int(self.lengths[last - 1]) < low:
            return None
        return int(self.lengths[last - 1])

    def length_at(self, index: int) -> int:
        """Return the length of sequence ``index`` (from 0) in ascending order of length.

        Raises IndexError outside 0…sequences - 1.
        """
        if not 0 <= index < self.sequences:
            raise IndexError(f"sequence {index} of {self.sequences}")
        return int(self.lengths[int(np.searchsorted(self.count_prefix, index, side="right")) - 1])

    def next_length(self, length: int, step: int) -> int | None:
        """Return the nearest occurring length above (step 1) or below (step -1) ``length``."""
        if step > 0:
            place = self.position(length)
            return int(self.lengths[place]) if place < self.distinct else None
        place = int(np.searchsorted(self.lengths, length, side="left"))
        return int(self.lengths[place - 1]) if place else None
