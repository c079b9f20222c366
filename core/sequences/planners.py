"""Methods that choose boundaries: the heuristics that trainers ship, and the exact optimum.

Each takes a histogram and the number of buckets asked for and returns strictly increasing
boundaries that cover the longest length; only ``power-of-two`` and ``multiples`` may end above it.
Repeats are dropped, so there may be fewer than asked. Zero-length sequences belong to no bucket and
are left out. ``equal-total-10k`` needs the lengths in the order of their rows besides.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from typing import NoReturn

import numpy as np

from ..errors import PlanError
from ..wording import say
from . import heuristics
from .frontier import Frontier, frontier
from .histogram import Histogram, Integers


def uniform(histogram: Histogram, k: int) -> tuple[int, ...]:
    """Boundaries at equal widths: ceil(i * longest / k) for i = 1…k."""
    longest = histogram.maximum
    return heuristics.distinct([-(-i * longest // k) for i in range(1, k + 1)], longest)


def quantile(histogram: Histogram, k: int) -> tuple[int, ...]:
    """Boundaries at equal counts, as fairseq's ``get_buckets`` places them.

    The i-th is the length at position floor(i * (n - 1) / k) of the n sorted lengths (percentile
    with the lower neighbour), here in whole numbers where numpy would round a float position.
    """
    positive = histogram.positive
    last = positive.sequences - 1
    chosen = [positive.length_at(i * last // k) for i in range(1, k + 1)]
    return heuristics.distinct(chosen, histogram.maximum)


def equal_total(histogram: Histogram, k: int) -> tuple[int, ...]:
    """Boundaries at equal total length, as lhotse's and NeMo's estimator places them.

    Walk the sorted lengths; when the running sum exceeds total / k, the next length becomes a
    boundary and the sum starts again with it. The longest length is added at the end.
    """
    return heuristics.distinct(equal_total_bins(histogram, k), histogram.maximum)


def equal_total_bins(histogram: Histogram, k: int) -> list[int]:
    """Return the boundaries of :func:`equal_total` before the longest length is added."""
    positive = histogram.positive
    total = positive.real_steps
    chosen: list[int] = []
    place = 0
    while True:
        place = _first_exceeding(positive, place, total, k)
        if place >= positive.sequences:
            return chosen
        chosen.append(positive.length_at(place))


def equal_total_first(in_order: Integers, longest: int, k: int) -> tuple[int, ...]:
    """Boundaries at equal totals of the first rows only, as lhotse estimates them by default.

    Its sampler looks at the first 10,000 items (``num_cuts_for_bins_estimate``). Its last bucket
    is open, so it ends with the ``longest`` length of all the data.
    """
    return heuristics.distinct(equal_total_bins(Histogram.from_lengths(in_order), k), longest)


def _first_exceeding(histogram: Histogram, start: int, total: int, k: int) -> int:
    """Return the least position n for which the lengths start…n-1 sum to more than total / k."""
    need = _steps_before(histogram, start) * k + total
    below = int(np.searchsorted(histogram.step_prefix, need // k, side="right")) - 1
    if below >= histogram.distinct:
        return histogram.sequences + 1
    missing = need - int(histogram.step_prefix[below]) * k
    return int(histogram.count_prefix[below]) + missing // (int(histogram.lengths[below]) * k) + 1


def _steps_before(histogram: Histogram, position: int) -> int:
    """Return the sum of the ``position`` shortest lengths."""
    if position >= histogram.sequences:
        return histogram.real_steps
    row = int(np.searchsorted(histogram.count_prefix, position, side="right")) - 1
    extra = position - int(histogram.count_prefix[row])
    return int(histogram.step_prefix[row]) + extra * int(histogram.lengths[row])


def geometric(histogram: Histogram, k: int) -> tuple[int, ...]:
    """Boundaries at equal ratios from the shortest to the longest: ceil(min * (max/min)^(i/k))."""
    shortest, longest = histogram.positive.minimum, histogram.maximum
    ratio = longest / shortest
    # A hair less, so that rounding never lifts a root that is whole, as 32^(4/5), to the next one.
    chosen = [ceil(shortest * ratio ** (i / k) * (1 - 1e-14)) for i in range(1, k)]
    return heuristics.distinct(chosen, longest)


def optimal(histogram: Histogram, k: int) -> tuple[int, ...]:
    """The boundaries with the least padded steps; min(k, distinct lengths) of them."""
    positive = histogram.positive
    if k >= positive.distinct:
        return tuple(positive.lengths.tolist())
    return frontier(histogram, k).boundaries(k)


#: The heuristics work out every boundary asked for, also where most of them will be repeats.
MOST_ASKED = 100_000


@dataclass(frozen=True)
class Method:
    """A named way to choose boundaries; ``doc`` is one sentence for menus and help."""

    name: str
    choose: Callable[[Histogram, int], tuple[int, ...]]
    doc: str


METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method("optimal", optimal, "the least padded steps there are, proved by exact search"),
        Method("uniform", uniform, "equal widths"),
        Method("quantile", quantile, "equal counts, as fairseq does"),
        Method("equal-total", equal_total, "equal total length, as lhotse and NeMo do"),
        Method("geometric", geometric, "equal ratios from the shortest to the longest"),
        Method("exponential", heuristics.exponential, "widths growing by 1.1, as GluonNLP does"),
        Method("lognormal", heuristics.lognormal, "quantiles of a log-normal, as speechbrain does"),
        Method("power-of-two", heuristics.power_of_two, "the largest powers of two"),
        Method("multiples", heuristics.multiples, "equal steps that are multiples of 8, or of M"),
    )
}

#: The method that looks at the first rows, so that no histogram alone can give it.
ORDERED_METHOD = Method(
    "equal-total-10k",
    lambda _histogram, _k: _refuse_histogram(),
    "equal total length of the first 10,000 rows, as lhotse estimates it",
)

#: Every name that :func:`plan` takes, in the order of the command line.
METHOD_NAMES = (
    "optimal",
    "uniform",
    "quantile",
    "equal-total",
    "equal-total-10k",
    "geometric",
    "exponential",
    "lognormal",
    "power-of-two",
    "multiples",
)


def plan(
    histogram: Histogram,
    k: int,
    method: str,
    solved: Frontier | None = None,
    *,
    in_order: Integers | None = None,
    multiple_of: int = 1,
) -> tuple[int, ...]:
    """Choose at most ``k`` boundaries by the method of that name.

    ``solved`` is the frontier of this histogram where it is already known, ``in_order`` the first
    lengths in the order of their rows, ``multiple_of`` what ``multiples`` steps by (8 where it is
    1). Raises PlanError for k < 1, for more than 100,000 buckets by a heuristic, for a histogram
    without any step, for an unknown method, and for ``equal-total-10k`` without the order of the
    rows.
    """
    if k < 1:
        raise PlanError(
            say("{k} buckets cannot hold anything", k=k), hint=say("ask for at least 1")
        )
    if histogram.maximum == 0:
        raise PlanError(say("there is no sequence with a step to plan for"))
    if method == ORDERED_METHOD.name:
        if in_order is None:
            _refuse_histogram()
        return equal_total_first(in_order, histogram.maximum, k)
    if method not in METHODS:
        raise PlanError(
            say("unknown method {method!r}", method=method),
            hint=say("one of {names}", names=", ".join(METHOD_NAMES)),
        )
    if method != "optimal" and k > MOST_ASKED:
        raise PlanError(
            say(
                "{method} makes at most {most:,} buckets, not {k:,}",
                method=method,
                most=MOST_ASKED,
                k=k,
            )
        )
    if method == "optimal" and solved is not None and k <= max(solved.most, 1):
        return solved.boundaries(k)
    if method == "multiples" and multiple_of > 1:
        return heuristics.multiples(histogram, k, multiple_of)
    return METHODS[method].choose(histogram, k)


def _refuse_histogram() -> NoReturn:
    raise PlanError(
        say(
            "equal-total-10k looks at the first 10,000 rows, "
            "and this data does not keep their order"
        ),
        hint=say("give one file with one sequence per row, or take equal-total"),
    )
