"""Owns what operators, indexing and attributes mean for each kind of value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..wording import say
from .avals import FLOAT64, INT64, Aval, Dim, Shape, SymbolicDim, element_count, exact
from .build import Builder
from .errors import GraphError, OptionError
from .lang_budget import MOST_AXES, Meter
from .lang_code import Instruction
from .lang_host import Host
from .lang_numbers import arithmetic, compare, known
from .lang_values import (
    LARGEST_VALUE,
    ItemsIterator,
    Iterator,
    RangeValue,
    ZipValue,
    check_nesting,
    is_number,
    is_tensor,
    kind_of,
)
from .ops import get_op, infer

_SIGNS = {
    "add": "+", "sub": "-", "mul": "*", "div": "/", "floordiv": "//", "mod": "%", "pow": "**",
    "matmul": "@", "logical_and": "&", "logical_or": "|", "less": "<", "less_equal": "<=",
    "greater": ">", "greater_equal": ">=",
}  # fmt: skip


class Operations:
    """Applies operators in one mode, counting against the budget."""

    def __init__(self, host: Host, meter: Meter) -> None:
        self.host = host
        self.meter = meter
        self.operands: tuple[Any, ...] = ()  #: of the last op, for messages

    @property
    def builder(self) -> Builder[Any]:
        """The builder of the mode."""
        return self.host.builder

    def aval(self, value: Any) -> Aval:
        """Return what is known of a tensor, of this builder or of one around it."""
        owner = getattr(value, "builder", None) or self.builder
        found: Aval = owner.aval(value)
        return found

    def op(self, name: str, *operands: Any, **options: Any) -> Any:
        """Apply an op; sizes become numbers of the graph, lists of numbers constants."""
        self.operands = operands
        self.meter.op()
        values = [self.operand(name, value, operands) for value in operands]
        self.check_size(name, values, options)
        return self.builder.call(name, *values, **options)

    def operand(self, name: str, value: Any, beside: Sequence[Any]) -> Any:
        """Return a value as an operand of an op."""
        if is_tensor(value):
            return self.host.adopt(value)
        if isinstance(value, (bool, int, float)):
            return value
        if isinstance(value, SymbolicDim):
            types = [self.aval(other).dtype for other in beside if is_tensor(other)]
            dtype = types[0] if types and types[0].kind in "fi" else INT64
            size = self.builder.call("dim", size=value, dtype="int64")
            return size if dtype == INT64 else self.builder.call("cast", size, dtype=dtype.name)
        if isinstance(value, (list, tuple)):
            return self.tensor_of(value)
        raise OptionError(say("{name} does not take {value}", name=name, value=kind_of(value)))

    def tensor_of(self, value: Any) -> Any:
        """Return nested lists of numbers and tensors as a tensor, whole numbers as floats."""
        if is_tensor(value):
            return value
        if not _holds_tensor(value):
            array = np.asarray(_plain_list(value))
            if array.dtype.kind not in "biuf":
                raise OptionError(say("{value} of this kind is not a tensor", value=kind_of(value)))
            self.meter.array(array.size, array.nbytes)
            return self.builder.const(array if array.dtype.kind == "b" else array.astype(FLOAT64))
        return self.op("stack", *(self.tensor_of(item) for item in value))

    def check_size(self, name: str, values: Sequence[Any], options: dict[str, Any]) -> None:
        """Count the bytes of a result against the budget, before it is made."""
        op = get_op(name)
        if op.control is not None:
            return
        avals = [self.aval(value) if is_tensor(value) else Aval((), FLOAT64) for value in values]
        shapes = {aval.shape for aval in avals if aval.shape}
        if op.elementwise and len(shapes) < 2:  # the usual case needs no shape rule
            size = element_count_or_zero(shapes.pop()) if shapes else 1
            self.meter.array(size, 8 * size)
            return
        aval, _ = infer(op, avals, options)
        assert isinstance(aval, Aval)
        if aval.ndim > MOST_AXES:
            raise OptionError(
                say("{name} gives more than {most} axes", name=name, most=MOST_AXES),
                hint=say("use fewer axes"),
            )
        size = element_count_or_zero(aval.shape)
        self.meter.array(size, size * aval.dtype.itemsize)

    # -- operators ----------------------------------------------------------------------

    def binary(self, name: str, left: Any, right: Any) -> Any:
        """Return ``left op right``; ``grow`` is the ``+`` of ``+=``."""
        if name == "grow":
            if isinstance(left, list):
                raise OptionError(
                    say("+= would change the list in place"),
                    hint=say("write xs = xs + [x], or xs.append(x)"),
                )
            name = "add"
        if isinstance(left, str) or isinstance(right, str):
            raise OptionError(
                say("{sign} does not take text", sign=_SIGNS.get(name, name)),
                hint=say("print takes several values: print('s =', s)"),
            )
        if is_tensor(left) or is_tensor(right):
            return self.op(name, left, right)
        if is_number(left) and is_number(right):
            if name == "matmul":
                raise OptionError(say("@ multiplies tensors, not numbers"))
            return arithmetic(name, left, right)
        if name == "add" and type(left) is type(right) and isinstance(left, (list, tuple)):
            if len(left) + len(right) > LARGEST_VALUE:
                raise OptionError(say("a list holds at most {limit:,} items", limit=LARGEST_VALUE))
            joined = left + right
            check_nesting(joined)
            return joined
        sign = _SIGNS.get(name, name)
        raise OptionError(
            say(
                "{sign} does not join {left} and {right}",
                sign=sign,
                left=kind_of(left),
                right=kind_of(right),
            ),
            hint=say("make a tensor with array([...]) or stack(xs)"),
        )

    def unary(self, name: str, value: Any) -> Any:
        """Return ``-value``, ``+value`` or ``~value``."""
        if is_tensor(value):
            return value if name == "pos" else self.op(name, value)
        if name == "logical_not" and isinstance(value, bool):
            return not value
        if is_number(value) and name != "logical_not":
            return +value if name == "pos" else -value
        raise OptionError(say("this operator does not take {value}", value=kind_of(value)))

    def compare(self, name: str, left: Any, right: Any) -> Any:
        """Return a comparison: a tensor of truth values if one side is a tensor."""
        if name in ("is", "is_not"):
            same = left is right
            if left is not None and right is not None:
                raise OptionError(say("is compares with None only"), hint=say("use == for values"))
            return same if name == "is" else not same
        if left is None or right is None:
            if name in ("equal", "not_equal"):
                return (left is right) == (name == "equal")
        elif is_tensor(left) or is_tensor(right):
            return self.op(name, left, right)
        if is_number(left) and is_number(right):
            return compare(name, left, right)
        if isinstance(left, str) and isinstance(right, str) and name in ("equal", "not_equal"):
            return (left == right) == (name == "equal")
        if isinstance(left, (tuple, list)) and type(left) is type(right):
            return self.compare_items(name, left, right)
        raise OptionError(
            say(
                "{left} and {right} do not compare this way",
                left=kind_of(left),
                right=kind_of(right),
            )
        )

    def compare_items(self, name: str, left: Any, right: Any) -> bool:
        """Compare tuples or lists of numbers, such as shapes, for equality."""
        if name not in ("equal", "not_equal"):
            raise OptionError(say("tuples and lists compare with == and != only"))
        same = len(left) == len(right)
        for one, other in zip(left, right, strict=False):
            found = self.compare("equal", one, other) if same else False
            if is_tensor(found):
                raise OptionError(
                    say("tuples of tensors do not compare"), hint=say("compare their items")
                )
            same = same and found
        return same == (name == "equal")

    def truth(self, value: Any, request: str, ask: Instruction, text: str) -> bool:
        """Return whether a value counts as true, as Python would say."""
        if is_tensor(value):
            return bool(self.host.value(value, request, ask, text))
        if isinstance(value, SymbolicDim):
            return compare("not_equal", value, 0)
        if isinstance(value, (bool, int, float, str, tuple, list, RangeValue)) or value is None:
            return bool(value)
        return True

    # -- parts --------------------------------------------------------------------------

    def subscript(self, value: Any, index: Any, ask: Instruction) -> Any:
        """Return ``value[index]`` of a tensor, tuple, list or range."""
        if is_tensor(value):
            if is_tensor(index):
                return self.op("take", value, index)
            return self.op("getitem", value, index=self.fixed_index(index))
        if isinstance(value, (tuple, list)):
            if is_tensor(index):
                index = self.host.value(index, "index", ask)
            index = self.fixed_index(index)
            if isinstance(index, tuple) or index is None or isinstance(index, bool):
                raise OptionError(
                    say("{value} has one axis", value=kind_of(value)),
                    hint=say("index it with a whole number"),
                )
            try:
                return value[index]
            except IndexError:
                raise OptionError(
                    say(
                        "index {index} is out of range: there are {count} items",
                        index=index,
                        count=len(value),
                    )
                ) from None
            except (TypeError, ValueError):
                raise OptionError(say("{index} is not an index", index=kind_of(index))) from None
        raise OptionError(say("{value} has no items", value=kind_of(value)))

    def fixed_index(self, index: Any) -> Any:
        """Return an index of numbers and slices; sizes in it must be known."""
        if isinstance(index, tuple):
            return tuple(self.fixed_index(item) for item in index)
        if isinstance(index, slice):
            return slice(
                self.fixed_index(index.start),
                self.fixed_index(index.stop),
                self.fixed_index(index.step),
            )
        if is_tensor(index):
            raise OptionError(
                say("a tensor as an index stands alone: x[i]"), hint=say("slice in a second step")
            )
        if index is None or isinstance(index, int):
            return index
        if isinstance(index, SymbolicDim):
            return known(index)
        raise OptionError(
            say("an index is a whole number or a slice, not {index}", index=kind_of(index))
        )

    def attribute(self, value: Any, name: str) -> Any:
        """Return ``.shape``, ``.ndim``, ``.size`` or ``.T`` of a tensor."""
        if not is_tensor(value):
            raise OptionError(
                say("only tensors have .{name}, not {value}", name=name, value=kind_of(value))
            )
        if name == "T":
            return self.op("transpose", value)
        shape = self.aval(value).shape
        if name == "ndim":
            return len(shape)
        return tuple(shape) if name == "shape" else element_count(shape)

    def length(self, value: Any) -> Dim:
        """Return ``len(value)``; a size may be symbolic."""
        if is_tensor(value):
            shape = self.aval(value).shape
            if not shape:
                raise OptionError(say("a tensor without axes has no length"))
            return shape[0]
        if isinstance(value, (tuple, list, str, RangeValue)):
            return len(value)
        raise OptionError(say("{value} has no length", value=kind_of(value)))

    # -- iteration ----------------------------------------------------------------------

    def iterator(self, value: Any) -> Iterator:
        """Return what a loop over ``value`` starts from."""
        if isinstance(value, (RangeValue, ItemsIterator, ZipValue)):
            return value
        if is_tensor(value):
            shape = self.aval(value).shape
            if not shape:
                raise OptionError(
                    say("a tensor without axes cannot be iterated"),
                    hint=say("for a count feed k=int(3) and loop over range(k)"),
                )
            return ItemsIterator(value, 0, exact(shape[0], say("Python iterates over it")))
        if isinstance(value, (tuple, list)):
            return ItemsIterator(tuple(value), 0, len(value))
        raise OptionError(say("{value} cannot be iterated", value=kind_of(value)))

    def advance(self, iterator: Iterator) -> tuple[Any, Iterator] | None:
        """Return the next item and the rest; None at the end."""
        if isinstance(iterator, RangeValue):
            if not len(iterator):
                return None
            rest = RangeValue(iterator.start + iterator.step, iterator.stop, iterator.step)
            return iterator.start, rest
        if isinstance(iterator, ItemsIterator):
            at = iterator.position
            if at >= iterator.count:
                return None
            items = iterator.items
            item = self.op("getitem", items, index=at) if is_tensor(items) else items[at]
            return item, ItemsIterator(items, at + 1, iterator.count)
        found = []
        for part in iterator.parts:
            step = self.advance(part)
            if step is None:
                return None
            found.append(step)
        return tuple(item for item, _ in found), ZipValue(tuple(rest for _, rest in found))


def element_count_or_zero(shape: Shape) -> int:
    """Return the number of elements of a shape, 0 where a size is still a symbol.

    A size of 0 counts as 1: numpy refuses sizes that are huge beside it.
    """
    total = 1
    for dim in shape:
        if isinstance(dim, SymbolicDim):
            return 0
        total *= max(dim, 1)
    return total


def _holds_tensor(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(_holds_tensor(item) for item in value)
    return is_tensor(value)


def _plain_list(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_plain_list(item) for item in value]
    if isinstance(value, SymbolicDim):
        return known(value)
    if isinstance(value, (bool, int, float)):
        return value
    raise GraphError(say("{value} is not a number", value=kind_of(value)))
