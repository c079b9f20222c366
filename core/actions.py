"""Actions and the pure function that turns a state and an action into the next state.

A key or a click makes an action; nothing else changes a state. What happened is returned as an
:class:`Outcome`, words left to the screen, numbers computed here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from .errors import DgplayError, PlanError
from .graph_view.options import GraphOptions
from .planning import Planning
from .sequences import edits
from .sequences.analysis import Analysis
from .sequences.buckets import (
    PAD_TO_POLICIES,
    BucketTable,
    bucket_table,
    check_boundaries,
)
from .sequences.strategies import shown, strategy_named
from .state import (
    MODES,
    PRESETS,
    Appearance,
    Model,
    State,
)
from .wording import say


@dataclass(frozen=True)
class SelectBucket:
    """Go to a bucket, numbered from 1; clamped to those there are."""

    bucket: int


@dataclass(frozen=True)
class MoveEnd:
    """Move the end of the active bucket by one step, or by a number of lengths."""

    direction: int
    lengths: int = 1


@dataclass(frozen=True)
class PlaceEnd:
    """Put the end of a bucket at a length, clamped between its neighbours."""

    bucket: int
    length: int


@dataclass(frozen=True)
class TypeEdit:
    """Apply one typed line to the active bucket: 17, +3, 5,10,15,20, 5.0s or k=8."""

    text: str


@dataclass(frozen=True)
class AddBoundary:
    """Add a boundary where it saves the most steps."""


@dataclass(frozen=True)
class DeleteBoundary:
    """Join the active bucket with the one above it (the last with the one below)."""


@dataclass(frozen=True)
class ApplyMethod:
    """Take the boundaries of a method for ``k`` buckets, the present number where None."""

    method: str
    k: int | None = None


@dataclass(frozen=True)
class SetBoundaries:
    """Take these boundaries; ``name`` is what they are called, such as the method's."""

    boundaries: tuple[int, ...]
    name: str = ""


@dataclass(frozen=True)
class SetPlanning:
    """Change what plans are asked for, and how batches are made."""

    planning: Planning


@dataclass(frozen=True)
class ChangeCount:
    """Take the optimum for one bucket more (1) or fewer (-1)."""

    by: int


@dataclass(frozen=True)
class SetPadTo:
    """Choose the pad_to policy; the next one where None."""

    policy: str | None = None


@dataclass(frozen=True)
class SetMode:
    """Choose the graph-building mode; the next one where None."""

    mode: str | None = None


@dataclass(frozen=True)
class SelectStrategy:
    """Go to a row of the strategy table."""

    strategy: str


@dataclass(frozen=True)
class SetPreset:
    """Choose what the Lab shows: lesson or data; the other one where None."""

    preset: str | None = None


@dataclass(frozen=True)
class SetModel:
    """Change the RNN."""

    model: Model


@dataclass(frozen=True)
class LookAt:
    """Look at a sequence, from 0; clamped to those there are."""

    sequence: int


@dataclass(frozen=True)
class LookAtStep:
    """Look at a step of it, from 1; clamped to those that padding makes of it."""

    step: int


@dataclass(frozen=True)
class TogglePredict:
    """Hide results until they are guessed, or show them again."""


@dataclass(frozen=True)
class SetTime:
    """Ask for measured times, or no longer."""

    time: bool


@dataclass(frozen=True)
class ToggleAll:
    """Show every strategy, or again only those that are always there."""


@dataclass(frozen=True)
class SetScreen:
    """Go to a screen."""

    screen: str


@dataclass(frozen=True)
class SetAppearance:
    """Change how the screen looks."""

    appearance: Appearance


@dataclass(frozen=True)
class SetGraph:
    """Take what the Graph screen shows: what its run was asked for, and its cursor from 1."""

    options: GraphOptions
    step: int | None = None


Action = (
    SelectBucket
    | MoveEnd
    | PlaceEnd
    | TypeEdit
    | AddBoundary
    | DeleteBoundary
    | ApplyMethod
    | SetBoundaries
    | SetPlanning
    | ChangeCount
    | SetPadTo
    | SetMode
    | SelectStrategy
    | SetPreset
    | SetModel
    | LookAt
    | LookAtStep
    | TogglePredict
    | SetTime
    | ToggleAll
    | SetScreen
    | SetAppearance
    | SetGraph
)


@dataclass(frozen=True)
class Outcome:
    """What an action did.

    ``kind`` names it (``end``, ``boundaries``, ``add``, ``delete``, ``optimum``, ``method``,
    ``plan``, ``planning``, ``refused``, ``clamped`` or ``none``); ``steps_before`` and
    ``steps_after`` are the padded steps; ``bucket`` and ``length`` say where, ``text`` holds the
    reason of a refusal or a name.
    """

    kind: str = "none"
    steps_before: int = 0
    steps_after: int = 0
    bucket: int = 0
    length: int = 0
    text: str = ""


def table_of(state: State, analysis: Analysis) -> BucketTable:
    """Lay the boundaries of a state over its data."""
    return bucket_table(analysis.histogram, state.boundaries, state.pad_to)


def reduce(state: State, action: Action, analysis: Analysis) -> tuple[State, Outcome]:
    """Return the next state and what happened; a refusal leaves the state as it is."""
    match action:
        case SelectBucket(bucket):
            clamped = max(1, min(bucket, len(state.boundaries)))
            return replace(state, bucket=clamped), Outcome()
        case SetMode(mode):
            return replace(state, mode=mode or _next(MODES, state.mode)), Outcome()
        case SelectStrategy(strategy):
            return replace(state, strategy=strategy_named(strategy).name), Outcome()
        case SetPreset(preset):
            return replace(state, preset=preset or _next(PRESETS, state.preset)), Outcome()
        case SetModel(model):
            return replace(state, model=model), Outcome("model")
        case SetPlanning(planning):
            return replace(state, planning=planning), Outcome("planning")
        case LookAt(sequence):
            last = analysis.histogram.sequences - 1
            return replace(state, sequence=max(0, min(sequence, last)), step=None), Outcome()
        case LookAtStep(step):
            clamped = max(1, min(step, analysis.histogram.maximum))
            return replace(state, step=clamped), Outcome()
        case TogglePredict():
            return replace(state, predict=not state.predict), Outcome()
        case SetTime(time):
            return replace(state, time=time), Outcome()
        case ToggleAll():
            every = not state.all_strategies
            names = [strategy.name for strategy in shown(every)]
            chosen = state.strategy if state.strategy in names else State().strategy
            return replace(state, all_strategies=every, strategy=chosen), Outcome()
        case SetScreen(screen):
            # A step belongs to what it counts: the stops of a program, or those of a sequence.
            kept = ("graph" in (screen, state.screen)) == (screen == state.screen)
            return replace(state, screen=screen, step=state.step if kept else None), Outcome()
        case SetGraph(options, step):
            return replace(state, graph=options, step=step), Outcome()
        case SetAppearance(appearance):
            return replace(state, appearance=appearance), Outcome()
        case SetPadTo(policy):
            chosen = policy or _next(PAD_TO_POLICIES, state.pad_to)
            return _told(state, replace(state, pad_to=chosen), analysis, "pad_to", text=chosen)
        case _:
            try:
                return _edit(state, action, analysis)
            except DgplayError as error:
                return state, Outcome("refused", text=str(error))


def _edit(state: State, action: Action, analysis: Analysis) -> tuple[State, Outcome]:
    """Apply an action that changes boundaries; raises PlanError where it cannot be."""
    boundaries, bucket = state.boundaries, state.bucket
    maximum = analysis.histogram.maximum
    match action:
        case MoveEnd(direction, lengths):
            moved = edits.move(analysis, boundaries, bucket, direction, lengths)
            return _placed(state, moved, bucket, analysis)
        case PlaceEnd(chosen, length):
            if not 1 <= chosen <= len(boundaries):
                raise PlanError(
                    say(
                        "there is no bucket {bucket} of {buckets}",
                        bucket=chosen,
                        buckets=len(boundaries),
                    )
                )
            placed = edits.place(boundaries, chosen, length, maximum)
            return _placed(replace(state, bucket=chosen), placed, chosen, analysis)
        case TypeEdit(text):
            typed, kind = edits.typed(text, analysis, boundaries, bucket)
            if kind == "place":
                return _placed(state, typed, bucket, analysis)
            return _told(state, _with(state, typed), analysis, "boundaries")
        case AddBoundary():
            length = edits.best_addition(analysis.histogram, table_of(state, analysis))
            added = edits.add(boundaries, length)
            following = replace(_with(state, added), bucket=added.index(length) + 1)
            return _told(state, following, analysis, "add", length=length)
        case DeleteBoundary():
            joined = edits.delete(boundaries, bucket)
            return _told(state, _with(state, joined), analysis, "delete", bucket=bucket)
        case ApplyMethod(method, k):
            planned = analysis.plan(len(boundaries) if k is None else k, method)
            return _told(state, _with(state, planned), analysis, "method", text=method)
        case SetBoundaries(wanted, name):
            checked = check_boundaries(wanted, maximum)
            return _told(state, _with(state, checked), analysis, "plan", text=name)
        case ChangeCount(by):
            planned = analysis.plan(len(boundaries) + by, "optimal")
            if (len(planned) - len(boundaries)) * by <= 0:
                raise PlanError(
                    say("the data have only {lengths} distinct lengths", lengths=len(planned))
                )
            return _told(state, _with(state, planned), analysis, "optimum", text=str(len(planned)))
        case _:
            raise TypeError(f"not an action: {action!r}")


def _placed(
    state: State, boundaries: tuple[int, ...], bucket: int, analysis: Analysis
) -> tuple[State, Outcome]:
    """Return the state with one end moved, or word that it stays at its limit."""
    end = boundaries[bucket - 1]
    if boundaries == state.boundaries:
        return state, Outcome("clamped", bucket=bucket, length=end)
    return _told(state, _with(state, boundaries), analysis, "end", bucket=bucket, length=end)


def _with(state: State, boundaries: tuple[int, ...]) -> State:
    return replace(state, boundaries=boundaries, bucket=min(state.bucket, len(boundaries)))


def _told(
    before: State,
    after: State,
    analysis: Analysis,
    kind: str,
    *,
    bucket: int = 0,
    length: int = 0,
    text: str = "",
) -> tuple[State, Outcome]:
    return after, Outcome(
        kind,
        steps_before=table_of(before, analysis).steps,
        steps_after=table_of(after, analysis).steps,
        bucket=bucket,
        length=length,
        text=text,
    )


def _next(choices: tuple[str, ...], current: str) -> str:
    return choices[(choices.index(current) + 1) % len(choices)]
