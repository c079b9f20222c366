"""Lessons: plain text files that open one state after another, say something and ask something.

A file is made of lines with fields between ``|``::

    title: Four buckets
    # a comment
    dgplay --bucket 1 | Padding everything costs {strategies.pad.steps}. | And buckets? | steps

The fields are the command line that opens a state, a sentence, a question, and where its answer
is computed (``answers.py`` documents the paths). The last two may be left out or empty; a
question without a path is one to talk about. Braces hold paths too: the computed answer takes
their place. ``\\|`` is a bar that belongs to the text.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from .. import command_line
from ..errors import DgplayError
from ..foreign import foreign, reason
from ..saving import from_folder
from ..state import Request
from ..wording import say
from .answers import Answer, check_path, paths_in
from .grading import UNREADABLE

SUFFIX = ".txt"

#: No line of a lesson is longer, and no file has more of them.
_MOST_CHARACTERS = 4000
_MOST_LINES = 2000


@dataclass(frozen=True)
class LessonStep:
    """One line: ``line`` opens ``request``; ``sentence`` and ``question`` may hold paths in braces.

    ``question`` is empty where nothing is asked, ``path`` where no answer can be computed.
    ``place`` says where the line stands, ``tour.txt:5``, for errors that only the data show.
    """

    request: Request
    line: str
    sentence: str
    question: str = ""
    path: str = ""
    place: str = ""


@dataclass(frozen=True)
class Lesson:
    """A title and the steps in their order; ``name`` is what it was opened by."""

    title: str
    steps: tuple[LessonStep, ...]
    name: str = ""


@dataclass(frozen=True)
class Given:
    """An answer that was given to a step, its grade, and the computed one as it is shown."""

    text: str
    grade: str
    truth: str


@dataclass(frozen=True)
class LessonRun:
    """A lesson under way: the index of the step, and the last answer given to each."""

    lesson: Lesson
    index: int = 0
    answers: tuple[tuple[int, Given], ...] = ()

    @property
    def step(self) -> LessonStep:
        """The step that is shown."""
        return self.lesson.steps[self.index]

    @property
    def given(self) -> Given | None:
        """The answer given to this step, if any."""
        return dict(self.answers).get(self.index)

    @property
    def at_end(self) -> bool:
        """Whether there is no further step."""
        return self.index == len(self.lesson.steps) - 1

    @property
    def open_question(self) -> bool:
        """Whether this step asks something that can be graded and has not been answered."""
        return bool(self.step.path) and self.given is None

    @property
    def tally(self) -> dict[str, int]:
        """How many answers were exact, close and off."""
        grades = [given.grade for _, given in self.answers]
        return {name: grades.count(name) for name in ("exact", "close", "off")}

    def go_on(self) -> LessonRun:
        """Go to the next step; stay at the last."""
        return replace(self, index=min(self.index + 1, len(self.lesson.steps) - 1))

    def go_back(self) -> LessonRun:
        """Go to the step before; stay at the first."""
        return replace(self, index=max(self.index - 1, 0))

    def answered(self, text: str, truth: Answer) -> LessonRun:
        """Keep an answer to this step with its grade; what cannot be read changes nothing."""
        grade = truth.grade(text)
        if grade == UNREADABLE:
            return self
        kept = {**dict(self.answers), self.index: Given(text.strip(), grade, truth.text)}
        return replace(self, answers=tuple(sorted(kept.items(), key=lambda item: item[0])))


def parse_lesson(text: str, name: str) -> Lesson:
    """Read the text of a lesson; raises DgplayError naming ``name:line`` and what is wrong."""
    title, steps = "", []
    lines = text.removeprefix("\ufeff").splitlines()
    if len(lines) > _MOST_LINES:
        raise DgplayError(
            say("has {lines} lines, more than {most}", lines=len(lines), most=_MOST_LINES),
            where=name,
        )
    for number, raw in enumerate(lines, 1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        try:
            if found := re.match(r"title\s*[:：]\s*(.*)", line):
                title = _title(found[1], title)
            else:
                steps.append(_step(line, f"{name}:{number}"))
        except DgplayError as error:
            raise DgplayError(error.what, where=f"{name}:{number}", hint=error.hint) from error
    if not steps:
        raise DgplayError(
            say("has no step"), where=name, hint=say("a step is: dgplay … | a sentence")
        )
    return Lesson(title or Path(name).name.removesuffix(SUFFIX), tuple(steps), name)


def _title(text: str, before: str) -> str:
    if before:
        raise DgplayError(say("is a second title; the first is {before!r}", before=before))
    if not text:
        raise DgplayError(say("the title is empty"))
    return text


def _step(line: str, place: str) -> LessonStep:
    if len(line) > _MOST_CHARACTERS:
        raise DgplayError(say("is longer than {most} characters", most=_MOST_CHARACTERS))
    fields = [part.replace("\\|", "|").strip() for part in re.split(r"(?<!\\)\|", line)]
    if not 2 <= len(fields) <= 4:
        count = len(fields)
        held = say("1 field") if count == 1 else say("{count} fields", count=count)
        raise DgplayError(
            say("has {held}, not 2 to 4", held=held),
            hint=say("command line | sentence | question | where the answer is computed"),
        )
    command, sentence, question, path = (*fields, "", "")[:4]
    request = _request(command)
    if not sentence:
        raise DgplayError(say("the sentence is empty"))
    if path and not question:
        raise DgplayError(say("nothing is asked that {path!r} would answer", path=path))
    for used in [*([path] if path else []), *paths_in(sentence), *paths_in(question)]:
        check_path(used)
    return LessonStep(request, command, sentence, question, path, place)


def _request(command: str) -> Request:
    try:
        words = shlex.split(command)
    except ValueError as error:
        problem = foreign(str(error).lower())
        message = say("the command line cannot be read: {problem}", problem=problem)
        raise DgplayError(message) from None
    if words[:1] != ["dgplay"]:
        raise DgplayError(
            say("the command line begins with {start!r}, not with dgplay", start=command[:20])
        )
    if words[1:2] and words[1] in command_line.COMMAND_WORDS:
        raise DgplayError(
            say("'dgplay {word}' opens no state", word=words[1]),
            hint=say("give data and options only"),
        )
    try:
        request = command_line.parse(words[1:])
    except DgplayError as error:
        raise DgplayError(
            say("the command line does not parse: {what}", what=error.what)
        ) from error
    if "-" in request.state.data.sources:
        raise DgplayError(say("a lesson cannot read a pipe"), hint=say("name a file"))
    return request


def read_lesson(path: Path) -> Lesson:
    """Read a lesson file; its relative data paths are meant from its folder.

    Raises DgplayError.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise DgplayError(
            say("cannot be read: {reason}", reason=reason(error)), where=str(path)
        ) from error
    except UnicodeDecodeError as error:
        raise DgplayError(
            say("is not UTF-8 (byte {place})", place=error.start), where=str(path)
        ) from error
    lesson = parse_lesson(text, str(path))
    folder = str(path.resolve().parent)
    steps = (replace(step, request=from_folder(step.request, folder)) for step in lesson.steps)
    return replace(lesson, steps=tuple(steps))


def _folder() -> Traversable:
    return files(__package__) / "files"


@cache
def bundled_lessons() -> tuple[str, ...]:
    """Return the names of the bundled lessons, the tour first."""
    names = {entry.name.removesuffix(SUFFIX) for entry in _folder().iterdir()}
    plain = sorted(name for name in names if "." not in name and not name.startswith("_"))
    return tuple(sorted(plain, key=lambda name: name != "tour"))


@cache
def bundled_lesson(name: str, lang: str = "en") -> Lesson:
    """Return a bundled lesson, in English where there is no other.

    Raises DgplayError for a name that is not bundled.
    """
    if name not in bundled_lessons():
        raise DgplayError(
            say("no lesson is called {name!r}", name=name),
            hint=say("there are {names}", names=_listed()),
        )
    file = _folder() / f"{name}.{lang}{SUFFIX}"
    if not file.is_file():
        file = _folder() / f"{name}{SUFFIX}"
    lesson = parse_lesson(file.read_text(encoding="utf-8"), file.name)
    return replace(lesson, name=name)


def open_lesson(name: str, lang: str = "en") -> Lesson:
    """Open a lesson by its bundled name or its file; a bundled name wins over a file.

    ``./tour`` is the file. Raises DgplayError.
    """
    if name in bundled_lessons():
        return bundled_lesson(name, lang)
    path = Path(name).expanduser()
    if not path.exists() and re.fullmatch(r"[\w-]+", name):
        raise DgplayError(
            say("no lesson or file is called {name!r}", name=name),
            hint=say("there are {names}", names=_listed()),
        )
    return read_lesson(path)


def _listed() -> str:
    return ", ".join(bundled_lessons())
