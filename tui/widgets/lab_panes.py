"""The panes of the Lab; each turns its slice of a view into the model of its drawing."""

from __future__ import annotations

from dataclasses import dataclass

from textual.app import ComposeResult

from dgplay.core import tables
from dgplay.core.counting import Counted
from dgplay.core.lab import LabView
from dgplay.core.one_sequence import COMPARED, step_shown
from dgplay.core.predict import HIDDEN
from dgplay.core.state import MODES
from dgplay.core.wording import Said

from .. import layout, phrases
from ..commands import mark
from ..i18n import Translate
from .histogram import HistogramPlot, PlotModel
from .line import Line
from .line_table import LineTable
from .pane import Pane
from .sequence_plot import CurvesModel, SequencePlot
from .table_layout import Cell, Column, Row, TableModel

#: From this width on what the data are fits into one line.
WIDE_ENOUGH = 56


@dataclass(frozen=True)
class Look:
    """What words and signs a pane draws with."""

    tr: Translate
    signs: tables.Signs
    ascii: bool


class LabPane(Pane):
    """A pane that draws its slice of a view."""

    def show(self, view: LabView, look: Look) -> None:
        """Draw a view; each pane says how."""
        raise TypeError(f"{type(self).__name__} does not say how it is drawn")


class PlotPane(LabPane):
    """The histogram with the boundaries in it, and what the data are."""

    def __init__(self) -> None:
        super().__init__(layout.PLOT)

    def compose(self) -> ComposeResult:
        """Lay the plot above two lines about the data."""
        yield HistogramPlot()
        yield Line("data-line")
        yield Line("data-line-2")

    @property
    def column_width(self) -> int:
        """How many lengths one column of the plot spans."""
        columns = self.query_one(HistogramPlot).columns
        return max(1, columns.column_width) if columns else 1

    def show(self, view: LabView, look: Look) -> None:
        """Draw the distribution of a view."""
        dataset = view.session.analysis.dataset
        rate, histogram = dataset.frame_rate, view.histogram
        self.title(look.tr("Sequence distribution"))
        self.query_one(HistogramPlot).model = PlotModel(
            histogram=histogram,
            boundaries=view.state.boundaries,
            active=view.state.bucket - 1,
            label=(lambda n: tables.seconds_text(n, rate)) if rate else str,
            empty=look.tr("no sequence has a step"),
            ascii=look.ascii,
        )
        first, second = self._summary(view, look)
        narrow = view.state.preset == "data" and self.size.width < WIDE_ENOUGH
        told = first if narrow else f"{first}, {second}"
        self.query_one("#data-line", Line).show(told, "", (first, ""))
        self.query_one("#data-line-2", Line).show(second if narrow else "")

    @staticmethod
    def _summary(view: LabView, look: Look) -> tuple[str, str]:
        """Return how many sequences of which lengths, and their mean and total."""
        dataset, histogram = view.session.analysis.dataset, view.histogram
        mean = look.signs.unknown if histogram.mean is None else f"{histogram.mean:.2f}"
        unit = "" if dataset.unit == "steps" else f" {look.tr(dataset.unit)}"
        sequences = look.tr("{sequences:seq|seqs}").format(sequences=Counted(histogram.sequences))
        if histogram.zeros:
            empty = look.tr("{zeros} empty").format(zeros=histogram.zeros)
            sequences = f"{sequences} ({empty})"
        between = f"{histogram.minimum}{look.signs.between}{histogram.maximum}{unit}"
        if histogram.minimum == histogram.maximum:
            between = look.tr("length {length}").format(length=f"{histogram.maximum}{unit}")
        sums = look.tr("mean {mean}, real {real}")
        return f"{sequences}, {between}", sums.format(mean=mean, real=histogram.real_steps)


def model_of(
    table: tables.Table, look: Look, cursor: int | None, *, footer: int = 0, gap: int = 1
) -> TableModel:
    """Return a table of core as a drawn table has it, its titles translated."""
    columns = tuple(
        Column(
            heading.key,
            _title(heading.title, look),
            align=heading.align,
            tooltip=look.tr(tables.FORMULAS[heading.key]) if heading.key in tables.FORMULAS else "",
            pinned=number == 0,
        )
        for number, heading in enumerate(table.headings)
    )
    rows = tuple(
        Row(key, tuple(Cell(phrases.cell_text(cell.text, look.tr), cell.style) for cell in cells))
        for key, cells in table.rows
    )
    body = len(rows) - footer
    return TableModel(columns, rows[:body], cursor, footer=rows[body:], gap=gap, ascii=look.ascii)


def _title(title: str, look: Look) -> str:
    """Return a heading of core; the name of a data set may be said."""
    if not title:
        return ""
    return phrases.said(title, look.tr) if isinstance(title, Said) else look.tr(title)


class TablePane(LabPane):
    """A pane that is a table."""

    def compose(self) -> ComposeResult:
        """Hold the table."""
        yield LineTable()

    @property
    def table(self) -> LineTable:
        """The table."""
        return self.query_one(LineTable)

    def put(
        self,
        table: tables.Table,
        look: Look,
        cursor: int | None,
        *,
        footer: int = 0,
        gap: int = 1,
    ) -> None:
        """Draw a table of core; its last ``footer`` rows stay in view."""
        self.table.model = model_of(table, look, cursor, footer=footer, gap=gap)


class BucketPane(TablePane):
    """The bucket editor."""

    def __init__(self) -> None:
        super().__init__(layout.BUCKETS)

    def show(self, view: LabView, look: Look) -> None:
        """Draw the buckets of a view."""
        tr, state, session = look.tr, view.state, view.session
        policy = tr("pad to {policy}").format(policy=tr(state.pad_to))
        self.title(f"{tr('Bucket editor')} K={len(state.boundaries)} {policy}")
        rate = session.analysis.dataset.frame_rate
        table = tables.bucket_rows_table(
            view.table, session.checks.get("bucketed"), rate, look.signs
        )
        if state.preset == "data":
            table = tables.without(table, "result")
        if state.predict:
            table = tables.hidden(table, self.key, session.prediction, look.signs)
        self.put(table, look, state.bucket - 1, footer=1)


class ModePane(TablePane):
    """The graph-building mode: a switch, with the graphs that each mode makes."""

    def __init__(self) -> None:
        super().__init__(layout.MODES)

    def show(self, view: LabView, look: Look) -> None:
        """Draw the modes of a view."""
        tr, mode = look.tr, view.state.mode
        self.title(f"{tr('Graph-building mode')}: {tr(mode)} ({tr(phrases.READABLE[mode])})")
        headings = (
            tables.Heading("mode", "mode", "left"),
            tables.Heading("made", mark("graphs made for these data"), "left"),
        )
        rows = tuple(
            (
                facts.mode,
                (
                    tables.Cell(tr(facts.mode), "strong" if facts.mode == mode else ""),
                    tables.Cell("?" if view.state.predict else phrases.mode_text(facts, tr)),
                ),
            )
            for facts in view.modes
        )
        self.put(tables.Table(headings, rows), look, MODES.index(mode), gap=2)


class StrategyPane(TablePane):
    """The strategies with their correctness, or for real data the methods with their waste.

    ``chosen`` is the row of the method table and ``column`` the cell to guess: a cursor each,
    which a command line need not know.
    """

    def __init__(self) -> None:
        super().__init__(layout.STRATEGIES)
        self.chosen = "now"
        self.column = "steps"

    def show(self, view: LabView, look: Look) -> None:
        """Draw the table that the preset asks for."""
        table = self._table(view, look)
        names = [name for name, _ in table.rows]
        self.chosen = self.chosen if self.chosen in names else names[0]
        row = self.row(view)
        if view.state.predict:
            cursor = (row, self.column) if self.has_focus else None
            table = tables.hidden(table, self.key, view.session.prediction, look.signs, cursor)
        self.put(table, look, names.index(row), gap=2 if view.state.preset == "data" else 1)

    def row(self, view: LabView) -> str:
        """Return the row that the cursor is on."""
        return self.chosen if view.state.preset == "data" else view.state.strategy

    def _table(self, view: LabView, look: Look) -> tables.Table:
        tr, state, model = look.tr, view.state, view.state.model
        if state.preset == "data":
            self.title(f"{tr('Methods')} K={len(state.boundaries)}  {tr('Enter takes one')}")
            return tables.method_table(view.methods, look.signs)
        self.title(
            f"{tr('Strategies')} ({tr(state.mode)})  "
            + tr("scale {scale:g}, bias {bias:g}, hidden {hidden}").format(
                scale=model.weight_scale, bias=model.bias, hidden=model.hidden
            )
            + (f"  {tr('* not in a static graph')}" if state.mode == "static" else "")
        )
        return tables.strategy_table(view.strategies, state.mode, look.signs)

    def step_row(self, direction: int, view: LabView, look: Look) -> None:
        """Move the cursor of the method table."""
        names = [row.name for row in view.methods]
        index = names.index(self.chosen) + direction
        self.chosen = names[max(0, min(index, len(names) - 1))]
        self.show(view, look)

    def step_column(self, direction: int, view: LabView, look: Look) -> None:
        """Move the cell to guess."""
        keys = [item.key for item in self._table(view, look).headings if item.key in HIDDEN]
        index = keys.index(self.column) if self.column in keys else 0
        self.column = keys[max(0, min(index + direction, len(keys) - 1))]
        self.show(view, look)


class SequencePane(Pane):
    """One sequence under every strategy, step by step."""

    def __init__(self) -> None:
        super().__init__(layout.SEQUENCE)

    def compose(self) -> ComposeResult:
        """Hold the curves."""
        yield SequencePlot()

    def show(self, view: LabView, look: Look, problem: str) -> None:
        """Draw the traces of a view; ``problem`` says why there are none."""
        tr, state, traces = look.tr, view.state, view.session.known.traces
        title = f"{tr('One sequence')} {state.sequence}"
        step = 0
        if traces is not None:
            step = step_shown(state, traces)
            title += "  " + tr("length {length}, step {step} of {steps}").format(
                length=traces.length, step=step, steps=traces.steps
            )
        self.title(title)
        hidden = frozenset[str]()
        if state.predict:
            hidden = frozenset(
                name
                for name in COMPARED
                if view.session.prediction.hides(layout.STRATEGIES, name, "result")
            )
        self.query_one(SequencePlot).model = CurvesModel(
            traces=traces,
            step=step,
            chosen=state.strategy,
            titles=(tr("strategy"), "|h|", tr("error")),
            note=problem or look.signs.waiting,
            hidden=hidden,
            ascii=look.ascii,
        )
