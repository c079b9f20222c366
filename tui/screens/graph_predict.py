"""Predicting on the Graph screen: a question before the step, scored in the boxes of the Quiz."""

from __future__ import annotations

from dgplay.core.errors import DgplayError
from dgplay.core.graph_view.lockstep import Views
from dgplay.core.graph_view.predicting import GraphQuestion, next_question, recompile_question
from dgplay.core.graph_view.session import GoTo
from dgplay.core.lessons.leitner import load_boxes, save_boxes

from ..commands import mark
from ..phrases import labelled, refusal_text
from ..widgets.prompt import Prompt
from .graph_export import GraphExport

QUESTIONS = {
    "graph-value": mark("what is {name} once line {line} has run?"),
    "graph-branch": mark("line {line} decides: is it true (y, n)?"),
    "graph-break": mark("line {line}: does capture break there (y, n)?"),
    "graph-gradient": mark("what is the gradient of {name}?"),
    "graph-launches": mark("how many launches does one run of the static graph take?"),
    "graph-recompile": mark("does capture compile again (y, n)?"),
}


class GraphPredict(GraphExport):
    """Asks before it shows."""

    def __init__(self) -> None:
        super().__init__()
        self.asking_what: GraphQuestion | None = None
        self.tally = {"exact": 0, "close": 0, "off": 0}
        #: Whether the next run is a call that shall be predicted first.
        self.predict_call = False
        #: Whether the question is about such a call, which is run whatever is answered.
        self.before_call = False

    # ---- predictions --------------------------------------------------------------------

    def action_predict(self) -> None:
        """Ask about what comes next."""
        views = self.now.views
        question = next_question(views, self.now.cursor) if views is not None else None
        if question is None:
            self.notice = self.dgplay.tr("nothing to predict from here; n makes another call")
            self.show_session()
            return
        self.put(question)

    def put(self, question: GraphQuestion, *, before_call: bool = False) -> None:
        """Ask a question; what comes after the cursor is covered meanwhile.

        With ``before_call`` it stands before a call that was asked for: giving it up runs that.
        """
        self.asking_what, self.before_call = question, before_call
        tr = self.dgplay.tr
        text = tr(QUESTIONS[question.card])
        label = text.format(name=question.name, line=question.line, call=question.call)
        if before_call:
            label = f"{label} {tr('Esc: only run')}"
        if question.card == "graph-recompile":
            told = tr("your answer is counted; call {call}: {name}")
            self.notice = told.format(call=question.call, name=question.name)
        self.ask(label, "", self._predicted)
        self.show_session()

    def _predicted(self, typed: str) -> None:
        question, tr = self.asking_what, self.dgplay.tr
        if question is None:
            return
        grade = question.grade(typed) if typed.strip() else ""
        if grade == "unreadable":
            self.notice = f"! {tr('a number, a list such as 1, 2, or y or n, please')}"
            self.show_session()
            return
        self.asking_what = None
        self.query_one(Prompt).close()
        self.do(GoTo(question.to))
        signs = self.dgplay.look.signs
        said = tr("it is {truth}").format(truth=tr(question.truth_text))
        if grade:
            self.tally[grade] += 1
            self._keep(question.card, grade)
            sign = {"exact": signs.good, "close": "~"}.get(grade, signs.bad)
            score = "  ".join(f"{tr(name)} {number}" for name, number in self.tally.items())
            said = labelled(f"{sign} {tr(grade)}", said, tr)
            said = f"{said}   {score}"
        self.notice = said if not self.notice else f"{said}  {self.notice}"
        self.show_session()

    def _keep(self, card: str, grade: str) -> None:
        """Move the card of a question in the boxes of the Quiz."""
        path = self.dgplay.paths.progress
        try:
            save_boxes(path, load_boxes(path).answered(card, grade))
        except DgplayError as error:
            self.notice = refusal_text(error, self.dgplay.tr)

    def after_run(self, before: Views | None) -> None:
        """Ask whether the call that was added compiles again, before it is shown."""
        super().after_run(before)
        views = self.now.views
        asked, self.predict_call = self.predict_call, False
        if asked and views is not None and views is not before and len(views.calls) > 1:
            self.graph_session = self.at_cursor(views.starts[-1] - 1)
            self.put(recompile_question(views, len(views.calls) - 1), before_call=True)

    def on_prompt_closed(self) -> None:
        """Uncover what comes next when a question is given up; run the call it was about."""
        given_up, self.asking_what = self.asking_what, None
        super().on_prompt_closed()
        if given_up is not None and self.before_call:
            self.do(GoTo(given_up.to))
        if given_up is not None:
            self.notice = ""
        self.show_session()
