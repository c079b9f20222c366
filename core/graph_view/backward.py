"""Owns the backward view: the tape walked in reverse, sums at fan-out, and finite differences."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from ..graph.events import (
    GradContrib,
    GradReady,
    NodeCreated,
    NonFinite,
    TapeFreed,
    TapeSaved,
)
from ..graph.feeds import Feed
from ..graph.lang_budget import DEFAULT_BUDGET, Budget
from ..graph.lang_code import Program
from ..graph.lang_refusal import Refusal
from ..graph.modes import Options, run_mode
from .lockstep import CallView
from .nodes import formula
from .pictures import Picture
from .words import collect_names, value_text

#: Elements of the inputs that a check moves at most.
CHECKED = 64

#: The step of the central differences, and how far the slopes at both sides may differ.
EPSILON, KINK = 1e-6, 1e-3


@dataclass(frozen=True, slots=True)
class Sweep:
    """One value on the way back: its gradient and what it is the sum of."""

    at: int
    node: int
    name: str
    op: str
    parts: tuple[tuple[str, str], ...]  #: (who contributes, how much), in order of addition
    gradient: str
    norm: float
    saved: tuple[str, ...]
    finite: bool
    leaf: bool


@dataclass(frozen=True, eq=False)
class Walk:
    """The way back of one call; the tape before it, and where NaN or inf came up first."""

    sweeps: tuple[Sweep, ...]
    tape: tuple[tuple[str, str, tuple[str, ...]], ...]  #: name, op, what is saved
    nonfinite: tuple[str, str, str] | None  #: name, op, phase


def walk(view: CallView) -> Walk:
    """Return the way back of the eager run of a call."""
    events = view.call.logs["eager"].events
    names = collect_names(events)
    made: dict[int, NodeCreated] = {}
    saved: dict[int, tuple[int, ...]] = {}
    parts: dict[int, list[tuple[str, str]]] = {}
    sweeps: list[Sweep] = []
    nonfinite: tuple[str, str, str] | None = None

    def called(node: int) -> str:
        return names.get((0, "", node)) or f"%{node}"

    for at, event in enumerate(events, 1):
        match event:
            case NodeCreated() if not event.scope:
                made[event.node] = event
            case TapeSaved():
                saved[event.node] = event.saved
            case GradContrib():
                op = made[event.source].op if event.source in made else ""
                who = f"{called(event.source)} ({op})"
                parts.setdefault(event.target, []).append((who, value_text(event.value)))
            case GradReady():
                record = made.get(event.node)
                kept = tuple(called(number) for number in saved.get(event.node, ()))
                value = event.value
                sweeps.append(
                    Sweep(
                        at, event.node, called(event.node), record.op if record else "",
                        tuple(parts.get(event.node, ())), value_text(value), event.norm, kept,
                        not (value.nans or value.infs),
                        record is not None and record.op == "placeholder",
                    )
                )  # fmt: skip
            case NonFinite():
                if nonfinite is None:
                    nonfinite = (called(event.node), event.op, event.phase)
            case TapeFreed():
                pass
            case _:
                pass
    tape = tuple(
        (called(n), made[n].op, tuple(called(s) for s in kept)) for n, kept in saved.items()
    )
    return Walk(tuple(sweeps), tape, nonfinite)


def gradient_nodes(picture: Picture) -> tuple[str, ...]:
    """Return the lines of the gradient subgraph of a drawn graph."""
    lines = []
    for node in picture.nodes:
        if node.phase == "backward":
            lines.append(formula(node))
    return tuple(lines)


@dataclass(frozen=True, slots=True)
class Checked:
    """One element of an input: its gradient, the difference quotient, whether a kink is there."""

    name: str
    index: tuple[int, ...]
    gradient: float
    difference: float
    kink: bool

    @property
    def apart(self) -> float:
        """How far the gradient and the difference quotient are from one another."""
        return abs(self.gradient - self.difference)

    @property
    def agrees(self) -> bool:
        """Whether both agree as far as differences can tell."""
        if not (np.isfinite(self.gradient) and np.isfinite(self.difference)):
            return False
        size = max(1.0, abs(self.gradient), abs(self.difference))
        return self.apart <= 1e-5 * size


def check(
    program: Program,
    inputs: Mapping[str, Feed],
    gradients: Mapping[str, np.ndarray[tuple[int, ...], np.dtype[np.float64]]],
    budget: Budget = DEFAULT_BUDGET,
    cancelled: Callable[[], bool] | None = None,
) -> tuple[Checked, ...]:
    """Compare gradients with central differences, element by element, up to a number of them.

    Where the slope before and the slope after differ there is a kink, and no gradient is wrong.
    :class:`Refusal` where the program cannot be run beside its inputs.
    """
    options = Options(budget=budget, cancelled=cancelled)

    def total(values: Mapping[str, Feed]) -> float:
        call = run_mode(program, "eager", [values], options).calls[0]
        floats = [v for v in call.outputs if isinstance(v, np.ndarray) and v.dtype.kind == "f"]
        with np.errstate(all="ignore"):
            return float(sum(float(v.sum()) for v in floats))

    found: list[Checked] = []
    middle = total(inputs)
    for name, gradient in gradients.items():
        value = inputs[name]
        if not isinstance(value, np.ndarray):
            continue
        for index in np.ndindex(value.shape):
            if len(found) >= CHECKED:
                return tuple(found)
            step = EPSILON * max(1.0, abs(float(value[index])))
            ends = []
            for side in (-1.0, 1.0):
                moved = value.astype(value.dtype, copy=True)
                moved[index] += side * step
                ends.append(total({**inputs, name: moved}))
            before, after = (middle - ends[0]) / step, (ends[1] - middle) / step
            difference = (ends[1] - ends[0]) / (2 * step)
            kink = not abs(after - before) <= KINK * max(1.0, abs(before), abs(after))
            found.append(Checked(name, index, float(gradient[index]), difference, kink))
    return tuple(found)


__all__ = ["Checked", "Refusal", "Sweep", "Walk", "check", "gradient_nodes", "walk"]
