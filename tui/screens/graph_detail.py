"""The views of the Graph screen beside the lockstep: which rows they show, what Enter does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from textual.message import Message
from textual.worker import get_current_worker

from dgplay.core.graph.lang_refusal import Refusal
from dgplay.core.graph_view.backward import Checked, check, gradient_nodes, walk
from dgplay.core.graph_view.buffers import BufferTable, buffer_table, why
from dgplay.core.graph_view.captured import capture_rows
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
from .graph_kept import GraphKept


class Checks(Message):
    """Finite differences are there, or why they are not."""

    def __init__(self, key: object, found: tuple[Checked, ...], problem: str = "") -> None:
        super().__init__()
        self.key = key
        self.found = found
        self.problem = problem


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

    def graphs(self, *, tape: bool = True) -> tuple[Picture, ...]:
        """Return the pictures of the call at the cursor; without ``tape`` those of graphs."""
        found = self.place
        if found is None:
            return ()
        views, call, _, _ = found
        made: tuple[Picture, ...] = self.kept(("pictures", call), lambda: pictures(views, call))
        return made if tape else tuple(p for p in made if p.graph is not None and p.kind != "drawn")

    def picture(self, *, tape: bool = True) -> Picture | None:
        """Return the chosen picture."""
        made = self.graphs(tape=tape)
        return made[self.now.picture % len(made)] if made else None

    def table(self, picture: Picture) -> NodeTable:
        """Return the node table of a picture."""
        key = ("nodes", self.now.views and self.now.views.at(self.now.cursor)[0], picture.kind,
               picture.number, self.now.folded)  # fmt: skip
        made: NodeTable = self.kept(key, lambda: node_table(picture, folded=self.now.folded))
        return made

    def show_detail(self, pane: SheetPane) -> None:
        """Draw the view that is chosen."""
        tr = self.dgplay.tr
        if self.place is None:
            words = tr("running ...") if self.running is not None else tr("nothing has run")
            pane.show("", lambda w, h: [((f" {words}", "muted"),)])
            return
        self.detail_chosen = self.now.row
        view = self.views_by_name[self.now.view]
        if not self.ready(self._needs(), view):
            words = tr("being made ... the keys work meanwhile")
            pane.show("", lambda w, h: [((f" {words}", "muted"),)])
            return
        title, lay_out = view()
        pane.show(title, lay_out)

    @property
    def views_by_name(self) -> dict[str, Callable[[], tuple[str, LayOut]]]:
        """Each view with what makes it."""
        return {
            "nodes": self._view_nodes, "passes": self._view_passes, "backward": self._view_backward,
            "memory": self._view_memory, "capture": self._view_capture,
        }  # fmt: skip

    def _needs(self) -> object:
        """Return what the chosen view is made from."""
        now, place = self.now, self.place
        row = now.row if now.view == "passes" else None
        return (now.view, place and place[1], now.picture, now.folded, row)

    def _headed(self, name: str, picture: Picture | None, many: int) -> str:
        tr = self.dgplay.tr
        if picture is None:
            return name
        kind = tr(KINDS[picture.kind]).format(number=picture.number)
        others = f" ({self.now.picture % many + 1}/{many}, {tr('o: next')})" if many > 1 else ""
        return labelled(name, f"{kind}{others}", tr)

    def _view_nodes(self) -> tuple[str, LayOut]:
        place, picture, look = self.place, self.picture(), self.dgplay.look
        assert place is not None
        views, _, view, stop = place
        name = look.tr("Nodes")
        if picture is None:
            return name, lambda w, h: []
        table = self.table(picture)
        self.detail_rows = len(table.rows)
        chosen = min(self.now.row, len(table.rows) - 1)
        node = table.rows[chosen].node if table.rows else None
        done = position_of(view, picture.mode, stop)
        detail = None
        if node is not None:
            detail = node_detail(picture, node, views.run.lines, done)
        return self._headed(name, picture, len(self.graphs())), lambda w, h: node_rows(
            table, chosen, detail, done, w, h, look
        )

    def _view_passes(self) -> tuple[str, LayOut]:
        look, now = self.dgplay.look, self.now
        picture = self.picture(tape=False)
        name = look.tr("Passes (Enter switches)")
        if picture is None:
            words = look.tr("no graph was made in this call")
            return name, lambda w, h: [((f" {words}", "muted"),)]
        key = (picture.kind, picture.number, self.place and self.place[1])
        table = self.kept(("passes", key), lambda: pass_table(picture, now.asked.options.passes))
        self.detail_rows = len(table.rows)
        chosen = min(now.row, len(table.rows) - 1)
        row = table.rows[chosen]
        detail = self.kept(("pass", key, row.name), lambda: pass_detail(picture, row.name, row.on))
        return self._headed(name, picture, len(self.graphs(tape=False))), lambda w, h: pass_rows(
            table, chosen, detail, w, h, look, self.pass_scroll
        )

    def _view_backward(self) -> tuple[str, LayOut]:
        place, look = self.place, self.dgplay.look
        assert place is not None
        _, call, view, stop = place
        made = self.kept(("walk", call), lambda: walk(view))
        drawn = next((p for p in self.graphs() if p.kind == "drawn"), None)
        lines = gradient_nodes(drawn) if drawn is not None else ()
        done = position_of(view, "eager", stop)
        checks = None
        if self._checks is not None and self._checks[0] == self._check_key:
            checks = self._checks[1]
        self.detail_rows = 1
        return look.tr(
            "Backward: eager's tape | static's gradient graph (F: check)"
        ), lambda w, h: backward_rows(made, done, lines, checks, w, h, look)

    def _view_memory(self) -> tuple[str, LayOut]:
        look, now = self.dgplay.look, self.now
        made = tuple(p for p in self.graphs() if p.kind != "drawn")
        name = look.tr("Memory")
        words = look.tr("no graph with known sizes in this call")
        if not made:
            return name, lambda w, h: [((f" {words}", "muted"),)]
        picture = made[now.picture % len(made)]
        key = ("memory", self.place and self.place[1], picture.kind, picture.number)
        table: BufferTable | None = self.kept(key, lambda: self._buffers(picture, made))
        title = self._headed(name, picture, len(made))
        if table is None:
            return title, lambda w, h: [((f" {words}", "muted"),)]
        self.detail_rows = len(table.rows)
        chosen = min(now.row, len(table.rows) - 1)
        row = table.rows[chosen]
        graph = table.graph
        reason = why_kept(row, table) if graph is None else why(graph, row.node)
        return title, lambda w, h: memory_rows(table, chosen, reason, w, h, look)

    def _buffers(self, picture: Picture, made: tuple[Picture, ...]) -> BufferTable | None:
        if picture.graph is not None or self.place is None:
            return buffer_table(picture)
        drawn = next((buffer_table(p) for p in made if p.kind == "static"), None)
        return tape_table(self.place[2], picture, None if drawn is None else drawn.peaks)

    def _view_capture(self) -> tuple[str, LayOut]:
        place, look = self.place, self.dgplay.look
        assert place is not None
        views, call, _, _ = place
        rows = self.kept(("capture", call), lambda: capture_rows(views, call))
        self.detail_rows = len(rows)
        heads = [number for number, row in enumerate(rows) if row.kind == "call"]
        chosen = min(self.now.rows.get("capture", heads[call]), len(rows) - 1)
        self.detail_chosen = chosen
        tr, options = look.tr, self.now.asked.options
        settings = tr(
            "guards {guards} (v)  dynamic {dynamic} (D)  limit {limit} (L)  n: another call"
        ).format(
            guards=tr("OFF") if options.no_guards else tr("on"),
            dynamic=tr("on") if options.dynamic == "on" else tr("OFF"),
            limit=options.recompile_limit,
        )  # fmt: skip
        title = tr("Capture, calls 1 to {call}").format(call=call + 1)
        return title, lambda w, h: capture_view_rows(rows, chosen, settings, w, h, look)

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
            place, picture = self.place, self.picture()
            if place is None or picture is None:
                return
            views, call, view, _ = place
            rows = self.table(picture).rows
            node = rows[min(now.row, len(rows) - 1)].node if rows else None
            if node is not None:
                at = node.known or node.at
                self.do(GoTo(views.starts[call] + stop_of(view, picture.mode, at)))

    def action_find(self) -> None:
        """Ask for a name to find among the nodes."""
        self.ask(self.dgplay.tr("find a node"), self._sought, self._find)

    def _find(self, text: str) -> None:
        self.query_one(Prompt).close()
        self._sought = text.strip()
        if not self._sought or self.place is None:
            return
        if self.now.view != "nodes":
            self.action_view("nodes")
        if not self.ready(self._needs(), self._view_nodes):
            return
        picture = self.picture()
        if picture is None:
            return
        row = found(self.table(picture), text, self.now.row)
        if row is None:
            self.notice = self.dgplay.tr("no node has {text}").format(text=self._sought)
            self.show_session()
        else:
            self.do(SelectRow(row))

    # ---- finite differences -------------------------------------------------------------

    @property
    def _check_key(self) -> object:
        place = self.place
        return None if place is None else (place[0], place[1])

    def action_check(self) -> None:
        """Check the gradients of this call by finite differences, or hide the check."""
        place = self.place
        if place is None:
            return
        if self.now.view != "backward":
            self.action_view("backward")
        if self._checks is not None and self._checks[0] == self._check_key:
            self._checks = None
            self.show_session()
            return
        views, _, view, _ = place
        gave, program = view.call.logs["eager"].gave, views.run.program
        if gave is None or program is None or not gave.gradients:
            self.notice = self.dgplay.tr("there is no gradient to check")
            self.show_session()
            return
        key, inputs, gradients = self._check_key, dict(view.call.inputs), gave.gradients

        def work() -> None:
            worker = get_current_worker()
            try:
                checked = check(
                    program, inputs, gradients, self.budget, lambda: worker.is_cancelled
                )
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
