"""The Lab: distribution, bucket editor, mode and strategies of one state, all in one view."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical

from dgplay.core import actions, saving, tables
from dgplay.core.actions import table_of
from dgplay.core.challenge import challenge_of
from dgplay.core.lab import LabView
from dgplay.core.time_verdict import time_verdict

from .. import layout, phrases
from ..commands import LAB_COMMANDS, bindings
from ..file_answer import FileAnswer
from ..widgets.histogram import HistogramPlot
from ..widgets.lab_panes import (
    BucketPane,
    LabPane,
    ModePane,
    PlotPane,
    SequencePane,
    StrategyPane,
    TablePane,
)
from ..widgets.lesson_pane import LessonPane
from ..widgets.line import Line
from ..widgets.line_table import LineTable
from ..widgets.pane import Pane
from ..widgets.prompt import Prompt
from ..widgets.sequence_plot import SequencePlot
from .lab_editing import EditingKeys
from .shell import TooSmall

#: Outcomes that are said even where a challenge has its line.
REFUSALS = frozenset({"refused", "clamped"})


class LabScreen(EditingKeys):
    """Shows the app's session; keys become actions of core."""

    AUTO_FOCUS = f"#{layout.BUCKETS}"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(LAB_COMMANDS)]

    def compose(self) -> ComposeResult:
        """Lay out every pane; which are visible follows from the size."""
        yield Line("top")
        yield TooSmall()
        with Vertical(id="panes"):
            with Horizontal(id="upper"):
                yield PlotPane()
                yield BucketPane()
            yield ModePane()
            yield StrategyPane()
            yield SequencePane()
            yield LessonPane()
        yield Line("status")
        yield Line("moves")
        yield Line("keys")
        yield Prompt()

    def on_mount(self) -> None:
        """Show the first state, and a lesson that is under way."""
        self.show_session()
        if self.dgplay.lesson is not None:
            self.call_after_refresh(self.go_to, layout.LESSON)
        elif self.state.predict:
            self.call_after_refresh(self.go_to, layout.STRATEGIES)

    # ---- drawing ------------------------------------------------------------------------

    def show_session(self) -> None:
        """Draw the session: one view, each pane its slice."""
        if not self.is_mounted:
            return
        app = self.dgplay
        view, look = LabView(app.session), app.look
        for line in self.query(Line):
            line.set_class(look.ascii, "-ascii")
        for pane in self.query(Pane):
            pane.set_class(look.ascii, "-ascii")
        for drawn in self.query(LabPane):
            drawn.show(view, look)
        self.query_one(SequencePane).show(view, look, phrases.said(app.problem, look.tr))
        if app.lesson is not None:
            lesson = self.query_one(LessonPane)
            lesson.show(app.lesson, app.lesson_text, look.tr, app.notice or look.signs.waiting)
        self.show_top()
        self._show_status(view)
        self.show_keys()
        self.lay_out_panes()

    def _show_status(self, view: LabView) -> None:
        app, look = self.dgplay, self.dgplay.look
        session, tr, signs = app.session, look.tr, look.signs
        status, moves = self.query_one("#status", Line), self.query_one("#moves", Line)
        if view.state.predict:
            hidden = session.outcome.kind not in phrases.NOTICES
            done = "" if hidden else phrases.outcome_text(session.outcome, tr, signs)
            guessing = tr("Enter guesses, Space reveals")
            hint = guessing if self.showing == layout.STRATEGIES else tr("Space reveals the row")
            done = app.notice or done or hint
            status.show(done, f"{tr('optimum')} ?", (done, ""))
            moves.show(phrases.tally_text(session.prediction.tally, tr))
            return
        stands = challenge_of(session) if app.challenged else None
        done = app.notice or phrases.outcome_text(session.outcome, tr, signs)
        verdict = time_verdict(view.strategies) if view.state.time else None
        if not done and verdict is not None:
            done = phrases.time_phrase(verdict, tr)
        hint = ""
        if stands is not None and not app.notice and session.outcome.kind not in REFUSALS:
            done = phrases.challenge_text(stands, tr, signs)
            hint = "" if stands.moves else tr("left and right move its end")
        against = ""
        if session.pinned is not None:
            base = table_of(session.pinned, session.analyses[session.pinned.data]).steps
            against = f"A {base} ({tables.signed(view.table.steps - base, signs)})  "
        goals = [
            f"{against}{tr('optimum')} {tables.distance_text(view.distance, signs, brief=brief)}"
            for brief in (False, True)
        ]
        status.show(done, goals[0], *((done, goal) for goal in (goals[1], "") if done or goal))
        nearby, shorter = (
            tables.neighbours_text(view.state.bucket, view.neighbours, signs, brief=brief)
            for brief in (False, True)
        )
        words = f"{tr('bucket')} {nearby}"
        moves.show(words, hint, (words, ""), (f"{tr('bucket')} {shorter}", ""))

    def lay_out_panes(self) -> None:
        """Show the panes that fit, the focused one among them."""
        width, height = self.size
        kind = layout.kind_of(width, height)
        preset = self.state.preset
        run = self.dgplay.lesson
        one = run is not None and "--sequence" in run.step.line
        shown = layout.visible(
            kind,
            self.showing,
            self.zoomed,
            preset,
            height,
            lesson=run is not None,
            beside=layout.SEQUENCE if one else layout.BUCKETS,
        )
        self.set_class(run is not None, "-teaching")
        for pane in self.query(Pane):
            pane.display = pane.key in shown
        upper = self.query_one("#upper")
        upper.display = bool(shown & {layout.PLOT, layout.BUCKETS})
        alone = len(shown) == 1
        self.set_class(alone, "-alone")
        self.set_class(kind == "compact" and not alone, "-compact")
        self.set_class(preset == "data", "-data")
        self.set_class(kind == "wide", "-wide")
        self.set_class(layout.SEQUENCE in shown, "-tracing")
        every = self.state.all_strategies and preset == "lesson" and run is None
        self.set_class(every and layout.holds_every_strategy(kind, height), "-every")
        self.set_class(layout.BUCKETS in shown, "-editing")
        self.mark_size(kind)

    # ---- view, copies and the mouse ----------------------------------------------------

    def action_pane_of(self, key: str) -> None:
        """Go to a pane by its name."""
        self.go_to(key)

    def action_copy_table(self) -> None:
        """Copy the table of the pane that has the focus; the plot copies the buckets."""
        pane = self.query_one(f"#{self.showing}")
        if not isinstance(pane, TablePane):
            pane = self.query_one(BucketPane)
        self.copied(pane.table.as_text())

    def action_save(self) -> None:
        """Save the state to a file that is asked for."""
        app = self.dgplay
        answer = FileAnswer(
            lambda path: saving.save(path, self.state), say=app.say, done=self._saved, tr=app.tr
        )
        self.ask(app.tr("save to"), "dgplay-state.json", answer)

    def _saved(self, path: Path) -> None:
        app = self.dgplay
        self.query_one(Prompt).close()
        app.say(app.tr("saved; dgplay --resume {path} opens it").format(path=path))

    def action_columns(self, pages: int) -> None:
        """Page the columns of the table."""
        pane = self.query_one(f"#{self.showing}")
        table = pane.table if isinstance(pane, TablePane) else self.query_one(StrategyPane).table
        table.scroll_columns(pages)

    def on_histogram_plot_length_clicked(self, message: HistogramPlot.LengthClicked) -> None:
        """Move the nearest boundary to where the histogram was clicked."""
        boundaries = self.state.boundaries
        distances = [abs(boundary - message.length) for boundary in boundaries]
        nearest = distances.index(min(distances)) + 1
        self.go_to(layout.PLOT)
        self.dgplay.act(actions.PlaceEnd(nearest, message.length))

    def on_sequence_plot_strategy_clicked(self, message: SequencePlot.StrategyClicked) -> None:
        """Choose the curve that was clicked."""
        self.go_to(layout.SEQUENCE)
        self.dgplay.act(actions.SelectStrategy(message.name))

    def on_histogram_plot_wheeled(self, message: HistogramPlot.Wheeled) -> None:
        """Move the active boundary by one step."""
        self.dgplay.act(actions.MoveEnd(message.direction), key=f"move {message.direction}")

    def on_line_table_row_chosen(self, message: LineTable.RowChosen) -> None:
        """Choose the row that was clicked."""
        pane = next(node for node in message.control.ancestors if isinstance(node, Pane))
        self.go_to(pane.key)
        app = self.dgplay
        if pane.key == layout.BUCKETS and message.key.isdigit():
            app.act(actions.SelectBucket(int(message.key)))
        elif pane.key == layout.MODES:
            app.act(actions.SetMode(message.key))
        elif isinstance(pane, StrategyPane) and self.state.preset == "data":
            pane.chosen = message.key
            pane.show(LabView(app.session), app.look)
        elif pane.key == layout.STRATEGIES:
            app.act(actions.SelectStrategy(message.key))
