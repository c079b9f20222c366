"""The two panes of the Quiz: the question in full, and the table of all of them."""

from __future__ import annotations

from rich.cells import cell_len
from rich.table import Table
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static

from dgplay.core.lessons.leitner import Boxes
from dgplay.core.lessons.questions import Question
from dgplay.core.lessons.quiz import QuizRun, Reply

from ..phrases import said
from .lab_panes import Look
from .line_table import LineTable
from .pane import Pane
from .prose import Prose
from .table_layout import Cell, Column, Row, TableModel

QUESTION, ANSWERS = "question", "answers"

#: The order in which Tab goes through the panes.
QUIZ_PANES = (QUESTION, ANSWERS)

#: What a grade looks like beside its word; none of them is drawn wide.
NEAR = "~"

#: Cells that the question keeps in the table, however narrow the screen.
_LEAST_QUESTION = 8

#: From this width on the columns of the table stand two blanks apart.
_WIDE_ENOUGH = 60


def grade_sign(grade: str, look: Look) -> str:
    """Return the sign of a grade."""
    return {"exact": look.signs.good, "close": NEAR}.get(grade, look.signs.bad)


def grade_style(grade: str) -> str:
    """Return the style of a grade."""
    return {"exact": "good", "off": "bad"}.get(grade, "")


class QuestionPane(Pane):
    """The question in full with its choices; once answered, how it went and why."""

    DEFAULT_CSS = """
    QuestionPane VerticalScroll { height: 1fr; padding: 0 1; }
    QuestionPane Static { width: 1fr; height: auto; }
    QuestionPane #quiz-asked { text-style: bold; }
    QuestionPane #quiz-verdict.-good { color: $text-success; }
    QuestionPane #quiz-verdict.-bad { color: $text-error; }
    """

    def __init__(self) -> None:
        super().__init__(QUESTION)
        self._shown: object = None
        self._to_end = False

    def on_resize(self, event: events.Resize) -> None:
        """Keep in view what matters."""
        self._scroll_to_place()

    def _scroll_to_place(self) -> None:
        """Show the beginning of a question, and of an answered one the reason."""
        scroll = self.query_one(VerticalScroll)
        place = scroll.scroll_end if self._to_end else scroll.scroll_home
        self.call_after_refresh(place, animate=False)

    def compose(self) -> ComposeResult:
        """Lay the parts under one another; what does not fit is scrolled."""
        with VerticalScroll(can_focus=False):
            yield Prose("quiz-asked")
            yield Static(id="quiz-choices", markup=False)
            yield Static(id="quiz-verdict", markup=False)
            yield Prose("quiz-why")

    def show(self, run: QuizRun | None, look: Look, waiting: str) -> None:
        """Draw the question of a run, or say what is waited for."""
        question = run.question if run is not None else None
        reply = run.reply if run is not None and not run.asking else None
        if question is None:
            self._put(waiting, Text(), "", "", None)
        elif reply is None:
            self._put(said(question.asked, look.tr), _choices(question, None, look), "", "", None)
        else:
            graded = f"{grade_sign(reply.grade, look)} {look.tr(reply.grade)}"
            self._put(
                said(question.asked, look.tr),
                _choices(question, reply, look),
                f"{graded}; {look.tr('computed')}: {question.answer_text(look.tr)}",
                said(question.why, look.tr),
                reply,
            )
        shown = (run.quiz, run.index, reply) if run is not None else None
        if shown != self._shown:
            self._shown = shown
            self._to_end = reply is not None
            self._scroll_to_place()

    def _put(
        self, asked: str, choices: Text | Table, verdict: str, why: str, reply: Reply | None
    ) -> None:
        self.query_one("#quiz-asked", Prose).say(asked)
        self.query_one("#quiz-choices", Static).update(choices)
        found = self.query_one("#quiz-verdict", Static)
        found.update(Text(verdict))
        style = grade_style(reply.grade) if reply else ""
        found.set_class(style == "good", "-good")
        found.set_class(style == "bad", "-bad")
        self.query_one("#quiz-why", Prose).say(why)
        for part in ("choices", "verdict", "why"):
            text = {"choices": choices, "verdict": verdict, "why": why}[part]
            self.query_one(f"#quiz-{part}", Static).display = bool(text)

    def scroll(self, pages: int) -> None:
        """Scroll by most of a page."""
        scroll = self.query_one(VerticalScroll)
        scroll.scroll_relative(y=pages * max(1, scroll.size.height - 1), animate=False)


def _choices(question: Question, reply: Reply | None, look: Look) -> Text | Table:
    """Return the choices with their numbers, the right one and the wrong one marked."""
    if not question.choices:
        return Text()
    grid = Table.grid(padding=(0, 1, 0, 0))
    for _ in range(2):
        grid.add_column(no_wrap=True)
    grid.add_column(ratio=1)
    for number, choice in enumerate(question.choices, 1):
        sign = ""
        if reply is not None and number == question.truth.value:
            sign = look.signs.good
        elif reply is not None and question.chosen(reply.text, look.tr) == number:
            sign = look.signs.bad
        grid.add_row(Text(sign or " "), Text(str(number)), Text(said(choice, look.tr)))
    return grid


class AnswersPane(Pane):
    """The table: question, your answer, computed answer, box."""

    def __init__(self) -> None:
        super().__init__(ANSWERS)

    def compose(self) -> ComposeResult:
        """Hold the table."""
        yield LineTable()

    @property
    def table(self) -> LineTable:
        """The table."""
        return self.query_one(LineTable)

    def show(self, run: QuizRun | None, boxes: Boxes, look: Look, width: int) -> None:
        """Draw the questions of a run into a table of ``width`` cells."""
        if run is None:
            self.table.model = None
            return
        rows = tuple(
            Row(str(index), _cells(run, index, boxes, look))
            for index in range(len(run.quiz.questions))
        )
        gap = 2 if width >= _WIDE_ENOUGH else 1
        titles = [look.tr("your answer"), look.tr("computed"), look.tr("box")]
        others = [
            max(cell_len(text) for text in (title, *(row.cells[place].text for row in rows)))
            for place, title in enumerate(titles, 2)
        ]
        # Two cells for the cursor, two for the number, and a blank at the right.
        left = width - 5 - sum(others) - gap * 4
        columns = (
            Column("number", "#", align="right", width=2, pinned=True),
            Column("question", look.tr("question"), width=max(_LEAST_QUESTION, left), pinned=True),
            Column("given", titles[0]),
            Column("computed", titles[1]),
            Column("box", titles[2], align="right"),
        )
        self.table.model = TableModel(columns, rows, run.index, gap=gap, ascii=look.ascii)


def _cells(run: QuizRun, index: int, boxes: Boxes, look: Look) -> tuple[Cell, ...]:
    question, replies = run.quiz.questions[index], run.replies[index]
    reply = replies[-1] if replies else None
    given = f"{grade_sign(reply.grade, look)} {reply.text}" if reply else ""
    open_again = index == run.index and run.asking
    shown = reply is not None and not open_again
    return (
        Cell(str(index + 1)),
        Cell(said(question.asked, look.tr)),
        Cell(given, grade_style(reply.grade) if reply else ""),
        Cell(question.truth.text if shown else "?", "" if shown else "muted"),
        Cell(str(boxes.box_of(question.id))),
    )
