"""One layer of the frontier by a lower hull: a discrete Legendre transform.

min over i of base[i] - counted[i] * v is attained on the lower convex hull of the points
(counted[i], base[i]), where v lies between the slopes of the edges beside it. Prices v are whole
numbers, so slopes may be rounded down: with q = floor(slope of a chord), its right end beats its
left end exactly where q < v. A point b between a and c with q(a, b) >= q(b, c) is then never the
leftmost best, whatever v is, and all such points go at once.

Chords between neighbours alone need as many rounds as a spike is long; chords over 8, 64 and 512
points as well take out most of a concave stretch in one round. What remains after a bounded number
of rounds is either convex, and a binary search in the slopes answers every row, or it is searched
by anchor rows. No step is a floating-point number.
"""

from __future__ import annotations

from itertools import cycle, islice

import numpy as np

from . import layer_anchors
from .histogram import Integers

#: How far the chords of successive rounds reach, and how many rounds there are at most.
_REACHES = (1, 512, 1, 64, 1, 8)
_ROUNDS = 120


def row_minima(base: Integers, counted: Integers, values: Integers) -> Integers:
    """Return min over i of base[i] - counted[i] * values[j] for every row j.

    ``counted`` rises strictly, ``values`` never fall.
    """
    for reach in islice(cycle(_REACHES), _ROUNDS):
        if len(base) <= 2 * reach and reach > 1:
            continue
        slopes = (base[reach:] - base[:-reach]) // (counted[reach:] - counted[:-reach])
        needed = slopes[reach:] > slopes[:-reach]
        if reach == 1 and needed.all():
            place = np.searchsorted(slopes, values, side="left")
            best: Integers = base[place] - counted[place] * values
            return best
        keep = np.ones(len(base), dtype=np.bool_)
        keep[reach:-reach] = needed
        base, counted = base[keep], counted[keep]
    return layer_anchors.row_minima(base, counted, values)
