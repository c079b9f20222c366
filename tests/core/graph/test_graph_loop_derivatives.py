"""Derivatives of every order through while_loop: exact values, and against the unrolled loop."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from dataclasses import replace
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dgplay.core.graph import library
from dgplay.core.graph.avals import TripsAval, aval_of, symbol
from dgplay.core.graph.events import EventLog, LoopTrip
from dgplay.core.graph.grad import gradients
from dgplay.core.graph.ir import Graph, verify
from dgplay.core.graph.library import Tensor, grad
from dgplay.core.graph.memory import plan, prove
from dgplay.core.graph.passes import DEFAULT, apply_pass, optimize
from dgplay.core.graph.runtime import Session
from dgplay.core.graph.static import GraphBuilder
from dgplay.core.graph.trips import Trips, borrowed, trips_of
from dgplay.core.graph_view.scripting import numpy_script

Function = Callable[..., Any]


def eager(function: Function, orders: int, *inputs: float) -> list[float]:
    """The value and its derivatives by the first input, by grad of grad."""
    xs = [Tensor(value, requires_grad=True) for value in inputs]
    y = function(library, *xs)
    found = [float(y.value)]
    for _ in range(orders):
        (y,) = grad(y, xs[:1], create_graph=True)
        found.append(float(y.value))
    return found


def graph_of(function: Function, count: int, shape: tuple[Any, ...] = ()) -> Graph:
    b = GraphBuilder()
    return b.finish(function(b, *(b.placeholder(f"x{i}", shape) for i in range(count))))


def derivative(graph: Graph, name: str = "x0") -> Graph:
    """The graph whose one output is the gradient of the sum of the outputs."""
    grown = gradients(graph, [name])
    return replace(grown, outputs=grown.outputs[-1:], output_names=())


def static(function: Function, orders: int, *inputs: float) -> list[float]:
    """The same as appended subgraphs; every plan is proved, every freed buffer poisoned."""
    graph = graph_of(function, len(inputs))
    feed = {f"x{i}": value for i, value in enumerate(inputs)}
    found = []
    for order in range(orders + 1):
        verify(graph)
        (value,) = Session(graph).run(feed)
        for candidate in (graph, optimize(graph)[0]):
            prove(plan(candidate))
            (again,) = Session(candidate, memory=True).run(feed, poison=True)
            assert again.tobytes() == value.tobytes()
        found.append(float(value))
        if order < orders:
            graph = derivative(graph)
    return found


def doubled(b: Any, x: Any) -> Any:
    return b.while_loop(lambda b, i, y: i < 3, lambda b, i, y: (i + 1, y * 2.0), 0, x)[1]


def squared(b: Any, x: Any) -> Any:
    return b.while_loop(lambda b, y: y < 100.0, lambda b, y: y * y, x)[0]


def captured(b: Any, w: Any, x: Any) -> Any:
    """w ** 4 * x: four trips multiply by a value from outside."""
    return b.while_loop(lambda b, i, y: i < 4, lambda b, i, y: (i + 1, y * w), 0, x)[1]


def counting(b: Any, x: Any) -> Any:
    """x * (1 + x) * (2 + x) * (3 + x): the whole-number carry is read as a float."""

    def body(b: Any, i: Any, y: Any) -> Any:
        i = i + 1
        return i, y * (b.call("cast", i, dtype="float64") + x)

    return b.while_loop(lambda b, i, y: i < 3, body, 0, x)[1]


def nested(b: Any, x: Any) -> Any:
    """((x ** 4) ** 4): two trips of a loop of three."""

    def body(b: Any, i: Any, y: Any) -> Any:
        inner = b.while_loop(lambda b, j, z: j < 3, lambda b, j, z: (j + 1, z * y), 0, y)[1]
        return i + 1, inner

    return b.while_loop(lambda b, i, y: i < 2, body, 0, x)[1]


def chosen_inside(b: Any, x: Any) -> Any:
    """2, 8, 64, 4096 from 2: cubed below 4, then squared; x ** 12."""

    def body(b: Any, y: Any) -> Any:
        return b.cond(y < 4.0, lambda b, y: y * y * y, lambda b, y: y * y, y)

    return b.while_loop(lambda b, y: y < 1000.0, body, x)[0]


def loop_in_arm(b: Any, x: Any) -> Any:
    return b.cond(x > 0.0, lambda b, x: squared(b, x) * x, lambda b, x: x, x)


def no_trip(b: Any, x: Any) -> Any:
    return b.while_loop(lambda b, y: y < 0.0, lambda b, y: y * x, x * x)[0]


def powers(x: float, n: int, orders: int) -> list[float]:
    """x ** n and its derivatives: n (n - 1) … x ** (n - k)."""
    return [float(prod(range(n - k + 1, n + 1)) * x ** (n - k)) for k in range(orders + 1)]


CASES: dict[str, tuple[Function, tuple[float, ...], list[float]]] = {
    "three times x·2: 8x": (doubled, (2.0,), [16.0, 8.0, 0.0, 0.0]),
    "x·x until 100: x⁸": (squared, (2.0,), [256.0, 1024.0, 3584.0, 10752.0, 26880.0]),
    "a captured w: w⁴·3": (captured, (2.0, 3.0), [3 * v for v in powers(2.0, 4, 5)]),
    # x (1+x) (2+x) (3+x) = x⁴ + 6x³ + 11x² + 6x
    "a whole-number carry": (counting, (2.0,), [120.0, 154.0, 142.0, 84.0, 24.0, 0.0]),
    "nested: x¹⁶": (nested, (2.0,), powers(2.0, 16, 4)),
    "cond in the body: x¹²": (chosen_inside, (2.0,), powers(2.0, 12, 4)),
    "loop in an arm: x⁹": (loop_in_arm, (2.0,), powers(2.0, 9, 4)),
    "the other arm": (loop_in_arm, (-2.0,), [-2.0, 1.0, 0.0, 0.0]),
    "no trip: x²": (no_trip, (3.0,), [9.0, 6.0, 2.0, 0.0]),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("mode", [eager, static])
def test_derivatives_are_exact(name: str, mode: Any) -> None:
    function, inputs, expected = CASES[name]
    assert mode(function, len(expected) - 1, *inputs) == expected


def test_no_trip_leaves_zeros_in_every_order() -> None:
    def function(b: Any, w: Any, x: Any) -> Any:
        return b.while_loop(lambda b, y: y < 0.0, lambda b, y: y * w, x)[0]

    assert eager(function, 3, 2.0, 3.0) == [3.0, 0.0, 0.0, 0.0]
    assert static(function, 3, 2.0, 3.0) == [3.0, 0.0, 0.0, 0.0]


def test_mixed_second_derivative() -> None:
    # y = w ** 4 * x: by x and then by w is 4 w ** 3 = 32, by w and then by x the same
    w, x = Tensor(2.0, requires_grad=True), Tensor(3.0, requires_grad=True)
    to_w, to_x = grad(captured(library, w, x), [w, x], create_graph=True)
    assert (to_w.item(), to_x.item()) == (96.0, 16.0)
    assert grad(to_w, [x], retain_graph=True)[0].item() == 32.0
    assert grad(to_x, [w])[0].item() == 32.0
    graph = derivative(derivative(graph_of(captured, 2), "x1"), "x0")
    assert Session(graph).run({"x0": 2.0, "x1": 3.0})[0] == 32.0


def test_backward_of_a_gradient_adds_to_the_leaves() -> None:
    x = Tensor(2.0, requires_grad=True)
    (first,) = grad(squared(library, x), [x], create_graph=True)
    first.backward()
    assert x.grad == 3584.0


def test_the_first_gradient_keeps_nothing_for_the_second() -> None:
    graph = gradients(graph_of(squared, 1), ["x0"])
    (loop,) = [node for node in graph.nodes if node.op.name == "while_grad"]
    assert loop.option("save") is False
    assert str(loop.aval) == "(f64[])"
    assert not any(node.op.name == "while_grad" and node.option("forward") for node in graph.nodes)


def test_the_second_gradient_runs_forward_over_what_the_first_kept() -> None:
    graph = derivative(derivative(graph_of(squared, 1)))
    loops = [node for node in graph.nodes if node.op.name == "while_grad"]
    assert [(n.option("forward"), n.option("save")) for n in loops] == [
        (False, True), (True, False), (False, False),
    ]  # fmt: skip
    assert str(loops[1].aval) == "(f64[] per trip, f64[])"
    log = EventLog()
    Session(graph, log).run({"x0": 2.0})
    trips = [(e.phase, e.trip) for e in log if isinstance(e, LoopTrip)]
    assert [t for phase, t in trips if phase == "forward"] == [0, 1, 2]
    assert [t for phase, t in trips if phase == "backward"] == [2, 1, 0, 0, 1, 2, 2, 1, 0]


def test_the_text_and_the_drawing_name_what_every_trip_keeps() -> None:
    graph = derivative(derivative(graph_of(squared, 1)))
    assert "%4: f64[] per trip = pick(index=1) %1  # backward" in graph.text().splitlines()
    assert "f64[] per trip" in graph.dot()


@pytest.mark.parametrize("name", [name for name in DEFAULT if name != "fuse"])
def test_a_pass_keeps_every_bit_of_a_second_derivative(name: str) -> None:
    for function in (squared, nested, chosen_inside, counting):
        graph = derivative(derivative(graph_of(function, 1)))
        (expected,) = Session(graph).run({"x0": 1.3})
        result = apply_pass(name, graph)
        verify(result.graph)
        assert Session(result.graph).run({"x0": 1.3})[0].tobytes() == expected.tobytes()


def test_symbolic_sizes_are_bound_when_it_runs() -> None:
    def loop(b: Any, x: Any) -> Any:
        return b.while_loop(lambda b, i, y: i < 3, lambda b, i, y: (i + 1, y * x), 0, x)[1]

    graph = derivative(derivative(graph_of(loop, 1, (symbol("s0"),))))
    for size in (2, 5):
        x = np.arange(1.0, size + 1)
        (found,) = Session(graph).run({"x0": x})
        np.testing.assert_array_equal(found, 12 * x * x)  # x ** 4


def test_bytes_of_trips_are_counted_once() -> None:
    array = np.zeros(4)
    kept = trips_of([array, array, np.ones(4)], aval_of(array))
    assert (len(kept), kept.nbytes) == (3, 64)
    assert borrowed(kept).nbytes == 0
    assert TripsAval(kept.item).nbytes == 0


def test_trips_add_trip_by_trip_and_do_nothing_else() -> None:
    item = aval_of(np.array(1.0))
    kept = trips_of([1.0, 2.0], item)
    total = np.add(kept, kept)
    assert isinstance(total, Trips)
    assert [float(a) for a in total.arrays] == [2.0, 4.0]
    with pytest.raises(TypeError):
        np.multiply(kept, kept)


@pytest.mark.parametrize("name", CASES)
def test_the_script_of_a_second_derivative_gives_the_same_bits(name: str, tmp_path: Path) -> None:
    function, inputs, _ = CASES[name]
    graph = derivative(derivative(graph_of(function, len(inputs))))
    feed = {f"x{i}": np.array(value) for i, value in enumerate(inputs)}
    script = tmp_path / "second.py"
    text = numpy_script("second", graph, feed, ["second"], Session(graph).run(feed))
    script.write_text(text, encoding="utf-8")
    runpy.run_path(str(script))  # fails where a bit differs


def test_a_gradient_holds_the_trips_of_the_carries_once_and_no_outer_value() -> None:
    def loop(b: Any, x: Any, w: Any) -> Any:
        return b.while_loop(lambda b, i, y: i < 10, lambda b, i, y: (i + 1, y * w), 0, x)[1].sum()

    size, one = 1000, 8000
    b = GraphBuilder()
    x, w = b.placeholder("x", (size,)), b.placeholder("w", (size,))
    session = Session(gradients(b.finish(loop(b, x, w)), ["x", "w"]))
    feed = {"x": np.full(size, 2.0), "w": np.full(size, 0.5)}
    value, to_x, to_w = session.run(feed)
    assert (value, to_x[0], to_w[0]) == (size * 2.0**-9, 2.0**-10, 10 * 2.0**-8)
    # Ten trips of the carry, the two inputs, and what one backward trip computes with.
    assert 12 * one < session.stats.peak_bytes < 20 * one
