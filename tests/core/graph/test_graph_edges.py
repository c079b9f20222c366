"""Edges where a mode could give a wrong number or break down: mixed types, writes, sizes, rules."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dgplay.core.graph import library
from dgplay.core.graph.capture import Capture
from dgplay.core.graph.errors import InplaceError, OptionError, ShapeError
from dgplay.core.graph.events import EventLog, PassApplied
from dgplay.core.graph.lang import load
from dgplay.core.graph.lang_refusal import Cancelled, Refusal
from dgplay.core.graph.library import custom_op, node_gradients
from dgplay.core.graph.modes import MODES, Options, run_mode
from dgplay.core.graph.tensor import Tensor
from dgplay.core.graph_view.options import GraphOptions
from dgplay.core.graph_view.running import Asked, run

F32, F64 = np.float32, np.float64


@pytest.mark.parametrize(("left", "right"), [(F32, F64), (F64, F32)])
@pytest.mark.parametrize(
    ("op", "shapes", "options"),
    [
        ("matmul", ((3,), (3, 2)), {}),
        ("matmul", ((3,), (2, 3)), {"transpose_b": True}),
        ("matmul", ((3,), (3,)), {}),
        ("matmul", ((2, 3), (3,)), {}),
        ("outer", ((3,), (2,)), {}),
    ],
)
def test_a_gradient_has_the_element_type_of_its_operand(
    left: Any, right: Any, op: str, shapes: Any, options: Any
) -> None:
    x, w = Tensor(np.ones(shapes[0], left), True), Tensor(np.ones(shapes[1], right), True)
    y = x @ w if op == "matmul" and not options else library.call(op, x, w, **options)
    y.sum().backward()
    assert x.grad is not None
    assert w.grad is not None
    assert (x.grad.dtype, w.grad.dtype) == (np.dtype(left), np.dtype(right))


def test_capture_carries_a_gradient_of_mixed_types_over_a_break() -> None:
    program = load("W = [[2, 0], [0, 3]]\ndef f(x=float32([1, 2])):\n    y = x * 2\n"
                   "    if y.sum() > 0:\n        y = y @ W\n    return y\n")  # fmt: skip
    for mode in MODES:
        if mode != "static":  # which refuses the if
            (call,) = run_mode(program, mode, [program.inputs], Options(grads=("x",))).calls
            assert call.gradients["x"].dtype == F32
            assert call.gradients["x"].tolist() == [4.0, 6.0]


def test_a_written_result_that_is_used_again_has_no_gradient() -> None:
    # z no longer depends on x[0]; mul would still pass a gradient of 1 to it.
    x = Tensor([1.0, 2.0], requires_grad=True)
    h = x * 1.0
    h[0] = 5.0
    z = h + 0.0
    with pytest.raises(InplaceError, match=r"result of mul was changed by .*x\[0\] = … and then"):
        z.sum().backward()
    with pytest.raises(InplaceError, match="result of mul was changed"):
        h.backward(np.ones(2))
    with pytest.raises(InplaceError, match="result of mul was changed"):
        node_gradients(z.sum())


def test_a_second_write_does_not_hide_the_first() -> None:
    x = Tensor([1.0, 2.0], requires_grad=True)
    h = x * 1.0
    h[0] = 5.0
    z = h + 0.0
    h[0] = 6.0
    with pytest.raises(InplaceError, match="result of mul was changed"):
        z.sum().backward()


def test_a_write_in_place_drops_no_gradient() -> None:
    x, w = Tensor([1.0, 2.0], requires_grad=True), Tensor([0.0, 0.0])
    with pytest.raises(InplaceError, match="drop the gradient of the result of getitem"):
        w[0] = x[0]
    w[0] = x[0].detach()
    with library.no_grad():
        w[1] = x[1]
    assert w.value.tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("given", "error", "text"),
    [
        (lambda b, gy: (b.sum(gy, (0,)),), ShapeError, r"mine: .*\(\) for a value of \(2,\)"),
        (lambda b, gy: (b.broadcast_to(gy, (4, 2)),), ShapeError, r"mine: .* shape \(4, 2\)"),
        (lambda b, gy: (2.0,), ShapeError, r"mine: .* shape \(\)"),
        (lambda b, gy: (), OptionError, "mine: the gradient rule gives one value"),
        (lambda b, gy: None, OptionError, "mine: the gradient rule gives one value"),
    ],
)
def test_a_gradient_rule_of_the_users_that_is_wrong_is_explained(
    given: Any, error: type[Exception], text: str
) -> None:
    op = custom_op("mine", lambda a: a * 2, lambda b, y, gy, xs, want, attrs: given(b, gy))
    for back in (lambda y, x: y.backward(), lambda y, x: library.grad(y, [x], create_graph=True)):
        x = Tensor([1.0, 2.0], requires_grad=True)
        y = library.call(op, x * 1.0).sum()
        with pytest.raises(error, match=text):
            back(y, x)


def outcome(capture: Capture, size: int) -> Any:
    try:
        return capture.call({"x": np.arange(1.0, size + 1)}).outputs.tolist()
    except Refusal as refusal:
        return refusal.what.split(": in `")[0]


@pytest.mark.parametrize(
    ("result", "of_two"),
    [
        ("x[2:].max() + x", "max over no elements: f64[0]"),
        ("softmax(zeros(len(x) - 2)).sum() + x", "softmax over no elements: f64[0]"),
        ("layer_norm(ones(len(x) - 2)).sum() + x", "layer_norm over no elements: f64[0]"),
        ("zeros(len(x) - 3).sum() + x", "fill: a size cannot be -1"),
        ("zeros(3 - len(x)).sum() + x", [1.0, 2.0]),
    ],
)
def test_a_size_that_capture_computes_may_be_none_or_negative(result: str, of_two: Any) -> None:
    program = load(f"def f(x):\n    return {result}\n")
    capture = Capture(program)
    for size in (6, 5, 2, 7, 2):
        alone = Capture(program, limit=0)  # which runs eagerly: no size is symbolic
        assert outcome(capture, size) == outcome(alone, size)
    assert outcome(capture, 2) == of_two


def test_no_array_has_minus_one_elements() -> None:
    with pytest.raises(Refusal, match="a size cannot be -1"):
        Capture(load("def f(x):\n    return zeros(-1) + x\n")).call({"x": np.ones(2)})


@pytest.mark.parametrize("number", ["nan", "inf"])
def test_what_has_no_nearest_whole_number_is_not_rounded(number: str) -> None:
    # round(float("inf")) is an OverflowError in Python, round(float("nan")) a ValueError.
    for value in (f"x.sum() * {number}", number):
        program = load(f"def f(x=[1, 2]):\n    return x * round({value})\n")
        with pytest.raises(Refusal, match=f"{number} is not a whole number"):
            run_mode(program, "eager", [program.inputs], Options())


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("return x * (len(x) * 10**30)", "does not fit into 64 bits"),
        ("n = len(x)\n    for i in range(300):\n        n = n + n\n    return x", "257 bits"),
    ],
)
def test_numbers_from_symbolic_sizes_are_bounded_as_others_are(body: str, text: str) -> None:
    capture = Capture(load(f"def f(x):\n    {body}\n"))
    for size in (3, 4, 5):
        with pytest.raises(Refusal, match=text):
            capture.call({"x": np.ones(size)})


def test_a_run_can_be_stopped_between_two_passes() -> None:
    # 1 + 2 is folded, which leaves nodes without a use: a second pass would remove them.
    log = EventLog()

    def passes() -> list[str]:
        return [event.name for event in log if isinstance(event, PassApplied)]

    program = load("def f(x=[1, 2]):\n    return x * (array(1) + array(2))\n")
    options = Options(observer=log, cancelled=lambda: bool(passes()))
    with pytest.raises(Cancelled):
        run_mode(program, "static", [program.inputs], options)
    assert passes() == ["fold"]


def test_a_stale_gradient_that_does_not_fit_says_to_turn_guards_on() -> None:
    calls = ("x=[1,2]", "x=[1,2,3]")
    options = GraphOptions(program="dynamic_block", calls=calls, grad=("x",), no_guards=True)
    refusal = run(Asked(options)).calls[1].logs["capture"].refusal
    assert refusal is not None
    assert refusal.what == "the stale graph does not fit these inputs"
    assert refusal.hint == "turn guards on: they would draw it anew"
