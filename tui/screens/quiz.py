"""The Quiz: questions on the state of the Lab, asked one by one, with the reasons in its numbers.

The questions follow from the session and a seed. What was answered wrong is asked again, in this
run and, by its box, in later ones; the boxes are kept in the folder of the saved state.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import Input

from dgplay.core.command_line import count, positive
from dgplay.core.errors import DgplayError
from dgplay.core.graph_view.predicting import CARDS as GRAPH_CARDS
from dgplay.core.lessons.facts import Facts
from dgplay.core.lessons.grading import plain
from dgplay.core.lessons.leitner import Boxes, load_boxes, save_boxes
from dgplay.core.lessons.questions import NEEDED_CHECKS
from dgplay.core.lessons.quiz import USUAL_COUNT, QuizRun, draw, quiz_line, start
from dgplay.core.state import default_preset

from .. import layout, phrases
from ..commands import Command, bindings
from ..footer import Briefs, quiz_briefs
from ..quiz_commands import QUIZ_COMMANDS, SHARED_COMMANDS
from ..widgets.line import Line
from ..widgets.line_table import LineTable
from ..widgets.pane import Pane
from ..widgets.prompt import Prompt
from ..widgets.quiz_panes import ANSWERS, QUESTION, QUIZ_PANES, AnswersPane, QuestionPane
from .shell import Shell, TooSmall


class QuizScreen(Shell):
    """Asks about the app's session."""

    AUTO_FOCUS = f"#{QUESTION}"
    OWN: ClassVar[tuple[Command, ...]] = (*QUIZ_COMMANDS, *SHARED_COMMANDS)
    INSTEAD = "dgplay quiz"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(OWN)]
    DEFAULT_CSS = """
    QuizScreen #answers { height: auto; max-height: 60%; }
    QuizScreen #answers LineTable { max-height: 100%; }
    QuizScreen.-compact #answers { max-height: 6; }
    QuizScreen.-alone #answers { height: 1fr; max-height: 100%; }
    """

    def __init__(self, seed: int = 0, size: int = USUAL_COUNT) -> None:
        super().__init__("quiz", QUESTION)
        self.seed = seed
        self.count = size
        self.boxes = Boxes()
        self.quiz_run: QuizRun | None = None
        #: Whether the boxes may change the order; not where a class gets the same questions.
        self.by_boxes = True
        self.notice = ""
        self._asked_of: object = None
        self._keeping = True

    @property
    def progress_path(self) -> Path:
        """Where the boxes are kept."""
        return self.dgplay.paths.progress

    def compose(self) -> ComposeResult:
        """Lay the question above the table."""
        yield Line("top")
        yield TooSmall()
        with Vertical(id="panes"):
            yield QuestionPane()
            yield AnswersPane()
        yield Line("status")
        yield Line("keys")
        yield Prompt()

    def on_mount(self) -> None:
        """Take up the boxes and ask."""
        try:
            self.boxes = load_boxes(self.progress_path)
        except DgplayError as error:
            self.notice = phrases.refusal_text(error, self.dgplay.tr)
            self._keeping = not self.progress_path.exists()
        self.show_session()

    # ---- drawing ------------------------------------------------------------------------

    def show_session(self) -> None:
        """Draw the questions on the session; a changed state has questions of its own."""
        if not self.is_mounted:
            return
        self._follow_state()
        look = self.dgplay.look
        question, answers = self.query_one(QuestionPane), self.query_one(AnswersPane)
        for shown in (question, answers, *self.query(Line)):
            shown.set_class(look.ascii, "-ascii")
        question.title(self._question_title())
        none_left = self.quiz_run is not None and not self.quiz_run.quiz.questions
        waiting = look.tr("there is nothing to ask") if none_left else look.tr("checking ...")
        question.show(self.quiz_run, look, waiting)
        answers.title(look.tr("Answers"))
        answers.show(self.quiz_run, self.boxes, look, self.size.width)
        self.show_top()
        self._show_status()
        self.show_keys()
        self.lay_out_panes()

    def _follow_state(self) -> None:
        """Draw new questions where the state, the seed or the number of questions changed."""
        app = self.dgplay
        session = app.session
        wanted = (session.state.content(), self.seed, self.count, self.by_boxes)
        if wanted == self._asked_of:
            return
        known = all(name in session.checks for name in NEEDED_CHECKS)
        if not known and not app.problem:
            self.quiz_run = None
            return
        self.query_one(Prompt).close()
        self._asked_of = wanted
        self.boxes = self.boxes.drawn()
        facts = Facts(session.state, session.analysis, session.checks)
        boxes = self.boxes if self.by_boxes else None
        self.quiz_run = start(draw(facts, self.seed, self.count, boxes, run_checks=False))

    def _question_title(self) -> str:
        tr, run = self.dgplay.tr, self.quiz_run
        seed = tr("seed {seed}").format(seed=self.seed)
        if self.by_boxes:
            seed += f" {tr('and boxes')}"
        if run is None or run.question is None:
            return f"{tr('Question')}  {seed}"
        again = f" ({tr('again')})" if run.asking and run.reply is not None else ""
        return f"{tr('Question')} {run.index + 1}/{len(run.replies)}{again}  {seed}"

    def _show_status(self) -> None:
        tr, run = self.dgplay.tr, self.quiz_run
        tally = ""
        if run is not None:
            tally = "  ".join(f"{tr(grade)} {number}" for grade, number in run.tally.items())
        done = run is not None and bool(run.replies) and run.done
        ready = tr("all answered; r asks anew") if done else ""
        said = self.notice or self.dgplay.notice or ready
        self.query_one("#status", Line).show(said, tally, (said, ""))

    def lay_out_panes(self) -> None:
        """Show the panes that fit, the focused one among them."""
        kind = layout.kind_of(self.size.width, self.size.height)
        alone = self.zoomed or kind == "one"
        for pane in self.query(Pane):
            pane.display = kind != "none" and (not alone or pane.key == self.showing)
        self.set_class(alone, "-alone")
        self.set_class(kind == "compact" and not alone, "-compact")
        self.mark_size(kind)

    # ---- what keys mean -----------------------------------------------------------------

    @property
    def open_question(self) -> bool:
        """Whether a question waits for an answer."""
        return self.quiz_run is not None and self.quiz_run.asking

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Digits answer only where something is asked."""
        allowed = super().check_action(action, parameters)
        return self.open_question if allowed and action == "type" else allowed

    def on_key(self, event: events.Key) -> None:
        """Let a digit choose, or begin the number that is asked for."""
        run = self.quiz_run
        if self.typing:
            self._typed_early(event)
            return
        if run is None or run.question is None or not run.asking:
            return
        begun = plain(event.character or "")
        if len(begun) != 1 or not (begun in "0123456789" or (begun == "-" and not self._choices)):
            return
        event.stop()
        event.prevent_default()
        if self._choices:
            self.give(begun)
        else:
            self._ask_answer(begun)

    def _typed_early(self, event: events.Key) -> None:
        """Put in what is typed before the line has the focus, which it gets a moment later."""
        field = self.query_one(Prompt).query_one(Input)
        if event.is_printable and event.character and not field.has_focus:
            event.stop()
            event.prevent_default()
            field.insert_text_at_cursor(event.character)

    @property
    def _choices(self) -> bool:
        run = self.quiz_run
        return run is not None and run.question is not None and bool(run.question.choices)

    def action_enter(self) -> None:
        """Type an answer; where nothing is asked, go on."""
        if self.open_question:
            self._ask_answer("")
        else:
            self.action_next()

    def action_type(self) -> None:
        """Type an answer."""
        self._ask_answer("")

    def _ask_answer(self, text: str) -> None:
        tr = self.dgplay.tr
        label = tr("number of your choice") if self._choices else tr("your answer")
        self.ask(label, text, self.give, select=False)

    def give(self, text: str) -> None:
        """Take an answer to the question that is shown, move its card and say why."""
        run = self.quiz_run
        if run is None or run.question is None:
            return
        tr = self.dgplay.tr
        answered = run.answered(text, tr)
        if answered is run or answered.reply is None:
            hint = tr("one of the numbers, please") if self._choices else tr("a number, please")
            self.notice = f"! {hint}"
            self._show_status()
            return
        self.notice = ""
        self.quiz_run = answered
        self.boxes = self.boxes.answered(run.question.id, answered.reply.grade)
        self._keep()
        self.query_one(Prompt).close()
        self.show_session()

    def _keep(self) -> None:
        """Write the boxes, unless the file there belongs to a newer version."""
        if not self._keeping:
            return
        try:
            # The Graph screen asks too, and moves its own cards meanwhile.
            kept = load_boxes(self.progress_path).cards
            others = {id: card for id, card in kept.items() if id in GRAPH_CARDS}
            self.boxes = replace(self.boxes, cards={**self.boxes.cards, **others})
            save_boxes(self.progress_path, self.boxes)
        except DgplayError as error:
            self.notice = phrases.refusal_text(error, self.dgplay.tr)

    def action_next(self) -> None:
        """Ask the next question."""
        if self.quiz_run is not None:
            self._turn_to(self.quiz_run.go_on())

    def action_row(self, direction: int) -> None:
        """Look at the question above or below."""
        if self.quiz_run is not None:
            self._turn_to(self.quiz_run.select(self.quiz_run.index + direction))

    def _turn_to(self, run: QuizRun) -> None:
        self.notice = ""
        self.quiz_run = run
        self.show_session()

    def action_draw(self) -> None:
        """Draw new questions, what was wrong before first."""
        self.by_boxes = True
        self._draw(self.seed + 1, self.count)

    def action_seed(self) -> None:
        """Ask for a seed and how many questions."""
        label = self.dgplay.tr("seed, how many")
        self.ask(label, f"{self.seed} {self.count}", self._seed_typed)

    def _seed_typed(self, text: str) -> None:
        try:
            seed, *rest = plain(text).replace(",", " ").split()
            wanted = (count(seed), positive(rest[0]) if rest else self.count)
            if len(rest) > 1:
                raise ValueError(text)
        except ValueError:
            self.notice = f"! {self.dgplay.tr('two whole numbers, please: 7 5')}"
            self._show_status()
            return
        self.query_one(Prompt).close()
        self.by_boxes = False
        self._draw(*wanted)

    def _draw(self, seed: int, size: int) -> None:
        self.seed, self.count, self.notice = seed, size, ""
        self._asked_of = None
        self.show_session()

    def action_scroll(self, pages: int) -> None:
        """Scroll the question."""
        self.query_one(QuestionPane).scroll(pages)

    def action_columns(self, pages: int) -> None:
        """Page the columns of the table."""
        self.query_one(AnswersPane).table.scroll_columns(pages)

    def action_copy_table(self) -> None:
        """Copy the table."""
        self.copied(self.query_one(AnswersPane).table.as_text())

    def action_copy_line(self) -> None:
        """Copy the command line that prints these questions."""
        session = self.dgplay.session
        usual = default_preset(session.analysis)
        self.copied(quiz_line(session.state, self.seed, self.count, usual))

    def say_here(self, text: str) -> None:
        """Put a notice into the status line until the next answer."""
        self.notice = text
        self._show_status()

    @property
    def briefs(self) -> Briefs:
        """What the keys do with this question."""
        return quiz_briefs(asked=self.open_question, choices=self._choices)

    @property
    def panes(self) -> tuple[str, ...]:
        """The panes in the order of Tab."""
        return QUIZ_PANES

    def leave(self) -> None:
        """Escape goes back to the Lab."""
        self.dgplay.action_screen("lab")

    def on_line_table_row_chosen(self, message: LineTable.RowChosen) -> None:
        """Look at the question that was clicked."""
        self.go_to(ANSWERS)
        if self.quiz_run is not None:
            self._turn_to(self.quiz_run.select(int(message.key)))
