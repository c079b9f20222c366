"""One sequence under every strategy: |h| after each step, as numbers and as curves to draw.

Padding goes on stirring the state after the real steps have ended; a mask holds it; in front of
the sequence it does nothing as long as there is no bias. Heights are worked out here, in eighths
of a cell, so that a screen only has to look them up.
"""

from __future__ import annotations

from dataclasses import dataclass

from .sequences.analysis import Analysis
from .sequences.checks import ATOL, BUDGET
from .sequences.inputs import open_source
from .sequences.traces import Trace, trace
from .state import State

#: The strategies that are laid side by side; ``dynamic`` is what the others are compared with.
COMPARED = ("dynamic", "pad", "pad+mask", "left-pad", "repeat-last")

#: The most cells that one step takes in a drawing.
_WIDEST_STEP = 3


@dataclass(frozen=True, eq=False)
class Traces:
    """Sequence ``index`` under each strategy; ``steps`` is what all but dynamic pad it to."""

    index: int
    length: int
    steps: int
    traces: tuple[Trace, ...]


@dataclass(frozen=True)
class Curve:
    """One strategy drawn: ``heights`` in eighths, one a cell; ``mark`` is the cell of a boundary.

    At the mark real steps end, or with ``starts`` begin. ``cursor`` is the first cell of the
    chosen step. ``value`` is |h| after that step, None where the strategy has not that many.
    """

    name: str
    heights: tuple[int, ...]
    mark: int
    starts: bool
    cursor: int
    value: float | None
    error: float
    correct: bool


def trace_all(state: State, analysis: Analysis) -> Traces:
    """Run the chosen sequence under each strategy; raises DgplayError where that cannot be."""
    longest = analysis.histogram.maximum
    found = tuple(
        trace(name, analysis.dataset, state.model_options, state.sequence, longest)
        for name in COMPARED
    )
    return Traces(state.sequence, found[0].length, longest, found)


def first_of_length(state: State, analysis: Analysis, length: int) -> int:
    """Return the index of the first sequence that is ``length`` long."""
    source = open_source(analysis.dataset, state.model_options.seed, BUDGET)
    return source.first_of(length)


def step_shown(state: State, traces: Traces) -> int:
    """Return the step, from 1, at which values are shown: the chosen one, else the last."""
    return min(state.step or traces.steps, traces.steps)


def cells_of_step(steps: int, width: int) -> int:
    """Return how many cells one step takes, 0 where several steps share a cell."""
    return min(width // steps, _WIDEST_STEP) if steps else 0


def curves(traces: Traces, step: int, width: int, rows: int) -> list[Curve]:
    """Draw every strategy on ``width`` cells and ``rows`` lines, on one scale.

    Where several steps share a cell it shows the last of them, because a state is what the steps
    before have made of it.
    """
    wide = cells_of_step(traces.steps, width)
    cells = traces.steps * wide if wide else width
    top = max((norm for each in traces.traces for norm in each.norms), default=0.0) or 1.0

    def last_step_of(cell: int) -> int:
        return cell // wide if wide else ((cell + 1) * traces.steps - 1) // cells

    def cell_of(taken: int) -> int:
        return taken * wide if wide else taken * cells // max(1, traces.steps)

    drawn = []
    for each in traces.traces:
        taken = [last_step_of(cell) for cell in range(cells)]
        norms = [each.norms[number] for number in taken if number < len(each.norms)]
        heights = tuple(_eighths(norm / top, rows) for norm in norms)
        starts = each.real_start > 0
        drawn.append(
            Curve(
                each.strategy,
                heights,
                mark=cell_of(each.real_start if starts else each.real_end),
                starts=starts,
                cursor=cell_of(step - 1),
                value=each.norms[step - 1] if 0 < step <= len(each.norms) else None,
                error=each.output_error,
                correct=each.output_error <= ATOL,
            )
        )
    return drawn


def _eighths(share: float, rows: int) -> int:
    """Return a height in eighths of a line; anything above zero is at least one."""
    if not share > 0:
        return 0
    return max(1, min(8 * rows, round(share * 8 * rows)))


def numbers_text(trace_: Trace, mark: str) -> str:
    """Return every |h| to two decimals, with ``mark`` where real steps end or begin."""
    words = [f"{norm:.2f}" for norm in trace_.norms]
    place = trace_.real_start or trace_.real_end
    if 0 < place < len(words):
        words.insert(place, mark)
    return " ".join(words)
