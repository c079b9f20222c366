"""The views of the Graph screen beside the lockstep: which rows they show, what Enter does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from textual.message import Message
from textual.worker import get_current_worker

from dgplay.core.graph.lang_refusal import Cancelled, Refusal
from dgplay.core.graph_view.backward import Checked, check, gradient_nodes, walk
from dgplay.core.graph_view.buffers import BufferTable, buffer_table, why
from dgplay.core.graph_view.captured import capture_rows
from dgplay.core.graph_view.lockstep import Views
from dgplay.core.graph_view.nodes import NodeTable, found, node_detail, node_table
from dgplay.core.graph_view.options import PASS_NAMES, toggled
from dgplay.core.graph_view.pictures import Picture, pictures, position_of, stop_of
from dgplay.core.graph_view.rewrites import pass_detail, pass_table
from dgplay.core.graph_view.session import GoTo, SelectRow, SetView
from dgplay.core.graph_view.tape_buffers import tape_table, why_kept

from ..phrases import labelled
from ..widgets.graph_capture import capture_view_rows
from ..widgets.graph_more import backward_rows, pass_rows
from ..widgets.graph_nodes import KINDS, memory_rows, node_rows
from ..widgets.graph_panes import SheetPane
from ..widgets.prompt import Prompt
from ..widgets.sheet import LayOut
from ..work import in_thread
from .graph_base import COLUMNS, DETAIL
from .graph_kept import GraphKept, Here


class Checks(Message):
    """Finite differences are there, or why they are not."""

    def __init__(self, key: object, found: tuple[Checked, ...], problem: str = "") -> None:
        super().__init__()
        self.key = key
        self.found = found
        self.problem = problem


class Detail(NamedTuple):
    """A view of the run: what its pane shows, how many rows can be chosen, and which one is."""

    title: str
    lay_out: LayOut
    rows: int = 1
    chosen: int = 0


def _buffers(here: Here, picture: Picture, made: tuple[Picture, ...]) -> BufferTable | None:
    """Return the buffers of a graph; those of the tape with the peaks of what static ran."""
    if picture.graph is not None:
        return buffer_table(picture)
    drawn = next((buffer_table(p) for p in made if p.kind == "static"), None)
    return tape_table(here.view, picture, None if drawn is None else drawn.peaks)


class GraphDetail(GraphKept):
    """Draws the view that is chosen into the one pane that all of them share."""

    def __init__(self) -> None:
        super().__init__()
        self.line = 1
        self.detail_rows = 0
        self.detail_chosen = 0
        self.pass_scroll = 0
        self._checks: tuple[object, tuple[Checked, ...]] | None = None
        self._sought = ""

    # ---- what is shown ------------------------------------------------------------------

    def graphs(self, here: Here, *, tape: bool = True) -> tuple[Picture, ...]:
        """Return the pictures of a call; without ``tape`` those of graphs that ran."""
        made: tuple[Picture, ...] = here.kept(
            ("pictures", here.call), lambda: pictures(here.views, here.call)
        )
        return made if tape else tuple(p for p in made if p.graph is not None and p.kind != "drawn")

    def picture(self, here: Here, *, tape: bool = True) -> Picture | None:
        """Return the chosen picture."""
        made = self.graphs(here, tape=tape)
        return made[self.now.picture % len(made)] if made else None

    def table(self, here: Here, picture: Picture) -> NodeTable:
        """Return the node table of a picture."""
        folded = self.now.folded
        key = ("nodes", here.call, picture.kind, picture.number, folded)
        made: NodeTable = here.kept(key, lambda: node_table(picture, folded=folded))
        return made

    def show_detail(self, pane: SheetPane) -> None:
        """Draw the view that is chosen."""
        tr, here = self.dgplay.tr, self.place
        if here is None:
            words = tr("running ...") if self.running is not None else tr("nothing has run")
            pane.show("", lambda w, h: [((f" {words}", "muted"),)])
            return
        make = self.views_by_name[self.now.view]
        if not self.ready(here, self._needs(here), lambda: make(here)):
            words = tr("being made ... the keys work meanwhile")
            pane.show("", lambda w, h: [((f" {words}", "muted"),)])
            return
        shown = make(here)
        self.detail_rows, self.detail_chosen = shown.rows, shown.chosen
        pane.show(shown.title, shown.lay_out)

    @property
    def views_by_name(self) -> dict[str, Callable[[Here], Detail]]:
        """Each view with what makes it."""
        return {
            "nodes": self._view_nodes, "passes": self._view_passes, "backward": self._view_backward,
            "memory": self._view_memory, "capture": self._view_capture,
        }  # fmt: skip

    def _needs(self, here: Here) -> object:
        """Return what the chosen view is made from."""
        now = self.now
        row = now.row if now.view == "passes" else None
        return (now.view, here.call, now.picture, now.folded, row)

    def after_run(self, before: Views | None) -> None:
        """Choose the line that a refusal is about."""
        super().after_run(before)
        if self.now.problem is not None and self.now.problem.place.line:
            self.line = self.now.problem.place.line

    def _headed(self, name: str, picture: Picture | None, many: int) -> str:
        tr = self.dgplay.tr
        if picture is None:
            return name
        kind = tr(KINDS[picture.kind]).format(number=picture.number)
        others = f" ({self.now.picture % many + 1}/{many}, {tr('o: next')})" if many > 1 else ""
        return labelled(name, f"{kind}{others}", tr)

    def _view_nodes(self, here: Here) -> Detail:
        picture, look = self.picture(here), self.dgplay.look
        name = look.tr("Nodes")
        if picture is None:
            return Detail(name, lambda w, h: [])
        table = self.table(here, picture)
        chosen = min(self.now.row, len(table.rows) - 1)
        node = table.rows[chosen].node if table.rows else None
        done = position_of(here.view, picture.mode, here.stop)
        detail = None
        if node is not None:
            detail = node_detail(picture, node, here.views.run.lines, done)
        return Detail(
            self._headed(name, picture, len(self.graphs(here))),
            lambda w, h: node_rows(table, chosen, detail, done, w, h, look),
            len(table.rows), chosen,
        )  # fmt: skip

    def _view_passes(self, here: Here) -> Detail:
        look, now = self.dgplay.look, self.now
        picture = self.picture(here, tape=False)
        name = look.tr("Passes (Enter switches)")
        if picture is None:
            words = look.tr("no graph was made in this call")
            return Detail(name, lambda w, h: [((f" {words}", "muted"),)])
        key = (picture.kind, picture.number, here.call)
        passes = here.views.run.asked.options.passes
        table = here.kept(("passes", key), lambda: pass_table(picture, passes))
        chosen = min(now.row, len(table.rows) - 1)
        row = table.rows[chosen]
        detail = here.kept(("pass", key, row.name), lambda: pass_detail(picture, row.name, row.on))
        return Detail(
            self._headed(name, picture, len(self.graphs(here, tape=False))),
            lambda w, h: pass_rows(table, chosen, detail, w, h, look, self.pass_scroll),
            len(table.rows), chosen,
        )  # fmt: skip

    def _view_backward(self, here: Here) -> Detail:
        look = self.dgplay.look
        made = here.kept(("walk", here.call), lambda: walk(here.view))
        lines = here.kept(("gradients", here.call), lambda: self._gradients(here))
        done = position_of(here.view, "eager", here.stop)
        checks = None
        if self._checks is not None and self._checks[0] == (here.views, here.call):
            checks = self._checks[1]
        return Detail(
            look.tr("Backward (F: check): eager's tape | static's gradient graph"),
            lambda w, h: backward_rows(made, done, lines, checks, w, h, look),
        )

    def _gradients(self, here: Here) -> tuple[str, ...]:
        drawn = next((p for p in self.graphs(here) if p.kind == "drawn"), None)
        return () if drawn is None else gradient_nodes(drawn)

    def _view_memory(self, here: Here) -> Detail:
        look, now = self.dgplay.look, self.now
        made = tuple(p for p in self.graphs(here) if p.kind != "drawn")
        name = look.tr("Memory")
        words = look.tr("no graph with known sizes in this call")
        if not made:
            return Detail(name, lambda w, h: [((f" {words}", "muted"),)])
        picture = made[now.picture % len(made)]
        key = ("memory", here.call, picture.kind, picture.number)
        table: BufferTable | None = here.kept(key, lambda: _buffers(here, picture, made))
        title = self._headed(name, picture, len(made))
        if table is None:
            return Detail(title, lambda w, h: [((f" {words}", "muted"),)])
        chosen = min(now.row, len(table.rows) - 1)
        row = table.rows[chosen]
        graph = table.graph
        reason = why_kept(row, table) if graph is None else why(graph, row.node)
        return Detail(
            title,
            lambda w, h: memory_rows(table, chosen, reason, w, h, look),
            len(table.rows), chosen,
        )  # fmt: skip

    def _view_capture(self, here: Here) -> Detail:
        look, call = self.dgplay.look, here.call
        rows = here.kept(("capture", call), lambda: capture_rows(here.views, call))
        heads = [number for number, row in enumerate(rows) if row.kind == "call"]
        chosen = min(self.now.rows.get("capture", heads[call]), len(rows) - 1)
        tr, options = look.tr, self.now.asked.options
        settings = tr(
            "guards {guards} (v)  dynamic {dynamic} (D)  limit {limit} (L)  n: call"
        ).format(
            guards=tr("OFF") if options.no_guards else tr("on"),
            dynamic=tr("on") if options.dynamic == "on" else tr("OFF"),
            limit=options.recompile_limit,
        )  # fmt: skip
        calls = len(here.views.calls)
        title = tr("Capture, calls 1 to {call}")
        if call + 1 < calls:
            title = tr("Capture, calls 1 to {call} of {calls}, as far as time is; ]: call {next}")
        elif not call:
            title = tr("Capture, call 1")
        return Detail(
            title.format(call=call + 1, calls=calls, next=call + 2),
            lambda w, h: capture_view_rows(rows, chosen, settings, w, h, look),
            len(rows), chosen,
        )  # fmt: skip

    def action_view(self, view: str) -> None:
        """Show another view, its pane in focus."""
        self.do(SetView(view))
        self.go_to(COLUMNS if view == "lockstep" else DETAIL)

    # ---- Enter and find -----------------------------------------------------------------

    def enter_detail(self) -> None:
        """Switch the chosen pass, or go to where the chosen node comes."""
        now = self.now
        if now.view == "passes":
            name = PASS_NAMES[min(now.row, len(PASS_NAMES) - 1)]
            options = now.asked.options
            self.ask_for(replace(options, passes=toggled(options, name)))
        elif now.view == "nodes":
            here = self.place
            picture = None if here is None else self.picture(here)
            if here is None or picture is None:
                return
            rows = self.table(here, picture).rows
            node = rows[min(now.row, len(rows) - 1)].node if rows else None
            if node is not None:
                at = node.known or node.at
                self.do(GoTo(here.views.starts[here.call] + stop_of(here.view, picture.mode, at)))

    def action_find(self) -> None:
        """Ask for a name to find among the nodes."""
        self.ask(self.dgplay.tr("find a node"), self._sought, self._find)

    def _find(self, text: str) -> None:
        self.query_one(Prompt).close()
        self._sought = text.strip()
        here = self.place
        if not self._sought or here is None:
            return
        if self.now.view != "nodes":
            self.action_view("nodes")
        if not self.ready(here, self._needs(here), lambda: self._view_nodes(here)):
            return
        picture = self.picture(here)
        if picture is None:
            return
        row = found(self.table(here, picture), text, self.now.row)
        if row is None:
            self.notice = self.dgplay.tr("no node has {text}").format(text=self._sought)
            self.show_session()
        else:
            self.do(SelectRow(row))

    # ---- finite differences -------------------------------------------------------------

    def action_check(self) -> None:
        """Check the gradients of this call by finite differences, or hide the check."""
        here = self.place
        if here is None:
            return
        key = (here.views, here.call)
        if self.now.view != "backward":
            self.action_view("backward")
        if self._checks is not None and self._checks[0] == key:
            self._checks = None
            self.show_session()
            return
        view = here.view
        gave, program = view.call.logs["eager"].gave, here.views.run.program
        if gave is None or program is None or not gave.gradients:
            self.notice = self.dgplay.tr("there is no gradient to check")
            self.show_session()
            return
        inputs, gradients = dict(view.call.inputs), gave.gradients

        def work() -> None:
            worker = get_current_worker()
            try:
                checked = check(
                    program, inputs, gradients, self.budget, lambda: worker.is_cancelled
                )
            except Cancelled:
                return
            except Refusal as refusal:
                self.post_message(Checks(key, (), self.problem_text(refusal)))
                return
            self.post_message(Checks(key, checked))

        in_thread(self, work, "differences", "finite differences")

    def on_checks(self, message: Checks) -> None:
        """Show finite differences."""
        if message.problem:
            self.notice = f"! {message.problem}"
        else:
            self._checks = (message.key, message.found)
        self.show_session()
