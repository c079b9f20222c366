"""Every vjp against central differences, first and second order; the kink table."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from graph_cases import CASES, OpCase, operands

from dgplay.core.graph import library
from dgplay.core.graph.kinks import KINKS, Kink
from dgplay.core.graph.library import grad
from dgplay.core.graph.ops import OPS
from dgplay.core.graph.tensor import Tensor

NOT_DIFFERENTIATED = {
    "floordiv", "sign", "less", "less_equal", "greater", "greater_equal", "equal", "not_equal",
    "logical_and", "logical_or", "logical_not", "fill", "dim", "placeholder", "const", "pick",
    "print", "fused",
}  # fmt: skip
ELSEWHERE = {"cond", "while_loop", "while_grad"}


def output(case: OpCase, arrays: list[np.ndarray], weights: np.ndarray | None) -> Any:
    leaves = [Tensor(a, requires_grad=True) for a in arrays]
    y = library.call(case.op, *operands(case, leaves), **case.options)
    if weights is None:
        return leaves, y
    return leaves, library.call("sum", library.call("mul", y, weights))


def test_every_op_has_a_case_or_no_gradient() -> None:
    reached = {case.op for case in CASES}
    assert set(OPS) == reached | NOT_DIFFERENTIATED | ELSEWHERE
    for op in OPS.values():
        assert op.doc.endswith(".")


def differences(function: Any, arrays: list[np.ndarray], step: float = 1e-6) -> list[np.ndarray]:
    found = []
    for i, array in enumerate(arrays):
        slope = np.zeros_like(array)
        for at in np.ndindex(array.shape):
            ends = []
            for sign in (1, -1):
                moved = [a.copy() for a in arrays]
                moved[i][at] += sign * step
                ends.append(function(moved))
            slope[at] = (ends[0] - ends[1]) / (2 * step)
        found.append(slope)
    return found


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_vjp(case: OpCase) -> None:
    arrays = case.arrays()
    _, y = output(case, arrays, None)
    weights = np.random.default_rng(1).normal(size=y.shape)
    leaves, total = output(case, arrays, weights)
    found = [g.value for g in grad(total, leaves)]
    expected = differences(lambda moved: output(case, moved, weights)[1].item(), arrays)
    for mine, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=2e-6, atol=2e-7)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_second_derivative(case: OpCase) -> None:
    arrays = case.arrays(2)
    _, y = output(case, arrays, None)
    weights = np.random.default_rng(3).normal(size=y.shape)
    mixing = [np.random.default_rng(4).normal(size=a.shape) for a in arrays]

    def slope(moved: list[np.ndarray], create: bool) -> Any:
        leaves, total = output(case, moved, weights)
        first = grad(total, leaves, create_graph=create)
        parts = [
            library.call("sum", library.call("mul", g, m))
            for g, m in zip(first, mixing, strict=True)
        ]
        mixed = parts[0]
        for part in parts[1:]:
            mixed = library.call("add", mixed, part)
        return leaves, mixed

    leaves, mixed = slope(arrays, True)
    found = [g.value for g in grad(mixed, leaves)]
    expected = differences(lambda moved: slope(moved, False)[1].item(), arrays)
    for mine, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("kink", KINKS, ids=lambda k: f"{k.op} at {k.at}")
def test_kink(kink: Kink) -> None:
    leaves = [Tensor(list(values), requires_grad=True) for values in kink.operands]
    with np.errstate(all="ignore"):
        y = library.call(kink.op, *leaves, **dict(kink.options))
    found = grad(y, leaves)
    for mine, theirs in zip(found, kink.gradients, strict=True):
        np.testing.assert_array_equal(mine.value, np.array(theirs))


def test_infinite_gradient_stops_at_a_closed_relu() -> None:
    x = Tensor([-1.0, 1.0], requires_grad=True)
    y = x.relu()
    y.backward([float("inf"), float("inf")])
    assert x.grad is not None
    assert x.grad.tolist() == [0.0, float("inf")]
