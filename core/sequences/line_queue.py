"""A monotone queue of lines: the least of many lines, for queries that only rise.

Lines come with falling slopes and queries rise, so the lines that are lowest somewhere ahead form a
queue: a new line drops those that it makes superfluous from the back, a query drops those that it
has passed from the front. Both take constant time on average, in exact Python integers of any size
(the "convex hull trick").
"""

from __future__ import annotations

from collections import deque

import numpy as np

from .histogram import Integers
from .layer_anchors import Places


class LineQueue:
    """Lines slope * query + height; ``tag`` says which line it is."""

    def __init__(self) -> None:
        self._lines: deque[tuple[int, int, int]] = deque()

    def add(self, slope: int, height: int, tag: int) -> None:
        """Add a line whose slope is below those of all the lines before."""
        lines = self._lines
        while len(lines) > 1:
            slope_a, height_a, _ = lines[-2]
            slope_b, height_b, _ = lines[-1]
            # The last line is lowest nowhere if the new one crosses its forerunner before it does.
            crosses = (height - height_a) * (slope_a - slope_b)
            if crosses > (height_b - height_a) * (slope_a - slope):
                break
            lines.pop()
        lines.append((slope, height, tag))

    def least(self, query: int) -> tuple[int, int] | None:
        """Return the least value at ``query`` and its tag; None without a line.

        Queries must not fall from call to call.
        """
        lines = self._lines
        if not lines:
            return None
        slope, height, tag = lines[0]
        value = slope * query + height
        while len(lines) > 1:
            slope, height, following = lines[1]
            ahead = slope * query + height
            if ahead > value:
                break
            lines.popleft()
            value, tag = ahead, following
        return value, tag


def row_minima(
    base: Integers, counted: Integers, values: Integers, allowed: Places | None = None
) -> Integers:
    """Return min over i < allowed[j] of base[i] - counted[i] * values[j], for every row j.

    What layer_anchors.py and layer_hull.py do in numpy, for numbers that do not fit into int64.
    """
    queue = LineQueue()
    slopes, heights = (-counted).tolist(), base.tolist()
    stops = [len(base)] * len(values) if allowed is None else allowed.tolist()
    entered = 0
    best = []
    for query, stop in zip(values.tolist(), stops, strict=True):
        while entered < stop:
            queue.add(slopes[entered], heights[entered], entered)
            entered += 1
        found = queue.least(query)
        assert found is not None, "every row is allowed a column"
        best.append(found[0])
    return np.array(best, dtype=base.dtype)
