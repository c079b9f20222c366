"""Each pass on small graphs, its worked example, its justification, and the value-changing one."""

from __future__ import annotations

import doctest
import importlib
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dgplay.core.graph import kernels, ops, tiles
from dgplay.core.graph.errors import OptionError
from dgplay.core.graph.events import EventLog, PassApplied
from dgplay.core.graph.grad import gradients
from dgplay.core.graph.ir import Graph
from dgplay.core.graph.passes import DEFAULT, PASSES, apply_pass, optimize
from dgplay.core.graph.passes.fastmath import RULES
from dgplay.core.graph.passes.fuse import find_groups
from dgplay.core.graph.runtime import Session
from dgplay.core.graph.static import GraphBuilder


def names(graph: Graph) -> list[str]:
    return [node.op.name for node in graph.nodes if not node.op.structural]


@pytest.mark.parametrize("name", ["fold", "deadbranch", "cse", "dce", "fuse", "fastmath"])
def test_worked_example(name: str) -> None:
    module = importlib.import_module(f"dgplay.core.graph.passes.{name}")
    result = doctest.testmod(module)
    assert result.attempted > 0
    assert result.failed == 0


def test_every_pass_says_why_in_a_line() -> None:
    assert DEFAULT == ("fold", "deadbranch", "cse", "dce", "fuse")
    for item in PASSES.values():
        assert 10 < len(item.reason) < 100
        assert "\n" not in item.reason
        assert ">>>" in item.example


def test_fold_keeps_an_error_for_its_place_in_the_run() -> None:
    b = GraphBuilder()
    graph = b.finish(b.call("pow", b.const(2), b.const(-1)))
    assert not apply_pass("fold", graph).rewrites


def test_deadbranch_inlines_nested_arms_and_keeps_names() -> None:
    b = GraphBuilder()
    x = b.placeholder("x")
    y = b.cond(
        b.const(True),
        lambda b, x: b.cond(b.const(False), lambda b, x: x, lambda b, x: x.exp(), x),
        lambda b, x: x,
        x,
    )
    b.name(y, "y")
    graph, history = optimize(b.finish(y))
    assert names(graph) == ["exp"]
    assert graph.name_of(graph.outputs[0]) == "y"
    assert [applied.name for applied in history] == ["deadbranch", "dce"]


def test_cse_keeps_all_origins() -> None:
    b = GraphBuilder()
    x = b.placeholder("x")
    with b.at(1, 0):
        first = x.exp()
    with b.at(2, 0):
        second = x.exp()
    result = apply_pass("cse", b.finish(first + second))
    (number,) = result.rewrites[0].before
    assert number == second.id
    assert [o.line for o in result.graph.origin(first.id)] == [1, 2]


def test_cse_swaps_only_where_bits_allow() -> None:
    b = GraphBuilder()
    x, y = b.placeholder("x"), b.placeholder("y")
    pairs = [("maximum", 2), ("sub", 2), ("add", 1), ("mul", 1)]
    for op, kept in pairs:
        graph = b.finish(b.call(op, x, y), b.call(op, y, x))
        merged = apply_pass("dce", apply_pass("cse", graph).graph).graph
        assert names(merged).count(op) == kept


def test_prints_are_neither_merged_nor_dropped() -> None:
    b = GraphBuilder()
    x = b.placeholder("x")
    for _ in range(2):
        b.call("print", x, parts=("x", None))
    graph, _ = optimize(b.finish(x * 1.0))
    assert names(graph).count("print") == 2


def test_passes_reach_into_subgraphs() -> None:
    b = GraphBuilder()
    x = b.placeholder("x")
    y = b.cond(x > 0.0, lambda b, x: x * (b.const(2.0) + 1.0), lambda b, x: x, x)
    graph, _ = optimize(b.finish(y))
    (cond,) = [node for node in graph.nodes if node.op.name == "cond"]
    assert names(cond.option("true")) == ["mul"]


def test_groups_are_convex() -> None:
    b = GraphBuilder()
    x = b.placeholder("x", (4,))
    a = x * 2.0
    graph = b.finish(a * a.sum() + a)
    groups = find_groups(graph)
    assert groups[a.id] == a.id  # a path leaves through the sum and comes back
    fused = apply_pass("fuse", graph).graph
    assert names(fused) == ["mul", "sum", "fused"]


def test_a_reduction_is_never_in_a_group() -> None:
    b = GraphBuilder()
    x = b.placeholder("x", (4,))
    graph, _ = optimize(gradients(b.finish((x * x).tanh().sum()), ["x"]))
    for node in graph.nodes:
        for _, body in node.subgraphs:
            assert all(n.op.elementwise or n.op.structural for n in body.nodes)


def test_one_launch_for_a_group() -> None:
    b = GraphBuilder()
    x = b.placeholder("x", (4,))
    y = x
    for _ in range(5):
        y = (y * 0.5).sin()
    graph, _ = optimize(b.finish(y))
    session = Session(graph)
    session.run({"x": np.ones(4)})
    assert session.stats.launches == 1


def test_a_product_with_itself_has_the_bits_of_a_product_with_its_copy() -> None:
    # BLAS has another routine for x @ x.T; after a merge the operands may be one array.
    for shape in ((3, 5), (50, 37), (64, 200)):
        x = np.random.default_rng(0).normal(size=shape)
        for flags in ({"transpose_a": True}, {"transpose_b": True}):
            one = kernels.matmul(x, x, **flags)
            assert one.tobytes() == kernels.matmul(x, x.copy(), **flags).tobytes()


TILED = [name for name, op in ops.OPS.items() if op.tileable]


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(TILED), st.booleans()), min_size=3, max_size=8),
    st.integers(1, 400),
    st.integers(0, 3),
    st.integers(0, 5),
)
def test_tiles_keep_every_bit(
    chain: list[tuple[str, bool]], size: int, tiles_more: int, seed: int
) -> None:
    count = size + tiles_more * tiles.TILE
    rng = np.random.default_rng(seed)
    specials = np.array([0.0, -0.0, 1.0, np.inf, -np.inf, np.nan, 1e300, 5e-324])
    x = rng.normal(size=count)
    x[rng.integers(0, count, 40)] = rng.choice(specials, 40)
    b = GraphBuilder()
    value = b.placeholder("x", (count,))
    other = b.placeholder("y", (count,))
    for name, swap in chain:
        if ops.OPS[name].arity == 1:
            value = b.call(name, value)
        else:
            value = b.call(name, other, value) if swap else b.call(name, value, 0.5)
    graph = apply_pass("fuse", b.finish(value)).graph
    (body,) = [g for node in graph.nodes for _, g in node.subgraphs]
    arrays: list[Any] = []
    feeds = {"x": x, "y": rng.normal(size=count)}
    fused = next(node for node in graph.nodes if node.op.name == "fused")
    for arg in fused.args:
        node = graph.nodes[arg]
        known = node.op.name == "placeholder"
        arrays.append(feeds[node.option("name")] if known else node.option("value").array)
    with np.errstate(all="ignore"):
        expected = tiles.op_by_op(tiles.compile_group(body), arrays, None)
        found = [np.empty_like(expected)]
        over = [a for a in arrays if a.shape == expected.shape and a.dtype == expected.dtype]
        tiles.run_tiles(program_of(body, apart=True), arrays, found[0])
        for position, array in enumerate(arrays):
            if any(array is other for other in over):
                taken = [*arrays[:position], array.copy(), *arrays[position + 1 :]]
                tiles.run_tiles(program_of(body, apart=False), taken, taken[position])
                found.append(taken[position])
    for tiled in found:
        np.testing.assert_array_equal(np.isnan(tiled), np.isnan(expected))
        same = np.where(np.isnan(tiled), 0, tiled), np.where(np.isnan(expected), 0, expected)
        assert same[0].tobytes() == same[1].tobytes()


def program_of(body: Graph, apart: bool) -> tiles.TileProgram:
    program = tiles.compile_tiles(body, apart)
    assert program is not None
    return program


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_fast_math_rule_changes_its_counter_example(rule: Any) -> None:
    b = GraphBuilder()
    x = b.placeholder("x", (len(rule.counter_example),))
    zero = b.const(0.0)
    call = {
        "x*0 → 0": lambda: x * zero,
        "0*x → 0": lambda: zero * x,
        "x/x → 1": lambda: x / x,
        "x-x → 0": lambda: x - x,
        "x+0 → x": lambda: x + zero,
        "0+x → x": lambda: zero + x,
    }[rule.name]
    raw = b.finish(call())
    fast = apply_pass("fast-math", raw)
    assert [rewrite.rule for rewrite in fast.rewrites] == [rule.name]
    feed = {"x": list(rule.counter_example)}
    assert Session(raw).run(feed)[0].tobytes() != Session(fast.graph).run(feed)[0].tobytes()


def test_fast_math_joins_constants() -> None:
    b = GraphBuilder()
    x = b.placeholder("x")
    raw = b.finish((x + 1e16) + -1e16)
    graph, _ = optimize(raw, ["fast-math", "fold", "dce"])
    assert Session(raw).run({"x": 1.0})[0] == 0.0
    assert Session(graph).run({"x": 1.0})[0] == 1.0


def test_fast_math_runs_only_when_named() -> None:
    assert "fast-math" not in DEFAULT
    with pytest.raises(OptionError, match="there is no pass fastmath"):
        optimize(GraphBuilder().finish(), ["fastmath"])


def test_events_of_passes() -> None:
    b = GraphBuilder()
    log = EventLog()
    optimize(b.finish(b.const(2.0) + 3), observer=log)
    applied = [(e.name, e.before, e.after) for e in log if isinstance(e, PassApplied)]
    assert applied == [("fold", 3, 3), ("dce", 3, 1)]
