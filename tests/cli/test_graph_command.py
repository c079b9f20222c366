"""``dgplay graph``: arguments, exit codes, JSON and tables."""

from __future__ import annotations

import argparse
import io
import json
from pathlib import Path
from typing import Any

import pytest

from dgplay.tui.cli_graph import add_graph_command, run_graph


def parse(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_graph_command(parser.add_subparsers())
    return parser.parse_args(["graph", *words])


def run(*words: str) -> tuple[int, str]:
    stdout = io.StringIO()
    return run_graph(parse(*words), stdout), stdout.getvalue()


def report(*words: str) -> dict[str, Any]:
    code, text = run(*words, "--json")
    assert code == 0
    assert text.endswith("\n")
    found: dict[str, Any] = json.loads(text)
    return found


def test_the_first_example_of_the_issue() -> None:
    found = report("x2_plus_xy", "--feed", "x=2", "y=3", "--grad", "x", "y")
    assert found["agree"] is True
    for mode in found["modes"].values():
        assert mode["calls"][0]["outputs"] == [10.0]
        assert mode["calls"][0]["gradients"] == {"x": 7.0, "y": 2.0}


def test_calls_share_feeds_and_override_them() -> None:
    found = report(
        "affine", "--feed", "a=10", "--call", "b=1", "a=1; b=2", "--call", "c=0", "--mode", "eager"
    )
    calls = found["modes"]["eager"]["calls"]
    assert [call["outputs"] for call in calls] == [[44.0], [12.0], [0.0]]


def test_python_numbers_and_limits() -> None:
    words = [f"x=[1,2,3]; k=int({k})" for k in range(1, 13)]
    source = "def f(x, k):\n    return (x * k).sum()"
    code, text = run_source(source, "--call", *words, "--json")
    assert code == 0
    capture = json.loads(text)["modes"]["capture"]
    assert [call["outputs"] for call in capture["calls"]] == [[6.0 * k] for k in range(1, 13)]
    assert [call["compiles"] for call in capture["calls"]] == [*range(1, 9), 8, 8, 8, 8]
    assert capture["fallback"] is True
    code, text = run_source(source, "--call", *words, "--recompile-limit", "12", "--json")
    assert json.loads(text)["modes"]["capture"]["fallback"] is False


def run_source(source: str, *words: str) -> tuple[int, str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdin", io.StringIO(source))
        return run("-", *words)


def test_passes_dynamic_guards_and_seed() -> None:
    all_passes, none = (
        report("affine", "--passes", name, "--mode", "static")["modes"]["static"]["launches"]
        for name in ("all", "none")
    )
    assert (all_passes, none) == (1, 2)
    assert report("affine", "--passes", "fold,cse,dce", "--mode", "static")["agree"] is None
    sizes = ["x=[1]", "x=[1,2]", "x=[1,2,3]", "x=[1,2,3,4]"]
    for dynamic, expected in (("on", [1, 2, 2, 2]), ("off", [1, 2, 3, 4])):
        words = ("square_sum", "--call", *sizes, "--dynamic", dynamic, "--mode", "capture")
        calls = report(*words)["modes"]["capture"]["calls"]
        assert [call["compiles"] for call in calls] == expected
    stale = report("dynamic_block", "--call", "x=[1,2]", "x=[-2.5,0.2]", "--no-guards")
    assert stale["agree"] is False
    one, two, three = (
        report("square_sum", "--feed", "x=randn(3)", "--seed", seed)["modes"]["eager"]["calls"]
        for seed in ("0", "0", "1")
    )
    assert one == two != three


def test_events_are_added_to_the_json() -> None:
    found = report("affine", "--events")
    assert all(mode["events"] for mode in found["modes"].values())


def test_exit_one_only_when_every_mode_refuses(capsys: pytest.CaptureFixture[str]) -> None:
    code, text = run("dynamic_block", "--mode", "static", "--json")
    assert code == 1
    error = json.loads(text)["modes"]["static"]["error"]
    assert (error["line"], error["column"]) == (6, 9)
    assert run("dynamic_block")[0] == 0
    code, text = run_source("import os", "--json")
    assert code == 1
    assert set(json.loads(text)["modes"]) == {"eager", "static", "capture"}
    code, text = run("nothing_like_it")
    assert (code, text) == (1, "")
    assert capsys.readouterr().err.count("\n") == 2


@pytest.mark.parametrize(
    "words",
    [
        ("affine", "--feed", "a"),
        ("affine", "--feed", "a=__import__('os')"),
        ("affine", "--feed", "z=1"),
        ("affine", "--call", "a=1; a=2"),
        ("affine", "--grad", "z"),
        (),
    ],
)
def test_bad_feeds_are_usage(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    code, text = run(*words)
    assert (code, text) == (2, "")
    error = capsys.readouterr().err
    assert error.startswith("dgplay: ")
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    "words",
    [
        ("affine", "--passes", "folding"),
        ("affine", "--recompile-limit", "-1"),
        ("affine", "--dynamic", "maybe"),
        ("affine", "--mode", "lazy"),
    ],
)
def test_bad_options_are_usage(words: tuple[str, ...]) -> None:
    with pytest.raises(SystemExit) as stop:
        parse(*words)
    assert stop.value.code == 2


def test_the_program_may_follow_its_feeds() -> None:
    assert report("--feed", "a=1", "affine")["program"] == "affine"


def test_a_missing_default_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    code, _ = run_source("def f(x):\n    return x")
    assert code == 2
    assert "--feed x=2" in capsys.readouterr().err


def test_a_gradient_of_a_whole_number_is_an_explained_error() -> None:
    code, text = run("dynamic_block", "--grad", "steps", "--json")
    assert code == 1
    assert "only float tensors" in text


def test_tables_hold_the_same_numbers() -> None:
    code, text = run("dynamic_block", "--grad", "x", "--feed", "x=[-2.5, 0.2]")
    assert code == 0
    assert "static refuses: line 6, column 9: if decides on a traced value" in text
    assert "eager call 1: [-0.32805000000000006, 1.4434200000000004]  d x = [0.65610000" in text
    assert "the modes agree bit for bit" in text
    assert "graph break at line 6, column 9" in text
    assert "guard x: shape[0] == 2" in text
    assert "\x1b" not in text
    code, text = run("affine")
    assert "s = add a b  # 5.0" in text
    code, text = run_source(
        "def f(x, k):\n    print('k', k)\n    return x * k", "--no-guards", "--call",
        "x=1; k=int(2)", "x=1; k=int(3)",
    )  # fmt: skip
    assert "the modes DIFFER: call 2, output 0" in text
    assert "eager call 1 prints: k 2" in text


def test_a_file_is_read_and_its_errors_are_one_line(
    tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "p.py"
    path.write_text("def f(x=3):\n    return x * 2\n", encoding="utf-8-sig")
    assert report(str(path))["modes"]["static"]["calls"][0]["outputs"] == [6.0]
    path.write_bytes(b"\xff\xfe\x00")
    assert run(str(path))[0] == 1
    path.write_text("#" * 2**20, encoding="utf-8")
    assert run(str(path))[0] == 1
    assert capsys.readouterr().err.count("\n") == 2


def test_a_program_that_cannot_be_read_keeps_its_name(tmp_path: Path) -> None:
    path = tmp_path / "half.py"
    path.write_text("def f(x=1):\n    return x +\n")
    code, text = run(str(path), "--json")
    assert (code, json.loads(text)["program"]) == (1, "half.py")
    code, text = run_source("def f(x=1):\n    return x +\n", "--json")
    assert (code, json.loads(text)["program"]) == (1, "stdin")


def test_the_text_says_which_guard_failed_in_which_call() -> None:
    code, text = run("square_sum", "--call", "x=[1,2]", "x=[1,2,3]", "--mode", "capture")
    assert code == 0
    (line,) = (line for line in text.splitlines() if "compiles again" in line)
    assert line.startswith("call 2 compiles again, graph 1: x: shape[0] == 2, ")


def test_a_break_says_how_many_graphs_end_there_and_how_often_it_is_reached() -> None:
    words = ("dynamic_block", "--call", "x=[1,2]", "x=[1,2]", "--mode", "capture")
    _, text = run(*words)
    # The loop runs 6 times; every trip asks once, and the second call is served from the cache.
    assert "graph break at line 6, column 9 (in 6 graphs, reached 12 times): " in text
    (found,) = report(*words)["modes"]["capture"]["breaks"]
    assert set(found) == {"line", "column", "what", "why", "where", "hint", "count"}
    assert found["count"] == 6


def test_one_of_a_thing_is_told_in_the_singular() -> None:
    _, text = run("affine", "--mode", "capture")
    assert "capture: 1 segment, 1 compile\n" in text
    assert "(1 compile so far)" in text
    _, text = run("square_sum", "--call", "x=[1,2]", "x=[1,2,3]", "--mode", "capture")
    assert "guard x: shape[0] == 2  (0 hits, 1 miss)" in text
