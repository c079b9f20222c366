"""The README is true: its commands run, its key list is the table of commands."""

import gzip
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from dgplay.core.command_line import COMMAND_WORDS, parse
from dgplay.core.lessons.lesson import open_lesson
from dgplay.core.sequences.analysis import Analysis
from dgplay.core.sequences.loading import load
from dgplay.core.sequences.strategies import FURTHER
from dgplay.core.state import open_state
from dgplay.tui.all_commands import with_key_table

PROJECT = Path(__file__).parents[2]
README = (PROJECT / "README.md").read_text(encoding="utf-8")


def commands() -> list[str]:
    blocks = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
    lines = [line.split(" #")[0].strip() for block in blocks for line in block.splitlines()]
    return [line for line in lines if "dgplay " in line and "pip install" not in line]


COMMANDS = commands()
HEADLESS = [
    line
    for line in COMMANDS
    if "|" in line or (line.split()[1] in COMMAND_WORDS and line.split()[1] != "lesson")
]
SCREENS = [line for line in COMMANDS if line not in HEADLESS]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that the README speaks of."""
    folder = tmp_path_factory.mktemp("readme")
    with gzip.open(folder / "train.jsonl.gz", "wt") as file:
        file.write('{"text": "three small words"}\n{"text": "one"}\n')
    with gzip.open(folder / "corpus.txt.gz", "wt") as file:
        file.write("three small words\none\n")
    (folder / "corpus.txt").write_text("three small words\none\n")
    (folder / "manifest.jsonl").write_text('{"duration": 1.10}\n{"duration": 0.07}\n')
    (folder / "extra.csv").write_text("length\n7\n9\n")
    (folder / "shards").mkdir()
    np.save(folder / "shards" / "a.npy", np.array([4, 5, 6]))
    return folder


def test_there_are_commands_of_both_kinds():
    assert len(HEADLESS) > 12
    assert len(SCREENS) > 6


@pytest.mark.parametrize("line", HEADLESS)
def test_a_headless_command_runs(line, folder):
    scripts = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", line],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout or ">" in line or " -o " in line


@pytest.mark.parametrize("line", SCREENS)
def test_a_line_for_the_screens_opens(line, folder, monkeypatch):
    monkeypatch.chdir(folder)
    words = shlex.split(line)[1:]
    if words[0] == "lesson":
        assert open_lesson(words[1]).steps
        return
    request = parse(words)
    assert open_state(request, Analysis(load(request.state.data))).boundaries


def test_the_key_list_is_the_table_of_commands():
    assert with_key_table(README) == README, "python -m dgplay.tui.all_commands README.md"


def test_the_pictures_are_there():
    shown = re.findall(r"!\[.*?\]\((.*?)\)", README)
    assert len(shown) >= 2
    assert all((PROJECT / path).is_file() for path in shown)


def test_the_table_of_strategies_is_what_they_say_of_themselves():
    table = README.partition("| with `--all` also |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| `(.+?)` \| (.+) \|$", table, re.MULTILINE)
    assert rows == [(strategy.name, strategy.doc) for strategy in FURTHER]
