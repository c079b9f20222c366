"""``dgplay plan`` and ``dgplay pack``: options, what goes where, exit codes, exports."""

from __future__ import annotations

import ast
import csv
import io
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dgplay.core import command_line
from dgplay.core.sequences.export import EXPORTERS
from dgplay.tui import cli

#: DESIGN section 5: the options of DATA, of plan and of pack.
DATA_FLAGS = {
    *("--field", "--unit", "--frame-rate", "--format", "--skip-bad", "--count", "--seed"),
    *("--max-length", "--over"),
}
PLAN_FLAGS = {
    *("-k", "--pad-to", "--method", "--boundaries", "--cost", "--multiple-of", "--min-count"),
    *("--compile-cost", "--compile-seconds", "--throughput", "--epochs", "--fill-last"),
    *("--frontier", "--compare", "--budget", "--batch-size", "--batch-multiple", "--batch-sizes"),
    *("--ranks", "--order", "--longest-first", "--uneven", "--skip-batches", "--export"),
    *("--json", "--csv"),
}
HABANA = "3\n3\n4\n5\n5\n5\n6\n7\n8\n8\n"


@pytest.fixture
def few(tmp_path: Path) -> str:
    path = tmp_path / "few.txt"
    path.write_text(HABANA)
    return str(path)


def run(capsys: Any, *words: str) -> tuple[int, str, str]:
    code = cli.run(words)
    out, err = capsys.readouterr()
    return int(code), out, err


def plan(capsys: Any, *words: str) -> dict[str, Any]:
    code, out, _ = run(capsys, "plan", *words, "--json")
    assert code == 0
    found: dict[str, Any] = json.loads(out)
    return found


def flags(capsys: Any, command: str) -> set[str]:
    code, out, _ = run(capsys, command, "--help")
    assert code == 0
    return set(re.findall(r"^  (-[a-z]\b|--[a-z-]+)", out, re.MULTILINE)) - {"-h"}


def test_plan_has_the_options_of_the_design(capsys: Any) -> None:
    assert flags(capsys, "plan") == DATA_FLAGS | PLAN_FLAGS


def test_pack_has_the_options_of_the_design(capsys: Any) -> None:
    assert flags(capsys, "pack") == DATA_FLAGS | {"--capacity", "--json"}


def test_the_methods_are_all_ten(capsys: Any) -> None:
    assert "{optimal,uniform,quantile,equal-total,equal-total-10k,geometric," in re.sub(
        r"\s+", "", run(capsys, "plan", "--help")[1]
    )


def test_json_is_one_line_on_stdout_and_how_it_was_read_is_on_stderr(capsys: Any, few: str) -> None:
    code, out, err = run(capsys, "plan", few, "-k", "3", "--json")
    assert (code, out.count("\n")) == (0, 1)
    assert out == json.dumps(json.loads(out)) + "\n"
    assert err == f"dgplay: {few}: read as numbers\n"
    assert json.loads(out)["steps"] == 58


def test_csv_is_the_buckets_or_the_frontier(capsys: Any, few: str) -> None:
    record = plan(capsys, few, "-k", "3", "--budget", "16")
    buckets = list(csv.DictReader(io.StringIO(
        run(capsys, "plan", few, "-k", "3", "--budget", "16", "--csv")[1]
    )))  # fmt: skip
    assert list(buckets[0]) == list(record["buckets"][0])
    assert [row["batch_size"] for row in buckets] == ["5", "3", "2"]
    frontier = run(capsys, "plan", few, "-k", "3", "--frontier", "--csv")[1].splitlines()
    assert frontier[:2] == ["k,steps,cost,waste,saves,break_even", "1,80,80,0.325,,"]


def test_text_has_the_numbers_of_the_json(capsys: Any, few: str) -> None:
    code, out, _ = run(capsys, "plan", few, "-k", "3", "--frontier", "--budget", "16")
    lines = [re.sub(r" +", " ", line.strip()) for line in out.splitlines()]
    assert code == 0
    assert "K=3, method optimal, pad to boundary" in lines
    assert "58 steps, waste 6.9%; +0.0% over the optimum for K=3, 58 steps" in lines
    assert "6–8 4 8 2 32 9.4%" in lines
    assert "* optimal 3 58 6.9% +0.0%" in lines
    assert "3 58 6.9% 4 4" in lines
    assert "graph 4 saves 2 steps: pays up to 2 a compile" in lines
    assert any(line.startswith("batches: ") for line in lines)
    assert lines[-1] == f"dgplay {few} --boundaries 3,5,8 --budget 16 --screen plan"


def test_the_last_line_opens_the_plan(capsys: Any, few: str) -> None:
    out = run(capsys, "plan", few, "--cost", "2,3", "--multiple-of", "4", "-k", "2")[1]
    state = command_line.parse(out.splitlines()[-1].split()[1:]).state
    assert (state.screen, state.planning.cost, state.planning.multiple_of) == ("plan", "2,3", 4)


@pytest.mark.parametrize(
    ("words", "steps"),
    [
        (["--method", "uniform", "-k", "2"], 3 * 4 + 7 * 8),
        (["--boundaries", "5,8"], 62),
        (["--multiple-of", "4", "-k", "2"], 3 * 4 + 7 * 8),
        (["--min-count", "4", "-k", "3"], 62),
        (["--fill-last", "4", "-k", "2"], 72),
        (["--compile-cost", "3"], 58),
        (["--compile-seconds", "6", "--throughput", "1", "--epochs", "2"], 58),
        (["--cost", "quadratic", "-k", "2"], 62),
        (["--pad-to", "longest", "--boundaries", "6,9"], 6 * 7 + 3 * 8),
        (["--max-length", "5", "--over", "truncate", "-k", "1"], 50),
        (["--max-length", "5", "--over", "drop", "-k", "1"], 30),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_options_reach_the_planner(capsys: Any, few: str, words: list[str], steps: int) -> None:
    assert plan(capsys, few, *words)["steps"] == steps


def test_options_reach_the_batches(capsys: Any) -> None:
    words = ["--budget", "80", "-k", "4"]
    usual = plan(capsys, *words)["batches"]
    assert (usual["optimizer_steps"], usual["rank_wait"]) == (usual["count"], 0.0)
    shared = plan(capsys, *words, "--ranks", "4", "--uneven", "repeat")["batches"]
    assert shared["optimizer_steps"] == -(-usual["count"] // 4)
    assert shared["rank_wait"] > 0
    resumed = plan(capsys, *words, "--skip-batches", "3")["batches"]
    assert resumed["count"] == usual["count"] - 3
    assert plan(capsys, *words, "--order", "random")["batches"] != usual
    assert plan(capsys, *words, "--longest-first")["batches"]["count"] == usual["count"]
    sized = plan(capsys, *words, "--batch-sizes", "1,4")
    assert {bucket["batch_size"] for bucket in sized["buckets"]} <= {1, 4}
    assert sized["batches"]["shapes"] <= 8
    in_eights = plan(capsys, "--batch-size", "20", "--batch-multiple", "8")
    assert {bucket["batch_size"] for bucket in in_eights["buckets"]} == {16}


def test_one_source_of_steps_under_batch(capsys: Any) -> None:
    record = plan(capsys, "gsm8k_train_qa", "--pad-to", "batch", "--budget", "4000")
    assert record["steps"] == record["batches"]["steps_per_epoch"]
    assert (record["optimal_cost"], record["excess_over_optimal"]) == (None, None)


def test_other_data_are_compared(capsys: Any, few: str) -> None:
    record = plan(capsys, few, "-k", "2", "--compare", "uniform:1-9")
    assert list(record["compare"]) == ["name", "steps", "real_steps", "waste", "buckets"]
    assert "on uniform:1-9" in run(capsys, "plan", few, "-k", "2", "--compare", "uniform:1-9")[1]


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["-k", "0"], "0 buckets cannot hold anything"),
        (["--min-count", "11"], "a minimum of 11 sequences per bucket cannot be met by 10"),
        (["--max-length", "2"], "length 3 is above --max-length 2"),
        (["--max-length", "2", "--over", "drop"], "no sequence of at least one step is left"),
        (["--boundaries", "3,7"], "the last boundary 7 is below the longest length 8"),
        (["--pad-to", "batch"], "needs batches; give --budget or --batch-size"),
        (["--budget", "7"], "sequence 8 of length 8 exceeds the budget of 7"),
        (["--cost", "0,0"], "makes every plan free"),
        (["--cost", "none.csv"], "cannot be read as a cost table"),
        (["--batch-size", "4", "--batch-sizes", "4,2"], "2 does not rise above 4"),
        (["--export", "lhotse"], "lhotse counts in seconds"),
        (["--export", "pytorch"], "pytorch needs batch sizes"),
        (["--cost", "quadratic", "--compile-seconds", "1", "--throughput", "1"], "worth steps"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_plan_that_cannot_be_is_one_line_and_exit_1(
    capsys: Any, few: str, words: list[str], what: str
) -> None:
    code, out, err = run(capsys, "plan", few, *words)
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert what in err


@pytest.mark.parametrize("content", ["", "0\n0\n"])
def test_no_data_is_one_line_and_exit_1(capsys: Any, tmp_path: Path, content: str) -> None:
    path = tmp_path / "none.txt"
    path.write_text(content)
    for command in (["plan"], ["pack", "--capacity", "5"]):
        code, out, err = run(capsys, *command, str(path))
        assert (code, out, err.count("\n")) == (1, "", 1)


def test_a_histogram_keeps_no_order_to_estimate_from(capsys: Any, few: str) -> None:
    words = ["plan", "--method", "equal-total-10k", "-k", "3", "--json"]
    code, out, err = run(capsys, *words, "gsm8k_train_qa")
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert "looks at the first 10,000 rows" in err
    assert json.loads(run(capsys, *words, few)[1])["boundaries"] == [5, 8]


@pytest.mark.parametrize(
    "words",
    [
        ["plan", "--nothing"],
        ["plan", "-k", "2", "--boundaries", "20"],
        ["plan", "--budget", "80", "--batch-size", "4"],
        ["plan", "--method", "uniform", "--boundaries", "20"],
        ["plan", "--compile-cost", "1", "--compile-seconds", "1", "--throughput", "1"],
        ["plan", "--compile-seconds", "1"],
        ["plan", "--ranks", "2"],
        ["plan", "--budget", "0"],
        ["plan", "--json", "--csv"],
        ["plan", "--export", "keras"],
        ["plan", "--export", "nemo", "--json"],
        ["plan", "--export", "json", "--csv"],
        ["report", "--json", "--csv"],
        ["report", "--csv", "--markdown"],
        ["pack"],
        ["pack", "--capacity", "x"],
    ],
    ids=" ".join,
)
def test_usage_errors_exit_with_2(capsys: Any, words: list[str]) -> None:
    code, out, err = run(capsys, *words)
    assert (code, out) == (2, "")
    assert "error: " in err.splitlines()[-1]


@pytest.mark.parametrize("name", ["json", "csv"])
def test_an_export_that_is_json_or_csv_may_be_called_so(capsys: Any, few: str, name: str) -> None:
    words = ["plan", few, "--export", name]
    assert run(capsys, *words, f"--{name}") == run(capsys, *words)


@pytest.mark.parametrize("name", EXPORTERS)
def test_every_export_is_printed_with_what_reproduces_it(capsys: Any, few: str, name: str) -> None:
    words = ["plan", few, "-k", "3", "--frame-rate", "10", "--budget", "16", "--export", name]
    code, out, _ = run(capsys, *words)
    assert code == 0
    line = f"dgplay plan {few} --frame-rate 10 -k 3 --budget 16"
    assert line in out
    again = run(capsys, *line.split()[1:], "--export", name)
    assert again[1] == out
    if EXPORTERS[name].suffix == ".py":
        ast.parse(out)


def test_an_export_is_padded_to_the_boundary_whatever_the_policy(capsys: Any, few: str) -> None:
    words = ["plan", few, "-k", "3", "--pad-to", "batch", "--budget", "16", "--export", "json"]
    record = json.loads(run(capsys, *words)[1])
    assert (record["pad_to"], record["method"]) == ("boundary", "optimal")


def test_a_packing(capsys: Any, few: str) -> None:
    code, out, _ = run(capsys, "pack", few, "--capacity", "10", "--json")
    record = json.loads(out)
    assert code == 0
    assert (record["bins"], record["lower_bound"], record["gap"]) == (6, 6, 0)
    assert sum(row["count"] for row in record["kinds"]) == 6
    text = run(capsys, "pack", few, "--capacity", "10")[1]
    assert "6 rows by best-fit decreasing, proved optimal" in text


@pytest.mark.parametrize("capacity", ["0", "7"])
def test_a_packing_that_cannot_be_is_one_line(capsys: Any, few: str, capacity: str) -> None:
    code, out, err = run(capsys, "pack", few, "--capacity", capacity)
    assert (code, out, err.count("\n")) == (1, "", 1)


def test_neither_imports_textual() -> None:
    code = (
        "import sys; from dgplay.tui.cli import run; "
        "run(['plan', '--json', '--budget', '99']); run(['pack', '--capacity', '20', '--json']); "
        "print('textual' in sys.modules, file=sys.stderr)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stderr.splitlines()[-1] == "False"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["plan", "-k", "x"], "argument -k: 'x' is not a whole number"),
        (["plan", "--count", "-1"], "argument --count: '-1' is not a whole number of at least"),
        (["plan", "--budget", "0"], "argument --budget: '0' is not a whole number of at least 1"),
        (["plan", "--throughput", "0"], "argument --throughput: '0' is not a number above 0"),
        (["plan", "--compile-cost", "nan"], "argument --compile-cost: 'nan' is not a number of"),
        (["plan", "--boundaries", "3,x"], "argument --boundaries: '3,x' is not whole numbers"),
        (["pack", "--capacity", "x"], "argument --capacity: 'x' is not a whole number"),
    ],
)
def test_a_usage_error_says_what_a_value_has_to_be(
    capsys: Any, words: list[str], said: str
) -> None:
    code, _, err = run(capsys, *words)
    assert code == 2
    assert said in err.splitlines()[-1]
