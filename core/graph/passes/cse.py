"""Owns the elimination of common subexpressions: what was computed is not computed again."""

from __future__ import annotations

from typing import Any

from ...wording import say
from ..ir import Graph, Node, has_effects
from .base import Pass, PassResult, Rebuilder, inside

_RULE = say("same")


def run(graph: Graph) -> PassResult:
    """Merge nodes with the same op, operands and options.

    Constants and options are compared by type, shape and bits: 0.0 and -0.0 stay apart, 1
    and 1.0 stay apart, two NaNs merge. The order of operands counts unless swapping them
    keeps every bit.

    >>> from dgplay.core.graph.static import GraphBuilder
    >>> b = GraphBuilder()
    >>> x, y = b.placeholder("x"), b.placeholder("y")
    >>> result = run(b.finish((x * y) + (y * x)))
    >>> print(result.graph.text())
    %0: f64[] = placeholder(name=x)  # x
    %1: f64[] = placeholder(name=y)  # y
    %2: f64[] = mul %0 %1
    %3: f64[] = add %2 %2
    return %3
    """
    new = Rebuilder(graph)
    seen: dict[Any, int] = {}
    for number, node in enumerate(graph.nodes):
        if has_effects(node) or node.op.name == "placeholder":
            new.copy(number, inside(new, number, run))
            continue
        attrs = inside(new, number, run)
        args = new.args(number)
        ordered = tuple(sorted(args)) if node.op.commutative else args
        key = Node(node.op, ordered, attrs, node.aval).key
        known = seen.get(key)
        if known is None:
            seen[key] = new.copy(number, attrs)
        else:
            new.merge(number, known, _RULE, say("{op} computed already", op=node.op.name))
    return new.finish()


CSE = Pass("cse", "equal ops on equal operands give equal bits, so one result serves all", run)
