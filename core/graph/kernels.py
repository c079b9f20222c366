"""Owns the numpy kernels that are more than one ufunc: what each op does to real arrays.

Each takes C-contiguous arrays and returns a C-contiguous array that shares no memory with its
operands, or fills ``out``. The same kernel runs in every mode, tape and graph alike, so equal
operands give equal bits. ``out`` may be an operand of an elementwise kernel only.
"""

from __future__ import annotations

import math
import zlib
from typing import Any

import numpy as np

from ..wording import say
from .avals import format_shape
from .errors import ValueRangeError
from .ops import Array
from .trips import Trips, borrowed

Index = tuple[tuple[Any, ...], ...]

_COLUMN = (slice(None), None)  # made once: for a small array it costs as much as the view

# numpy's stubs have no reduce whose out may be None.
_add_reduce: Any = np.add.reduce
_max_reduce: Any = np.maximum.reduce


def into(out: Array | None, value: Any) -> Array:
    """Return ``value`` as a C-contiguous array, copied into ``out`` when that is given."""
    if out is None:
        return value if type(value) is np.ndarray else np.asarray(value)
    np.copyto(out, value)
    return out


def power(x: Array, y: Array, out: Array | None = None) -> Array:
    """``x ** y``; whole numbers to a negative power are explained."""
    try:
        return into(None, np.power(x, y, out=out))
    except ValueError:
        raise ValueRangeError(
            say("pow: a whole number to a negative power is no whole number"),
            hint=say("write a float"),
        ) from None


def floordiv(x: Array, y: Array, out: Array | None = None) -> Array:
    """``x // y``."""
    return into(None, np.floor_divide(x, y, out=out))


def sigmoid(x: Array, out: Array | None = None) -> Array:
    """``1 / (1 + exp(-x))``."""
    t = np.exp(np.negative(x, out=out), out=out)
    return into(None, np.divide(1.0, np.add(t, 1.0, out=out), out=out))


def relu(x: Array, out: Array | None = None) -> Array:
    """The larger of ``x`` and 0; NaN stays NaN."""
    return into(None, np.maximum(x, 0, out=out))


def clip(x: Array, low: Any, high: Any, out: Array | None = None) -> Array:
    """``x`` moved into ``low`` to ``high``; NaN stays NaN."""
    if low is not None:
        x = np.maximum(x, low, out=out)
    if high is not None:
        x = np.minimum(x, high, out=out)
    return into(None, x)


def where(test: Array, x: Array, y: Array, out: Array | None = None) -> Array:
    """``x`` where ``test`` holds, else ``y``."""
    return into(out, np.where(test, x, y))


def total(x: Array, axis: tuple[int, ...], keepdims: bool, out: Array | None = None) -> Array:
    """The sum over axes."""
    dtype = np.int64 if x.dtype.kind == "b" else None
    return into(None, _add_reduce(x, axis=axis, dtype=dtype, keepdims=keepdims, out=out))


def mean(x: Array, axis: tuple[int, ...], keepdims: bool, out: Array | None = None) -> Array:
    """The sum over axes divided by their number of elements."""
    dtype = x.dtype if x.dtype.kind == "f" else np.float64
    summed = _add_reduce(x, axis=axis, dtype=dtype, keepdims=keepdims, out=out)
    return into(None, np.divide(summed, float(math.prod(x.shape[i] for i in axis)), out=out))


def largest(x: Array, axis: tuple[int, ...], keepdims: bool, out: Array | None = None) -> Array:
    """The maximum over axes."""
    return into(None, _max_reduce(x, axis=axis, keepdims=keepdims, out=out))


def softmax(x: Array, axis: int, out: Array | None = None) -> Array:
    """``exp(x - max)`` over its sum."""
    e = np.exp(np.subtract(x, _max_reduce(x, axis=axis, keepdims=True)))
    return into(None, np.divide(e, _add_reduce(e, axis=axis, keepdims=True), out=out))


def layer_norm(x: Array, axis: int, eps: float, out: Array | None = None) -> Array:
    """``x`` less its mean, over the root of its variance plus ``eps``."""
    count = float(x.shape[axis])
    d = np.subtract(x, np.divide(_add_reduce(x, axis=axis, keepdims=True), count))
    variance = np.divide(_add_reduce(np.multiply(d, d), axis=axis, keepdims=True), count)
    return into(None, np.divide(d, np.sqrt(np.add(variance, eps)), out=out))


def dropout(x: Array, rate: float, seed: int | str, out: Array | None = None) -> Array:
    """``x / (1 - rate)`` where a draw from the named seed is at least ``rate``, else 0."""
    number = zlib.crc32(seed.encode()) if isinstance(seed, str) else abs(seed)
    kept = np.random.default_rng(number).random(x.shape) >= rate
    return into(out, np.where(kept, np.divide(x, 1.0 - rate), np.zeros((), x.dtype)))


def matmul(
    x: Array,
    y: Array,
    transpose_a: bool = False,
    transpose_b: bool = False,
    out: Array | None = None,
) -> Array:
    """The matrix product.

    One array multiplied by its own transpose is copied first: BLAS would take another routine
    with other rounding, so a merged node could change bits.
    """
    if not (transpose_a or transpose_b) and x.ndim <= 2 and y.ndim <= 2:
        product = x.dot(y)  # the method skips a layer of dispatch that np.dot has
        return product if type(product) is np.ndarray and out is None else into(out, product)
    if transpose_a != transpose_b and x.shape == y.shape and np.may_share_memory(x, y):
        y = y.copy()
    if transpose_a and x.ndim > 1:
        x = x.swapaxes(-1, -2)
    if transpose_b and y.ndim > 1:
        y = y.swapaxes(-1, -2)
    if x.ndim <= 2 and y.ndim <= 2:
        return into(out, x.dot(y))
    return into(out, np.ascontiguousarray(np.matmul(x, y)))


def outer(x: Array, y: Array, out: Array | None = None) -> Array:
    """Every product of an element of ``x`` with one of ``y``."""
    product: Array = x[_COLUMN].dot(y[None])
    return product if out is None else into(out, product)


def reshape(x: Array, shape: tuple[int, ...], out: Array | None = None) -> Array:
    """A copy in another shape."""
    return into(out, x.reshape(shape) if out is not None else x.reshape(shape).copy())


def transpose(x: Array, axes: tuple[int, ...], out: Array | None = None) -> Array:
    """A copy with the axes permuted."""
    view = x.transpose(axes)
    return into(out, view if out is not None else view.copy(order="C"))


def broadcast_to(x: Array, shape: tuple[int, ...], out: Array | None = None) -> Array:
    """A copy repeated to ``shape``."""
    filled = np.empty(shape, x.dtype) if out is None else out
    np.copyto(filled, x)
    return filled


def sum_to(x: Array, shape: tuple[int, ...], out: Array | None = None) -> Array:
    """The sum over what broadcasting ``shape`` to ``x.shape`` had repeated."""
    lead = x.ndim - len(shape)
    axes = (
        *range(lead),
        *(i + lead for i, size in enumerate(shape) if size == 1 and x.shape[i + lead] != 1),
    )
    return into(out, _add_reduce(x, axis=axes, keepdims=True).reshape(shape))


def concat(*xs: Array, axis: int, out: Array | None = None) -> Array:
    """Arrays joined along an axis."""
    return into(None, np.concatenate(xs, axis=axis, out=out))


def stack(*xs: Array, axis: int, out: Array | None = None) -> Array:
    """Arrays joined along a new axis."""
    return into(None, np.stack(xs, axis=axis, out=out))


def _native(index: Index) -> tuple[Any, ...]:
    return tuple(
        entry[1] if entry[0] == "int" else None if entry[0] == "new" else slice(*entry[1:])
        for entry in index
    )


def getitem(x: Array, index: Index, out: Array | None = None) -> Array:
    """A copy of a part."""
    view = x[_native(index)]
    return into(out, view if out is not None else np.array(view, order="C"))


def put(x: Array, shape: tuple[int, ...], index: Index, out: Array | None = None) -> Array:
    """Zeros with ``x`` written at ``index``."""
    filled = np.empty(shape, x.dtype) if out is None else out
    filled[...] = 0
    filled[_native(index)] = x
    return filled


def _positions(index: Array, size: int) -> None:
    if index.size and (int(index.min()) < -size or int(index.max()) >= size):
        at = index.tolist()
        raise ValueRangeError(
            say("take: position {at} is out of range for {size} entries", at=at, size=size)
        )


def take(x: Array, index: Array, out: Array | None = None) -> Array:
    """Entries of the first axis at ``index``."""
    _positions(index, x.shape[0])
    return into(out, np.array(x[index], order="C"))


def take_grad(
    gradient: Array, index: Array, shape: tuple[int, ...], out: Array | None = None
) -> Array:
    """Zeros with ``gradient`` added at ``index``."""
    if not shape:
        raise ValueRangeError(say("take_grad: no axis in {shape}", shape=format_shape(shape)))
    _positions(index, shape[0])
    filled = np.empty(shape, gradient.dtype) if out is None else out
    filled[...] = 0
    np.add.at(filled, index, gradient)
    return filled


def cast(x: Array, dtype: str, out: Array | None = None) -> Array:
    """A copy of another element type."""
    return into(out, x.astype(dtype, order="C"))


def fill(shape: tuple[int, ...], value: float, dtype: str, out: Array | None = None) -> Array:
    """An array of one repeated number."""
    filled = np.empty(shape, dtype) if out is None else out
    filled[...] = value
    return filled


def dim(size: int, dtype: str, out: Array | None = None) -> Array:
    """A size as a number; what was computed from sizes may be too large for one."""
    if not -(2**63) <= size < 2**63:
        raise ValueRangeError(
            say("the whole number {number} does not fit into 64 bits", number=size)
        )
    return into(out, np.array(size, dtype=dtype))


def const(value: Any, out: Array | None = None) -> Array:
    """The array held by the node."""
    return into(out, value.array) if out is not None else value.array


def pick(several: tuple[Any, ...], index: int, out: Array | None = None) -> Any:
    """A copy of one of several results, so that no result is an operand under another name.

    The trips of a loop are read by its gradients alone and are not copied.
    """
    if isinstance(several[index], Trips):
        return borrowed(several[index])
    return into(out, several[index] if out is not None else several[index].copy())
