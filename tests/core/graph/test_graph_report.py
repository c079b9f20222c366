"""The report of ``dgplay graph``: keys, values, agreement, differences in ulps."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from dgplay.core.graph.bundled import NAMES, bundled
from dgplay.core.graph.compare import first_difference
from dgplay.core.graph.events import EventLog, LineReached, Refused, RunEnded, RunStarted
from dgplay.core.graph.feeds import bind, read_feeds
from dgplay.core.graph.lang import load
from dgplay.core.graph.lang_refusal import Refusal
from dgplay.core.graph.modes import MODES, ModeCall, ModeRun, Options, open_mode
from dgplay.core.graph.report import graph_report, plain

MODE_KEYS = ["calls", "nodes", "dispatches", "launches", "peak_bytes", "seconds", "order"]
CAPTURE_KEYS = ["segments", "compiles", "guards", "breaks", "fallback"]


def report(name: str, *feeds: str, modes: Any = MODES, **options: Any) -> dict[str, Any]:
    program = bundled(name) if name in NAMES else load(name)
    calls = [
        bind(program.parameters, program.inputs, read_feeds([feed]) if feed else {})
        for feed in feeds or ("",)
    ]
    return graph_report(program, modes, calls, **options)


def test_the_keys_are_those_of_the_contract() -> None:
    found = report("affine", grads=("a",))
    assert list(found) == ["program", "agree", "max_ulps", "first_difference", "modes"]
    assert list(found["modes"]) == ["eager", "static", "capture"]
    assert list(found["modes"]["eager"]) == MODE_KEYS
    assert list(found["modes"]["static"]) == MODE_KEYS
    assert list(found["modes"]["capture"]) == MODE_KEYS + CAPTURE_KEYS
    (call,) = found["modes"]["static"]["calls"]
    assert call == {
        "inputs": {"a": 2.0, "b": 3.0, "c": 4.0}, "outputs": [20.0], "gradients": {"a": 4.0},
        "prints": [], "compiles": 1,
    }  # fmt: skip
    assert (found["program"], found["agree"], found["max_ulps"]) == ("affine", True, 0)
    assert found["first_difference"] is None


@pytest.mark.parametrize("name", NAMES)
def test_every_report_is_json_and_the_modes_agree(name: str) -> None:
    found = report(name, "", "")
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found["agree"] is True
    refusing = [mode for mode in MODES if "error" in found["modes"][mode]]
    assert refusing == (["static"] if name == "dynamic_block" else [])


def test_a_refusing_mode_is_an_error_with_five_parts() -> None:
    found = report("dynamic_block")
    error = found["modes"]["static"]["error"]
    assert list(found["modes"]["static"]) == ["error"]
    assert list(error) == ["line", "column", "what", "why", "hint"]
    assert (error["line"], error["column"]) == (6, 9)
    assert "cond" in error["hint"]
    assert found["agree"] is True
    only = report("dynamic_block", modes=("static",))
    assert (only["agree"], only["max_ulps"], only["first_difference"]) == (None, None, None)


def test_one_mode_has_nothing_to_agree_with() -> None:
    assert report("affine", modes=("eager",))["agree"] is None


def test_breaks_guards_and_fallback_of_capture() -> None:
    capture = report("dynamic_block", "x=[1,2]", "x=[-2.5,0.2]")["modes"]["capture"]
    assert [call["compiles"] for call in capture["calls"]] == [7, 9]
    assert (capture["segments"], capture["compiles"], capture["fallback"]) == (3, 9, False)
    (only,) = capture["breaks"]
    assert list(only) == ["line", "column", "what", "why", "where", "hint", "count"]
    assert (only["line"], only["column"], only["count"]) == (6, 9, 8)
    assert only["where"].endswith("sum→gt")
    assert all(list(guard) == ["text", "hits", "misses"] for guard in capture["guards"])
    texts = [guard["text"] for guard in capture["guards"]]
    assert len(texts) == len(set(texts))
    assert "x: shape[0] == 2" in texts


def test_the_numbers_of_the_issue() -> None:
    feeds = [f"seq={[0.5] * n}" for n in (4, 4, 4, 5, 6, 7, 1)]
    found = report("rnn_loop", *feeds, modes=("capture",))["modes"]["capture"]
    assert [call["compiles"] for call in found["calls"]] == [1, 1, 1, 2, 3, 4, 5]
    feeds = [f"seq={[0.5] * n}" for n in range(1, 13)]
    found = report("rnn_loop", *feeds)
    assert found["agree"]
    assert found["modes"]["capture"]["fallback"]
    assert found["modes"]["capture"]["calls"][-1]["compiles"] == 8


def test_numbers_that_are_not_finite_are_words() -> None:
    found = report("def f(x=[1, -1, 0]):\n    return x / 0.0")
    assert found["modes"]["eager"]["calls"][0]["outputs"] == [["inf", "-inf", "nan"]]
    assert found["agree"] is True
    assert plain({"a": (float("nan"), np.float32(1.5), np.array([True]))}) == {
        "a": ["nan", 1.5, [True]]
    }


def test_what_is_no_tensor_is_shown_too() -> None:
    source = "def f(x=1, k=int(3)):\n    return k, (x, [k, None]), x.shape, 2.5, sin"
    (call,) = report(source, modes=("eager",))["modes"]["eager"]["calls"]
    assert call["inputs"] == {"x": 1.0, "k": 3}
    assert call["outputs"] == [3, [1.0, [3, None]], [], 2.5, "<the function sin>"]


def test_guards_off_differs_and_says_where() -> None:
    source = "def f(x, k):\n    return (x * k).sum()"
    found = report(source, "x=[1,2,3]; k=int(1)", "x=[1,2,3]; k=int(2)", guards=False)
    assert found["agree"] is False
    assert found["first_difference"] == {
        "call": 2, "value": "output 0", "index": [], "modes": ["eager", "capture"],
        "values": [12.0, 6.0], "ulps": 2**52,
    }  # fmt: skip
    assert found["max_ulps"] == 2**52


def test_fast_math_differs_where_a_number_is_not_finite() -> None:
    passes = ("fold", "cse", "dce", "fast-math")
    found = report("def f(x=[0, inf]):\n    return x / x", passes=passes)
    assert found["agree"] is False
    assert found["max_ulps"] is None  # NaN against a number has no distance
    assert found["first_difference"]["modes"] == ["eager", "static"]


def ran(*outputs: Any) -> ModeRun:
    return ModeRun("m", [ModeCall({}, [np.asarray(o)], {}, [], 0) for o in outputs])


def test_ulps_count_representable_numbers() -> None:
    one = 1.0
    after = float(np.nextafter(1.0, 2.0))
    cases = [
        (one, after, 1), (0.0, -0.0, 1), (0.0, 5e-324, 1), (-5e-324, 5e-324, 3),
        (one, one, 0), (np.nan, np.nan, 0), (np.nan, -np.nan, 0),
    ]  # fmt: skip
    for a, b, ulps in cases:
        found = first_difference({"eager": ran(a), "static": ran(b)})
        assert found.max_ulps == ulps
        assert (found.at is None) == (ulps == 0)
    assert first_difference({"eager": ran(1.0), "static": ran(np.nan)}).max_ulps is None
    assert first_difference({"eager": ran(1.0), "static": ran(np.float32(1))}).max_ulps is None
    assert first_difference({"eager": ran(1), "static": ran(2)}).at is not None
    single = first_difference({"eager": ran(np.float32(1)), "static": ran(np.float32(1.0000001))})
    assert single.max_ulps == 1


def test_events_of_every_mode_are_listed_when_wanted() -> None:
    found = report("dynamic_block", events=True)
    for mode in ("eager", "capture"):
        events = found["modes"][mode]["events"]
        kinds = [event["event"] for event in events]
        assert kinds.count("BranchTaken") == 6
        assert "LineReached" in kinds
    kinds = [event["event"] for event in found["modes"]["capture"]["events"]]
    assert kinds.count("GraphBreak") == 6
    assert kinds.count("CompileEnd") == 7
    assert "error" in found["modes"]["static"]
    json.dumps(found, allow_nan=False)


def test_static_counts_a_graph_for_every_signature() -> None:
    found = report("square_sum", "x=[1]", "x=[2]", "x=[1,2]", "x=[1]", modes=("static",))
    assert [c["compiles"] for c in found["modes"]["static"]["calls"]] == [1, 1, 2, 2]


def test_a_runner_takes_one_call_after_another() -> None:
    log = EventLog()
    runner = open_mode(bundled("dynamic_block"), "capture", Options(observer=log))
    inputs = {"x": np.array([1.0, 2.0]), "steps": 6}
    assert [runner.step(inputs).compiles for _ in range(3)] == [7, 7, 7]
    refusing = open_mode(bundled("dynamic_block"), "static", Options(observer=log))
    with pytest.raises(Refusal):
        refusing.step(inputs)
    assert not refusing.run.calls
    assert [e.line for e in log if isinstance(e, Refused)] == [6]
    eager = EventLog()
    open_mode(bundled("affine"), "eager", Options(observer=eager)).step(
        bind(("a", "b", "c"), bundled("affine").inputs)
    )
    assert isinstance(eager[0], RunStarted)
    (ended,) = [e for e in eager if isinstance(e, RunEnded)]
    assert (ended.dispatches, ended.launches) == (2, 2)
    assert [e.line for e in eager if isinstance(e, LineReached)] == [5, 6, 7]
