"""Compile cost: how many graphs pay, when each graph costs something by itself.

With a price per bucket the number of buckets is no longer given: the least total is

    total[j] = per_bucket + min over i of total[i] + (C[j] - C[i]) * f(v[j]).

Seen from j, each i is a line in f(v[j]) with slope -C[i]; slopes fall and queries rise, so a
monotone queue of lines (line_queue.py) makes it one pass over the distinct lengths, in exact
Python integers. A minimum number of sequences per bucket only delays the moment at which a line may
be used.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from ..errors import PlanError
from ..wording import say
from .frontier import checked_lengths
from .histogram import Histogram
from .line_queue import LineQueue


def steps_per_graph(
    seconds: Fraction | int, throughput: Fraction | int, epochs: Fraction | int
) -> Fraction:
    """Return what compiling one graph costs in steps of one epoch.

    ``seconds`` per graph at ``throughput`` steps per second are seconds * throughput steps, spread
    over ``epochs``. Raises PlanError where one of them makes no sense.
    """
    if seconds < 0:
        raise PlanError(say("a graph cannot compile in {seconds:g} s", seconds=float(seconds)))
    if throughput <= 0 or epochs <= 0:
        if throughput <= 0:
            what = say("throughput of {value:g} is not above 0", value=float(throughput))
        else:
            what = say("epochs of {value:g} is not above 0", value=float(epochs))
        raise PlanError(what)
    return Fraction(seconds) * Fraction(throughput) / Fraction(epochs)


def cheapest_boundaries(
    histogram: Histogram,
    per_bucket: Fraction,
    price: Callable[[int], int] = lambda length: length,
    *,
    min_count: int = 1,
) -> tuple[int, ...]:
    """Return the boundaries with the least cost plus ``per_bucket`` for each of them.

    ``per_bucket`` is in the unit of the prices. Raises PlanError where no plan exists, or where it
    is below 0.
    """
    if per_bucket < 0:
        raise PlanError(
            say("a compile cost of {per_bucket:g} is below 0", per_bucket=float(per_bucket))
        )
    positive = checked_lengths(histogram, min_count)
    scale, extra = per_bucket.denominator, per_bucket.numerator
    before = positive.count_prefix.tolist()
    queue = LineQueue()
    totals: list[int | None] = [0]
    came_from = [0]
    entered = 0
    for last, length in enumerate(positive.lengths.tolist()):
        while entered <= last and before[last + 1] - before[entered] >= min_count:
            start = totals[entered]
            if start is not None:
                queue.add(-before[entered], start, entered)
            entered += 1
        query = scale * price(length)
        found = queue.least(query)
        # Without a line there are too few sequences yet for a bucket.
        totals.append(None if found is None else found[0] + before[last + 1] * query + extra)
        came_from.append(0 if found is None else found[1])
    ends = [len(came_from) - 1]
    while came_from[ends[-1]]:
        ends.append(came_from[ends[-1]])
    return tuple(int(positive.lengths[end - 1]) for end in reversed(ends))
