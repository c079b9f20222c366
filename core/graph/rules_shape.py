"""Owns the shape rules of matmul, of ops that move elements, and of bookkeeping nodes.

Indices are held in canonical form so that they are hashable and tell 1 from True: a tuple of
``("int", i)``, ``("slice", start, stop, step)`` and ``("new",)``, one entry for each axis.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..wording import say
from .avals import (
    BOOL,
    DTYPES,
    FLOAT64,
    INT64,
    AnyAval,
    Aval,
    Dim,
    SymbolicDim,
    TupleAval,
    aval_of,
    broadcast_shapes,
    divide_dim,
    element_count,
    exact,
    format_shape,
    promote,
)
from .errors import DTypeError, OptionError, ShapeError
from .ops import Attrs
from .rules import normal_axes


def matmul(avals: Sequence[Aval], attrs: Attrs) -> tuple[Aval, Attrs]:
    """numpy's matmul; the flags transpose the last two axes of an operand that has two."""
    x, y = avals
    flags = {name: bool(attrs[name]) for name in ("transpose_a", "transpose_b")}
    if x.ndim == 0 or y.ndim == 0:
        raise ShapeError(
            say("matmul needs at least one axis on both sides, not {x} and {y}", x=x, y=y)
        )
    dtype = promote("matmul", [x.dtype, y.dtype])
    if dtype.kind != "f":
        raise DTypeError(say("matmul needs floats, not {x} and {y}", x=x, y=y))
    left = _swapped(x.shape) if flags["transpose_a"] and x.ndim > 1 else x.shape
    right = _swapped(y.shape) if flags["transpose_b"] and y.ndim > 1 else y.shape
    inner_left = left[-1]
    inner_right = right[0] if len(right) == 1 else right[-2]
    if inner_left != inner_right:
        exact_pair(inner_left, inner_right, "matmul")
        raise ShapeError(
            say(
                "matmul: {left} @ {right} ({inner_left} columns against {inner_right} rows)",
                left=format_shape(left), right=format_shape(right), inner_left=inner_left,
                inner_right=inner_right,
            )
        )  # fmt: skip
    batch = broadcast_shapes("matmul", left[:-2], right[:-2])
    rows = left[-2:-1] if len(left) > 1 else ()
    columns = right[-1:] if len(right) > 1 else ()
    return Aval((*batch, *rows, *columns), dtype), flags


def outer(avals: Sequence[Aval], attrs: Attrs) -> tuple[Aval, Attrs]:
    """Two vectors of floats make a matrix."""
    x, y = avals
    dtype = promote("outer", [x.dtype, y.dtype])
    if x.ndim != 1 or y.ndim != 1 or dtype.kind != "f":
        raise ShapeError(say("outer needs two vectors of floats, not {x} and {y}", x=x, y=y))
    return Aval((*x.shape, *y.shape), dtype), attrs


def exact_pair(first: Dim, second: Dim, op: str) -> None:
    """Ask for the numbers where either size is symbolic."""
    for dim in (first, second):
        if isinstance(dim, SymbolicDim):
            why = say("{op} compares the sizes {first} and {dim}", op=op, first=first, dim=second)
            exact(dim, why)


def _swapped(shape: tuple[Dim, ...]) -> tuple[Dim, ...]:
    return (*shape[:-2], shape[-1], shape[-2])


_NEGATIVE = say("a size cannot be negative")


def _sizes(op: str, shape: Any, least: int = 0) -> tuple[Dim, ...]:
    """Return sizes that are checked; :class:`DimNeeded` where a symbolic one may be negative."""
    listed = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    for dim in listed:
        _whole(op, dim)
        if isinstance(dim, SymbolicDim):
            if dim.low is None or dim.low < 0:
                exact(dim, _NEGATIVE)
        elif dim < least:
            raise OptionError(say("{op}: a size cannot be {dim}", op=op, dim=dim))
    return listed


def _whole(op: str, dim: Any) -> None:
    if isinstance(dim, bool) or not isinstance(dim, (int, SymbolicDim)):
        raise OptionError(say("{op}: a size is a whole number, not {dim}", op=op, dim=repr(dim)))


def reshape(avals: Sequence[Aval], attrs: Attrs) -> tuple[Aval, Attrs]:
    """The same number of elements; one size may be -1."""
    (x,) = avals
    shape = _sizes("reshape", attrs["shape"], least=-1)
    if x.shape == shape:
        return x, {"shape": shape}
    total = element_count(x.shape)
    if -1 not in shape and element_count(shape) == total:
        return Aval(shape, x.dtype), {"shape": shape}
    why = say("reshape of {x} to {shape}", x=x, shape=format_shape(shape))
    if shape.count(-1) > 1:
        raise OptionError(say("{why}: only one size may be -1", why=why))
    if -1 in shape:
        rest = element_count(tuple(dim for dim in shape if dim != -1))
        if rest == 0:
            raise ShapeError(say("{why}: the size for -1 is not determined", why=why))
        found = divide_dim(total, rest, why)
        shape = tuple(found if dim == -1 else dim for dim in shape)
        return Aval(shape, x.dtype), {"shape": shape}
    wanted = element_count(shape)
    exact_pair(total, wanted, "reshape")
    raise ShapeError(
        say("{why}: {total} elements do not make {wanted}", why=why, total=total, wanted=wanted)
    )


def transpose(avals: Sequence[Aval], attrs: Attrs) -> tuple[Aval, Attrs]:
    """Axes permuted; None reverses them."""
    (x,) = avals
    axes = attrs["axes"]
    if axes is None:
        order = tuple(reversed(range(x.ndim)))
    else:
        order = tuple(axis % x.ndim if isinstance(axis, int) and x.ndim else axis for axis in axes)
        if sorted(order) != list(range(x.ndim)):
            raise OptionError(
                say("transpose: {axes} is not an order of the axes of {x}", axes=axes, x=x)
            )
    return Aval(tuple(x.shape[axis] for axis in order), x.dtype), {"axes": order}


def broadcast_to(avals: Sequence[Aval], attrs: Attrs) -> tuple[Aval, Attrs]:
    """Axes of size 1 repeated, axes added in front."""
    (x,) = avals
    shape = _sizes("broadcast_to", attrs["shape"])
    if broadcast_shapes("broadcast_to", x.shape, shape) != shape:
        raise ShapeError(
            say("broadcast_to: {x} does not repeat to {shape}", x=x, shape=format_shape(shape))
        )
    return Aval(shape, x.dtype), {"shape": shape}


def sum_to(avals: Sequence[Aval], attrs: Attrs) -> tuple[Aval, Attrs]:
    """The reverse of broadcast_to."""
    (x,) = avals
    shape = _sizes("sum_to", attrs["shape"])
    if broadcast_shapes("sum_to", x.shape, shape) != x.shape:
        raise ShapeError(
            say("sum_to: {shape} does not repeat to {x}", shape=format_shape(shape), x=x)
        )
    return Aval(shape, x.dtype), {"shape": shape}


def _common(op: str, avals: Sequence[Aval]) -> None:
    if not avals:
        raise OptionError(say("{op} needs at least one operand", op=op))


def concat(avals: Sequence[Aval], attrs: Attrs) -> tuple[Aval, Attrs]:
    """Operands joined along an axis that they have; the other sizes agree."""
    _common("concat", avals)
    first = avals[0]
    if first.ndim == 0:
        raise ShapeError(say("concat needs at least one axis"), hint=say("stack scalars instead"))
    (axis,) = normal_axes("concat", attrs["axis"], first.ndim)
    total: Dim = 0
    for aval in avals:
        rest = [aval.shape[:axis], aval.shape[axis + 1 :]]
        if aval.ndim != first.ndim or rest != [first.shape[:axis], first.shape[axis + 1 :]]:
            listed = ", ".join(str(a) for a in avals)
            raise ShapeError(
                say("concat along axis {axis}: {listed} differ elsewhere", axis=axis, listed=listed)
            )
        total = total + aval.shape[axis]
    shape = (*first.shape[:axis], total, *first.shape[axis + 1 :])
    return Aval(shape, promote("concat", [a.dtype for a in avals])), {"axis": axis}


def stack(avals: Sequence[Aval], attrs: Attrs) -> tuple[Aval, Attrs]:
    """Operands of one shape joined along a new axis."""
    _common("stack", avals)
    first = avals[0]
    if any(aval.shape != first.shape for aval in avals):
        raise ShapeError(
            say("stack: {operands} differ in shape", operands=", ".join(str(a) for a in avals))
        )
    (axis,) = normal_axes("stack", attrs["axis"], first.ndim + 1)
    shape = (*first.shape[:axis], len(avals), *first.shape[axis:])
    return Aval(shape, promote("stack", [a.dtype for a in avals])), {"axis": axis}


def normal_index(index: Any, ndim: int) -> tuple[tuple[Any, ...], ...]:
    """Return an index as Python writes it in canonical form; canonical ones pass through."""
    entries = list(index) if isinstance(index, tuple) else [index]
    if entries and all(isinstance(e, tuple) and e and isinstance(e[0], str) for e in entries):
        return tuple(entries)
    used = sum(entry is not None and entry is not Ellipsis for entry in entries)
    if used > ndim:
        raise ShapeError(say("getitem: {used} indices for {ndim} axes", used=used, ndim=ndim))
    if entries.count(Ellipsis) > 1:
        raise OptionError(say("getitem: only one ... is possible"))
    missing = [slice(None)] * (ndim - used)
    if Ellipsis in entries:
        at = entries.index(Ellipsis)
        entries[at : at + 1] = missing
    else:
        entries.extend(missing)
    return tuple(_index_entry(entry) for entry in entries)


def _index_entry(entry: Any) -> tuple[Any, ...]:
    if entry is None:
        return ("new",)
    if isinstance(entry, slice):
        bounds = (entry.start, entry.stop, entry.step)
        if any(b is not None and (isinstance(b, bool) or not isinstance(b, int)) for b in bounds):
            raise OptionError(say("getitem: the bounds of a slice are whole numbers"))
        if entry.step == 0:
            raise OptionError(say("getitem: the step of a slice cannot be 0"))
        return ("slice", *bounds)
    if isinstance(entry, bool) or not isinstance(entry, int):
        raise OptionError(
            say("getitem: an index is a whole number or a slice, not {entry}", entry=repr(entry))
        )
    return ("int", entry)


def _sliced(dim: Dim, entry: tuple[Any, ...]) -> Dim:
    _, start, stop, step = entry
    if isinstance(dim, int):
        return len(range(*slice(start, stop, step).indices(dim)))
    if start in (None, 0) and stop is None and step in (None, 1, -1):
        return dim
    low = dim.low
    if step in (None, 1) and low is not None and (start or 0) >= 0:
        begin = int(start or 0)
        if stop is None and begin <= low:
            return dim - begin
        if stop is not None and stop < 0 and begin - stop <= low:
            return dim + (int(stop) - begin)
        if stop is not None and begin <= stop <= low:
            return int(stop) - int(begin)
    return exact(dim, say("the slice of an axis of size {dim}", dim=dim))


def getitem(avals: Sequence[Aval], attrs: Attrs) -> tuple[Aval, Attrs]:
    """Basic indexing: whole numbers, slices, None and an ellipsis."""
    (x,) = avals
    index = normal_index(attrs["index"], x.ndim)
    return Aval(indexed_shape(x, index), x.dtype), {"index": index}


def indexed_shape(x: Aval, index: tuple[tuple[Any, ...], ...]) -> tuple[Dim, ...]:
    """Return the shape of ``x[index]``; :class:`ShapeError` names an index out of range."""
    shape: list[Dim] = []
    axis = 0
    for entry in index:
        if entry[0] == "new":
            shape.append(1)
            continue
        dim = x.shape[axis]
        if entry[0] == "slice":
            shape.append(_sliced(dim, entry))
        else:
            low = dim.low if isinstance(dim, SymbolicDim) else dim
            if low is None or not -low <= entry[1] < low:
                why = say("index {index} into an axis of size {dim}", index=entry[1], dim=dim)
                size = exact(dim, why)
                raise ShapeError(
                    say(
                        "getitem: index {index} is out of range for {size} entries",
                        index=entry[1], size=size,
                    )
                )  # fmt: skip
        axis += 1
    return tuple(shape)


def put(avals: Sequence[Aval], attrs: Attrs) -> tuple[Aval, Attrs]:
    """The reverse of getitem: zeros of ``shape`` with the operand written at ``index``."""
    (x,) = avals
    shape = _sizes("put", attrs["shape"])
    index = normal_index(attrs["index"], len(shape))
    if indexed_shape(Aval(shape, x.dtype), index) != x.shape:
        raise ShapeError(
            say("put: {x} does not fit at that index of {shape}", x=x, shape=format_shape(shape))
        )
    return Aval(shape, x.dtype), {"shape": shape, "index": index}


def take(avals: Sequence[Aval], attrs: Attrs) -> tuple[Aval, Attrs]:
    """Entries of the first axis at int64 positions that are known only at run time."""
    x, index = avals
    if x.ndim == 0:
        raise ShapeError(say("take needs at least one axis, not {x}", x=x))
    if index.dtype != INT64:
        raise DTypeError(say("take: positions are whole numbers (i64), not {index}", index=index))
    return Aval((*index.shape, *x.shape[1:]), x.dtype), attrs


def take_grad(avals: Sequence[Aval], attrs: Attrs) -> tuple[Aval, Attrs]:
    """The reverse of take: zeros of ``shape`` with the operand added at the positions."""
    gradient, index = avals
    shape = _sizes("take_grad", attrs["shape"])
    if gradient.shape != (*index.shape, *shape[1:]):
        raise ShapeError(
            say(
                "take_grad: {gradient} does not fit {shape}",
                gradient=gradient, shape=format_shape(shape),
            )
        )  # fmt: skip
    return Aval(shape, gradient.dtype), {"shape": shape}


def fill(avals: Sequence[Aval], attrs: Attrs) -> tuple[Aval, Attrs]:
    """An array of one repeated number."""
    known = {dtype.name: dtype for dtype in DTYPES}
    if attrs["dtype"] not in known:
        raise DTypeError(
            say("fill: there is no element type {dtype}", dtype=attrs["dtype"]),
            hint=say("use {known}", known=", ".join(known)),
        )
    value = attrs["value"]
    if not isinstance(value, (bool, int, float)):
        raise OptionError(say("fill: the value is a number, not {value}", value=repr(value)))
    shape = _sizes("fill", attrs["shape"])
    return Aval(shape, known[attrs["dtype"]]), {**attrs, "shape": shape}


def dim(avals: Sequence[Aval], attrs: Attrs) -> tuple[Aval, Attrs]:
    """What was computed from sizes as a number: float64 unless ``dtype`` says int64."""
    size = attrs["size"]
    _whole("dim", size)
    dtype = INT64 if attrs["dtype"] == "int64" else FLOAT64
    return Aval((), dtype), {"size": size, "dtype": dtype.name}


def placeholder(avals: Sequence[Aval], attrs: Attrs) -> tuple[Aval, Attrs]:
    """The aval is an option."""
    return attrs["aval"], attrs


def const(avals: Sequence[Aval], attrs: Attrs) -> tuple[Aval, Attrs]:
    """The aval of the array held."""
    return aval_of(attrs["value"].array), attrs


def pick(avals: Sequence[AnyAval], attrs: Attrs) -> tuple[AnyAval, Attrs]:
    """One of several results."""
    (several,) = avals
    if not isinstance(several, TupleAval) or not 0 <= attrs["index"] < len(several.items):
        raise OptionError(
            say(
                "pick: there is no result {index} in {several}",
                index=attrs["index"], several=several,
            )
        )  # fmt: skip
    return several.items[attrs["index"]], attrs


def printing(avals: Sequence[Aval], attrs: Attrs) -> tuple[Aval, Attrs]:
    """Nothing to compute with: one False that stands for the effect."""
    return Aval((), BOOL), {"parts": tuple(attrs["parts"])}
