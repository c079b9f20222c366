"""The session: the states gone through, the data they stand on, and what is known about them.

One frozen value; an action, an undo or a worker's result makes the next one. It is what the
screens draw, and what autosave and the copied command line are made from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from .actions import Action, Outcome, reduce, table_of
from .history import History
from .one_sequence import Traces
from .predict import Prediction
from .sequences.analysis import Analysis
from .sequences.checks import Check
from .sequences.dataset import DataOptions
from .sequences.strategies import EVERY, shown
from .sequences.timing import Timing
from .state import Model, Request, State, default_preset, open_state


@dataclass(frozen=True, eq=False)
class Known:
    """What workers have found out, as far as it holds for the present state.

    ``checks`` and ``timings`` are by strategy, a time None where it cannot be measured;
    ``traces`` are of the sequence looked at.
    """

    checks: Mapping[str, Check] = field(default_factory=dict)
    timings: Mapping[str, Timing | None] = field(default_factory=dict)
    traces: Traces | None = None

    def still_true(self, made_for: State, wanted: State) -> Known:
        """Keep what holds for ``wanted``: only a strategy with buckets knows boundaries.

        The optimum knows their number.
        """
        if (made_for.data, made_for.model) != (wanted.data, wanted.model):
            return Known()
        traces = self.traces if made_for.sequence == wanted.sequence else None
        if (made_for.boundaries, made_for.pad_to) == (wanted.boundaries, wanted.pad_to):
            return replace(self, traces=traces)
        same = (made_for.pad_to, len(made_for.boundaries)) == (
            wanted.pad_to,
            len(wanted.boundaries),
        )
        fixed = {item.name for item in EVERY if not item.by_bucket or (item.optimal and same)}
        return Known(
            {name: found for name, found in self.checks.items() if name in fixed},
            {name: timing for name, timing in self.timings.items() if name in fixed},
            traces,
        )

    def joined(self, other: Known) -> Known:
        """Add what another worker has found."""
        return Known(
            {**self.checks, **other.checks},
            {**self.timings, **other.timings},
            other.traces or self.traces,
        )


@dataclass(frozen=True, eq=False)
class Session:
    """History, loaded data by the options that asked for it, what is known, the last outcome.

    ``pinned`` is the state kept as A to compare with, ``other`` the data of ``--compare``.
    """

    history: History
    analyses: Mapping[DataOptions, Analysis]
    known: Known = field(default_factory=Known)
    outcome: Outcome = field(default_factory=Outcome)
    prediction: Prediction = field(default_factory=Prediction)
    pinned: State | None = None
    other: Analysis | None = None

    @property
    def state(self) -> State:
        """The present state."""
        return self.history.present

    @property
    def analysis(self) -> Analysis:
        """The data of the present state."""
        return self.analyses[self.state.data]

    @property
    def checks(self) -> Mapping[str, Check]:
        """The checks that are known for the present state."""
        return self.known.checks

    @property
    def unchecked(self) -> tuple[str, ...]:
        """Names of the strategies whose check is not known for the present state."""
        return tuple(name for name in self._names if name not in self.checks)

    @property
    def untimed(self) -> tuple[str, ...]:
        """Names of the strategies whose time is asked for and not known."""
        if not self.state.time:
            return ()
        return tuple(name for name in self._names if name not in self.known.timings)

    @property
    def _names(self) -> tuple[str, ...]:
        return tuple(item.name for item in shown(self.state.all_strategies))

    def act(self, action: Action, *, held: bool = False) -> Session:
        """Apply an action; with ``held`` it joins the change before it as one undo."""
        state, outcome = reduce(self.state, action, self.analysis)
        return self._at(self.history.after(state, held=held), outcome)

    def undo(self) -> Session:
        """Take the last change back."""
        return self._moved(self.history.undo(), "undo")

    def redo(self) -> Session:
        """Take the last undo back."""
        return self._moved(self.history.redo(), "redo")

    def open_data(self, options: DataOptions, analysis: Analysis, model: Model) -> Session:
        """Go over to other data, or to another draw of the same generator.

        Boundaries stay where only the draw or the model changed and they still hold the longest
        length; otherwise the data open as they would from a command line. Raises PlanError.
        """
        before = self.state
        same_source = options.sources == before.data.sources
        keep = same_source and before.boundaries[-1] >= analysis.histogram.maximum
        wanted = replace(
            before,
            data=options,
            model=model,
            bucket=before.bucket if keep else 1,
            sequence=min(before.sequence, analysis.histogram.sequences - 1),
            step=None,
        )
        request = Request(
            wanted,
            boundaries=before.boundaries if keep else None,
            preset=before.preset if same_source else default_preset(analysis),
        )
        return self._with(analysis, open_state(request, analysis))

    def open_request(self, request: Request, analysis: Analysis) -> Session:
        """Go over to the state that a command line asks for; raises PlanError."""
        return self._with(analysis, open_state(request, analysis))

    def found(self, state: State, known: Known) -> Session:
        """Take over what was found out about ``state``, as far as it still holds."""
        return replace(self, known=self.known.joined(known.still_true(state, self.state)))

    def reveal(self, table: str, row: str) -> Session:
        """Show a hidden row."""
        return replace(self, prediction=self.prediction.reveal(table, row))

    def guess(self, table: str, row: str, column: str, score: str) -> Session:
        """Keep a guess with its score."""
        return replace(self, prediction=self.prediction.guess((table, row, column), score))

    def pin(self) -> Session:
        """Keep the present state as A; where it is A already, let go of it."""
        pinned = None if self.pinned == self.state else self.state
        return replace(self, pinned=pinned, outcome=Outcome("pinned" if pinned else "unpinned"))

    def _with(self, analysis: Analysis, state: State) -> Session:
        loaded = replace(self, analyses={**self.analyses, state.data: analysis})
        steps = table_of(state, analysis).steps
        outcome = Outcome("data", self._steps(), steps, text=analysis.dataset.name)
        return loaded._at(self.history.after(state), outcome)

    def _moved(self, history: History, kind: str) -> Session:
        if history is self.history:
            return replace(self, outcome=Outcome("nothing to " + kind))
        after = replace(self, history=history)
        outcome = Outcome(kind, self._steps(), after._steps())
        return self._at(history, outcome)

    def _at(self, history: History, outcome: Outcome) -> Session:
        last = self.analyses[history.present.data].histogram.sequences - 1
        if history.present.sequence > last:  # an undo went back to data with fewer sequences
            history = replace(history, present=replace(history.present, sequence=last, step=None))
        before, now = self.state, history.present
        asked_again = (before.content(), before.mode, before.predict) != (
            now.content(),
            now.mode,
            now.predict,
        )
        return replace(
            self,
            history=history,
            known=self.known.still_true(before, now),
            prediction=self.prediction.asked_again() if asked_again else self.prediction,
            outcome=outcome,
        )

    def _steps(self) -> int:
        return table_of(self.state, self.analysis).steps


def open_session(request: Request, analysis: Analysis, other: Analysis | None = None) -> Session:
    """Begin a session with the state that a command line asks for; raises PlanError."""
    state = open_state(request, analysis)
    return Session(History(state), {state.data: analysis}, other=other)
