"""``@capture`` on a helper: captured in eager mode, drawn inline in the others, same numbers."""

from __future__ import annotations

import numpy as np
import pytest

from dgplay.core.graph.events import CompileEnd, EventLog, GraphBreak
from dgplay.core.graph.feeds import bind
from dgplay.core.graph.lang import load
from dgplay.core.graph.modes import MODES, ModeRun, Options, run_mode

SOURCE = """
@capture
def block(x, k):
    y = sin(x) * k
    if y.sum() > 0:
        return y + 1, y * y
    return y - x, y

def f(x=[0.5, 1, 2]):
    total = x.sum() * 0
    for k in range(3):
        a, b = block(x - k, k + 1)
        total = total + (a * b).sum()
    return total
"""


def run(source: str, mode: str, *sizes: int, log: EventLog | None = None) -> ModeRun:
    program = load(source)
    calls = [bind(("x",), {"x": np.linspace(0.5, 2.0, size)}) for size in sizes]
    return run_mode(program, mode, calls, Options(grads=("x",), observer=log))


def test_a_helper_is_captured_in_eager_and_gives_the_numbers_of_plain_eager() -> None:
    log = EventLog()
    marked = run(SOURCE, "eager", 3, 3, 4, log=log)
    plain = run(SOURCE.replace("@capture\n", ""), "eager", 3, 3, 4)
    for found, wanted in zip(marked.calls, plain.calls, strict=True):
        assert np.allclose(found.outputs[0], wanted.outputs[0], rtol=1e-14)
        assert np.allclose(found.gradients["x"], wanted.gradients["x"], rtol=1e-14)
    assert [call.compiles for call in marked.calls] == [5, 5, 10]
    assert [call.compiles for call in plain.calls] == [0, 0, 0]
    assert len([e for e in log if isinstance(e, CompileEnd)]) == 10
    assert {e.line for e in log if isinstance(e, GraphBreak)} == {5}


@pytest.mark.parametrize("mode", MODES)
def test_without_decisions_it_works_in_every_mode_with_the_same_bits(mode: str) -> None:
    source = "@capture\ndef g(x):\n    return sin(x) * 2 + 1\ndef f(x):\n    return g(x).sum()"
    found = run(source, mode, 4).calls[0]
    wanted = run(source.replace("@capture\n", ""), "eager", 4).calls[0]
    assert found.outputs[0].tobytes() == wanted.outputs[0].tobytes()
    assert found.gradients["x"].tobytes() == wanted.gradients["x"].tobytes()


def test_a_captured_helper_needs_fewer_launches() -> None:
    source = "@capture\ndef g(x):\n    return sin(x) * 2 + 1\ndef f(x):\n    return g(x).sum()"
    options = Options()
    inputs = [{"x": np.ones(3)}]
    marked = run_mode(load(source), "eager", inputs, options)
    plain = run_mode(load(source.replace("@capture\n", "")), "eager", inputs, options)
    assert (marked.stats.launches, plain.stats.launches) == (2, 4)
    assert marked.order[0].startswith("%1 = g x") or "g x" in marked.order[0]


def test_past_the_limit_a_helper_runs_eagerly_and_stays_right() -> None:
    source = SOURCE.replace("range(3)", "range(12)")
    found = run(source, "eager", 3).calls[0]
    wanted = run(source.replace("@capture\n", ""), "eager", 3).calls[0]
    assert np.allclose(found.outputs[0], wanted.outputs[0], rtol=1e-13)
    assert np.allclose(found.gradients["x"], wanted.gradients["x"], rtol=1e-13)


def test_arguments_that_cannot_enter_run_inline() -> None:
    source = """
@capture
def g(h, xs):
    return h(xs[0]) + xs[1]
def f(x):
    return g(lambda y: y * 2, [x, x + 1]).sum()
"""
    found = run(source, "eager", 2).calls[0]
    assert found.outputs[0] == np.linspace(0.5, 2.0, 2).sum() * 3 + 2
    assert found.compiles == 0
