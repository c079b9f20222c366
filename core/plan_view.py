"""What the Plan screen shows of a session: the frontier, the methods, the batches.

The frontier is solved once for data and conditions (:func:`plan_for`), batches are made for the
present boundaries (:func:`batch_for`); both are work for a thread. From then on a key only looks
things up.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

from .errors import DgplayError
from .plan_laid import Laid, lay
from .plan_report import OWN, export_request
from .plan_tables import LETTERS
from .planning import solve_for
from .report import reproduce
from .sequences.analysis import Analysis
from .sequences.batch_options import ORDERS, BatchOptions
from .sequences.export import EXPORTERS, ExportRequest, export
from .sequences.rnn import CancelledError, never
from .sequences.scores import Comparison, Scorer, compare_methods
from .sequences.variants import FrontierRow, Solution
from .session import Session
from .state import State

#: Ranks for which the waiting is shown where nobody says how many there are.
RANKS_SHOWN = 8


@dataclass(frozen=True, eq=False)
class Planned:
    """What holds for data and conditions, whatever the boundaries.

    ``best`` is the number of graphs that costs least with the compile cost of each, None without
    one. ``scorer`` keeps the simulations of batches, for one thread at a time.
    """

    key: tuple[object, ...]
    solution: Solution
    rows: tuple[FrontierRow, ...]
    best: int | None
    scorer: Scorer


@dataclass(frozen=True)
class BatchRow:
    """The batches of one order; ``problem`` says why there are none."""

    order: str
    pad_to: str
    laid: Laid | None
    problem: str = ""

    @property
    def name(self) -> str:
        """What the row is called: the order, and ``~`` where batches are padded to their own."""
        return f"{self.order} ~" if self.pad_to == "batch" else self.order


@dataclass(frozen=True, eq=False)
class Batched:
    """What holds for the present boundaries: every method in real batches, and the orders."""

    key: tuple[object, ...]
    comparison: Comparison
    rows: tuple[BatchRow, ...]


def plan_key(state: State) -> tuple[object, ...]:
    """Return what a frontier depends on."""
    return (state.data, state.planning)


def batch_key(state: State) -> tuple[object, ...]:
    """Return what batches depend on."""
    return (*plan_key(state), state.boundaries)


def plan_for(state: State, analysis: Analysis) -> Planned:
    """Solve the frontier; raises DgplayError where no plan exists."""
    options = state.planning.options()
    solution = solve_for(analysis, options)
    best = None if options.compile_cost is None else len(solution.best())
    scorer = Scorer(
        solution, state.planning.rule, state.data.seed, in_order=analysis.dataset.in_order
    )
    return Planned(plan_key(state), solution, solution.rows(), best, scorer)


def batch_for(
    state: State,
    analysis: Analysis,
    planned: Planned,
    cancelled: Callable[[], bool] = never,
) -> Batched:
    """Make batches of the present boundaries in every order, and score every method in them.

    Raises CancelledError.
    """
    planned.scorer.cancelled = cancelled
    if cancelled():
        raise CancelledError
    boundaries, dataset = state.boundaries, analysis.dataset
    rows = []
    asked = batch_options(state)
    if asked is not None:
        kinds = [(order, "boundary") for order in ORDERS] + [("bucketed", "batch")]
        for order, pad_to in kinds:
            wanted = replace(asked, order=order, pad_to=pad_to, ranks=RANKS_SHOWN, uneven="repeat")
            try:
                laid = lay(dataset, boundaries, planned.solution.options, wanted)
                rows.append(BatchRow(order, pad_to, laid))
            except DgplayError as error:
                rows.append(BatchRow(order, pad_to, None, str(error)))
    found = compare_methods(planned.scorer, len(boundaries), dataset.in_order, boundaries)
    return Batched(batch_key(state), found, tuple(rows))


def batch_options(state: State) -> BatchOptions | None:
    """Return how batches are made, None where neither budget nor batch size is given."""
    asked = state.planning.batches(state.data.seed)
    if asked is None:
        return None
    return replace(asked, over="drop" if state.data.over == "drop" else "refuse")


@dataclass(frozen=True)
class Point:
    """Boundaries in the plane of the frontier: a letter, a name, graphs and waste."""

    letter: str
    name: str
    k: int
    waste: float


@dataclass(frozen=True, eq=False)
class PlanView:
    """A session with what is known of its plan; None until a worker has found it."""

    session: Session
    planned: Planned | None = None
    batched: Batched | None = None

    @property
    def state(self) -> State:
        """The present state."""
        return self.session.state

    @property
    def k(self) -> int:
        """The number of graphs that the present boundaries need."""
        return len(self.state.boundaries)

    @property
    def rows(self) -> tuple[FrontierRow, ...]:
        """The frontier, empty until it is known."""
        return () if self.planned is None else self.planned.rows

    @property
    def row(self) -> FrontierRow | None:
        """The optimum for as many graphs as the boundaries need."""
        return next((row for row in self.rows if row.k == self.k), None)

    @property
    def following(self) -> FrontierRow | None:
        """The optimum for one graph more."""
        return next((row for row in self.rows if row.k == self.k + 1), None)

    @cached_property
    def comparison(self) -> Comparison | None:
        """Every method at the present number of graphs, and the present boundaries.

        Without the worker's batches it is worked out here, where the frontier reaches that far.
        """
        if self.batched is not None:
            return self.batched.comparison
        if self.planned is None or self.k > self.planned.solution.frontier.most:
            return None
        scorer = Scorer(self.planned.solution)
        order = self.session.analysis.dataset.in_order
        try:
            return compare_methods(scorer, self.k, order, self.state.boundaries)
        except DgplayError:
            return None

    @property
    def points(self) -> tuple[Point, ...]:
        """The present boundaries and every method, as points."""
        found = self.comparison
        if found is None:
            return ()
        return tuple(
            Point(LETTERS[score.name], score.name, score.k, score.waste)
            for score in found.scores
            if score.waste is not None
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The rows of the method table."""
        found = self.comparison
        if found is None:
            return ()
        return (*(score.name for score in found.scores), *(name for name, _ in found.refused))

    def boundaries_of(self, name: str) -> tuple[int, ...] | None:
        """Return the boundaries of a row of the method table, None where it was refused."""
        found = self.comparison
        scores = () if found is None else found.scores
        return next((score.boundaries for score in scores if score.name == name), None)

    def refusal_of(self, name: str) -> str:
        """Return why a method could not be scored."""
        found = self.comparison
        return "" if found is None else dict(found.refused).get(name, "")

    @property
    def method(self) -> str:
        """What the present boundaries are called: a method that has them too, else own."""
        found = self.comparison
        scores = () if found is None else found.scores
        same = [one.name for one in scores if one.boundaries == self.state.boundaries]
        named = [name for name in same if name != OWN]
        return "optimal" if "optimal" in named else (named or [OWN])[0]

    @property
    def batches(self) -> Laid | None:
        """The bucketed batches of the present boundaries."""
        rows = () if self.batched is None else self.batched.rows
        return rows[0].laid if rows else None

    @property
    def problem(self) -> str:
        """Why batches cannot be made."""
        rows = () if self.batched is None else self.batched.rows
        return next((row.problem for row in rows if row.problem), "")

    @property
    def export_request(self) -> ExportRequest:
        """What an exporter takes of the present boundaries."""
        analysis = self.session.analysis
        return export_request(
            analysis.dataset,
            self.state.boundaries,
            self.method,
            batch_options(self.state),
            reproduce(self.state, analysis),
            self.state.data.frame_rate,
        )

    def exported(self, name: str) -> str:
        """Return the present boundaries in the format of a tool; raises PlanError."""
        return export(name, self.export_request)


def export_names() -> tuple[tuple[str, str, str], ...]:
    """Return every format with what it is and what it needs, in the order of the command line."""
    return tuple(
        (
            name,
            exporter.doc,
            exporter.axis + (", batches" if exporter.needs_batch_sizes else ""),
        )
        for name, exporter in EXPORTERS.items()
    )
