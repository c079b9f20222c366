"""Keys of the Lab for editing: buckets, modes, methods, data and model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dgplay.core import actions, settings, tables
from dgplay.core.errors import DgplayError
from dgplay.core.lab import LabView
from dgplay.core.one_sequence import COMPARED, step_shown
from dgplay.core.sequences.bundled import describe
from dgplay.core.sequences.strategies import shown
from dgplay.core.state import MODES

from .. import layout, phrases
from ..widgets.lab_panes import (
    PlotPane,
    StrategyPane,
)
from ..widgets.prompt import Prompt
from .choice import Choice, ChoiceScreen, DataScreen
from .lab_learning import LearningKeys

if TYPE_CHECKING:
    pass


class EditingKeys(LearningKeys):
    """What the keys that change the state mean."""

    def action_vertical(self, direction: int) -> None:
        """Go to the row above or below in the pane that has the focus."""
        app, state = self.dgplay, self.state
        if self.showing == layout.MODES:
            index = MODES.index(state.mode) + direction
            app.act(actions.SetMode(MODES[max(0, min(index, len(MODES) - 1))]))
        elif self.showing == layout.STRATEGIES and state.preset == "data":
            self.query_one(StrategyPane).step_row(direction, LabView(app.session), app.look)
        elif self.showing == layout.SEQUENCE:
            index = COMPARED.index(state.strategy) if state.strategy in COMPARED else 0
            name = COMPARED[max(0, min(index + direction, len(COMPARED) - 1))]
            app.act(actions.SelectStrategy(name))
        elif self.showing == layout.STRATEGIES:
            names = [strategy.name for strategy in shown(state.all_strategies)]
            index = names.index(state.strategy) + direction
            app.act(actions.SelectStrategy(names[max(0, min(index, len(names) - 1))]))
        else:
            app.act(actions.SelectBucket(state.bucket + direction))

    def action_horizontal(self, direction: int) -> None:
        """Move the end of the active bucket, the step looked at, or the cell to guess."""
        app, session = self.dgplay, self.dgplay.session
        if self.showing == layout.LESSON:
            app.step_lesson(direction)
        elif self.showing == layout.SEQUENCE:
            traces = session.known.traces
            if traces is not None:
                app.act(actions.LookAtStep(step_shown(session.state, traces) + direction))
        elif self.showing == layout.STRATEGIES and session.state.predict:
            self.query_one(StrategyPane).step_column(direction, LabView(session), app.look)
        else:
            app.act(actions.MoveEnd(direction), key=f"move {direction}")

    def action_far(self, direction: int) -> None:
        """Move the end of the active bucket by one column of the histogram."""
        width = self.query_one(PlotPane).column_width
        self.dgplay.act(actions.MoveEnd(direction, width), key=f"far {direction}")

    def action_type(self) -> None:
        """Type an end; on the strategy table guess a hidden cell, on the methods take one."""
        pane = self.query_one(StrategyPane)
        if self.showing == layout.LESSON:
            self._enter_lesson()
            return
        if self.showing == layout.STRATEGIES and self.state.predict:
            self._ask_guess(pane)
            return
        if self.showing == layout.STRATEGIES and self.state.preset == "data":
            if pane.chosen != "now":
                self.dgplay.act(actions.ApplyMethod(pane.chosen))
            return
        state = self.state
        label = self.dgplay.tr("end of bucket {bucket}").format(bucket=state.bucket)
        self.ask(label, str(state.boundaries[state.bucket - 1]), self._typed)

    def _typed(self, text: str) -> None:
        before = self.dgplay.session
        self.dgplay.act(actions.TypeEdit(text))
        if self.dgplay.session.outcome.kind != "refused" or before is self.dgplay.session:
            self.query_one(Prompt).close()

    def action_add(self) -> None:
        """Add a boundary where it saves most."""
        self.dgplay.act(actions.AddBoundary())

    def action_delete(self) -> None:
        """Join the active bucket with its neighbour."""
        self.dgplay.act(actions.DeleteBoundary())

    def action_optimum(self) -> None:
        """Take the optimum for the same number of buckets."""
        self.dgplay.act(actions.ApplyMethod("optimal"))

    def action_count(self, by: int) -> None:
        """Take the optimum for one bucket more or fewer."""
        self.dgplay.act(actions.ChangeCount(by))

    def action_undo(self) -> None:
        """Undo."""
        self.dgplay.undo()

    def action_redo(self) -> None:
        """Redo."""
        self.dgplay.redo()

    def action_pad_to(self) -> None:
        """Go over to the other pad_to policy."""
        self.dgplay.act(actions.SetPadTo())

    def action_mode(self) -> None:
        """Go over to the next graph-building mode."""
        self.dgplay.act(actions.SetMode())

    def action_preset(self) -> None:
        """Go over to the other preset."""
        self.dgplay.act(actions.SetPreset())

    def action_methods(self) -> None:
        """List every method with its resulting steps; Enter takes one."""
        look = self.dgplay.look
        session = self.dgplay.session
        table = tables.method_table(LabView(session).methods, look.signs)
        if session.state.predict:
            table = tables.hidden(table, layout.STRATEGIES, session.prediction, look.signs)
        choices = [
            Choice(name, tuple(phrases.cell_text(cell.text, look.tr) for cell in cells))
            for name, cells in table.rows
        ]
        screen = ChoiceScreen(
            f"{look.tr('Methods')} K={len(session.state.boundaries)}",
            choices,
            heading=tuple(look.tr(heading.title) for heading in table.headings),
            chosen="optimal",
            right=frozenset({1, 2, 3, 4}),
            ascii=look.ascii,
        )
        self.app.push_screen(screen, self._method_chosen)

    def _method_chosen(self, name: str | None) -> None:
        if name is not None and name != "now":
            self.dgplay.act(actions.ApplyMethod(name))

    def action_open_data(self) -> None:
        """Choose other data."""
        look = self.dgplay.look
        choices = [Choice(settings.REFERENCE, (settings.REFERENCE, "100", "chainer-100", ""))]
        choices += [
            Choice(
                item.name,
                (item.name, str(item.sequences), look.tr(item.field), look.tr(item.unit)),
            )
            for item in describe()
        ]
        hint = look.tr("a file, a folder, a generator, or a part of a name")
        screen = DataScreen(
            look.tr("Open data"), hint, choices, right=frozenset({1}), ascii=look.ascii
        )
        self.app.push_screen(screen, self._data_chosen)

    def _data_chosen(self, text: str | None) -> None:
        if text is not None:
            self._open(text)

    def action_settings(self) -> None:
        """Edit generator, count, seed and model in one line."""
        label = self.dgplay.tr("data and model")
        self.ask(label, settings.settings_line(self.state), self._open, select=False)

    def _open(self, text: str) -> None:
        """Take over an edited line of settings, or a source on its own."""
        app = self.dgplay
        try:
            data, model = settings.read_settings(text, self.state)
        except DgplayError as error:
            app.refuse(error)
            return
        self.query_one(Prompt).close()
        if data == self.state.data:
            app.act(actions.SetModel(model))
        else:
            app.open_data(data, model)
