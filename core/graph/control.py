"""Owns cond and print: their rules, how they run, and the vjp of cond. Loops are in loops.py.

The subgraphs are options of the node. The gradient of ``cond`` is another ``cond`` over the
gradients of the arms, so it has derivatives of every order. Values defined outside and used
inside are further operands.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..wording import say
from .avals import BOOL, Aval, TupleAval
from .build import Builder
from .errors import ShapeError
from .events import format_value
from .grad import is_float, vjp_graph
from .ir import Graph
from .loops import check_inputs, result_avals
from .ops import Array, Attrs, RunContext


def cond_rule(avals: Sequence[Any], attrs: Attrs) -> tuple[TupleAval, Attrs]:
    """A bool scalar, then operands that both arms take; both return the same avals."""
    if not avals or avals[0] != Aval((), BOOL):
        raise ShapeError(say("cond: the first operand is one bool"))
    for which in ("true", "false"):
        check_inputs("cond", which, attrs[which], avals[1:])
    results = result_avals(attrs["true"])
    if results != result_avals(attrs["false"]):
        raise ShapeError(say("cond: the arms return different shapes or element types"))
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
    floats = [g for g, item in zip(gy, result_avals(attrs["true"]), strict=True) if is_float(item)]
    arms = {which: vjp_graph(attrs[which], wanted) for which in ("true", "false")}
    several = b.call("cond", xs[0], *xs[1:], *floats, **arms)
    picked = iter(range(sum(wanted)))
    return (
        None,
        *(b.call("pick", several, index=next(picked)) if w else None for w in wanted),
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
