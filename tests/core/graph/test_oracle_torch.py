"""PyTorch, float64, as independent truth: every op, broadcast and kink to 1e-12, cond and while."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from graph_cases import CASES, OpCase

from dgplay.core.graph import library
from dgplay.core.graph.kinks import KINKS, Kink
from dgplay.core.graph.library import grad
from dgplay.core.graph.tensor import Tensor

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.oracle

#: The same draw as ours is not to be had from PyTorch.
NO_COUNTERPART = {"dropout"}


def torch_call(case: OpCase, xs: list[Any]) -> Any:
    o = case.options
    name = case.op
    if name in ("sum", "mean", "max"):
        axis = tuple(range(xs[0].ndim)) if o["axis"] is None else o["axis"]
        function = {"sum": torch.sum, "mean": torch.mean, "max": torch.amax}[name]
        return function(xs[0], axis, keepdim=o["keepdims"])
    if name == "matmul":
        x, y = xs
        x = x.transpose(-1, -2) if o.get("transpose_a") else x
        y = y.transpose(-1, -2) if o.get("transpose_b") else y
        return x @ y
    if name == "softmax":
        return torch.softmax(xs[0], o["axis"])
    if name == "layer_norm":
        moved = xs[0].movedim(o["axis"], -1)
        normal = torch.nn.functional.layer_norm(moved, moved.shape[-1:], eps=1e-5)
        return normal.movedim(-1, o["axis"])
    table = {
        "clip": lambda x: torch.clamp(x, o["low"], o["high"]),
        "reshape": lambda x: x.reshape(o["shape"]),
        "transpose": lambda x: x.permute(*(o["axes"] or reversed(range(x.ndim)))),
        "broadcast_to": lambda x: x.broadcast_to(o["shape"]),
        "sum_to": lambda x: x.sum_to_size(o["shape"]),
        "concat": lambda *x: torch.cat(x, o["axis"]),
        "stack": lambda *x: torch.stack(x, o["axis"]),
        "getitem": lambda x: _getitem(x, o["index"]),
        "put": lambda x: _put(x, o["shape"], o["index"]),
        "take": lambda x: x[torch.from_numpy(np.array(case.extra[0]))],
        "take_grad": lambda x: torch.zeros(o["shape"], dtype=x.dtype).index_add(
            0, torch.from_numpy(case.extra[0]), x
        ),
        "where": lambda x, y: torch.where(torch.from_numpy(case.extra[0]), x, y),
        "cast": lambda x: x.double(),
        "outer": torch.outer,
        "mod": torch.remainder,
    }
    return table[name](*xs) if name in table else getattr(torch, name)(*xs)


def _getitem(x: Any, index: Any) -> Any:
    if isinstance(index, slice) and index.step is not None and index.step < 0:
        return x.flip(0)
    return x[index]


def _put(x: Any, shape: tuple[int, ...], index: int) -> Any:
    rows = [x if i == index else torch.zeros_like(x) for i in range(shape[0])]
    return torch.stack(rows)


def compare(mine: Any, theirs: Any) -> None:
    np.testing.assert_allclose(mine, theirs.detach().numpy(), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    "case", [c for c in CASES if c.op not in NO_COUNTERPART], ids=lambda case: case.id
)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_value_and_gradient(case: OpCase, seed: int) -> None:
    arrays = case.arrays(seed)
    mine = [Tensor(a, requires_grad=True) for a in arrays]
    theirs = [torch.tensor(a, requires_grad=True) for a in arrays]
    front = [case.extra[0]] if case.op == "where" else []
    back = [] if case.op == "where" else list(case.extra)
    y = library.call(case.op, *front, *mine, *back, **case.options)
    z = torch_call(case, theirs)
    compare(y.value, z)
    weights = np.random.default_rng(9).normal(size=y.shape)
    found = grad(library.call("mul", y, weights), mine)
    (z * torch.from_numpy(weights)).sum().backward()
    for a, b in zip(found, theirs, strict=True):
        compare(a.value, b.grad)


SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 30.0, -30.0, float("inf"), float("-inf"), float("nan")]
UNARY = ["neg", "abs", "exp", "log", "sqrt", "sin", "cos", "tanh", "sigmoid", "relu"]


@pytest.mark.parametrize("op", UNARY)
def test_special_values_of_unary_ops(op: str) -> None:
    x = Tensor(SPECIAL, requires_grad=True)
    t = torch.tensor(SPECIAL, dtype=torch.float64, requires_grad=True)
    with np.errstate(all="ignore"):
        y = library.call(op, x)
    z = getattr(torch, op)(t)
    z.sum().backward()
    compare(y.value, z)
    found = grad(y, [x])[0].value
    if op == "abs":  # at NaN the table says NaN, PyTorch says 0
        assert np.isnan(found[-1])
        found[-1] = 0.0
    compare(found, t.grad)


@pytest.mark.parametrize("op", ["add", "sub", "mul", "div", "pow", "maximum", "minimum"])
def test_special_values_of_binary_ops(op: str) -> None:
    left = np.repeat(SPECIAL, len(SPECIAL))
    right = np.tile(SPECIAL, len(SPECIAL))
    mine = [Tensor(a, requires_grad=True) for a in (left, right)]
    theirs = [torch.tensor(a, requires_grad=True) for a in (left, right)]
    with np.errstate(all="ignore"):
        y = library.call(op, *mine)
    z = getattr(torch, op)(*theirs)
    z.sum().backward()
    compare(y.value, z)
    for a, b in zip(grad(y, mine), theirs, strict=True):
        compare(a.value, b.grad)


@pytest.mark.parametrize("kink", [k for k in KINKS if k.torch], ids=lambda k: f"{k.op} {k.at}")
def test_kink_table(kink: Kink) -> None:
    leaves = [torch.tensor(v, dtype=torch.float64, requires_grad=True) for v in kink.operands]
    case = OpCase(kink.op, (), options=dict(kink.options))
    if kink.op == "max":
        case = OpCase("max", (), options={"axis": None, "keepdims": False})
    torch_call(case, leaves).sum().backward()
    for leaf, expected in zip(leaves, kink.gradients, strict=True):
        np.testing.assert_array_equal(leaf.grad.numpy(), np.array(expected))


@pytest.mark.parametrize("start", [0.5, 2.0, -1.0])
def test_cond_and_while_through_python_control_flow(start: float) -> None:
    x = Tensor(start, requires_grad=True)
    y = library.cond(x > 0.0, lambda b, x: x.sin(), lambda b, x: x.exp() * x, x)
    (y,) = library.while_loop(lambda b, y: abs(y) < 100.0, lambda b, y: y * x * 3.0 + 1.0, y)
    t = torch.tensor(start, dtype=torch.float64, requires_grad=True)
    z = torch.sin(t) if start > 0 else torch.exp(t) * t
    while abs(z.item()) < 100:
        z = z * t * 3.0 + 1.0
    z.backward()
    compare(y.value, z)
    compare(grad(y, [x])[0].value, t.grad)


def test_recurrent_network_over_time() -> None:
    rng = np.random.default_rng(0)
    sizes = ((16, 8), (8, 8), (8, 4))
    weights = [rng.normal(size=s) * 0.3 for s in sizes]
    inputs = rng.normal(size=(20, 16))
    mine = [Tensor(w, requires_grad=True) for w in weights]
    theirs = [torch.tensor(w, requires_grad=True) for w in weights]
    h, state = Tensor(np.zeros(8)), torch.zeros(8, dtype=torch.float64)
    for row in inputs:
        h = (Tensor(row) @ mine[0] + h @ mine[1]).tanh()
        state = torch.tanh(torch.from_numpy(row) @ theirs[0] + state @ theirs[1])
    (h @ mine[2]).sum().backward()
    (state @ theirs[2]).sum().backward()
    for a, b in zip(mine, theirs, strict=True):
        compare(a.grad, b.grad)


def test_second_and_third_derivatives_through_while() -> None:
    rng = np.random.default_rng(3)
    x0, w0 = rng.normal(size=4) * 0.5, rng.normal(size=(4, 4)) * 0.4

    def body(b: Any, i: Any, y: Any) -> Any:
        y = b.cond(y.sum() > 0.0, lambda b, y: y.sin(), lambda b, y: y.cos(), y)
        return i + 1, b.call("tanh", b.call("matmul", w, y)) + x * y * 0.1

    x, w = Tensor(x0, requires_grad=True), Tensor(w0, requires_grad=True)
    _, y = library.while_loop(lambda b, i, y: i < 4, body, 0, x)
    tx = torch.tensor(x0, requires_grad=True)
    tw = torch.tensor(w0, requires_grad=True)
    z = tx
    for _ in range(4):
        z = torch.sin(z) if z.sum() > 0 else torch.cos(z)
        z = torch.tanh(tw @ z) + tx * z * 0.1
    compare(y.value, z)
    mine, theirs = [y], [z]
    for _ in range(3):
        mine = grad(mine, [x, w], create_graph=True)
        total = sum(t.sum() for t in theirs)
        theirs = list(torch.autograd.grad(total, [tx, tw], create_graph=True))
        for a, b in zip(mine, theirs, strict=True):
            np.testing.assert_allclose(a.value, b.detach().numpy(), rtol=1e-11, atol=1e-11)
