"""Owns dead-code elimination: what nothing needs is not computed."""

from __future__ import annotations

from ...wording import say
from ..ir import Graph, keep_nodes, needed_nodes
from .base import Pass, PassResult, Rebuilder, Rewrite, inside

_RULE = say("unused")


def run(graph: Graph) -> PassResult:
    """Drop nodes that no output and no print needs; inputs stay, they are the signature.

    >>> from dgplay.core.graph.static import GraphBuilder
    >>> b = GraphBuilder()
    >>> x = b.placeholder("x")
    >>> unused = x.exp()
    >>> result = run(b.finish(x + x))
    >>> [rewrite.note for rewrite in result.rewrites]
    ['nothing uses exp']
    """
    inputs = [number for _, number in graph.inputs]
    needed = needed_nodes(graph, (*graph.outputs, *graph.effects, *inputs))
    dropped = tuple(
        Rewrite(_RULE, (number,), None, say("nothing uses {op}", op=graph.nodes[number].op.name))
        for number, kept in enumerate(needed)
        if not kept
    )
    inner = _inside(keep_nodes(graph, needed) if dropped else graph)
    return PassResult(inner.graph, (*dropped, *inner.rewrites))


def _inside(graph: Graph) -> PassResult:
    if not any(node.subgraphs for node in graph.nodes):
        return PassResult(graph, ())
    new = Rebuilder(graph)
    for number in range(len(graph.nodes)):
        new.copy(number, inside(new, number, run))
    return new.finish()


DCE = Pass("dce", "a value that nothing reads and that has no effect cannot be missed", run)
