"""Owns the builder on plain arrays: what the backward of the tape computes with.

The gradient rules are the same as everywhere; here ``b.mul`` is numpy's own ``multiply``, so a
backward costs little more than its ufuncs. Values are arrays; numpy's 0-d scalars and Python
numbers pass as operands.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any, NoReturn

import numpy as np

from . import kernels
from .avals import FLOAT64, Aval, DType, Shape, TripsAval, TupleAval
from .build import Branch, Builder
from .interp import Interpreter
from .ops import Array, Op, get_op, infer
from .trips import Trips

_ONE = np.array(1.0)  #: numpy converts a Python number in every call, which costs more than this


def value_aval(value: Any) -> Any:
    """Return the aval of an array, a number, the trips of a loop, or several results."""
    if isinstance(value, tuple):
        return TupleAval(tuple(value_aval(item) for item in value))
    if isinstance(value, Trips):
        return TripsAval(value.item)
    array = value if isinstance(value, (np.ndarray, np.generic)) else np.asarray(value)
    return Aval(array.shape, array.dtype)


class ArrayBuilder(Builder[Any]):
    """Computes at once, records nothing."""

    shape: Callable[[Any], Shape] = staticmethod(attrgetter("shape"))  # type: ignore[assignment]
    dtype: Callable[[Any], DType] = staticmethod(attrgetter("dtype"))  # type: ignore[assignment]
    add: Callable[[Any, Any], Any] = staticmethod(np.add)  # type: ignore[assignment]
    sub: Callable[[Any, Any], Any] = staticmethod(np.subtract)  # type: ignore[assignment]
    mul: Callable[[Any, Any], Any] = staticmethod(np.multiply)  # type: ignore[assignment]
    div: Callable[[Any, Any], Any] = staticmethod(np.true_divide)  # type: ignore[assignment]
    neg: Callable[[Any], Any] = staticmethod(np.negative)  # type: ignore[assignment]
    where: Callable[[Any, Any, Any], Any] = staticmethod(np.where)  # type: ignore[assignment]
    outer: Callable[[Any, Any], Any] = staticmethod(kernels.outer)  # type: ignore[assignment]
    dot: Callable[[Any, Any], Any] = staticmethod(np.ndarray.dot)  # type: ignore[assignment]
    matmul = staticmethod(kernels.matmul)

    def __init__(self, interpreter: Interpreter | None = None) -> None:
        self.interpreter = interpreter  #: None: one for each loop, so that threads share none

    def call(self, op: str | Op, *operands: Any, **options: Any) -> Any:
        """Apply an op to arrays."""
        record = get_op(op)
        if options or record.options:
            _, options = infer(record, [self.aval(x) for x in operands], options)
        if record.control is not None:
            return record.control(self.interpreter or Interpreter(), operands, options)
        assert record.kernel is not None
        return record.kernel(*operands, **options)

    def const(self, value: Any) -> Array:
        """Return an array."""
        return np.array(value)

    def aval(self, value: Any) -> Any:
        """Return the aval of an array, a number, or several results."""
        return value_aval(value)

    def reshape(self, x: Any, shape: Shape) -> Any:
        """Return the elements in another shape; a view, which no gradient rule writes to."""
        return x.reshape(shape)

    def broadcast_to(self, x: Any, shape: Shape) -> Any:
        """Return ``x`` repeated to ``shape``."""
        return x if x.shape == shape else kernels.broadcast_to(x, shape)  # type: ignore[arg-type]

    def sum(self, x: Any, axis: tuple[int, ...], keepdims: bool = False) -> Any:
        """Return the sum over ``axis``."""
        return kernels.total(x, axis, keepdims)

    def fill(self, shape: Shape, value: float, dtype: DType) -> Array:
        """Return an array of one repeated number."""
        return np.full(shape, value, dtype)

    @staticmethod
    def one_minus(x: Any) -> Any:
        """Return ``1 - x``."""
        return np.subtract(_ONE if x.dtype is FLOAT64 else 1.0, x)

    @staticmethod
    def fit(gradient: Any, operand: Any) -> Any:
        """Return a gradient summed and cast to the shape and element type of its operand."""
        if gradient.shape != operand.shape:
            gradient = kernels.sum_to(np.asarray(gradient), operand.shape)
        if gradient.dtype is not operand.dtype:
            gradient = gradient.astype(operand.dtype, copy=False)
        return gradient

    def fit_both(self, gradient: Any, operands: Sequence[Any], want: Sequence[bool]) -> Any:
        """Return one gradient fitted to each of two operands, None where it is not wanted."""
        x, y = operands
        alike = gradient.shape == x.shape == y.shape and gradient.dtype is x.dtype is y.dtype
        if alike and want[0] and want[1]:
            return gradient, gradient
        return super().fit_both(gradient, operands, want)

    def cond(self, pred: Any, true_fn: Branch, false_fn: Branch, *operands: Any) -> NoReturn:
        """Gradient rules do not draw; they call ops with graphs that are already drawn."""
        raise NotImplementedError("gradient rules use call('cond', …)")

    def while_loop(self, cond_fn: Branch, body_fn: Branch, *carries: Any) -> NoReturn:
        """Gradient rules do not draw."""
        raise NotImplementedError("gradient rules use call('while_loop', …)")
