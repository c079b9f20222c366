"""The Plan: the whole frontier, every method beside it, batches, and exports.

Moving along the frontier applies its boundaries to the session, so the Lab has them too. The
frontier and the batches come from workers; until then there is a sign that they are waited for.
"""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical

from dgplay.core import actions
from dgplay.core.command_line import positive
from dgplay.core.errors import DgplayError
from dgplay.core.lessons.grading import plain
from dgplay.core.plan_settings import pace_line, planning_line, read_pace, read_planning
from dgplay.core.plan_tables import Pace
from dgplay.core.plan_view import (
    export_names,
)
from dgplay.core.sequences.export import EXPORTERS
from dgplay.core.session import Session

from .. import layout, phrases, plan_phrases
from ..commands import Command, bindings
from ..footer import Briefs, plan_briefs
from ..plan_commands import PLAN_COMMANDS, SHARED_COMMANDS
from ..widgets.frontier_plot import FrontierPlot
from ..widgets.line import Line
from ..widgets.line_table import LineTable
from ..widgets.pane import Pane
from ..widgets.plan_panes import (
    BATCHES,
    FRONTIER,
    METHODS,
    PLAN_PANES,
    BatchPane,
    FrontierPane,
    MethodPane,
)
from ..widgets.prompt import Prompt
from .choice import Choice, ChoiceScreen
from .export import PreviewScreen
from .plan_work import PlanWork
from .shell import TooSmall


class PlanScreen(PlanWork):
    """Shows the app's session as a plan; keys become actions of core."""

    OWN: ClassVar[tuple[Command, ...]] = (*PLAN_COMMANDS, *SHARED_COMMANDS)
    INSTEAD = "dgplay plan"
    AUTO_FOCUS = f"#{FRONTIER}"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(OWN)]
    DEFAULT_CSS = """
    PlanScreen #plan-upper { height: 1fr; layout: vertical; }
    PlanScreen #frontier { height: 1fr; min-height: 6; }
    PlanScreen #methods { height: 10; }
    PlanScreen #batches { height: 1fr; }
    PlanScreen.-batching #plan-upper { height: 8; }
    PlanScreen.-compact #methods { height: 8; }
    PlanScreen.-compact.-batching #plan-upper { height: 7; }
    PlanScreen.-wide #plan-upper { layout: horizontal; height: 1fr; }
    PlanScreen.-wide #frontier, PlanScreen.-wide #methods { height: 1fr; }
    PlanScreen.-wide #methods { width: 52; }
    PlanScreen.-wide.-batches #methods { width: 72; }
    PlanScreen.-wide #batches { height: 4; }
    PlanScreen.-wide.-batches #batches { height: 18; }
    PlanScreen.-alone #plan-upper { height: 1fr; }
    PlanScreen.-alone #frontier, PlanScreen.-alone #methods { height: 1fr; width: 1fr; }
    PlanScreen.-alone #batches { height: 1fr; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.pace: Pace | None = None

    def compose(self) -> ComposeResult:
        """Lay out every pane; which are visible follows from the size."""
        yield Line("top")
        yield TooSmall()
        with Vertical(id="panes"):
            with Horizontal(id="plan-upper"):
                yield FrontierPane()
                yield MethodPane()
            yield BatchPane()
        yield Line("status")
        yield Line("keys")
        yield Prompt()

    def on_mount(self) -> None:
        """Show the plan of the present session."""
        self.show_session()

    # ---- drawing ------------------------------------------------------------------------

    def show_session(self) -> None:
        """Draw the session, and have worked out what is not known of it."""
        if not self.is_mounted:
            return
        look, view = self.dgplay.look, self.view
        self.find_out(view)
        for shown in (*self.query(Line), *self.query(Pane)):
            shown.set_class(look.ascii, "-ascii")
        problem = self.refusal
        self.query_one(FrontierPane).show(view, self.pace, look, problem)
        self.query_one(MethodPane).show(view, look, problem)
        self.query_one(BatchPane).show(view, look)
        self.show_top()
        self._show_status(view.session)
        self.lay_out_panes()
        self.show_keys()

    def _show_status(self, session: Session) -> None:
        app, look = self.dgplay, self.dgplay.look
        done = app.notice or phrases.outcome_text(session.outcome, look.tr, look.signs)
        refusal = self.view.refusal_of(self.query_one(MethodPane).chosen)
        if not done and refusal and self.showing == METHODS:
            done = phrases.said(refusal, look.tr)
        self.query_one("#status", Line).show(done)

    def lay_out_panes(self) -> None:
        """Show the panes that fit, the focused one among them."""
        kind = layout.kind_of(*self.size)
        shown = {FRONTIER, BATCHES if self.showing == BATCHES else METHODS}
        if kind == "none":
            shown = set()
        elif self.zoomed or kind == "one":
            shown = {self.showing}
        elif kind == "wide":
            shown = set(PLAN_PANES)
        for pane in self.query(Pane):
            pane.display = pane.key in shown
        self.query_one("#plan-upper").display = bool(shown & {FRONTIER, METHODS})
        alone = len(shown) == 1
        self.set_class(alone, "-alone")
        self.set_class(kind == "wide" and not alone, "-wide")
        self.set_class(kind == "compact" and not alone, "-compact")
        self.set_class(kind in ("full", "compact") and BATCHES in shown and not alone, "-batching")
        self.set_class(self.state.planning.rule is not None, "-batches")
        self.mark_size(kind)

    # ---- keys ---------------------------------------------------------------------------

    def action_graphs(self, by: int) -> None:
        """Go along the frontier; the Lab gets the boundaries."""
        self._take(self.view.k + by, f"graphs {by}")

    def _take(self, k: int, key: str = "") -> None:
        """Take the optimum for ``k`` graphs, or the nearest number that there is."""
        app, view = self.dgplay, self.view
        if view.planned is None:
            return
        k = max(1, min(k, view.rows[-1].k))
        boundaries = view.planned.solution.boundaries(k)
        app.act(actions.SetBoundaries(boundaries, f"K={len(boundaries)}"), key=key)

    def action_vertical(self, direction: int) -> None:
        """Go to the method, or in the batches to the bucket, above or below."""
        if self.showing == BATCHES:
            self.dgplay.act(actions.SelectBucket(self.state.bucket + direction))
            return
        self.query_one(MethodPane).step(direction, self.view)
        self.show_session()

    def action_take(self) -> None:
        """Take the boundaries of the method that the cursor is on."""
        name, view = self.query_one(MethodPane).chosen, self.view
        boundaries = view.boundaries_of(name)
        if boundaries is None:
            if refusal := view.refusal_of(name):
                self.dgplay.refuse(refusal)
            return
        self.dgplay.act(actions.SetBoundaries(boundaries, name))

    def action_optimum(self) -> None:
        """Take the optimum for as many graphs."""
        self._take(self.view.k)

    def action_best(self) -> None:
        """Take as many graphs as the compile cost asks for."""
        planned = self.view.planned
        if planned is None:
            return
        if planned.best is None:
            self.dgplay.say(self.dgplay.tr("no compile cost is given: e edits it"))
            return
        boundaries = planned.solution.best()
        self.dgplay.act(actions.SetBoundaries(boundaries, f"K={len(boundaries)}"))

    def action_type(self) -> None:
        """Ask for a number of graphs, or for boundaries."""
        label = self.dgplay.tr("graphs, or boundaries")
        self.ask(label, ",".join(map(str, self.state.boundaries)), self._typed)

    def _typed(self, text: str) -> None:
        app = self.dgplay
        try:
            self._take(positive(plain(text).removeprefix("k=")))
            self.query_one(Prompt).close()
            return
        except ValueError:
            app.act(actions.TypeEdit(text))
        if app.session.outcome.kind != "refused":
            self.query_one(Prompt).close()

    def action_settings(self) -> None:
        """Edit the planning in one line."""
        label, line = self.dgplay.tr("planning"), planning_line(self.state.planning)
        self.ask(label, line, self._settings_typed, select=False)

    def action_budget(self) -> None:
        """Ask for a budget or a batch size."""
        planning = self.state.planning
        usual = f"{planning.budget or ''}"
        if planning.batch_size is not None:
            usual = f"batch={planning.batch_size}"
        label = self.dgplay.tr("steps of a batch, or batch=32; - for none")
        self.ask(label, usual, self._budget_typed)

    def _budget_typed(self, text: str) -> None:
        word = text.strip()
        if word in ("", "-"):
            word = "budget=- batch=-"
        self._settings_typed(word if "=" in word else f"budget={word}")

    def _settings_typed(self, text: str) -> None:
        app = self.dgplay
        try:
            planning = read_planning(text, self.state.planning)
        except DgplayError as error:
            app.refuse(error)
            return
        self.query_one(Prompt).close()
        app.act(actions.SetPlanning(planning))

    def action_pace(self) -> None:
        """Ask how fast steps run."""
        label = self.dgplay.tr("steps per second, epochs")
        self.ask(label, pace_line(self.pace), self._pace_typed)

    def _pace_typed(self, text: str) -> None:
        try:
            self.pace = read_pace(text)
        except DgplayError as error:
            self.dgplay.refuse(error)
            return
        self.query_one(Prompt).close()
        self.show_session()

    def action_undo(self) -> None:
        """Undo."""
        self.dgplay.undo()

    def action_redo(self) -> None:
        """Redo."""
        self.dgplay.redo()

    # ---- exports and copies -------------------------------------------------------------

    def action_export(self) -> None:
        """Choose a format."""
        look = self.dgplay.look
        choices = [
            Choice(name, (name, plan_phrases.needs_text(needs, look.tr), look.tr(doc)))
            for name, doc, needs in export_names()
        ]
        screen = ChoiceScreen(
            f"{look.tr('Export')} K={self.view.k}, {self.view.method}",
            choices,
            heading=(look.tr("format"), look.tr("needs"), ""),
            ascii=look.ascii,
        )
        self.app.push_screen(screen, self._format_chosen)

    def _format_chosen(self, name: str | None) -> None:
        if name is None:
            return
        app = self.dgplay
        try:
            text = self.view.exported(name)
        except DgplayError as error:
            if EXPORTERS[name].needs_batch_sizes and self.state.planning.rule is None:
                wanted = app.tr("{name} needs batch sizes: B gives a budget or a batch size")
                app.refuse(wanted.format(name=name))
            else:
                app.refuse(error)
            return
        file_name = f"boundaries-{name}{EXPORTERS[name].suffix}"
        screen = PreviewScreen(name, text, file_name, app.tr, app.keep_copied, ascii=app.look.ascii)
        self.app.push_screen(screen)

    def action_copy_table(self) -> None:
        """Copy the table of the pane; the curve copies the methods."""
        if self.showing == BATCHES:
            orders, buckets = self.query_one(BatchPane).tables
            self.copied(f"{orders.as_text()}\n\n{buckets.as_text()}")
        else:
            self.copied(self.query_one(MethodPane).table.as_text())

    # ---- view and the mouse -------------------------------------------------------------

    @property
    def briefs(self) -> Briefs:
        """What the keys do in the pane with the focus."""
        methods = self.query_one(MethodPane).display
        return plan_briefs(batches=self.showing == BATCHES, methods=methods)

    @property
    def panes(self) -> tuple[str, ...]:
        """The panes in the order of Tab."""
        return PLAN_PANES

    def action_columns(self, pages: int) -> None:
        """Page the columns of the table."""
        tables = [self.query_one(MethodPane).table]
        if self.showing == BATCHES:
            tables = [*self.query_one(BatchPane).tables]
        for table in tables:
            table.scroll_columns(pages)

    def on_frontier_plot_graphs_chosen(self, message: FrontierPlot.GraphsChosen) -> None:
        """Take the optimum for the number of graphs that was clicked."""
        self.go_to(FRONTIER)
        self._take(message.k)

    def on_line_table_row_chosen(self, message: LineTable.RowChosen) -> None:
        """Go to the row that was clicked."""
        pane = next(node for node in message.control.ancestors if isinstance(node, Pane))
        self.go_to(pane.key)
        if isinstance(pane, MethodPane):
            pane.chosen = message.key
            self.show_session()
        elif message.key.isdigit():
            self.dgplay.act(actions.SelectBucket(int(message.key)))
