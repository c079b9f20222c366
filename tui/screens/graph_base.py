"""What every part of the Graph screen shares: its session, the worker that runs, the state.

Keys become actions of ``core/graph_view/session.py``. A run is done in a named, exclusive thread
that Esc cancels; until it is over, and if it fails, what was there before stays.
"""

from __future__ import annotations

from typing import ClassVar

from textual.message import Message
from textual.worker import get_current_worker

from dgplay.core.actions import SetGraph
from dgplay.core.graph.lang_budget import DEFAULT_BUDGET
from dgplay.core.graph.lang_refusal import Cancelled, Refusal
from dgplay.core.graph_view import running
from dgplay.core.graph_view.lockstep import Views
from dgplay.core.graph_view.options import GraphOptions
from dgplay.core.graph_view.running import Asked
from dgplay.core.graph_view.session import Action, Ask, GoTo, GraphSession, Ran, Stopped, reduce

from ..commands import Command
from ..footer import RUN
from ..graph_commands import GRAPH_COMMANDS, GRAPH_SHARED
from ..phrases import refusal_words, said
from ..work import garbage_waits, in_thread
from .shell import Shell

PROGRAM, COLUMNS, TIMELINE, DETAIL = "g-program", "g-modes", "g-timeline", "g-detail"

#: The panes of the lockstep view and of every other, in the order in which Tab goes.
LOCKSTEP_PANES = (COLUMNS, TIMELINE, PROGRAM)
DETAIL_PANES = (DETAIL, PROGRAM)


class RunDone(Message):
    """A worker has run what was asked for."""

    def __init__(self, views: Views) -> None:
        super().__init__()
        self.views = views


class RunStopped(Message):
    """A run was cancelled."""


class GraphBase(Shell):
    """The part that draws nothing: it holds the session and runs programs."""

    OWN: ClassVar[tuple[Command, ...]] = (*GRAPH_COMMANDS, *GRAPH_SHARED)

    INSTEAD = "dgplay graph"
    WHILE_TYPING = RUN

    #: Budgets of a program; tests take smaller ones.
    budget = DEFAULT_BUDGET

    def __init__(self) -> None:
        super().__init__("graph", COLUMNS)
        self.zoomed = False
        self.notice = ""
        self.graph_session: GraphSession | None = None
        self.running: Asked | None = None
        self.scroll_back = 0
        self.guess: str | None = None

    @property
    def now(self) -> GraphSession:
        """The present session, made from the state when first asked for."""
        if self.graph_session is None:
            state = self.state
            asked = Asked(state.graph, None, state.data.seed)
            step = None if state.step is None else state.step - 1
            self.graph_session = GraphSession(asked, mode=state.mode, wanted=step)
        return self.graph_session

    def say_here(self, text: str) -> None:
        """Put a notice into the status line until the next key."""
        self.notice = text
        self.show_session()

    # ---- actions ------------------------------------------------------------------------

    def do(self, action: Action, key: str = "") -> None:
        """Apply an action, run what it asks for, tell the state, draw."""
        self.notice = ""
        self.scroll_back = 0
        self.graph_session = reduce(self.now, action)
        self.start_run()
        self.tell_state(key)

    def tell_state(self, key: str = "") -> None:
        """Bring options and cursor into the state of the app, which draws; draw else."""
        now, state = self.now, self.state
        step = now.cursor + 1 if now.cursor else None
        if now.wanted is not None and now.views is None:
            step = state.step
        if (now.asked.options, step) != (state.graph, state.step) and state.screen == "graph":
            self.dgplay.act(SetGraph(now.asked.options, step), key)
        else:
            self.show_session()

    def ask_for(self, options: GraphOptions, *, to_last_call: bool = False) -> None:
        """Run with other options; an edited text stays."""
        self.do(Ask(options, self.now.asked.text, to_last_call=to_last_call))

    def follow_state(self) -> None:
        """Take over what the state asks for where that is something else: undo, a lesson."""
        state, now = self.state, self.now
        if state.screen != "graph":
            return
        if state.graph != now.asked.options or state.data.seed != now.asked.seed:
            text = now.asked.text if state.graph.program == now.asked.options.program else None
            self.graph_session = reduce(now, Ask(state.graph, text, state.data.seed))

    # ---- running ------------------------------------------------------------------------

    def start_run(self) -> None:
        """Run what is asked for, unless that is shown or under way."""
        asked = self.now.asked
        under_way = self.running is not None and self.running.key == asked.key
        if not self.now.stale or under_way or not self.is_mounted:
            return
        self.running = asked
        self.stop_times()
        in_thread(self, lambda: self._run(asked), "graph", "run the program in every mode")

    def _run(self, asked: Asked) -> None:
        """Run and fold (in a thread)."""
        worker = get_current_worker()
        try:
            with garbage_waits():
                run = running.run(asked, self.budget, lambda: worker.is_cancelled)
                views = Views(run)
                for view in views.calls:
                    view.prepare()
        except Cancelled:
            self.post_message(RunStopped())
            return
        if not worker.is_cancelled:
            self.post_message(RunDone(views))

    def on_run_done(self, message: RunDone) -> None:
        """Show a run that is there."""
        self.running = None
        before = self.now.views
        self.graph_session = reduce(self.now, Ran(message.views))
        self.after_run(before)
        self.tell_state()

    def stop_times(self) -> None:
        """Stop measuring; a screen that measures says how."""

    def after_run(self, before: Views | None) -> None:
        """Do what was waiting for the run; a screen with predictions says what."""

    def on_run_stopped(self, message: RunStopped) -> None:
        """Say that a run was stopped, unless another one is under way."""
        if self.running is None:
            self.show_session()

    def stop_run(self) -> bool:
        """Cancel the run that is under way; return whether there was one."""
        if self.running is None:
            return False
        self.workers.cancel_group(self, "graph")
        self.running = None
        self.graph_session = reduce(self.now, Stopped())
        self.tell_state()
        self.notice = self.dgplay.tr("stopped; what was there before is shown")
        self.show_session()
        return True

    def at_cursor(self, cursor: int) -> GraphSession:
        """Return the session with the cursor elsewhere."""
        return reduce(self.now, GoTo(cursor))

    def problem_text(self, refusal: Refusal) -> str:
        """Return a refusal in one line: what, what to try instead, why."""
        tr = self.dgplay.tr
        text = tr("{what}. Instead: {hint}. Why: {why}").format_map(refusal_words(refusal, tr))
        if refusal.place.line:
            return tr("{place}: {text}").format(place=said(str(refusal.place), tr), text=text)
        return text
