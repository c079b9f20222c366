"""Owns the builder of static graphs: placeholders, nodes, subgraphs; nothing is computed here.

``GraphBuilder`` draws; ``finish`` makes the immutable :class:`~.ir.Graph`. Capture draws with
the same class, giving placeholders symbolic sizes. A ``Sym`` stands for a value that has none
yet: asking Python for its truth or its number raises :class:`DataDependentError`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np

from .avals import BOOL, FLOAT64, AnyAval, Aval, DType, Shape, TupleAval, as_array
from .build import DRAWING, Branch, Builder, drawing, lift
from .errors import DataDependentError, DefinitionError, OptionError, ShapeError
from .events import Named, NodeCreated, Observer, constant_text
from .ir import Constant, Graph, Node, Origin, make_attrs
from .operators import Operators
from .ops import Op, get_op, infer


class Sym(Operators):
    """A value of a graph being drawn: its builder, its id and what is known about it."""

    __slots__ = ("aval", "builder", "id")

    def __init__(self, builder: GraphBuilder, number: int, aval: AnyAval) -> None:
        self.builder = builder
        self.id = number
        self.aval = aval

    def apply(self, op: str, *operands: Any, **options: Any) -> Sym:
        """Apply an op in the arm being drawn, else in the builder of this value."""
        if DRAWING.stack:
            inner: Sym = DRAWING.stack[-1].call(op, *operands, **options)
            return inner
        return self.builder.call(op, *operands, **options)

    @property
    def shape(self) -> Shape:
        """The shape; a size may be symbolic."""
        return self.builder.shape(self)

    @property
    def dtype(self) -> DType:
        """The element type."""
        return self.builder.dtype(self)

    def _no_value(self) -> NoReturn:
        raise DataDependentError(
            f"{self.builder.describe(self.id)} has no value while the graph is drawn; "
            "use cond or while_loop to decide on it when it runs"
        )

    def __bool__(self) -> bool:
        self._no_value()

    def __int__(self) -> int:
        self._no_value()

    def __float__(self) -> float:
        self._no_value()

    def __index__(self) -> int:
        self._no_value()

    def __repr__(self) -> str:
        return f"<{self.builder.describe(self.id)}: {self.aval}>"


class GraphBuilder(Builder[Sym]):
    """Draws a graph. ``line``, ``column`` and ``phase`` are noted on every node added.

    ``parent`` is the builder around a subgraph: values of it that are used inside are
    captured, each once, and become further operands of the ``cond`` or ``while_loop``.
    """

    def __init__(
        self,
        observer: Observer | None = None,
        parent: Builder[Any] | None = None,
        scope: str = "",
    ) -> None:
        self.observer = observer
        self.parent = parent
        self.scope = scope
        self.line = 0
        self.column = 0
        self.phase = "forward"
        self.inputs: list[tuple[str, int]] = []
        self.captured: list[Any] = []
        self._nodes: list[Node] = []
        self._origins: list[tuple[Origin, ...]] = []
        self._inner: dict[int, Sym] = {}

    @classmethod
    def resume(cls, graph: Graph, observer: Observer | None = None) -> GraphBuilder:
        """Return a builder that goes on where ``graph`` ends."""
        builder = cls(observer)
        builder._nodes = list(graph.nodes)
        builder._origins = [graph.origin(number) for number in range(len(graph.nodes))]
        builder.inputs = list(graph.inputs)
        return builder

    def sym(self, number: int) -> Sym:
        """Return the handle of node ``number``."""
        return Sym(self, number, self._nodes[number].aval)

    def node(self, number: int) -> Node:
        """Return node ``number`` as drawn so far."""
        return self._nodes[number]

    def __len__(self) -> int:
        return len(self._nodes)

    def keep_trips(self, number: int) -> None:
        """Let the ``while_loop`` at ``number`` save its carries: its gradient is wanted."""
        node = self._nodes[number]
        self._nodes[number] = replace(node, attrs=make_attrs({**node.kwargs, "save": True}))

    def describe(self, number: int) -> str:
        """Return how messages name a node: the user's name, else op and id."""
        for origin in self._origins[number]:
            if origin.name:
                return origin.name
        node = self._nodes[number]
        named = str(node.option("name")) if node.op.name == "placeholder" else node.op.name
        return f"{named} (%{number})"

    def placeholder(
        self, name: str, shape: Sequence[Any] = (), dtype: DType | type | str = FLOAT64
    ) -> Sym:
        """Add a named input; a size may be a number or symbolic."""
        if any(name == taken for taken, _ in self.inputs):
            raise DefinitionError(f"there is already an input called {name}")
        aval = Aval(tuple(shape), np.dtype(dtype))
        value = self._add(get_op("placeholder"), (), {"name": name, "aval": aval}, name)
        self.inputs.append((name, value.id))
        return value

    def const(self, value: Any) -> Sym:
        """Add a constant."""
        array = as_array(value)
        return self._add(get_op("const"), (), {"value": Constant(array)})

    def call(self, op: str | Op, *operands: Any, **options: Any) -> Sym:
        """Add a node; Python numbers and arrays among the operands become constants."""
        record = get_op(op)
        return self._add(record, self.operands(record.name, operands), options)

    def operands(self, op: str, operands: Sequence[Any]) -> list[Sym]:
        """Return operands as values of this builder: constants added, outer values captured."""
        dtypes: list[DType | None] = []
        values: list[Any] = []
        for operand in operands:
            if isinstance(operand, (bool, int, float)):
                values.append(operand)
                dtypes.append(None)
            else:
                value = self._own(op, operand)
                values.append(value)
                dtypes.append(value.aval.dtype if isinstance(value.aval, Aval) else FLOAT64)
        lifted = lift(op, values, dtypes)
        return [
            value if array is None else self.const(array)
            for value, array in zip(values, lifted, strict=True)
        ]

    def aval(self, value: Sym) -> Aval:
        """Return shape and element type, of a value of a builder around this one as well."""
        if not isinstance(value, Sym) and self.parent is not None:
            return self.parent.aval(value)
        if isinstance(value.aval, TupleAval):
            raise OptionError("several results together have no shape; pick one")
        return value.aval

    def name(self, value: Sym, name: str) -> None:
        """Note the user's variable name for a value; the first name stays in front."""
        if value.builder is self:
            origins = self._origins[value.id]
            if not any(origin.name for origin in origins):
                first = origins[0]
                named = Origin(first.line, first.column, name, first.phase)
                self._origins[value.id] = (named, *origins[1:])
                if self.observer is not None:
                    self.observer.emit(Named(value.id, name, self.scope))

    @contextmanager
    def at(self, line: int, column: int) -> Iterator[None]:
        """Note a source position on the nodes added inside."""
        before = self.line, self.column
        self.line, self.column = line, column
        try:
            yield
        finally:
            self.line, self.column = before

    def finish(self, *outputs: Any, names: Sequence[str] = ()) -> Graph:
        """Return the graph drawn so far with these results."""
        owned = self.operands("return", outputs)
        return Graph(
            tuple(self._nodes),
            tuple(self.inputs),
            tuple(value.id for value in owned),
            tuple(self._origins),
            tuple(names),
        )

    def cond(self, pred: Any, true_fn: Branch, false_fn: Branch, *operands: Any) -> Any:
        """Add a ``cond`` node; see :meth:`Builder.cond`."""
        return draw_cond(self, pred, true_fn, false_fn, operands)

    def while_loop(self, cond_fn: Branch, body_fn: Branch, *carries: Any) -> tuple[Any, ...]:
        """Add a ``while_loop`` node; see :meth:`Builder.while_loop`."""
        return draw_while(self, cond_fn, body_fn, carries)

    def _own(self, op: str, operand: Any) -> Sym:
        if isinstance(operand, Sym) and operand.builder is self:
            return operand
        if isinstance(operand, (np.ndarray, np.generic, list, tuple)):
            return self.const(operand)
        if self.parent is not None:
            inner = self._inner.get(id(operand))
            if inner is None:
                inner = self._capture(operand)
            return inner
        if isinstance(operand, Sym):
            raise DefinitionError(
                f"{op}: {operand.builder.describe(operand.id)} belongs to another graph "
                "and is not defined in this one"
            )
        raise OptionError(f"{op}: {type(operand).__name__} is not a value of the graph")

    def _capture(self, operand: Any) -> Sym:
        assert self.parent is not None
        self.captured.append(operand)  # keeps it alive, so its identity stays unique
        aval = self.parent.aval(operand)
        inner = self.placeholder(f"captured{len(self.captured) - 1}", aval.shape, aval.dtype)
        self._inner[id(operand)] = inner
        return inner

    def _add(self, op: Op, operands: Sequence[Sym], options: dict[str, Any], name: str = "") -> Sym:
        aval, full = infer(op, [operand.aval for operand in operands], options)
        args = tuple(operand.id for operand in operands)
        self._nodes.append(Node(op, args, make_attrs(full), aval))
        self._origins.append((Origin(self.line, self.column, name, self.phase),))
        number = len(self._nodes) - 1
        if self.observer is not None:
            text = constant_text(full["value"].array) if op.name == "const" else ""
            self.observer.emit(
                NodeCreated(
                    number, op.name, args, str(aval), self.line, self.column, name,
                    self.phase, self.scope, text,
                )
            )  # fmt: skip
        return Sym(self, number, aval)


def _results(returned: Any) -> tuple[Any, ...]:
    return tuple(returned) if isinstance(returned, tuple) else (returned,)


def _draw(
    outer: Builder[Any],
    function: Callable[..., Any],
    avals: Sequence[Aval],
    captured: Sequence[Any],
    scope: str,
) -> tuple[GraphBuilder, list[Sym], Any]:
    """Call ``function(inner, *stand_ins)``; ``captured`` values of earlier arms come first."""
    inner = GraphBuilder(parent=outer, scope=scope)
    if isinstance(outer, GraphBuilder):
        inner.line, inner.column, inner.phase = outer.line, outer.column, outer.phase
    stand_ins = [
        inner.placeholder(f"arg{i}", aval.shape, aval.dtype) for i, aval in enumerate(avals)
    ]
    for operand in captured:
        inner._capture(operand)
    with drawing(inner):
        returned = function(inner, *stand_ins)
    return inner, inner.operands(scope, _results(returned)), returned


def _bool_scalar(builder: Builder[Any], value: Any, what: str) -> None:
    aval = builder.aval(value)
    if aval != Aval((), BOOL):
        raise ShapeError(f"{what} must be one bool, such as x.sum() > 0, not {aval}")


def draw_cond(
    builder: Builder[Any],
    pred: Any,
    true_fn: Branch,
    false_fn: Branch,
    operands: Sequence[Any],
) -> Any:
    """Draw both arms and call ``cond`` in ``builder``; eager and static share this."""
    if isinstance(pred, (bool, np.bool_)):
        pred = builder.const(bool(pred))
    _bool_scalar(builder, pred, "the condition of cond")
    values = [
        builder.const(v) if isinstance(v, (bool, int, float, np.ndarray)) else v for v in operands
    ]
    avals = [builder.aval(value) for value in values]
    first, true_out, returned = _draw(builder, true_fn, avals, (), "true")
    second, false_out, _ = _draw(builder, false_fn, avals, first.captured, "false")
    for operand in second.captured[len(first.captured) :]:
        first._capture(operand)
    if len(true_out) != len(false_out):
        raise ShapeError(f"the arms of cond return {len(true_out)} and {len(false_out)} values")
    for index, (left, right) in enumerate(zip(true_out, false_out, strict=True)):
        if left.aval != right.aval:
            raise ShapeError(
                f"the arms of cond return {left.aval} and {right.aval} as result {index}; "
                "both must have one shape and element type"
            )
    node = builder.call(
        "cond",
        pred,
        *values,
        *second.captured,
        true=first.finish(*true_out),
        false=second.finish(*false_out),
    )
    picked = tuple(builder.call("pick", node, index=i) for i in range(len(true_out)))
    return picked if isinstance(returned, tuple) else picked[0]


def draw_while(
    builder: Builder[Any], cond_fn: Branch, body_fn: Branch, carries: Sequence[Any]
) -> tuple[Any, ...]:
    """Draw test and body and call ``while_loop`` in ``builder``; eager and static share this."""
    values = [
        builder.const(c) if isinstance(c, (bool, int, float, np.ndarray)) else c for c in carries
    ]
    avals = [builder.aval(value) for value in values]
    test, test_out, _ = _draw(builder, cond_fn, avals, (), "test")
    if len(test_out) != 1:
        raise ShapeError("the test of while_loop must return one bool")
    _bool_scalar(test, test_out[0], "the test of while_loop")
    body, body_out, _ = _draw(builder, body_fn, avals, test.captured, "body")
    for operand in body.captured[len(test.captured) :]:
        test._capture(operand)
    if len(body_out) != len(values):
        raise ShapeError(
            f"the body of while_loop returns {len(body_out)} values for {len(values)} carries"
        )
    for index, (before, after) in enumerate(zip(avals, body_out, strict=True)):
        if after.aval != before:
            raise ShapeError(
                f"carry {index} of while_loop enters as {before} and leaves as {after.aval}; "
                "a carry keeps its shape and element type"
            )
    node = builder.call(
        "while_loop",
        *values,
        *body.captured,
        test=test.finish(*test_out),
        body=body.finish(*body_out),
        carries=len(values),
    )
    return tuple(builder.call("pick", node, index=i) for i in range(len(values)))
