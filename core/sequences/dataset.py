"""What was asked for as DATA, and what came of it: a histogram with an account of every row."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from .histogram import Histogram, Integers

#: How many lengths are kept in the order of their rows (what lhotse's estimator looks at).
KEPT_IN_ORDER = 10_000


@dataclass(frozen=True)
class DataOptions:
    """DATA and the options that say how to read it, as a command line spells them.

    ``sources`` is empty for the reference experiment. ``frame_rate`` is in frames per second and
    matters for durations only. ``over`` says what happens above ``max_length``: refuse, drop or
    truncate. ``count`` and ``seed`` belong to the generators.
    """

    sources: tuple[str, ...] = ()
    field: str | None = None
    unit: str | None = None
    frame_rate: Fraction | None = None
    format: str | None = None
    skip_bad: bool = False
    count: int = 100
    seed: int = 0
    max_length: int | None = None
    over: str = "refuse"


@dataclass(frozen=True, eq=False)
class Dataset:
    """Lengths as read, and where every row went.

    sequences + skipped + dropped = rows, and real steps + dropped_steps + truncated_steps = steps
    of the readable rows; all are weighted by the weights of their sources.

    ``kind`` is reference, generator, bundled or file. ``unit`` is what one step is (steps, words,
    chars, bytes, frames, tokens, ...), ``frame_rate`` frames per second where a step is a frame;
    ``assumed`` says that nobody gave that rate.
    ``in_order`` holds the first lengths in the order of their rows where one row is one sequence
    of weight 1 (all rows if there are at most ``KEPT_IN_ORDER``), else None. ``notes`` are lines
    for stderr, said on success only.
    """

    name: str
    kind: str
    histogram: Histogram
    unit: str = "steps"
    frame_rate: Fraction | None = None
    rows: int = 0
    skipped: int = 0
    dropped: int = 0
    dropped_steps: int = 0
    truncated: int = 0
    truncated_steps: int = 0
    in_order: Integers | None = None
    notes: tuple[str, ...] = field(default=())
    assumed: bool = False

    @cached_property
    def first_length(self) -> int:
        """The first length above zero in the order of the rows, 0 where there is none.

        Where the order is not known it is the shortest.
        """
        known = () if self.in_order is None else self.in_order
        return int(next((length for length in known if length), self.histogram.positive.minimum))
