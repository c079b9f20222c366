"""Static graphs: feeds, fetches, definitions, verification, symbolic sizes, control flow."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from dgplay.core.graph import library
from dgplay.core.graph.avals import as_array, symbol
from dgplay.core.graph.eager import EagerBuilder
from dgplay.core.graph.errors import (
    DataDependentError,
    DefinitionError,
    DimNeeded,
    DTypeError,
    FeedError,
    NotDifferentiableError,
    ShapeError,
    ValueRangeError,
    VerifyError,
)
from dgplay.core.graph.events import EventLog, Printed, RunEnded
from dgplay.core.graph.grad import gradients, unconnected
from dgplay.core.graph.ir import Graph, verify
from dgplay.core.graph.passes import optimize
from dgplay.core.graph.runtime import Session
from dgplay.core.graph.static import GraphBuilder


def small() -> Graph:
    b = GraphBuilder()
    x = b.placeholder("x", (3,))
    y = b.placeholder("y")
    return b.finish(x * y)


@pytest.mark.parametrize(
    ("feed", "message"),
    [
        ({"x": np.ones(3)}, "no feed for y"),
        ({}, "no feed for x, y"),
        ({"x": np.ones(3), "y": 1.0, "z": 2.0}, "there is no input z"),
        ([("x", np.ones(3)), ("y", 1.0), ("x", np.ones(3))], "x is fed twice"),
        ({"x": np.ones(4), "y": 1.0}, r"x has shape \(4,\), but the input is f64\[3\]"),
        ({"x": 1.0, "y": 1.0}, r"x has shape \(\), but the input is f64\[3\]"),
        ({"x": np.ones(3, np.float32), "y": 1.0}, "x is float32, but the input is f64"),
        ({"x": [[1.0], [2.0, 3.0]], "y": 1.0}, "not a rectangular array"),
        ({"x": ["a", "b", "c"], "y": 1.0}, "x is <U1"),
    ],
)
def test_feeds_are_checked_by_name(feed: Any, message: str) -> None:
    with pytest.raises(FeedError, match=message):
        Session(small()).run(feed)


def test_lists_and_whole_numbers_feed_floats() -> None:
    (out,) = Session(small()).run({"x": [1, 2, 3], "y": 2})
    assert out.tolist() == [2.0, 4.0, 6.0]


def test_order_is_printed_before_anything_runs() -> None:
    assert Session(small()).order().splitlines() == [
        "%0: f64[3] = placeholder(name=x)  # x",
        "%1: f64[] = placeholder(name=y)  # y",
        "%2: f64[3] = mul %0 %1",
        "return %2",
    ]


def test_fetch_runs_only_what_it_needs() -> None:
    b = GraphBuilder()
    x, y = b.placeholder("x"), b.placeholder("y")
    h = x * 2.0
    b.name(h, "h")
    session = Session(b.finish(h * y))
    assert session.run({"x": 3.0}, ["h"])[0] == 6.0
    assert session.stats.launches == 1
    with pytest.raises(DefinitionError, match=r"no value q to fetch \(named: .*h"):
        session.run({"x": 3.0}, ["q"])


def test_use_before_definition() -> None:
    first, second = GraphBuilder(), GraphBuilder()
    x = first.placeholder("x")
    with pytest.raises(DefinitionError, match="x belongs to another graph"):
        second.call("exp", x)
    with pytest.raises(DefinitionError, match="already an input called x"):
        first.placeholder("x")


def test_a_value_has_none_while_the_graph_is_drawn() -> None:
    b = GraphBuilder()
    x = b.placeholder("x")
    for ask in (bool, int, float):
        with pytest.raises(DataDependentError, match=r"x has no value .* use cond"):
            ask(x)


def test_verify_names_maker_node_and_rule() -> None:
    graph = small()
    late = replace(graph.nodes[2], args=(0, 2))
    with pytest.raises(VerifyError, match=r"pass p: node %2 \(mul\) uses a value"):
        verify(replace(graph, nodes=(*graph.nodes[:2], late)), "pass p")
    wrong = replace(graph.nodes[2], aval=graph.nodes[1].aval)
    with pytest.raises(VerifyError, match=r"recorded as f64\[\], its rule says f64\[3\]"):
        verify(replace(graph, nodes=(*graph.nodes[:2], wrong)))
    with pytest.raises(VerifyError, match="exactly the placeholders"):
        verify(replace(graph, inputs=graph.inputs[:1]))
    with pytest.raises(VerifyError, match="does not exist"):
        verify(replace(graph, outputs=(9,)))


def test_outputs_are_the_callers() -> None:
    b = GraphBuilder()
    x = b.placeholder("x", (2,))
    c = b.const([5.0, 5.0])
    y = x * 2.0
    session = Session(b.finish(x, c, y, y), memory=True)
    feed = np.array([1.0, 2.0])
    first = session.run({"x": feed})
    for array in first:
        array[:] = -1.0
    second = session.run({"x": feed})
    assert [a.tolist() for a in second] == [[1.0, 2.0], [5.0, 5.0], [2.0, 4.0], [2.0, 4.0]]
    assert not any(np.shares_memory(a, b) for a, b in zip(first, second, strict=True))
    assert not np.shares_memory(second[2], second[3])
    assert feed.tolist() == [1.0, 2.0]


def test_symbolic_size_serves_every_length() -> None:
    b = GraphBuilder()
    x = b.placeholder("x", (symbol("s0"), 3))
    loss = (x.sin() * x).mean() + x.softmax(axis=0).max()
    graph, _ = optimize(gradients(b.finish(loss), ["x"]))
    session = Session(graph)
    for length in (2, 5, 9):
        array = np.random.default_rng(length).normal(size=(length, 3))
        value, slope = session.run({"x": array})
        e = library.Tensor(array, requires_grad=True)
        same = (e.sin() * e).mean() + e.softmax(axis=0).max()
        same.backward()
        assert value.tobytes() == same.value.tobytes()
        assert e.grad is not None
        assert slope.tobytes() == e.grad.tobytes()
    with pytest.raises(FeedError, match="s0 stands for 2 or more"):
        session.run({"x": np.ones((1, 3))})


def test_symbolic_sizes_must_agree() -> None:
    b = GraphBuilder()
    x, y = b.placeholder("x", (symbol("s0"),)), b.placeholder("y", (symbol("s0"),))
    session = Session(b.finish(x + y))
    with pytest.raises(FeedError, match="y: axis 0 has size 4, but s0 is 3 already"):
        session.run({"x": np.ones(3), "y": np.ones(4)})


def test_what_needs_the_number_says_which_symbol() -> None:
    b = GraphBuilder()
    x = b.placeholder("x", (symbol("s0"),))
    y = b.placeholder("y", (symbol("s1"),))
    with pytest.raises(DimNeeded) as caught:
        x + y
    assert caught.value.symbols == ("s0", "s1")
    with pytest.raises(DimNeeded):
        x + np.ones(4)
    assert (x + np.ones(1)).shape == x.shape
    assert str(x[1:].shape[0]) == "s0-1"
    with pytest.raises(DimNeeded):
        x[5]


def test_arms_and_bodies_that_do_not_fit() -> None:
    b = GraphBuilder()
    x = b.placeholder("x", (3,))
    test = x.sum() > 0.0
    with pytest.raises(ShapeError, match=r"arms of cond return f64\[3\] and f64\[\]"):
        b.cond(test, lambda b, x: x, lambda b, x: x.sum(), x)
    with pytest.raises(ShapeError, match="must be one bool"):
        b.cond(x, lambda b, x: x, lambda b, x: x, x)
    with pytest.raises(ShapeError, match="carry 0 of while_loop enters as"):
        b.while_loop(lambda b, x: x.sum() > 0.0, lambda b, x: x.sum(), x)


def test_nested_control_flow_with_gradients() -> None:
    def program(b: Any, x: Any) -> Any:
        def body(b: Any, i: Any, h: Any) -> Any:
            h = b.cond(h.sum() > 1.0, lambda b, h: h * 0.5, lambda b, h: (h * x).sin() + 1.0, h)
            inner = b.while_loop(lambda b, j, h: j < i, lambda b, j, h: (j + 1, h * 0.9 + x), 0, h)
            return i + 1, inner[1]

        return b.while_loop(lambda b, i, h: i < 4, body, 0, x * 1.0)[1]

    array = np.array([0.3, -0.2])
    b = GraphBuilder()
    graph = gradients(b.finish(program(b, b.placeholder("x", (2,)))), ["x"])
    best, _ = optimize(graph)
    e = EagerBuilder()
    x = e.input(array, requires_grad=True)
    y = program(e, x)
    (slope,) = e.gradients([y], [x])
    for candidate in (graph, best):
        for memory in (False, True):
            out = Session(candidate, memory=memory).run({"x": array}, poison=memory)
            assert [a.tobytes() for a in out] == [y.value.tobytes(), slope.value.tobytes()]
    step = 1e-6
    for i in range(2):
        ends = []
        for sign in (1, -1):
            moved = array.copy()
            moved[i] += sign * step
            ends.append(Session(graph).run({"x": moved})[0].sum())
        assert slope.value[i] == pytest.approx((ends[0] - ends[1]) / (2 * step), rel=1e-6)


def test_print_runs_in_order_and_only_forward() -> None:
    def program(b: Any, x: Any) -> Any:
        def body(b: Any, i: Any, h: Any) -> Any:
            b.call("print", i, parts=("trip", None))
            return i + 1, h * x

        return b.while_loop(lambda b, i, h: i < 3, body, 0, x)[1]

    lines: list[str] = []
    b = GraphBuilder()
    graph = gradients(b.finish(program(b, b.placeholder("x"))), ["x"])
    graph, _ = optimize(graph)
    log = EventLog()
    out = Session(graph, log, print_line=lines.append).run({"x": 2.0})
    assert [a.item() for a in out] == [16.0, 32.0]
    assert lines == ["trip 0", "trip 1", "trip 2"]
    assert [e.text for e in log if isinstance(e, Printed)] == lines


def test_float32_stays_float32_in_every_mode() -> None:
    def program(b: Any, x: Any, w: Any) -> Any:
        h = b.call("tanh", x @ w) * 0.5 + 1.0
        return (h.softmax() * h.relu()).mean() + (h / 3).clip(0.1, 0.4).max() ** 2

    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=s).astype(np.float32) for s in ((5, 3), (3, 4))]
    e = EagerBuilder()
    inputs = [e.input(a, requires_grad=True) for a in arrays]
    y = program(e, *inputs)
    expected = [y, *e.gradients([y], inputs)]
    assert {t.dtype for t in expected} == {np.dtype(np.float32)}
    b = GraphBuilder()
    syms = [b.placeholder(n, a.shape, a.dtype) for n, a in zip("xw", arrays, strict=True)]
    raw = gradients(b.finish(program(b, *syms)), ["x", "w"])
    for graph in (raw, optimize(raw)[0]):
        out = Session(graph, memory=True).run(dict(zip("xw", arrays, strict=True)))
        assert [a.tobytes() for a in out] == [t.value.tobytes() for t in expected]


def test_arrays_from_elsewhere() -> None:
    assert as_array(np.array([1, 2], ">f8")).dtype is np.dtype(np.float64)
    assert as_array(np.array([1, 2], np.uint8)).dtype == np.int64
    assert as_array(np.ones((3, 2)).T).flags.c_contiguous
    for bad in (2**63, np.array([2**64 - 1], np.uint64), [1j], np.float16(1), "a", [None]):
        with pytest.raises(DTypeError):
            as_array(bad)


def test_a_custom_op_works_in_a_graph() -> None:
    def vjp(b: Any, y: Any, gy: Any, xs: Any, want: Any, attrs: Any) -> Any:
        return (b.mul(gy, b.mul(xs[0], 2.0)),)

    square = library.custom_op("my_square", lambda a: a * a, vjp)
    b = GraphBuilder()
    x = b.placeholder("x", (2,))
    raw = gradients(b.finish(b.call(square, x + 1.0)), ["x"])
    for graph in (raw, optimize(raw)[0]):
        out = Session(graph, memory=True).run({"x": [1.0, 2.0]})
        assert [a.tolist() for a in out] == [[4.0, 9.0], [4.0, 6.0]]


def test_arrays_without_elements() -> None:
    def program(b: Any, x: Any) -> Any:
        return (x.exp() * 2.0).sum() + x.sum(axis=0).sum() + x.T.reshape(-1).sum()

    array = np.zeros((0, 3))
    x = library.Tensor(array, requires_grad=True)
    program(None, x).backward()
    b = GraphBuilder()
    raw = gradients(b.finish(program(b, b.placeholder("x", (0, 3)))), ["x"])
    for graph in (raw, optimize(raw)[0]):
        value, slope = Session(graph, memory=True).run({"x": array}, poison=True)
        assert (value, slope.shape) == (0.0, (0, 3))


def test_a_constant_cannot_be_written() -> None:
    b = GraphBuilder()
    source = np.ones(2)
    node = b.node(b.const(source).id)
    with pytest.raises(ValueError, match="read-only"):
        node.option("value").array[0] = 2.0
    source[0] = 5.0
    assert node.option("value").array.tolist() == [1.0, 1.0]


def test_run_time_errors_are_named() -> None:
    b = GraphBuilder()
    x, i = b.placeholder("x", (3,)), b.placeholder("i", (), np.int64)
    session = Session(b.finish(x[i]))
    assert session.run({"x": [1, 2, 3], "i": -1})[0] == 3.0
    with pytest.raises(ValueRangeError, match="position 3 is out of range for 3"):
        session.run({"x": [1, 2, 3], "i": 3})


def test_gradients_name_what_cannot_be() -> None:
    b = GraphBuilder()
    x, n = b.placeholder("x"), b.placeholder("n", (), np.int64)
    b.placeholder("z")
    graph = b.finish(x * 2.0, n + 1)
    with pytest.raises(NotDifferentiableError, match="there is no input q"):
        gradients(graph, ["q"])
    with pytest.raises(NotDifferentiableError, match=r"n is i64\[\]"):
        gradients(graph, ["n"])
    assert unconnected(graph, ["x", "z"]) == ("z",)
    assert Session(gradients(graph, ["z"])).run({"x": 1.0, "n": 1, "z": 1.0})[-1] == 0.0


def test_counters() -> None:
    log = EventLog()
    session = Session(small(), log)
    session.run({"x": np.ones(3), "y": 1.0})
    assert (session.stats.dispatches, session.stats.launches) == (1, 1)
    assert session.stats.peak_bytes == 24 + 8 + 24
    (end,) = [e for e in log if isinstance(e, RunEnded)]
    assert end.launches == 1
