"""Second-order gradients of programs made by hypothesis: eager, static, passes, plan, symbols."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from graph_programs import SETTINGS, Library, Program, bits, draw_graph, programs
from hypothesis import given, settings
from hypothesis import strategies as st

from dgplay.core.graph import library
from dgplay.core.graph.avals import symbol
from dgplay.core.graph.grad import gradients
from dgplay.core.graph.ir import Graph, verify
from dgplay.core.graph.library import Tensor, grad
from dgplay.core.graph.memory import plan, prove
from dgplay.core.graph.passes import DEFAULT, apply_pass, optimize
from dgplay.core.graph.runtime import Session
from dgplay.core.graph.static import GraphBuilder


def twice_eager(program: Program, arrays: list[np.ndarray]) -> Any:
    leaves = [Tensor(array, requires_grad=True) for array in arrays]
    with np.errstate(all="ignore"):
        outputs = program(Library(), *leaves)
        first = grad(outputs, leaves, create_graph=True)
        second = grad(first, leaves)
    return bits([t.value for t in (*first, *second)])


def twice_static(program: Program) -> Graph:
    once = draw_graph(program)
    count = len(program.shapes)
    alone = replace(once, outputs=once.outputs[-count:], output_names=())
    return gradients(alone, [f"x{i}" for i in range(count)])


@settings(SETTINGS, max_examples=60)
@given(programs())
def test_second_gradients_agree_bit_for_bit(case: tuple[Program, list[np.ndarray]]) -> None:
    program, arrays = case
    graph = twice_static(program)
    verify(graph)
    feed = {f"x{i}": a for i, a in enumerate(arrays)}
    expected = twice_eager(program, arrays)
    assert bits(Session(graph).run(feed)) == expected
    for name in DEFAULT:
        result = apply_pass(name, graph)
        assert bits(Session(result.graph).run(feed)) == expected, name
    for candidate in (graph, optimize(graph)[0]):
        prove(plan(candidate))
        assert bits(Session(candidate, memory=True).run(feed, poison=True)) == expected


#: What a body may do with its carry ``y`` and an outer value ``w``.
BODIES: dict[str, Callable[[Any, Any, Any], Any]] = {
    "sin": lambda b, y, w: b.call("sin", y) * w,
    "square": lambda b, y, w: y * y * 0.5 + w,
    "tanh": lambda b, y, w: (y * w).tanh() + y,
    "twice": lambda b, y, w: b.call("exp", y * -0.5) * w + w * y,
    "cond": lambda b, y, w: b.cond(
        y.sum() > 0.3, lambda b, y: b.call("cos", y) * w, lambda b, y: y * y, y
    ),
    "loop": lambda b, y, w: b.while_loop(
        lambda b, j, z: j < 2, lambda b, j, z: (j + 1, b.call("sin", z) * w), 0, y
    )[1],
}

#: Bodies that use the outer value once, because a loop adds up what one trip gives before it adds
#: trips, and whose gradients read operands only, because a loop computes a trip's values again.
ONE_ORDER = ("cond", "sin", "square")


def looped(body: str, trips: int) -> Callable[..., Any]:
    def function(b: Any, y: Any, w: Any) -> Any:
        def step(b: Any, i: Any, y: Any) -> Any:
            return i + 1, BODIES[body](b, y, w)

        return b.while_loop(lambda b, i, y: i < trips, step, 0, y)[1].sum()

    return function


def unrolled(body: str, trips: int) -> Callable[..., Any]:
    def function(b: Any, y: Any, w: Any) -> Any:
        for _ in range(trips):
            y = BODIES[body](b, y, w)
        return y.sum()

    return function


def derivatives(function: Any, arrays: list[np.ndarray], orders: int) -> list[np.ndarray]:
    """All gradients of one order after another, each of the sum of those before."""
    leaves = [Tensor(array, requires_grad=True) for array in arrays]
    outputs = [function(library, *leaves)]
    found = [outputs[0].value]
    for _ in range(orders):
        outputs = grad(outputs, leaves, create_graph=True)
        found += [t.value for t in outputs]
    return found


ARRAYS = st.integers(0, 5).map(lambda seed: list(np.random.default_rng(seed).normal(size=(2, 3))))


@settings(SETTINGS, max_examples=40)
@given(st.sampled_from(sorted(BODIES)), st.integers(0, 4), ARRAYS)
def test_a_loop_has_the_derivatives_of_the_unrolled_one(
    body: str, trips: int, arrays: list[np.ndarray]
) -> None:
    loop = derivatives(looped(body, trips), arrays, 3)
    python = derivatives(unrolled(body, trips), arrays, 3)
    for ours, theirs in zip(loop, python, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12)


@settings(SETTINGS, max_examples=40)
@given(st.sampled_from(ONE_ORDER), st.integers(0, 4), ARRAYS)
def test_where_the_order_of_sums_is_the_same_every_bit_is(
    body: str, trips: int, arrays: list[np.ndarray]
) -> None:
    """First gradients, and second ones by the carry: a value from outside is used once a trip."""
    loop = derivatives(looped(body, trips), arrays, 1)
    python = derivatives(unrolled(body, trips), arrays, 1)
    assert bits(loop) == bits(python)
    y, w = arrays[0], Tensor(arrays[1])
    loop = derivatives(lambda b, y: looped(body, trips)(b, y, w), [y], 2)
    python = derivatives(lambda b, y: unrolled(body, trips)(b, y, w), [y], 2)
    assert bits(loop) == bits(python)


@settings(SETTINGS, max_examples=30)
@given(st.sampled_from(sorted(BODIES)), st.integers(0, 4), ARRAYS)
def test_symbolic_sizes_give_the_same_bits(body: str, trips: int, arrays: list[np.ndarray]) -> None:
    b = GraphBuilder()
    shape = (symbol("s0"),)
    graph = b.finish(looped(body, trips)(b, b.placeholder("y", shape), b.placeholder("w", shape)))
    for _ in range(2):
        grown = gradients(graph, ["y", "w"])
        graph = replace(grown, outputs=grown.outputs[-2:], output_names=())
    feed = {"y": arrays[0], "w": arrays[1]}
    expected = bits(derivatives(looped(body, trips), arrays, 2)[3:])
    for candidate in (graph, optimize(graph)[0]):
        assert bits(Session(candidate).run(feed)) == expected


@settings(SETTINGS, max_examples=30)
@given(st.sampled_from(sorted(BODIES)), st.integers(0, 3), ARRAYS)
def test_second_derivatives_match_differences_of_the_first(
    body: str, trips: int, arrays: list[np.ndarray]
) -> None:
    function = looped(body, trips)
    second = derivatives(function, arrays, 2)[3:]
    width = 1e-5
    for place, exact in enumerate(second):
        for at in range(3):
            totals = []
            for sign in (1.0, -1.0):
                moved = [array.copy() for array in arrays]
                moved[place][at] += sign * width
                totals.append(sum(g.sum() for g in derivatives(function, moved, 1)[1:]))
            difference = (totals[0] - totals[1]) / (2 * width)
            np.testing.assert_allclose(difference, exact[at], rtol=1e-6, atol=1e-6)
