"""Programs made by hypothesis, drawn and run in any builder: what several tests compare."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from dgplay.core.graph import library
from dgplay.core.graph.eager import EagerBuilder
from dgplay.core.graph.grad import gradients
from dgplay.core.graph.ir import Graph
from dgplay.core.graph.static import GraphBuilder

SETTINGS = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])

CONSTANTS = (0.0, -0.0, 1.0, 2.0, 0.5, float("nan"), float("inf"))
UNARY = ("neg", "abs", "exp", "log", "sqrt", "sin", "cos", "tanh", "sigmoid", "relu", "sign")
BINARY = ("add", "sub", "mul", "div", "pow", "maximum", "minimum", "mod")
SHAPES = ((), (3,), (2, 3), (2, 1), (1, 3))

Step = tuple[Any, ...]


@dataclass(frozen=True)
class Program:
    """Steps over a growing list of values; numbers choose operands modulo what exists."""

    shapes: tuple[tuple[int, ...], ...]
    steps: tuple[Step, ...]
    outputs: tuple[int, ...]

    def __call__(self, b: Any, *inputs: Any) -> tuple[Any, ...]:
        values = list(inputs)
        for step in self.steps:
            made = run_step(b, values, step)
            if made is not None:
                values.append(made)
        return tuple(values[i % len(values)] for i in self.outputs)


def broadcastable(b: Any, *values: Any) -> bool:
    try:
        np.broadcast_shapes(*[b.shape(v) for v in values])
    except ValueError:
        return False
    return True


def run_step(b: Any, values: Sequence[Any], step: Step) -> Any:
    kind, name, i, j, number = step
    x, y = values[i % len(values)], values[j % len(values)]
    shape = b.shape(x)
    if kind == "unary":
        return b.call(name, x)
    if kind == "binary":
        return b.call(name, x, y) if broadcastable(b, x, y) else None
    if kind == "scalar":
        return b.call(name, x, number) if i % 2 else b.call(name, number, x)
    if kind == "zeros":  # 0.0 and -0.0 side by side, where the sign shows
        signs = [b.call("div", 1.0, b.call("mul", x, zero)) for zero in (0.0, -0.0)]
        return b.call("where", b.call("greater", x, number), *signs)
    if kind == "clip":
        return b.call("clip", x, low=-0.5, high=number if number == number else None)
    if kind == "where":
        if not broadcastable(b, x, y):
            return None
        return b.call("where", b.call("greater", x, y), x, number)
    if kind == "reduce":
        axis = (i % len(shape),) if shape and j % 2 else None
        return b.call(name, x, axis=axis, keepdims=bool(j % 3 == 0))
    if kind == "along":
        return b.call(name, x, axis=-1) if shape else None
    if kind == "view":
        return view(b, x, name, i, j)
    if kind == "matmul":
        if len(shape) == 2:
            return b.call("matmul", x, x, transpose_a=bool(j % 2), transpose_b=not j % 2)
        return b.call("matmul", x, x) if len(shape) == 1 else None
    if kind == "join":
        if b.shape(x) != b.shape(y):
            return None
        if name == "concat" and not shape:
            return None
        return b.call("sum", b.call(name, x, y, axis=0), axis=0, keepdims=False)
    if kind == "cond":
        test = b.call("greater", b.call("sum", x), 0.25)
        return b.cond(test, *ARMS[name](number, y), x)
    return loop(b, x, y, name, number)


def view(b: Any, x: Any, name: str, i: int, j: int) -> Any:
    shape = b.shape(x)
    if name == "transpose":
        return b.call("transpose", x)
    if name == "reshape":
        return b.call("reshape", x, shape=(-1,))
    if name == "broadcast":
        return b.call("broadcast_to", x, shape=(2, *shape)) if len(shape) < 2 else None
    if not shape:
        return None
    if name == "getitem":
        return b.call("getitem", x, index=j % shape[0] if i % 2 else slice(None, None, -1))
    return b.call("take", x, np.array([0, j % shape[0], 0]))


def _captures(number: float, y: Any) -> tuple[Callable[..., Any], Callable[..., Any]]:
    def true_arm(b: Any, x: Any) -> Any:
        return b.call("mul", b.call("sin", x), number)

    def false_arm(b: Any, x: Any) -> Any:
        return b.call("add", x, b.call("sum", y))

    return true_arm, false_arm


def _plain(number: float, y: Any) -> tuple[Callable[..., Any], Callable[..., Any]]:
    return (lambda b, x: x), (lambda b, x: b.call("sub", number, x))


ARMS = {"captures": _captures, "plain": _plain}


def loop(b: Any, x: Any, y: Any, name: str, number: float) -> Any:
    trips = {"zero": 0, "two": 2, "grows": 3}[name]

    def test(b: Any, n: Any, x: Any) -> Any:
        return b.call("less", n, trips)

    def body(b: Any, n: Any, x: Any) -> Any:
        outer = b.call("sum", y)
        return b.call("add", n, 1), b.call("mul", b.call("cos", x), outer)

    return b.while_loop(test, body, 0, x)[1]


def step_strategy() -> st.SearchStrategy[Step]:
    kinds = {
        "unary": UNARY,
        "binary": BINARY,
        "scalar": BINARY,
        "zeros": ("",),
        "clip": ("",),
        "where": ("",),
        "reduce": ("sum", "mean", "max"),
        "along": ("softmax", "layer_norm"),
        "view": ("transpose", "reshape", "broadcast", "getitem", "take"),
        "matmul": ("",),
        "join": ("concat", "stack"),
        "cond": tuple(ARMS),
        "while": ("zero", "two", "grows"),
    }
    pairs = [(kind, name) for kind, names in kinds.items() for name in names]
    return st.tuples(
        st.sampled_from(pairs), st.integers(0, 30), st.integers(0, 30), st.sampled_from(CONSTANTS)
    ).map(lambda t: (*t[0], t[1], t[2], t[3]))


@st.composite
def programs(draw: st.DrawFn) -> tuple[Program, list[np.ndarray]]:
    shapes = tuple(draw(st.lists(st.sampled_from(SHAPES), min_size=1, max_size=3)))
    steps = tuple(draw(st.lists(step_strategy(), min_size=1, max_size=9)))
    outputs = tuple(draw(st.lists(st.integers(0, 40), min_size=1, max_size=3)))
    number = st.sampled_from((0.0, -0.0, 1.0, -1.5, 0.3, 2.0, float("inf"), float("nan")))
    arrays = []
    for shape in shapes:
        size = int(np.prod(shape))
        listed = draw(st.lists(number, min_size=size, max_size=size))
        arrays.append(np.array(listed, dtype=np.float64).reshape(shape))
    return Program(shapes, steps, outputs), arrays


def bits(arrays: Sequence[np.ndarray]) -> list[tuple[Any, ...]]:
    """Every bit, with all NaNs made one."""
    made = []
    for array in arrays:
        if array.dtype.kind == "f":
            array = np.where(np.isnan(array), np.nan, array)
        made.append((array.shape, array.dtype.str, array.tobytes()))
    return made


def eager_bits(program: Program, arrays: Sequence[np.ndarray], log: Any = None) -> Any:
    b = EagerBuilder(log)
    inputs = [b.input(a, f"x{i}", requires_grad=True) for i, a in enumerate(arrays)]
    outputs = program(b, *inputs)
    found = b.gradients(outputs, inputs)
    return bits([t.value for t in (*outputs, *found)])


def draw_graph(program: Program) -> Graph:
    b = GraphBuilder()
    inputs = [b.placeholder(f"x{i}", shape) for i, shape in enumerate(program.shapes)]
    outputs = program(b, *inputs)
    return gradients(b.finish(*outputs), [f"x{i}" for i in range(len(inputs))])


class Library:
    """The protocol on plain tensors, as a user of the library writes it."""

    call = staticmethod(library.call)
    cond = staticmethod(library.cond)
    while_loop = staticmethod(library.while_loop)

    def shape(self, value: Any) -> tuple[int, ...]:
        shape: tuple[int, ...] = value.shape
        return shape
