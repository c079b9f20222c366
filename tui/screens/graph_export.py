"""Taking away from the Graph screen: node order, DOT, JSON, a script, the command line.

What is written is made in a thread, since some of it runs the program again; Esc stops that.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from textual.message import Message
from textual.worker import get_current_worker

from dgplay.core import saving
from dgplay.core.graph.errors import GraphError
from dgplay.core.graph.lang_refusal import Cancelled
from dgplay.core.graph_view.exporting import (
    ENDINGS,
    dot_text,
    json_text,
    order_text,
    script_text,
)
from dgplay.core.graph_view.lockstep import Views

from ..commands import mark
from ..file_answer import FileAnswer
from ..phrases import said
from ..widgets.prompt import Prompt
from ..work import in_thread
from .choice import Choice, ChoiceScreen
from .graph_detail import GraphDetail
from .graph_kept import Here

EXPORTS = {
    "order": mark("the node order of the chosen graph, as text"),
    "dot": mark("the chosen graph for Graphviz"),
    "json": mark("the whole run, as dgplay graph --json prints it"),
    "script": mark("this call as a script in plain numpy that checks itself"),
    "line": mark("the command line of this state"),
}


class Exported(Message):
    """What was asked for is made, None where its arrays are too large; or why it is not."""

    def __init__(self, kind: str, views: Views, text: str | None, problem: str = "") -> None:
        super().__init__()
        self.kind = kind
        self.views = views
        self.text = text
        self.problem = problem


class GraphExport(GraphDetail):
    """Writes what is asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.exporting = False

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
        here = self.place
        if kind is None or here is None:
            return
        self.exporting = True
        self.say_here(self.dgplay.tr("being made ... Esc stops"))

        def work() -> None:
            worker = get_current_worker()
            try:
                text = self._text_of(kind, here, lambda: worker.is_cancelled)
                made = Exported(kind, here.views, text)
            except Cancelled:
                return
            except GraphError as error:
                made = Exported(kind, here.views, None, str(error))
            if not worker.is_cancelled:
                self.post_message(made)

        in_thread(self, work, "export", "write what is exported")

    def _text_of(self, kind: str, here: Here, cancelled: Callable[[], bool]) -> str | None:
        """Return the text of an export (in a thread)."""
        if kind == "json":
            return json_text(here.views, self.budget, cancelled)
        if kind == "script":
            return script_text(here.views, here.call, self.budget, cancelled)
        picture = self.picture(here)
        if picture is None:
            return None
        return dot_text(picture) if kind == "dot" else order_text(picture)

    def stop_export(self) -> bool:
        """Stop what is being made; return whether there was something."""
        if not self.exporting:
            return False
        self.workers.cancel_group(self, "export")
        self.exporting = False
        self.say_here(self.dgplay.tr("stopped; nothing was written"))
        return True

    def on_exported(self, message: Exported) -> None:
        """Ask where to write what is made."""
        if not self.exporting:
            return
        self.exporting = False
        tr, text = self.dgplay.tr, message.text
        if message.problem or text is None:
            why = said(message.problem, tr) or tr("the arrays are too large to be written out")
            self.say_here(f"! {why}")
            return
        whole = text.rstrip("\n") + "\n"
        name = Path(message.views.run.asked.options.program).stem
        if message.kind == "script":
            name += "_numpy"  # not the name of the program itself
        answer = FileAnswer(
            lambda path: saving.write_atomically(path, whole),
            say=self.say_here, done=self._written, tr=tr,
        )  # fmt: skip
        self.say_here("")
        self.ask(tr("write to"), f"{name}.{ENDINGS[message.kind]}", answer)

    def _written(self, path: Path) -> None:
        self.query_one(Prompt).close()
        self.say_here(self.dgplay.tr("saved to {path}").format(path=path))
