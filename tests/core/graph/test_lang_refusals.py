"""Whatever a program does wrong ends in one explained line, quickly, in every mode."""

from __future__ import annotations

import gc
import sys
import time

import pytest

from dgplay.core.graph.feeds import bind
from dgplay.core.graph.lang import load
from dgplay.core.graph.lang_budget import Budget
from dgplay.core.graph.lang_refusal import BudgetExceeded, Cancelled, Refusal
from dgplay.core.graph.modes import MODES, Options, run_mode


def run(source: str, mode: str, options: Options) -> None:
    program = load(source)
    run_mode(program, mode, [bind(program.parameters, program.inputs)], options)


def refusal(source: str, mode: str = "eager", options: Options | None = None) -> Refusal:
    with pytest.raises(Refusal) as caught:
        run(source, mode, options or Options())
    found = caught.value
    assert found.what
    assert found.why
    assert found.hint
    assert "\n" not in str(found)
    return found


def body(line: str) -> str:
    return f"def f(x=[1, 2, 3]):\n    {line}\n    return x"


HOSTILE = {
    "dunder attribute": body("y = x.__class__"),
    "dunder name": body("y = __builtins__"),
    "dunder import": body("y = __import__('os').system('true')"),
    "attribute of an op": body("y = sin.__globals__"),
    "import": "import os\n" + body("pass"),
    "inner import": body("import os"),
    "from import": body("from os import system"),
    "eval": body("y = eval('1')"),
    "open": body("y = open('/etc/passwd')"),
    "format": body("y = '{0.__class__}'.format(x)"),
    "f-string": body("y = f'{x.__class__}'"),
    "class": body("class A: pass"),
    "huge power": body("y = 2**10**9"),
    "huge product": body("y = 3\n    for i in range(20):\n        y = y * y"),
    "huge shift": body("y = 1 << 10**9"),
    "huge text": body("y = 'a' * 10**9"),
    "huge list": body("y = [0] * 10**9"),
    "huge array": body("y = zeros(1000000000)"),
    "huge default": "def f(x=zeros(1000000000)):\n    return x",
    "huge constant": "w = randn(100000, 100000)\n" + body("pass"),
    "huge broadcast": body("y = broadcast_to(x[0], (100000, 100000))"),
    "huge outer product": body("y = zeros(60000)\n    y = y.reshape(60000, 1) * y"),
    "huge literal": body("y = " + "9" * 5000),
    "seven thousand minus signs": body("y = " + "-" * 7000 + "1"),
    "ten thousand brackets": body("y = " + "(" * 10000 + "x" + ")" * 10000),
    "ten thousand open brackets": body("y = " + "[" * 10000),
    "ten thousand nots": body("y = " + "not " * 10000 + "x"),
    "ten thousand operators": body("y = x" + " + x" * 10000),
    "ten thousand attributes": body("y = x" + ".T" * 10000),
    "ten thousand lambdas": body("y = " + "lambda: " * 10000 + "x"),
    "a megabyte": "#" * 2**20,
    "a megabyte of code": "x=1;" * 2**18,
    "null byte": "def f(x=1):\0\n    return x",
    "endless recursion": "def f(x=1):\n    return f(x)",
    "endless mutual recursion": "def g(x):\n    return h(x)\ndef h(x):\n    return g(x)\n"
    "def f(x=1):\n    return g(x)",
    "recursion through cond": "def f(x=1):\n    return cond(x > 0, lambda: f(x), lambda: x)",
    "list that doubles": body("y = [1]\n    while True:\n        y = y + y"),
    "tuples in tuples": body("y = x\n    for i in range(10000):\n        y = (y, i)"),
    "tuples that double": body("y = x\n    for i in range(18):\n        y = (y, y)\n    print(y)"),
    "a list in itself": body("y = []\n    y.append(y)\n    print(y)"),
    "lists grown from inside": body(
        "y = z = []\n    for i in range(5000):\n        w = []\n        z.append(w)\n        z = w"
    ),
    "endless range": body("y = range(10**30)"),
    "a range without end": body("y = stack(range(10**18))"),
    "a chain of powers": body("y = 2**2**2**2**2**2"),
    "a literal of 200,000 bits": body("print(0x" + "f" * 50000 + ")"),
    "a default of 200,000 bits": "def f(x=0x" + "f" * 50000 + "):\n    return x",
    "sizes that are huge beside a 0": body("y = zeros(0, 10**18, 10**18)"),
    "a broadcast that is huge beside a 0": body("y = broadcast_to(zeros(0, 1), (0, 2**62))"),
    "a product that is huge beside a 0": body(
        "y = zeros(0, 2000000, 1, 1) * ones(1, 1, 2000000, 1)\n    z = y * ones(1, 1, 1, 2000000)"
    ),
    "a broadcast of three": body("y = ones(2000, 1, 1) * ones(1, 2000, 1) * ones(1, 1, 2000)"),
    "a list of two million": "def f(x=zeros(2000000)):\n    return x.tolist()",
    "a hundred axes": body("y = zeros(" + "1," * 100 + ")"),
    "a reshape to many axes": body("y = x.reshape(" + "1," * 65 + "3)"),
    "axes one by one": body("y = x\n    for i in range(70):\n        y = y[None]"),
    "stacks in stacks": body("y = x\n    for i in range(70):\n        y = stack([y])"),
    "a reshape to 2**124": body("y = x.reshape(2**62, 2**62)"),
    "text that doubles": body("y = 'a'\n    for i in range(60):\n        y = y + y"),
    "text by a number": body("y = '%1000000000d' % 3"),
    "three thousand tuples": body("y = " + "(" * 3000 + "x," + ")," * 2999 + ")"),
    "two thousand calls": body("y = x" + ".sum()" * 2000),
    "fifty thousand indices": body("y = x" + "[0]" * 50000),
    "a helper that captures itself": "@capture\ndef g(x):\n    return g(x + 1)\n"
    "def f(x=1):\n    return g(x)",
    "a loop that draws itself": "def f(x=0):\n"
    "    return while_loop(lambda x: x < 1, lambda x: f(x), x)",
    "a test that draws itself": "def f(x=0):\n"
    "    return while_loop(lambda x: f(x) < 1, lambda x: x, x)",
    "a function given to itself": "def f(x=1):\n    g = lambda h: h(h)\n    return g(g)",
    "thousands of cond": "def g(x, n):\n    if n == 0:\n        return x\n"
    "    return cond(x > 0, lambda: g(x, n - 1), lambda: g(-x, n - 1))\n"
    "def f(x=1):\n    return g(x, 30)",
    "nothing": "",
    "only spaces": "   \n\n",
    "surrogate": "def f(x=1):\n    return '\ud800'",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_programs_are_refused_in_under_a_tenth_of_a_second(name: str) -> None:
    spent = []
    for attempt in range(10):  # the best of ten: other work on the machine is not the program's
        if attempt:
            gc.collect()  # neither is what earlier tests have left to be collected
        begun = time.process_time()
        refusal(HOSTILE[name])
        spent.append(time.process_time() - begun)
        if spent[-1] < 0.1:
            return
    raise AssertionError(spent)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "loop",
    [
        "while True:\n        pass",
        "while True:\n        x = x + 1",
        "x = while_loop(lambda x: x[0] > -1.0, lambda x: x * 1.0, x)",
        "while True:\n        x = concat(x, x)",
    ],
)
def test_endless_loops_stop_at_the_budget_in_every_mode(loop: str, mode: str) -> None:
    options = Options(budget=Budget(steps=20_000, ops=2_000, seconds=5.0))
    found = refusal(body(loop), mode, options)
    assert isinstance(found, BudgetExceeded)
    assert "budget" in found.what


def test_the_clock_stops_a_program() -> None:
    found = refusal(
        body("while True:\n        pass"), "eager", Options(budget=Budget(seconds=0.05))
    )
    assert "0.05 s" in found.what


@pytest.mark.parametrize("mode", MODES)
def test_the_cancel_callback_is_asked_while_it_runs(mode: str) -> None:
    asked = 0

    def cancelled() -> bool:
        nonlocal asked
        asked += 1
        return asked > 20

    with pytest.raises(Cancelled):
        run_mode(
            load("def f(x=1):\n    while True:\n        x = x + 1"), mode,
            [bind(("x",), {"x": 1.0})], Options(cancelled=cancelled),
        )  # fmt: skip
    assert asked == 21


PLACES = [
    ("def f(x=1):\n    return x.__class__", (2, 12), "x.__class__"),
    ("def f(x=1):\n    return siin(x)", (2, 12), "did you mean sin?"),
    ("def f(x=1):\n    return np.sin(x)", (2, 12), "write the op alone"),
    ("def f(x=1):\n    y = x[0\n", (2, 10), "never closed"),
    ("def f(x=1):\n    y = x +\n", (2, 12), "invalid syntax"),
    ("def f(x=1):\n\ty = x\n        z = x\n", (3, 1), "inconsistent use of tabs"),
    ("def f(x=1):\n    y = x\n  z = 1\n", (3, 8), "unindent"),
    ("def f(größe=1):\n    return größe + größé", (2, 20), "größé"),
    ("def f(x=1):\n    break\n    return x", (2, 5), "outside"),
    ("x = 1\nif x:\n    y = 2\ndef f(x=1):\n    return x", (2, 1), "top level"),
    ("def f(x=1):\n    x[0] = 1\n    return x", (2, 5), "only names"),
    ("def f(x=1):\n    return y", (2, 12), "no y here"),
    ("def f(x=1):\n    if False:\n        y = 1\n    return y", (4, 12), "no value yet"),
    ("def f(x=1):\n    return 1 / 0", (2, 12), "divided by zero"),
    ("def f(x=1):\n    return sin(x, x, x)", (2, 12), "sin"),
    ("def f(x=1):\n    return x.sum(axes=0)", (2, 12), "no option axes"),
    ("def g(a, b):\n    return a\ndef f(x=1):\n    return g(x)", (4, 12), "needs a value for b"),
    ("def f(x=[1, 2]):\n    return (1, 2)[5]", (2, 12), "out of range"),
    ("def f(x=[1, 2]):\n    return x[5]", (2, 12), "5"),
    ("def f(x=1):\n    for i in range(x):\n        pass\n    return range(0.5)", (4, 12), "whole"),
    ("def f(x=1):\n    for i in x:\n        pass\n    return x", (2, 14), "k=int(3)"),
    ("def f(x=[1, 2]):\n    if x > 0:\n        x = 1\n    return x", (2, 5), "one value, not 2"),
    ("def f(*xs):\n    return xs", (1, 8), "plain parameters"),
    ("def f(x=1):\n    return [y for y in x]", (2, 12), "for loop"),
    ("def f(x=1):\n    a, b = x, x, x\n    return a", (2, 5), "fill 2 names"),
    ("def f(x=1):\n    return x\ndef f(y=1):\n    return y", (3, 1), "twice"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "place", "said"), PLACES)
def test_refusals_name_line_column_and_a_way_out(
    source: str, place: tuple[int, int], said: str
) -> None:
    found = refusal(source)
    assert said in str(found)
    if sys.version_info[:2] == (3, 11) or "Python cannot read" not in found.what:
        assert (found.place.line, found.place.column) == place


def test_shapes_that_do_not_fit_name_variables_shapes_and_line() -> None:
    found = refusal("def f(a=[1, 2, 3], b=[1, 2]):\n    z = a + b\n    return z")
    assert found.place.line == 2
    assert "(3,) and (2,)" in found.what
    assert "a is f64[3], b is f64[2]" in found.why
    assert "z = a + b" in found.why


def test_static_refuses_a_deciding_if_with_a_hint_to_cond() -> None:
    source = "def f(x=[1, 2]):\n    if x.sum() > 0:\n        x = x * 2\n    return x"
    found = refusal(source, "static")
    assert (found.place.line, found.place.column) == (2, 5)
    assert "cond" in found.hint
    assert "x.sum() > 0" in found.why


def test_static_refuses_a_while_with_a_hint_to_while_loop() -> None:
    found = refusal("def f(x=1):\n    while x < 9:\n        x = x * 2\n    return x", "static")
    assert "while_loop" in found.hint


def test_inside_an_arm_a_decision_is_refused_even_in_eager() -> None:
    source = """
def arm(x):
    if x > 0:
        return x
    return -x
def f(x=1):
    return cond(x > 5, lambda: arm(x), lambda: x)
"""
    found = refusal(source)
    assert found.place.line == 3
    assert "drawn before they run" in found.why


def test_budgets_are_listed_before_they_bite() -> None:
    listed = dict(Budget().limits())
    assert listed["source"] == "200,000 bytes"
    assert listed["calls"] == "500 within one another"
    assert len(listed) == 9


@pytest.mark.parametrize("mode", MODES)
def test_ten_thousand_functions_in_one_another_are_no_crash(mode: str) -> None:
    source = """
def wrap(g):
    return lambda y: g(y) + 1
def f(x=1):
    g = lambda y: y
    for i in range(10000):
        g = wrap(g)
    print('go')
    return g
"""
    if mode == "capture":  # the break at print copies the state, which is a chain here
        assert "nested too deeply" in refusal(source, mode).what
    else:
        run(source, mode, Options())


@pytest.mark.parametrize("mode", MODES)
def test_bytes_are_counted_as_they_are(mode: str) -> None:
    budget = Budget(bytes=8 * 300 * 260)
    run("def f(x=zeros(300)):\n    for i in range(250):\n        x = x * x\n    return x", mode,
        Options(budget=budget))  # fmt: skip
    longer = "def f(x=zeros(300)):\n    for i in range(270):\n        x = x * x\n    return x"
    assert "bytes of results" in refusal(longer, mode, Options(budget=budget)).what


#: Arrays at the top level, in defaults and in lists: 16 MB each, 300 of them.
HEAVY = {
    "constants": "".join(f"w{i} = zeros(2000, 1000)\n" for i in range(300)) + body("pass"),
    "draws": "".join(f"w{i} = randn(2000, 1000)\n" for i in range(300)) + body("pass"),
    "defaults": "def f(" + ", ".join(f"a{i}=zeros(2000, 1000)" for i in range(300)) + "):\n"
    "    return a0",
    "a list": "w = [" + ", ".join(["zeros(2000, 1000)"] * 300) + "]\n" + body("pass"),
    "a sum": "w = " + " + ".join(["zeros(2000, 1000)"] * 300) + "\n" + body("pass"),
}


@pytest.mark.parametrize("name", HEAVY)
def test_values_of_the_text_count_against_the_budget(name: str) -> None:
    before = sys.getallocatedblocks()
    found = refusal(HEAVY[name], options=Options())
    assert "too large" in found.what
    assert found.hint == "use smaller arrays"
    assert sys.getallocatedblocks() - before < 100_000


@pytest.mark.parametrize("mode", MODES)
def test_results_inside_a_loop_count_against_the_budget(mode: str) -> None:
    # 2,000,000 numbers in each trip; without a budget a gradient would keep them all.
    source = (
        "def f(x=zeros(2000000)):\n    return while_loop(lambda x: x[0] > -1, lambda x: x * 1.0, x)"
    )
    found = refusal(source, mode, Options(grads=("x",)))
    assert isinstance(found, BudgetExceeded)
    assert "512,000,000 bytes" in found.what


@pytest.mark.parametrize("mode", MODES)
def test_an_endless_while_loop_is_told_to_check_its_test(mode: str) -> None:
    source = "def f(x=0):\n    return while_loop(lambda x: x > -1, lambda x: x * 1.0, x)"
    found = refusal(source, mode, Options(budget=Budget(ops=2_000)))
    assert found.place.line == 2
    assert found.what == "the budget of 2,000 ops is used up"
    assert found.why.startswith("in trip ")
    assert found.why.endswith(" of a while_loop its test still holds")
    assert found.hint == "check its test: a carry must reach the bound, and in fewer trips"


def test_a_while_loop_that_the_clock_stops_is_told_the_same() -> None:
    source = "def f(x=0):\n    return while_loop(lambda x: x > -1, lambda x: x * 1.0, x)"
    found = refusal(source, "static", Options(budget=Budget(seconds=0.1)))
    assert found.what == "the budget of 0.1 s is used up"
    assert found.hint == "check its test: a carry must reach the bound, and in fewer trips"


def test_the_gradient_of_a_loop_that_ended_is_not_told_that_it_never_ends() -> None:
    source = (
        "def f(x=1):\n"
        "    return while_loop(lambda i, x: i < 200, lambda i, x: (i + 1, x * 0.9), 0, x)[1]"
    )
    found = refusal(source, "static", Options(grads=("x",), budget=Budget(ops=2_000)))
    assert found.why == "the gradient of a while_loop runs every trip again"
    assert found.hint == "check its test: a carry must reach the bound, and in fewer trips"


def test_a_python_loop_is_told_to_use_while_loop() -> None:
    found = refusal(
        body("while True:\n        x = x + 1"), "eager", Options(budget=Budget(ops=2_000))
    )
    assert "while_loop" in found.hint


#: What is outside the subset: its place, and what to write instead.
INSTEAD: dict[str, tuple[str, int, int, str]] = {
    "the rest at the end": (body("a, *b = x"), 2, 8, "write b = x[1:]"),
    "the rest in front": (body("*a, b = x"), 2, 5, "write a = x[:-1]"),
    "the rest between": (body("a, *b, c = x"), 2, 8, "write b = x[1:-1]"),
    "the rest of a part": (body("(a, *b), c = x, 1"), 2, 9, "write b = xs[1:]"),
    "the rest in a loop": (body("for a, *b in [x]:\n        pass"), 2, 12, "write b = xs[1:]"),
    "*args": ("def f(*args):\n    return args", 1, 8, "name each parameter, or take one list"),
    "**named": ("def f(x=1, **k):\n    return x", 1, 14, "name each parameter, or take one list"),
    "by name only": (
        "def f(x=1, *, k=2):\n    return x", 1, 15,
        "leave out the *: k can be given by name anyway",
    ),
    "a parameter twice": (
        body("g = lambda a, a: a"), 2, 19, "give one of them another name",
    ),
    "* in a call": (body("y = maximum(*(x, x))"), 2, 17, "write the items out"),
    "** in a call": (body("y = sum(x, **x)"), 2, 16, "write the arguments out"),
    "an argument twice": (body("y = sum(x, axis=0, axis=1)"), 2, 24, "leave one out"),
    "* in a list": (body("y = [1, *x]"), 2, 13, "write the items out"),
    "a comprehension": (body("y = [a for a in x]"), 2, 9, "use a for loop with xs.append(x)"),
    "a generator": (body("y = stack(a for a in x)"), 2, 14, "use a for loop with xs.append(x)"),
    "with": (body("with x:\n        pass"), 2, 5, "leave it out; gradients are chosen with --grad"),
    "try": (
        body("try:\n        pass\n    finally:\n        pass"), 2, 5,
        "test the values with if or where instead",
    ),
    "a walrus": (body("if (y := x.sum()) > 0:\n        pass"), 2, 9,
                 "assign on a line of its own"),
    "a decorator": ("@foo\ndef f(x=1):\n    return x", 1, 2, "leave it out"),
    "an index added to": (
        body("x[0] += 1"), 2, 5,
        "make a new value: where(mask, new, old), or collect rows in a list and stack",
    ),
    "a list added to": (body("y = [1]\n    y += [2]"), 3, 5,
                        "write xs = xs + [x], or xs.append(x)"),
    "del": (body("del x"), 2, 5, "leave it out; values are freed when nothing needs them"),
    "global": ("w = 1\n" + body("global w"), 3, 5, "pass the value as an argument and return it"),
    "an f-string": (body("print(f'{x}')"), 2, 11, "print takes several values: print('s =', s)"),
    "text filled in": (body("print('%s' % x)"), 2, 11,
                       "print takes several values: print('s =', s)"),
    "an ellipsis": (body("y = x[..., 0]"), 2, 11, "write a colon for each axis: x[:, 0]"),
    "sorted": (body("y = sorted([2, 1])"), 2, 9, "use a for loop with xs.append(x)"),
    "isinstance": (body("y = isinstance(x, int)"), 2, 9,
                   "leave it out: what a value is cannot be asked"),
}  # fmt: skip


@pytest.mark.parametrize("name", INSTEAD)
@pytest.mark.parametrize("mode", MODES)
def test_what_is_outside_the_subset_has_one_fitting_refusal(name: str, mode: str) -> None:
    source, line, column, hint = INSTEAD[name]
    found = refusal(source, mode)
    assert (found.place.line, found.place.column, found.hint) == (line, column, hint)


@pytest.mark.parametrize("mode", MODES)
def test_what_is_printed_counts_against_the_budget(mode: str) -> None:
    text = "a" * 100_000
    found = refusal(
        body(f"for i in range(100000):\n        print(i, '{text}')"), mode,
        Options(budget=Budget(bytes=3_000_000)),
    )  # fmt: skip
    assert found.what == "the budget of 3,000,000 bytes of results is used up"
    assert found.place.line == 3
