"""Owns the builder protocol: the one interface against which programs and vjps are written.

Three builders implement it. ``eager.EagerBuilder`` computes at once and records a tape,
``static.GraphBuilder`` adds nodes to a graph (capture uses it too, with symbolic sizes), and
``arrays.ArrayBuilder`` computes on plain arrays, for the backward of the tape. ``V`` is what
a builder calls a value: ``Tensor``, ``Sym`` or an array.

A Python number among the operands is weak: it takes the element type of the arrays beside it
(``lift`` below), so ``x + 1`` keeps a float32 ``x`` float32 and an int64 ``x`` int64.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np

from ..wording import say
from .avals import BOOL, FLOAT64, INT64, Aval, DType, Shape
from .errors import OptionError
from .ops import Array, Op

V = TypeVar("V")

#: A Python number, weak in its element type.
Number: TypeAlias = "bool | int | float"
#: ``fn(builder, *values)``, giving a value or a tuple of values; the builder is the inner one.
Branch: TypeAlias = Callable[..., Any]


class Drawing(threading.local):
    """The builders of the subgraphs that this thread is drawing, innermost last."""

    stack: tuple[Any, ...] = ()


#: Operators on outer values used inside an arm must draw in the arm, so that they run only
#: when it is taken.
DRAWING = Drawing()
#: How many threads are drawing an arm or inside ``no_grad``: 0 lets the operators of tensors
#: skip both questions.
CAREFUL = [0]


@contextmanager
def drawing(builder: Any) -> Iterator[None]:
    """Let operators draw in ``builder`` within the block."""
    before = DRAWING.stack
    DRAWING.stack = (*before, builder)
    CAREFUL[0] += 1
    try:
        yield
    finally:
        CAREFUL[0] -= 1
        DRAWING.stack = before


class Builder(ABC, Generic[V]):
    """What a program may ask for while it runs, whatever the mode."""

    @abstractmethod
    def call(self, op: str | Op, *operands: V | Number | Array, **options: Any) -> V:
        """Apply an op. :class:`GraphError` subclasses say what does not fit."""

    @abstractmethod
    def const(self, value: Any) -> V:
        """Return a constant; numbers, nested lists and arrays (copied)."""

    @abstractmethod
    def aval(self, value: V) -> Aval:
        """Return shape and element type of a value."""

    @abstractmethod
    def cond(self, pred: V, true_fn: Branch, false_fn: Branch, *operands: V) -> V | tuple[V, ...]:
        """Run one of two functions of ``operands``, chosen by a bool scalar.

        Each is drawn once, called as ``fn(inner, *stand_ins)``; it draws with ``inner`` (a
        ``GraphBuilder`` in every mode) and may use outer values, which are captured. Both
        must return the same number of values of the same avals. Only the arm taken runs.
        Returns a single value if the functions do, else a tuple.
        """

    @abstractmethod
    def while_loop(
        self, cond_fn: Branch, body_fn: Branch, *carries: V | Number | Array
    ) -> tuple[V, ...]:
        """Repeat ``carries = body_fn(b, *carries)`` while ``cond_fn(b, *carries)``, one bool.

        The trip count is known only when it runs. Shapes and element types of the carries
        must not change. Returns the final carries as a tuple.
        """

    def shape(self, value: V) -> Shape:
        """Return the shape of a value; a size may be symbolic in capture."""
        return self.aval(value).shape

    def dtype(self, value: V) -> DType:
        """Return the element type of a value."""
        return self.aval(value).dtype

    # The ops that gradient rules use, by name: ArrayBuilder overrides them with the bare ufunc.

    def add(self, x: Any, y: Any) -> V:
        """Return ``x + y``."""
        return self.call("add", x, y)

    def sub(self, x: Any, y: Any) -> V:
        """Return ``x - y``."""
        return self.call("sub", x, y)

    def one_minus(self, x: Any) -> V:
        """Return ``1 - x``."""
        return self.sub(1.0, x)

    def mul(self, x: Any, y: Any) -> V:
        """Return ``x * y``."""
        return self.call("mul", x, y)

    def div(self, x: Any, y: Any) -> V:
        """Return ``x / y``."""
        return self.call("div", x, y)

    def neg(self, x: Any) -> V:
        """Return ``-x``."""
        return self.call("neg", x)

    def where(self, test: Any, x: Any, y: Any) -> V:
        """Return ``x`` where ``test`` holds, else ``y``."""
        return self.call("where", test, x, y)

    def matmul(self, x: Any, y: Any, transpose_a: bool = False, transpose_b: bool = False) -> V:
        """Return the matrix product; a flag transposes the last two axes of that operand."""
        return self.call("matmul", x, y, transpose_a=transpose_a, transpose_b=transpose_b)

    def dot(self, x: Any, y: Any) -> V:
        """Return the matrix product of two values of one or two axes each."""
        return self.call("matmul", x, y)

    def outer(self, x: Any, y: Any) -> V:
        """Return every product of an element of ``x`` with one of ``y``."""
        return self.call("outer", x, y)

    def reshape(self, x: Any, shape: Shape) -> V:
        """Return ``x`` in another shape."""
        return self.call("reshape", x, shape=shape)

    def broadcast_to(self, x: Any, shape: Shape) -> V:
        """Return ``x`` repeated to ``shape``; ``x`` itself where it already has it."""
        return x if self.shape(x) == tuple(shape) else self.call("broadcast_to", x, shape=shape)

    def sum(self, x: Any, axis: tuple[int, ...], keepdims: bool = False) -> V:
        """Return the sum over ``axis``."""
        return self.call("sum", x, axis=axis, keepdims=keepdims)

    def fill(self, shape: Shape, value: float, dtype: DType) -> V:
        """Return an array of one repeated number."""
        return self.call("fill", shape=shape, value=value, dtype=dtype.name)

    def fit(self, gradient: V, operand: V) -> V:
        """Return a gradient summed and cast to the shape and element type of its operand.

        Undoes broadcasting: what was repeated forward is added up backward.
        """
        have, want = self.aval(gradient), self.aval(operand)
        if have.shape != want.shape:
            gradient = self.call("sum_to", gradient, shape=want.shape)
        if have.dtype != want.dtype:
            gradient = self.call("cast", gradient, dtype=want.dtype.name)
        return gradient

    def fit_both(self, gradient: V, operands: Sequence[V], want: Sequence[bool]) -> Any:
        """Return one gradient fitted to each of two operands, None where it is not wanted."""
        x, y = operands
        return (
            self.fit(gradient, x) if want[0] else None,
            self.fit(gradient, y) if want[1] else None,
        )


def number_dtype(op: str, value: Number, dtypes: Sequence[DType]) -> DType:
    """Return the element type that a weak Python number takes beside arrays of ``dtypes``."""
    joint = np.result_type(*dtypes) if dtypes else None
    if isinstance(value, bool):
        return BOOL
    if isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            raise OptionError(
                say("{op}: the whole number {value} does not fit into 64 bits", op=op, value=value)
            )
        return joint if joint is not None and joint.kind in "if" else INT64
    return joint if joint is not None and joint.kind == "f" else FLOAT64


#: Where each number keeps a type of its own: results and operands that do not meet.
APART = frozenset(
    ("print", "take", "return", "true", "false", "test", "body", "cond", "while_loop")
)


def lift(op: str, operands: Sequence[Any], dtypes: Sequence[DType | None]) -> list[Array | None]:
    """Return each weak number of ``operands`` as a 0-d array, None for the other operands.

    ``dtypes`` holds None exactly where the operand is a Python number.
    """
    if None not in dtypes:
        return [None] * len(operands)
    strong = [] if op in APART else [dtype for dtype in dtypes if dtype is not None]
    return [
        None if dtype is not None else np.array(value, dtype=number_dtype(op, value, strong))
        for value, dtype in zip(operands, dtypes, strict=True)
    ]
