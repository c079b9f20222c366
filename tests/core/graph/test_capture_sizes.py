"""When capture compiles again: sizes, types, ranks, numbers, limits, dynamic on and off."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dgplay.core.graph.bundled import bundled
from dgplay.core.graph.capture import Capture
from dgplay.core.graph.events import CompileStart, EventLog, Fallback, GuardChecked
from dgplay.core.graph.lang import load
from dgplay.core.graph.lang_refusal import Refusal
from dgplay.core.graph.modes import Options, run_mode

LENGTHS = (4, 4, 4, 5, 6, 7, 1)
SIN_AND_SUM = "def f(x):\n    return sin(x).sum()"


def compiles(capture: Capture, inputs: list[dict[str, Any]]) -> list[int]:
    return [capture.call(item).compiles for item in inputs]


def lengths(name: str, sizes: tuple[int, ...]) -> list[dict[str, Any]]:
    return [{name: np.linspace(0.1, 0.9, size)} for size in sizes]


def test_a_second_size_makes_it_symbolic_and_one_is_special() -> None:
    capture = Capture(load(SIN_AND_SUM))
    assert compiles(capture, lengths("x", LENGTHS)) == [1, 1, 1, 2, 2, 2, 3]
    for size in (9, 1, 2, 4):
        x = np.linspace(0.1, 0.9, size)
        assert capture.call({"x": x}).outputs == np.sin(x).sum()
    assert capture.compiles == 3


def test_dynamic_off_compiles_for_every_size() -> None:
    capture = Capture(load(SIN_AND_SUM), dynamic=False)
    assert compiles(capture, lengths("x", LENGTHS)) == [1, 1, 1, 2, 3, 4, 5]


def test_zero_is_special() -> None:
    capture = Capture(load(SIN_AND_SUM))
    assert compiles(capture, lengths("x", (3, 5, 0, 7, 0))) == [1, 2, 3, 3, 3]


def test_another_type_and_another_rank_compile_again() -> None:
    capture = Capture(load(SIN_AND_SUM))
    calls = [*lengths("x", LENGTHS), {"x": np.ones(5, np.float32)}, {"x": np.ones((2, 3))}]
    assert compiles(capture, calls)[-2:] == [4, 5]


@pytest.mark.parametrize("name", ["rnn_loop", "every_other"])
def test_iteration_needs_every_length_exactly(name: str) -> None:
    capture = Capture(bundled(name))
    assert compiles(capture, lengths("seq", LENGTHS)) == [1, 1, 1, 2, 3, 4, 5]


def test_a_loop_in_the_graph_needs_none() -> None:
    capture = Capture(bundled("rnn_while"))
    assert compiles(capture, lengths("seq", (*LENGTHS, 9, 12))) == [1, 1, 1, 2, 2, 2, 3, 3, 3]


@pytest.mark.parametrize(
    "line",
    [
        "for i in range(len(x)):\n        x = x + i",
        "for i in range(x.shape[0]):\n        x = x + i",
        "if len(x) > 5:\n        x = x * 2",
        "n = int(len(x))\n    x = x * n",
        "k = x.shape[0] // 2\n    x = x[:k]",
    ],
)
def test_python_needing_the_number_makes_it_exact_also_after_it_was_symbolic(line: str) -> None:
    program = load(f"def f(x):\n    {line}\n    return x.sum()")
    capture = Capture(program)
    inputs = lengths("x", LENGTHS)
    assert compiles(capture, inputs) == [1, 1, 1, 2, 3, 4, 5]
    eager = run_mode(program, "eager", inputs, Options())
    assert [capture.call(i).outputs for i in inputs] == [c.outputs[0] for c in eager.calls]


@pytest.mark.parametrize(
    "line",
    [
        "x = x / len(x)",
        "x = x * x.shape[0] + x.size",
        "x = x.reshape(-1, 1)",
        "if len(x) > 0:\n        x = x * 2",
        "x = x[1:] + x[:-1]",
        "x = concat(x, x)",
    ],
)
def test_arithmetic_with_sizes_stays_symbolic(line: str) -> None:
    program = load(f"def f(x):\n    {line}\n    return x.sum()")
    capture = Capture(program)
    inputs = lengths("x", (4, 4, 5, 6, 7, 12))
    assert compiles(capture, inputs)[-1] == 2
    eager = run_mode(program, "eager", inputs, Options())
    assert [capture.call(i).outputs for i in inputs] == [c.outputs[0] for c in eager.calls]


def test_two_inputs_of_one_size_share_a_symbol() -> None:
    capture = Capture(load("def f(x, y):\n    return (x * y).sum()"))
    sizes = (4, 5, 6, 7)
    calls = [{"x": np.ones(n), "y": np.full(n, 2.0)} for n in sizes]
    assert compiles(capture, calls) == [1, 2, 2, 2]
    assert capture.call({"x": np.ones(1), "y": np.ones(8)}).outputs == 8.0
    assert [float(capture.call(c).outputs) for c in calls] == [8.0, 10.0, 12.0, 14.0]


def test_twelve_lengths_stay_right_past_the_limit_of_eight() -> None:
    program = bundled("rnn_loop")
    log = EventLog()
    capture = Capture(program, observer=log)
    inputs = lengths("seq", tuple(range(1, 13)))
    eager = run_mode(program, "eager", inputs, Options(grads=("seq",)))
    for item, wanted in zip(inputs, eager.calls, strict=True):
        found = capture.call(item, ["seq"])
        assert found.outputs.tobytes() == wanted.outputs[0].tobytes()
        assert found.gradients["seq"].tobytes() == wanted.gradients["seq"].tobytes()
        assert found.fell_back == (len(item["seq"]) > 8)
    assert capture.compiles == 8
    assert capture.fallback
    assert [e.limit for e in log if isinstance(e, Fallback)] == [8, 8, 8, 8]
    assert "runs eagerly" in capture.explain()
    assert not capture.call(inputs[2], ["seq"]).fell_back  # what is cached still serves


def test_python_numbers_are_guarded_by_value_up_to_the_limit() -> None:
    capture = Capture(load("def f(x, k):\n    return (x * k).sum()"))
    x = np.array([1.0, 2.0, 3.0])
    for k in range(1, 13):
        found = capture.call({"x": x, "k": k})
        assert found.outputs == 6.0 * k
        assert found.compiles == min(k, 8)
        assert found.fell_back == (k > 8)


@pytest.mark.parametrize("limit", [0, 1, 3])
def test_the_limit_is_settable(limit: int) -> None:
    capture = Capture(load("def f(x, k):\n    return (x * k).sum()"), limit=limit)
    for k in range(1, 6):
        assert capture.call({"x": np.ones(2), "k": k}).outputs == 2.0 * k
    assert capture.compiles == limit


def test_one_and_true_and_minus_zero_are_different_numbers() -> None:
    program = load("def f(x, k):\n    return x / k")
    capture = Capture(program)
    x = np.array([1.0])
    assert capture.call({"x": x, "k": 0.0}).outputs.tolist() == [np.inf]
    assert capture.call({"x": x, "k": -0.0}).outputs.tolist() == [-np.inf]
    assert [capture.call({"x": x, "k": k}).compiles for k in (1, 1.0, True, 1)] == [3, 4, 5, 5]


def test_only_what_a_segment_uses_is_guarded() -> None:
    capture = Capture(load("w = [1, 2]\ndef f(x, unused, k):\n    return x * 2"))
    capture.call({"x": np.ones(2), "unused": np.ones(3), "k": 1})
    found = capture.call({"x": np.ones(2), "unused": np.ones((4, 4), np.float32), "k": 7.5})
    assert found.compiles == 1
    assert not any("unused" in g.text or g.text.startswith("k ") for g in capture.entries[0].guards)


def test_constants_of_the_file_are_guarded() -> None:
    capture = Capture(load("w = [1, 2]\nk = 3\ndef f(x):\n    return (x * w * k).sum()"))
    x = np.ones(2)
    assert capture.call({"x": x}).outputs == 9.0
    capture.constants["k"] = 4
    assert capture.call({"x": x}).outputs == 12.0
    capture.constants["w"] = np.array([10.0, 20.0])
    assert capture.call({"x": x}).outputs == 120.0
    assert capture.compiles == 3


def test_guards_are_sentences_and_a_miss_says_what_failed_in_every_entry() -> None:
    log = EventLog()
    capture = Capture(load(SIN_AND_SUM), observer=log, dynamic=False)
    for item in lengths("x", (4, 5, 6)):
        capture.call(item)
    texts = [guard.text for guard in capture.entries[0].guards]
    assert texts == ["arity == 1", "x: element type is f64", "x: rank == 1", "x: shape[0] == 4",
                     "gradients wanted: none"]  # fmt: skip
    assert capture.misses[-1].failed == ("x: shape[0] == 4, was 6", "x: shape[0] == 5, was 6")
    reasons = [e.reason for e in log if isinstance(e, CompileStart)]
    assert reasons == ["first call", "x: shape[0] == 4, was 5", "x: shape[0] == 5, was 6"]
    failed = [e.text for e in log if isinstance(e, GuardChecked) and not e.ok]
    assert failed == ["x: shape[0] == 4, was 5", *capture.misses[-1].failed]


def test_gradients_wanted_are_guarded() -> None:
    capture = Capture(load("def f(x, y):\n    return (x * y).sum()"))
    call = {"x": np.array([1.0, 2.0]), "y": np.array([3.0, 4.0])}
    assert capture.call(call).gradients == {}
    assert capture.call(call, ["x"]).gradients["x"].tolist() == [3.0, 4.0]
    both = capture.call(call, ["y", "x"]).gradients
    assert {name: g.tolist() for name, g in both.items()} == {"y": [1.0, 2.0], "x": [3.0, 4.0]}
    assert capture.compiles == 3


def test_one_array_fed_twice_is_two_inputs() -> None:
    capture = Capture(load("def f(x, y):\n    return (x * y).sum()"))
    x = np.array([3.0])
    found = capture.call({"x": x, "y": x}, ["x"])
    assert found.gradients["x"].tolist() == [3.0]


def test_a_rule_that_fails_on_a_symbol_is_tried_again_with_its_number() -> None:
    source = """
def f(x, y):
    print('go')
    return cond(x.sum() > 0, lambda: y * 2, lambda: y[:2] + 1).sum()
"""
    program = load(source)
    capture = Capture(program)
    x = np.ones(1)
    assert capture.call({"x": x, "y": np.ones(2)}).outputs == 4.0
    with pytest.raises(Refusal, match=r"f64\[3\] and f64\[2\]"):
        capture.call({"x": x, "y": np.ones(3)})
    assert capture.call({"x": x, "y": np.full(2, 2.0)}).outputs == 8.0


def test_the_total_of_compiles_is_limited_too(monkeypatch: pytest.MonkeyPatch) -> None:
    source = """
def f(x, n):
    if n == 0:
        return x
    if x.sum() > 0:
        return f(x - 0.5, n - 1) + 1
    return f(x + 0.7, n - 1)
"""
    program = load(source)
    monkeypatch.setattr("dgplay.core.graph.capture_call.TOTAL_LIMIT", 10)
    capture = Capture(program)
    item = {"x": np.ones(2), "n": 20}
    found = capture.call(item, ["x"])
    wanted = run_mode(program, "eager", [item], Options(grads=("x",))).calls[0]
    assert (found.compiles, found.fell_back) == (10, True)
    assert found.outputs.tobytes() == wanted.outputs[0].tobytes()
    assert found.gradients["x"].tobytes() == wanted.gradients["x"].tobytes()


def test_a_size_beside_float32_keeps_float32() -> None:
    source = (
        "def f(x):\n    y = x * len(x)\n    print('go')\n    return (y * y.mean()).sum() / len(x)"
    )
    for program in (load(source), load(source.replace("    print('go')\n", ""))):
        capture = Capture(program)
        for size in (3, 4, 5, 5):
            item = {"x": np.linspace(0.1, 0.7, size).astype(np.float32)}
            found = capture.call(item, ["x"])
            wanted = run_mode(program, "eager", [item], Options(grads=("x",))).calls[0]
            assert found.outputs.dtype == found.gradients["x"].dtype == np.float32
            assert found.outputs.tobytes() == wanted.outputs[0].tobytes()
            assert found.gradients["x"].tobytes() == wanted.gradients["x"].tobytes()
