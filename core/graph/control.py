"""Owns cond, while_loop and print: their rules, how they run, and the one vjp of each.

The subgraphs are options of the node. The gradient of ``cond`` is another ``cond`` over the
gradients of the arms, so it has derivatives of every order. A ``while_loop`` whose gradient is
wanted keeps the carries of every trip on a stack (``save``); its gradient, ``while_grad``, runs
those trips in reverse. Values defined outside and used inside are further operands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .avals import BOOL, Aval, TupleAval
from .build import Builder
from .errors import NotDifferentiableError, OptionError, ShapeError
from .events import format_value
from .grad import vjp_graph
from .ir import Graph
from .ops import Array, Attrs, RunContext


@dataclass(frozen=True, slots=True)
class CarryStack:
    """The operands of every trip of a loop that ran with ``save``, in order."""

    trips: tuple[tuple[Array, ...], ...]

    @property
    def nbytes(self) -> int:
        """Bytes that the stack keeps alive for the backward."""
        return sum(array.nbytes for trip in self.trips for array in trip)


def _check_inputs(op: str, which: str, graph: Graph, avals: Sequence[Any]) -> None:
    if not isinstance(graph, Graph):
        raise OptionError(f"{op}: {which} must be a graph")
    wanted = [graph.nodes[number].aval for _, number in graph.inputs]
    if wanted != list(avals):
        raise ShapeError(f"{op}: {which} takes {len(wanted)} values that are not the operands")


def _result_avals(graph: Graph) -> tuple[Any, ...]:
    return tuple(graph.nodes[number].aval for number in graph.outputs)


def _is_float(aval: Any) -> bool:
    return isinstance(aval, Aval) and aval.dtype.kind == "f"


def cond_rule(avals: Sequence[Any], attrs: Attrs) -> tuple[TupleAval, Attrs]:
    """A bool scalar, then operands that both arms take; both return the same avals."""
    if not avals or avals[0] != Aval((), BOOL):
        raise ShapeError("cond: the first operand is one bool")
    for which in ("true", "false"):
        _check_inputs("cond", which, attrs[which], avals[1:])
    results = _result_avals(attrs["true"])
    if results != _result_avals(attrs["false"]):
        raise ShapeError("cond: the arms return different shapes or element types")
    return TupleAval(results), attrs


def run_cond(context: RunContext, values: Sequence[Any], attrs: Attrs) -> tuple[Any, ...]:
    """Run the arm that the first value chooses, and only that arm."""
    taken = bool(values[0])
    context.branch(taken)
    arm = "true" if taken else "false"
    return context.run_graph(attrs[arm], values[1:], arm)


def cond_vjp(
    b: Builder[Any], y: Any, gy: Sequence[Any], xs: Sequence[Any], want: Sequence[bool],
    attrs: Attrs,
) -> tuple[Any, ...]:  # fmt: skip
    """A cond over the gradients of the arms: the arm not taken contributes exactly 0."""
    wanted = tuple(want[1:])
    floats = [
        g for g, item in zip(gy, _result_avals(attrs["true"]), strict=True) if _is_float(item)
    ]
    arms = {which: vjp_graph(attrs[which], wanted) for which in ("true", "false")}
    several = b.call("cond", xs[0], *xs[1:], *floats, **arms)
    picked = iter(range(sum(wanted)))
    return (
        None,
        *(b.call("pick", several, index=next(picked)) if w else None for w in wanted),
    )


def while_rule(avals: Sequence[Any], attrs: Attrs) -> tuple[TupleAval, Attrs]:
    """Carries, then captured values; the body returns carries of the same avals."""
    count = attrs["carries"]
    if isinstance(count, bool) or not isinstance(count, int) or not 0 < count <= len(avals):
        raise OptionError(f"while_loop: {count!r} is not a number of carries")
    _check_inputs("while_loop", "test", attrs["test"], avals)
    _check_inputs("while_loop", "body", attrs["body"], avals)
    if _result_avals(attrs["test"]) != (Aval((), BOOL),):
        raise ShapeError("while_loop: the test must return one bool")
    if _result_avals(attrs["body"]) != tuple(avals[:count]):
        raise ShapeError("while_loop: the body must return the carries unchanged in shape")
    return TupleAval(tuple(avals[:count])), {**attrs, "save": bool(attrs["save"])}


def run_while(context: RunContext, values: Sequence[Any], attrs: Attrs) -> tuple[Any, ...]:
    """Run test and body until the test fails; with ``save`` the last item is the stack."""
    count = attrs["carries"]
    carries, outer = tuple(values[:count]), tuple(values[count:])
    trips: list[tuple[Array, ...]] = []
    number = 0
    while bool(context.run_graph(attrs["test"], (*carries, *outer), f"test#{number}")[0]):
        context.trip(number, "forward")
        if attrs["save"]:
            trips.append((*carries, *outer))
        carries = context.run_graph(attrs["body"], (*carries, *outer), f"body#{number}")
        number += 1
    return (*carries, CarryStack(tuple(trips))) if attrs["save"] else carries


def while_vjp(
    b: Builder[Any], y: Any, gy: Sequence[Any], xs: Sequence[Any], want: Sequence[bool],
    attrs: Attrs,
) -> tuple[Any, ...]:  # fmt: skip
    """One ``while_grad`` over the saved trips; whole-number carries have no gradient."""
    count = attrs["carries"]
    floats = tuple(_is_float(b.aval(x)) for x in xs)
    # Every float carry is followed backward, wanted or not: one may flow into another.
    followed = tuple(floats[i] and (i < count or want[i]) for i in range(len(xs)))
    gradients = [g for g, is_float in zip(gy, floats[:count], strict=True) if is_float]
    outer = [x for x, f in zip(xs[count:], followed[count:], strict=True) if f]
    several = b.call(
        "while_grad", y, *gradients, *outer,
        backward=vjp_graph(attrs["body"], followed), want=followed, carries=count,
    )  # fmt: skip
    found: list[Any] = []
    position = 0
    for index in range(len(xs)):
        found.append(b.call("pick", several, index=position) if want[index] else None)
        position += followed[index]
    return tuple(found)


def while_grad_rule(avals: Sequence[Any], attrs: Attrs) -> tuple[TupleAval, Attrs]:
    """The saved loop, gradients of its float carries, and the captured floats by shape."""
    loop = avals[0]
    if not isinstance(loop, TupleAval):
        raise OptionError("while_grad: the first operand is a while_loop")
    followed = attrs["want"]
    expected = [item for item in loop.items if _is_float(item)]
    if list(avals[1 : 1 + len(expected)]) != expected:
        raise ShapeError("while_grad: the gradients do not fit the carries")
    if len(avals) - 1 != sum(followed):
        raise ShapeError("while_grad: operands and wanted gradients differ in number")
    return TupleAval(tuple(avals[1:])), attrs


def run_while_grad(context: RunContext, values: Sequence[Any], attrs: Attrs) -> tuple[Any, ...]:
    """Run the trips in reverse: gradients of carries flow, those of outer values add up.

    Contributions to an outer value are added from the last trip to the first, starting from
    the last one, as the tape would; no trip leaves zeros.
    """
    stack = values[0][-1]
    if not isinstance(stack, CarryStack):
        raise NotDifferentiableError(
            "this while_loop was drawn without its saved trips; its gradient needs save=True"
        )
    followed = attrs["want"]
    flowing = sum(followed[: attrs["carries"]])
    gradients = list(values[1 : 1 + flowing])
    outer: list[Any] = [None] * (sum(followed) - flowing)
    for number in reversed(range(len(stack.trips))):
        context.trip(number, "backward")
        results = context.run_graph(
            attrs["backward"], (*stack.trips[number], *gradients), f"backward#{number}"
        )
        gradients = list(results[:flowing])
        for i, contribution in enumerate(results[flowing:]):
            outer[i] = contribution if outer[i] is None else np.add(outer[i], contribution)
    shapes = values[1 + flowing :]
    filled = [
        np.zeros_like(shape) if total is None else np.asarray(total)
        for total, shape in zip(outer, shapes, strict=True)
    ]
    return (*gradients, *filled)


def while_grad_vjp(*_: Any) -> tuple[Any, ...]:
    """Say what there is no rule for."""
    raise NotDifferentiableError(
        "there is no second derivative through while_loop; a Python loop in eager mode has one"
    )


def run_print(context: RunContext, values: Sequence[Any], attrs: Attrs) -> Array:
    """Print the parts: text as it is, None for the next value."""
    rest = iter(values)
    shown = [format_value(next(rest)) if part is None else str(part) for part in attrs["parts"]]
    context.print_line(" ".join(shown))
    return np.array(False)


def arm_only(graph: Graph) -> dict[int, tuple[int, str]]:
    """Return the nodes that always run although only one arm of one ``cond`` uses them.

    For each such node: the cond and the arm. A screen marks them "always runs"; moving the
    computation into the arm saves it.
    """
    found: dict[int, tuple[int, str]] = {}
    kept = set(graph.outputs) | set(graph.effects)
    for number in reversed(range(len(graph.nodes))):
        node = graph.nodes[number]
        if number in kept or node.op.structural or not graph.users[number]:
            continue
        uses: list[tuple[int, str] | None] = []
        for user in graph.users[number]:
            if graph.nodes[user].op.name == "cond":
                uses.extend(_arms_using(graph, user, number))
            else:
                uses.append(found.get(user))
        if uses[0] is not None and all(use == uses[0] for use in uses):
            found[number] = uses[0]
    return found


def _arms_using(graph: Graph, cond: int, number: int) -> list[tuple[int, str] | None]:
    node = graph.nodes[cond]
    uses: list[tuple[int, str] | None] = []
    for position, arg in enumerate(node.args):
        if arg != number:
            continue
        if position == 0:
            uses.append(None)
            continue
        for arm in ("true", "false"):
            inner: Graph = node.option(arm)
            placeholder = inner.inputs[position - 1][1]
            if inner.users[placeholder] or placeholder in inner.outputs:
                uses.append((cond, arm))
    return uses
