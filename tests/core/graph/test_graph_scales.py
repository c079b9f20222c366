"""Ten thousand nodes in every mode, near-linear time, and no recursion."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from dgplay.core.graph.eager import EagerBuilder
from dgplay.core.graph.grad import gradients
from dgplay.core.graph.ir import Graph, verify
from dgplay.core.graph.memory import peaks, plan, prove
from dgplay.core.graph.passes import optimize
from dgplay.core.graph.runtime import Session
from dgplay.core.graph.static import GraphBuilder
from dgplay.core.graph.tensor import Tensor


def chain(length: int) -> Graph:
    b = GraphBuilder()
    x = b.placeholder("x", (2,))
    y = x
    for _ in range(length):
        y = (y * 0.5).sin()
    return gradients(b.finish(y), ["x"])


def test_ten_thousand_nodes_static() -> None:
    graph = chain(2_500)
    assert len(graph) > 10_000
    feed = {"x": np.array([1.0, 2.0])}
    expected = [a.tobytes() for a in Session(graph).run(feed)]
    best, _ = optimize(graph)
    for candidate in (graph, best):
        prove(plan(candidate))
        out = Session(candidate, memory=True).run(feed, poison=True)
        assert [a.tobytes() for a in out] == expected
    assert peaks(graph, best).keep_all > 0
    assert len(graph.text().splitlines()) == len(graph) + 1
    assert graph.dot()


def test_ten_thousand_nodes_eager() -> None:
    b = EagerBuilder()
    x = b.input(np.array([1.0, 2.0]), requires_grad=True)
    y = x
    for _ in range(5_000):
        y = (y * 0.5).sin()
    (found,) = b.gradients([y], [x])
    leaf = Tensor([1.0, 2.0], requires_grad=True)
    z = leaf
    for _ in range(5_000):
        z = (z * 0.5).sin()
    z.backward()
    assert leaf.grad is not None
    assert leaf.grad.tobytes() == found.value.tobytes()


def test_ten_thousand_trips() -> None:
    def program(b: GraphBuilder) -> Graph:
        x = b.placeholder("x")
        _, y = b.while_loop(lambda b, i, y: i < 10_000, lambda b, i, y: (i + 1, y * 0.999), 0, x)
        return gradients(b.finish(y), ["x"])

    value, slope = Session(program(GraphBuilder())).run({"x": 3.0})
    assert slope == pytest.approx(0.999**10_000)
    assert value == pytest.approx(3 * 0.999**10_000)


def calls(work: Callable[[], object]) -> int:
    """Count the Python calls of some work: a measure of it that no other process disturbs."""
    count = 0

    def profile(frame: object, event: str, arg: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(profile)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def tape(length: int) -> None:
    x = Tensor(1.0, requires_grad=True)
    y = x
    for _ in range(length):
        y = y * Tensor(0.5) + x
    y.backward()


# ``replace`` makes an equal graph that nobody has verified yet: a graph is verified only once.
JOBS: dict[str, Callable[[int], Callable[[], object]]] = {
    "tape": lambda n: lambda: tape(n),
    "draw": lambda n: lambda: chain(n),
    "verify": lambda n: (lambda g: lambda: verify(replace(g)))(chain(n)),
    "passes": lambda n: (lambda g: lambda: optimize(replace(g)))(chain(n)),
    "plan": lambda n: (lambda g: lambda: prove(plan(g)))(chain(n)),
    "run": lambda n: (lambda g: lambda: Session(replace(g)).run({"x": np.ones(2)}))(chain(n)),
}


@pytest.mark.parametrize("name", JOBS)
def test_calls_grow_linearly(name: str) -> None:
    small, large = (calls(JOBS[name](n)) for n in (100, 1000))
    assert large < 13 * small


@pytest.mark.parametrize("name", JOBS)
def test_time_grows_near_linearly(name: str) -> None:
    times = []
    for length in (250, 2500):
        work = JOBS[name](length)
        best = float("inf")
        for _ in range(2):
            start = time.process_time()
            work()
            best = min(best, time.process_time() - start)
        times.append(best)
    assert times[1] < 30 * times[0] + 0.05
