"""The real command in a real terminal: it opens, and leaves the terminal as it was."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("needs a pty", allow_module_level=True)

sys.path.insert(0, str(Path(__file__).parents[1]))

from terminal import ALTERNATE_ON, DOWN, LEFT, Terminal, plain

READY = "optimum K=4: 1256"


def state_file(home: Path) -> Path:
    return home / "STATE" / "dgplay" / "state.json"


def leave_by_signal(number: int) -> Callable[[Terminal], None]:
    return lambda terminal: terminal.process.send_signal(number)


@pytest.mark.parametrize(
    ("leave", "code"),
    [
        (lambda terminal: terminal.send(b"q"), 0),
        (lambda terminal: terminal.send(b"\x11"), 0),
        (lambda terminal: terminal.send(b"\x03"), 0),
        (leave_by_signal(signal.SIGTERM), 143),
        (leave_by_signal(signal.SIGHUP), 129),
    ],
    ids=["q", "ctrl+q", "ctrl+c", "SIGTERM", "SIGHUP"],
)
def test_leaving_restores_the_terminal_and_keeps_the_state(
    tmp_path: Path, leave: Callable[[Terminal], None], code: int
) -> None:
    with Terminal(home=tmp_path) as terminal:
        terminal.until(READY)
        assert ALTERNATE_ON in terminal.written
        terminal.send(LEFT)
        terminal.until("1259")
        leave(terminal)
        assert terminal.wait() == code
        assert terminal.restored
        assert "Traceback" not in plain(terminal.written)
    kept = json.loads(state_file(tmp_path).read_text(encoding="utf-8"))
    assert "4,10,15,20" in kept["arguments"]


def test_leaving_while_it_works_is_no_traceback(tmp_path: Path) -> None:
    with Terminal("prokka_virus_proteins", "--hidden", "64", home=tmp_path) as terminal:
        terminal.until("prokka_virus_proteins")
        terminal.send(b"q")
        assert terminal.wait() == 0
        assert terminal.restored
        assert "Traceback" not in plain(terminal.written)


def test_the_first_start_asks_and_the_second_is_quiet(tmp_path: Path) -> None:
    question = "four keys lead from 1270"
    with Terminal(home=tmp_path) as terminal:
        terminal.until(question)
        terminal.send(b"q")
        assert terminal.wait() == 0
    assert state_file(tmp_path).exists()
    with Terminal(home=tmp_path) as terminal:
        terminal.until(READY)
        terminal.send(b"q")
        assert terminal.wait() == 0
        assert question not in plain(terminal.written)


def test_resuming(tmp_path: Path) -> None:
    with Terminal("uniform:1-50", home=tmp_path) as terminal:
        terminal.until("uniform:1-50")
        terminal.rest(0.3)
        terminal.send(b"d")
        terminal.until("joined with its neighbour")
        terminal.send(b"q")
        terminal.wait()
    with Terminal("--resume", home=tmp_path) as terminal:
        terminal.until("uniform:1-50")
        terminal.until("K=3") if "K=3" not in plain(terminal.written) else None
        terminal.send(b"q")
        assert terminal.wait() == 0


@pytest.mark.parametrize(
    "text",
    ["{", "", '{"format": "dgplay-state", "version": 1, "arguments": ["--bogus"], "folder": "/"}'],
)
def test_a_damaged_state_is_set_aside_and_it_opens_all_the_same(tmp_path: Path, text: str) -> None:
    path = state_file(tmp_path)
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    with Terminal("--resume", home=tmp_path) as terminal:
        terminal.until(READY)
        assert "is damaged" in plain(terminal.written)
        terminal.send(b"q")
        assert terminal.wait() == 0
    assert path.with_name("state.json.damaged-1").read_text(encoding="utf-8") == text


def test_a_small_terminal_says_so_and_grows(tmp_path: Path) -> None:
    with Terminal(size=(30, 8), home=tmp_path) as terminal:
        terminal.until("dgplay needs 40 x 10")
        terminal.resize(80, 24)
        terminal.process.send_signal(signal.SIGWINCH)
        terminal.until(READY)
        terminal.resize(1, 1)
        terminal.process.send_signal(signal.SIGWINCH)
        terminal.rest(0.2)
        terminal.send(b"q")
        assert terminal.wait() == 0
        assert terminal.restored


def test_ctrl_z_suspends_and_it_comes_back(tmp_path: Path) -> None:
    with Terminal(home=tmp_path) as terminal:
        terminal.until(READY)
        terminal.send(b"\x1a")
        terminal.comes_to(lambda: terminal.status == "T")
        terminal.process.send_signal(signal.SIGCONT)
        terminal.until(READY)
        terminal.send(DOWN + b"q")
        assert terminal.wait() == 0
        assert terminal.restored


@pytest.mark.parametrize("name", ["", "dumb"])
def test_a_terminal_that_cannot_be_drawn_on_is_refused(tmp_path: Path, name: str) -> None:
    with Terminal(home=tmp_path, TERM=name) as terminal:
        assert terminal.wait() == 2
        assert plain(terminal.written).count("\n") == 1
        assert "dgplay report" in terminal.written
        assert ALTERNATE_ON not in terminal.written


@pytest.mark.parametrize(
    "arguments", [["no/such/file"], ["--theme", "nope"], ["--boundaries", "1,2"], ["lesson", "x"]]
)
def test_what_cannot_open_is_one_line_and_no_screen(tmp_path: Path, arguments: list[str]) -> None:
    with Terminal(*arguments, home=tmp_path) as terminal:
        assert terminal.wait() == 1
        assert terminal.written.startswith("dgplay: ")
        assert terminal.written.count("\n") == 1
        assert ALTERNATE_ON not in terminal.written


@pytest.mark.parametrize("arguments", [[], ["uniform:1-50"]])
def test_without_a_terminal_there_is_a_hint(tmp_path: Path, arguments: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "dgplay.tui", *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert "dgplay report" in done.stderr


def test_no_color_writes_no_colour(tmp_path: Path) -> None:
    with Terminal("--no-color", home=tmp_path) as terminal:
        terminal.until(READY)
        terminal.rest(0.2)
        terminal.send(b"q")
        terminal.wait()
        for colour in ("\x1b[31", "\x1b[32", "[38;2;", "[48;2;", "[38;5;", "[48;5;"):
            assert colour not in terminal.written


def test_a_lesson_opens_and_asks(tmp_path: Path) -> None:
    with Terminal("lesson", "tour", home=tmp_path) as terminal:
        terminal.until("Lesson 1/")
        terminal.send(b"q")
        assert terminal.wait() == 0
