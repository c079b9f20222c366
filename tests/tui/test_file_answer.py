"""Naming a file: it is written, asked about before it is replaced, or the reason is said."""

from __future__ import annotations

from pathlib import Path

from dgplay.core.errors import DgplayError
from dgplay.core.saving import write_atomically
from dgplay.tui.file_answer import FileAnswer


class Asker:
    """Writes one word, and keeps what it was told."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.done: list[Path] = []

    def question(self) -> FileAnswer:
        return FileAnswer(
            lambda path: write_atomically(path, "new"),
            say=self.said.append,
            done=self.done.append,
            tr=lambda text: text,
        )


def test_a_new_file_is_written_at_once(tmp_path: Path) -> None:
    asker, path = Asker(), tmp_path / "a.txt"
    asker.question()(f"  {path} ")
    assert path.read_text() == "new"
    assert (asker.said, asker.done) == ([], [path])


def test_one_that_is_there_is_replaced_when_asked_twice(tmp_path: Path) -> None:
    asker, path = Asker(), tmp_path / "a.txt"
    path.write_text("mine")
    answer = asker.question()
    answer(str(path))
    assert path.read_text() == "mine"
    assert (asker.said, asker.done) == ([f"{path} exists; Enter again replaces it"], [])
    answer(str(path))
    assert path.read_text() == "new"
    assert asker.done == [path]


def test_another_name_is_asked_about_anew(tmp_path: Path) -> None:
    asker, first, second = Asker(), tmp_path / "a.txt", tmp_path / "b.txt"
    first.write_text("mine")
    second.write_text("mine")
    answer = asker.question()
    for path in (first, second, first):
        answer(str(path))
    assert len(asker.said) == 3
    assert first.read_text() == second.read_text() == "mine"


def test_a_new_question_asks_again(tmp_path: Path) -> None:
    asker, path = Asker(), tmp_path / "a.txt"
    path.write_text("mine")
    asker.question()(str(path))
    asker.question()(str(path))
    assert path.read_text() == "mine"


def test_nothing_typed_does_nothing() -> None:
    asker = Asker()
    asker.question()("   ")
    assert (asker.said, asker.done) == ([], [])


def test_what_is_in_the_way_is_said(tmp_path: Path) -> None:
    asker = Asker()
    answer = asker.question()
    answer(str(tmp_path))
    answer(str(tmp_path))
    assert asker.said[1] == f"! {DgplayError('is a folder', where=str(tmp_path))}"
    asker.question()("~nobody-of-this-name/" + "x" * 300)
    assert asker.said[2].endswith("cannot be written: File name too long")
    assert asker.done == []
