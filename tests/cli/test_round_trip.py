"""Every state option that a command takes comes out in the line it ends with, and opens there."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from dgplay.core import command_line
from dgplay.core.command_line import parse
from dgplay.core.planning import Planning
from dgplay.core.sequences.analysis import Analysis
from dgplay.core.sequences.loading import load
from dgplay.core.state import Appearance, State, open_state
from dgplay.tui import cli

#: Each option of a state with a value that is not the usual one.
VALUES: dict[str, tuple[str, ...]] = {
    "--field": ("size",),
    "--unit": ("chars",),
    "--frame-rate": ("25/2",),
    "--format": ("csv",),
    "--skip-bad": (),
    "--count": ("50",),
    "--seed": ("3",),
    "--max-length": ("19",),
    "--over": ("truncate",),
    "--boundaries": ("4,11,17,20",),
    "-k": ("3",),
    "--method": ("quantile",),
    "--pad-to": ("boundary",),
    "--cost": ("quadratic",),
    "--multiple-of": ("2",),
    "--min-count": ("5",),
    "--compile-cost": ("1/3",),
    "--budget": ("80",),
    "--batch-size": ("4",),
    "--program": ("dynamic_block",),
    "--feed": ("x=[1, 2]",),
    "--call": ("x=[-1, 2]",),
    "--grad": ("x",),
    "--passes": ("fold,fast-math",),
    "--recompile-limit": ("3",),
    "--dynamic": ("off",),
    "--no-guards": (),
    "--mode": ("capture",),
    "--strategy": ("dynamic",),
    "--bias": ("-0.5",),
    "--weight-scale": ("0.1",),
    "--hidden": ("4",),
    "--screen": ("plan",),
    "--bucket": ("2",),
    "--sequence": ("7",),
    "--step": ("2",),
    "--preset": ("data",),
    "--predict": (),
    "--time": (),
    "--all": (),
    "--compare": ("uniform:1-30",),
    "--lang": ("zh",),
    "--theme": ("textual-light",),
    "--no-color": (),
    "--ascii": (),
    "--no-animation": (),
}

#: Options that choose boundaries come out as the boundaries they chose.
CHOOSING = {"-k", "--method"}

OF_STATE = [option.flag for option in command_line.STATE_OPTIONS]
OF_DATA = [option.flag for option in command_line.DATA_OPTIONS]
OF_PLAN = [option.flag for option in command_line.PLANNING_OPTIONS]


def run(capsys: Any, *words: str) -> str:
    assert cli.run(words) == 0
    return str(capsys.readouterr().out)


def opened(words: list[str]) -> State:
    request = parse(words)
    return open_state(request, Analysis(load(request.state.data)))


def option(flag: str) -> list[str]:
    values = VALUES[flag]
    return [f"{flag}={values[0]}"] if values and values[0].startswith("-") else [flag, *values]


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Measure each time once: what is measured does not matter here."""
    monkeypatch.setattr("dgplay.core.sequences.timing.FEWEST_RUNS", 1)
    monkeypatch.setattr("dgplay.core.sequences.timing.MOST_SECONDS", 0.0)


@pytest.fixture
def sized(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A CSV whose column ``size`` is none of the known ones, with a long row and a bad one."""
    monkeypatch.chdir(tmp_path)
    rows = [f"{length},{length % 7 + 1}" for length in range(1, 21)]
    Path("sized.csv").write_text("\n".join(["length,size", *rows]) + "\n", encoding="utf-8")
    return "sized.csv"


def test_no_option_is_forgotten_here() -> None:
    assert set(VALUES) == {*OF_DATA, *OF_STATE}


@pytest.mark.parametrize("flag", OF_STATE)
def test_report_ends_with_every_option_of_a_state(capsys: Any, flag: str) -> None:
    words = option(flag)
    line = json.loads(run(capsys, "report", *words, "--json"))["reproduce"]
    program, *again = shlex.split(line)
    assert program == "dgplay"
    assert opened(again) == opened(words)
    if flag not in CHOOSING:
        assert " ".join(words) in " ".join(again)


def test_report_ends_with_all_of_them_at_once(capsys: Any) -> None:
    left_out = {*CHOOSING, "--batch-size"}
    words = [word for flag in OF_STATE if flag not in left_out for word in option(flag)]
    line = json.loads(run(capsys, "report", *words, "--json"))["reproduce"]
    assert opened(shlex.split(line)[1:]) == opened(words)
    assert json.loads(run(capsys, "report", *shlex.split(line)[1:], "--json"))["reproduce"] == line


@pytest.mark.parametrize("flag", OF_DATA)
def test_every_way_to_read_comes_out_too(capsys: Any, sized: str, flag: str) -> None:
    data = [] if flag in ("--count", "--seed") else [sized]
    words = [*data, *option(flag)]
    if flag == "--max-length":
        words += option("--over")
    elif flag == "--over":
        words += option("--max-length")
    line = json.loads(run(capsys, "report", *words, "--json"))["reproduce"]
    assert opened(shlex.split(line)[1:]) == opened(words)
    assert " ".join(option(flag)) in line


@pytest.mark.parametrize("flag", [*OF_PLAN, "--boundaries", "-k", "--method", "--compare"])
def test_plan_ends_with_the_plan_and_what_it_was_made_under(capsys: Any, flag: str) -> None:
    line = run(capsys, "plan", "uniform:1-20", *option(flag)).splitlines()[-1]
    state = opened(shlex.split(line)[1:])
    asked = parse(option(flag)).state
    assert state.screen == "plan"
    assert (state.planning, state.compare) == (asked.planning, asked.compare)
    found = json.loads(run(capsys, "plan", "uniform:1-20", *option(flag), "--json"))
    assert list(state.boundaries) == found["boundaries"]


def test_seconds_to_compile_come_out_as_the_steps_they_are_worth(capsys: Any) -> None:
    words = ("--compile-seconds", "2", "--throughput", "30", "--epochs", "3")
    line = run(capsys, "plan", "uniform:1-20", *words).splitlines()[-1]
    assert opened(shlex.split(line)[1:]).planning == Planning(compile_cost=Fraction(20))


def test_graph_ends_with_the_state_of_its_screen(capsys: Any) -> None:
    words = ["--feed", "x=[1, 2]", "--call", "x=[-1, 2]", "--grad", "x", "--no-guards"]
    words += ["--passes", "fast-math,fold", "--recompile-limit", "3", "--dynamic", "off"]
    shown = run(capsys, "graph", "dynamic_block", *words, "--mode", "capture", "--seed", "4")
    state = opened(shlex.split(shown.splitlines()[-1])[1:])
    same = opened([*words, "--program", "dynamic_block", "--mode", "capture", "--seed", "4"])
    assert state == replace(same, screen="graph")


def test_graph_without_gradients_opens_without_any(capsys: Any) -> None:
    line = run(capsys, "graph", "affine").splitlines()[-1]
    assert line == "dgplay --boundaries 5,10,15,20 --grad none --screen graph"


def test_the_theme_changes_no_number(capsys: Any) -> None:
    plain = json.loads(run(capsys, "report", "--json"))
    themed = json.loads(run(capsys, "report", "--theme", "textual-light", "--json"))
    assert {**themed, "reproduce": ""} == {**plain, "reproduce": ""}
    assert opened(["--theme", "textual-light"]).appearance == Appearance(theme="textual-light")
