"""Packing: sequences laid end to end into rows of one capacity, and a proof of how well.

Best-fit decreasing takes the lengths from the longest down and puts each into the fullest row
that still has room. On a histogram all rows with the same content are one kind, so the work
follows the number of kinds and never the number of sequences; the rows are the same as one by
one. Two lower bounds say how few rows any packing needs: L1 divides all steps by the capacity,
L2 (Martello and Toth 1990) also sees that two lengths above half of it never share a row.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..errors import PlanError
from ..wording import say
from .histogram import Histogram, Integers, exact_array


@dataclass(frozen=True)
class Row:
    """``count`` rows of the same content: ``lengths`` as (length, how often), longest first."""

    count: int
    fill: int
    lengths: tuple[tuple[int, int], ...]


@dataclass(frozen=True, eq=False)
class Packing:
    """Rows of ``capacity`` steps that hold every sequence once; made by :func:`pack`.

    ``lower_bound_volume`` is L1, ``lower_bound`` is L2. Zero-length sequences are in no row and
    counted in ``zeros``.
    """

    capacity: int
    kinds: tuple[Row, ...]
    real_steps: int
    sequences: int
    zeros: int
    lower_bound_volume: int
    lower_bound: int

    @cached_property
    def bins(self) -> int:
        """The number of rows."""
        return sum(row.count for row in self.kinds)

    @property
    def gap(self) -> int:
        """How many rows more than the lower bound L2; 0 proves that no packing has fewer."""
        return self.bins - self.lower_bound

    @property
    def optimal(self) -> bool:
        """Whether the number of rows is proved to be the least."""
        return self.gap == 0

    @property
    def min_fill(self) -> int:
        """Real steps of the emptiest row."""
        return min(row.fill for row in self.kinds)

    @property
    def mean_fill(self) -> float:
        """Real steps per row on average."""
        return self.real_steps / self.bins

    @property
    def steps(self) -> int:
        """Cell steps of all rows, padding included."""
        return self.bins * self.capacity

    @property
    def waste(self) -> float:
        """(steps - real steps) / steps."""
        return (self.steps - self.real_steps) / self.steps

    @property
    def least_waste(self) -> float:
        """The waste that no packing into such rows can go below, by L2."""
        steps = self.lower_bound * self.capacity
        return (steps - self.real_steps) / steps


def pack(histogram: Histogram, capacity: int) -> Packing:
    """Pack by best-fit decreasing into rows of ``capacity`` steps.

    Raises PlanError where the capacity is below 1 or below a length (named, with how many
    sequences are above it), and where no sequence has a step.
    """
    if capacity < 1:
        raise PlanError(say("is 1 or above, not {capacity}", capacity=capacity), where="--capacity")
    positive = histogram.positive
    if not positive.distinct:
        raise PlanError(say("there is no sequence with a step to pack"))
    if positive.maximum > capacity:
        above = positive.count_between(capacity + 1, positive.maximum)
        raise PlanError(
            say(
                "length {maximum} does not fit into {capacity} "
                "({above:,} of {sequences:,} sequences are longer)",
                maximum=positive.maximum,
                capacity=capacity,
                above=above,
                sequences=positive.sequences,
            ),
            where="--capacity",
            hint=say(
                "raise it to {maximum}, or drop or truncate with --max-length",
                maximum=positive.maximum,
            ),
        )
    return Packing(
        capacity=capacity,
        kinds=_best_fit_decreasing(positive, capacity),
        real_steps=positive.real_steps,
        sequences=histogram.sequences,
        zeros=histogram.zeros,
        lower_bound_volume=volume_bound(positive, capacity),
        lower_bound=martello_toth_bound(positive, capacity),
    )


def volume_bound(histogram: Histogram, capacity: int) -> int:
    """Return L1: all steps divided by the capacity, rounded up."""
    return -(-histogram.real_steps // capacity)


def martello_toth_bound(histogram: Histogram, capacity: int) -> int:
    """Return L2, a number of rows that no packing of these lengths can go below.

    For each threshold a up to half the capacity C: lengths above C - a share a row with nothing
    of length a or more; lengths above C / 2 need a row each; what the lengths from a to C / 2
    exceed the room left beside those needs further rows. The best threshold counts, and
    thresholds between two lengths are no better than the lengths themselves; a = 0 gives at
    least L1. Every length is at most ``capacity``.
    """
    positive = histogram.positive
    largest = 2 * positive.sequences * max(capacity, 1)
    counts = exact_array(positive.count_prefix, largest)
    steps = exact_array(positive.step_prefix, largest)
    half = positive.position(capacity // 2)
    small = positive.lengths[:half]
    thresholds = exact_array([0, *small.tolist()], capacity)
    lowest = np.concatenate(([0], np.arange(half)))
    # Places of the first length above C - a; capped from below, since a <= C / 2.
    above = np.searchsorted(positive.lengths, capacity - thresholds, side="right")
    large_rows = counts[-1] - counts[half]
    sharing = counts[above] - counts[half]
    room: Integers = sharing * capacity - (steps[above] - steps[half])
    missing = steps[half] - steps[lowest] - room
    extra = np.maximum(-(-missing // capacity), 0)
    return int(large_rows + extra.max())


#: What a row holds, longest first: the rest of the row before, a length, how often.
_Content = tuple["_Content | None", int, int]


class _Open:
    """Rows with room, by how much: for each room a list of (rows, content), rooms ascending."""

    def __init__(self) -> None:
        self.rooms: list[int] = []
        self.kinds: dict[int, list[tuple[int, _Content | None]]] = {}

    def add(self, room: int, rows: int, content: _Content | None) -> None:
        if not rows:
            return
        if room not in self.kinds:
            insort(self.rooms, room)
            self.kinds[room] = []
        self.kinds[room].append((rows, content))

    def take(self, length: int) -> tuple[int, int, _Content | None] | None:
        """Remove and return one kind with the least room for ``length``; None where there is none.

        The answer is (room, rows, content).
        """
        place = bisect_left(self.rooms, length)
        if place == len(self.rooms):
            return None
        room = self.rooms[place]
        rows, content = self.kinds[room].pop()
        if not self.kinds[room]:
            del self.kinds[room], self.rooms[place]
        return room, rows, content


def _best_fit_decreasing(histogram: Histogram, capacity: int) -> tuple[Row, ...]:
    """Place all sequences of a length at once, kind by kind of row.

    The row with the least room keeps the least room while it is being filled, so it takes as
    many as fit before the next one is touched.
    """
    opened = _Open()
    for length, count in reversed(histogram.items()):
        left = count
        while left:
            room, rows, content = opened.take(length) or (capacity, left, None)
            each = room // length
            full = min(rows, left // each)
            rest = min(left - full * each, each) if full < rows else 0
            opened.add(room - each * length, full, (content, length, each))
            if rest:
                opened.add(room - rest * length, 1, (content, length, rest))
            if content is not None:
                opened.add(room, rows - full - (rest > 0), content)
            left -= full * each + rest
    kinds = [
        Row(rows, capacity - room, _unwound(content))
        for room in opened.rooms
        for rows, content in opened.kinds[room]
    ]
    return tuple(kinds)


def _unwound(content: _Content | None) -> tuple[tuple[int, int], ...]:
    parts: list[tuple[int, int]] = []
    while content is not None:
        content, length, often = content
        parts.append((length, often))
    return tuple(reversed(parts))
