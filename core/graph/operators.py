"""Owns what can be written with a value in Python: operators and methods, one table for all.

``Tensor`` (eager) and ``Sym`` (static) inherit these; each supplies ``apply``. ``==`` keeps
Python's meaning (the same object), so values can be keys of a dict; compare elements with
``x.equal(y)``.
"""

from __future__ import annotations

from typing import Any, TypeVar

S = TypeVar("S", bound="Operators")


class Operators:
    """Arithmetic, comparison, indexing and methods in terms of ``apply``."""

    __slots__ = ()
    __array_ufunc__ = None  #: numpy leaves ``array * x`` to ``x``, instead of taking it apart

    def apply(self: S, op: str, *operands: Any, **options: Any) -> S:
        """Apply an op to operands; the two subclasses say how."""
        raise NotImplementedError

    def __add__(self: S, other: Any) -> S:
        return self.apply("add", self, other)

    def __radd__(self: S, other: Any) -> S:
        return self.apply("add", other, self)

    def __sub__(self: S, other: Any) -> S:
        return self.apply("sub", self, other)

    def __rsub__(self: S, other: Any) -> S:
        return self.apply("sub", other, self)

    def __mul__(self: S, other: Any) -> S:
        return self.apply("mul", self, other)

    def __rmul__(self: S, other: Any) -> S:
        return self.apply("mul", other, self)

    def __truediv__(self: S, other: Any) -> S:
        return self.apply("div", self, other)

    def __rtruediv__(self: S, other: Any) -> S:
        return self.apply("div", other, self)

    def __floordiv__(self: S, other: Any) -> S:
        return self.apply("floordiv", self, other)

    def __rfloordiv__(self: S, other: Any) -> S:
        return self.apply("floordiv", other, self)

    def __mod__(self: S, other: Any) -> S:
        return self.apply("mod", self, other)

    def __rmod__(self: S, other: Any) -> S:
        return self.apply("mod", other, self)

    def __pow__(self: S, other: Any) -> S:
        return self.apply("pow", self, other)

    def __rpow__(self: S, other: Any) -> S:
        return self.apply("pow", other, self)

    def __matmul__(self: S, other: Any) -> S:
        return self.apply("matmul", self, other)

    def __rmatmul__(self: S, other: Any) -> S:
        return self.apply("matmul", other, self)

    def __neg__(self: S) -> S:
        return self.apply("neg", self)

    def __abs__(self: S) -> S:
        return self.apply("abs", self)

    def __lt__(self: S, other: Any) -> S:
        return self.apply("less", self, other)

    def __le__(self: S, other: Any) -> S:
        return self.apply("less_equal", self, other)

    def __gt__(self: S, other: Any) -> S:
        return self.apply("greater", self, other)

    def __ge__(self: S, other: Any) -> S:
        return self.apply("greater_equal", self, other)

    def __and__(self: S, other: Any) -> S:
        return self.apply("logical_and", self, other)

    def __or__(self: S, other: Any) -> S:
        return self.apply("logical_or", self, other)

    def __invert__(self: S) -> S:
        return self.apply("logical_not", self)

    def __getitem__(self: S, index: Any) -> S:
        if isinstance(index, Operators):
            return self.apply("take", self, index)
        return self.apply("getitem", self, index=index)

    def equal(self: S, other: Any) -> S:
        """Return where elements are equal."""
        return self.apply("equal", self, other)

    def not_equal(self: S, other: Any) -> S:
        """Return where elements differ."""
        return self.apply("not_equal", self, other)

    def sum(self: S, axis: Any = None, keepdims: bool = False) -> S:
        """Return the sum over ``axis`` (all axes when None)."""
        return self.apply("sum", self, axis=axis, keepdims=keepdims)

    def mean(self: S, axis: Any = None, keepdims: bool = False) -> S:
        """Return the mean over ``axis``."""
        return self.apply("mean", self, axis=axis, keepdims=keepdims)

    def max(self: S, axis: Any = None, keepdims: bool = False) -> S:
        """Return the largest element over ``axis``."""
        return self.apply("max", self, axis=axis, keepdims=keepdims)

    def reshape(self: S, *shape: Any) -> S:
        """Return the same elements in another shape; one size may be -1."""
        wanted = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
        return self.apply("reshape", self, shape=tuple(wanted))

    def transpose(self: S, *axes: int) -> S:
        """Return the axes permuted, reversed when none are given."""
        return self.apply("transpose", self, axes=tuple(axes) or None)

    @property
    def T(self: S) -> S:  # noqa: N802 - numpy's name
        """The axes reversed."""
        return self.apply("transpose", self, axes=None)

    def exp(self: S) -> S:
        """Return e to the power of each element."""
        return self.apply("exp", self)

    def log(self: S) -> S:
        """Return the natural logarithm."""
        return self.apply("log", self)

    def sqrt(self: S) -> S:
        """Return the square root."""
        return self.apply("sqrt", self)

    def sin(self: S) -> S:
        """Return the sine."""
        return self.apply("sin", self)

    def cos(self: S) -> S:
        """Return the cosine."""
        return self.apply("cos", self)

    def tanh(self: S) -> S:
        """Return the hyperbolic tangent."""
        return self.apply("tanh", self)

    def sigmoid(self: S) -> S:
        """Return 1 / (1 + exp(-x))."""
        return self.apply("sigmoid", self)

    def relu(self: S) -> S:
        """Return the positive part."""
        return self.apply("relu", self)

    def clip(self: S, low: float | None = None, high: float | None = None) -> S:
        """Return each element moved into ``low`` to ``high``."""
        return self.apply("clip", self, low=low, high=high)

    def softmax(self: S, axis: int = -1) -> S:
        """Return exp(x) over its sum along ``axis``."""
        return self.apply("softmax", self, axis=axis)
