"""What a run holds after the passes: groups, their scratch, and that the reported peak is real."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dgplay.core.graph.ir import Graph
from dgplay.core.graph.memory import peaks, why_more
from dgplay.core.graph.passes import optimize
from dgplay.core.graph.runtime import Session
from dgplay.core.graph.static import GraphBuilder
from dgplay.core.graph.tiles import compile_group, op_by_op

#: Elements of the arrays below, and their bytes: too few for tiles.
SIZE = 50_000
ONE = 8 * SIZE

Program = Callable[..., Any]


def drawn(program: Program, count: int) -> Graph:
    b = GraphBuilder()
    return b.finish(program(*(b.placeholder(f"x{i}", (SIZE,)) for i in range(count))))


def turned(x: Any) -> Any:
    """A value of its own that is no member of a group."""
    return x[::-1]


def chain(x: Any) -> Any:
    return turned(x).exp().sin().cos().sum()


def operands_kept(x: Any, y: Any, z: Any) -> Any:
    c = turned(x) * turned(y)  # two values become one before the third is made …
    return (c + turned(z)).sum()  # … unless both wait for the whole group


def used_twice(x: Any, y: Any) -> Any:
    first = turned(x).sum()
    second = turned(y).sum()
    return first * second * turned(x).mean()  # computed again, or kept meanwhile


def needs_scratch(x: Any) -> Any:
    t = turned(x)
    return (t.sin() * t.cos()).sum()


#: Arrays alive at once besides the inputs: in place, and after the passes.
ARRAYS: dict[str, tuple[Program, int, int, int]] = {
    "a chain in a group needs one array": (chain, 1, 1, 1),
    "two ops on one value need a second": (needs_scratch, 1, 2, 2),
    "a group holds its operands until it runs": (operands_kept, 3, 2, 3),
    "what is computed once lives until its last use": (used_twice, 2, 1, 2),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_peaks_before_and_after_the_passes(name: str) -> None:
    program, inputs, inplace, fused = ARRAYS[name]
    raw = drawn(program, inputs)
    found = peaks(raw, optimize(raw)[0])
    assert round(found.inplace / ONE, 3) == inputs + inplace
    assert round(found.fused / ONE, 3) == inputs + fused
    assert bool(why_more(found)) == (fused > inplace)


@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("after", [False, True])
def test_a_run_really_holds_the_reported_peak(name: str, after: bool) -> None:
    program, inputs, inplace, fused = ARRAYS[name]
    raw = drawn(program, inputs)
    graph = optimize(raw)[0] if after else raw
    tracemalloc.start()
    try:
        session = Session(graph, memory=True)
        feed = {f"x{i}": np.full(SIZE, 0.5) for i in range(inputs)}
        session.run(feed)  # plans, and makes the arena
        tracemalloc.reset_peak()
        session.run(feed)
        held = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # Besides arrays a run needs some Python objects: far less than one array.
    assert held // ONE == inputs + (fused if after else inplace)
    assert held % ONE < ONE / 2


def group_of(program: Program, count: int) -> Graph:
    b = GraphBuilder()
    xs = [b.placeholder(f"x{i}", (SIZE,)) for i in range(count)]
    return b.finish(program(*xs))


#: Groups of ops on whole arrays: operands, the one that the result overwrites (-1: none), and
#: the arrays that they need besides operands and result.
SCRATCH: dict[str, tuple[Program, int, int, int]] = {
    "a chain": (lambda x: x.exp().sin().cos(), 1, -1, 0),
    "a chain over its operand": (lambda x: x.exp().sin().cos(), 1, 0, 0),
    "beside an operand that is read last": (lambda x, y: x.exp().sin() * y, 2, -1, 0),
    "over an operand that is read last": (lambda x, y: x.exp().sin() * y, 2, 1, 1),
    "over an operand that is read first": (lambda x, y: x.exp().sin() * y, 2, 0, 0),
    "two branches": (lambda x: x.sin() * x.cos(), 1, -1, 1),
    "a square at the end": (lambda x: (lambda t: t * t)(x.sin()), 1, -1, 1),
    "truth values in place": (lambda x: (x > 0.0) & (x < 1.0), 1, -1, 0),
}


@pytest.mark.parametrize("name", SCRATCH)
def test_scratch_of_a_group(name: str) -> None:
    program, count, over, arrays = SCRATCH[name]
    group = compile_group(group_of(program, count), over)
    assert group.tiles is None
    assert group.scratch // ONE == arrays


OPS = ("add", "mul", "sub", "maximum", "pow", "div")


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from((*OPS, "sin", "clip", "sigmoid", "greater", "where")),
                  st.integers(0, 20), st.integers(0, 20)),
        min_size=1, max_size=9,
    ),
    st.integers(0, 2),
)  # fmt: skip
def test_a_group_may_write_its_result_over_an_operand(steps: list[Any], over: int) -> None:
    b = GraphBuilder()
    values = [b.placeholder(f"x{i}", (7,)) for i in range(3)]
    for op, i, j in steps:
        x, y = values[i % len(values)], values[j % len(values)]
        if op == "where":
            value = b.call("where", b.call("greater", x, y), x, y)
        elif op == "greater":
            value = b.call("cast", b.call("greater", x, y), dtype="float64")
        elif op == "clip":
            value = b.call("clip", x, low=-0.5, high=0.8)
        else:
            value = b.call(op, x, y) if op in OPS else b.call(op, x)
        values.append(value)
    graph = b.finish(values[-1])
    kept = optimize(graph, ("dce",))[0]
    rng = np.random.default_rng(0)
    feed = [rng.normal(size=7) for _ in range(3)]
    wanted = Session(graph).run({f"x{i}": a for i, a in enumerate(feed)})[0]
    arrays = [a.copy() for a in feed]
    with np.errstate(all="ignore"):
        found = op_by_op(compile_group(kept, over), arrays, arrays[over])
    assert found is arrays[over]
    assert found.tobytes() == wanted.tobytes()
