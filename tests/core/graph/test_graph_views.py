"""The diff of two graphs, repeated blocks, and the cost of ops."""

from __future__ import annotations

import numpy as np

from dgplay.core.graph.ir import Graph
from dgplay.core.graph.ops import OPS, infer
from dgplay.core.graph.passes import apply_pass
from dgplay.core.graph.static import GraphBuilder
from dgplay.core.graph.views import diff, repeats, rolled_text


def rnn(steps: int) -> Graph:
    b = GraphBuilder()
    xs = b.placeholder("xs", (steps, 3))
    wx, wh = b.placeholder("wx", (3, 4)), b.placeholder("wh", (4, 4))
    h = b.const(np.zeros(4))
    for t in range(steps):
        h = (xs[t] @ wx + h @ wh).tanh()
    return b.finish(h.sum())


def test_case_24_twenty_steps_fold_to_one_block() -> None:
    graph = rnn(20)
    (block,) = repeats(graph)
    assert (block.period, block.count) == (5, 20)
    text = rolled_text(graph)
    assert "×20:" in text
    assert len(text.splitlines()) == 4 + 1 + 5 + 2


def test_nothing_repeats_in_a_short_graph() -> None:
    graph = rnn(1)
    assert repeats(graph) == ()
    assert rolled_text(graph) == graph.text()


def test_case_24_diff_lists_added_removed_and_merged() -> None:
    b = GraphBuilder()
    x = b.placeholder("x")
    first, second = x.exp(), x.exp()
    unused = x.sin()
    graph = b.finish(first + second + (b.const(2.0) + 3.0))
    merged = apply_pass("cse", graph).graph
    found = diff(graph, merged)
    assert ((first.id, second.id), first.id) in found.merged
    assert found.added == ()
    dropped = apply_pass("dce", graph).graph
    assert diff(graph, dropped).removed == (unused.id,)
    folded = diff(graph, apply_pass("fold", graph).graph)
    assert len(folded.added) == 2  # the constant 5 and the sum that now reads it
    same = diff(graph, graph)
    assert (same.added, same.removed, same.merged) == ((), (), ())


def test_cost_of_products() -> None:
    b = GraphBuilder()
    x, w = b.placeholder("x", (5, 3)), b.placeholder("w", (3, 4))
    op = OPS["matmul"]
    for flags, left in (({}, x), ({"transpose_a": True}, b.placeholder("z", (3, 5)))):
        aval, attrs = infer(op, [left.aval, w.aval], flags)
        assert op.cost([left.aval, w.aval], aval, attrs) == (60, 8 * (15 + 12 + 20))
    add = OPS["add"]
    aval, attrs = infer(add, [x.aval, x.aval], {})
    assert add.cost([x.aval, x.aval], aval, attrs) == (0, 8 * 45)
