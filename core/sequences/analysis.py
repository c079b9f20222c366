"""A data set with what is worked out once about it, so that a key press only looks things up."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from .dataset import Dataset
from .frontier import Frontier, frontier
from .histogram import Histogram
from .planners import plan


@dataclass(frozen=True, eq=False)
class Analysis:
    """A data set and its frontier.

    The frontier takes 0.02 s at 1,000 distinct lengths and 2 s at 100,000, so a screen asks for
    it first from a worker; from then on every optimum up to 64 buckets is a lookup.
    """

    dataset: Dataset

    @property
    def histogram(self) -> Histogram:
        """The histogram of the data."""
        return self.dataset.histogram

    @cached_property
    def frontier(self) -> Frontier:
        """The least padded steps for 1…64 buckets."""
        return frontier(self.histogram)

    @property
    def moves_by_one(self) -> bool:
        """Whether one step of a boundary is one length, rather than the next that occurs."""
        return self.dataset.kind in ("reference", "generator")

    def optimum(self, k: int) -> tuple[int, tuple[int, ...]]:
        """Return the least steps with ``k`` buckets and one choice of boundaries that has them.

        Raises PlanError for k < 1.
        """
        boundaries = self.plan(k, "optimal")
        if k <= self.frontier.most:
            return self.frontier.cost(k), boundaries
        histogram, low, steps = self.histogram, 0, 0
        for high in boundaries:
            steps += histogram.count_between(low + 1, high) * high
            low = high
        return steps, boundaries

    def plan(self, k: int, method: str) -> tuple[int, ...]:
        """Choose at most ``k`` boundaries by a method, once for each pair; raises PlanError."""
        if (k, method) not in self._plans:
            solved = self.frontier if method == "optimal" else None
            in_order = self.dataset.in_order
            self._plans[k, method] = plan(self.histogram, k, method, solved, in_order=in_order)
        return self._plans[k, method]

    @cached_property
    def _plans(self) -> dict[tuple[int, str], tuple[int, ...]]:
        return {}
