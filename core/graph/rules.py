"""Owns the shape and dtype rules of elementwise ops, reductions and normalisations.

A rule takes the avals of the operands and the options with defaults filled in, and returns
the aval of the result with the options in canonical form (axes as sorted non-negative tuples).
Every rule works for symbolic sizes or raises :class:`DimNeeded`.
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
    DType,
    SymbolicDim,
    TripsAval,
    broadcast_shapes,
    exact,
    promote,
)
from .errors import DTypeError, OptionError, ShapeError
from .ops import Attrs, Rule


def arithmetic(name: str, *, floating: bool = False) -> Rule:
    """Return the rule of a broadcasting op on numbers; ``floating`` gives floats from ints."""

    def rule(avals: Sequence[Aval], attrs: Attrs) -> tuple[Aval, Attrs]:
        first = avals[0]
        if first.dtype is FLOAT64 and all(aval == first for aval in avals):
            return first, attrs  # nothing to broadcast or promote: the usual case, and quick
        shape = broadcast_shapes(name, *[aval.shape for aval in avals])
        return Aval(shape, _number_type(name, avals, floating)), attrs

    return rule


_add = arithmetic("add")


def addition(avals: Sequence[Aval], attrs: Attrs) -> tuple[AnyAval, Attrs]:
    """As arithmetic; gradients of the trips of a loop are added trip by trip."""
    if isinstance(avals[0], TripsAval) and avals[0] == avals[1]:
        return avals[0], attrs
    return _add(avals, attrs)


def _number_type(name: str, avals: Sequence[Aval], floating: bool) -> DType:
    dtype = promote(name, [aval.dtype for aval in avals])
    if dtype == BOOL:
        raise DTypeError(
            say("{name} needs numbers, not bool", name=name), hint=say("compare or use where")
        )
    return FLOAT64 if floating and dtype == INT64 else dtype


def comparison(name: str) -> Rule:
    """Return the rule of a broadcasting comparison: bool from numbers."""

    def rule(avals: Sequence[Aval], attrs: Attrs) -> tuple[Aval, Attrs]:
        promote(name, [aval.dtype for aval in avals])
        return Aval(broadcast_shapes(name, *[aval.shape for aval in avals]), BOOL), attrs

    return rule


def logical(name: str) -> Rule:
    """Return the rule of a broadcasting op on bools."""

    def rule(avals: Sequence[Aval], attrs: Attrs) -> tuple[Aval, Attrs]:
        if any(aval.dtype != BOOL for aval in avals):
            raise DTypeError(
                say(
                    "{name} needs bools, not {operands}",
                    name=name,
                    operands=", ".join(str(a) for a in avals),
                )
            )
        return Aval(broadcast_shapes(name, *[aval.shape for aval in avals]), BOOL), attrs

    return rule


def where(avals: Sequence[Aval], attrs: Attrs) -> tuple[Aval, Attrs]:
    """Bool test, two operands of a common type, all broadcast together."""
    if avals[0].dtype != BOOL:
        raise DTypeError(say("where needs a bool test, not {operand}", operand=avals[0]))
    shape = broadcast_shapes("where", *[aval.shape for aval in avals])
    return Aval(shape, promote("where", [aval.dtype for aval in avals[1:]])), attrs


def clip(avals: Sequence[Aval], attrs: Attrs) -> tuple[Aval, Attrs]:
    """Bounds are numbers or None; they take the element type of the operand."""
    (x,) = avals
    dtype = _number_type("clip", avals, False)
    cast = float if dtype.kind == "f" else int
    bounds: Attrs = {}
    for name in ("low", "high"):
        value = attrs[name]
        if value is not None and (isinstance(value, bool) or not isinstance(value, (int, float))):
            raise OptionError(
                say("clip: {name} must be a number, not {value}", name=name, value=repr(value))
            )
        if isinstance(value, float) and cast is int and not value.is_integer():
            raise OptionError(
                say(
                    "clip: {name} {value} is not a whole number, but x is {x}",
                    name=name,
                    value=value,
                    x=x,
                )
            )
        bounds[name] = None if value is None else cast(value)
    if bounds["low"] is None and bounds["high"] is None:
        raise OptionError(say("clip needs low, high or both"))
    return Aval(x.shape, dtype), bounds


def normal_axes(name: str, axis: Any, ndim: int) -> tuple[int, ...]:
    """Return axes as a sorted tuple of non-negative numbers; None means all."""
    if axis is None:
        return tuple(range(ndim))
    listed = axis if isinstance(axis, (tuple, list)) else (axis,)
    found = []
    for number in listed:
        if isinstance(number, bool) or not isinstance(number, int):
            raise OptionError(
                say(
                    "{name}: an axis is a whole number, not {number}",
                    name=name,
                    number=repr(number),
                )
            )
        if not -ndim <= number < ndim:
            raise ShapeError(
                say(
                    "{name}: there is no axis {number} in {ndim} axes",
                    name=name,
                    number=number,
                    ndim=ndim,
                )
            )
        found.append(number % ndim)
    if len(found) != len(dict.fromkeys(found)):
        raise OptionError(say("{name}: an axis is named twice in {axis}", name=name, axis=axis))
    return tuple(sorted(found))


def reduce_shape(shape: tuple[Dim, ...], axes: tuple[int, ...], keepdims: bool) -> tuple[Dim, ...]:
    """Return the shape after a reduction over ``axes``."""
    if keepdims:
        return tuple(1 if i in axes else dim for i, dim in enumerate(shape))
    return tuple(dim for i, dim in enumerate(shape) if i not in axes)


def reduction(name: str) -> Rule:
    """Return the rule of sum, mean or max over axes."""

    def rule(avals: Sequence[Aval], attrs: Attrs) -> tuple[Aval, Attrs]:
        (x,) = avals
        axes = normal_axes(name, attrs["axis"], x.ndim)
        dtype = x.dtype
        if name == "sum" and dtype == BOOL:
            dtype = INT64
        elif dtype == BOOL:
            raise DTypeError(say("{name} needs numbers, not {x}", name=name, x=x))
        elif name == "mean" and dtype == INT64:
            dtype = FLOAT64
        if name == "max" and any(_is_empty(x.shape[i], name) for i in axes):
            raise ShapeError(say("max over no elements: {x}", x=x))
        if not isinstance(attrs["keepdims"], bool):
            raise OptionError(say("{name}: keepdims is True or False", name=name))
        shape = reduce_shape(x.shape, axes, attrs["keepdims"])
        return Aval(shape, dtype), {"axis": axes, "keepdims": attrs["keepdims"]}

    return rule


def _is_empty(dim: Dim, name: str) -> bool:
    """Return whether a size is 0; :class:`DimNeeded` where a symbolic one may be."""
    if isinstance(dim, SymbolicDim) and (dim.low is None or dim.low < 1):
        exact(dim, say("{name} needs an element", name=name))
    return dim == 0


def along_axis(name: str) -> Rule:
    """Return the rule of softmax or layer_norm: same shape, floats, one axis."""

    def rule(avals: Sequence[Aval], attrs: Attrs) -> tuple[Aval, Attrs]:
        (x,) = avals
        if x.ndim == 0:
            raise ShapeError(say("{name} needs at least one axis", name=name))
        axes = normal_axes(name, attrs["axis"], x.ndim)
        if len(axes) != 1:
            raise OptionError(
                say("{name} works along one axis, not {axis}", name=name, axis=attrs["axis"])
            )
        if _is_empty(x.shape[axes[0]], name):
            raise ShapeError(say("{name} over no elements: {x}", name=name, x=x))
        full = {**attrs, "axis": axes[0]}
        if "eps" in full:
            full["eps"] = float(full["eps"])
        return Aval(x.shape, _number_type(name, avals, True)), full

    return rule


def dropout(avals: Sequence[Aval], attrs: Attrs) -> tuple[Aval, Attrs]:
    """Floats; the rate is in [0, 1), the seed a whole number or a name."""
    (x,) = avals
    rate = attrs["rate"]
    if isinstance(rate, bool) or not isinstance(rate, (int, float)) or not 0 <= rate < 1:
        raise OptionError(
            say("dropout: the rate is a number in [0, 1), not {rate}", rate=repr(rate))
        )
    if isinstance(attrs["seed"], bool) or not isinstance(attrs["seed"], (int, str)):
        raise OptionError(
            say(
                "dropout: the seed is a whole number or a name, not {seed}",
                seed=repr(attrs["seed"]),
            )
        )
    return (
        Aval(x.shape, _number_type("dropout", avals, True)),
        {"rate": float(rate), "seed": attrs["seed"]},
    )


def cast(avals: Sequence[Aval], attrs: Attrs) -> tuple[Aval, Attrs]:
    """Any element type to a named one."""
    known = {dtype.name: dtype for dtype in DTYPES}
    if attrs["dtype"] not in known:
        raise DTypeError(
            say("cast: there is no element type {dtype}", dtype=attrs["dtype"]),
            hint=say("use {known}", known=", ".join(known)),
        )
    return Aval(avals[0].shape, known[attrs["dtype"]]), attrs


_OP = say("the op")


def same(avals: Sequence[Aval], attrs: Attrs) -> tuple[Aval, Attrs]:
    """The result is like the operand, numbers only."""
    _number_type(_OP, avals, False)
    return avals[0], attrs
