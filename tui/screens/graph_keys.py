"""What the keys of the Graph screen mean: cursor, views, copies."""

from __future__ import annotations

from pathlib import Path

from textual.timer import Timer

from dgplay.core.graph_view.session import (
    Fold,
    GoTo,
    NextMode,
    SelectRow,
    Step,
    ToCall,
    ToEntry,
    ToKind,
    ToLine,
)

from .. import layout
from ..widgets.graph_capture import capture_body
from ..widgets.graph_lockstep import heights, scrolled
from ..widgets.graph_panes import SheetPane
from ..widgets.prompt import Prompt
from .graph_base import COLUMNS, DETAIL, DETAIL_PANES, LOCKSTEP_PANES, PROGRAM, TIMELINE
from .graph_runs import GraphRuns

#: Steps a second of a play.
SPEEDS = (1, 2, 4, 8, 16)


class GraphKeys(GraphRuns):
    """Adds the keys that change nothing of what is run."""

    def __init__(self) -> None:
        super().__init__()
        self.speed = 1
        self._play: Timer | None = None

    # ---- the cursor ---------------------------------------------------------------------

    def action_step(self, by: int) -> None:
        """Step in every mode; a held key is one."""
        self.do(Step(by), key=f"graph step {by}")

    def action_goto(self, where: str) -> None:
        """Go to the start or the end: of the rows of a view, else of the time."""
        if self.showing == DETAIL and self.now.view != "backward":
            self.pass_scroll = 0
            self.do(SelectRow(0 if where == "start" else max(self.detail_rows - 1, 0)))
            return
        self.do(GoTo(0 if where == "start" else 10**9))

    def action_break(self, direction: int) -> None:
        """Go to the next graph break or refusal, or to where a value is not the eager one."""
        before = self.now.cursor
        self.do(ToEntry(("break", "refused", "fallback", "differs", "wrong"), direction))
        if self.now.cursor == before:
            self.say_here(self.dgplay.tr("no graph break, refusal or difference that way"))

    def action_to_backward(self) -> None:
        """Go to the next step of the backward."""
        before = self.now.cursor
        self.do(ToKind("backward"))
        if self.now.cursor == before:
            self.say_here(self.dgplay.tr("no gradient is wanted; G asks for one"))

    def action_call(self, direction: int) -> None:
        """Go to the start of another call."""
        self.do(ToCall(direction))

    def action_play(self) -> None:
        """Play, or pause; at the end it begins anew."""
        if self._play is not None:
            self._stop_playing()
            self.say_here(self.dgplay.tr("paused"))
            return
        views = self.now.views
        if views is not None and self.now.cursor >= views.last:
            self.do(GoTo(0))
        self._play = self.set_interval(1 / SPEEDS[self.speed], self._played, name="graph play")
        self.say_here(self.dgplay.tr("playing; Space pauses, + and - change the speed"))

    def _played(self) -> None:
        views = self.now.views
        if views is None or self.now.cursor >= views.last or not self.is_current:
            self._stop_playing()
            return
        self.do(Step(1), key="graph step 1")

    def _stop_playing(self) -> None:
        if self._play is not None:
            self._play.stop()
            self._play = None

    def action_speed(self, by: int) -> None:
        """Play faster or slower."""
        self.speed = min(max(self.speed + by, 0), len(SPEEDS) - 1)
        if self._play is not None:
            self._stop_playing()
            self._play = self.set_interval(1 / SPEEDS[self.speed], self._played, name="graph play")
        text = self.dgplay.tr("{speed} steps a second")
        self.say_here(text.format(speed=SPEEDS[self.speed]))

    # ---- rows ---------------------------------------------------------------------------

    def action_row(self, by: int) -> None:
        """Choose the line or row above or below; in the columns, scroll."""
        if self.showing == PROGRAM:
            last = len(self.now.text.splitlines())
            self.line = min(max(self.line + by, 1), max(last, 1))
            self.show_session()
        elif self.showing == DETAIL:
            last = self.detail_rows - 1
            self.pass_scroll = 0
            self.do(SelectRow(min(max(self.detail_chosen + by, 0), max(last, 0))))
        elif self.showing == COLUMNS:
            self.scroll_columns(by)
        elif self.showing == TIMELINE:
            self.do(Step(by))

    @property
    def alone(self) -> str | None:
        """The only mode that the columns show, None where all three are."""
        wide = layout.kind_of(*self.size) in ("full", "wide")
        return None if wide and self.size.width >= 72 else self.now.mode

    def scroll_columns(self, by: int) -> None:
        """Scroll the columns as far as one of them goes."""
        views = self.now.views
        if views is None or not views.total:
            return
        frame, before = views.frame(self.now.cursor), self.scroll_back
        size = self.query_one(f"#{COLUMNS}", SheetPane).sheet.size
        self.scroll_back = scrolled(
            frame, size.width, size.height, self.dgplay.look, before - by,
            alone=self.alone, show_time=self.state.time,
        )  # fmt: skip
        stuck = self.scroll_back == before
        self.say_here(self.dgplay.tr("no more lines that way") if stuck else "")

    def action_page(self, pages: int) -> None:
        """Go a page up or down; among the passes, in the node order of the chosen one."""
        if self.showing == DETAIL and self.now.view == "passes":
            self.pass_scroll = max(self.pass_scroll + 5 * pages, 0)
            self.show_session()
            return
        self.action_row(pages * max(self._page() - 1, 1))

    def _page(self) -> int:
        """Return how many lines or rows the pane shows of what its keys go through."""
        height = self.query_one(f"#{self.showing}", SheetPane).sheet.size.height
        if self.showing == COLUMNS:
            return heights(height, self.state.time)[1]
        if self.showing != DETAIL:
            return height
        return capture_body(height) if self.now.view == "capture" else height // 2

    def action_enter(self) -> None:
        """Do what Enter means for what is chosen."""
        if self.showing == PROGRAM or self.now.view == "lockstep":
            if self.showing != PROGRAM:
                self.do(Step(1))
                return
            before = self.now.cursor
            self.do(ToLine(self.line))
            if self.now.cursor == before:
                text = self.dgplay.tr("line {line} is not run")
                if self._has_run(self.line):
                    text = self.dgplay.tr("line {line} does not run again; left steps back")
                self.say_here(text.format(line=self.line))
        else:
            self.enter_detail()

    def _has_run(self, line: int) -> bool:
        """Return whether a line ran at the cursor or before it."""
        views = self.now.views
        if views is None or not views.total:
            return False
        first = views.next_line(-1, line)
        return first is not None and first <= self.now.cursor

    def go_to(self, key: str) -> None:
        """Give the focus to a pane; in the program, choosing begins at the cursor's line."""
        views = self.now.views
        if key == PROGRAM != self.showing and views is not None and self.now.problem is None:
            call, number = views.at(self.now.cursor)
            self.line = views.calls[call].stops[number].line or self.line
        super().go_to(key)

    # ---- views --------------------------------------------------------------------------

    def action_next_mode(self) -> None:
        """Show the next mode, or the next graph; nothing where all three modes are in view."""
        if self.now.view == "lockstep" and self.alone is None:
            self.say_here(self.dgplay.tr("all three modes are in view"))
            return
        self.do(NextMode())

    def action_fold(self) -> None:
        """Fold repeated blocks, or unfold them, where there are any."""
        here = self.place
        picture = self.picture(here) if here is not None else None
        if here is None or self.now.view != "nodes" or picture is None:
            self.do(Fold())
            return
        table = self.table(here, picture)
        if self.now.folded and all(row.node is not None for row in table.rows):
            self.say_here(self.dgplay.tr("nothing repeats here, so nothing is folded"))
            return
        self.do(Fold())

    def action_zoom(self) -> None:
        """Show the pane alone, or all again."""
        self.zoomed = not self.zoomed
        self.show_session()

    def action_pane(self, direction: int) -> None:
        """Give the focus to the next pane, shown or not."""
        panes = LOCKSTEP_PANES if self.now.view == "lockstep" else DETAIL_PANES
        index = (panes.index(self.showing) + direction) % len(panes)
        self.go_to(panes[index])

    def action_back(self) -> None:
        """Stop what runs, close what is open, go back to the lockstep view."""
        if self.typing:
            self.close_typing()
        elif self.stop_run() or self.stop_export():
            pass
        elif self._play is not None:
            self.action_play()
        elif self.zoomed:
            self.action_zoom()
        elif self.now.view != "lockstep":
            self.action_view("lockstep")

    # ---- copies -------------------------------------------------------------------------

    def action_copy_table(self) -> None:
        """Copy what the pane shows."""
        pane = self.query_one(f"#{self.showing}", SheetPane)
        self.copied("\n".join(line.rstrip() for line in pane.sheet.lines))

    def action_copy_line(self) -> None:
        """Copy the command line of this state."""
        if self.now.asked.text is not None:
            self.ask_where(self._copy_line_of)
            self.say_here(
                self.dgplay.tr("the edited program is in no file yet; its line needs one")
            )
            return
        self.copied(self.dgplay.line)

    def _copy_line_of(self, path: Path) -> None:
        """Copy the command line, the program of which has just been saved."""
        self.program_saved(path)
        self.copied(self.dgplay.line)

    def close_typing(self) -> None:
        """Close the typed line; a question is given up once it is closed."""
        self.query_one(Prompt).close()
        self.show_session()
