"""Owns the eager ``Tensor``: operators that compute at once and record how.

A tensor made from others remembers its op and its parents; that chain is the tape. Ids count
up in the order of creation, which is a topological order, so the backward needs no sorting of
dependencies. ``no_grad`` switches recording off. The arithmetic operators are written out for
speed: between plain float64 tensors they go straight to the ufunc; everything else, and every
error, takes the general path, ``compute``.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from ..foreign import foreign
from ..wording import say
from . import tape
from .arrays import value_aval
from .avals import FLOAT64, DType, TupleAval, as_array
from .build import CAREFUL, DRAWING, lift
from .errors import DTypeError, NotDifferentiableError, OptionError, ShapeError
from .interp import Interpreter
from .notes import IN_PLACE, Indexed, Notes, check_write, note
from .operators import Operators
from .ops import Array, Op, get_op, infer
from .recording import STATE
from .recording import no_grad as no_grad
from .vjps_shape import vector_matrix

_ids = itertools.count(1)
_LEAF = say("leaf")
_Method: TypeAlias = "Callable[[Any, Any], Tensor]"


def _binary(
    op: Op, ufunc: Callable[[Array, Array], Any], otherwise: _Method | None = None
) -> _Method:
    """Return the method of a binary op, written out for plain float64 tensors.

    Everything else, errors included, takes the general path ``apply``. ``CAREFUL`` is 0
    unless some thread is drawing an arm or inside ``no_grad``. What is not a vector and a
    matrix of one element type goes to ``otherwise`` if that is given.
    """
    name, new, array, ids = op.name, object.__new__, np.ndarray, _ids
    careful, float64 = CAREFUL, FLOAT64
    attrs = op.options  # the defaults are in canonical form for every op made here

    def method(self: Tensor, other: Any) -> Tensor:
        if type(other) is not Tensor or careful[0]:
            return self.apply(name, self, other)
        x, y = self.value, other.value
        if otherwise is not None and (x.ndim != 1 or y.ndim != 2 or x.dtype is not y.dtype):
            return otherwise(self, other)
        try:
            value = ufunc(x, y)
        except (ValueError, TypeError):
            return self.apply(name, self, other)
        if type(value) is not array:
            value = np.asarray(value)
        if value.dtype is not float64:
            return self.apply(name, self, other)
        if not (self.requires_grad or other.requires_grad):
            return make(value)
        result: Tensor = new(Tensor)
        result.value = value
        result.id = next(ids)
        result.op = op
        result.attrs = attrs
        result.parents = (self, other)
        result.requires_grad = True
        return result

    return method


def _unary(name: str, ufunc: Callable[[Array], Any]) -> Callable[[Any], Tensor]:
    """Return the method of a unary op, written out for plain float64 tensors."""
    op, new, array, ids = get_op(name), object.__new__, np.ndarray, _ids
    attrs = op.options  # the defaults are in canonical form for every op made here

    def method(self: Tensor) -> Tensor:
        operand = self.value
        if operand.dtype is not FLOAT64 or CAREFUL[0]:
            return self.apply(name, self)
        value = ufunc(operand)
        if type(value) is not array:
            value = np.asarray(value)
        if not self.requires_grad:
            return make(value)
        result: Tensor = new(Tensor)
        result.value = value
        result.id = next(ids)
        result.op = op
        result.attrs = attrs
        result.parents = (self,)
        result.requires_grad = True
        return result

    return method


#: matmul of a vector and a matrix: the tape need not ask again which case of the rule it is
_CELL_STEP = replace(get_op("matmul"), vjp=vector_matrix)
_SUM = get_op("sum")
_SUM_ALL: tuple[dict[str, Any], ...] = tuple(
    {"axis": tuple(range(ndim)), "keepdims": False} for ndim in range(5)
)


def _dot(x: Array, y: Array) -> Any:
    """The product of vectors and matrices; TypeError sends other shapes the general way."""
    if 0 < x.ndim <= 2 and 0 < y.ndim <= 2:
        return x.dot(y)
    raise TypeError


class Tensor(Operators):
    """An array with a gradient and, unless it is a leaf, the op and parents it came from.

    ``Tensor(data)`` copies ``data``; ``requires_grad`` makes it a leaf of the tape. Equality
    is identity; compare elements with ``x.equal(y)``.
    """

    __slots__ = (
        "__weakref__", "_grad", "_notes", "attrs", "id", "op", "parents", "requires_grad",
        "value",
    )  # fmt: skip
    value: Any
    id: int
    op: Op | None
    parents: tuple[Tensor, ...] | None
    _grad: Array | None
    _notes: Notes
    attrs: Mapping[str, Any]
    requires_grad: bool

    name = note("name")
    builder = note("builder")
    number = note("number")
    line = note("line")
    column = note("column")
    first_written = note("first_written")
    written = note("written")
    writer = note("writer")

    def __init__(self, data: Any, requires_grad: bool = False, name: str = "") -> None:
        self.value = as_array(data)
        self.id = next(_ids)
        self.op = None
        self.parents = ()
        self.requires_grad = requires_grad
        if requires_grad and self.value.dtype.kind != "f":
            raise NotDifferentiableError(
                say("only floats have a gradient, not {dtype}", dtype=self.value.dtype.name)
            )
        if name:
            self.name = name

    @property
    def grad(self) -> Array | None:
        """The gradient that backward calls have added up so far, on a leaf."""
        try:
            return self._grad
        except AttributeError:
            return None

    @grad.setter
    def grad(self, value: Array | None) -> None:
        self._grad = value

    def apply(self, op: str, *operands: Any, **options: Any) -> Tensor:
        """Apply an op in the arm being drawn, else in the run of an operand."""
        if DRAWING.stack:
            inner: Tensor = DRAWING.stack[-1].call(op, *operands, **options)
            return inner
        for operand in operands:
            if type(operand) is RunTensor:
                made: Tensor = operand.apply(op, *operands, **options)
                return made
        record = get_op(op)
        return compute(record, as_tensors(record.name, operands), options)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape."""
        shape: tuple[int, ...] = self.value.shape
        return shape

    @property
    def dtype(self) -> DType:
        """The element type."""
        dtype: DType = self.value.dtype
        return dtype

    def numpy(self) -> Array:
        """Return the value as a read-only view."""
        view: Array = self.value.view()
        view.flags.writeable = False
        return view

    def item(self) -> float | int | bool:
        """Return the only element as a Python number."""
        if self.value.size != 1:
            raise ShapeError(say("item() needs one element, not {size}", size=self.value.size))
        result: float | int | bool = self.value.item()
        return result

    def __bool__(self) -> bool:
        return bool(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __float__(self) -> float:
        return float(self.item())

    def __len__(self) -> int:
        if not self.value.ndim:
            raise ShapeError(say("a tensor without axes has no length"))
        return len(self.value)

    def __iter__(self) -> Iterator[Tensor]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        made = f", from {self.op.name}" if self.op is not None else ""
        return f"Tensor({self.value.tolist()}{made})"

    def detach(self) -> Tensor:
        """Return a leaf with a copy of the value that requires no gradient."""
        return make(self.value.copy())

    def describe(self) -> str:
        """Return how messages name it: name or op, and the line where known."""
        kind = self.op.name if self.op is not None else _LEAF
        named = say("the result of {op}", op=kind)
        if self.name:
            named = say("{name} ({op})", name=self.name, op=kind)
        return say("{value} at line {line}", value=named, line=self.line) if self.line else named

    def assign(self, data: Any, index: Any = ..., writer: object = "") -> None:
        """Write into the value in place; ``writer`` names the write in later messages.

        Refused while recording on a leaf that requires a gradient, and of a value that does. A
        value on the tape is written all the same; a backward that this would make wrong raises
        :class:`InplaceError`, naming this write and the op that had saved the value.
        """
        if STATE.recording:
            check_write(self, data)
        source = data.value if isinstance(data, Tensor) else as_array(data)
        if source.dtype.kind == "f" and self.value.dtype.kind != "f":
            raise DTypeError(
                say("floats do not fit into a tensor of {dtype}", dtype=self.value.dtype.name)
            )
        try:
            self.value[index] = source
        except (ValueError, IndexError) as error:
            raise ShapeError(say("in-place write: {error}", error=foreign(str(error)))) from None
        self.written = next(_ids)
        self.first_written = self.first_written or self.written
        self.writer = writer or IN_PLACE
        tape.note_write(self.written)

    def __setitem__(self, index: Any, data: Any) -> None:
        self.assign(data, index, Indexed(index))

    def backward(self, gradient: Any = None, *, retain_graph: bool = False) -> None:
        """Add the gradient of this tensor (of its sum) to ``grad`` of every leaf.

        The saved values are freed unless ``retain_graph``; a second backward through freed
        values raises :class:`FreedError`.
        """
        tape.backward((self,), (gradient,), retain_graph)

    # Written out for speed; the rest of the operators come from Operators.

    def sum(self, axis: Any = None, keepdims: bool = False) -> Tensor:
        """Return the sum over ``axis`` (all axes when None)."""
        plain = type(self) is Tensor and self.value.dtype is FLOAT64 and not CAREFUL[0]
        if axis is not None or keepdims or not plain or self.value.ndim >= len(_SUM_ALL):
            return self.apply("sum", self, axis=axis, keepdims=keepdims)
        attrs = _SUM_ALL[self.value.ndim]
        result = make(np.asarray(np.add.reduce(self.value, axis=attrs["axis"])))
        if self.requires_grad:
            result.op = _SUM
            result.attrs = attrs
            result.parents = (self,)
            result.requires_grad = True
        return result

    __add__ = _binary(get_op("add"), np.add)
    __sub__ = _binary(get_op("sub"), np.subtract)
    __mul__ = _binary(get_op("mul"), np.multiply)
    __truediv__ = _binary(get_op("div"), np.true_divide)
    __matmul__ = _binary(_CELL_STEP, np.ndarray.dot, _binary(get_op("matmul"), _dot))
    __neg__ = _unary("neg", np.negative)
    exp = _unary("exp", np.exp)
    log = _unary("log", np.log)
    sqrt = _unary("sqrt", np.sqrt)
    sin = _unary("sin", np.sin)
    cos = _unary("cos", np.cos)
    tanh = _unary("tanh", np.tanh)


class RunTensor(Tensor):
    """A tensor of an ``EagerBuilder``'s run: every operator goes through that builder."""

    __slots__ = ()

    def apply(self, op: str, *operands: Any, **options: Any) -> Any:
        """Apply an op in the arm being drawn, else in the builder of the run."""
        builder = DRAWING.stack[-1] if DRAWING.stack else self.builder
        return builder.call(op, *operands, **options)

    __add__, __sub__, __mul__ = Operators.__add__, Operators.__sub__, Operators.__mul__
    __truediv__, __matmul__ = Operators.__truediv__, Operators.__matmul__
    __neg__, exp, log, sqrt = Operators.__neg__, Operators.exp, Operators.log, Operators.sqrt
    sin, cos, tanh = Operators.sin, Operators.cos, Operators.tanh


def make(value: Any) -> Tensor:
    """Return a tensor around an array without copying it; not a leaf of the tape."""
    tensor: Tensor = object.__new__(Tensor)
    tensor.value = value
    tensor.id = next(_ids)
    tensor.op = None
    tensor.parents = ()
    tensor.requires_grad = False
    return tensor


def as_tensors(op: str, operands: Sequence[Any]) -> list[Tensor]:
    """Return operands as tensors; a Python number takes the element type beside it."""
    if all(isinstance(operand, Tensor) for operand in operands):
        return list(operands)
    dtypes: list[DType | None] = []
    values: list[Any] = []
    for operand in operands:
        if isinstance(operand, (bool, int, float)):
            values.append(operand)
            dtypes.append(None)
            continue
        if not isinstance(operand, Tensor):
            if not isinstance(operand, (np.ndarray, np.generic, list)):
                raise OptionError(
                    say(
                        "{op}: {kind} is not a tensor or number", op=op, kind=type(operand).__name__
                    )
                )
            operand = make(as_array(operand))
        values.append(operand)
        dtypes.append(FLOAT64 if isinstance(operand.value, tuple) else operand.value.dtype)
    lifted = lift(op, values, dtypes)
    return [
        value if array is None else make(array) for value, array in zip(values, lifted, strict=True)
    ]


def compute(
    op: Op,
    operands: Sequence[Tensor],
    options: Mapping[str, Any],
    interpreter: Interpreter | None = None,
) -> Tensor:
    """Apply ``op`` at once and record it; the general path of every op.

    Raises the errors of :func:`~.ops.infer`. Kernels of ``cond`` and ``while_loop`` run in
    ``interpreter``, or in one of their own.
    """
    aval, attrs = infer(op, [value_aval(t.value) for t in operands], options)
    needed = (
        STATE.recording
        and op.vjp is not None
        and (isinstance(aval, TupleAval) or aval.dtype.kind == "f")
        and any(t.requires_grad for t in operands)
    )
    values = [t.value for t in operands]
    if op.control is not None:
        if needed and "save" in op.options:
            attrs = {**attrs, "save": True}
        value = op.control(interpreter or Interpreter(), values, attrs)
    else:
        assert op.kernel is not None
        value = op.kernel(*values, **attrs)
        if isinstance(value, np.generic):
            value = np.asarray(value)
    tensor = make(value)
    tensor.op = op
    tensor.attrs = attrs
    if needed:
        tensor.parents = tuple(operands)
        tensor.requires_grad = True
    return tensor
