"""The panes of the Plan screen: the frontier, the methods as rows, the batches."""

from __future__ import annotations

from dataclasses import replace

from textual.app import ComposeResult

from dgplay.core import plan_tables, tables
from dgplay.core.counting import Counted
from dgplay.core.plan_tables import Pace
from dgplay.core.plan_view import RANKS_SHOWN, PlanView

from .. import phrases, plan_phrases
from .frontier_plot import FrontierModel, FrontierPlot
from .lab_panes import Look, model_of
from .line import Line
from .line_table import LineTable
from .pane import Pane
from .prose import Prose

FRONTIER, METHODS, BATCHES = "frontier", "methods", "batches"

#: The order in which Tab goes through the panes.
PLAN_PANES = (FRONTIER, METHODS, BATCHES)

#: Columns of the batch table that a narrow screen leaves for later pages.
_WIDE_ENOUGH = 60


class FrontierPane(Pane):
    """The frontier as a curve, and what the present and the next graph are worth."""

    def __init__(self) -> None:
        super().__init__(FRONTIER)

    def compose(self) -> ComposeResult:
        """Lay the curve above two lines."""
        yield FrontierPlot()
        yield Line("plan-now")
        yield Line("plan-next")

    def show(self, view: PlanView, pace: Pace | None, look: Look, problem: str) -> None:
        """Draw the frontier of a view; ``problem`` says why there is none."""
        tr, planning = look.tr, view.state.planning
        title = tr("Frontier: waste by graphs, pad to boundary")
        if not planning.plain:
            said = [f"{tr('cost')} {planning.cost}"] if planning.cost != "linear" else []
            if planning.multiple_of > 1:
                said.append(tr("multiples of {m}").format(m=planning.multiple_of))
            if planning.min_count > 1:
                said.append(tr("at least {n} a bucket").format(n=planning.min_count))
            title += f" ({', '.join(said)})"
        self.title(title)
        best = None if view.planned is None else view.planned.best
        self.query_one(FrontierPlot).model = FrontierModel(
            wastes=tuple(row.waste or 0.0 for row in view.rows),
            k=view.k,
            points=tuple(
                replace(point, name=tr("now")) if point.name == "own" else point
                for point in view.points
            ),
            best=best,
            best_text=tr("{k} best at this compile cost").format(k=best),
            note=problem or look.signs.waiting,
            ascii=look.ascii,
        )
        now, following = self.query_one("#plan-now", Line), self.query_one("#plan-next", Line)
        missing = look.signs.unknown if problem else look.signs.waiting
        present = plan_phrases.present_texts(view, look, missing)
        after = plan_phrases.next_texts(view, pace, look, missing)
        now.show(present[0], "", *((text, "") for text in present[1:]))
        following.show(after[0], "", *((text, "") for text in after[1:]))


class MethodPane(Pane):
    """Every method and the present boundaries as rows; ``chosen`` is the row of the cursor."""

    def __init__(self) -> None:
        super().__init__(METHODS)
        self.chosen = "own"

    def compose(self) -> ComposeResult:
        """Hold the table."""
        yield LineTable()

    @property
    def table(self) -> LineTable:
        """The table."""
        return self.query_one(LineTable)

    def show(self, view: PlanView, look: Look, problem: str) -> None:
        """Draw the methods of a view; with a ``problem`` there will be none."""
        self.title(f"{look.tr('Methods')} K={view.k}  {look.tr('Enter takes one')}")
        found = view.comparison
        if found is None:
            missing = look.signs.unknown if problem else look.signs.waiting
            waiting = tables.Table(
                (tables.Heading("method", "method", "left"),),
                (("own", (tables.Cell(missing, "muted"),)),),
            )
            self.table.model = model_of(waiting, look, None)
            return
        names = view.names
        self.chosen = self.chosen if self.chosen in names else names[0]
        table = plan_tables.score_table(
            found,
            look.signs,
            batches=view.state.planning.rule is not None,
            names={"own": look.tr("now")},
        )
        self.table.model = model_of(table, look, names.index(self.chosen))

    def step(self, direction: int, view: PlanView) -> None:
        """Move the cursor."""
        names = view.names
        if names:
            index = names.index(self.chosen) if self.chosen in names else 0
            self.chosen = names[max(0, min(index + direction, len(names) - 1))]


class BatchPane(Pane):
    """Batches of the present boundaries: every order, then every bucket with its batch size."""

    DEFAULT_CSS = """
    BatchPane #batch-note { width: 1fr; height: auto; padding: 0 1; }
    BatchPane #batch-orders { height: auto; }
    BatchPane #batch-buckets { height: 1fr; }
    """

    def __init__(self) -> None:
        super().__init__(BATCHES)

    def compose(self) -> ComposeResult:
        """Lay the orders above the buckets."""
        yield Prose("batch-note")
        yield LineTable(id="batch-orders")
        yield LineTable(id="batch-buckets")

    def show(self, view: PlanView, look: Look) -> None:
        """Draw the batches of a view."""
        tr, planning = look.tr, view.state.planning
        given = ""
        if planning.budget is not None:
            given = tr("at most {n:step|steps} each").format(n=Counted(planning.budget))
        elif planning.batch_size is not None:
            given = tr("{n:sequence|sequences} each").format(n=Counted(planning.batch_size))
        title = f"{tr('Batches')} {given}".strip()
        if given:
            waited = tr("rank wait for {n} ranks").format(n=RANKS_SHOWN)
            title += f"  {waited}, ~ {tr('padded to their own longest')}"
        self.title(title)
        note, orders, buckets = (
            self.query_one("#batch-note", Prose),
            self.query_one("#batch-orders", LineTable),
            self.query_one("#batch-buckets", LineTable),
        )
        said = ""
        if planning.rule is None:
            said = tr("B gives a budget in steps or a batch size: then batches are made here")
        elif view.problem:
            said = phrases.refusal_text(view.problem, tr)
        note.display = bool(said)
        note.say(said)
        orders.display = buckets.display = not said
        if said:
            return
        rows = () if view.batched is None else view.batched.rows
        if not rows:
            waiting = [(look.signs.waiting, None)]
            orders.model = model_of(plan_tables.batch_table(waiting, look.signs), look, None)
            buckets.model = None
            return
        made = [(row.name, row.laid) for row in rows]
        orders.model = model_of(plan_tables.batch_table(made, look.signs), look, None)
        laid = view.batches
        rate = view.session.analysis.dataset.frame_rate
        if laid is not None:
            table = plan_tables.plan_bucket_table(laid, rate, look.signs)
            active = view.state.bucket - 1
            buckets.model = model_of(table, look, min(active, len(laid.buckets) - 1), footer=1)

    @property
    def tables(self) -> tuple[LineTable, LineTable]:
        """Both tables."""
        return (
            self.query_one("#batch-orders", LineTable),
            self.query_one("#batch-buckets", LineTable),
        )
