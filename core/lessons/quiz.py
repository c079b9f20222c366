"""The quiz: a seeded draw of questions on a state, the run through it, and its record.

The same seed on the same state gives the same questions in the same order, for a whole class. In
a run, what was answered wrong is asked again after the others until it is right; what counts as
the result is the first answer.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from .. import command_line
from ..sequences.dataset import DataOptions
from ..state import State, default_preset
from ..wording import translated
from .facts import Facts
from .grading import GRADES, UNREADABLE
from .leitner import Boxes
from .questions import KINDS, Dice, Question
from .wording import untranslated

#: Questions in a draw where nothing else is asked for.
USUAL_COUNT = 5

Translate = Callable[[str], str]


@dataclass(frozen=True)
class Quiz:
    """The questions of one seed on one state."""

    seed: int
    questions: tuple[Question, ...]


def draw(
    facts: Facts,
    seed: int,
    count: int = USUAL_COUNT,
    boxes: Boxes | None = None,
    *,
    run_checks: bool = True,
) -> Quiz:
    """Draw at most ``count`` questions, each of another kind.

    With ``boxes`` what was wrong before comes first and what is not due yet last. A question of
    one kind is the same for a seed whatever else is drawn. Without ``run_checks`` the kinds that
    need a check that is not known are left out.
    """
    order = [kind.id for kind in Dice(seed).shuffled(KINDS)]
    if boxes is not None:
        order = boxes.ordered(order)
    numbers = {kind.id: number for number, kind in enumerate(KINDS, 1)}
    kinds = {kind.id: kind for kind in KINDS}
    made: list[Question] = []
    for id in order:
        if len(made) >= count:
            break
        if not (run_checks or facts.knows(kinds[id].checks)):
            continue
        question = kinds[id].make(facts, Dice(seed, numbers[id]))
        if question is not None:
            made.append(question)
    return Quiz(seed, tuple(made))


@dataclass(frozen=True)
class Reply:
    """What was answered, and how it was graded."""

    text: str
    grade: str


@dataclass(frozen=True)
class QuizRun:
    """A quiz under way.

    ``replies`` has the answers to each question, the first one first. ``asking`` says whether
    the question at ``index`` waits for an answer.
    """

    quiz: Quiz
    replies: tuple[tuple[Reply, ...], ...]
    index: int = 0
    asking: bool = True

    @property
    def question(self) -> Question | None:
        """The question that is shown; None where there is none to ask."""
        return self.quiz.questions[self.index] if self.quiz.questions else None

    @property
    def reply(self) -> Reply | None:
        """The last answer to the question that is shown."""
        return self.replies[self.index][-1] if self.replies and self.replies[self.index] else None

    @property
    def tally(self) -> dict[str, int]:
        """How many first answers were exact, close and off."""
        firsts = [replies[0].grade for replies in self.replies if replies]
        return {grade: firsts.count(grade) for grade in GRADES}

    @property
    def left(self) -> list[int]:
        """The questions still to ask, by index: those without an answer, then those wrong."""
        unanswered = [index for index, replies in enumerate(self.replies) if not replies]
        wrong = [
            index
            for index, replies in enumerate(self.replies)
            if replies and replies[-1].grade == "off"
        ]
        return self._from_here(unanswered) + self._from_here(wrong)

    @property
    def done(self) -> bool:
        """Whether every question has been answered, and none wrong the last time."""
        return not self.left

    def _from_here(self, places: list[int]) -> list[int]:
        """Start with the first place after the present one, and come round to it last."""
        after = [place for place in places if place > self.index]
        return after + [place for place in places if place <= self.index]

    def answered(self, text: str, translate: Translate = untranslated) -> QuizRun:
        """Keep an answer; what cannot be read, or was not asked for, changes nothing."""
        question = self.question
        if question is None or not self.asking:
            return self
        grade = question.grade(text, translate)
        if grade == UNREADABLE:
            return self
        replies = list(self.replies)
        replies[self.index] = (*replies[self.index], Reply(text.strip(), grade))
        return replace(self, replies=tuple(replies), asking=False)

    def go_on(self) -> QuizRun:
        """Ask the next question: one without an answer, else one that was wrong; else stay."""
        left = self.left
        if self.asking and left == [self.index]:
            return self
        return replace(self, index=left[0], asking=True) if left else self

    def select(self, index: int) -> QuizRun:
        """Look at a question; one that has an answer shows it and does not ask again."""
        clamped = max(0, min(index, len(self.replies) - 1))
        if clamped == self.index:
            return self
        return replace(self, index=clamped, asking=not self.replies[clamped])


def start(quiz: Quiz) -> QuizRun:
    """Begin a run."""
    return QuizRun(quiz, tuple(() for _ in quiz.questions), asking=bool(quiz.questions))


def quiz_line(state: State, seed: int, count: int, usual_preset: str | None = None) -> str:
    """Return the command line that asks the same questions of the same state.

    ``--seed`` and ``--count`` are those of the quiz there; the data's are called otherwise.
    """
    data, usual = state.data, DataOptions()
    plain = State(
        data=replace(data, seed=usual.seed, count=usual.count),
        boundaries=state.boundaries,
        pad_to=state.pad_to,
        model=state.model,
        preset=state.preset,
        appearance=state.appearance,
    )
    words = ["dgplay", "quiz", *command_line.arguments(plain, usual_preset)]
    if data.seed != usual.seed:
        words += ["--data-seed", str(data.seed)]
    if data.count != usual.count:
        words += ["--data-count", str(data.count)]
    return shlex.join([*words, "--seed", str(seed), "--count", str(count)])


def quiz_record(
    run: QuizRun, facts: Facts, boxes: Boxes | None = None, translate: Translate = untranslated
) -> dict[str, Any]:
    """Return the JSON of a quiz: each question with its answer, and what was answered."""
    quiz, state = run.quiz, facts.state
    boxes = boxes or Boxes()
    questions = [
        _question_record(question, replies, boxes, translate)
        for question, replies in zip(quiz.questions, run.replies, strict=True)
    ]
    line = quiz_line(state, quiz.seed, len(quiz.questions), default_preset(facts.analysis))
    return {
        "seed": quiz.seed,
        "count": len(quiz.questions),
        "data": facts.analysis.dataset.name,
        "questions": questions,
        "tally": run.tally,
        "reproduce": line,
    }


def _question_record(
    question: Question, replies: tuple[Reply, ...], boxes: Boxes, translate: Translate
) -> dict[str, Any]:
    for reply in replies:
        boxes = boxes.answered(question.id, reply.grade)
    return {
        "id": question.id,
        "question": translated(question.asked, translate),
        "choices": [translated(choice, translate) for choice in question.choices],
        "answer": question.truth.value,
        "answer_text": question.answer_text(translate),
        "explanation": translated(question.why, translate),
        "box": boxes.box_of(question.id),
        "given": replies[0].text if replies else None,
        "grade": replies[0].grade if replies else None,
        "attempts": len(replies),
    }
