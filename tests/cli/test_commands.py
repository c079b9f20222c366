"""The command line: what goes to stdout and stderr, exit codes, options, and what is imported."""

import csv
import io
import json
import os
import pty
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from dgplay.core import command_line
from dgplay.core.sequences.strategies import EVERY, FURTHER, STRATEGIES
from dgplay.core.version import VERSION
from dgplay.tui import cli, headless

ROOT = Path(__file__).parents[2]
HINT = "use 'dgplay report' instead\n"

#: DESIGN section 5, the options of DATA and of a state; those of later screens may be missing.
DATA_FLAGS = {
    *("--field", "--unit", "--frame-rate", "--format", "--skip-bad", "--count", "--seed"),
    *("--max-length", "--over"),
}
BUILT_FLAGS = {
    *("--boundaries", "-k", "--method", "--pad-to", "--mode", "--strategy", "--bias"),
    *("--weight-scale", "--hidden", "--screen", "--bucket", "--preset", "--resume", "--lang"),
    *("--theme", "--no-color", "--ascii", "--no-animation"),
}
STATE_FLAGS = BUILT_FLAGS | {
    *("--budget", "--batch-size", "--cost", "--multiple-of", "--min-count", "--compile-cost"),
    *("--sequence", "--compare", "--program", "--feed", "--call", "--grad", "--passes"),
    *("--recompile-limit", "--dynamic", "--no-guards", "--step", "--predict", "--time"),
}


def run(capsys, *words):
    """Run a command in this process: its exit code, stdout and stderr."""
    code = cli.run(words)
    out, err = capsys.readouterr()
    return int(code), out, err


def spawn(*words, **options):
    """Run a command as a person does."""
    command = [sys.executable, "-m", "dgplay.tui", *words]
    options = {"stdin": subprocess.DEVNULL, "capture_output": True, "text": True, **options}
    return subprocess.run(command, timeout=60, check=False, **options)


# What goes where.


def test_stdout_is_data_and_nothing_else(capsys):
    code, out, err = run(capsys, "report", "--json")
    assert (code, err) == (0, "")
    assert out.count("\n") == 1
    assert json.loads(out)["data"]["real_steps"] == 1065


def test_json_has_the_default_separators_of_python(capsys):
    _, out, _ = run(capsys, "report", "--json")
    assert out == json.dumps(json.loads(out)) + "\n"


def test_how_the_data_were_read_is_said_on_stderr(capsys, tmp_path):
    path = tmp_path / "few.txt"
    path.write_text("3\n5\n")
    code, out, err = run(capsys, "lengths", str(path))
    assert (code, out) == (0, "length,count\n3,1\n5,1\n")
    assert err == f"dgplay: {path}: read as numbers\n"


def test_a_failure_is_one_line_on_stderr_alone(capsys, tmp_path):
    path = tmp_path / "few.txt"
    path.write_text("3\n-5\n")
    assert run(capsys, "report", str(path)) == (1, "", f"dgplay: {path}:2: -5 is negative\n")


def test_csv_is_the_strategies_with_the_keys_of_the_json(capsys):
    code, out, _ = run(capsys, "report", "--csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    record = json.loads(run(capsys, "report", "--json")[1])
    assert code == 0
    assert list(rows[0]) == list(record["strategies"][0])
    assert [row["steps"] for row in rows] == ["2000", "2000", "1065", "1270", "2000", "2000"]


def test_csv_of_the_buckets(capsys):
    _, out, _ = run(capsys, "report", "--csv", "--table", "buckets")
    assert out.splitlines()[:2] == [
        "low,high,count,pad_to,steps,real_steps,waste,correct",
        "1,5,23,5,115,56,0.5130434782608696,True",
    ]


@pytest.mark.parametrize("kind", ["--csv", "--markdown", "--json", None])
def test_all_strategies_in_every_kind_of_output(capsys, kind):
    words = ["report", "--all", "--table", "strategies", *([kind] if kind else [])]
    code, out, err = run(capsys, *words)
    assert (code, err) == (0, "")
    names = [strategy.name for strategy in EVERY]
    if kind == "--json":
        assert [row["name"] for row in json.loads(out)["strategies"]] == names
        return
    first = {
        "--csv": r"^([a-z+-]+),\d",
        "--markdown": r"^\| ([a-z+-]+) \| \d",
        None: r"^ ([a-z+-]+) +\d",
    }
    assert re.findall(first[kind], out, re.MULTILINE) == names
    if kind != "--csv":
        assert "dgplay --boundaries 5,10,15,20 --all" in out


def test_help_of_the_report_says_what_each_strategy_does(capsys):
    listed = run(capsys, "report", "--help")[1].partition("strategies:\n")[2]
    usual, further = (" ".join(part.split()) for part in listed.split("with --all also:"))
    assert usual == " ".join(f"{each.name} {each.doc}" for each in STRATEGIES)
    assert further == " ".join(f"{each.name} {each.doc}" for each in FURTHER)


def test_markdown_is_both_tables_and_the_line(capsys):
    _, out, _ = run(capsys, "report", "--markdown")
    lines = out.splitlines()
    assert lines[0] == "| bucket | n | pad | steps | waste | result |"
    assert lines[1] == "| --- | ---: | ---: | ---: | ---: | --- |"
    assert lines[2] == "| 1–5 | 23 | 5 | 115 | 51.3% | ✓ OK |"
    assert lines[-1] == "`dgplay --boundaries 5,10,15,20`"


@pytest.mark.parametrize(
    ("only", "there", "gone"),
    [("buckets", "16–20", "repeat-last"), ("strategies", "pad+mask", "16–20")],
)
def test_only_one_table(capsys, only, there, gone):
    _, out, _ = run(capsys, "report", "--table", only)
    assert there in out
    assert gone not in out


def test_tables_have_the_numbers_of_the_json(capsys):
    _, out, _ = run(capsys, "report")
    assert re.search(r"bucketed +1270 +16\.1% +36\.5% +19\.2% +4 +50 +0/100 +✓ OK", out)
    assert out.rstrip().endswith("dgplay --boundaries 5,10,15,20")


def test_ascii_tables_are_ascii(capsys):
    _, out, _ = run(capsys, "report", "--ascii")
    assert out.isascii()


def test_a_pipe_gets_no_colour_and_whole_lines():
    found = spawn("report", env={**os.environ, "COLUMNS": "20"})
    assert "\x1b" not in found.stdout
    assert re.search(r"repeat-last.*384000", found.stdout)


def test_data_may_stand_anywhere_among_the_options(capsys, tmp_path):
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text("3\n")
    words = ["lengths", str(tmp_path / "a.txt"), "--format", "numbers", str(tmp_path / "b.txt")]
    assert run(capsys, *words)[1] == "length,count\n3,2\n"


def test_a_file_with_the_name_of_a_command(capsys, tmp_path, monkeypatch):
    (tmp_path / "data").write_text("3\n5\n")
    monkeypatch.chdir(tmp_path)
    _, out, _ = run(capsys, "report", "data", "--json")
    assert json.loads(out)["reproduce"] == "dgplay --boundaries 5 -- data"
    again = run(capsys, "report", "--boundaries", "5", "--json", "--", "data")[1]
    assert again == out


def test_a_pipe_is_read_with_a_dash():
    found = spawn("lengths", "-", stdin=None, input="5\n9\n5\n")
    assert (found.returncode, found.stdout) == (0, "length,count\n5,2\n9,1\n")


def test_lengths_are_read_back_as_they_were_written(capsys, tmp_path):
    path = tmp_path / "lengths.csv"
    code, out, err = run(capsys, "lengths", "uniform:1-50", "-o", str(path))
    assert (code, out) == (0, "")
    assert err == f"dgplay: wrote {path}, 44 distinct lengths\n"
    assert run(capsys, "lengths", str(path))[1] == path.read_text()
    assert "dgplay: replaced" in run(capsys, "lengths", "uniform:1-50", "-o", str(path))[2]


def test_lengths_cannot_be_written_over_a_folder(capsys, tmp_path):
    code, out, err = run(capsys, "lengths", "-o", str(tmp_path))
    assert (code, out, err) == (1, "", f"dgplay: {tmp_path}: is a folder\n")


def test_data_lists_the_twelve_sets(capsys):
    sets = json.loads(run(capsys, "data", "--json")[1])
    assert len(sets) == 12
    assert list(sets[0]) == ["name", "field", "unit", "sequences"]
    assert {item["name"]: item["sequences"] for item in sets}["gsm8k_train_qa"] == 7473


def test_data_as_a_table_names_every_set(capsys):
    names = [item["name"] for item in json.loads(run(capsys, "data", "--json")[1])]
    _, out, _ = run(capsys, "data")
    assert all(name in out for name in names)


@pytest.mark.parametrize(("shell", "sign"), [("bash", "complete -o"), ("zsh", "#compdef dgplay")])
def test_completions_are_a_script_that_knows_commands_and_options(capsys, shell, sign):
    code, out, err = run(capsys, "completions", shell)
    assert (code, err) == (0, "")
    assert all(word in out for word in (sign, "lengths", "--weight-scale", "pad+mask"))


def test_a_script_for_bash_is_accepted_by_bash(capsys, tmp_path):
    script = tmp_path / "dgplay.bash"
    script.write_text(run(capsys, "completions", "bash")[1])
    assert subprocess.run(["bash", "-n", str(script)], check=False).returncode == 0


def test_fish_is_completed_or_refused_in_one_line(capsys):
    code, out, err = run(capsys, "completions", "fish")
    assert (code, bool(out), err) in (
        (0, True, ""),
        (1, False, "dgplay: fish: the installed shtab completes bash, zsh, tcsh only\n"),
    )


def test_the_version(capsys):
    assert spawn("--version").stdout == f"dgplay {VERSION}\n"
    assert run(capsys, "--no-color", "--version") == (0, f"dgplay {VERSION}\n", "")


# Exit codes.


@pytest.mark.parametrize(
    "words",
    [
        ["--nothing"],
        ["report", "--nothing"],
        ["report", "--jso"],
        ["report", "--json", "--csv"],
        ["report", "--table", "methods"],
        ["report", "--boundaries", "5,,20"],
        ["report", "--boundaries", "5,20", "-k", "2"],
        ["report", "--frame-rate", "1/0"],
        ["report", "--frame-rate", "1e999999999"],
        ["report", "--weight-scale", "nan"],
        ["report", "--bucket", "0"],
        ["lengths", "-o"],
        ["data", "more"],
        ["completions"],
        ["completions", "powershell"],
    ],
    ids=" ".join,
)
def test_usage_errors_exit_with_2_and_print_nothing_on_stdout(capsys, words):
    code, out, err = run(capsys, *words)
    assert (code, out) == (2, "")
    assert err.startswith("usage: dgplay")
    assert "error:" in err.splitlines()[-1]


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["no_such_set"], "no such file, folder, bundled data set or generator"),
        (["-k", "0"], "0 buckets cannot hold anything; ask for at least 1"),
        (["--bucket", "9"], "there is no bucket 9 of 4"),
        (["--boundaries", "5,4,20"], "boundary 4 does not rise above 5"),
        (["--boundaries", "5,10"], "the last boundary 10 is below the longest length 20; add 20"),
        (["--hidden", "1000000000"], "--hidden: is 1 to 1024, not 1000000000"),
        (["--count", "1000000000"], "a generator makes at most 100,000,000 sequences"),
        (["--method", "uniform", "-k", "1000000000"], "uniform makes at most 100,000 buckets"),
        (["uniform:20-1"], "the range runs backwards"),
    ],
)
def test_work_that_fails_exits_with_1_and_one_line(capsys, words, line):
    code, out, err = run(capsys, "report", *words)
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert line in err


@pytest.mark.parametrize(
    "words",
    [
        ["-k", "1000000000"],
        ["--boundaries", "5,10,15,99999999999999999999", "--pad-to", "boundary"],
        ["--weight-scale", "1e308"],
        ["--bias=-1e308"],
        ["--seed", "99999999999999999999"],
        ["uniform:1-9007199254740992"],
    ],
    ids=" ".join,
)
def test_huge_values_are_work_like_any_other(capsys, words):
    code, out, err = run(capsys, "report", *words, "--json")
    assert (code, err) == (0, "")
    json.loads(out)


def test_an_interrupt_exits_with_130(capsys, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(headless, "load", interrupted)
    assert run(capsys, "report") == (130, "", "dgplay: interrupted\n")


# Where stdout goes.


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("words", [["report"], ["report", "--json"], ["lengths"]], ids=" ".join)
def test_a_reader_that_has_gone_is_no_error(words, unbuffered):
    reading, writing = os.pipe()
    os.close(reading)
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    found = spawn(
        *words, capture_output=False, stdout=writing, stderr=subprocess.PIPE, env=environment
    )
    os.close(writing)
    assert (found.returncode, found.stderr) == (0, "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize("words", [["report"], ["report", "--json"]], ids=" ".join)
def test_a_full_disk_is_one_line(words):
    with open("/dev/full", "w") as full:
        found = spawn(*words, capture_output=False, stdout=full, stderr=subprocess.PIPE)
    assert found.returncode == 1
    assert found.stderr == "dgplay: stdout cannot be written: No space left on device\n"


def test_a_closed_standard_input_stops_nobody():
    command = f"{sys.executable} -m dgplay.tui lengths uniform:3-3 <&-"
    found = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout, found.stderr) == (0, "length,count\n3,100\n", "")


def test_an_encoding_without_the_signs_stops_nobody():
    found = spawn("report", env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    assert found.returncode == 0
    assert "? OK" in found.stdout


def test_a_file_name_that_is_no_text_stops_nobody(tmp_path):
    path = os.fsencode(tmp_path) + b"/\xff.txt"
    with open(path, "w") as file:
        file.write("3\n5\n")
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8:strict"}
    found = spawn("report", os.fsdecode(path), text=False, env=environment)
    assert found.returncode == 0
    assert path in found.stdout.splitlines()[-1]


# The screens.


def test_without_a_terminal_the_screens_exit_with_2_and_a_hint():
    found = spawn()
    assert (found.returncode, found.stdout) == (2, "")
    assert found.stderr == f"dgplay: the screens need a terminal for input and output; {HINT}"


@pytest.mark.parametrize(
    ("words", "term", "reason"),
    [
        ([], "dumb", "the terminal (TERM='dumb') cannot be drawn on"),
        ([], "", "the terminal (TERM='') cannot be drawn on"),
        (["-"], "xterm-256color", "a pipe cannot be read while keys are"),
        (["a.csv", "-"], "xterm-256color", "a pipe cannot be read while keys are"),
    ],
)
def test_a_terminal_that_cannot_show_them_exits_with_2_and_a_hint(words, term, reason):
    ours, theirs = pty.openpty()
    found = spawn(
        *words,
        stdin=theirs,
        stdout=theirs,
        capture_output=False,
        stderr=subprocess.PIPE,
        env={**os.environ, "TERM": term},
    )
    os.close(theirs)
    os.close(ours)
    assert (found.returncode, found.stderr) == (2, f"dgplay: {reason}; {HINT}")


@pytest.mark.skipif(sys.platform == "win32", reason="there Textual draws on stdout")
def test_with_stderr_redirected_the_screens_exit_with_2_and_the_terminal_says_why():
    ours, theirs = pty.openpty()
    found = spawn(
        stdin=theirs,
        stdout=theirs,
        capture_output=False,
        stderr=subprocess.PIPE,
        env={**os.environ, "TERM": "xterm-256color"},
    )
    os.close(theirs)
    seen = os.read(ours, 4096).decode()
    os.close(ours)
    told = f"dgplay: the screens are drawn on stderr, which is redirected; {HINT}"
    assert (found.returncode, found.stderr) == (2, told)
    assert seen.replace("\r\n", "\n") == told


# Options.


def flags(capsys, *words):
    code, out, _ = run(capsys, *words, "--help")
    assert code == 0
    return set(re.findall(r"^  (-[a-z]\b|--[a-z-]+)", out, re.MULTILINE)) | set(
        re.findall(r"^  -[a-z], (--[a-z-]+)", out, re.MULTILINE)
    )


def table_flags(*tables):
    return {option.flag for table in tables for option in table}


def test_help_lists_the_options_of_the_tables_and_two_more(capsys):
    listed = table_flags(command_line.DATA_OPTIONS, command_line.STATE_OPTIONS)
    assert flags(capsys) - {"-h", "--help", "--version"} == listed | {"--resume"}


def test_every_option_is_one_of_the_design_and_those_of_the_lab_are_built(capsys):
    # --all is report's there; the Lab shows the same rows, and every state of it is a line.
    listed = flags(capsys) - {"-h", "--help", "--version"}
    assert listed <= DATA_FLAGS | STATE_FLAGS | {"--all"}
    assert listed >= DATA_FLAGS | BUILT_FLAGS


def test_report_has_every_option_of_a_state_and_those_of_its_output(capsys):
    listed = table_flags(command_line.DATA_OPTIONS, command_line.STATE_OPTIONS)
    own = flags(capsys, "report") - listed - {"-h", "--help"}
    assert own >= {"--table", "--json", "--csv", "--markdown"}
    assert own <= {"--table", "--json", "--csv", "--markdown", "--all"}
    assert "--all" in flags(capsys, "report")


def test_lengths_has_the_options_of_data(capsys):
    assert flags(capsys, "lengths") - {"-h", "--help"} == DATA_FLAGS | {"-o"}


def test_boundaries_and_k_exclude_each_other_in_the_usage(capsys):
    assert "[--boundaries 5,10,15,20 | -k K]" in run(capsys, "report", "--help")[1]


def test_every_command_is_listed_and_its_word_is_reserved(capsys):
    listed = run(capsys, "--help")[1].partition("commands:")[2]
    for name, command in cli.COMMANDS.items():
        assert f"  {name} " in listed
        assert command.help.splitlines()[0] in listed
    assert set(cli.COMMANDS) <= set(command_line.COMMAND_WORDS)


# What is imported, and what is installed.

LOADED = "import sys; print(sorted({name.partition('.')[0] for name in sys.modules}))"


def loaded_after(code):
    script = f"import sys\n{code}\nsys.stdout = sys.stderr\n{LOADED}"
    found = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return set(re.findall(r"'(\w+)'", found.stderr.splitlines()[-1]))


def command(*words):
    return f"sys.argv = {['dgplay', *words]!r}\nfrom dgplay.tui.__main__ import main\nmain()"


def test_the_version_imports_neither_argparse_nor_numpy_nor_textual():
    assert not loaded_after(command("--version")) & {"argparse", "numpy", "textual", "rich"}


@pytest.mark.parametrize("words", [["report"], ["report", "--json"], ["data"]], ids=" ".join)
def test_headless_commands_never_import_textual(words):
    assert "textual" not in loaded_after(command(*words))


def test_core_imports_numpy_and_the_standard_library_only():
    code = """
import importlib, pkgutil, dgplay.core as core
for module in pkgutil.walk_packages(core.__path__, "dgplay.core."):
    if ".programs" not in module.name:
        importlib.import_module(module.name)
"""
    assert not loaded_after(code) & {"textual", "rich", "platformdirs", "shtab", "pyarrow"}


def test_the_list_of_packages_equals_the_folders():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    folders = {
        "dgplay." + ".".join(path.parent.relative_to(ROOT).parts)
        for top in ("core", "tui")
        for path in (ROOT / top).rglob("__init__.py")
    }
    assert set(project["tool"]["setuptools"]["packages"]) == folders


def test_every_file_that_is_read_is_in_the_wheel():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    listed = {
        path
        for package, patterns in project["tool"]["setuptools"]["package-data"].items()
        for pattern in patterns
        for path in ROOT.joinpath(*package.split(".")[1:]).glob(pattern)
    }
    needed = {
        path
        for top in ("core", "tui")
        for path in (ROOT / top).rglob("*")
        if path.is_file() and path.suffix not in (".pyc", ".po", ".pot")
        if path != ROOT / "tui" / "locale" / "update.py"  # makes the catalogues
        if path.suffix != ".py" or not (path.parent / "__init__.py").exists()
    }
    assert needed - listed == set()
