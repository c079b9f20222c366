"""The one frozen state: everything that a command line says about what is on the screen.

Focus, zoom, scroll, the undo list and half-typed text are not state. Two states are equal when
their command lines are.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from .errors import PlanError
from .graph_view.options import GraphOptions
from .planning import Planning, chosen_boundaries
from .sequences.analysis import Analysis
from .sequences.buckets import check_boundaries
from .sequences.dataset import DataOptions
from .sequences.rnn import ModelOptions
from .sequences.strategies import FURTHER
from .wording import say

MODES = ("eager", "static", "capture")
PRESETS = ("lesson", "data")
SCREENS = ("lab", "plan", "graph", "quiz")
LANGUAGES = ("en", "zh")

#: Buckets asked for when none are named: the article's four, and eight for real data.
LESSON_BUCKETS = 4
DATA_BUCKETS = 8


@dataclass(frozen=True)
class Appearance:
    """How the screen looks; no number depends on it."""

    lang: str = "en"
    theme: str | None = None
    no_color: bool = False
    ascii: bool = False
    no_animation: bool = False


@dataclass(frozen=True)
class Model:
    """The article's RNN: hidden units, the scale of its three matrices, the bias of each unit."""

    hidden: int = 8
    weight_scale: float = 0.3
    bias: float = 0.0


@dataclass(frozen=True)
class State:
    """What is shown.

    ``boundaries`` are inclusive pad-to sizes, ``bucket`` the active one from 1. ``sequence`` is
    the one under the magnifying glass, from 0, and ``step`` the step looked at, from 1 (None: the
    last); on the Graph screen ``step`` is its cursor. ``predict`` hides results until guessed,
    ``time`` asks for measured times, ``compare`` names other data for the same boundaries;
    ``all_strategies`` shows every strategy, not only those that are always there.
    """

    data: DataOptions = field(default_factory=DataOptions)
    boundaries: tuple[int, ...] = (5, 10, 15, 20)
    pad_to: str = "longest"
    planning: Planning = field(default_factory=Planning)
    graph: GraphOptions = field(default_factory=GraphOptions)
    model: Model = field(default_factory=Model)
    mode: str = "static"
    strategy: str = "bucketed"
    bucket: int = 1
    sequence: int = 0
    step: int | None = None
    predict: bool = False
    time: bool = False
    all_strategies: bool = False
    compare: str | None = None
    preset: str = "lesson"
    screen: str = "lab"
    appearance: Appearance = field(default_factory=Appearance)

    @property
    def model_options(self) -> ModelOptions:
        """The RNN with its seed, which is the seed of the data."""
        model = self.model
        return ModelOptions(model.hidden, model.weight_scale, model.bias, self.data.seed)

    def content(self) -> tuple[object, ...]:
        """Return what an undo takes back: data, boundaries, policy, planning and model."""
        return (self.data, self.boundaries, self.pad_to, self.planning, self.model)

    def with_content_of(self, other: State) -> State:
        """Take the content and the active bucket of ``other``, and keep the view as it is."""
        return replace(
            self,
            data=other.data,
            boundaries=other.boundaries,
            pad_to=other.pad_to,
            planning=other.planning,
            model=other.model,
            bucket=other.bucket,
        )


@dataclass(frozen=True)
class Request:
    """A state as asked for: boundaries may be left to a method, the preset to the data."""

    state: State = field(default_factory=State)
    boundaries: tuple[int, ...] | None = None
    k: int | None = None
    method: str | None = None
    preset: str | None = None


def default_preset(analysis: Analysis) -> str:
    """Return ``lesson`` for the reference experiment and the generators, ``data`` for files."""
    return "lesson" if analysis.moves_by_one else "data"


def opening_boundaries(request: Request, analysis: Analysis) -> tuple[int, ...]:
    """Return the boundaries a request opens with.

    Named boundaries as they are; ``k`` alone the optimum; a method with ``k`` or the usual
    number; else four equal widths for lessons, and equal totals with eight asked for real data.
    Raises PlanError where the boundaries cannot be.
    """
    if request.boundaries is not None:
        return check_boundaries(request.boundaries, analysis.histogram.maximum)
    planning = request.state.planning
    if request.method is None and request.k is not None:
        return chosen_boundaries(analysis, planning, request.k, "optimal")
    lesson = analysis.moves_by_one
    usual = LESSON_BUCKETS if lesson else DATA_BUCKETS
    method = request.method or ("uniform" if lesson else "equal-total")
    k = usual if request.k is None else request.k
    return chosen_boundaries(analysis, planning, k, method)


def open_state(request: Request, analysis: Analysis) -> State:
    """Make the state that a request asks for on the data it names; raises PlanError.

    A chosen strategy that only the whole table has shows the whole table.
    """
    boundaries = opening_boundaries(request, analysis)
    if request.state.bucket > len(boundaries):
        raise PlanError(
            say(
                "there is no bucket {bucket} of {buckets}",
                bucket=request.state.bucket,
                buckets=len(boundaries),
            )
        )
    sequences = analysis.histogram.sequences
    if request.state.sequence >= sequences:
        raise PlanError(
            say(
                "there is no sequence {sequence}, they are 0 to {last}",
                sequence=request.state.sequence,
                last=sequences - 1,
            )
        )
    further = request.state.strategy in {strategy.name for strategy in FURTHER}
    return replace(
        request.state,
        boundaries=boundaries,
        all_strategies=request.state.all_strategies or further,
        preset=request.preset or default_preset(analysis),
    )
