"""The lesson under way: what it says about the state on the screen, and what it asks."""

from __future__ import annotations

from dataclasses import dataclass

from textual.app import ComposeResult

from dgplay.core.lessons.answers import Answer
from dgplay.core.lessons.lesson import LessonRun

from .. import layout
from ..i18n import Translate
from ..phrases import cell_text
from .pane import Pane
from .prose import Prose


@dataclass(frozen=True)
class StepText:
    """A step with its computed numbers in place, and the computed answer to its question."""

    sentence: str
    question: str
    truth: Answer | None


class LessonPane(Pane):
    """A sentence, a question, and how the last answer went."""

    DEFAULT_CSS = """
    LessonPane { height: auto; min-height: 5; max-height: 8; }
    LessonPane Prose { width: 1fr; height: auto; padding: 0 1; }
    LessonPane #lesson-question { color: $text-accent; text-style: bold; }
    LessonPane #lesson-answer { color: $text-muted; }
    """

    def __init__(self) -> None:
        super().__init__(layout.LESSON)
        self._parts: dict[str, str] = {}

    def compose(self) -> ComposeResult:
        """Lay the three parts under one another."""
        for part in ("sentence", "question", "answer"):
            yield Prose(f"lesson-{part}")

    def show(self, run: LessonRun, text: StepText | None, tr: Translate, waiting: str) -> None:
        """Show a step; its numbers may still be on their way."""
        count = len(run.lesson.steps)
        self.title(f"{tr('Lesson')} {run.index + 1}/{count}: {run.lesson.title}")
        sentence, question = (waiting, "") if text is None else (text.sentence, text.question)
        self._put("sentence", sentence)
        self._put("question", question)
        self._put("answer", self._answer(run, text, tr))

    def _answer(self, run: LessonRun, text: StepText | None, tr: Translate) -> str:
        given = run.given
        if given is not None:
            said = tr("you said {text}: {grade}; computed: {truth}")
            truth = cell_text(given.truth, tr)
            words = said.format(text=given.text, grade=tr(given.grade), truth=truth)
        elif run.open_question and text is not None:
            return tr("Enter answers, right goes on, Esc ends the lesson")
        else:
            words = ""
        onward = tr("Enter ends the lesson") if run.at_end else tr("Enter goes on")
        return f"{words}  {onward}".strip()

    def _put(self, part: str, text: str) -> None:
        if self._parts.get(part) != text:  # an update lays the whole screen out anew
            self._parts[part] = text
            self.query_one(f"#lesson-{part}", Prose).say(text)
