"""The strategies, as a table: name, what it does, what it costs, how it runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..errors import DgplayError
from ..wording import say
from .buckets import BucketTable
from .generators import REFERENCE_HIDDEN, Floats
from .graph_runs import (
    MOST_CAPTURED_STEPS,
    MOST_LOOP_STEPS,
    run_capture,
    run_capture_symbolic,
    run_while_loop,
)
from .histogram import Histogram
from .packed_runs import run_exact_length, run_packed, run_packed_rows
from .strategy_counts import (
    Laid,
    StrategyCounts,
    WorkOf,
    bucketed_work,
    capture_symbolic_work,
    capture_work,
    count,
    dynamic_work,
    exact_length_work,
    packed_rows_work,
    packed_work,
    padded_work,
    while_loop_work,
)
from .strategy_runs import (
    Job,
    run_bucketed,
    run_dynamic,
    run_gather_last,
    run_left_pad,
    run_pad,
    run_pad_mask,
    run_pad_where,
    run_repeat_last,
)

#: Steps that a sequence of some length takes, given the longest of the data and the buckets.
StepsOf = Callable[[int, int, BucketTable], int]

#: How often a strategy calls its program: for each batch, once for all, for each sequence.
PER_BATCH, ONCE, PER_SEQUENCE = "batch", "once", "sequence"


@dataclass(frozen=True)
class Strategy:
    """One way of running an RNN on sequences of unequal length.

    ``work`` counts in closed form; ``steps_of`` says how many steps one sequence of length 1 or
    more takes at most; ``run`` returns the last states, (n, H). ``static`` says whether a graph
    that is drawn before it sees data can express it, ``by_bucket`` whether boundaries matter to
    it, ``optimal`` that these are the optimum for as many buckets as there are. ``called``
    says how many graphs define-by-run draws for it: one a batch, one for all sequences or one
    for each. ``most_steps`` is its own limit in a check, where it has one.
    """

    name: str
    doc: str
    work: WorkOf
    steps_of: StepsOf
    run: Callable[[Job], Floats]
    static: bool = True
    by_bucket: bool = False
    optimal: bool = False
    called: str = PER_BATCH
    most_steps: int | None = None

    def counts(
        self,
        histogram: Histogram,
        table: BucketTable,
        hidden: int = REFERENCE_HIDDEN,
        first: int | None = None,
    ) -> StrategyCounts:
        """Return the strategy's row of the table, in exact whole numbers.

        ``first`` is the length above zero that comes first, the shortest where None.
        """
        laid = Laid(histogram, table, first or histogram.positive.minimum)
        return count(self.name, self.work, laid, hidden)


def _to_longest(length: int, longest: int, table: BucketTable) -> int:
    return longest


def _as_it_is(length: int, longest: int, table: BucketTable) -> int:
    return length


def _to_bucket(length: int, longest: int, table: BucketTable) -> int:
    return table.pad_to_of(length)


def _in_a_row(length: int, longest: int, table: BucketTable) -> int:
    """Rows of best-fit decreasing are more than half full, any two of them together."""
    return 2 * length


#: Every strategy that is always shown, in the order of the table.
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
        "Fill with zeros and hold each state from its last real step on, by m*new + (1-m)*old.",
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
        called=PER_SEQUENCE,
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

#: What ``--all`` adds, in the order of the table.
FURTHER: tuple[Strategy, ...] = (
    Strategy(
        "pad+where",
        "Zero what stands in the padding, then select old or new by where: safe even for NaN.",
        padded_work,
        _to_longest,
        run_pad_where,
    ),
    Strategy(
        "gather-last",
        "Fill and run without a mask, but read each state at its last real step.",
        padded_work,
        _to_longest,
        run_gather_last,
    ),
    Strategy(
        "packed",
        "Sort by length, longest first, and let the batch shrink: no step is padded.",
        packed_work,
        _as_it_is,
        run_packed,
        called=ONCE,
    ),
    Strategy(
        "exact-length",
        "Run the sequences of each length as one batch of their own.",
        exact_length_work,
        _as_it_is,
        run_exact_length,
    ),
    Strategy(
        "optimal-buckets",
        "As bucketed, with the boundaries of the fewest steps for the same number of buckets.",
        bucketed_work,
        _to_bucket,
        run_bucketed,
        by_bucket=True,
        optimal=True,
    ),
    Strategy(
        "while-loop",
        "Run each sequence alone through one static graph, whose loop counts at run time.",
        while_loop_work,
        _as_it_is,
        run_while_loop,
        called=PER_SEQUENCE,
        most_steps=MOST_LOOP_STEPS,
    ),
    Strategy(
        "capture",
        "Capture the Python loop: a graph for each length, after eight of them none.",
        capture_work,
        _as_it_is,
        run_capture,
        static=False,
        most_steps=MOST_CAPTURED_STEPS,
    ),
    Strategy(
        "capture-symbolic",
        "Capture a while_loop: from the second length on one graph with a symbolic length.",
        capture_symbolic_work,
        _as_it_is,
        run_capture_symbolic,
        static=False,
        most_steps=MOST_CAPTURED_STEPS,
    ),
    Strategy(
        "packed-rows",
        "Lay sequences end to end in rows as long as the longest; each begins at h0 again.",
        packed_rows_work,
        _in_a_row,
        run_packed_rows,
        called=ONCE,
    ),
)

EVERY: tuple[Strategy, ...] = (*STRATEGIES, *FURTHER)

_BY_NAME = {strategy.name: strategy for strategy in EVERY}


def shown(every: bool) -> tuple[Strategy, ...]:
    """Return the strategies of a table: all of them, or those that are always shown."""
    return EVERY if every else STRATEGIES


def strategy_named(name: str) -> Strategy:
    """Return the strategy called ``name``; raise DgplayError where there is none."""
    if name not in _BY_NAME:
        names = ", ".join(_BY_NAME)
        raise DgplayError(
            say("no strategy {name!r}", name=name), hint=say("there are {names}", names=names)
        )
    return _BY_NAME[name]
