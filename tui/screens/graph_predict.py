"""Predicting on the Graph screen, and taking away: questions before the step, files after it."""

from __future__ import annotations

from pathlib import Path

from dgplay.core import saving
from dgplay.core.errors import DgplayError
from dgplay.core.graph.errors import GraphError
from dgplay.core.graph_view.exporting import (
    ENDINGS,
    dot_text,
    json_text,
    order_text,
    script_text,
)
from dgplay.core.graph_view.lockstep import Views
from dgplay.core.graph_view.predicting import GraphQuestion, next_question, recompile_question
from dgplay.core.graph_view.session import GoTo
from dgplay.core.lessons.leitner import load_boxes, save_boxes

from ..commands import mark
from ..widgets.prompt import Prompt
from .choice import Choice, ChoiceScreen
from .graph_detail import GraphDetail

#: The file of the Quiz's boxes, beside the saved state.
PROGRESS_FILE = "quiz.json"

QUESTIONS = {
    "graph-value": mark("what is {name} once line {line} has run?"),
    "graph-gradient": mark("what is the gradient of {name}?"),
    "graph-launches": mark("how many launches does one run of the static graph take?"),
    "graph-recompile": mark("call {call}, {name}: does capture compile again (y, n)?"),
}

EXPORTS = {
    "order": mark("the node order of the chosen graph, as text"),
    "dot": mark("the chosen graph for Graphviz"),
    "json": mark("the whole run, as dgplay graph --json prints it"),
    "script": mark("this call as a script in plain numpy that checks itself"),
    "line": mark("the command line of this state"),
}


class GraphPredict(GraphDetail):
    """Asks before it shows, and writes what is asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.asking_what: GraphQuestion | None = None
        self._replace: Path | None = None
        self.tally = {"exact": 0, "close": 0, "off": 0}
        #: Whether the next run is a call that shall be predicted first.
        self.predict_call = False

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

    def put(self, question: GraphQuestion) -> None:
        """Ask a question; what comes after the cursor is covered meanwhile."""
        self.asking_what = question
        text = self.dgplay.tr(QUESTIONS[question.card])
        label = text.format(name=question.name, line=question.line, call=question.call)
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
            said = f"{sign} {tr(grade)}: {said}   {score}"
        self.notice = said if not self.notice else f"{said}  {self.notice}"
        self.show_session()

    def _keep(self, card: str, grade: str) -> None:
        """Move the card of a question in the boxes of the Quiz."""
        path = self.dgplay.paths.state.with_name(PROGRESS_FILE)
        try:
            save_boxes(path, load_boxes(path).answered(card, grade))
        except DgplayError as error:
            self.notice = f"! {error}"

    def after_run(self, before: Views | None) -> None:
        """Ask whether the call that was added compiles again, before it is shown."""
        views = self.now.views
        asked, self.predict_call = self.predict_call, False
        if asked and views is not None and views is not before and len(views.calls) > 1:
            self.graph_session = self.at_cursor(views.starts[-1] - 1)
            self.put(recompile_question(views, len(views.calls) - 1))

    def on_prompt_closed(self) -> None:
        """Uncover what comes next when a question is given up."""
        self.asking_what = None
        super().on_prompt_closed()
        self.show_session()

    # ---- taking away --------------------------------------------------------------------

    def action_export(self) -> None:
        """Choose what to write to a file."""
        if self.place is None:
            return
        look = self.dgplay.look
        choices = [Choice(key, (key, look.tr(text))) for key, text in EXPORTS.items()]
        self.dgplay.push_screen(
            ChoiceScreen(look.tr("Export"), choices, ascii=look.ascii), self._export_chosen
        )

    def _export_chosen(self, kind: str | None) -> None:
        if kind == "line":
            self.action_copy_line()
            return
        place = self.place
        if kind is None or place is None:
            return
        views, call, _, _ = place
        try:
            text = self._exported(kind, views, call)
        except GraphError as error:
            self.notice = f"! {error}"
            self.show_session()
            return
        if text is None:
            self.notice = f"! {self.dgplay.tr('the arrays are too large to be written out')}"
            self.show_session()
            return
        name = Path(views.run.asked.options.program).stem
        self._replace = None
        self.ask(
            self.dgplay.tr("write to"), f"{name}.{ENDINGS[kind]}",
            lambda typed: self._written(typed, text),
        )  # fmt: skip

    def _exported(self, kind: str, views: Views, call: int) -> str | None:
        if kind == "json":
            return json_text(views)
        if kind == "script":
            return script_text(views, call)
        picture = self.picture()
        if picture is None:
            return None
        return dot_text(picture) if kind == "dot" else order_text(picture)

    def _written(self, typed: str, text: str) -> None:
        path, tr = Path(typed.strip()).expanduser(), self.dgplay.tr
        if not typed.strip():
            return
        if path.exists() and self._replace != path:
            self._replace = path
            self.notice = tr("{path} exists; Enter again replaces it").format(path=path)
            self.show_session()
            return
        try:
            saving.write_atomically(path, text.rstrip("\n") + "\n")
        except DgplayError as error:
            self.notice = f"! {error}"
            self.show_session()
            return
        self.query_one(Prompt).close()
        self.notice = tr("saved to {path}").format(path=path)
        self.show_session()
