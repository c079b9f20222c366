"""Owns constant folding: what depends on constants alone is computed while compiling."""

from __future__ import annotations

import numpy as np

from ...wording import say
from ..avals import Aval, SymbolicDim
from ..errors import GraphError
from ..interp import compute_node
from ..ir import Graph, Node
from ..ops import Array
from .base import Pass, PassResult, Rebuilder, Rewrite, constant_of, inside

#: A folded value may be larger than its operands up to this many elements: constants are
#: held for good, so folding what only repeats a number would cost memory and save nothing.
SMALL = 64


_RULE = say("constant")


def run(graph: Graph) -> PassResult:
    """Replace nodes whose operands are all constants by their value.

    The kernel that would run later runs now, so every bit is the same.

    >>> from dgplay.core.graph.static import GraphBuilder
    >>> b = GraphBuilder()
    >>> a = b.const(2.0)
    >>> result = run(b.finish(a + 3))
    >>> print(result.graph.text())
    %0: f64[] = const(value=2.0)
    %1: f64[] = const(value=3.0)
    %2: f64[] = const(value=5.0)
    return %2
    """
    if not any(_may_fold(graph, node) or node.subgraphs for node in graph.nodes):
        return PassResult(graph, ())
    new = Rebuilder(graph)
    for number, node in enumerate(graph.nodes):
        value = _folded(new, node, number)
        if value is None:
            new.copy(number, inside(new, number, run))
            continue
        new.place[number] = new.constant(value, graph.origin(number))
        shown = str(value.tolist()) if value.size < 9 else "…"
        note = say("{op} of constants is {value}", op=node.op.name, value=shown)
        new.rewrites.append(Rewrite(_RULE, (number,), new.place[number], note))
    return new.finish()


def _may_fold(graph: Graph, node: Node) -> bool:
    """Return whether every operand of a node is a constant already."""
    return not node.op.structural and all(graph.nodes[arg].op.name == "const" for arg in node.args)


def _folded(new: Rebuilder, node: Node, number: int) -> Array | None:
    op = node.op
    if op.structural or not op.pure or op.control is not None:
        return None
    if any(isinstance(value, SymbolicDim) for _, value in node.attrs):
        return None
    if not isinstance(node.aval, Aval) or node.aval.symbolic:
        return None
    operands = [constant_of(new.nodes, arg) for arg in new.args(number)]
    arrays = [array for array in operands if array is not None]
    if len(arrays) < len(operands):
        return None
    if node.aval.size > max([SMALL, *(array.size for array in arrays)]):
        return None
    try:
        with np.errstate(all="ignore"):
            return compute_node(op, arrays, node.kwargs)
    except GraphError:
        return None  # it will raise when it runs, at its place in the program


FOLD = Pass("fold", "the same kernel on the same operands gives the same bits", run)
