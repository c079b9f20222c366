"""Capture equals eager on random programs and call sequences; without guards it must not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dgplay.core.graph.capture import Capture
from dgplay.core.graph.lang import load
from dgplay.core.graph.lang_code import Program
from dgplay.core.graph.lang_refusal import Refusal
from dgplay.core.graph.modes import Options, open_mode, run_mode
from dgplay.core.graph.passes import DEFAULT

NAMES = ("x", "y", "z")
EXPRESSIONS = (
    "{0} + {1}", "{0} * {1}", "{0} - {1} * 0.5", "sin({0})", "tanh({0}) + {1}", "{0} * k",
    "{0} + n", "{0}.sum() + {1}", "where({0} > {1}, {0}, {1} * 2)", "g({0}, {1})", "{0} / len(x)",
    "cond({0}.sum() > 0, lambda: {0} * 2, lambda: {1} + x)", "{0} * w", "sum(items) + {0}",
    "maximum({0}, {1})", "h({0})", "{0} if k > 2 else {1}", "{0} + v[0]", "{0} * v.sum() / 6",
    "{0} * u", "where({0} > 0, {1}, u)", "cast({0} * 8, dtype='int64') + {1}",
)  # fmt: skip
TESTS = ("{0}.sum() > 0", "k > 2", "len(x) > 3", "{0}.max() > {1}.max()", "n == 1",
         "not {0}.sum() > 1", "{0}.sum() > 0 and k < 4")  # fmt: skip
HELPERS = """
w = 1.5
v = int64([1, 2, 3])
u = float32([0.75])
def g(a, b):
    if a.sum() > b.sum():
        return a * 0.5
    return a + b * 0.25
def h(a):
    return relu(a) + abs(a) * 0.1
"""


@st.composite
def bodies(draw: st.DrawFn, depth: int = 0) -> list[str]:
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.sampled_from(("set", "set", "set", "if", "for", "print", "list", "n")))
        a, b, target = (draw(st.sampled_from(NAMES)) for _ in range(3))
        if kind == "set" or (depth > 1 and kind in ("if", "for")):
            value = draw(st.sampled_from(EXPRESSIONS)).format(a, b)
            lines.append(f"{target} = {value}")
        elif kind == "if":
            lines.append(f"if {draw(st.sampled_from(TESTS)).format(a, b)}:")
            lines += ["    " + line for line in draw(bodies(depth + 1))]
            if draw(st.booleans()):
                lines.append("else:")
                lines += ["    " + line for line in draw(bodies(depth + 1))]
        elif kind == "for":
            over = draw(st.sampled_from(("range(2)", "range(k)", "range(len(x) // 2)")))
            lines.append(f"for n in {over}:")
            lines += ["    " + line for line in draw(bodies(depth + 1))]
        elif kind == "print":
            lines.append(f"print({a}.sum(), n)")
        elif kind == "list":
            lines.append(f"items.append({a}.mean())")
        else:
            lines.append(draw(st.sampled_from(("n = n + 1", "n = len(items)", "n = k"))))
    return lines


@st.composite
def programs(draw: st.DrawFn) -> Program:
    start = ["n = 0", "items = [x.sum()]", "y = x * 0.5", "z = x - 1.0"]
    lines = [*start, *draw(bodies()), "return x, y, z, n, stack(items)"]
    return load(HELPERS + "def f(x, k):\n" + "".join(f"    {line}\n" for line in lines))


@st.composite
def calls(draw: st.DrawFn) -> list[dict[str, Any]]:
    found = []
    for _ in range(draw(st.integers(2, 5))):
        size = draw(st.sampled_from((1, 2, 3, 3, 4, 5)))
        dtype = draw(st.sampled_from((np.float64, np.float64, np.float64, np.float32)))
        seed = draw(st.integers(0, 4))
        values = np.random.default_rng(seed).standard_normal(size).astype(dtype)
        found.append({"x": values, "k": draw(st.integers(1, 4))})
    return found


def same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return (
            a.dtype == b.dtype
            and a.shape == b.shape
            and np.array_equal(a, b, equal_nan=True)
            and bool((np.signbit(a) == np.signbit(b))[~np.isnan(a)].all())
        )
    return type(a) is type(b) and a == b


def differences(
    program: Program, sequence: list[dict[str, Any]], capture: Capture, lines: list[str]
) -> list[str]:
    """Return what differs between eager and capture, call by call."""
    found: list[str] = []
    for number, item in enumerate(sequence):
        lines.clear()
        eager = run_mode(program, "eager", [item], Options(grads=("x",))).calls[0]
        try:
            captured = capture.call(item, ["x"])
        except Refusal as refusal:
            found.append(f"call {number}: {refusal}")
            continue
        for name, a, b in zip("xyzni", eager.outputs, captured.outputs, strict=True):
            if not same(a, b):
                found.append(f"call {number}: {name} {a} {b}")
        if not same(eager.gradients["x"], captured.gradients["x"]):
            found.append(f"call {number}: dx {eager.gradients} {captured.gradients}")
        if eager.prints != lines:
            found.append(f"call {number}: prints {eager.prints} {lines}")
    return found


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(programs(), calls(), st.integers(0, 8), st.booleans())
def test_capture_equals_eager_on_every_call(
    program: Program, sequence: list[dict[str, Any]], limit: int, dynamic: bool
) -> None:
    lines: list[str] = []
    capture = Capture(program, limit=limit, dynamic=dynamic, print_line=lines.append)
    assert differences(program, sequence, capture, lines) == []
    assert all(len(segment.entries) <= limit for segment in capture.segments.values())
    for miss in capture.misses:
        assert all(", was " in text for text in miss.failed)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(programs(), calls(), st.lists(st.sampled_from(DEFAULT), unique=True))
def test_static_equals_eager_where_it_can_draw_the_program(
    program: Program, sequence: list[dict[str, Any]], passes: list[str]
) -> None:
    static = open_mode(program, "static", Options(grads=("x",), passes=tuple(passes)))
    for item in sequence:
        eager = run_mode(program, "eager", [item], Options(grads=("x",))).calls[0]
        try:
            found = static.step(item)
        except Refusal as refusal:
            if "traced value" not in refusal.what:
                raise
            return
        assert all(same(a, b) for a, b in zip(eager.outputs, found.outputs, strict=True))
        assert same(eager.gradients["x"], found.gradients["x"])


PLANTED = {
    "a branch": ("if x.sum() > 0:\n        y = y * 100", [(3, 1), (-3, 1)]),
    "a Python number": ("y = y * k", [(3, 1), (3, 2)]),
    "a trip count": ("for row in x:\n        y = y + row", [(4, 1), (2, 1)]),
    "a row count": ("n = 0\n    for row in x:\n        n = n + 1\n    y = y * n", [(4, 1), (2, 1)]),
    "a size": ("y = y * len(x)", [(4, 1), (2, 1)]),
    "a print": ("print(x.sum())", [(3, 1), (4, 1)]),
}


@pytest.mark.parametrize("name", PLANTED)
def test_without_guards_the_planted_cases_are_stale_and_with_guards_right(name: str) -> None:
    line, inputs = PLANTED[name]
    items = "x, y, y, 0, stack([y.sum()])"
    program = load(f"def f(x, k):\n    y = x.sum() * 0.5\n    {line}\n    return {items}")
    sequence: list[dict[str, Any]] = [
        {"x": np.linspace(0.5, 1.5, abs(size)) * np.sign(size), "k": k} for size, k in inputs
    ]
    lines: list[str] = []
    guarded = Capture(program, print_line=lines.append)
    assert differences(program, sequence, guarded, lines) == []
    stale = Capture(program, guards=False, print_line=lines.append)
    found = differences(program, sequence, stale, lines)
    assert found
    assert all(text.startswith("call 1") for text in found)
    assert stale.compiles == len(stale.entries)


def test_a_stale_graph_that_does_not_fit_says_that_guards_are_off() -> None:
    capture = Capture(load("def f(x):\n    return x + ones(3)"), guards=False)
    capture.call({"x": np.ones(3)})
    with pytest.raises(Refusal, match="guards are off"):
        capture.call({"x": np.ones(4)})
