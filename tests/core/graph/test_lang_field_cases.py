"""Cases from the field (numbers of public reports), written in the program language."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dgplay.core.graph.events import EventLog, OpEnd
from dgplay.core.graph.feeds import bind, read_feeds
from dgplay.core.graph.lang import load
from dgplay.core.graph.modes import MODES, ModeCall, Options, run_mode

ANY_MODE = pytest.mark.parametrize("mode", MODES)


def calls(source: str, mode: str, *feeds: str, **options: Any) -> list[ModeCall]:
    program = load(source)
    inputs = [bind(program.parameters, program.inputs, read_feeds([feed])) for feed in feeds]
    return run_mode(program, mode, inputs, Options(**options)).calls


@ANY_MODE
def test_case_1_zeros_of_both_signs_and_types_stay_apart(mode: str) -> None:
    source = "def f(x):\n    return 1 / (x * 0.0), 1 / (x * -0.0), x * nan + x * nan"
    (call,) = calls(source, mode, "x=[1]", grads=("x",))
    assert [o.tolist() for o in call.outputs[:2]] == [[np.inf], [-np.inf]]
    source = "def f(x):\n    return x + 1, x + 1.0"
    (call,) = calls(source, mode, "x=int64([1, 2])")
    assert [o.dtype for o in call.outputs] == [np.int64, np.float64]


@ANY_MODE
def test_case_2_zero_times_infinity_is_not_folded_without_fast_math(mode: str) -> None:
    (call,) = calls("def f(x):\n    return x * 0", mode, "x=[inf, nan, 2]")
    assert np.isnan(call.outputs[0][:2]).all()
    assert call.outputs[0][2] == 0.0


@ANY_MODE
def test_case_3_the_inactive_arm_of_where_and_of_cond(mode: str) -> None:
    where = "def f(x):\n    return where(x == 0, 0.0, x * sqrt(x))"
    safe = "    return where(x == 0, 0.0, y * sqrt(y)) + x * 0"
    twice = f"def f(x):\n    y = where(x == 0, 1.0, x)\n{safe}"
    cond = "def f(x):\n    return cond(x == 0, lambda: x * 0, lambda: x * sqrt(x))"
    for source, expected in ((where, np.nan), (twice, 0.0), (cond, 0.0)):
        (call,) = calls(source, mode, "x=0", grads=("x",))
        assert call.outputs == [0.0]
        assert np.array_equal(call.gradients["x"], expected, equal_nan=True)


@ANY_MODE
def test_case_9_a_row_count_is_never_baked_in(mode: str) -> None:
    source = "def f(x):\n    n = 0\n    for row in x:\n        n = n + 1\n    return n, x.sum()"
    found = calls(source, mode, "x=ones(20, 2)", "x=ones(5, 2)")
    assert [call.outputs[0] for call in found] == [20, 5]


@ANY_MODE
def test_case_14_only_the_arm_taken_runs(mode: str) -> None:
    log = EventLog()
    source = "def f(x, y, z):\n    return cond(x < y, lambda: x + z, lambda: y ** 2)"
    (call,) = calls(source, mode, "x=7; y=5; z=1", observer=log)
    assert call.outputs == [25.0]
    ran = [event.op for event in log if isinstance(event, OpEnd)]
    assert "add" not in ran
    assert "pow" in ran


LOOPS = [
    ("while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2), 0, x)[1]", 2.0, 16.0, 8.0),
    ("while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * (i + 1)), 0, x)[1]", 2.0, 12.0, 6.0),
    ("while_loop(lambda x: x < 100, lambda x: x * x, x)", 2.0, 256.0, 1024.0),
    ("while_loop(lambda x: x < 100, lambda x: x * x, x)", 200.0, 200.0, 1.0),
]


@ANY_MODE
@pytest.mark.parametrize(("loop", "x", "value", "gradient"), LOOPS)
def test_case_15_reverse_mode_through_while(
    loop: str, x: float, value: float, gradient: float, mode: str
) -> None:
    (call,) = calls(f"def f(x):\n    return {loop}", mode, f"x={x}", grads=("x",))
    assert call.outputs == [value]
    assert call.gradients["x"] == gradient
