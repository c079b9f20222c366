"""Keys of the Lab for learning: lessons, predictions, one sequence, comparing, time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events
from textual.widgets import Input

from dgplay.core import actions, tables
from dgplay.core.command_line import count
from dgplay.core.compare import on_other, side_of
from dgplay.core.lab import LabView
from dgplay.core.lessons.grading import grade
from dgplay.core.one_sequence import first_of_length

from .. import layout
from ..widgets.lab_panes import (
    StrategyPane,
)
from ..widgets.prompt import Prompt
from .compare import CompareScreen
from .lab_base import LabBase

if TYPE_CHECKING:
    pass


class LearningKeys(LabBase):
    """What the keys of a learner mean."""

    def _enter_lesson(self) -> None:
        """Answer the open question, or go on; after the last step the lesson is over."""
        app = self.dgplay
        if app.lesson is None or app.lesson_text is None:
            return
        if app.lesson.open_question:
            self.ask(app.tr("your answer"), "", self._lesson_answered)
        elif app.lesson.at_end:
            self._end_lesson()
        else:
            app.step_lesson(1)

    def on_key(self, event: events.Key) -> None:
        """Let a digit begin the answer that the lesson asks for."""
        if self.typing:
            field = self.query_one(Prompt).query_one(Input)
            if event.is_printable and event.character and not field.has_focus:
                event.stop()  # typed before the line has the focus, which it gets a moment later
                event.prevent_default()
                field.insert_text_at_cursor(event.character)
            return
        lesson = self.dgplay.lesson
        asked = self.showing == layout.LESSON and lesson is not None and lesson.open_question
        if asked and event.character and event.character in "0123456789":
            event.stop()
            event.prevent_default()
            label = self.dgplay.tr("your answer")
            self.ask(label, event.character, self._lesson_answered, select=False)

    def _lesson_answered(self, text: str) -> None:
        if not text.strip():
            self.query_one(Prompt).close()
            return
        if self.dgplay.answer_lesson(text):
            self.query_one(Prompt).close()
        else:
            message = self.dgplay.tr("{text} cannot be read as an answer")
            self.dgplay.say(message.format(text=repr(text)))

    def _end_lesson(self) -> None:
        self.dgplay.end_lesson()
        self.go_to(layout.BUCKETS)

    def leave(self) -> None:
        """Escape in the pane of the lesson ends it."""
        if self.showing == layout.LESSON:
            self._end_lesson()

    def _ask_guess(self, pane: StrategyPane) -> None:
        view = LabView(self.dgplay.session)
        row, column = pane.row(view), pane.column
        if view.session.prediction.hides(pane.key, row, column):
            label = self.dgplay.tr("your guess: {column} of {row}")
            self.ask(label.format(column=self.dgplay.tr(column), row=row), "", self._guessed)

    def _guessed(self, text: str) -> None:
        app, pane = self.dgplay, self.query_one(StrategyPane)
        view = LabView(app.session)
        row, column = pane.row(view), pane.column
        share = column in tables.SHARES
        score = grade(text, view.value(row, column), share=share)
        if score == "unreadable":
            app.say(app.tr("{text} cannot be read as a guess").format(text=repr(text)))
            return
        self.query_one(Prompt).close()
        app.become(app.session.guess(pane.key, row, column, score))

    def action_predict(self) -> None:
        """Hide the results and go to where they are guessed, or show them again."""
        self.dgplay.act(actions.TogglePredict())
        if self.state.predict:
            self.go_to(layout.STRATEGIES)

    def action_reveal(self) -> None:
        """Reveal the row that the cursor is on."""
        app = self.dgplay
        view = LabView(app.session)
        if not view.state.predict:
            return
        if self.showing == layout.STRATEGIES:
            row = self.query_one(StrategyPane).row(view)
        elif self.showing == layout.SEQUENCE:
            row = view.state.strategy
        else:
            app.become(app.session.reveal(layout.BUCKETS, str(view.state.bucket)))
            return
        app.become(app.session.reveal(layout.STRATEGIES, row))

    def action_sequence(self, by: int) -> None:
        """Look at the next sequence or the one before."""
        self.dgplay.act(actions.LookAt(self.state.sequence + by))

    def action_sequence_of(self, which: str) -> None:
        """Look at a shortest or a longest sequence."""
        session = self.dgplay.session
        histogram = session.analysis.histogram
        length = histogram.minimum if which == "shortest" else histogram.maximum
        index = first_of_length(session.state, session.analysis, length)
        self.dgplay.act(actions.LookAt(index))

    def action_sequence_index(self) -> None:
        """Ask for the number of a sequence."""
        last = self.dgplay.session.analysis.histogram.sequences - 1
        label = self.dgplay.tr("sequence 0 to {last}").format(last=last)
        self.ask(label, str(self.state.sequence), self._sequence_typed)

    def _sequence_typed(self, text: str) -> None:
        try:
            index = count(text.strip())
        except ValueError:
            message = self.dgplay.tr("{text} is not the number of a sequence")
            self.dgplay.say(f"! {message.format(text=repr(text))}")
            return
        self.query_one(Prompt).close()
        self.dgplay.act(actions.LookAt(index))

    def action_pin(self) -> None:
        """Keep this setting as A, or let go of it."""
        self.dgplay.become(self.dgplay.session.pin())

    def action_compare(self) -> None:
        """Show A, the present setting and other data side by side."""
        look, session = self.dgplay.look, self.dgplay.session
        if session.state.predict:
            self.dgplay.say(look.tr("results are hidden: p shows them"))
            return
        sides = []
        if session.pinned is not None:
            analysis = session.analyses[session.pinned.data]
            sides.append(side_of("A", session.pinned, analysis))
        sides.append(side_of(look.tr("now"), session.state, session.analysis))
        if session.other is not None:
            sides.append(on_other(session.state, session.other))
        if len(sides) == 1:
            self.dgplay.say(look.tr("nothing to compare with: c keeps this setting as A"))
            return
        self.app.push_screen(CompareScreen(look, tables.compare_table(sides, look.signs)))

    def action_time(self) -> None:
        """Measure the time of each strategy, or no longer."""
        self.dgplay.act(actions.SetTime(not self.state.time))

    def action_all_strategies(self) -> None:
        """Show every strategy and go to the table, or only those that are always there."""
        self.dgplay.act(actions.ToggleAll())
        if self.state.all_strategies and self.state.preset == "lesson":
            self.go_to(layout.STRATEGIES)
            self.dgplay.say(self.dgplay.tr("every strategy; up and down go on, A shows fewer"))
