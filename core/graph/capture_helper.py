"""Owns ``@capture`` in eager mode: a helper runs captured, the rest of the program eagerly.

The helper's result enters the tape as one op whose gradient is the captured backward. In the
other modes a marked helper is drawn like any function. Gradients agree with plain eager up to
rounding where an argument is also used outside the helper: there the sum is grouped otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..wording import say
from .avals import Aval
from .capture import Capture
from .capture_call import Call
from .eager import EagerBuilder
from .errors import ShapeError
from .lang_code import Code
from .ops import Op
from .segments import tensors_in
from .tensor import Tensor


class Helpers:
    """The captured helpers of one program, by their code; ``make`` returns a capture for one."""

    def __init__(self, make: Callable[[Code], Capture]) -> None:
        self.make = make
        self.captures: dict[Code, Capture] = {}

    @property
    def compiles(self) -> int:
        """How many graphs the helpers have compiled."""
        return sum(capture.compiles for capture in self.captures.values())

    def call(
        self, builder: EagerBuilder, code: Code, values: Mapping[str, Any]
    ) -> tuple[bool, Any]:
        """Run a helper captured; its tensors come back as tensors of ``builder``.

        Returns whether it ran, and its result. Only tensors and Python numbers can enter; with
        other arguments it has to run inline.
        """
        if not can_capture(values):
            return False, None
        capture = self.captures.get(code)
        if capture is None:
            capture = self.captures[code] = self.make(code)
            # Its outputs are not the program's: no gradient of their sum can be drawn ahead.
            capture.settings = replace(capture.settings, joint=False)
        tensors = {name: v for name, v in values.items() if isinstance(v, Tensor)}
        inputs = {n: v.value if isinstance(v, Tensor) else v for n, v in values.items()}
        wanted = tuple(name for name, tensor in tensors.items() if tensor.requires_grad)
        call = Call(capture, inputs, wanted)
        result = call.run()
        made = {
            id(array): self._enter(builder, call, array, tensors) for array in tensors_in(result)
        }
        builder.stats.launches += call.stats.launches
        builder.stats.dispatches += call.stats.dispatches
        return True, _with_tensors(result, made)

    @staticmethod
    def _enter(
        builder: EagerBuilder, call: Call, array: Any, tensors: Mapping[str, Tensor]
    ) -> Tensor:
        """Put one result on the tape, with the captured backward as its gradient rule."""
        names = list(tensors)
        aval = Aval(array.shape, array.dtype)

        def vjp(
            b: Any, y: Any, gy: Any, xs: Any, want: Sequence[bool], attrs: dict[str, Any]
        ) -> list[Any]:
            before = replace(call.stats)
            seed = gy.value if isinstance(gy, Tensor) else np.asarray(gy)
            found = call.backward([(array, seed)])
            builder.stats.launches += call.stats.launches - before.launches
            builder.stats.dispatches += call.stats.dispatches - before.dispatches
            return [
                None if not wanted or found.get(name) is None else b.const(found[name])
                for name, wanted in zip(names, want, strict=True)
            ]

        op = Op(
            call.capture.main.name,
            len(names),
            lambda avals, attrs: (aval, attrs),
            lambda *arrays, out=None: np.array(array),
            "A captured helper.",
            vjp,
            structural=True,
        )
        return builder.call(op, *tensors.values())


def can_capture(values: Mapping[str, Any]) -> bool:
    """Return whether arguments can enter a captured helper: tensors and Python numbers."""
    return all(v is None or isinstance(v, (Tensor, bool, int, float, str)) for v in values.values())


def _with_tensors(value: Any, made: Mapping[int, Tensor]) -> Any:
    if isinstance(value, (tuple, list)):
        return type(value)(_with_tensors(item, made) for item in value)
    if isinstance(value, np.ndarray):
        found = made.get(id(value))
        if found is None:
            raise ShapeError(say("a captured helper returned a tensor that it did not make"))
        return found
    return value
