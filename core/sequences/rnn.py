"""The article's RNN in numpy: one cell, h = tanh(x @ Wx + h @ Wh + bias), and a readout h @ Wy.

At larger weights or widths the recurrence is chaotic: a difference in the last bit between two
ways of multiplying grows, over hundreds of steps, into a difference in the first digit. So that a
comparison says something about padding and nothing about rounding, every product here is a
vector times a matrix, one row at a time ("alone"), also in a batch, and terms are added in one
fixed order. Runs whose time is measured may multiply all rows ``together`` instead, as a
framework does.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ..errors import DgplayError
from ..wording import say
from .generators import INPUT_SIZE, OUTPUT_SIZE, REFERENCE_HIDDEN

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Product = Callable[[Floats, Floats], Floats]

MOST_HIDDEN = 1024

#: How many time steps of one sequence are projected at once, so that a long one needs no room.
_BLOCK = 1024


class MaskedOutput(Enum):
    """What a masked step returns; the state itself is held in either case.

    ``HOLD`` returns the state as it is, the same bits as the step before; ``ZERO`` returns zeros,
    so that whoever sums or averages over steps gets nothing from padding.
    """

    HOLD = "hold"
    ZERO = "zero"


class CancelledError(Exception):
    """The work was called off by whoever asked for it; nothing is wrong."""


def never() -> bool:
    """Answer that nothing was cancelled."""
    return False


@dataclass(frozen=True)
class ModelOptions:
    """What a person can set about the RNN: width, scale of its weights, bias, seed."""

    hidden: int = REFERENCE_HIDDEN
    weight_scale: float = 0.3
    bias: float = 0.0
    seed: int = 0


def times_alone(rows: Floats, matrix: Floats) -> Floats:
    """Multiply each row by ``matrix``, one row at a time: (n, i) by (i, o) is (n, o).

    The bits of a row do not depend on its neighbours, and equal ``row.dot(matrix)``.
    """
    product: Floats = np.matmul(rows[:, None, :], matrix)[:, 0, :]
    return product


def times_together(rows: Floats, matrix: Floats) -> Floats:
    """Multiply all rows in one matrix product: faster, but the last bits depend on the batch."""
    product: Floats = rows.dot(matrix)
    return product


@dataclass(frozen=True, eq=False)
class Rnn:
    """Weights, already scaled: wx (inputs, H), wh (H, H), wy (H, outputs), all float64.

    ``bias`` is added to each of the H hidden units. The state before the first step, h0, is zero.
    """

    wx: Floats
    wh: Floats
    wy: Floats
    bias: float = 0.0

    @property
    def hidden(self) -> int:
        """The width H of the state."""
        return int(self.wh.shape[0])

    @property
    def macs_per_step(self) -> int:
        """Multiply-adds of one cell step; the readout is not counted."""
        return macs_per_step(self.hidden, int(self.wx.shape[0]))

    @cached_property
    def blank(self) -> Floats:
        """What a step of zero input adds before tanh, shape (H,): the bias alone."""
        blank: Floats = self.project(np.zeros((1, self.wx.shape[0])))[0]
        return blank

    def project(self, x: Floats, times: Product = times_alone) -> Floats:
        """Return x @ Wx + bias for inputs of shape (n, inputs): shape (n, H)."""
        projected = times(x, self.wx)
        projected += self.bias
        return projected

    def read_out(self, h: Floats) -> Floats:
        """Return h @ Wy for states of shape (n, H): shape (n, outputs)."""
        return times_alone(h, self.wy)

    def states(
        self,
        x: Floats,
        real: Bools | None = None,
        at_masked: MaskedOutput = MaskedOutput.HOLD,
    ) -> Floats:
        """Run one sequence of shape (steps, inputs) and return what each step returns, (steps, H).

        ``real`` says which steps count, (steps,); None means all of them. A masked step leaves
        the state alone; what it returns is ``at_masked``.
        """
        states = np.empty((len(x), self.hidden))
        counts = [True] * len(x) if real is None else real.tolist()
        h = np.zeros(self.hidden)
        for state, projected, counted in zip(states, self.project(x), counts, strict=True):
            if not counted:
                state[:] = h if at_masked is MaskedOutput.HOLD else 0.0
                continue
            h.dot(self.wh, state)
            np.add(state, projected, state)
            np.tanh(state, state)
            h = state
        return states

    def final_state(self, x: Floats, cancelled: Callable[[], bool] = never) -> Floats:
        """Run one sequence of shape (steps, inputs), (0, inputs) included: its last state (H,).

        This is the eager run that every strategy is compared with. Raises CancelledError.
        """
        h, total = np.zeros(self.hidden), np.empty(self.hidden)
        dot, wh, add, tanh = h.dot, self.wh, np.add, np.tanh
        for start in range(0, len(x), _BLOCK):
            if cancelled():
                raise CancelledError
            for projected in self.project(x[start : start + _BLOCK]):
                dot(wh, total)
                add(total, projected, total)
                tanh(total, h)
        return h

    def output(self, x: Floats, cancelled: Callable[[], bool] = never) -> Floats:
        """Run one sequence and read it out: shape (outputs,). Raises CancelledError."""
        output: Floats = self.read_out(self.final_state(x, cancelled)[None, :])[0]
        return output


def macs_per_step(hidden: int, inputs: int = INPUT_SIZE) -> int:
    """Multiply-adds of one cell step at width ``hidden``: 192 at width 8."""
    return inputs * hidden + hidden * hidden


def make_rnn(model: ModelOptions) -> Rnn:
    """Draw the weights of ``model`` and scale them.

    At the reference width they open the stream of the seed (see generators.py); any other width
    has a stream of its own, so that lengths and inputs stay what they are. Raises DgplayError
    for a width outside 1…1024, a negative seed, a scale or bias that is not finite.
    """
    if not 1 <= model.hidden <= MOST_HIDDEN:
        raise DgplayError(
            say("is 1 to {most}, not {hidden}", most=MOST_HIDDEN, hidden=model.hidden),
            where="--hidden",
        )
    if model.seed < 0:
        raise DgplayError(say("a seed is 0 or above, not {seed}", seed=model.seed), where="--seed")
    for option, value in (("--weight-scale", model.weight_scale), ("--bias", model.bias)):
        if not math.isfinite(value):
            raise DgplayError(say("{value} is not a finite number", value=value), where=option)
    key = model.seed if model.hidden == REFERENCE_HIDDEN else [model.seed, model.hidden]
    rng = np.random.default_rng(key)
    with np.errstate(over="ignore"):
        wx = model.weight_scale * rng.standard_normal((INPUT_SIZE, model.hidden))
        wh = model.weight_scale * rng.standard_normal((model.hidden, model.hidden))
        wy = model.weight_scale * rng.standard_normal((model.hidden, OUTPUT_SIZE))
    for weight in (wx, wh, wy):
        weight.setflags(write=False)
    return Rnn(wx, wh, wy, float(model.bias))
