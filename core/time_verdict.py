"""Why time does not follow steps: what a launch costs and what a step, from two measured runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .strategy_rows import StrategyRow


@dataclass(frozen=True)
class TimeVerdict:
    """Why time does not follow steps, from the two strategies that differ most.

    Time is taken as launches x ``launch_seconds`` + steps x ``step_seconds``; pad and dynamic are
    two such equations. ``launch_share`` is the part of dynamic's time that goes into launches,
    ``seconds_ratio`` and ``steps_ratio`` are dynamic against pad.
    """

    launch_seconds: float
    step_seconds: float
    launch_share: float
    seconds_ratio: float
    steps_ratio: float

    @property
    def follows(self) -> str:
        """``launches`` where they take most of dynamic's time, else ``steps``."""
        return "launches" if self.launch_share > 0.5 else "steps"


def time_verdict(rows: Sequence[StrategyRow]) -> TimeVerdict | None:
    """Return what the measured times follow; None until pad and dynamic are measured.

    Also None where the noise of the measurement leaves no positive cost of a launch or a step.
    """
    by_name = {row.counts.name: row for row in rows}
    pad, dynamic = by_name["pad"], by_name["dynamic"]
    if pad.timing is None or dynamic.timing is None:
        return None
    few, many = pad.counts.launches, dynamic.timing.steps  # dynamic launches once a step
    determinant = few * dynamic.timing.steps - many * pad.timing.steps
    if not determinant:
        return None
    slow, quick = dynamic.timing.seconds, pad.timing.seconds
    launch = (quick * dynamic.timing.steps - slow * pad.timing.steps) / determinant
    step = (few * slow - many * quick) / determinant
    if launch <= 0 or step <= 0:
        return None
    return TimeVerdict(
        launch,
        step,
        launch_share=launch * many / slow,
        seconds_ratio=slow / quick,
        steps_ratio=dynamic.timing.steps / pad.timing.steps,
    )
