"""The one frozen state: everything that a command line says about what is on the screen.

Focus, zoom, scroll, the undo list and half-typed text are not state. Two states are equal when
their command lines are.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from .errors import PlanError
from .sequences.analysis import Analysis
from .sequences.buckets import check_boundaries
from .sequences.dataset import DataOptions
from .sequences.rnn import ModelOptions

MODES = ("eager", "static", "capture")
PRESETS = ("lesson", "data")
SCREENS = ("lab", "quiz")
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
    last). ``predict`` hides results until guessed, ``time`` asks for measured times, ``compare``
    names other data that the boundaries are scored on.
    """

    data: DataOptions = field(default_factory=DataOptions)
    boundaries: tuple[int, ...] = (5, 10, 15, 20)
    pad_to: str = "longest"
    model: Model = field(default_factory=Model)
    mode: str = "static"
    strategy: str = "bucketed"
    bucket: int = 1
    sequence: int = 0
    step: int | None = None
    predict: bool = False
    time: bool = False
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
        """Return what an undo takes back: the data, the boundaries, the policy and the model."""
        return (self.data, self.boundaries, self.pad_to, self.model)

    def with_content_of(self, other: State) -> State:
        """Take the content and the active bucket of ``other``, and keep the view as it is."""
        return replace(
            self,
            data=other.data,
            boundaries=other.boundaries,
            pad_to=other.pad_to,
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
    if request.method is None and request.k is not None:
        return analysis.plan(request.k, "optimal")
    lesson = analysis.moves_by_one
    usual = LESSON_BUCKETS if lesson else DATA_BUCKETS
    method = request.method or ("uniform" if lesson else "equal-total")
    return analysis.plan(usual if request.k is None else request.k, method)


def open_state(request: Request, analysis: Analysis) -> State:
    """Make the state that a request asks for on the data it names; raises PlanError."""
    boundaries = opening_boundaries(request, analysis)
    if request.state.bucket > len(boundaries):
        raise PlanError(f"there is no bucket {request.state.bucket} of {len(boundaries)}")
    sequences = analysis.histogram.sequences
    if request.state.sequence >= sequences:
        raise PlanError(
            f"there is no sequence {request.state.sequence}, they are 0 to {sequences - 1}"
        )
    return replace(
        request.state,
        boundaries=boundaries,
        preset=request.preset or default_preset(analysis),
    )
