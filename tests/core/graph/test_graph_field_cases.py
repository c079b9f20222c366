"""Cases reported in the field (shared/cases/graphs.md) and the closed forms of the engine."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from dgplay.core.graph import library
from dgplay.core.graph.control import arm_only
from dgplay.core.graph.eager import EagerBuilder
from dgplay.core.graph.errors import FreedError
from dgplay.core.graph.events import BranchTaken, EventLog, LoopTrip, OpStart
from dgplay.core.graph.grad import gradients
from dgplay.core.graph.ir import Graph
from dgplay.core.graph.library import grad
from dgplay.core.graph.passes import apply_pass, optimize
from dgplay.core.graph.runtime import Session
from dgplay.core.graph.static import GraphBuilder
from dgplay.core.graph.tensor import Tensor


def run_all(program: Any, inputs: dict[str, Any], wrt: list[str]) -> list[list[Any]]:
    """Run a program eagerly, statically, optimised, and planned; return each mode's results."""
    b = EagerBuilder()
    tensors = {n: b.input(v, n, requires_grad=n in wrt) for n, v in inputs.items()}
    out = program(b, *tensors.values())
    outputs = out if isinstance(out, tuple) else (out,)
    found = b.gradients(outputs, [tensors[n] for n in wrt])
    results = [[t.value.tolist() for t in (*outputs, *found)]]
    s = GraphBuilder()
    syms = [s.placeholder(n, np.shape(v), np.asarray(v).dtype) for n, v in inputs.items()]
    drawn = program(s, *syms)
    raw = gradients(s.finish(*(drawn if isinstance(drawn, tuple) else (drawn,))), wrt)
    best, _ = optimize(raw)
    for graph in (raw, best):
        for memory in (False, True):
            outs = Session(graph, memory=memory).run(inputs)
            results.append([a.tolist() for a in outs])
    return results


def expect(program: Any, inputs: dict[str, Any], wrt: list[str], values: list[Any]) -> None:
    for result in run_all(program, inputs, wrt):
        assert result == values


def test_closed_forms() -> None:
    expect(lambda b, x, y: x * x + x * y, {"x": 2.0, "y": 3.0}, ["x", "y"], [10.0, 7.0, 2.0])
    expect(lambda b, x: (x * x).sum(), {"x": np.array([1.0, 2.0])}, ["x"], [5.0, [2.0, 4.0]])

    def affine(b: Any, a: Any, c: Any, d: Any) -> Any:
        s = a + c
        return s * d, s

    expect(affine, {"a": 2.0, "b": 3.0, "c": 4.0}, [], [20.0, 5.0])
    expect(lambda b: b.const(2.0) + 3, {}, [], [5.0])


def constants_graph(left: Any, right: Any, dtype: Any = np.float64) -> Graph:
    b = GraphBuilder()
    x = b.placeholder("x", (1,), dtype)
    return b.finish(x * left, x * right)


def test_case_1_cse_compares_constants_by_type_and_bits() -> None:
    b = GraphBuilder()
    x = b.placeholder("x", (1,))
    graph, _ = optimize(b.finish(1.0 / (x * 0.0), 1.0 / (x * -0.0)))
    plus, minus = Session(graph).run({"x": [1.0]})
    assert (plus.tolist(), minus.tolist()) == ([math.inf], [-math.inf])

    b = GraphBuilder()
    x = b.placeholder("x", (1,), np.int64)
    graph, _ = optimize(b.finish(x + 1, x + 1.0))
    whole, real = Session(graph).run({"x": np.array([1])})
    assert (whole.dtype, real.dtype) == (np.dtype(np.int64), np.dtype(np.float64))

    graph = constants_graph(np.nan, -np.float64(np.nan))
    assert len(apply_pass("cse", graph).rewrites) == 2  # the constant, then the product


def test_case_2_algebra_only_under_fast_math() -> None:
    b = GraphBuilder()
    x = b.placeholder("x", (3,))
    raw = b.finish(x * 0.0, x / x)
    feed = {"x": [math.inf, math.nan, 2.0]}
    graph, _ = optimize(raw)
    zero, one = Session(graph).run(feed)
    np.testing.assert_array_equal(zero, [np.nan, np.nan, 0.0])
    np.testing.assert_array_equal(one, [np.nan, np.nan, 1.0])
    graph, _ = optimize(raw, ["fast-math"])
    zero, one = Session(graph).run(feed)
    assert (zero.tolist(), one.tolist()) == ([0.0] * 3, [1.0] * 3)


def test_case_3_inactive_arm() -> None:
    def where(b: Any, x: Any) -> Any:
        return b.call("where", b.call("equal", x, 0.0), 0.0, x * b.call("sqrt", x))

    def double(b: Any, x: Any) -> Any:
        zero = b.call("equal", x, 0.0)
        safe = b.call("where", zero, 1.0, x)
        return b.call("where", zero, 0.0, safe * b.call("sqrt", safe))

    def cond(b: Any, x: Any) -> Any:
        return b.cond(
            b.call("equal", x, 0.0),
            lambda b, x: b.const(0.0),
            lambda b, x: x * b.call("sqrt", x),
            x,
        )

    for result in run_all(where, {"x": 0.0}, ["x"]):
        assert result[0] == 0.0
        assert math.isnan(result[1])
    expect(double, {"x": 0.0}, ["x"], [0.0, 0.0])
    expect(cond, {"x": 0.0}, ["x"], [0.0, 0.0])


def test_case_5_second_backward() -> None:
    def forward() -> tuple[Tensor, Tensor]:
        a = Tensor(3.0, requires_grad=True)
        c = a + Tensor(2.0)
        return a, c * 1.0

    a, e = forward()
    e.backward(retain_graph=True)
    e.backward()
    assert a.grad is not None
    assert a.grad.item() == 2.0
    a, e = forward()
    e.backward()
    with pytest.raises(FreedError, match="freed by an earlier backward"):
        e.backward()
    assert a.grad is not None
    assert a.grad.item() == 1.0


def test_case_6_broadcast_gradients() -> None:
    ones = np.ones
    inputs = {"x": ones((3, 4)), "y": ones((1, 4))}
    expect(lambda b, x, y: (x + y).sum(), inputs, ["y"], [24.0, [[3.0] * 4]])
    expect(lambda b, s, x: (s * x).sum(), {"s": 1.0, "x": ones((5, 4))}, ["s"], [20.0, 20.0])
    inputs = {"x": ones((4, 1)), "y": ones((1, 4))}
    expect(lambda b, x, y: (x * y).sum(), inputs, ["x"], [16.0, [[4.0]] * 4])


def test_case_14_only_the_taken_arm_runs() -> None:
    def program(b: Any, x: Any, y: Any, z: Any) -> Any:
        return b.cond(x < y, lambda b: x + z, lambda b: y * y)

    expect(program, {"x": 7.0, "y": 5.0, "z": 1.0}, [], [25.0])
    b = GraphBuilder()
    x, y, z = (b.placeholder(n) for n in "xyz")
    log = EventLog()
    graph = b.finish(program(b, x, y, z))
    Session(graph, log).run({"x": 7.0, "y": 5.0, "z": 1.0})
    assert [e.op for e in log if isinstance(e, OpStart)] == ["less", "cond", "mul", "pick"]
    assert [e.taken for e in log if isinstance(e, BranchTaken)] == [False]


def test_case_14_outside_values_are_marked() -> None:
    b = GraphBuilder()
    x, y, z = (b.placeholder(n) for n in "xyz")
    outside = x + z
    graph = b.finish(b.cond(x < y, lambda b: outside * 1.0, lambda b: y * y))
    (cond,) = [i for i, node in enumerate(graph.nodes) if node.op.name == "cond"]
    assert arm_only(graph) == {outside.id: (cond, "true")}


def test_case_15_gradients_through_while() -> None:
    def double(b: Any, x: Any) -> Any:
        return b.while_loop(lambda b, i, x: i < 3, lambda b, i, x: (i + 1, x * 2.0), 0, x)[1]

    def factorial(b: Any, x: Any) -> Any:
        def body(b: Any, i: Any, x: Any) -> Any:
            return i + 1, x * b.call("cast", i + 1, dtype="float64")

        return b.while_loop(lambda b, i, x: i < 3, body, 0, x)[1]

    def square(b: Any, x: Any) -> Any:
        (y,) = b.while_loop(lambda b, y: y < 100.0, lambda b, y: y * y, x)
        return y

    expect(double, {"x": 2.0}, ["x"], [16.0, 8.0])
    expect(factorial, {"x": 2.0}, ["x"], [12.0, 6.0])
    expect(square, {"x": 2.0}, ["x"], [256.0, 1024.0])
    expect(square, {"x": 200.0}, ["x"], [200.0, 1.0])
    b = GraphBuilder()
    graph = b.finish(square(b, b.placeholder("x")))
    log = EventLog()
    Session(graph, log).run({"x": 2.0})
    assert [e.trip for e in log if isinstance(e, LoopTrip)] == [0, 1, 2]


def test_captured_weights_collect_gradients_over_trips() -> None:
    def program(b: Any, x: Any, w: Any) -> Any:
        return b.while_loop(
            lambda b, i, h: i < 4, lambda b, i, h: (i + 1, b.call("tanh", h * w)), 0, x
        )[1]

    x, w = 0.7, 1.3
    results = run_all(program, {"x": x, "w": w}, ["x", "w"])
    assert all(result == results[0] for result in results)
    xt, wt = Tensor(x, requires_grad=True), Tensor(w, requires_grad=True)
    h = xt
    for _ in range(4):
        h = (h * wt).tanh()
    found = [g.item() for g in grad(h, [xt, wt])]
    assert results[0] == [h.item(), *found]


def test_case_18_masked_loss_divides_by_real_length() -> None:
    lengths = np.array([1, 10, 100])
    mask = (np.arange(100) < lengths[:, None]).astype(float)
    logits = Tensor(np.zeros((3, 100, 26)))
    losses = -(logits.softmax().log()[:, :, 0])
    total = (losses * Tensor(mask)).sum(axis=1) / Tensor(mask).sum(axis=1)
    np.testing.assert_allclose(total.value, [math.log(26)] * 3, rtol=1e-14)


def test_case_24_labels_carry_the_users_names() -> None:
    b = GraphBuilder()
    x = b.placeholder("x")
    with b.at(3, 4):
        hidden = x * 2.0
        b.name(hidden, "hidden")
    graph = gradients(b.finish(hidden.tanh()), ["x"])
    assert "hidden; line 3" in graph.text()
    assert "hidden = mul" in graph.dot()
    assert Session(graph).run({"x": 1.0}, ["hidden"])[0] == 2.0


def test_a_tensor_cannot_be_confused_with_library_cond() -> None:
    x = Tensor(2.0, requires_grad=True)
    y = library.cond(x > 0.0, lambda b, x: x * x, lambda b, x: x, x)
    assert (y.item(), grad(y, [x])[0].item()) == (4.0, 4.0)
