"""The part of the application that leads through a lesson, one state after another."""

from __future__ import annotations

from dataclasses import replace

from textual.message import Message
from textual.worker import get_current_worker

from dgplay.core.errors import DgplayError
from dgplay.core.lessons.answers import fill, look_up
from dgplay.core.lessons.facts import Facts
from dgplay.core.lessons.lesson import Lesson, LessonRun

from .phrases import refusal_text
from .session_app import SessionApp
from .widgets.lesson_pane import StepText
from .work import in_thread


class LessonTexts(Message):
    """The texts of a step of the lesson, with their numbers worked out."""

    def __init__(self, run: LessonRun, text: StepText) -> None:
        super().__init__()
        self.run = run
        self.text = text


class LessonApp(SessionApp):
    """Opens the state of each step, and has its numbers worked out by a worker."""

    lesson: LessonRun | None = None
    lesson_text: StepText | None = None

    def start_lesson(self, lesson: Lesson) -> None:
        """Open the first step of a lesson."""
        self._go_to_step(LessonRun(lesson))

    def step_lesson(self, direction: int) -> None:
        """Go on, or back, by one step."""
        if self.lesson is not None:
            self._go_to_step(self.lesson.go_on() if direction > 0 else self.lesson.go_back())

    def answer_lesson(self, text: str) -> bool:
        """Take an answer to the question of the step; return whether it could be read."""
        if self.lesson is None or self.lesson_text is None or self.lesson_text.truth is None:
            return False
        answered = self.lesson.answered(text, self.lesson_text.truth)
        read = answered is not self.lesson
        self.lesson = answered
        self.show_everywhere()
        return read

    def end_lesson(self) -> None:
        """Leave the lesson; the state stays."""
        self.lesson = self.lesson_text = None
        self.show_everywhere()

    def _go_to_step(self, run: LessonRun) -> None:
        self.lesson, self.lesson_text = run, None
        look = self.session.state.appearance
        request = run.step.request
        if request.state.appearance == type(look)():
            request = replace(request, state=replace(request.state, appearance=look))
        self.open_request(request)

    def opened_request(self) -> None:
        """Work out the numbers of the step whose state is on the screen now."""
        if self.lesson is not None:
            self.start_lesson_texts()

    def start_lesson_texts(self) -> None:
        """Put computed numbers into the texts of the step, in a worker."""
        in_thread(self, self._lesson_texts, "lesson", "work out the numbers of a lesson")

    def _lesson_texts(self) -> None:
        """Put computed numbers into the sentences of the step (in a thread)."""
        run, session = self.lesson, self.session
        if run is None:
            return
        facts = Facts(session.state, session.analysis, session.checks)
        step = run.step
        try:
            text = StepText(
                fill(step.sentence, facts),
                fill(step.question, facts),
                look_up(step.path, facts) if step.path else None,
            )
        except DgplayError as error:
            text = StepText(refusal_text(error, self.tr), "", None)
        if not get_current_worker().is_cancelled:
            self.post_message(LessonTexts(run, text))

    def on_lesson_texts(self, message: LessonTexts) -> None:
        """Show the texts, if the lesson is still there."""
        if self.lesson is message.run:
            self.lesson_text = message.text
            self.show_everywhere()
