"""The eager mode as a small library: tape, errors, higher derivatives, custom ops, events."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

from dgplay.core.graph import library
from dgplay.core.graph.eager import EagerBuilder
from dgplay.core.graph.errors import (
    DTypeError,
    FreedError,
    InplaceError,
    NotDifferentiableError,
    OptionError,
    ShapeError,
)
from dgplay.core.graph.events import (
    EventLog,
    GradContrib,
    GradReady,
    NonFinite,
    OpEnd,
    TapeFreed,
    TapeSaved,
)
from dgplay.core.graph.library import custom_op, first_nonfinite, grad, node_gradients
from dgplay.core.graph.recording import no_grad
from dgplay.core.graph.replay import Frames, frame
from dgplay.core.graph.static import GraphBuilder, Sym
from dgplay.core.graph.tensor import Tensor


def test_operators_follow_numpy() -> None:
    x, y = np.array([1.0, -2.0, 3.0]), np.array([2.0, 2.0, 0.5])
    a, b = Tensor(x), Tensor(y)
    pairs = [
        (a + b, x + y), (a - b, x - y), (a * b, x * y), (a / b, x / y), (a**2, x**2),
        (2 - a, 2 - x), (1 / a, 1 / x), (a // b, x // y), (a % b, x % y), (-a, -x),
        (abs(a), abs(x)), (a @ b, x @ y), (a[1:], x[1:]), (a[-1], x[-1]), (a < b, x < y),
        (a >= b, x >= y), (a.max(), x.max()), (a.mean(), x.mean()), (a.T, x.T),
        (a.clip(-1, 1), x.clip(-1, 1)), (a.reshape(3, 1), x.reshape(3, 1)),
        ((a > 0) & ~(b > 1), (x > 0) & ~(y > 1)), (2**b, 2**y), (a.relu(), x.clip(0)),
    ]  # fmt: skip
    for mine, theirs in pairs:
        np.testing.assert_array_equal(mine.value, theirs)
        assert mine.value.dtype == np.asarray(theirs).dtype
    assert [t.item() for t in a] == x.tolist()
    assert len(a) == 3


def test_number_beside_a_tensor_is_weak() -> None:
    assert (Tensor(np.float32([1, 2])) * 2.5).dtype == np.float32
    assert (Tensor([1, 2]) + 1).dtype == np.int64
    assert (Tensor([1, 2]) + 1.0).dtype == np.float64
    assert (Tensor([1, 2]) / 2).dtype == np.float64


def test_fan_out_accumulates() -> None:
    x = Tensor(3.0, requires_grad=True)
    y = x * x + x * x + x
    y.backward()
    assert x.grad is not None
    assert x.grad.item() == 13.0
    x.grad = None


def test_contributions_add_up_from_the_last_consumer() -> None:
    x = Tensor(1.0, requires_grad=True)
    parts = [x * Tensor(c) for c in (1e16, 1.0, -1e16)]
    (parts[0] + parts[1] + parts[2]).backward()
    assert x.grad is not None
    assert x.grad.item() == (-1e16 + 1.0) + 1e16


def test_no_grad_records_nothing_and_restores() -> None:
    x = Tensor(2.0, requires_grad=True)
    with no_grad():
        assert not (x * x).requires_grad
    with pytest.raises(ShapeError), no_grad():
        Tensor([1.0, 2.0]) + Tensor([1.0, 2.0, 3.0])
    assert (x * x).requires_grad
    seen = []
    with no_grad():
        thread = threading.Thread(target=lambda: seen.append((x * x).requires_grad))
        thread.start()
        thread.join()
    assert seen == [True]


def test_freed_values_are_named() -> None:
    x = Tensor(2.0, requires_grad=True)
    y = x * x
    y.sum().backward()
    with pytest.raises(FreedError, match="the result of mul"):
        (y + 1.0).backward()
    assert x.grad is not None
    assert x.grad.item() == 4.0


def test_in_place_write_names_writer_and_saver() -> None:
    x = Tensor([1.0, 2.0], requires_grad=True)
    h = x * 2.0
    y = h * h
    h[0] = 5.0
    with pytest.raises(InplaceError, match=r"result of mul.*in-place write x\[0\]"):
        y.sum().backward()
    assert x.grad is None


def test_in_place_write_of_what_is_not_saved_is_fine() -> None:
    x = Tensor([1.0, 2.0], requires_grad=True)
    h = x * 2.0
    y = h + 1.0
    h[0] = 5.0
    y.sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [2.0, 2.0]


def test_in_place_write_to_a_result_that_exp_saved() -> None:
    x = Tensor([1.0], requires_grad=True)
    y = x.exp()
    y.assign([0.0], writer="my write")
    with pytest.raises(InplaceError, match="my write"):
        y.sum().backward()


def test_in_place_write_after_control_flow_or_a_custom_op_saved() -> None:
    def through_cond(h: Tensor) -> Any:
        return library.cond(h > 0.0, lambda b, h: h * h, lambda b, h: h, h)

    def through_while(h: Tensor) -> Any:
        return library.while_loop(lambda b, y: y < 9.0, lambda b, y: y * h, h)[0]

    square = custom_op("square", lambda a: a * a, lambda b, y, gy, xs, want, attrs: (gy,))
    for function in (through_cond, through_while, lambda h: library.call(square, h)):
        x = Tensor(2.0, requires_grad=True)
        h = x * 1.0
        y = function(h)
        h.assign(5.0)
        with pytest.raises(InplaceError, match="changed by an in-place write"):
            y.backward()


def test_print_op_in_eager_mode() -> None:
    lines: list[str] = []
    b = EagerBuilder(print_line=lines.append)
    b.call("print", b.input([1.0, 2.0]), 3, parts=("x is", None, "and", None))
    assert lines == ["x is [1.0, 2.0] and 3"]


def test_leaf_write_needs_no_grad() -> None:
    x = Tensor([1.0], requires_grad=True, name="w")
    with pytest.raises(InplaceError, match="w requires a gradient"):
        x[0] = 2.0
    with no_grad():
        x[0] = 2.0
    assert x.value.tolist() == [2.0]


def test_higher_derivatives() -> None:
    x = Tensor(2.0, requires_grad=True)
    y = x**4
    values = []
    for _ in range(4):
        (y,) = grad(y, [x], create_graph=True)
        values.append(y.item())
    assert values == [32.0, 48.0, 48.0, 24.0]


def test_second_derivative_through_cond_and_through_while() -> None:
    x = Tensor(2.0, requires_grad=True)
    y = library.cond(x > 0.0, lambda b, x: x * x * x, lambda b, x: x, x)
    (first,) = grad(y, [x], create_graph=True)
    assert (first.item(), grad(first, [x])[0].item()) == (12.0, 12.0)
    (z,) = library.while_loop(lambda b, z: z < 50.0, lambda b, z: z * z, x)
    (first,) = grad(z, [x], create_graph=True)
    # z = x ** 8 after three trips: 8 * 2 ** 7 and 8 * 7 * 2 ** 6
    assert (first.item(), grad(first, [x])[0].item()) == (1024.0, 3584.0)


def test_operators_on_outer_tensors_draw_inside_the_arm() -> None:
    log = EventLog()
    b = EagerBuilder(log)
    x, z = b.input(2.0), b.input(3.0)
    y = b.cond(x > 5.0, lambda b: x.exp() + z, lambda b: x * z)
    assert y.item() == 6.0
    assert [e.op for e in log if isinstance(e, OpEnd) and e.launches] == ["greater", "mul"]


def test_custom_vjp() -> None:
    def vjp(b: Any, y: Any, gy: Any, xs: Any, want: Any, attrs: Any) -> Any:
        return (b.mul(gy, 10.0),)  # not the true slope, to see that ours is used

    straight = custom_op("round_through", np.round, vjp)
    x = Tensor([0.4, 1.6], requires_grad=True)
    y = library.call(straight, x)
    y.sum().backward()
    assert y.value.tolist() == [0.0, 2.0]
    assert x.grad is not None
    assert x.grad.tolist() == [10.0, 10.0]


def test_unconnected_gradient_is_zeros() -> None:
    x, z = Tensor([1.0, 2.0], requires_grad=True), Tensor(1.0, requires_grad=True)
    assert grad(z * 2.0, [x, z])[0].value.tolist() == [0.0, 0.0]


def test_node_gradients() -> None:
    x = Tensor(3.0, requires_grad=True)
    y = x * x
    z = y + x
    found = node_gradients(z)
    assert [found[t.id].item() for t in (x, y, z)] == [7.0, 1.0, 1.0]


def test_first_nonfinite_is_located() -> None:
    x = Tensor([1.0, 0.0], requires_grad=True)
    with np.errstate(all="ignore"):
        y = x.log()
        z = (y * 0.0).sum()
    found = first_nonfinite(z)
    assert found is y
    log = EventLog()
    b = EagerBuilder(log)
    x = b.input([1.0, 0.0], "x", requires_grad=True)
    (x.log() * 0.0).sum()
    (event,) = [e for e in log if isinstance(e, NonFinite)]
    assert (event.op, event.infs, event.flags) == ("log", 1, ("divide by zero",))


def test_errors_name_what_does_not_fit() -> None:
    with pytest.raises(ShapeError, match=r"add: shapes \(2,\) and \(3,\) do not broadcast"):
        Tensor([1.0, 2.0]) + Tensor([1.0, 2.0, 3.0])
    with pytest.raises(ShapeError, match="matmul"):
        Tensor(np.ones((2, 3))) @ Tensor(np.ones((2, 3)))
    with pytest.raises(DTypeError, match="element type"):
        Tensor("text")
    with pytest.raises(DTypeError):
        Tensor([True]) + Tensor([True])
    with pytest.raises(NotDifferentiableError):
        Tensor([1], requires_grad=True)
    with pytest.raises(NotDifferentiableError):
        Tensor([1.0]).backward()
    with pytest.raises(OptionError, match="did you mean tanh"):
        library.call("tahn", Tensor(1.0))
    with pytest.raises(OptionError, match="no option axes"):
        library.call("sum", Tensor([1.0]), axes=0)


def test_values_do_not_share_memory_with_the_caller() -> None:
    source = np.ones(3)
    x = Tensor(source)
    y = x.reshape(3)
    source[0] = 7.0
    assert x.value.tolist() == [1.0, 1.0, 1.0]
    assert not np.shares_memory(x.value, y.value)
    with pytest.raises(ValueError, match="read-only"):
        x.numpy()[0] = 1.0


def test_ten_thousand_nodes() -> None:
    x = Tensor(1.0, requires_grad=True)
    y = x
    for _ in range(10_000):
        y = y + x
    y.backward()
    assert x.grad is not None
    assert x.grad.item() == 10_001.0


def watched() -> tuple[EventLog, EagerBuilder]:
    log = EventLog()
    b = EagerBuilder(log)
    x, y = b.input(2.0, "x", requires_grad=True), b.input(3.0, "y", requires_grad=True)
    z = b.call("add", b.call("mul", x, x), b.call("mul", x, y))
    found = b.gradients([z], [x, y])
    assert [g.item() for g in found] == [7.0, 2.0]
    return log, b


def test_events_of_a_run() -> None:
    log, b = watched()
    saved = [(e.node, e.saved) for e in log if isinstance(e, TapeSaved)]
    assert saved == [(2, (0, 0)), (3, (0, 1))]
    assert len([e for e in log if isinstance(e, TapeFreed)]) == 3
    to_x = [e for e in log if isinstance(e, GradContrib) and e.target == 0]
    assert [(e.source, e.order, e.value.first) for e in to_x] == [
        (3, 0, (3.0,)), (2, 1, (2.0,)), (2, 2, (2.0,)),
    ]  # fmt: skip
    ready = {e.node: e.norm for e in log if isinstance(e, GradReady)}
    assert (ready[0], ready[1], ready[4]) == (7.0, 2.0, 1.0)
    assert b.stats.dispatches == 4
    assert b.stats.launches == len([e for e in log if isinstance(e, OpEnd) and e.launches])


def test_replay_reproduces_every_value_and_steps_back() -> None:
    log, b = watched()
    events = list(log)
    last = frame(events)
    assert [last.values["", i].first for i in (2, 3, 4)] == [(4.0,), (6.0,), (10.0,)]
    assert last.peak_bytes == b.stats.peak_bytes
    frames = Frames(events, spacing=7)
    for position in (0, 5, len(events), 12, 6):
        assert frames.at(position) == frame(events, position)


def test_allocations_and_frees_balance() -> None:
    log, b = watched()
    assert frame(log).live_bytes == b._interpreter.live


def test_an_array_on_the_left_is_an_operand_like_any_other() -> None:
    array = np.array([3.0, 4.0])
    x = Tensor([1.0, 2.0], requires_grad=True)
    y = array * x + array @ x - array / x
    assert isinstance(y, Tensor)
    assert y.value.tolist() == [11.0, 17.0]  # 3 + 11 - 3 and 8 + 11 - 2
    assert isinstance(array > x, Tensor)
    (np.float64(3.0) * x).sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [3.0, 3.0]
    drawn = GraphBuilder()
    assert isinstance(array - drawn.placeholder("x", (2,)), Sym)
