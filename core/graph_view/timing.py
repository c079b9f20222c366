"""Owns the measured time of a run: the same calls once more, with nobody watching.

Events cost more time than most kernels of a small program, so time is never taken while they
are recorded. Of every call two times are kept: of the first one, in which graphs are drawn and
compiled, and the shortest of some more of the same, which find everything ready. A program with
a ``while_loop`` is still watched by its budget, which its time includes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ..graph.feeds import Feed
from ..graph.lang_budget import DEFAULT_BUDGET, Budget, Meter
from ..graph.lang_refusal import Cancelled, Refusal
from ..graph.modes import MODES, Options, open_mode
from .running import GraphRun, mode_options

#: A call is repeated so often at most, and no more once this many seconds have gone by in all.
REPEATS, SECONDS = 5, 0.4


@dataclass(frozen=True, slots=True)
class Measured:
    """Whole calls of one mode in nanoseconds; ``again`` is the shortest of ``repeats``."""

    first: int
    again: int | None
    repeats: int

    @property
    def first_ms(self) -> float:
        """The first call in milliseconds."""
        return self.first / 1e6

    @property
    def again_ms(self) -> float | None:
        """The shortest of the others in milliseconds, None where there was none."""
        return None if self.again is None else self.again / 1e6


def measure(
    run: GraphRun,
    budget: Budget = DEFAULT_BUDGET,
    cancelled: Callable[[], bool] | None = None,
    clock: Callable[[], int] = time.perf_counter_ns,
) -> tuple[Mapping[str, Measured], ...]:
    """Return the times of every call by mode; a mode that refuses a call has none there.

    :class:`~..graph.lang_refusal.Cancelled` when asked to stop.
    """
    if run.program is None:
        return ()
    options = mode_options(run.asked.options, run.grads, budget, cancelled)
    found: list[dict[str, Measured]] = [{} for _ in run.calls]
    ends = clock() + int(SECONDS * 1e9)
    for mode in MODES:
        _measure_mode(run, mode, options, found, ends, clock)
    return tuple(found)


def _measure_mode(
    run: GraphRun, mode: str, options: Options, found: list[dict[str, Measured]], ends: int,
    clock: Callable[[], int],
) -> None:  # fmt: skip
    assert run.program is not None
    runner = open_mode(run.program, mode, options)
    for call, times in zip(run.calls, found, strict=True):
        if call.logs[mode].gave is None:
            continue

        def once(inputs: Mapping[str, Feed] = call.inputs) -> int:
            Meter(options.budget, options.cancelled).look()
            begun = clock()
            runner.step(inputs)
            return clock() - begun

        try:
            first = once()
            more: list[int] = []
            while len(more) < REPEATS and clock() < ends:
                more.append(once())
        except Cancelled:
            raise
        except Refusal:  # a budget, which the first run had just not used up
            continue
        times[mode] = Measured(first, min(more, default=None), len(more))
