"""Edits of boundaries: every change the bucket editor makes, as pure functions.

Moves are clamped between the neighbours and never reorder boundaries; the last boundary never
falls below the longest length. Buckets are numbered from 1, as they are shown.
"""

from __future__ import annotations

import re
from fractions import Fraction
from math import ceil

import numpy as np

from ..errors import PlanError
from ..full_width import FULL_WIDTH
from ..wording import say
from .analysis import Analysis
from .buckets import BucketTable, check_boundaries
from .histogram import Histogram, exact_array
from .values import LARGEST

Boundaries = tuple[int, ...]


def limits(boundaries: Boundaries, bucket: int, maximum: int) -> tuple[int, int | None]:
    """Return the least and the greatest value that the end of ``bucket`` may take.

    The greatest is None for the last bucket, which is open above.
    """
    index = bucket - 1
    if index == len(boundaries) - 1:
        before = boundaries[index - 1] if index else 0
        return max(maximum, before + 1), None
    return (boundaries[index - 1] if index else 0) + 1, boundaries[index + 1] - 1


def place(boundaries: Boundaries, bucket: int, value: int, maximum: int) -> Boundaries:
    """Put the end of ``bucket`` at ``value``, clamped to its limits."""
    least, greatest = limits(boundaries, bucket, maximum)
    clamped = max(least, value if greatest is None else min(value, greatest))
    return (*boundaries[: bucket - 1], clamped, *boundaries[bucket:])


def step_target(analysis: Analysis, boundary: int, direction: int, lengths: int = 1) -> int | None:
    """Return where one step (-1 or 1), or a jump over ``lengths``, takes a boundary.

    Where lengths are drawn by a generator a step is one length; on real data it goes on to the
    next length that occurs, because every place between costs the same or more. None where no
    length occurs so far out.
    """
    goal = boundary + direction * lengths
    if analysis.moves_by_one:
        return goal
    beside = analysis.histogram.next_length(goal - direction, direction)
    return beside or None


def move(
    analysis: Analysis, boundaries: Boundaries, bucket: int, direction: int, lengths: int = 1
) -> Boundaries:
    """Move the end of ``bucket`` by one step, or by ``lengths``, to the left or the right.

    On real data a move that would be clamped ends at the last length that occurs before its
    limit, so that a boundary never rests on a length that does not occur. The last boundary goes
    no further than the longest length.
    """
    here = boundaries[bucket - 1]
    goal = step_target(analysis, here, direction, lengths)
    maximum = analysis.histogram.maximum
    least, greatest = limits(boundaries, bucket, maximum)
    greatest = max(maximum, here) if greatest is None else greatest
    if goal is None or (not analysis.moves_by_one and not least <= goal <= greatest):
        between = analysis.histogram.longest_between(least, greatest) if direction > 0 else None
        if direction < 0:
            first = analysis.histogram.next_length(least - 1, 1)
            between = first if first is not None and first <= greatest else None
        goal = here if between is None or (between - here) * direction <= 0 else between
    return place(boundaries, bucket, max(least, min(goal, greatest)), maximum)


def delete(boundaries: Boundaries, bucket: int) -> Boundaries:
    """Join ``bucket`` with the one above it; the last bucket joins the one below.

    Raises PlanError where there is only one bucket.
    """
    if len(boundaries) == 1:
        raise PlanError(say("one bucket is the least there can be"))
    index = min(bucket - 1, len(boundaries) - 2)
    return (*boundaries[:index], *boundaries[index + 1 :])


def best_addition(histogram: Histogram, table: BucketTable) -> int:
    """Return the length at which one more boundary saves the most steps, the least of equals.

    A boundary at a length v saves, for each sequence of its bucket that is at most v long, the
    steps from v to what the bucket is padded to. Raises PlanError where no boundary saves any.
    """
    positive = histogram.positive
    largest = table.boundaries[-1] * positive.sequences
    pads = exact_array((bucket.pad_to or 0 for bucket in table.buckets), largest)
    ends = np.searchsorted(positive.lengths, np.asarray(table.boundaries), side="right")
    starts = np.concatenate(([0], ends[:-1]))
    owner = np.repeat(np.arange(len(ends)), ends - starts)
    below = exact_array(positive.count_prefix, largest)
    saved = (below[1:] - below[starts[owner]]) * (pads[owner] - positive.lengths)
    if not len(saved) or saved.max() <= 0:
        raise PlanError(say("no further boundary saves a step"))
    return int(positive.lengths[int(saved.argmax())])


def add(boundaries: Boundaries, value: int) -> Boundaries:
    """Add a boundary at ``value``, which must be whole and new."""
    if value in boundaries:
        raise PlanError(say("{value} is a boundary already", value=value))
    return tuple(sorted((*boundaries, value)))


def typed(
    text: str, analysis: Analysis, boundaries: Boundaries, bucket: int
) -> tuple[Boundaries, str]:
    """Apply one typed line: ``17``, ``+3``, ``-2``, ``5.0s``, ``5,10,15,20`` or ``k=8``.

    Full-width digits, commas and signs read as ASCII. Returns the boundaries and which kind of
    edit it was (place, list or optimum). Raises PlanError naming what cannot be read.
    """
    line = text.translate(_FULL_WIDTH).strip()
    maximum = analysis.histogram.maximum
    if match := re.fullmatch(r"k\s*=\s*(\d{1,9})", line, re.ASCII | re.IGNORECASE):
        return analysis.plan(int(match[1]), "optimal"), "optimum"
    if "," in line or " " in line:
        words = [word for word in re.split(r"[,\s]+", line) if word]
        listed = [_length(word, analysis) for word in words]
        return check_boundaries(listed, maximum), "list"
    here = boundaries[bucket - 1]
    if line[:1] in ("+", "-"):
        value = here + (1 if line[0] == "+" else -1) * _length(line[1:], analysis)
    else:
        value = _length(line, analysis)
    return place(boundaries, bucket, value, maximum), "place"


def _length(word: str, analysis: Analysis) -> int:
    """Read a length: a whole number, or seconds with an s where a step is a frame."""
    if re.fullmatch(r"\d{1,16}", word, re.ASCII):
        return _within(int(word), word)
    if match := re.fullmatch(r"(\d{1,12}(?:\.\d{1,12})?)s", word, re.ASCII):
        rate = analysis.dataset.frame_rate
        if rate is None:
            raise PlanError(
                say("{word!r} is a time, but the lengths are not", word=word),
                hint=say("give steps"),
            )
        return _within(ceil(Fraction(match[1]) * rate), word)
    raise PlanError(
        say("{word!r} is not a length", word=word), hint=say("type 17, +3, 5,10,15,20 or k=8")
    )


def _within(length: int, word: str) -> int:
    if length > LARGEST:
        raise PlanError(say("{text} is above 2^53, the longest length there can be", text=word))
    return length


_FULL_WIDTH = FULL_WIDTH | {
    0x3000: 0x20,
    0x3001: 0x2C,  # the ideographic comma
    0x2212: 0x2D,  # the minus sign, as it is shown
}
