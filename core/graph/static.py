"""Owns the builder of static graphs: placeholders, nodes, subgraphs; nothing is computed here.

``GraphBuilder`` draws; ``finish`` makes the immutable :class:`~.ir.Graph`. Capture draws with
the same class, giving placeholders symbolic sizes. A ``Sym`` stands for a value that has none
yet: asking Python for its truth or its number raises :class:`DataDependentError`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np

from ..wording import say
from .avals import BOOL, FLOAT64, AnyAval, Aval, DType, Shape, TripsAval, TupleAval, as_array
from .build import DRAWING, Branch, Builder, drawing, lift
from .errors import DataDependentError, DefinitionError, OptionError, ShapeError
from .events import NodeCreated, Observer, constant_text
from .ir import Constant, Graph, Node, Origin, make_attrs
from .operators import Operators
from .ops import Op, get_op, infer
from .option_text import option_text
from .placed import PlacedBuilder


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
        name = self.builder.describe(self.id)
        raise DataDependentError(
            say("{value} has no value while the graph is drawn", value=name),
            hint=say("use cond or while_loop to decide on it when it runs"),
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


class GraphBuilder(PlacedBuilder[Sym]):
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
        super().__init__(observer, scope)
        self.parent = parent
        self.inputs: list[tuple[str, int]] = []
        self.captured: list[Any] = []
        self._nodes: list[Node] = []
        self._origins: list[tuple[Origin, ...]] = []
        self._inner: dict[int, Sym] = {}
        self._taken: set[str] = set()  #: names of inputs

    @classmethod
    def resume(cls, graph: Graph, observer: Observer | None = None) -> GraphBuilder:
        """Return a builder that goes on where ``graph`` ends."""
        builder = cls(observer)
        builder._nodes = list(graph.nodes)
        builder._origins = [graph.origin(number) for number in range(len(graph.nodes))]
        builder.inputs = list(graph.inputs)
        builder._taken = {name for name, _ in graph.inputs}
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
        """Let the loop at ``number`` keep what its trips began with: its gradient is wanted."""
        node = self._nodes[number]
        avals = [self._nodes[arg].aval for arg in node.args]
        aval, attrs = infer(node.op, avals, {**node.kwargs, "save": True})
        self._nodes[number] = replace(node, attrs=make_attrs(attrs), aval=aval)

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
        if name in self._taken:
            raise DefinitionError(say("there is already an input called {name}", name=name))
        aval = Aval(tuple(shape), np.dtype(dtype))
        value = self._add(get_op("placeholder"), (), {"name": name, "aval": aval}, name)
        self.inputs.append((name, value.id))
        self._taken.add(name)
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
        if isinstance(value.aval, TripsAval):
            return value.aval.item  # what every trip holds
        if isinstance(value.aval, TupleAval):
            raise OptionError(say("several results together have no shape"), hint=say("pick one"))
        return value.aval

    def keep_name(self, value: Sym, name: str) -> int | None:
        """Keep a first name with the first origin of the node."""
        if value.builder is not self:
            return None
        origins = self._origins[value.id]
        if any(origin.name for origin in origins):
            return None
        self._origins[value.id] = (replace(origins[0], name=name), *origins[1:])
        return value.id

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
                say(
                    "{op}: {value} belongs to another graph and is not defined in this one",
                    op=op, value=operand.builder.describe(operand.id),
                )
            )  # fmt: skip
        raise OptionError(
            say("{op}: {kind} is not a value of the graph", op=op, kind=type(operand).__name__)
        )

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
        number = len(self._nodes) - 1
        drawn = number if self.parent is None else -1
        self._origins.append((Origin(self.line, self.column, name, self.phase, drawn),))
        if self.observer is not None:
            text = constant_text(full["value"].array) if op.name == "const" else ""
            scalar = isinstance(aval, Aval) and not aval.shape
            told = option_text(op, full, scalar=scalar) if full else ""
            self.observer.emit(
                NodeCreated(
                    number, op.name, args, str(aval), self.line, self.column, name,
                    self.phase, self.scope, text, told,
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


def _bool_scalar(builder: Builder[Any], value: Any, op: str) -> None:
    aval = builder.aval(value)
    if aval != Aval((), BOOL):
        what = say("the condition of cond") if op == "cond" else say("the test of while_loop")
        raise ShapeError(
            say("{what} must be one bool, such as x.sum() > 0, not {aval}", what=what, aval=aval)
        )


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
    _bool_scalar(builder, pred, "cond")
    values = [
        builder.const(v) if isinstance(v, (bool, int, float, np.ndarray)) else v for v in operands
    ]
    avals = [builder.aval(value) for value in values]
    first, true_out, returned = _draw(builder, true_fn, avals, (), "true")
    second, false_out, _ = _draw(builder, false_fn, avals, first.captured, "false")
    for operand in second.captured[len(first.captured) :]:
        first._capture(operand)
    if len(true_out) != len(false_out):
        raise ShapeError(
            say(
                "the arms of cond return {first} and {second} values",
                first=len(true_out), second=len(false_out),
            )
        )  # fmt: skip
    for index, (left, right) in enumerate(zip(true_out, false_out, strict=True)):
        if left.aval != right.aval:
            raise ShapeError(
                say(
                    "the arms of cond return {left} and {right} as result {index}",
                    left=left.aval, right=right.aval, index=index,
                ),
                hint=say("both must have one shape and element type"),
            )  # fmt: skip
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
        raise ShapeError(say("the test of while_loop must return one bool"))
    _bool_scalar(test, test_out[0], "while_loop")
    body, body_out, _ = _draw(builder, body_fn, avals, test.captured, "body")
    for operand in body.captured[len(test.captured) :]:
        test._capture(operand)
    if len(body_out) != len(values):
        raise ShapeError(
            say(
                "the body of while_loop returns {returned} values for {carries} carries",
                returned=len(body_out), carries=len(values),
            )
        )  # fmt: skip
    for index, (before, after) in enumerate(zip(avals, body_out, strict=True)):
        if after.aval != before:
            raise ShapeError(
                say(
                    "carry {index} of while_loop enters as {before} and leaves as {after}",
                    index=index, before=before, after=after.aval,
                ),
                hint=say("a carry keeps its shape and element type"),
            )  # fmt: skip
    node = builder.call(
        "while_loop",
        *values,
        *body.captured,
        test=test.finish(*test_out),
        body=body.finish(*body_out),
        carries=len(values),
    )
    return tuple(builder.call("pick", node, index=i) for i in range(len(values)))
