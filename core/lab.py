"""What the Lab shows of a session: every record its panes draw, worked out once for each change."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from .actions import table_of
from .errors import PlanError
from .report import (
    Distance,
    MethodRow,
    Neighbour,
    distance,
    method_rows,
    method_values,
    neighbours,
)
from .sequences.buckets import BucketTable
from .sequences.histogram import Histogram
from .session import Session
from .state import State
from .strategy_rows import ModeFacts, StrategyRow, mode_facts, strategy_rows, values_of


@dataclass(frozen=True, eq=False)
class LabView:
    """A session with its records; each is computed when a pane first asks."""

    session: Session

    @property
    def state(self) -> State:
        """The present state."""
        return self.session.state

    @property
    def histogram(self) -> Histogram:
        """The histogram of the present data."""
        return self.session.analysis.histogram

    @cached_property
    def table(self) -> BucketTable:
        """The buckets."""
        return table_of(self.state, self.session.analysis)

    @cached_property
    def strategies(self) -> list[StrategyRow]:
        """The rows of the strategy table."""
        session = self.session
        known = session.known
        return strategy_rows(self.state, session.analysis, self.table, known.checks, known.timings)

    @cached_property
    def methods(self) -> list[MethodRow]:
        """The present boundaries, then what each method makes of their number."""
        return method_rows(self.state, self.session.analysis)

    def value(self, row: str, column: str) -> int | float | bool | None:
        """Return what a cell of the strategy or method table stands for, None if unknown."""
        if self.state.preset == "data":
            found = [method_values(item) for item in self.methods if item.name == row]
        else:
            found = [values_of(item) for item in self.strategies if item.counts.name == row]
        return found[0].get(column) if found else None

    @cached_property
    def modes(self) -> list[ModeFacts]:
        """The graphs each mode makes."""
        return mode_facts(self.session.analysis, self.table)

    @cached_property
    def neighbours(self) -> list[Neighbour]:
        """What one step of the active boundary would cost."""
        return neighbours(self.state, self.session.analysis, self.table)

    @cached_property
    def distance(self) -> Distance | None:
        """The distance to the optimum for the same number of buckets.

        None where so many buckets over so many lengths are more than the search can hold.
        """
        try:
            return distance(self.session.analysis, self.table)
        except PlanError:
            return None
