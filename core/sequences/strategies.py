"""The strategies, as a table: name, what it does, what it costs, how it runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..errors import DgplayError
from .buckets import BucketTable
from .generators import REFERENCE_HIDDEN, Floats
from .histogram import Histogram
from .strategy_counts import (
    StrategyCounts,
    WorkOf,
    bucketed_work,
    count,
    dynamic_work,
    padded_work,
)
from .strategy_runs import (
    Job,
    run_bucketed,
    run_dynamic,
    run_left_pad,
    run_pad,
    run_pad_mask,
    run_repeat_last,
)

#: Steps that a sequence of some length takes, given the longest of the data and the buckets.
StepsOf = Callable[[int, int, BucketTable], int]


@dataclass(frozen=True)
class Strategy:
    """One way of running an RNN on sequences of unequal length.

    ``work`` counts in closed form; ``steps_of`` says how many steps one sequence of length 1 or
    more takes; ``run`` returns the last states, (n, H). ``static`` says whether a graph that is
    drawn before it sees data can express it, ``by_bucket`` whether the boundaries matter to it.
    """

    name: str
    doc: str
    work: WorkOf
    steps_of: StepsOf
    run: Callable[[Job], Floats]
    static: bool = True
    by_bucket: bool = False

    def counts(
        self, histogram: Histogram, table: BucketTable, hidden: int = REFERENCE_HIDDEN
    ) -> StrategyCounts:
        """Return the strategy's row of the table, in exact whole numbers."""
        return count(self.name, self.work, histogram, table, hidden)


def _to_longest(length: int, longest: int, table: BucketTable) -> int:
    return longest


def _as_it_is(length: int, longest: int, table: BucketTable) -> int:
    return length


def _to_bucket(length: int, longest: int, table: BucketTable) -> int:
    return table.pad_to_of(length)


#: Every strategy, in the order of the table.
STRATEGIES: tuple[Strategy, ...] = (
    Strategy(
        "pad",
        "Fill every sequence with zeros to the longest length and read the last state.",
        padded_work,
        _to_longest,
        run_pad,
    ),
    Strategy(
        "pad+mask",
        "Fill with zeros and let a mask hold each state from its last real step on.",
        padded_work,
        _to_longest,
        run_pad_mask,
    ),
    Strategy(
        "dynamic",
        "Run each sequence alone, for exactly as many steps as it has.",
        dynamic_work,
        _as_it_is,
        run_dynamic,
        static=False,
    ),
    Strategy(
        "bucketed",
        "Run each bucket as one batch, filled to the length of the bucket and masked.",
        bucketed_work,
        _to_bucket,
        run_bucketed,
        by_bucket=True,
    ),
    Strategy(
        "left-pad",
        "Fill with zeros in front, so that the last state is always the last real one.",
        padded_work,
        _to_longest,
        run_left_pad,
    ),
    Strategy(
        "repeat-last",
        "Fill every sequence by repeating its last input.",
        padded_work,
        _to_longest,
        run_repeat_last,
    ),
)

_BY_NAME = {strategy.name: strategy for strategy in STRATEGIES}


def strategy_named(name: str) -> Strategy:
    """Return the strategy called ``name``; raise DgplayError where there is none."""
    if name not in _BY_NAME:
        raise DgplayError(f"no strategy {name!r}", hint="there are " + ", ".join(_BY_NAME))
    return _BY_NAME[name]
