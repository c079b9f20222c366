"""Scores: what somebody's boundaries cost, beside the optimum for the same number of buckets.

Every method, and boundaries of one's own, are priced under the same options (cost, multiple,
filling of last batches) and compared with the exact optimum for as many buckets as they have. Under
a batch rule they are simulated besides; there the comparison is with the boundaries that the
``batch`` policy finds for as many buckets, which are a reference and not a proved optimum.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction

from ..errors import PlanError
from ..wording import say
from .batch_policy import BatchFrontier, batch_frontier
from .batch_simulation import EPOCHS, BatchRule, Simulation, simulate
from .histogram import Integers
from .planners import METHOD_NAMES, plan
from .rnn import CancelledError, never
from .variants import Solution, priced


@dataclass(frozen=True)
class BatchScore:
    """Boundaries under real batches: ``excess`` is over the batch policy's for the same k."""

    simulation: Simulation
    real_steps: int
    excess: float

    @property
    def waste(self) -> float | None:
        """(mean steps - real steps) / mean steps."""
        steps = self.simulation.mean_steps
        return (steps - self.real_steps) / steps if steps else None


@dataclass(frozen=True)
class Score:
    """Boundaries under one name, priced.

    ``steps`` count padding, ``waste`` is (steps - real) / steps. ``excess`` is cost / optimal cost
    - 1 for the same number of buckets; None where the optimum is free or the boundaries break the
    minimum per bucket (``enough`` is then False), as they are no plan under those options.
    ``unused`` buckets hold no sequence.
    """

    name: str
    boundaries: tuple[int, ...]
    steps: int
    cost: int | Decimal
    waste: float | None
    optimal_cost: int | Decimal
    excess: float | None
    enough: bool
    unused: int
    batch: BatchScore | None = None

    @property
    def k(self) -> int:
        """The number of buckets, empty ones included."""
        return len(self.boundaries)


@dataclass(eq=False)
class Scorer:
    """Scores boundaries on one solved histogram; keeps what several scores share.

    ``rule`` None leaves the simulation out, which starts from the order of the rows where
    ``in_order`` holds all of them. A simulation is not begun once ``cancelled`` says so; then
    CancelledError is raised.
    """

    solution: Solution
    rule: BatchRule | None = None
    seed: int = 0
    epochs: int = EPOCHS
    in_order: Integers | None = None
    cancelled: Callable[[], bool] = never
    _simulations: dict[tuple[int, ...], Simulation] = field(default_factory=dict)
    _batch_frontiers: dict[int, BatchFrontier] = field(default_factory=dict)
    _best_batches: dict[int, float] = field(default_factory=dict)

    def score(self, name: str, boundaries: tuple[int, ...]) -> Score:
        """Score boundaries; raises PlanError where they are not boundaries of this data."""
        histogram, options = self.solution.histogram, self.solution.options
        given = priced(histogram, boundaries, options)
        k = len(given.boundaries)
        optimal = self.solution.optimal_cost(k)
        enough = given.fewest >= options.min_count or options.min_count == 1
        excess = float(Fraction(given.cost) / Fraction(optimal) - 1) if optimal and enough else None
        real = histogram.real_steps
        return Score(
            name,
            given.boundaries,
            given.steps,
            given.cost,
            (given.steps - real) / given.steps if given.steps else None,
            optimal,
            excess,
            enough,
            given.unused,
            None if self.rule is None else self._batch_score(given.boundaries, self.rule),
        )

    def batch_boundaries(self, k: int) -> tuple[int, ...]:
        """Return what the batch policy chooses for at most ``k`` buckets."""
        if self.rule is None:
            raise PlanError(say("the batch policy needs a token budget or a batch size"))
        # Frontiers are solved in powers of two, so that scores with near k share one.
        most = 1 << (k - 1).bit_length()
        if most not in self._batch_frontiers:
            options = self.solution.options
            self._batch_frontiers[most] = batch_frontier(
                self.solution.rounded, self.rule, most, min_count=options.min_count
            )
        return self._batch_frontiers[most].boundaries(k)

    def _batch_score(self, boundaries: tuple[int, ...], rule: BatchRule) -> BatchScore:
        k = len(boundaries)
        simulated = self._simulate(boundaries, rule)
        if k not in self._best_batches:
            best = self._simulate(self.batch_boundaries(k), rule)
            self._best_batches[k] = best.mean_steps
        excess = simulated.mean_steps / self._best_batches[k] - 1
        return BatchScore(simulated, self.solution.histogram.real_steps, excess)

    def _simulate(self, boundaries: tuple[int, ...], rule: BatchRule) -> Simulation:
        if boundaries not in self._simulations:
            if self.cancelled():
                raise CancelledError
            rounded, multiple = self.solution.rounded, self.solution.options.multiple_of
            order = self.in_order
            if order is not None and multiple > 1:
                order = -(-order // multiple) * multiple
            self._simulations[boundaries] = simulate(
                rounded, boundaries, rule, in_order=order, seed=self.seed, epochs=self.epochs
            )
        return self._simulations[boundaries]


@dataclass(frozen=True)
class Comparison:
    """The scores of all methods, best first, and why a method could not be scored."""

    scores: tuple[Score, ...]
    refused: tuple[tuple[str, str], ...]


def compare_methods(
    scorer: Scorer, k: int, in_order: Integers | None = None, own: tuple[int, ...] | None = None
) -> Comparison:
    """Score every method at ``k`` buckets asked for, and boundaries of one's ``own`` if given.

    The first is ``optimal`` under the options; with a batch rule ``batch`` is the batch policy's
    choice. Methods that refuse the data are listed with their reason. Raises PlanError for k < 1
    and for own boundaries that are none.
    """
    solution = scorer.solution
    scores = [] if own is None else [scorer.score("own", own)]
    refused = []
    scores.append(scorer.score("optimal", solution.boundaries(k)))
    if scorer.rule is not None:
        scores.append(scorer.score("batch", scorer.batch_boundaries(k)))
    for name in METHOD_NAMES:
        if name == "optimal":
            continue
        try:
            boundaries = plan(
                solution.histogram,
                k,
                name,
                in_order=in_order,
                multiple_of=solution.options.multiple_of,
            )
            scores.append(scorer.score(name, boundaries))
        except PlanError as error:
            refused.append((name, str(error)))
    scores.sort(key=lambda score: Fraction(score.cost))
    return Comparison(tuple(scores), tuple(refused))
