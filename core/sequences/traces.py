"""One sequence under the magnifying glass: the norm of its state after each executed step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import DgplayError
from ..wording import say
from .checks import BUDGET, affordable
from .dataset import Dataset
from .generators import Floats
from .inputs import open_source
from .rnn import Bools, ModelOptions, make_rnn

#: Strategies of which one sequence can be traced.
TRACED = ("dynamic", "pad", "pad+mask", "bucketed", "left-pad", "repeat-last")


@dataclass(frozen=True)
class Trace:
    """The state of one sequence under one strategy.

    ``norms`` holds |h| (Euclidean) after each executed step; the steps from ``real_start`` up to
    but without ``real_end`` (counted from 0) are real, all others padding. ``output`` is what is
    read out at the end, ``output_error`` its largest absolute difference from the eager run.
    """

    strategy: str
    length: int
    norms: tuple[float, ...]
    real_start: int
    real_end: int
    output: tuple[float, ...]
    output_error: float


def trace(
    strategy: str, dataset: Dataset, model: ModelOptions, sequence_index: int, pad_to: int
) -> Trace:
    """Run sequence ``sequence_index`` (from 0) under ``strategy`` and keep every |h|.

    The index counts in the order of the stream for a generated data set that is small enough,
    else in ascending order of length. ``pad_to`` is ignored by ``dynamic``. Raises DgplayError
    for an unknown strategy, an index that does not exist, a ``pad_to`` below the length, and
    more steps than the check's budget.
    """
    if strategy not in TRACED:
        raise DgplayError(
            say("no trace of {strategy!r}", strategy=strategy),
            hint=say("there are {names}", names=", ".join(TRACED)),
        )
    sequences = dataset.histogram.sequences
    if not 0 <= sequence_index < sequences:
        raise DgplayError(
            say("no sequence {sequence_index}", sequence_index=sequence_index),
            hint=say("there are {count}", count=sequences),
        )
    rnn, source = make_rnn(model), open_source(dataset, model.seed, BUDGET)
    length = source.length(sequence_index)
    steps = length if strategy == "dynamic" else pad_to
    if steps < length:
        raise DgplayError(
            say(
                "sequence {sequence_index} has {length} steps, more than {pad_to}",
                sequence_index=sequence_index,
                length=length,
                pad_to=pad_to,
            )
        )
    most = affordable(model.hidden)
    if steps > most:
        raise DgplayError(
            say("a trace of {steps} steps is too long", steps=steps),
            hint=say("at most {most}", most=most),
        )
    x = source.inputs(sequence_index)
    real_start = steps - length if strategy == "left-pad" else 0
    real_end = real_start + length
    filled, real = _fill(x, steps, real_start, strategy), _counted(strategy, steps, real_end)
    with np.errstate(all="ignore"):
        states = rnn.states(filled, real)
        last = states[-1:] if steps else np.zeros((1, rnn.hidden))
        output = rnn.read_out(last)[0]
        error = float(np.max(np.abs(output - rnn.output(x))))
    norms = np.linalg.norm(states, axis=1)
    return Trace(
        strategy=strategy,
        length=length,
        norms=tuple(norms.tolist()),
        real_start=real_start,
        real_end=real_end,
        output=tuple(output.tolist()),
        output_error=error,
    )


def _fill(x: Floats, steps: int, real_start: int, strategy: str) -> Floats:
    """Lay the inputs of one sequence into ``steps`` steps: (steps, inputs)."""
    filled = np.zeros((steps, x.shape[1]))
    if strategy == "repeat-last" and len(x):
        filled[:] = x[-1]
    filled[real_start : real_start + len(x)] = x
    return filled


def _counted(strategy: str, steps: int, real_end: int) -> Bools:
    """Say for each step whether it changes the state, or a mask holds the state in it."""
    if strategy not in ("pad+mask", "bucketed"):
        return np.ones(steps, np.bool_)
    return np.arange(steps) < real_end
