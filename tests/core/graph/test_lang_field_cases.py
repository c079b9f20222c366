"""Cases from the field (numbers of public reports), written in the program language."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dgplay.core.graph.bundled import bundled
from dgplay.core.graph.bundled import source as bundled_text
from dgplay.core.graph.capture import Capture
from dgplay.core.graph.events import EventLog, OpEnd
from dgplay.core.graph.feeds import bind, read_feeds
from dgplay.core.graph.lang import load
from dgplay.core.graph.modes import MODES, ModeCall, Options, run_mode
from dgplay.core.graph.views import repeats, rolled_text

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


#: Expressions of x at a kink, the value of x, and the one derivative of the published table.
KINK_CASES = [
    ("relu(x)", "0", 0.0),
    ("abs(x)", "0", 0.0),
    ("sqrt(x)", "0", np.inf),
    ("maximum(x, x * 1)", "2", 1.0),  # ½ + ½
    ("maximum(x, 2)", "2", 0.5),
    ("minimum(x, 2)", "2", 0.5),
    ("clip(x, 0, 1)", "0", 1.0),
    ("clip(x, 0, 1)", "1", 1.0),
    ("max(x)", "[2, 2, 1]", [0.5, 0.5, 0.0]),
]


@ANY_MODE
@pytest.mark.parametrize(("expression", "x", "expected"), KINK_CASES)
def test_case_4_one_derivative_at_a_kink(mode: str, expression: str, x: str, expected: Any) -> None:
    (call,) = calls(f"def f(x):\n    return {expression}", mode, f"x={x}", grads=("x",))
    assert call.gradients["x"].tolist() == expected


def test_case_11_a_python_number_recompiles_up_to_the_limit_and_then_says_so() -> None:
    capture = Capture(load("def f(x, k):\n    return (x * k).sum()"))
    found = [capture.call({"x": np.array([1.0, 2.0, 3.0]), "k": k}) for k in range(1, 13)]
    assert [float(call.outputs) for call in found] == [6.0 * k for k in range(1, 13)]
    assert [call.compiles for call in found] == [1, 2, 3, 4, 5, 6, 7, 8, 8, 8, 8, 8]
    assert [call.fell_back for call in found] == [False] * 8 + [True] * 4
    assert "past the limit of 8: runs eagerly" in capture.explain()


def test_case_13_a_second_size_makes_it_symbolic_and_one_is_special() -> None:
    source = "def f(x):\n    return sin(x).sum()"
    found = calls(source, "capture", *(f"x=ones({n})" for n in (4, 4, 4, 5, 6, 7, 1)))
    assert [call.compiles for call in found] == [1, 1, 1, 2, 2, 2, 3]


#: A recurrent layer with an output at every step; ``{y}`` is what a masked step gives.
OUTPUTS = """
def f(seq, mask):
    h = zeros(2)
    outputs = []
    for t in range(len(seq)):
        h = where(mask[t] > 0, tanh(h * 0.5 + seq[t]), h)
        outputs.append({y})
    return stack(outputs), h
"""
HELD, ZEROS = "h", "where(mask[t] > 0, h, 0)"
MASKED = "seq=[1, -0.5, 0.25, 9, 7]; mask=[1, 0, 1, 0, 0]"


@ANY_MODE
def test_case_17_a_masked_step_holds_the_output_before_it_bit_for_bit(mode: str) -> None:
    (call,) = calls(OUTPUTS.format(y=HELD), mode, MASKED, grads=("seq",))
    steps, last = call.outputs
    for masked in (1, 3, 4):
        assert steps[masked].tobytes() == steps[masked - 1].tobytes()
    assert last.tobytes() == steps[-1].tobytes()
    # What stands at a masked step reaches nothing.
    assert (call.gradients["seq"] == 0).tolist() == [False, True, False, True, True]


@ANY_MODE
def test_case_17_zeros_are_a_choice_of_their_own_and_leave_the_state(mode: str) -> None:
    (held,) = calls(OUTPUTS.format(y=HELD), mode, MASKED)
    (zeros,) = calls(OUTPUTS.format(y=ZEROS), mode, MASKED)
    assert zeros.outputs[0][[1, 3, 4]].tolist() == [[0.0, 0.0]] * 3
    assert zeros.outputs[0][[0, 2]].tobytes() == held.outputs[0][[0, 2]].tobytes()
    assert zeros.outputs[1].tobytes() == held.outputs[1].tobytes()


@ANY_MODE
def test_case_17_the_bundled_program_holds_and_names_the_other_choice(mode: str) -> None:
    program = bundled("rnn_masked")
    feeds = (
        "seq=[1, -0.5, 0.25]; mask=[1, 1, 1]",
        "seq=[1, -0.5, 0.25, 9, 7]; mask=[1, 1, 1, 0, 0]",
    )
    inputs = [bind(program.parameters, read_feeds([feed])) for feed in feeds]
    short, padded = run_mode(program, mode, inputs, Options()).calls
    assert padded.outputs[0].tobytes() == short.outputs[0].tobytes()
    assert "y = where(mask[t] > 0, h, 0)" in bundled_text("rnn_masked")


def test_case_22_a_break_is_told_once_a_line_the_sentence_first() -> None:
    program = load(
        "def f(x):\n    y = sin(x)\n    if y.sum() > 0:\n        y = y + 1\n    return y"
    )
    capture = Capture(program)
    for size in (3, 4, 1):  # three graphs end there
        capture.call({"x": np.ones(size)})
    told = [line for line in capture.explain().splitlines() if "break" in line]
    assert told == [
        "break at line 3, column 5 (x3): if decides on a traced value; "
        "Python needs y.sum() > 0 itself before it can go on"
    ]


def test_case_24_a_recurrent_network_folds_and_its_nodes_have_the_users_names() -> None:
    program = bundled("rnn_loop")
    (drawn,) = run_mode(program, "static", [{"seq": np.ones(20)}], Options()).drawn
    graph = drawn.raw
    (block,) = repeats(graph)
    assert block.count == 19  # the first of the twenty steps holds the constants
    folded = rolled_text(graph)
    assert "×19:" in folded
    assert len(folded.splitlines()) < len(graph.text().splitlines()) / 4
    assert "  # h; line 10" in folded
