"""The quick ways of the engine give what the general ones give: tape, verify, summaries, tiles."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from dgplay.core.graph import library, tiles
from dgplay.core.graph.errors import VerifyError
from dgplay.core.graph.ir import verify
from dgplay.core.graph.library import custom_op
from dgplay.core.graph.passes import apply_pass
from dgplay.core.graph.static import GraphBuilder
from dgplay.core.graph.summaries import summarize
from dgplay.core.graph.tensor import Tensor


def test_what_one_gradient_gives_to_two_tensors_is_not_added_into() -> None:
    # The last op gives its gradient, one array, to x and w. x then gets two more, added in place
    # from the second on; w keeps the first.
    x, w = (Tensor(np.ones(3), requires_grad=True) for _ in range(2))
    first, second = x * Tensor([1.0, 2.0, 3.0]), x * Tensor([10.0, 20.0, 30.0])
    ((x + w) + (first + second)).sum().backward()
    assert x.grad is not None
    assert w.grad is not None
    assert x.grad.tolist() == [12.0, 23.0, 34.0]
    assert w.grad.tolist() == [1.0, 1.0, 1.0]


def test_the_gradients_of_two_leaves_are_two_arrays() -> None:
    x, w = (Tensor(np.ones(3), requires_grad=True) for _ in range(2))
    (x + w).sum().backward()
    assert x.grad is not None
    assert w.grad is not None
    x.grad[:] = 7.0
    assert w.grad.tolist() == [1.0, 1.0, 1.0]


def test_a_second_backward_does_not_change_the_array_of_the_first() -> None:
    x = Tensor(np.ones(2), requires_grad=True)
    y = (x * Tensor([1.0, 2.0]) + x * Tensor([3.0, 4.0]) + x).sum()
    y.backward(retain_graph=True)
    kept = x.grad
    assert kept is not None
    y.backward()
    assert kept.tolist() == [5.0, 7.0]
    assert x.grad is not None
    assert x.grad.tolist() == [10.0, 14.0]


@pytest.mark.parametrize("arity", [2, 3])
def test_a_gradient_that_nobody_wants_is_dropped(arity: int) -> None:
    def vjp(b: Any, y: Any, gy: Any, xs: Any, want: Any, attrs: Any) -> Any:
        return tuple(b.mul(gy, float(i + 1)) for i in range(arity))  # asks not what is wanted

    first = custom_op("first_of", lambda *xs: xs[0], vjp, arity)
    x = Tensor([1.0, 2.0], requires_grad=True)
    others = [Tensor([3.0, 4.0]) for _ in range(arity - 1)]
    library.call(first, *others, x).sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [float(arity)] * 2
    assert all(other.grad is None for other in others)


def test_contributions_of_several_element_types_add_up_in_the_wider_one() -> None:
    def wide(b: Any, y: Any, gy: Any, xs: Any, want: Any, attrs: Any) -> Any:
        return (b.call("cast", gy, dtype="float64"),)

    op = custom_op("wide", lambda x: x.copy(), wide)
    x = Tensor(np.ones(2, np.float32), requires_grad=True)
    total = library.call(op, x) + library.call(op, x) + library.call(op, x)
    total.sum().backward()
    assert x.grad is not None
    assert (x.grad.dtype, x.grad.tolist()) == (np.dtype(np.float64), [3.0, 3.0])


@pytest.mark.parametrize(
    ("left", "right"), [((3,), (3, 2)), ((3,), (3,)), ((2, 3), (3,)), ((2, 3), (3, 2))]
)
def test_the_operator_of_matmul_is_the_op(left: tuple[int, ...], right: tuple[int, ...]) -> None:
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=left), rng.normal(size=right)
    found = []
    for product in (lambda a, b: a @ b, lambda a, b: library.call("matmul", a, b)):
        a, b = Tensor(x, requires_grad=True), Tensor(w, requires_grad=True)
        y = product(a, b)
        y.sum().backward()
        assert a.grad is not None
        assert b.grad is not None
        found.append([value.tobytes() for value in (y.value, a.grad, b.grad)])
    assert found[0] == found[1]


def test_a_graph_made_from_a_legal_one_is_verified_anew() -> None:
    b = GraphBuilder()
    graph = b.finish(b.placeholder("x") * 2.0)
    verify(graph)
    verify(graph)
    with pytest.raises(VerifyError, match="an output does not exist"):
        verify(replace(graph, outputs=(99,)))


@given(arrays(np.float64, st.integers(1, 40), elements=st.floats(-1e300, 1e300)))
@example(np.array(-0.0))
@example(np.array([[2.5]]))
def test_a_summary_has_the_bounds_and_the_mean_of_numpy(value: np.ndarray[Any, Any]) -> None:
    found = summarize(value)
    with np.errstate(all="ignore"):
        expected = value.min(), value.max(), value.mean()
    assert (found.low, found.high, found.mean) == expected
    assert (found.nans, found.infs) == (0, 0)


def test_a_chain_with_a_result_of_its_own_needs_no_scratch() -> None:
    b = GraphBuilder()
    x = b.placeholder("x", (100_000,))
    graph = apply_pass("fuse", b.finish(((x * 2.0 + x) * x - 1.0).tanh())).graph
    (body,) = [g for node in graph.nodes for _, g in node.subgraphs]
    alone, over = tiles.compile_tiles(body, apart=True), tiles.compile_tiles(body, apart=False)
    assert alone is not None
    assert alone.registers == ()
    assert over is not None
    assert over.registers == (np.dtype(np.float64),)
