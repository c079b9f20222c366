"""Owns values written as text: ``--feed``, ``--call``, default inputs, top-level constants.

A bare number or list is a float64 tensor, which can be differentiated; ``int(6)`` is a Python
whole number; ``float32([...])``, ``int64([...])`` and ``bool([...])`` set the element type;
``randn(3, 4)``, ``zeros(3)`` and ``ones(3)`` make arrays. The text is parsed, never evaluated.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

import numpy as np

from ..foreign import foreign
from ..wording import say
from .avals import BOOL, FLOAT32, FLOAT64, INT64, DType
from .errors import GraphError
from .lang_budget import DEFAULT_BUDGET, MOST_AXES, Budget
from .lang_names import CONSTANTS
from .lang_numbers import arithmetic
from .lang_parse import Source, check_literal, parse
from .lang_refusal import Place, Refusal

#: A value that a program takes: an array (a tensor) or a Python number.
Feed: TypeAlias = "np.ndarray[Any, DType] | bool | int | float"

_CASTS: dict[str, DType] = {
    "float64": FLOAT64, "array": FLOAT64, "float32": FLOAT32, "int64": INT64, "bool": BOOL,
}  # fmt: skip
_FILLS: dict[str, float] = {"zeros": 0.0, "ones": 1.0}
_OPERATORS = {"Add": "add", "Sub": "sub", "Mult": "mul", "Div": "div", "Pow": "pow"}

_FORMS = say("write x=2, x=[1, 2], k=int(3), x=int64([1, 2]), x=float32([1]), x=randn(3, 4)")

_SMALLER = say("use smaller arrays")


class ValueReader:
    """Turns syntax into values; ``seed`` starts the one stream that ``randn`` draws from."""

    def __init__(self, source: Source, seed: int = 0, budget: Budget = DEFAULT_BUDGET) -> None:
        self.source = source
        self.budget = budget
        self.random = np.random.default_rng(seed)
        self.bytes = 0

    def feed(self, node: ast.expr) -> Feed:
        """Return a value by the rule of feeds: bare numbers and lists are float64 tensors."""
        value = self.value(node)
        python = isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("int", "float")
        if python or (isinstance(node, ast.Constant) and isinstance(node.value, bool)):
            return value
        if isinstance(value, np.ndarray):
            return value
        return np.asarray(value, dtype=FLOAT64)

    def value(self, node: ast.expr) -> Feed:
        """Return a value; a number stays a Python number, a list becomes a float64 array."""
        if isinstance(node, ast.Constant) and isinstance(node.value, (bool, int, float)):
            check_literal(self.source, node)
            return node.value
        if isinstance(node, (ast.List, ast.Tuple)):
            return self.array(node, FLOAT64)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
            operand = self.value(node.operand)
            return -operand if isinstance(node.op, ast.USub) else operand
        if isinstance(node, ast.BinOp) and type(node.op).__name__ in _OPERATORS:
            return self.combine(node)
        if isinstance(node, ast.Name) and node.id in CONSTANTS:
            return CONSTANTS[node.id]
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
            return self.call(node, node.func.id)
        shown = self.source.segment(node)
        raise self.refuse(
            node,
            say("{shown} is not a value", shown=shown),
            say("values are numbers, lists and a few makers"),
        )

    def combine(self, node: ast.BinOp) -> Feed:
        """Return arithmetic on numbers and arrays of values."""
        left, right = self.value(node.left), self.value(node.right)
        name = _OPERATORS[type(node.op).__name__]
        try:
            if not isinstance(left, np.ndarray) and not isinstance(right, np.ndarray):
                result: Feed = arithmetic(name, left, right)
                return result
            ufunc = {"add": np.add, "sub": np.subtract, "mul": np.multiply,
                     "div": np.true_divide, "pow": np.power}[name]  # fmt: skip
            shape = np.broadcast_shapes(np.shape(left), np.shape(right))
            self.check_shape(node, shape)
            with np.errstate(all="ignore"):
                return np.ascontiguousarray(ufunc(left, right)).reshape(shape)
        except Refusal:
            raise
        except GraphError as error:
            raise self.refuse(node, str(error), say("the value cannot be computed")) from None
        except ValueError as error:
            raise self.refuse(
                node,
                say("the shapes do not fit: {error}", error=foreign(str(error))),
                say("arrays broadcast"),
            ) from None

    def call(self, node: ast.Call, name: str) -> Feed:
        """Return what a maker makes."""
        if name in ("randn", *_FILLS):
            shape = tuple(self.size(argument) for argument in node.args)
            self.check_shape(node, shape)
            if name == "randn":
                return np.asarray(self.random.standard_normal(shape))
            return np.full(shape, _FILLS[name])
        if len(node.args) != 1 or name not in ("int", "float", *_CASTS):
            raise self.refuse(
                node, say("{name}(...) is not a value", name=name), say("it is none of the makers")
            )
        if name in _CASTS:
            return self.array(node.args[0], _CASTS[name])
        value = self.value(node.args[0])
        if isinstance(value, np.ndarray) or value != value or abs(value) == float("inf"):
            if name == "float" and not isinstance(value, np.ndarray):
                return value
            raise self.refuse(
                node, say("{name}() takes one finite number", name=name), say("it makes a number")
            )
        if name == "int" and value != int(value):
            raise self.refuse(
                node, say("int({value}) is not whole", value=value), say("int is for whole numbers")
            )
        return int(value) if name == "int" else float(value)

    def size(self, node: ast.expr) -> int:
        """Return one size of a shape."""
        value = self.value(node)
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise self.refuse(
                node,
                say("{text} is not a size", text=self.source.segment(node)),
                say("sizes are whole numbers from 0"),
            )
        return value

    def check_shape(self, node: ast.expr, shape: tuple[int, ...]) -> None:
        """Refuse an array that is larger than the budget, before it is made.

        A size of 0 counts as 1: numpy refuses sizes that are huge beside it.
        """
        total = 1
        for size in shape:
            total *= max(size, 1)
        if len(shape) > MOST_AXES:
            raise self.refuse(
                node,
                say("an array of {count:,} axes is too large", count=len(shape)),
                say("the budget is {most} axes", most=MOST_AXES),
                _SMALLER,
            )
        if total > self.budget.elements:
            raise self.refuse(
                node,
                say("an array of {total:,} elements is too large", total=total),
                say("the budget is {elements:,} elements", elements=self.budget.elements),
                _SMALLER,
            )
        self.bytes += 8 * total
        if self.bytes > self.budget.bytes:
            raise self.refuse(
                node,
                say("all arrays together are too large"),
                say("the budget is {bytes:,} bytes", bytes=self.budget.bytes),
                _SMALLER,
            )

    def array(self, node: ast.expr, dtype: DType) -> Feed:
        """Return nested lists, or another value, as an array of one element type."""
        nested = self.nested(node, [0])
        try:
            array = np.array(nested)
        except ValueError:
            raise self.refuse(
                node, say("the rows of a list differ in length"), say("a tensor is rectangular")
            ) from None
        if array.dtype.kind not in "biuf":
            raise self.refuse(
                node, say("a number in a list is too large"), say("arrays hold 64 bits")
            )
        if dtype == INT64 and array.dtype.kind == "f" and array.size and (array % 1 != 0).any():
            raise self.refuse(
                node, say("int64 takes whole numbers"), say("a fraction would be lost")
            )
        return np.ascontiguousarray(array.astype(dtype)).reshape(array.shape)

    def nested(self, node: ast.expr, listed: list[int], depth: int = 0) -> Any:
        """Return nested lists of numbers; ``listed`` counts the entries of arrays in them."""
        if isinstance(node, (ast.List, ast.Tuple)):
            if depth >= MOST_AXES:
                raise self.refuse(
                    node,
                    say("lists nest more than {most} deep", most=MOST_AXES),
                    say("arrays have few axes"),
                )
            return [self.nested(item, listed, depth + 1) for item in node.elts]
        value = self.value(node)
        if not isinstance(value, np.ndarray):
            return value
        listed[0] += value.size
        self.check_shape(node, (listed[0],))
        return value.tolist()

    def refuse(self, node: ast.AST, what: str, why: str, hint: str = _FORMS) -> Refusal:
        """Return a refusal at a node."""
        return Refusal(self.source.place(node), what, why, hint)


def read_feeds(
    texts: Iterable[str], seed: int = 0, budget: Budget = DEFAULT_BUDGET
) -> dict[str, Feed]:
    """Read assignments such as ``a=2`` or ``x=[1, 2]; k=int(3)`` into values by name.

    :class:`Refusal` says what is not an assignment or not a value; a name given twice too.
    """
    found: dict[str, Feed] = {}
    for text in texts:
        source = Source(text.strip(), "feed")
        reader = ValueReader(source, seed, budget)
        for statement in parse(source, budget).body:
            name, node = _assignment(source, statement)
            if name in found:
                raise Refusal(
                    source.place(statement),
                    say("{name} is given twice", name=name),
                    say("each input has one value"),
                    say("leave one out"),
                )
            found[name] = reader.feed(node)
    return found


def _assignment(source: Source, statement: ast.stmt) -> tuple[str, ast.expr]:
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
        if isinstance(target, ast.Name):
            return target.id, statement.value
    raise Refusal(
        source.place(statement),
        say("{text} is not NAME=VALUE", text=source.segment(statement)),
        say("feeds are assignments with ; between"),
        _FORMS,
    )


def bind(parameters: Iterable[str], *layers: Mapping[str, Feed]) -> dict[str, Feed]:
    """Return one value for each parameter, later layers first; Refusal names what is missing."""
    names = dict.fromkeys(parameters)
    merged = {name: value for layer in layers for name, value in layer.items()}
    unknown = [name for name in merged if name not in names]
    if unknown:
        listed = ", ".join(names) or say("none")
        raise Refusal(
            Place(),
            say("the program has no input {name}", name=unknown[0]),
            say("its inputs are: {listed}", listed=listed),
            say("feed one of its inputs"),
        )
    missing = [name for name in names if name not in merged]
    if missing:
        raise Refusal(
            Place(),
            say("the input {name} has no value", name=missing[0]),
            say("it has no default either"),
            say("feed it: --feed {name}=2", name=missing[0]),
        )
    return {name: merged[name] for name in names}


def format_feed(value: Feed) -> str:
    """Return a value as ``--feed`` would take it again."""
    if not isinstance(value, np.ndarray):
        return str(value) if isinstance(value, bool) else f"{type(value).__name__}({value})"
    inside = str(value.tolist())
    if value.dtype == FLOAT64:
        return inside
    return f"{'bool' if value.dtype == BOOL else value.dtype.name}({inside})"
