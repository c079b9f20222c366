"""Graph breaks: where, why, how computed; segments cached per branch; values carried across."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dgplay.core.graph.bundled import bundled
from dgplay.core.graph.capture import Capture
from dgplay.core.graph.events import BranchTaken, EventLog, GraphBreak, Printed
from dgplay.core.graph.lang import load
from dgplay.core.graph.modes import Options, run_mode

CASE_8 = """def f(x):
    y = sin(x)
    if y.sum() > 0:
        y += 1
    return 2 * y
"""


def test_case_8_breaks_once_at_its_line_and_both_branches_are_right() -> None:
    log = EventLog()
    capture = Capture(load(CASE_8), observer=log)
    up = capture.call({"x": np.ones(3)}, ["x"])
    down = capture.call({"x": -np.ones(3)}, ["x"])
    assert up.outputs.tolist() == [3.682941969615793] * 3
    assert down.outputs.tolist() == [-1.682941969615793] * 3
    assert up.gradients["x"].tolist() == down.gradients["x"].tolist() == [2 * np.cos(1.0)] * 3
    (only,) = capture.breaks.values()
    ending = only.ending
    assert only.count == 1
    assert (ending.place.line, ending.place.column) == (3, 5)
    assert ending.where == "sin→sum→gt"
    assert "y.sum() > 0" in ending.why
    assert "cond" in ending.hint
    assert (len(capture.segments), capture.compiles) == (3, 3)
    assert capture.call({"x": np.ones(3)}, ["x"]).compiles == 3
    assert len([e for e in log if isinstance(e, GraphBreak)]) == 3
    taken = [e.taken for e in log if isinstance(e, BranchTaken)]
    assert taken == [True, False, True]


def test_dynamic_block_breaks_at_its_if_and_its_twin_does_not() -> None:
    log = EventLog()
    capture = Capture(bundled("dynamic_block"), observer=log)
    for x, wanted, gradient, branches in (
        ([1.0, 2.0], [0.531441, 1.062882], 0.531441, "TTTTTT"),
        ([-2.5, 0.2], [-0.32805, 1.44342], 0.6561, "FFTTTT"),
    ):
        before = log.emitted
        found = capture.call({"x": np.array(x), "steps": 6}, ["x"])
        assert np.allclose(found.outputs, wanted, rtol=1e-12)
        assert np.allclose(found.gradients["x"], gradient, rtol=1e-12)
        events = list(log)[before:]
        taken = ["T" if e.taken else "F" for e in events if isinstance(e, BranchTaken)]
        assert "".join(taken) == branches
        twin = Capture(bundled("static_block")).call({"x": np.array(x), "steps": 6}, ["x"])
        assert twin.outputs.tobytes() == found.outputs.tobytes()
        assert twin.gradients["x"].tobytes() == found.gradients["x"].tobytes()
        assert twin.compiles == 1
    assert len(capture.segments) == 3  # the start, and one position for each branch
    (only,) = capture.breaks.values()
    assert (only.ending.place.line, only.ending.request) == (6, "if")
    assert not capture.fallback


def test_two_loops_around_a_break_are_guarded_though_their_sentences_are_one() -> None:
    source = """def g(a, b):
    if a.sum() > b.sum():
        return a * 0.5
    return a + b * 0.25
def f(x):
    z = x - 1.0
    for n in range(2):
        for n in range(2):
            z = g(x, z)
        z = x + x
    if x.sum() > 0:
        x = x + x
    return x, n
"""
    # In the last trip of both loops each guard reads "the loop: next is 2 with 0 left"; a graph
    # that is compiled there does not serve the last inner trip of the first outer one.
    capture = Capture(load(source))
    for value, result in ((-0.625, -0.625), (0.125, 0.25)):
        found, last = capture.call({"x": np.array([value])}).outputs
        assert (found.tolist(), last) == ([result], 1)


REQUESTS = {
    "print": "print(y.sum())",
    "int": "k = int(y.sum())",
    "float": "k = float(y.sum())",
    "bool": "k = bool(y.sum() > 0)",
    "item": "k = y.sum().item()",
    "tolist": "k = y.tolist()",
    "round": "k = round(y.sum())",
    "not": "k = not y.sum() > 100",
    "and": "k = y.sum() > 0 and y.sum() < 9",
    "or": "k = y.sum() > 0 or y.sum() < 9",
    "range": "for i in range(cast(y.sum(), 'int64')):\n        y = y + i",
    "while": "while y.sum() < 50:\n        y = y * 2",
    "index": "k = [10, 20][cast(y.sum() * 0, 'int64')]",
    "conditional": "k = 1 if y.sum() > 0 else 2",
}


@pytest.mark.parametrize("request_", REQUESTS)
def test_everything_that_python_must_answer_breaks_and_goes_on(request_: str) -> None:
    source = f"def f(x, k=0.5):\n    y = x * 3\n    {REQUESTS[request_]}\n    return y * 2, k"
    program = load(source)
    inputs = [{"x": np.array(v), "k": np.array(0.5)} for v in ([1.0, 2.0], [0.5, 1.5], [2.0, 0.1])]
    capture = Capture(program)
    eager = run_mode(program, "eager", inputs, Options(grads=("x",)))
    for item, wanted in zip(inputs, eager.calls, strict=True):
        found = capture.call(item, ["x"])
        for a, b in zip(found.outputs, wanted.outputs, strict=True):
            assert type(a) is type(b)
            assert np.asarray(a).tobytes() == np.asarray(b).tobytes()
        assert found.gradients["x"].tobytes() == wanted.gradients["x"].tobytes()
    assert {item.ending.request for item in capture.breaks.values()} == {request_}
    assert {item.ending.place.line for item in capture.breaks.values()} == {3}


def test_prints_happen_in_order_at_every_call() -> None:
    source = """def f(x):
    print('start')
    y = x * 2
    print('y', y)
    z = y + 1
    print('z', z, 3)
    return z
"""
    lines: list[str] = []
    log = EventLog()
    capture = Capture(load(source), print_line=lines.append, observer=log)
    for value in (1.0, 5.0):
        capture.call({"x": np.array(value)})
    assert lines == ["start", "y 2.0", "z 3.0 3", "start", "y 10.0", "z 11.0 3"]
    assert [e.text for e in log if isinstance(e, Printed)] == lines
    assert capture.compiles == 4
    assert [b.ending.place.line for b in capture.breaks.values()] == [2, 4, 6]


STATES = {
    "lists stay shared across a break": """
def f(x):
    a = [x]
    b = a
    print('go')
    b.append(x * 2)
    print(len(a))
    a.append(x * 3)
    return stack(b)
""",
    "closures stay live across a break": """
def f(x):
    k = 1.0
    def scale(y):
        return y * k
    print('go')
    k = 3.0
    return scale(x)
""",
    "a break inside a called function, in the middle of an expression": """
def g(y):
    if y.sum() > 1:
        return y * 2
    return y - 1
def f(x):
    return x + g(x * 0.5) * g(x + 1)
""",
    "a break while looping over rows": """
def f(x):
    total = x[0] * 0
    for i, row in enumerate(x):
        if row > 0.5:
            total = total + row * i
        else:
            total = total - row
    return total
""",
    "a break inside a recursive function": """
def g(x, n):
    if n == 0:
        return x
    if x.sum() > 0:
        return g(x - 0.3, n - 1) + 1
    return g(x + 0.7, n - 1) * 2
def f(x):
    return g(x, 4)
""",
    "a value used on both sides of a break": """
def f(x):
    y = sin(x)
    z = y * x
    if z.sum() > 0:
        w = z + y
    else:
        w = z - y * y
    print('middle')
    return w * y + z, x, y
""",
    "two names for one tensor": """
def f(x):
    y = x * 2
    z = y
    print('go')
    w = z * y
    print('on')
    return w + z + y
""",
    "a size carried across a break": """
def f(x):
    n = len(x)
    print('go')
    return (x / n).sum() * n
""",
    "a loop in the graph, then a break": """
def f(x):
    y = while_loop(lambda y: y.sum() < 5, lambda y: y * 1.5 + 0.1, x)
    if y.sum() > 6:
        y = y * 2
    return while_loop(lambda y: y.sum() < 50, lambda y: y * x * 3 + y, y)
""",
}


@pytest.mark.parametrize("name", STATES)
def test_the_state_survives_breaks(name: str) -> None:
    program = load(STATES[name])
    inputs = [
        {"x": np.array(v)}
        for v in ([1.0, 2.0, 0.25], [0.2, 0.9, 0.4], [1.0, 2.0, 0.25], [0.7, 0.8], [0.1, 0.6, 0.3])
    ]
    eager = run_mode(program, "eager", inputs, Options(grads=("x",)))
    capture = Capture(program)
    for item, wanted in zip(inputs, eager.calls, strict=True):
        found = capture.call(item, ["x"])
        outputs = found.outputs if isinstance(found.outputs, tuple) else (found.outputs,)
        assert [o.tobytes() for o in outputs] == [o.tobytes() for o in wanted.outputs]
        assert found.gradients["x"].tobytes() == wanted.gradients["x"].tobytes()
    assert capture.breaks


def test_explain_lists_segments_guards_breaks_and_misses() -> None:
    capture = Capture(load(CASE_8), dynamic=False)
    for size in (3, 4, 3):
        capture.call({"x": np.ones(size)})
    text = capture.explain()
    assert text.splitlines()[0] == "2 segments, 4 compiles"
    assert "break at line 3, column 5 (x2): if decides on a traced value" in text
    assert "computed as sin→sum→gt" in text
    assert "guard x: shape[0] == 3 (1 hits, 1 misses)" in text
    assert "recompile of segment 0: x: shape[0] == 3, was 4" in text


def test_sessions_of_a_call_are_its_dispatches() -> None:
    capture = Capture(load(CASE_8))
    capture.call({"x": np.ones(3)})
    found: Any = capture.call({"x": np.ones(3)})
    assert found.stats.dispatches == 2
    assert len(found.entries) == 2
