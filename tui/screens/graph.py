"""The Graph screen: one program drawn three ways, step by step, forward and back."""

from __future__ import annotations

from typing import ClassVar

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical

from dgplay.core.counting import Counted
from dgplay.core.graph_view.lockstep import LockFrame, Parted
from dgplay.core.graph_view.session import GoTo, SelectRow, Step

from .. import layout
from ..commands import bindings
from ..phrases import labelled, refusal_words
from ..widgets.graph_lockstep import columns_rows, program_rows, stop_at, timeline_rows
from ..widgets.graph_nodes import simple_rows
from ..widgets.graph_panes import SheetPane
from ..widgets.graph_text import KINDS
from ..widgets.line import Line
from ..widgets.pane import Pane
from ..widgets.prompt import Prompt
from ..widgets.sheet import Sheet
from .graph_base import COLUMNS, DETAIL, DETAIL_PANES, LOCKSTEP_PANES, PROGRAM, TIMELINE
from .graph_keys import GraphKeys
from .shell import TooSmall


class GraphScreen(GraphKeys):
    """Draws the session of the Graph screen."""

    AUTO_FOCUS = f"#{COLUMNS}"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(GraphKeys.OWN)]
    DEFAULT_CSS = """
    GraphScreen #g-program { height: 6; }
    GraphScreen.-begun #g-program { height: 5; }
    GraphScreen #g-modes { height: 1fr; }
    GraphScreen #g-timeline { height: 4; }
    GraphScreen #g-detail { height: 1fr; }
    GraphScreen.-compact #g-program { height: 6; }
    GraphScreen.-wide #g-program { height: 15; }
    GraphScreen.-editing #g-program { height: 1fr; }
    GraphScreen.-alone #g-program, GraphScreen.-alone #g-timeline { height: 1fr; }
    GraphScreen.-detail #g-program { height: 5; }
    GraphScreen.-wide.-detail #g-program { height: 9; }
    GraphScreen.-detail.-alone #g-program { height: 1fr; }
    GraphScreen TextArea, GraphScreen TextArea:focus { height: 1fr; border: none; padding: 0; }
    .-ascii TextArea { scrollbar-size: 0 0; }
    """

    def compose(self) -> ComposeResult:
        """Lay out every pane; which are visible follows from view and size."""
        yield Line("top")
        yield TooSmall()
        with Vertical(id="panes"):
            for key in (PROGRAM, COLUMNS, TIMELINE, DETAIL):
                yield SheetPane(key)
        yield Line("status")
        yield Line("keys")
        yield Prompt()

    def on_mount(self) -> None:
        """Run the program of the state."""
        self.start_run()
        self.show_session()

    # ---- drawing ------------------------------------------------------------------------

    def show_session(self) -> None:
        """Draw the session; another one that the state asks for is run first."""
        if not self.is_mounted:
            return
        self.follow_state()
        self.start_run()
        self.take_times()
        look = self.dgplay.look
        for shown in self.query("Line, SheetPane"):
            shown.set_class(look.ascii, "-ascii")
        self.lay_out_panes()
        views = self.now.views
        frame = views.frame(self.now.cursor) if views is not None and views.total else None
        # Once something has run, the columns have more to say than the program.
        self.set_class(frame is not None and frame.stop.kind != "inputs", "-begun")
        self._show_program(frame)
        if self.now.view == "lockstep":
            self._show_lockstep(frame)
        else:
            self.show_detail(self.query_one(f"#{DETAIL}", SheetPane))
        self.show_top()
        self._show_status(frame)
        self.show_keys()

    def _show_program(self, frame: LockFrame | None) -> None:
        now, look = self.now, self.dgplay.look
        pane = self.query_one(f"#{PROGRAM}", SheetPane)
        lines: tuple[str, ...] = now.views.run.lines if now.views is not None else ()
        problem = None
        if now.problem is not None:
            lines = tuple(now.text.splitlines())
            refusal = now.problem
            words = look.tr("{what}. Instead: {hint}. Why: {why}")
            told = words.format_map(refusal_words(refusal, look.tr))
            problem = (refusal.place.line, told)
            frame = None
        chosen = self.line if self.showing == PROGRAM else None
        of = now.asked if now.answered is None else now.answered  # what is shown, not what runs
        name = of.options.program
        if of.text is not None:
            name = f"{name} ({look.tr('edited')})"
        title = f"{look.tr('Program')} {name}"
        if frame is not None:
            title += f"  {frame.inputs}"
            if frame.calls > 1:
                calls = look.tr("call {call} of {calls}")
                title += "  " + calls.format(call=frame.call, calls=frame.calls)
        pane.show(title, lambda w, h: program_rows(lines, frame, chosen, w, h, look, problem))

    def _show_lockstep(self, frame: LockFrame | None) -> None:
        now, look = self.now, self.dgplay.look
        columns = self.query_one(f"#{COLUMNS}", SheetPane)
        timeline = self.query_one(f"#{TIMELINE}", SheetPane)
        if frame is None or now.views is None:
            words, tone = look.tr("running ..."), "muted"
            if self.running is None and now.problem is not None:
                words, tone = self.problem_text(now.problem), "bad"
            told = [(words, tone)]
            columns.show(look.tr("Modes"), lambda w, h: simple_rows(told, w, h, look))
            timeline.show(look.tr("Timeline"), lambda w, h: [])
            return
        alone = self.alone
        names = ", ".join(now.views.run.calls[frame.call - 1].inputs)
        hidden = self.asking_what is not None
        columns.show(
            self._modes_title(frame, alone),
            lambda w, h: columns_rows(
                frame, w, h, look, alone=alone, inputs=names, scroll=self.scroll_back,
                times=self.times(frame.call - 1), show_time=self.state.time,
            ),
        )  # fmt: skip
        call, number = now.views.at(frame.cursor)
        view = now.views.calls[call]
        timeline.show(
            f"{look.tr('Timeline, one cursor for all')}  {frame.cursor + 1}/{frame.last + 1}",
            lambda w, h: timeline_rows(view, number, w, min(h, 3), look, hidden_after=hidden),
        )

    def _modes_title(self, frame: LockFrame, alone: str | None) -> str:
        tr = self.dgplay.tr
        what = tr(KINDS[frame.stop.kind]).format(line=frame.stop.line)
        if alone is not None:
            return f"{tr('Mode')} {alone} ({tr('o: next')})  {what}"
        return labelled(tr("Three modes"), what, tr)

    def _show_status(self, frame: LockFrame | None) -> None:
        app, tr = self.dgplay, self.dgplay.tr
        said, shorter = self.notice or app.notice, ""
        if not said and self.running is not None and self.now.views is not None:
            said = tr("running ... Esc stops; what was there before is shown")
        if not said and self.now.problem is not None:
            said = tr("that does not run; below is what ran last")
            if self.now.views is None:
                said = tr("that does not run; e edits the program, f opens another")
                if not self.now.problem.place.line and self.now.text:
                    said = tr("that does not run; i: inputs, e: edit the program, f: another one")
            if not self.query_one(f"#{PROGRAM}").display:
                said = self.problem_text(self.now.problem)
        if not said and frame is not None and frame.differs is not None:
            said, shorter = self._parted(frame.differs)
        right = self.settings_text()
        if not said and frame is not None and self.now.view == "lockstep":
            said = self._hint(frame)
            if right and cell_len(said) + cell_len(right) + 4 > self.size.width:
                said = ""
        ways = [(said, ""), (shorter, "")] if shorter else [(said, "")]
        self.query_one("#status", Line).show(said, right, *ways)

    def _parted(self, found: Parted) -> tuple[str, str]:
        """Return where the modes differ first, and the same in fewer words."""
        tr = self.dgplay.tr
        words = {
            "value": found.value, "first": found.modes[0], "second": found.modes[1],
            "one": found.entries[0], "other": found.entries[1],
        }  # fmt: skip
        said = tr("the modes DIFFER first at {value}: {first} {one}, {second} {other}")
        shorter = tr("{value} DIFFERS: {first} {one}, {second} {other}").format(**words)
        said = said.format(**words)
        if found.ulps is not None:
            said = tr("{said} ({ulps:,} ulps)").format(said=said, ulps=found.ulps)
        return said, shorter

    def _hint(self, frame: LockFrame) -> str:
        """Return what to do next where a learner may wonder: at the start and end of a call."""
        tr = self.dgplay.tr
        if not frame.cursor:
            if self.size.width < 80:
                return tr("b: where modes part; n: another shape")
            return tr("right: step; b: where the modes part; n: another call, of another shape")
        numbers = {
            "call": frame.call,
            "compiles": Counted(frame.compiles),
            "breaks": Counted(frame.breaks),
        }
        if frame.stop.kind == "inputs" and not frame.compiles:
            return tr("call {call}: capture compiles nothing new; c shows its guards").format(
                **numbers
            )
        if frame.stop.kind == "inputs":
            said = tr("call {call}: capture compiles again, {compiles} in all; c shows the guards")
            return said.format(**numbers)
        if frame.stop.kind == "end":
            said = tr(
                "call {call}: capture compiled {compiles}, broke {breaks:time|times}; n: next call"
            )
            if frame.call < frame.calls:
                said = tr(
                    "call {call}: capture compiled {compiles}, broke {breaks:time|times}; "
                    "]: call {next}"
                )
            return said.format(next=frame.call + 1, **numbers)
        return ""

    # ---- layout -------------------------------------------------------------------------

    def lay_out_panes(self) -> None:
        """Show the panes of the view that fit, the focused one among them."""
        kind = layout.kind_of(*self.size)
        lockstep = self.now.view == "lockstep"
        order = LOCKSTEP_PANES if lockstep else DETAIL_PANES
        if self.showing not in order:
            self.showing = order[0]
        alone = self.zoomed or kind == "one" or (kind == "compact" and not lockstep)
        alone = alone or self.editing
        for pane in self.query(Pane):
            fits = pane.key in order and (not alone or pane.key == self.showing)
            if pane.key == PROGRAM and kind == "full" and self.now.view == "passes":
                fits = self.showing == PROGRAM  # the order before and after needs the room
            pane.display = kind != "none" and fits
        self.set_class(alone, "-alone")
        self.set_class(kind == "compact", "-compact")
        self.set_class(kind == "wide", "-wide")
        self.set_class(not lockstep, "-detail")
        self.mark_size(kind)

    # ---- the mouse ----------------------------------------------------------------------

    def on_sheet_clicked(self, message: Sheet.Clicked) -> None:
        """Go to what was clicked: a stop of the timeline, a line, a row."""
        pane = message.sheet.parent
        if not isinstance(pane, SheetPane):
            return
        self.go_to(pane.key)
        now = self.now
        if now.views is None or not now.views.total:
            return
        if pane.key == TIMELINE:
            call, number = now.views.at(now.cursor)
            view = now.views.calls[call]
            width = message.sheet.size.width
            found = stop_at(view, number, width, message.x, self.dgplay.look)
            if found is not None:
                self.do(GoTo(now.views.starts[call] + found))
        elif pane.key == PROGRAM:
            text = message.sheet.lines[message.y : message.y + 1]
            digits = text[0][1:5].strip() if text else ""
            if digits.isdigit():
                self.line = int(digits)
                self.show_session()
        elif pane.key == DETAIL:
            marked = [y for y, line in enumerate(message.sheet.lines) if line.startswith(">")]
            if marked:
                row = self.detail_chosen + message.y - marked[0]
                self.do(SelectRow(min(max(row, 0), max(self.detail_rows - 1, 0))))

    def on_sheet_wheeled(self, message: Sheet.Wheeled) -> None:
        """Scroll, or step on the timeline."""
        pane = message.sheet.parent
        if isinstance(pane, SheetPane) and pane.key == TIMELINE:
            self.do(Step(message.direction))
        elif isinstance(pane, SheetPane):
            self.go_to(pane.key)
            self.action_row(message.direction)
