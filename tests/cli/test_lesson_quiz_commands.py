"""``dgplay lesson`` and ``dgplay quiz`` without a screen, and on a terminal of their own."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys

import pytest

from dgplay.tui import cli


def run(capsys, *words):
    code = cli.run(list(words))
    out, err = capsys.readouterr()
    return code, out, err


def record(capsys, *words):
    code, out, err = run(capsys, *words)
    assert (code, err) == (0, "")
    return json.loads(out)


def test_lessons_are_listed(capsys):
    code, out, err = run(capsys, "lesson")
    assert (code, err) == (0, "")
    assert [line.split()[0] for line in out.splitlines()] == [
        "tour",
        "bias-left-padding",
        "longer",
        "more-buckets",
        "real-data",
        "repeat-last",
    ]
    listed = record(capsys, "lesson", "--json", "--lang", "zh")
    assert listed[0] == {
        "name": "tour",
        "title": "五分钟：补零、掩码、分桶、最优、模式",
        "steps": 11,
    }


def test_a_lesson_with_its_answers(capsys):
    lesson = record(capsys, "lesson", "tour", "--json")
    assert list(lesson) == ["name", "title", "steps"]
    assert lesson["steps"][0]["line"] == "dgplay --sequence 2"
    assert lesson["steps"][0]["answer"] == 2000
    assert lesson["steps"][4]["answer"] is None
    code, out, _ = run(capsys, "lesson", "tour")
    assert code == 0
    assert (
        "   How many of the 100 sequences come out wrong?\n   = 92  (strategies.pad.wrong)" in out
    )


def test_a_malformed_lesson_names_its_line(capsys, tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text("title: Mine\ndgplay | fine\ndgplay --foo | not\n")
    code, out, err = run(capsys, "lesson", str(path))
    assert (code, out) == (1, "")
    where = f"dgplay: {path}:3: "
    assert err == f"{where}the command line does not parse: unrecognized arguments: --foo\n"
    path.write_text("dgplay | fine | how many? | buckets.9.count\n")
    assert run(capsys, "lesson", str(path), "--json") == (
        1,
        "",
        f"dgplay: {path}:1: there is no bucket 9; there are 4\n",
    )


def test_no_such_lesson(capsys):
    code, out, err = run(capsys, "lesson", "nope")
    assert (code, out) == (1, "")
    assert err.startswith("dgplay: no lesson or file is called 'nope'; there are tour, ")


def test_the_quiz_of_a_class(capsys):
    quiz = record(capsys, "quiz", "--seed", "7", "--count", "5", "--json")
    assert [one["id"] for one in quiz["questions"]] == [
        "steps",
        "saved",
        "standard",
        "change",
        "zeros",
    ]
    assert quiz["questions"][0] == {
        "id": "steps",
        "question": "How many cell steps do the boundaries 5,10,15,20 cost (pad to longest)?",
        "choices": [],
        "answer": 1270,
        "answer_text": "1270",
        "explanation": "115 + 270 + 345 + 540 = 1270 steps, 1065 of them real.",
        "box": 1,
        "given": None,
        "grade": None,
        "attempts": 0,
    }
    assert quiz["reproduce"] == "dgplay quiz --boundaries 5,10,15,20 --seed 7 --count 5"
    again = record(capsys, *quiz["reproduce"].split()[1:], "--json")
    assert again == quiz
    assert record(capsys, "quiz", "--seed", "8", "--json") != quiz


def test_the_quiz_follows_the_state(capsys):
    options = ("quiz", "--boundaries", "4,11,17,20", "--seed", "7", "--count", "1", "--json")
    assert record(capsys, *options)["questions"][0]["answer"] == 1256
    line = ("quiz", "uniform:1-9", "--data-seed", "3", "--data-count", "50", "--count", "2")
    quiz = record(capsys, *line, "--json")
    assert "--data-seed 3 --data-count 50" in quiz["reproduce"]
    assert record(capsys, *quiz["reproduce"].split()[1:], "--json") == quiz


def test_the_quiz_printed(capsys):
    code, out, err = run(capsys, "quiz", "--seed", "7", "--count", "3")
    assert (code, err) == (0, "")
    assert out.startswith("1. How many cell steps")
    assert "   1  Only with a mask" in out
    assert out.index("Answers\n1. 1270\n") > out.index("3. All the world")
    assert out.endswith("dgplay quiz --boundaries 5,10,15,20 --seed 7 --count 3\n")


def test_all_there_is_to_ask(capsys):
    code, out, err = run(capsys, "quiz", "--count", "99", "--json")
    assert (code, json.loads(out)["count"]) == (0, 19)
    assert err == "dgplay: 19 questions is all there is to ask\n"


def test_results_to_a_file(capsys, tmp_path):
    path = tmp_path / "class" / "results.json"
    assert run(capsys, "quiz", "--seed", "7", "-o", str(path)) == (
        0,
        "",
        f"dgplay: wrote {path}\n",
    )
    assert json.loads(path.read_text())["seed"] == 7
    assert run(capsys, "quiz", "-o", str(path))[2] == f"dgplay: replaced {path}\n"
    assert [entry.name for entry in path.parent.iterdir()] == ["results.json"]
    code, _, err = run(capsys, "quiz", "-o", str(tmp_path))
    assert (code, err.startswith(f"dgplay: {tmp_path}: ")) == (1, True)


@pytest.mark.parametrize(
    "words", [("--count", "0"), ("--seed", "-1"), ("--seed", "x"), ("--nope",)]
)
def test_usage(capsys, words):
    code, out, err = run(capsys, "quiz", *words)
    assert (code, out) == (2, "")
    assert "usage: dgplay quiz" in err


def on_terminal(typed, *words):
    """Run dgplay in a terminal of its own, type the lines at once; return code and what it said."""
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "dgplay.tui", *words],
        stdin=follower,
        stdout=follower,
        stderr=follower,
        env={**os.environ, "TERM": "xterm"},
        close_fds=True,
    )
    os.close(follower)
    os.write(leader, typed.encode())
    said = b""
    while True:
        try:
            part = os.read(leader, 65536)
        except OSError:  # how Linux says that the other side is closed
            break
        if not part:
            break
        said += part
    os.close(leader)
    return process.wait(timeout=60), said.decode().replace("\r\n", "\n")


def test_asked_on_a_terminal(tmp_path):
    path = tmp_path / "mine.json"
    typed = "what\n1270\n90%\n1\n１\n36.5\n"
    code, said = on_terminal(typed, "quiz", "--seed", "7", "--count", "3", "-o", str(path))
    assert code == 0
    assert "a number, please" in said
    assert "exact: 1270\n   115 + 270 + 345 + 540 = 1270 steps" in said
    assert "off: 36.5%" in said
    assert said.count("2. Which share of the 2000") == 3
    assert "2 exact, 0 close, 1 off" in said
    results = json.loads(path.read_text())
    assert [one["grade"] for one in results["questions"]] == ["exact", "off", "exact"]
    assert [one["box"] for one in results["questions"]] == [2, 2, 2]
    assert [one["attempts"] for one in results["questions"]] == [1, 3, 1]


def test_a_quiz_that_is_left(tmp_path):
    path = tmp_path / "mine.json"
    code, said = on_terminal("1270\nq\n", "quiz", "--seed", "7", "-o", str(path))
    assert code == 0
    assert "1 exact, 0 close, 0 off" in said
    assert json.loads(path.read_text())["tally"] == {"exact": 1, "close": 0, "off": 0}


def test_no_screen_is_loaded():
    code = (
        "import sys\nfrom dgplay.tui.cli import run\n"
        "assert run(['quiz', '--json']) == run(['lesson', 'tour', '--json']) == 0\n"
        "assert not {'textual', 'rich'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
