"""Owns the gradient rules of elementwise ops, each written once against a builder.

``rule(b, y, gy, xs, want, attrs)`` returns one gradient for each operand, None where none is
wanted. ``b.fit`` undoes broadcasting. Selections use ``where``, never a product with a mask:
an infinite gradient times 0 would be NaN. The derivative at each kink is in ``kinks.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .build import Builder
from .ops import Attrs

Values = Sequence[Any]
Wanted = Sequence[bool]
Grads = tuple[Any, ...]


def add(b: Builder[Any], y: Any, gy: Any, xs: Values, want: Wanted, attrs: Attrs) -> Grads:
    """d(x + y): 1, 1."""
    both: Grads = b.fit_both(gy, xs, want)
    return both


def sub(b: Builder[Any], y: Any, gy: Any, xs: Values, want: Wanted, attrs: Attrs) -> Grads:
    """d(x - y): 1, -1."""
    return (
        b.fit(gy, xs[0]) if want[0] else None,
        b.fit(b.neg(gy), xs[1]) if want[1] else None,
    )


def mul(b: Builder[Any], y: Any, gy: Any, xs: Values, want: Wanted, attrs: Attrs) -> Grads:
    """d(x * y): y, x."""
    return (
        b.fit(b.mul(gy, xs[1]), xs[0]) if want[0] else None,
        b.fit(b.mul(gy, xs[0]), xs[1]) if want[1] else None,
    )


def div(b: Builder[Any], y: Any, gy: Any, xs: Values, want: Wanted, attrs: Attrs) -> Grads:
    """d(x / y): 1/y, -(x/y)/y."""
    return (
        b.fit(b.div(gy, xs[1]), xs[0]) if want[0] else None,
        b.fit(b.neg(b.mul(gy, b.div(y, xs[1]))), xs[1]) if want[1] else None,
    )


def mod(b: Builder[Any], y: Any, gy: Any, xs: Values, want: Wanted, attrs: Attrs) -> Grads:
    """d(x % y): 1, -(x // y)."""
    return (
        b.fit(gy, xs[0]) if want[0] else None,
        b.fit(b.neg(b.mul(gy, b.call("floordiv", xs[0], xs[1]))), xs[1]) if want[1] else None,
    )


def neg(b: Builder[Any], y: Any, gy: Any, xs: Values, want: Wanted, attrs: Attrs) -> Grads:
    """d(-x): -1."""
    return (b.neg(gy),)


def power(b: Builder[Any], y: Any, gy: Any, xs: Values, want: Wanted, attrs: Attrs) -> Grads:
    """d(x ** p): p x**(p-1), and 0 for p = 0; x**p log x, and 0 at x = 0 with p >= 0."""
    x, p = xs
    to_base = to_power = None
    if want[0]:
        slope = b.mul(p, b.call("pow", x, b.sub(p, 1)))
        zero = b.call("equal", p, 0)
        to_base = b.fit(b.where(zero, 0.0, b.mul(gy, slope)), x)
    if want[1]:
        flat = b.call("logical_and", b.call("equal", x, 0), b.call("greater_equal", p, 0))
        to_power = b.fit(b.where(flat, 0.0, b.mul(gy, b.mul(y, b.call("log", x)))), p)
    return to_base, to_power


def exp(b: Builder[Any], y: Any, gy: Any, xs: Values, want: Wanted, attrs: Attrs) -> Grads:
    """d exp(x): y."""
    return (b.mul(gy, y),)


def log(b: Builder[Any], y: Any, gy: Any, xs: Values, want: Wanted, attrs: Attrs) -> Grads:
    """d log(x): 1/x."""
    return (b.div(gy, xs[0]),)


def sqrt(b: Builder[Any], y: Any, gy: Any, xs: Values, want: Wanted, attrs: Attrs) -> Grads:
    """d sqrt(x): 1/(2y), inf at 0."""
    return (b.div(gy, b.mul(y, 2.0)),)


def sin(b: Builder[Any], y: Any, gy: Any, xs: Values, want: Wanted, attrs: Attrs) -> Grads:
    """d sin(x): cos(x)."""
    return (b.mul(gy, b.call("cos", xs[0])),)


def cos(b: Builder[Any], y: Any, gy: Any, xs: Values, want: Wanted, attrs: Attrs) -> Grads:
    """d cos(x): -sin(x)."""
    return (b.neg(b.mul(gy, b.call("sin", xs[0]))),)


def tanh(b: Builder[Any], y: Any, gy: Any, xs: Values, want: Wanted, attrs: Attrs) -> Grads:
    """d tanh(x): 1 - y*y."""
    return (b.mul(gy, b.one_minus(b.mul(y, y))),)


def sigmoid(b: Builder[Any], y: Any, gy: Any, xs: Values, want: Wanted, attrs: Attrs) -> Grads:
    """d sigmoid(x): y (1 - y)."""
    return (b.mul(gy, b.mul(b.one_minus(y), y)),)


def absolute(b: Builder[Any], y: Any, gy: Any, xs: Values, want: Wanted, attrs: Attrs) -> Grads:
    """d |x|: the sign, 0 at 0."""
    return (b.mul(gy, b.call("sign", xs[0])),)


def relu(b: Builder[Any], y: Any, gy: Any, xs: Values, want: Wanted, attrs: Attrs) -> Grads:
    """d relu(x): 0 up to and at 0, else 1; a NaN passes its gradient on."""
    return (b.where(b.call("less_equal", xs[0], 0), 0.0, gy),)


def clip(b: Builder[Any], y: Any, gy: Any, xs: Values, want: Wanted, attrs: Attrs) -> Grads:
    """d clip(x): 1 inside and at the bounds, else 0."""
    (x,) = xs
    low, high = attrs["low"], attrs["high"]
    if low is not None:
        gy = b.where(b.call("greater_equal", x, low), gy, 0.0)
    if high is not None:
        gy = b.where(b.call("less_equal", x, high), gy, 0.0)
    return (gy,)


def _larger(sign: str) -> Any:
    def rule(b: Builder[Any], y: Any, gy: Any, xs: Values, want: Wanted, attrs: Attrs) -> Grads:
        """The whole gradient to the side chosen, half to each side of a tie."""
        tie = b.call("equal", xs[0], xs[1])
        half = b.mul(gy, 0.5)
        grads: list[Any] = []
        for mine, other, wanted in ((0, 1, want[0]), (1, 0, want[1])):
            if not wanted:
                grads.append(None)
                continue
            lost = b.call(sign, xs[mine], xs[other])
            grads.append(b.fit(b.where(lost, 0.0, b.where(tie, half, gy)), xs[mine]))
        return tuple(grads)

    return rule


maximum = _larger("less")
minimum = _larger("greater")


def where(b: Builder[Any], y: Any, gy: Any, xs: Values, want: Wanted, attrs: Attrs) -> Grads:
    """The gradient goes to the side chosen; the other side gets 0."""
    test, x, other = xs
    return (
        None,
        b.fit(b.where(test, gy, 0.0), x) if want[1] else None,
        b.fit(b.where(test, 0.0, gy), other) if want[2] else None,
    )


def cast(b: Builder[Any], y: Any, gy: Any, xs: Values, want: Wanted, attrs: Attrs) -> Grads:
    """The gradient in the element type of the operand."""
    return (b.fit(gy, xs[0]),)


def dropout(b: Builder[Any], y: Any, gy: Any, xs: Values, want: Wanted, attrs: Attrs) -> Grads:
    """The same draw from the same seed, applied to the gradient."""
    return (b.call("dropout", gy, **attrs),)
