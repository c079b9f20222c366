"""Owns what is known about a value before it exists: shape, element type, symbolic sizes.

An :class:`Aval` ("abstract value") is a shape and a dtype. A dimension is an ``int`` or a
:class:`SymbolicDim`, a linear expression over named sizes that are known to be at least 2.
Rules that can decide for every such size do; the others raise :class:`DimNeeded`, and the
tracer makes that size exact. The broadcasting rule of the whole engine is here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, TypeAlias

import numpy as np

from ..foreign import foreign
from ..wording import say
from .errors import DimNeeded, DTypeError, ShapeError

DType: TypeAlias = "np.dtype[Any]"

FLOAT64: DType = np.dtype(np.float64)
FLOAT32: DType = np.dtype(np.float32)
INT64: DType = np.dtype(np.int64)
BOOL: DType = np.dtype(np.bool_)

#: The element types that the engine computes with, and their short names in listings.
DTYPES: dict[DType, str] = {FLOAT64: "f64", FLOAT32: "f32", INT64: "i64", BOOL: "bool"}

_COUNT = say("the number of elements")

_NATIVE: dict[DType, DType] = {dtype: dtype for dtype in DTYPES}

#: Every symbol stands for a size of at least this; 0 and 1 are special (broadcasting).
SMALLEST_SYMBOLIC = 2


@dataclass(frozen=True, slots=True)
class SymbolicDim:
    """A size ``offset + sum(coefficient * symbol)``, each symbol standing for a number >= 2."""

    terms: tuple[tuple[str, int], ...]
    offset: int = 0

    @property
    def symbols(self) -> tuple[str, ...]:
        """The names of the symbols in it, sorted."""
        return tuple(name for name, _ in self.terms)

    @property
    def low(self) -> int | None:
        """The smallest value it can take, or None where it has no lower bound."""
        if any(factor < 0 for _, factor in self.terms):
            return None
        return self.offset + sum(factor * SMALLEST_SYMBOLIC for _, factor in self.terms)

    def bind(self, sizes: Mapping[str, int]) -> int:
        """Return the number it stands for under ``sizes`` (KeyError if one is missing)."""
        return self.offset + sum(factor * sizes[name] for name, factor in self.terms)

    def __add__(self, other: Dim) -> Dim:
        factors = dict(self.terms)
        offset = self.offset
        if isinstance(other, SymbolicDim):
            offset += other.offset
            for name, factor in other.terms:
                factors[name] = factors.get(name, 0) + factor
        else:
            offset += other
        terms = tuple(sorted((name, factor) for name, factor in factors.items() if factor))
        return SymbolicDim(terms, offset) if terms else offset

    __radd__ = __add__

    def __mul__(self, other: Dim) -> Dim:
        if isinstance(other, SymbolicDim):
            raise DimNeeded(
                other.symbols, say("the product of {self} and {other}", self=self, other=other)
            )
        if other == 0:
            return 0
        terms = tuple((name, factor * other) for name, factor in self.terms)
        return SymbolicDim(terms, self.offset * other)

    __rmul__ = __mul__

    def __neg__(self) -> Dim:
        return self * -1

    def __sub__(self, other: Dim) -> Dim:
        return self + (-other)

    def __rsub__(self, other: Dim) -> Dim:
        return (-self) + other

    def __str__(self) -> str:
        parts = [name if factor == 1 else f"{factor}*{name}" for name, factor in self.terms]
        if self.offset:
            parts.append(str(self.offset))
        return "+".join(parts).replace("+-", "-")


Dim: TypeAlias = "int | SymbolicDim"
Shape: TypeAlias = "tuple[Dim, ...]"


def symbol(name: str) -> SymbolicDim:
    """Return a fresh size called ``name``, such as ``s0``."""
    return SymbolicDim(((name, 1),))


def exact(dim: Dim, why: str) -> int:
    """Return ``dim`` as a number; raise :class:`DimNeeded` where it is symbolic."""
    if isinstance(dim, SymbolicDim):
        raise DimNeeded(dim.symbols, why)
    return dim


def bind_shape(shape: Shape, sizes: Mapping[str, int]) -> tuple[int, ...]:
    """Return ``shape`` with every symbol replaced by its number."""
    return tuple(d.bind(sizes) if isinstance(d, SymbolicDim) else d for d in shape)


def element_count(shape: Shape) -> Dim:
    """Return the number of elements; raise :class:`DimNeeded` if it is not linear."""
    total: Dim = 1
    for dim in shape:
        total = total * dim
    return total


def divide_dim(total: Dim, part: Dim, why: str) -> Dim:
    """Return ``total / part`` where it is whole, for a -1 in a reshape."""
    if total == part:
        return 1
    number = exact(part, why)
    if isinstance(total, SymbolicDim):
        if number == 0 or total.offset % number or any(f % number for _, f in total.terms):
            raise DimNeeded(total.symbols, why)
        terms = tuple((name, factor // number) for name, factor in total.terms)
        return SymbolicDim(terms, total.offset // number)
    if number == 0 or total % number:
        raise ShapeError(why)
    return total // number


def format_shape(shape: Shape) -> str:
    """Return ``shape`` as Python would write the tuple, symbols by name."""
    inside = ", ".join(str(dim) for dim in shape)
    return f"({inside},)" if len(shape) == 1 else f"({inside})"


@dataclass(frozen=True, slots=True)
class Aval:
    """Shape and element type of one array; written ``f64[3,4]``."""

    shape: Shape
    dtype: DType = FLOAT64

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def symbolic(self) -> bool:
        """Whether a dimension is still a symbol."""
        return any(isinstance(dim, SymbolicDim) for dim in self.shape)

    @property
    def size(self) -> int:
        """Number of elements; :class:`DimNeeded` when symbolic."""
        return math.prod(exact(dim, _COUNT) for dim in self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes of the array; :class:`DimNeeded` when symbolic."""
        return self.size * self.dtype.itemsize

    def bind(self, sizes: Mapping[str, int]) -> Aval:
        """Return the aval with every symbol replaced by its number."""
        return Aval(bind_shape(self.shape, sizes), self.dtype) if self.symbolic else self

    def __str__(self) -> str:
        return f"{DTYPES[self.dtype]}[{','.join(str(dim) for dim in self.shape)}]"


@dataclass(frozen=True, slots=True)
class TupleAval:
    """What is known about the several results of a ``cond`` or ``while_loop``."""

    items: tuple[Aval | TripsAval, ...]

    def bind(self, sizes: Mapping[str, int]) -> TupleAval:
        """Return the avals with every symbol replaced by its number."""
        return TupleAval(tuple(item.bind(sizes) for item in self.items))

    @property
    def nbytes(self) -> int:
        """Bytes of all items together."""
        return sum(item.nbytes for item in self.items)

    def __str__(self) -> str:
        return f"({', '.join(str(item) for item in self.items)})"


@dataclass(frozen=True, slots=True)
class TripsAval:
    """What is known about one value of every trip of a loop: what each is, not how many."""

    item: Aval

    @property
    def shape(self) -> Shape:
        """The shape of one trip."""
        return self.item.shape

    @property
    def dtype(self) -> DType:
        """The element type of each trip."""
        return self.item.dtype

    @property
    def size(self) -> int:
        """Number of elements of one trip."""
        return self.item.size

    @property
    def nbytes(self) -> int:
        """0: only a run knows how many trips there are, and counts them."""
        return 0

    def bind(self, sizes: Mapping[str, int]) -> TripsAval:
        """Return the aval with every symbol replaced by its number."""
        return TripsAval(self.item.bind(sizes))

    def __str__(self) -> str:
        return f"{self.item} per trip"


AnyAval: TypeAlias = "Aval | TupleAval | TripsAval"


def _and(first: str, second: str) -> str:
    return say("{first} and {second}", first=first, second=second)


def broadcast_dims(op: str, dims: Sequence[Dim], shapes: Sequence[Shape]) -> Dim:
    """Return the common size of one axis under numpy's rule, decided for symbols as well."""
    kept = [dim for dim in dims if dim != 1]
    if not kept:
        return 1
    first = kept[0]
    for dim in kept[1:]:
        if dim == first:
            continue
        named = [d for d in (first, dim) if isinstance(d, SymbolicDim)]
        if named:
            symbols = tuple(sorted({name for d in named for name in d.symbols}))
            raise DimNeeded(
                symbols,
                say("{op} compares the sizes {first} and {dim}", op=op, first=first, dim=dim),
            )
        listed = reduce(_and, (format_shape(shape) for shape in shapes))
        raise ShapeError(
            say(
                "{op}: shapes {listed} do not broadcast ({first} against {dim})",
                op=op,
                listed=listed,
                first=first,
                dim=dim,
            )
        )
    return first


def broadcast_shapes(op: str, *shapes: Shape) -> Shape:
    """Return the broadcast of ``shapes``; :class:`ShapeError` names ``op`` and the shapes."""
    if all(shape == shapes[0] for shape in shapes[1:]):
        return shapes[0]
    ndim = max(len(shape) for shape in shapes)
    padded = [(1,) * (ndim - len(shape)) + tuple(shape) for shape in shapes]
    return tuple(
        broadcast_dims(op, [shape[axis] for shape in padded], shapes) for axis in range(ndim)
    )


def promote(op: str, dtypes: Sequence[DType]) -> DType:
    """Return the common dtype; int64 with float32 gives float64, as numpy says."""
    result = np.result_type(*dtypes)
    if result not in DTYPES:
        raise DTypeError(
            say(
                "{op}: element type {result} is not one of {known}",
                op=op,
                result=result,
                known=", ".join(DTYPES.values()),
            )
        )
    return result


def as_array(value: object) -> np.ndarray[Any, DType]:
    """Return a C-contiguous array of a supported dtype that shares nothing with ``value``.

    A Python float becomes float64, an int int64, a bool bool; nested lists follow numpy.
    :class:`DTypeError` for any other element type, text and objects included.
    """
    try:
        array = np.array(value, order="C")
    except ValueError as error:
        raise ShapeError(
            say("not a rectangular array of numbers: {error}", error=foreign(str(error)))
        ) from None
    native = _NATIVE.get(array.dtype.newbyteorder("="))
    if native is not None:
        # One dtype object for each type: fast paths compare by identity.
        return array if array.dtype is native else array.astype(native)
    if array.dtype.kind == "u" and array.size and int(array.max()) > np.iinfo(np.int64).max:
        raise DTypeError(
            say("the whole number {number} does not fit into 64 bits", number=int(array.max()))
        )
    if array.size == 0 or array.dtype.kind in "iu":
        return array.astype(INT64 if array.dtype.kind in "iu" else FLOAT64)
    raise DTypeError(
        say(
            "element type {dtype} is not one of {known}",
            dtype=array.dtype,
            known=", ".join(DTYPES.values()),
        )
    )


def aval_of(array: np.ndarray[Any, DType]) -> Aval:
    """Return the aval of an array."""
    return Aval(array.shape, array.dtype)
