"""Owns dead-branch removal: a decision that is known leaves only the arm it takes."""

from __future__ import annotations

import numpy as np

from ...wording import say
from ..ir import Graph, Node, Origin
from .base import Pass, PassResult, Rebuilder, Rewrite, constant_of, inside


def run(graph: Graph) -> PassResult:
    """Replace a ``cond`` or ``where`` on a constant by what it chooses.

    >>> from dgplay.core.graph.static import GraphBuilder
    >>> b = GraphBuilder()
    >>> x = b.placeholder("x")
    >>> y = b.cond(b.const(True), lambda b, x: x + 1, lambda b, x: x * 0, x)
    >>> print(run(b.finish(y)).graph.text())
    %0: f64[] = placeholder(name=x)  # x
    %1: bool[] = const(value=True)
    %2: f64[] = const(value=1.0)
    %3: f64[] = add %0 %2
    return %3
    """
    if not any(node.op.name in ("cond", "where") or node.subgraphs for node in graph.nodes):
        return PassResult(graph, ())
    new = Rebuilder(graph)
    chosen: dict[int, tuple[int, ...]] = {}
    for number, node in enumerate(graph.nodes):
        test = None
        if node.op.name in ("cond", "where"):
            test = constant_of(new.nodes, new.place[node.args[0]])
        if node.op.name == "cond" and test is not None:
            arm = "true" if bool(test) else "false"
            chosen[number] = _inline(new, number, run(node.option(arm)).graph)
            note = say("the condition is always {truth}", truth=bool(test))
            new.rewrites.append(Rewrite("cond", (number,), None, note))
        elif node.op.name == "pick" and node.args[0] in chosen:
            new.place[number] = chosen[node.args[0]][node.option("index")]
            # The name of the result moves to the node that makes it.
            _add_origins(new, new.place[number], graph.origin(number))
        elif node.op.name == "where" and (kept := _whole(new, node, test)) is not None:
            new.merge(number, new.place[kept], "where", say("the test is the same everywhere"))
        else:
            new.copy(number, inside(new, number, run))
    return new.finish()


def _add_origins(new: Rebuilder, number: int, origins: tuple[Origin, ...]) -> None:
    more = tuple(origin for origin in origins if origin not in new.origins[number])
    new.origins[number] = (*new.origins[number], *more)


def _inline(new: Rebuilder, number: int, arm: Graph) -> tuple[int, ...]:
    """Copy the nodes of an arm in place of the cond; return the new ids of its results."""
    operands = new.args(number)[1:]
    place = {inner: operands[i] for i, (_, inner) in enumerate(arm.inputs)}
    for inner, node in enumerate(arm.nodes):
        if inner not in place:
            args = tuple(place[arg] for arg in node.args)
            place[inner] = new.append(Node(node.op, args, node.attrs, node.aval), arm.origin(inner))
    return tuple(place[inner] for inner in arm.outputs)


def _whole(new: Rebuilder, node: Node, test: np.ndarray | None) -> int | None:
    """Return the operand that a ``where`` always gives unchanged, else None."""
    if test is None or test.size == 0:
        return None
    first = bool(test.reshape(-1)[0])
    if bool((test != first).any()):
        return None
    kept = node.args[1 if first else 2]
    return kept if new.graph.nodes[kept].aval == node.aval else None


DEADBRANCH = Pass("deadbranch", "an arm that is never taken computes nothing that is used", run)
