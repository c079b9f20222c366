"""Owns the gradient rules of reductions, matmul, normalisations and ops that move elements.

Same form as ``vjps.py``: ``rule(b, y, gy, xs, want, attrs)``. Sizes come from ``b.shape`` and
may be symbolic; a count that divides is a ``dim`` node then, so one rule serves all sizes.
"""

from __future__ import annotations

from typing import Any

from ..wording import say
from .avals import Dim, SymbolicDim, element_count, exact
from .build import Builder
from .ops import Attrs
from .vjps import Grads, Values, Wanted

_CONCAT = say("the gradient of concat")


def _count(b: Builder[Any], size: Dim, like: Any) -> Any:
    """Return a size as a float operand that keeps the element type of ``like``."""
    if not isinstance(size, SymbolicDim):
        return float(size)
    number, name = b.call("dim", size=size), b.dtype(like).name
    return number if name == "float64" else b.call("cast", number, dtype=name)


def _spread(b: Builder[Any], g: Any, x: Any, attrs: Attrs) -> Any:
    """Return the gradient of a reduction repeated along the reduced axes."""
    shape = b.shape(x)
    kept = tuple(1 if i in attrs["axis"] else dim for i, dim in enumerate(shape))
    if not attrs["keepdims"] and b.shape(g) != kept:
        g = b.reshape(g, kept)
    return b.broadcast_to(g, shape)


def total(b: Builder[Any], y: Any, gy: Any, xs: Values, want: Wanted, attrs: Attrs) -> Grads:
    """Every summand gets the gradient of the sum."""
    return (_spread(b, gy, xs[0], attrs),)


def mean(b: Builder[Any], y: Any, gy: Any, xs: Values, want: Wanted, attrs: Attrs) -> Grads:
    """Every summand gets its share."""
    shape = b.shape(xs[0])
    count = element_count(tuple(shape[i] for i in attrs["axis"]))
    return (_spread(b, b.div(gy, _count(b, count, xs[0])), xs[0], attrs),)


def largest(b: Builder[Any], y: Any, gy: Any, xs: Values, want: Wanted, attrs: Attrs) -> Grads:
    """The gradient is shared equally among all places that hold the maximum."""
    (x,) = xs
    held = b.call("equal", x, _spread(b, y, x, attrs))
    ones = b.call("cast", held, dtype=b.dtype(x).name)
    shared = b.div(gy, b.sum(ones, attrs["axis"], attrs["keepdims"]))
    return (b.where(held, _spread(b, shared, x, attrs), 0.0),)


def softmax(b: Builder[Any], y: Any, gy: Any, xs: Values, want: Wanted, attrs: Attrs) -> Grads:
    """y (gy - sum(gy y))."""
    inner = b.sum(b.mul(gy, y), (attrs["axis"],), True)
    return (b.mul(b.sub(gy, inner), y),)


def layer_norm(b: Builder[Any], y: Any, gy: Any, xs: Values, want: Wanted, attrs: Attrs) -> Grads:
    """(gy - mean(gy) - y mean(gy y)) / standard deviation."""
    (x,) = xs
    axis = (attrs["axis"],)
    count = _count(b, b.shape(x)[attrs["axis"]], x)
    d = b.sub(x, b.div(b.sum(x, axis, True), count))
    variance = b.div(b.sum(b.mul(d, d), axis, True), count)
    deviation = b.call("sqrt", b.add(variance, attrs["eps"]))
    average = b.div(b.sum(gy, axis, True), count)
    along = b.div(b.sum(b.mul(gy, y), axis, True), count)
    return (b.div(b.sub(b.sub(gy, average), b.mul(y, along)), deviation),)


def vector_matrix(
    b: Builder[Any], y: Any, gy: Any, xs: Values, want: Wanted, attrs: Attrs
) -> Grads:
    """The case (k) @ (k, m) of ``matmul``, a cell step of one element type: W gy, x outer gy."""
    x, w = xs
    return (
        b.dot(w, gy) if want[0] else None,
        b.outer(x, gy) if want[1] else None,
    )


def matmul(b: Builder[Any], y: Any, gy: Any, xs: Values, want: Wanted, attrs: Attrs) -> Grads:
    """gy yᵀ and xᵀ gy; transposed operands get transposed gradients."""
    x, w = xs
    turned_w = attrs["transpose_b"]
    x_shape, w_shape = b.shape(x), b.shape(w)
    turned_x = attrs["transpose_a"]
    to_x = to_w = None
    if len(x_shape) == 1 and len(w_shape) == 2 and not turned_w:
        to_x, to_w = vector_matrix(b, y, gy, xs, want, attrs)
    elif len(x_shape) == 1 and len(w_shape) == 2:  # turned: (k) @ (m, k).T -> (m)
        to_x = b.matmul(gy, w) if want[0] else None
        to_w = b.outer(gy, x) if want[1] else None
    elif len(x_shape) == 1 and len(w_shape) == 1:
        to_x = b.mul(gy, w) if want[0] else None
        to_w = b.mul(gy, x) if want[1] else None
    elif len(x_shape) == 1:  # (k) @ (…, k, m) -> (…, m)
        row = b.reshape(gy, (*b.shape(gy)[:-1], 1, b.shape(gy)[-1]))
        if want[0]:
            to_x = b.matmul(row, w, transpose_b=not turned_w)
        if want[1]:
            to_w = _outer(b, b.reshape(x, (x_shape[0], 1)), row, turned_w)
    elif len(w_shape) == 1:  # (…, n, k) @ (k) -> (…, n)
        column = b.reshape(gy, (*b.shape(gy), 1))
        if want[0]:
            row = b.reshape(w, (1, w_shape[0]))
            to_x = _outer(b, column, row, turned_x)
        if want[1] and len(x_shape) == 2:
            to_w = b.matmul(gy, x, transpose_b=turned_x)
        elif want[1]:
            tall = b.matmul(x, column, transpose_a=not turned_x)
            to_w = b.reshape(tall, b.shape(tall)[:-1])
    else:
        if want[0]:
            to_x = (
                b.matmul(w, gy, transpose_a=turned_w, transpose_b=True)
                if turned_x
                else b.matmul(gy, w, transpose_b=not turned_w)
            )
        if want[1]:
            to_w = (
                b.matmul(gy, x, transpose_a=True, transpose_b=turned_x)
                if turned_w
                else b.matmul(x, gy, transpose_a=not turned_x)
            )
    return (
        _squeeze_fit(b, to_x, x) if want[0] else None,
        _squeeze_fit(b, to_w, w) if want[1] else None,
    )


def _outer(b: Builder[Any], column: Any, row: Any, turned: bool) -> Any:
    """Return column times row, transposed when asked."""
    if not turned:
        return b.mul(column, row)
    swapped_row = b.reshape(row, (*b.shape(row)[:-2], b.shape(row)[-1], 1))
    swapped_column = b.reshape(column, (*b.shape(column)[:-2], 1, b.shape(column)[-2]))
    return b.mul(swapped_row, swapped_column)


def outer(b: Builder[Any], y: Any, gy: Any, xs: Values, want: Wanted, attrs: Attrs) -> Grads:
    """gy y and x gy."""
    return (
        b.fit(b.matmul(gy, xs[1]), xs[0]) if want[0] else None,
        b.fit(b.matmul(xs[0], gy), xs[1]) if want[1] else None,
    )


def _squeeze_fit(b: Builder[Any], g: Any, x: Any) -> Any:
    """Return a gradient fitted to an operand, a helper axis of size 1 taken out first."""
    shape = b.shape(x)
    if len(shape) == 1 and b.shape(g) != shape and b.shape(g)[-2:-1] == (1,):
        g = b.reshape(g, (*b.shape(g)[:-2], b.shape(g)[-1]))
    return b.fit(g, x)


def reshape(b: Builder[Any], y: Any, gy: Any, xs: Values, want: Wanted, attrs: Attrs) -> Grads:
    """The gradient in the shape of the operand."""
    return (b.reshape(gy, b.shape(xs[0])),)


def transpose(b: Builder[Any], y: Any, gy: Any, xs: Values, want: Wanted, attrs: Attrs) -> Grads:
    """The axes put back."""
    axes = attrs["axes"]
    return (b.call("transpose", gy, axes=tuple(axes.index(i) for i in range(len(axes)))),)


def broadcast_to(b: Builder[Any], y: Any, gy: Any, xs: Values, want: Wanted, attrs: Attrs) -> Grads:
    """What was repeated is added up."""
    return (b.fit(gy, xs[0]),)


def sum_to(b: Builder[Any], y: Any, gy: Any, xs: Values, want: Wanted, attrs: Attrs) -> Grads:
    """What was added up is repeated."""
    return (b.broadcast_to(gy, b.shape(xs[0])),)


def concat(b: Builder[Any], y: Any, gy: Any, xs: Values, want: Wanted, attrs: Attrs) -> Grads:
    """Each operand gets its part."""
    axis = attrs["axis"]
    parts = []
    start: Dim = 0
    for x, wanted in zip(xs, want, strict=True):
        size = b.shape(x)[axis]
        if wanted:
            begin, length = exact(start, _CONCAT), exact(size, _CONCAT)
            index = (slice(None),) * axis + (slice(begin, begin + length),)
            parts.append(b.fit(b.call("getitem", gy, index=index), x))
        else:
            parts.append(None)
        start = start + size
    return tuple(parts)


def stack(b: Builder[Any], y: Any, gy: Any, xs: Values, want: Wanted, attrs: Attrs) -> Grads:
    """Each operand gets its entry."""
    axis = attrs["axis"]
    return tuple(
        b.fit(b.call("getitem", gy, index=(slice(None),) * axis + (i,)), x) if wanted else None
        for i, (x, wanted) in enumerate(zip(xs, want, strict=True))
    )


def getitem(b: Builder[Any], y: Any, gy: Any, xs: Values, want: Wanted, attrs: Attrs) -> Grads:
    """The gradient written where the part was read."""
    return (b.call("put", gy, shape=b.shape(xs[0]), index=attrs["index"]),)


def put(b: Builder[Any], y: Any, gy: Any, xs: Values, want: Wanted, attrs: Attrs) -> Grads:
    """The gradient read where the part was written."""
    return (b.call("getitem", gy, index=attrs["index"]),)


def pick(*_: Any) -> Grads:
    """Never called: the sweeps collect the gradients of several results by position."""
    raise AssertionError("the sweep handles pick")


def take(b: Builder[Any], y: Any, gy: Any, xs: Values, want: Wanted, attrs: Attrs) -> Grads:
    """The gradient added where the entries were read."""
    return b.call("take_grad", gy, xs[1], shape=b.shape(xs[0])), None


def take_grad(b: Builder[Any], y: Any, gy: Any, xs: Values, want: Wanted, attrs: Attrs) -> Grads:
    """The gradient read at the positions."""
    return b.call("take", gy, xs[1]), None
