"""The frontier: the least cost for every number of buckets, exactly.

With distinct lengths v and counts c, an optimal set of pad-to sizes is a subset of v that ends
with the longest. Let C be the prefix sums of c and ``cost[i]`` the least cost of covering the
lengths up to v[i] with at most k sizes, v[i] the last of them. One more size gives

    next[j] = min over i of cost[i] + (C[j+1] - C[i+1]) * f(v[j]).

The bracket may run over every i: a candidate i >= j is never below cost[j], because each sequence
between them is padded to f(v[j]) at least. The weight is Monge for every nondecreasing f (the
cross difference of (C[b] - C[a]) * (f[c] - f[d]) has one sign), so two independent methods solve a
layer: ``hull`` (layer_hull.py, the faster) and ``anchors`` (layer_anchors.py, which also knows the
variant with a minimum number of sequences per bucket). Where sums do not fit into int64 a queue of
lines in Python integers takes their place (line_queue.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..errors import PlanError
from ..wording import say
from . import layer_anchors, layer_hull, line_queue
from .histogram import INT64_MAX, Histogram, Integers, exact_array

#: The frontier is shown and exported up to this many buckets.
MOST_BUCKETS = 64

#: The independent exact methods by name.
FRONTIER_METHODS = ("hull", "anchors")

#: Layers times distinct lengths that are kept: 2^27 int64 are 1 GiB.
_MOST_CELLS = 2**27


#: What solves a layer: from the layer before, the prefix counts and the prices.
_RowMinima = Callable[[Integers, Integers, Integers], Integers]


class LeastCosts:
    """What every frontier says: ``costs[k - 1]`` is the least cost with at most k buckets."""

    costs: tuple[int, ...]

    @property
    def most(self) -> int:
        """The largest number of buckets that is solved for."""
        return len(self.costs)

    def cost(self, k: int) -> int:
        """Return the least cost with at most ``k`` >= 1 buckets."""
        refuse_no_buckets(k)
        return self.costs[min(k, self.most) - 1]


@dataclass(frozen=True, eq=False)
class Frontier(LeastCosts):
    """The optimum for each number of buckets 1…``most``.

    ``costs[k - 1]`` is the exact least cost with at most k buckets: padded steps where f is the
    length. ``most`` is what was asked for or the number of distinct lengths above zero, whichever
    is less.
    """

    lengths: Integers
    costs: tuple[int, ...]
    _values: Integers
    _count_prefix: Integers
    _layers: tuple[Integers, ...]
    _min_count: int = 1

    def boundaries(self, k: int) -> tuple[int, ...]:
        """Return one optimal choice of boundaries, ascending.

        min(k, distinct lengths) of them, or fewer where more would not lower the cost. Ties are
        frequent; of equal choices the one with the smaller boundaries is taken.
        """
        refuse_no_buckets(k)
        layer = min(k, self.most) - 1
        place = len(self.lengths) - 1
        chosen = [int(self.lengths[place])]
        while True:
            while layer and self._layers[layer][place] == self._layers[layer - 1][place]:
                layer -= 1
            if not layer:
                return tuple(reversed(chosen))
            layer -= 1
            stop = self._columns_before(place)
            before = self._count_prefix[1 : stop + 1]
            place = int((self._layers[layer][:stop] - before * self._values[place]).argmin())
            chosen.append(int(self.lengths[place]))

    def _columns_before(self, place: int) -> int:
        """Return how many earlier ends leave enough sequences for a bucket up to ``place``."""
        room = int(self._count_prefix[place + 1]) - self._min_count
        return min(place, int(np.searchsorted(self._count_prefix[1:], room, side="right")))


def frontier(
    histogram: Histogram,
    most: int = MOST_BUCKETS,
    price: Callable[[int], int] = lambda length: length,
    *,
    min_count: int = 1,
    method: str = "hull",
) -> Frontier:
    """Solve for every number of buckets 1…``most`` at once.

    ``price`` is f: the nondecreasing whole-number cost of one sequence padded to a length. Every
    bucket gets at least ``min_count`` sequences (above 1 the hull cannot do that, and is not
    used). Zero-length sequences cost nothing and are left out. Raises PlanError without any length
    above zero, with fewer sequences than ``min_count``, and where k times the distinct lengths
    would not fit into a gigabyte.
    """
    positive = checked_lengths(histogram, min_count)
    layers_wanted = min(most, positive.distinct)
    if layers_wanted * positive.distinct > _MOST_CELLS:
        raise PlanError(
            say(
                "{most} buckets over {distinct} distinct lengths need more than 1 GiB",
                most=most,
                distinct=positive.distinct,
            ),
            hint=say("ask for at most {most}", most=_MOST_CELLS // positive.distinct),
        )
    prices = [price(length) for length in positive.lengths.tolist()]
    # Four times the largest total leaves room for an infinity that sums cannot overflow.
    largest = positive.sequences * prices[-1] * (4 if min_count > 1 else 1)
    values = exact_array(prices, largest)
    count_prefix = exact_array(positive.count_prefix, max(largest, positive.sequences))
    layers = _solve(layers_wanted, values, count_prefix[1:], largest, min_count, method)
    return Frontier(
        positive.lengths,
        tuple(int(layer[-1]) for layer in layers),
        values,
        count_prefix,
        tuple(layers),
        min_count,
    )


def checked_lengths(histogram: Histogram, min_count: int) -> Histogram:
    """Return the histogram without zero lengths, or raise PlanError where no plan exists."""
    positive = histogram.positive
    if not positive.distinct:
        raise PlanError(say("there is no sequence with a step to plan for"))
    if min_count < 1:
        raise PlanError(
            say(
                "a minimum of {min_count} sequences per bucket is not a minimum",
                min_count=min_count,
            )
        )
    if positive.sequences < min_count:
        raise PlanError(
            say(
                "a minimum of {min_count} sequences per bucket cannot be met by {sequences} in all",
                min_count=min_count,
                sequences=positive.sequences,
            ),
            hint=say("ask for at most {most}", most=positive.sequences),
        )
    return positive


def refuse_no_buckets(k: int) -> None:
    """Raise PlanError for fewer than one bucket."""
    if k < 1:
        raise PlanError(
            say("{k} buckets cannot hold anything", k=k), hint=say("ask for at least 1")
        )


def _solve(
    most: int, values: Integers, counted: Integers, largest: int, min_count: int, method: str
) -> list[Integers]:
    if method not in FRONTIER_METHODS:
        raise PlanError(
            say("unknown method {method!r}", method=method),
            hint=say("one of {names}", names=", ".join(FRONTIER_METHODS)),
        )
    if min_count > 1:
        return _solve_with_minimum(most, values, counted, largest, min_count)
    row_minima: _RowMinima = layer_anchors.row_minima
    if method == "hull":
        row_minima = layer_hull.row_minima if largest <= INT64_MAX else line_queue.row_minima
    single = counted * values
    layers = [single]
    while len(layers) < most:
        layers.append(row_minima(layers[-1], counted, values) + single)
    return layers


def _solve_with_minimum(
    most: int, values: Integers, counted: Integers, largest: int, min_count: int
) -> list[Integers]:
    """Solve with at least ``min_count`` sequences in every bucket.

    Row j may then use the columns i with C[j+1] - C[i+1] >= min_count only. A row that has none
    keeps what fewer buckets give: infinite, or one bucket from the shortest length on.
    """
    infinite = 2**62 if largest <= INT64_MAX else largest
    single = counted * values
    allowed = np.searchsorted(counted, counted - min_count, side="right").astype(np.int64)
    first_row = int(np.searchsorted(allowed, 1))
    row_minima = layer_anchors.row_minima if largest <= INT64_MAX else line_queue.row_minima
    rows = slice(first_row, None)
    layer = single.copy()
    layer[: int(np.searchsorted(counted, min_count))] = infinite
    layers = [layer]
    while len(layers) < most:
        layer = layers[-1].copy()
        if first_row < len(values):
            best = row_minima(layers[-1], counted, values[rows], allowed[rows])
            layer[rows] = np.minimum(layer[rows], best + single[rows])
        layers.append(layer)
    return layers
