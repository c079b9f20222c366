"""All there is to know of a state: what questions and lessons are answered from.

Each part is worked out by core when it is first asked for, and kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from ..actions import table_of
from ..errors import PlanError
from ..report import (
    Distance,
    MethodRow,
    Neighbour,
    distance,
    method_rows,
    neighbours,
)
from ..sequences import edits
from ..sequences.analysis import Analysis
from ..sequences.buckets import BucketTable, bucket_table
from ..sequences.checks import Check
from ..sequences.traces import Trace, trace
from ..state import State
from ..strategy_rows import ModeFacts, StrategyRow, mode_facts, run_checks, strategy_rows
from ..wording import say


@dataclass(frozen=True)
class Step:
    """The best single step of one end: which bucket, from and to which length, what it changes."""

    bucket: int
    before: int
    length: int
    steps: int
    change: int


class Facts:
    """All there is to know of a state, each part worked out when it is first asked for.

    ``checks`` are those that are known already; one that is missing is run, which may take as
    long as the check's budget.
    """

    def __init__(
        self, state: State, analysis: Analysis, checks: Mapping[str, Check] | None = None
    ) -> None:
        self.state = state
        self.analysis = analysis
        self._checks = dict(checks or {})
        self._traces: dict[tuple[str, int], Trace] = {}

    @cached_property
    def table(self) -> BucketTable:
        """The buckets."""
        return table_of(self.state, self.analysis)

    @cached_property
    def best(self) -> Distance:
        """The optimum for the same number of buckets."""
        return distance(self.analysis, self.table)

    @cached_property
    def methods(self) -> dict[str, MethodRow]:
        """The present boundaries as ``now`` and what each method makes of their number."""
        return {row.name: row for row in method_rows(self.state, self.analysis)}

    @cached_property
    def modes(self) -> dict[str, ModeFacts]:
        """The graphs that each mode makes."""
        return {facts.mode: facts for facts in mode_facts(self.analysis, self.table)}

    @cached_property
    def rows(self) -> dict[str, StrategyRow]:
        """The strategies that the state shows with their counts, unchecked."""
        rows = strategy_rows(self.state, self.analysis, self.table)
        return {row.strategy.name: row for row in rows}

    @cached_property
    def _every_row(self) -> dict[str, StrategyRow]:
        rows = strategy_rows(self._every_shown, self.analysis, self.table)
        return {row.strategy.name: row for row in rows}

    @property
    def _every_shown(self) -> State:
        return replace(self.state, all_strategies=True)

    def row(self, name: str) -> StrategyRow:
        """Return the row of any strategy, shown or not; PlanError where no optimum is found."""
        found = self.rows.get(name) or self._every_row.get(name)
        if found is None:
            raise PlanError(say("no row of {name!r} for so many buckets", name=name))
        return found

    def knows(self, names: tuple[str, ...]) -> bool:
        """Return whether these checks are known without running anything."""
        return all(name in self._checks for name in names)

    def check(self, name: str) -> Check:
        """Return the check of a strategy, and run it where it is not known."""
        if name not in self._checks:
            self._checks |= run_checks(self._every_shown, self.analysis, names=(name,))
        return self._checks[name]

    def trace(self, name: str, index: int) -> Trace:
        """Return one sequence under one strategy; raises DgplayError where there is none."""
        if (name, index) not in self._traces:
            dataset, model = self.analysis.dataset, self.state.model_options
            longest = dataset.histogram.maximum
            found = trace(name, dataset, model, index, longest)
            if name == "bucketed" and found.length:
                found = trace(name, dataset, model, index, self.table.pad_to_of(found.length))
            self._traces[name, index] = found
        return self._traces[name, index]

    def steps_beside(self, bucket: int) -> list[Neighbour]:
        """Return what one step of the end of a bucket to either side would cost."""
        return neighbours(replace(self.state, bucket=bucket), self.analysis, self.table)

    @cached_property
    def single_steps(self) -> list[Step]:
        """Every single step of one end, the best first; of equals the lowest bucket."""
        found = []
        for number, end in enumerate(self.state.boundaries, 1):
            for beside in self.steps_beside(number):
                if beside.length is not None:
                    found.append(Step(number, end, beside.length, beside.steps, beside.change))
        return sorted(found, key=lambda step: step.change)

    @property
    def best_step(self) -> Step | None:
        """The single step that saves the most, None where none saves any."""
        first = self.single_steps[0] if self.single_steps else None
        return first if first and first.change < 0 else None

    def steps_with(self, length: int) -> int:
        """Return the steps with one more boundary, at ``length``."""
        added = edits.add(self.state.boundaries, length)
        return bucket_table(self.analysis.histogram, added, self.state.pad_to).steps

    @cached_property
    def best_addition(self) -> int | None:
        """The length at which one more boundary saves the most, None where none saves any."""
        try:
            return edits.best_addition(self.analysis.histogram, self.table)
        except PlanError:
            return None
