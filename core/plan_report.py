"""What ``dgplay plan`` finds: boundaries chosen or given, priced, laid over the data, in batches.

One record serves the JSON, the tables and the exports. Under ``longest`` and ``boundary`` steps
and costs are exact and the optimum is proved; under ``batch`` the cost is an expectation, and steps
and waste are the means of simulated epochs.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any

from .errors import PlanError
from .plan_laid import Laid, bucket_records, laid_record, lay, lay_on_other
from .planning import Planning, solve_for
from .sequences.analysis import Analysis
from .sequences.batch_options import BatchOptions
from .sequences.batch_policy import ExpectedRow, batch_frontier, expected_of, expected_rows
from .sequences.batch_simulation import BatchRule
from .sequences.buckets import bucket_table
from .sequences.dataset import Dataset
from .sequences.export import ExportRequest, axes_of
from .sequences.frontier import MOST_BUCKETS, refuse_no_buckets
from .sequences.packing import Packing
from .sequences.planners import plan
from .sequences.scores import Score, Scorer
from .sequences.variants import (
    DEFAULT_BUCKETS,
    FrontierRow,
    PlanOptions,
    Solution,
    priced,
)
from .wording import say

#: The policies of a plan; optimality is claimed for the first two.
PLAN_POLICIES = ("boundary", "longest", "batch")

#: What boundaries that somebody named are called among the methods.
OWN = "own"


@dataclass(frozen=True)
class PlanRequest:
    """What is asked for.

    ``k`` buckets at most: None leaves it to the compile cost of ``planning``, or takes 8.
    ``boundaries`` of one's own take the place of a ``method``. ``batches`` says how batches are
    made, None for no batches. ``throughput`` in steps per second and ``epochs`` turn a compile
    cost into seconds.
    """

    k: int | None = None
    boundaries: tuple[int, ...] | None = None
    method: str = "optimal"
    pad_to: str = "boundary"
    planning: Planning = field(default_factory=Planning)
    fill_last: int = 1
    batches: BatchOptions | None = None
    throughput: Fraction | None = None
    epochs: Fraction = Fraction(1)

    @property
    def k_asked(self) -> int | None:
        """How many buckets were asked for; None where something else decided it."""
        if self.k is None and self.boundaries is None and self.planning.compile_cost is None:
            return DEFAULT_BUCKETS
        return self.k

    @property
    def options(self) -> PlanOptions:
        """What the planner takes; raises DgplayError for a cost that cannot be."""
        pad_to = "longest" if self.pad_to == "longest" else "boundary"
        return replace(self.planning.options(self.k), fill_last=self.fill_last, pad_to=pad_to)


@dataclass(frozen=True, eq=False)
class PlanReport:
    """A plan with everything that was found out about it.

    ``cost`` is what was minimised; ``optimal_cost`` the least of it for as many buckets, None
    under ``batch``. ``other`` is the plan laid over other data.
    """

    request: PlanRequest
    analysis: Analysis
    method: str
    cost: int | float | Decimal
    score: Score
    laid: Laid
    rows: tuple[FrontierRow, ...]
    scorer: Scorer
    other: Laid | None = None

    @property
    def boundaries(self) -> tuple[int, ...]:
        """The boundaries of the plan."""
        return self.laid.boundaries

    @property
    def proved(self) -> bool:
        """Whether there is a proved optimum to compare with."""
        return self.request.pad_to != "batch"

    @property
    def optimal_cost(self) -> int | Decimal | None:
        """The least cost for as many buckets, None where none is proved."""
        return self.score.optimal_cost if self.proved else None

    @property
    def excess(self) -> float | None:
        """Cost over the least cost, less 1."""
        return self.score.excess if self.proved else None

    @cached_property
    def record(self) -> dict[str, Any]:
        """The JSON object of ``dgplay plan --json``."""
        report = self.laid.batches
        compare = {} if self.other is None else {"compare": laid_record(self.other)}
        return {
            "method": self.method,
            "pad_to": self.request.pad_to,
            "k_asked": self.request.k_asked,
            "k": len(self.boundaries),
            "boundaries": list(self.boundaries),
            "steps": self.laid.steps,
            "cost": number(self.cost),
            "real_steps": self.laid.real_steps,
            "waste": self.laid.waste,
            "optimal_cost": number(self.optimal_cost),
            "excess_over_optimal": self.excess,
            "buckets": bucket_records(self.laid),
            "frontier": [
                {
                    **asdict(row),
                    "cost": number(row.cost),
                    "break_even": number(row.break_even),
                }
                for row in self.rows
            ],
            "batches": None if report is None else report.as_json(),
            **compare,
        }

    def notes(self) -> tuple[str, ...]:
        """Return what has to be said beside the numbers, one line each."""
        lines = []
        if not self.score.enough:
            least = self.request.planning.min_count
            lines.append(f"a bucket holds fewer than the {least} sequences asked for")
        if self.score.unused:
            lines.append(f"buckets that hold no sequence: {self.score.unused}")
        return (*lines, *(self.laid.batches.notes() if self.laid.batches else ()))


def pack_record(packing: Packing) -> dict[str, Any]:
    """Return the JSON object of ``dgplay pack --json``; kinds hold rows of the same content."""
    return {
        "capacity": packing.capacity,
        "sequences": packing.sequences,
        "zeros": packing.zeros,
        "bins": packing.bins,
        "lower_bound": packing.lower_bound,
        "lower_bound_volume": packing.lower_bound_volume,
        "gap": packing.gap,
        "optimal": packing.optimal,
        "steps": packing.steps,
        "real_steps": packing.real_steps,
        "waste": packing.waste,
        "least_waste": packing.least_waste,
        "min_fill": packing.min_fill,
        "mean_fill": packing.mean_fill,
        "kinds": [
            {"count": row.count, "fill": row.fill, "lengths": [list(pair) for pair in row.lengths]}
            for row in packing.kinds
        ],
    }


def number(value: int | float | Decimal | None) -> int | float | None:
    """Return a number as JSON has it: whole where it is whole, else the nearest float."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return value


def make_plan(
    request: PlanRequest, analysis: Analysis, other: Analysis | None = None
) -> PlanReport:
    """Choose boundaries as asked, price them, and make their batches; raises DgplayError."""
    if request.k is not None:
        refuse_no_buckets(request.k)
    options = request.options
    rule = _rule(request, options)
    solution = solve_for(analysis, options)
    batches = None
    if request.batches is not None:
        multiple = options.multiple_of
        batches = replace(request.batches, pad_to=request.pad_to, multiple_of=multiple)
        batches.check()
    expected = None
    if rule is not None:
        most = max(MOST_BUCKETS, request.k or 0)
        solved = batch_frontier(solution.rounded, rule, most, min_count=options.min_count)
        expected = expected_rows(solved, solution.rounded, rule)
    method, boundaries = _chosen(request, analysis, solution, rule, expected)
    dataset = analysis.dataset
    scorer = Scorer(solution, rule, batches.seed if batches else 0, in_order=dataset.in_order)
    score = Scorer(solution).score(method, boundaries)
    laid = lay(dataset, boundaries, options, batches)
    cost: int | float | Decimal = score.cost
    if rule is not None:
        cost = expected_of(solution.rounded, laid.boundaries, rule)
    return PlanReport(
        request,
        analysis,
        method,
        cost,
        score,
        laid,
        solution.rows() if expected is None else _frontier_rows(expected, dataset),
        scorer,
        None if other is None else lay_on_other(laid.boundaries, other.dataset, options, batches),
    )


def _rule(request: PlanRequest, options: PlanOptions) -> BatchRule | None:
    """Return when a batch is full under the ``batch`` policy, None under the others."""
    if request.pad_to not in PLAN_POLICIES:
        names = ", ".join(PLAN_POLICIES)
        raise PlanError(say("is one of {names}", names=names), where="--pad-to")
    if request.pad_to != "batch":
        return None
    if request.batches is None:
        raise PlanError(
            say("batch pads each batch to its own longest, so it needs batches"),
            where="--pad-to",
            hint=say("give --budget or --batch-size"),
        )
    if not options.cost.is_steps or options.fill_last > 1:
        given = "--fill-last" if options.cost.is_steps else "--cost"
        raise PlanError(
            say("is for shapes that are fixed; under batch the expected steps are minimised"),
            where=given,
            hint=say("take --pad-to boundary or longest"),
        )
    return BatchRule(request.batches.budget, request.batches.batch_size)


def _chosen(
    request: PlanRequest,
    analysis: Analysis,
    solution: Solution,
    rule: BatchRule | None,
    expected: tuple[ExpectedRow, ...] | None,
) -> tuple[str, tuple[int, ...]]:
    """Return the name of what chose the boundaries, and the boundaries."""
    if request.boundaries is not None:
        return OWN, request.boundaries
    per_graph, options = request.planning.compile_cost, solution.options
    k = DEFAULT_BUCKETS if request.k is None else request.k
    by_cost = request.k is None and per_graph is not None
    if request.method == "optimal":
        if expected is not None:
            chosen = _cheapest(expected, per_graph, k, by_cost)
            return "optimal", expected[min(chosen, len(expected)) - 1].boundaries
        return "optimal", solution.best() if by_cost else solution.boundaries(k)
    dataset = analysis.dataset

    def of(k: int) -> tuple[int, ...]:
        multiple = options.multiple_of
        return plan(
            dataset.histogram, k, request.method, in_order=dataset.in_order, multiple_of=multiple
        )

    def total(boundaries: tuple[int, ...]) -> Fraction:
        found = priced(dataset.histogram, boundaries, options)
        cost = found.cost if rule is None else expected_of(solution.rounded, found.boundaries, rule)
        return Fraction(cost) + (per_graph or 0) * len(found.boundaries)

    if by_cost:
        return request.method, min(map(of, range(1, MOST_BUCKETS + 1)), key=total)
    return request.method, of(k)


def _cheapest(
    expected: tuple[ExpectedRow, ...], per_graph: Fraction | None, k: int, by_cost: bool
) -> int:
    """Return how many buckets cost least with the compile cost of each, or ``k``."""
    if not by_cost or per_graph is None:
        return k
    totals = [Fraction(row.steps) + per_graph * (i + 1) for i, row in enumerate(expected)]
    return totals.index(min(totals)) + 1


def _frontier_rows(expected: tuple[ExpectedRow, ...], dataset: Dataset) -> tuple[FrontierRow, ...]:
    """Return the frontier of the ``batch`` policy, in expected steps."""
    real = dataset.histogram.real_steps
    rows: list[FrontierRow] = []
    for k, row in enumerate(expected[:MOST_BUCKETS], 1):
        saves = rows[-1].steps - row.steps if rows else None
        waste = (row.steps - real) / row.steps if row.steps else None
        rows.append(FrontierRow(k, row.steps, row.steps, waste, saves, saves))
    return tuple(rows)


def export_request(
    dataset: Dataset,
    boundaries: tuple[int, ...],
    method: str,
    batches: BatchOptions | None,
    command: str,
    frame_rate: Fraction | None = None,
) -> ExportRequest:
    """Return what an exporter takes; every export is padded to the boundary.

    ``frame_rate`` says what a frame is where a file holds frames and does not say it itself: it
    states that unit, or none at all.
    """
    rate, axes = dataset.frame_rate, axes_of(dataset, dataset.assumed)
    counts_frames = dataset.kind == "file" and dataset.unit in ("frames", "steps")
    if rate is None and frame_rate is not None and counts_frames:
        rate, axes = frame_rate, frozenset({"lengths", "seconds"})
    return ExportRequest(
        dataset.name,
        bucket_table(dataset.histogram, boundaries, "boundary"),
        method,
        dataset.unit,
        rate,
        axes,
        None if batches is None else replace(batches, pad_to="boundary"),
        command,
    )
