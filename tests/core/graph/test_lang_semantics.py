"""The language means what Python means: the same program in both gives the same numbers."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

from dgplay.core.graph.feeds import bind, read_feeds
from dgplay.core.graph.lang import load
from dgplay.core.graph.lang_refusal import Refusal
from dgplay.core.graph.modes import MODES, Options, run_mode


def outputs(source: str, feed: str = "", mode: str = "eager") -> list[Any]:
    program = load(source)
    inputs = bind(program.parameters, program.inputs, read_feeds([feed]) if feed else {})
    run = run_mode(program, mode, [inputs], Options())
    return [o.tolist() if isinstance(o, np.ndarray) else o for o in run.calls[0].outputs]


NUMBERS = [
    ("7 // 2, -7 // 2, 7 % 3, -7 % 3, 2 ** 10, 7 / 2", [3, -4, 1, 2, 1024, 3.5]),
    ("-3 + 4 * 2, +5, ~True, not 0, not 3", [5, 5, False, True, False]),
    ("1 < 2 < 3, 1 < 2 > 3, 1 == 1.0, 1 != 2, True and 2, 0 or 3", [
        True, False, True, True, 2, 3]),
    ("3 if 1 > 2 else 4, min(3, 1, 2), max(1, 5), abs(-2), len((1, 2, 3))", [4, 1, 5, 2, 3]),
    ("int(2.9), float(3), bool(0), round(2.5), int(-2.9)", [2, 3.0, False, 2, -2]),
    ("(1, 2)[1], [3, 4][-1], (1, 2, 3)[0:2], (1,) + (2,)", [2, 4, [1, 2], [1, 2]]),
    ("pi > 3.14, inf > 10 ** 9, nan == nan, -inf", [True, True, False, float("-inf")]),
    ("None is None, (1, 2) == (1, 2), (1, 2) != (1, 2, 3)", [True, True, True]),
]  # fmt: skip


@pytest.mark.parametrize(("expression", "expected"), NUMBERS)
@pytest.mark.parametrize("mode", MODES)
def test_python_numbers(expression: str, expected: list[Any], mode: str) -> None:
    found = outputs(f"def f(x=1):\n    return {expression}", mode=mode)
    assert [list(v) if isinstance(v, tuple) else v for v in found] == expected
    assert [type(v) for v in found if not isinstance(v, (list, tuple))] == [
        type(v) for v in expected if not isinstance(v, list)
    ]


CONTROL = {
    "break": ("""
def f(x=1):
    total = 0
    for i in range(10):
        if i == 3:
            continue
        if i == 6:
            break
        total += i
    return total""", [0 + 1 + 2 + 4 + 5]),
    "while": ("""
def f(x=1):
    n = 1
    while True:
        n = n * 2
        if n > 100:
            break
    return n""", [128]),
    "nested loops": ("""
def f(x=1):
    found = []
    for i in range(3):
        for j in range(i, 4, 2):
            if j == 3:
                break
            found.append(10 * i + j)
    return stack(found)""", [[0.0, 2.0, 11.0, 22.0]]),
    "unpacking": ("""
def f(x=1):
    a, (b, c) = 1, (2, 3)
    a, b = b, a
    d = e = a + b
    return a, b, c, d, e""", [2, 1, 3, 3, 3]),
    "closures see later assignments": ("""
def f(x=1):
    k = 1
    g = lambda y: y * k
    k = 3
    return g(2)""", [6]),
    "nested recursion": ("""
def f(x=1):
    def fact(n):
        return 1 if n == 0 else n * fact(n - 1)
    return fact(6)""", [720]),
    "defaults and names": ("""
def g(a, b=2, c=3):
    return 100 * a + 10 * b + c
def f(x=1):
    return g(1), g(1, c=9), g(b=5, a=4)""", [123, 129, 453]),
    "zip and enumerate": ("""
def f(x=[1, 2, 3]):
    total = 0.0
    for i, (a, b) in enumerate(zip(x, (10, 20))):
        total = total + a * b + i
    return total""", [51.0]),
    "elif": ("""
def g(n):
    if n < 0:
        return -1
    elif n == 0:
        return 0
    else:
        return 1
def f(x=1):
    return g(-5), g(0), g(7)""", [-1, 0, 1]),
    "global constants": ("""
w = [1, 2]
k = 3
def f(x=2):
    return x * w * k""", [[6.0, 12.0]]),
    "list shared by two names": ("""
def f(x=1):
    a = [1]
    b = a
    b.append(2)
    return len(a)""", [2]),
    "no return": ("def f(x=1):\n    y = x\n", [None]),
}  # fmt: skip


@pytest.mark.parametrize("name", CONTROL)
@pytest.mark.parametrize("mode", MODES)
def test_control_flow(name: str, mode: str) -> None:
    source, expected = CONTROL[name]
    assert outputs(source, mode=mode) == expected


TENSORS = [
    ("x.sum(), x.mean(), x.max(), min(x)", [6.0, 2.0, 3.0, 1.0]),
    ("x.shape[0], len(x), x.ndim, x.size, x.T", [3, 3, 1, 3, [1.0, 2.0, 3.0]]),
    ("x[0], x[-1], x[1:], x[::2], x[None]", [1.0, 3.0, [2.0, 3.0], [1.0, 3.0], [[1, 2, 3]]]),
    ("maximum(x, 2.0), max(x, 2.5), where(x > 1, x, 0.0)", [
        [2.0, 2.0, 3.0], [2.5, 2.5, 3.0], [0.0, 2.0, 3.0]]),
    ("x @ x, -x, 2 ** x, 1 / x, x % 2, x // 2", [
        14.0, [-1.0, -2.0, -3.0], [2.0, 4.0, 8.0], [1.0, 0.5, 1 / 3], [1.0, 0.0, 1.0],
        [0.0, 1.0, 1.0]]),
    ("sum(x, 0), stack([x, x]).sum(axis=0), concat([x, x]).shape", [
        6.0, [2.0, 4.0, 6.0], [6]]),
    ("x.reshape(3, 1).shape, reshape(x, (1, -1)).shape, clip(x, 1.5, 2.5)", [
        [3, 1], [1, 3], [1.5, 2.0, 2.5]]),
    ("(x > 1) & (x < 3), ~(x > 1), x == 2", [
        [False, True, False], [True, False, False], [False, True, False]]),
    ("zeros(2), ones((1, 2)), array([1, 2]), array(3), cast(x, 'int64')", [
        [0.0, 0.0], [[1.0, 1.0]], [1.0, 2.0], 3.0, [1, 2, 3]]),
    ("sum([x, x, x]), x[(x > 1).sum()]", [[3.0, 6.0, 9.0], 3.0]),
]  # fmt: skip


@pytest.mark.parametrize(("expression", "expected"), TENSORS)
@pytest.mark.parametrize("mode", MODES)
def test_tensors(expression: str, expected: list[Any], mode: str) -> None:
    found = outputs(f"def f(x=[1, 2, 3]):\n    return {expression}", mode=mode)
    assert [list(v) if isinstance(v, tuple) else v for v in found] == expected


def test_numbers_are_weak_beside_tensors() -> None:
    source = "def f(x):\n    return x + 1, x * 0.5"
    program = load(source)
    run = run_mode(program, "eager", [{"x": np.array([1, 2], np.float32)}], Options())
    assert [o.dtype for o in run.calls[0].outputs] == [np.float32, np.float32]
    run = run_mode(program, "eager", [{"x": np.array([1, 2])}], Options())
    assert [o.dtype for o in run.calls[0].outputs] == [np.int64, np.float64]


def test_static_prints_stand_ins_and_eager_prints_values() -> None:
    program = load("def f(a=2, b=3):\n    s = a + b\n    print('s', s)\n    return s")
    inputs = [bind(program.parameters, program.inputs)]
    printed = {mode: run_mode(program, mode, inputs, Options()).calls[0].prints for mode in MODES}
    assert printed == {"eager": ["s 5.0"], "static": ["s <s: add>"], "capture": ["s 5.0"]}


@pytest.mark.parametrize("mode", MODES)
def test_print_inside_cond_and_while_shows_stand_ins_while_they_are_drawn(mode: str) -> None:
    program = load(
        "def f(a=4.0):\n"
        "    def double(b):\n"
        "        print('in', b)\n"
        "        return b * 2\n"
        "    return while_loop(lambda b: b < 20, double, a)"
    )
    inputs = [bind(program.parameters, program.inputs)] * 2
    run = run_mode(program, mode, inputs, Options())
    shown = ["in <arg0: placeholder>"]
    # Eager draws at every call, static and capture once.
    assert [call.prints for call in run.calls] == [shown, shown if mode == "eager" else []]
    assert run.capture is None or not run.capture.breaks


def test_graph_print_prints_values_in_every_mode_without_a_break() -> None:
    program = load("def f(a=2):\n    graph_print('a', a, 7)\n    return a * 2")
    inputs = [bind(program.parameters, program.inputs)]
    for mode in MODES:
        run = run_mode(program, mode, inputs, Options())
        assert run.calls[0].prints == ["a 2.0 7"]
        assert run.capture is None or not run.capture.breaks


@pytest.mark.parametrize("mode", MODES)
def test_cond_and_while_inside_one_another_use_outer_values(mode: str) -> None:
    source = """
def f(x=[1, -2], k=3):
    def body(i, y):
        def step():
            return cond(y.sum() > k, lambda: y - k, lambda: y + x * k)
        return i + 1, cond(i > 1, lambda: y * 0.5, step)
    i, y = while_loop(lambda i, y: i < 4, body, 0, x)
    return i, y
"""
    x, y = np.array([1.0, -2.0]), np.array([1.0, -2.0])
    for i in range(4):
        stepped = y - 3 if y.sum() > 3 else y + x * 3
        y = y * 0.5 if i > 1 else stepped
    found = outputs(source, mode=mode)
    assert found == [4, y.tolist()]


@pytest.mark.parametrize("mode", MODES)
def test_a_thousand_names_and_a_long_chain_of_operators_need_no_stack(mode: str) -> None:
    chain = " + ".join(["x"] * 900)
    branches = "".join(f"    elif k == {i}:\n        y = {i}.0\n" for i in range(150))
    source = (
        f"def f(x=1, k=int(140)):\n    if k < 0:\n        y = x\n{branches}    return {chain}, y"
    )
    assert outputs(source, mode=mode) == [900.0, 140.0]


def test_loading_twice_gives_equal_programs_and_randn_follows_the_seed() -> None:
    source = "w = randn(2, 3)\ndef f(x=randn(3)):\n    return w @ x"
    draws = np.random.default_rng(5)
    program = load(source, seed=5)
    assert program.globals["w"].tolist() == draws.standard_normal((2, 3)).tolist()
    assert program.inputs["x"].tolist() == draws.standard_normal(3).tolist()
    assert load(source, seed=6).inputs["x"].tolist() != program.inputs["x"].tolist()


def test_five_thousand_decisions_load_quickly() -> None:
    line = "    if x.sum() > 0 and x.max() < 5 or not x.sum() > 1:\n        x = x + 1\n"
    begun = time.process_time()
    program = load("def f(x=1):\n" + line * 2000 + "    return x")
    assert time.process_time() - begun < 5.0
    assert len(program.main.instructions) > 40_000


def test_lines_are_counted_as_python_counts_them() -> None:
    source = (
        "def f(x=1):\r\n    y = 'a\x0cb\u2028c'\r\n    z = (x +\n         unknown)\r    return z"
    )
    with pytest.raises(Refusal) as caught:
        load(source)
    assert (caught.value.place.line, caught.value.place.column) == (4, 10)


#: Statements of Python's own, and what they print in Python.
AS_PYTHON: dict[str, tuple[str, str]] = {
    "chained assignment": ("a = b = 2\n    print(a, b)", "2 2"),
    "chained unpacking": ("a, b = c = (1, 2)\n    print(a, b, c)", "1 2 (1, 2)"),
    "nested unpacking": ("(a, b), c = (1, 2), 3\n    print(a, b, c)", "1 2 3"),
    "augmented": (
        "y = 7\n    y += 2\n    y *= 2\n    y -= 4\n    y //= 4\n    y **= 2\n    print(y)",
        "9",
    ),
    "a tuple added to": ("y = z = (1,)\n    y += (2,)\n    print(y, z)", "(1, 2) (1,)"),
    "a conditional expression": ("print(1 if k > 1 else 2, 1 if k > 5 else 2)", "1 2"),
    "slices of a tuple": (
        "y = (1, 2, 3)\n    print(y[1:], y[::-1], y[::2])",
        "(2, 3) (3, 2, 1) (1, 3)",
    ),
    "negative indices": ("print((1, 2)[-1], [1, 2, 3][-2])", "2 2"),
    "a lambda with a default": (
        "g = lambda a, b=2: a * b\n    print(g(3), g(3, 4), g(3, b=5))",
        "6 12 15",
    ),
    "a default that grows": (
        "def g(a=[]):\n        a.append(1)\n        return a\n    g()\n    print(g())",
        "[1, 1]",
    ),
    "a late closure": (
        "gs = []\n    for i in range(3):\n        gs.append(lambda: i)\n    print(gs[0]())",
        "2",
    ),
    "chained comparisons": ("print(0 < 1 < 2, 0 < 1 > 5)", "True False"),
    "whole division": ("print(7 // 2, -7 // 2, 7 % -3, 7 / 2, 2 ** -1)", "3 -4 -2 3.5 0.5"),
    "small powers": ("print(2 ** 250 == 2.0 ** 250, 10 ** -100)", "True 1e-100"),
}


@pytest.mark.parametrize("name", AS_PYTHON)
@pytest.mark.parametrize("mode", MODES)
def test_statements_do_what_they_do_in_python(name: str, mode: str) -> None:
    lines, expected = AS_PYTHON[name]
    source = f"def f(x=1, k=int(3)):\n    {lines}\n    return x"
    program = load(source)
    ran = run_mode(program, mode, [bind(program.parameters, program.inputs)], Options())
    assert ran.calls[0].prints == [expected]
    printed: list[str] = []
    names: dict[str, Any] = {
        "print": lambda *parts: printed.append(" ".join(map(str, parts))), "int": int,
    }  # fmt: skip
    exec(source, names)  # the language is held against Python itself
    names["f"]()
    assert printed == [expected]
