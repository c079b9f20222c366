"""What a plan is asked to minimise, from the words of a command line to a solved problem."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from .sequences.analysis import Analysis
from .sequences.batch_options import BatchOptions
from .sequences.batch_simulation import BatchRule
from .sequences.costs import parse_cost
from .sequences.planners import plan
from .sequences.variants import PlanOptions, Solution, prepare


@dataclass(frozen=True)
class Planning:
    """What a plan minimises and under which conditions, as a command line spells it.

    ``cost`` is linear, quadratic, A,B or a file. Boundaries are multiples of ``multiple_of``,
    buckets hold ``min_count`` sequences at least, a graph costs ``compile_cost`` by itself.
    Batches are made under a ``budget`` of steps or a ``batch_size``; at most one is given.
    """

    cost: str = "linear"
    multiple_of: int = 1
    min_count: int = 1
    compile_cost: Fraction | None = None
    budget: int | None = None
    batch_size: int | None = None

    @property
    def rule(self) -> BatchRule | None:
        """When a batch is full; None where neither budget nor batch size is given."""
        if self.budget is None and self.batch_size is None:
            return None
        return BatchRule(self.budget, self.batch_size)

    def options(self, k: int | None = None) -> PlanOptions:
        """Return what the planner takes; raises DgplayError for a cost that cannot be."""
        return PlanOptions(
            k=k,
            cost=parse_cost(self.cost),
            multiple_of=self.multiple_of,
            min_count=self.min_count,
            compile_cost=self.compile_cost,
        )

    def batches(self, seed: int) -> BatchOptions | None:
        """Return how batches are made, padded to their boundary; None without a rule."""
        rule = self.rule
        if rule is None:
            return None
        return BatchOptions(rule.budget, rule.size, seed=seed, multiple_of=self.multiple_of)

    @property
    def plain(self) -> bool:
        """Whether boundaries are judged by nothing but their steps."""
        return (self.cost, self.multiple_of, self.min_count) == ("linear", 1, 1)


def solve_for(analysis: Analysis, options: PlanOptions) -> Solution:
    """Return the solved frontier; that of the data itself where the options change nothing.

    Raises PlanError where no plan exists.
    """
    unchanged = replace(options, k=None, compile_cost=None, pad_to="boundary") == PlanOptions()
    if unchanged:
        return Solution(analysis.histogram, analysis.histogram, options, analysis.frontier)
    return prepare(analysis.histogram, options)


def chosen_boundaries(
    analysis: Analysis, planning: Planning, k: int, method: str
) -> tuple[int, ...]:
    """Choose at most ``k`` boundaries by a method, as ``planning`` asks; raises DgplayError."""
    if planning.plain:
        return analysis.plan(k, method)
    if method == "optimal":
        return solve_for(analysis, planning.options(k)).boundaries(k)
    dataset = analysis.dataset
    return plan(
        dataset.histogram,
        k,
        method,
        in_order=dataset.in_order,
        multiple_of=planning.multiple_of,
    )
