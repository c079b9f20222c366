"""Working out a plan in threads: the frontier at once, batches after a moment without a key."""

from __future__ import annotations

import threading

from textual.message import Message
from textual.worker import get_current_worker

from dgplay.core.errors import DgplayError
from dgplay.core.plan_view import (
    Batched,
    Planned,
    PlanView,
    batch_for,
    batch_key,
    plan_for,
    plan_key,
)
from dgplay.core.sequences.rnn import CancelledError
from dgplay.core.session import Session

from ..phrases import refusal_text
from ..widgets.plan_panes import FRONTIER
from ..work import in_thread
from .shell import Shell


class Solved(Message):
    """A frontier or batches that a worker has found, or why it could not."""

    def __init__(
        self, key: tuple[object, ...], found: Planned | Batched | None, error: str = ""
    ) -> None:
        super().__init__()
        self.key = key
        self.found = found
        self.error = error


class PlanWork(Shell):
    """Keeps what is known of the plan of the app's session, and has the rest worked out."""

    def __init__(self) -> None:
        super().__init__("plan", FRONTIER)
        self.problem = ""
        self._planned: Planned | None = None
        self._batched: Batched | None = None
        self._asked: tuple[object, ...] | None = None
        self._batching: tuple[object, ...] | None = None
        self._refused: tuple[object, ...] | None = None
        self._one_at_a_time = threading.Lock()

    @property
    def view(self) -> PlanView:
        """The session with what is known of its plan."""
        session, state = self.dgplay.session, self.state
        planned, batched = self._planned, self._batched
        if planned is not None and planned.key != plan_key(state):
            planned = None
        if planned is None or (batched is not None and batched.key != batch_key(state)):
            batched = None
        return PlanView(session, planned, batched)

    @property
    def refusal(self) -> str:
        """Why there is no plan of the present state; empty where nothing was refused."""
        refused = self._refused == plan_key(self.state)
        return refusal_text(self.problem, self.dgplay.tr) if refused else ""

    def find_out(self, view: PlanView) -> None:
        """Ask for the frontier at once, and for batches once no key has come for a moment."""
        key = plan_key(self.state)
        if view.planned is None:
            if key not in (self._asked, self._refused):
                self._asked = key
                in_thread(self, lambda: self._solve(view.session), "plan", "solve the frontier")
            return
        wanted = self.state.planning.rule is not None or view.comparison is None
        if wanted and view.batched is None and self._batching != batch_key(self.state):
            self.dgplay.after_pause("plan-batches", self._start_batches)

    def _start_batches(self) -> None:
        view = self.view
        planned = view.planned
        session, key = view.session, batch_key(self.state)
        if planned is None or view.batched is not None or key == self._batching:
            return
        self._batching = key
        in_thread(
            self, lambda: self._make_batches(session, planned), "plan-batches", "make batches"
        )

    def _solve(self, session: Session) -> None:
        """Solve the frontier (in a thread)."""
        key = plan_key(session.state)
        try:
            answer = Solved(key, plan_for(session.state, session.analysis))
        except DgplayError as error:
            answer = Solved(key, None, str(error))
        if not get_current_worker().is_cancelled:
            self.post_message(answer)

    def _make_batches(self, session: Session, planned: Planned) -> None:
        """Make batches and score every method in them (in a thread)."""
        worker = get_current_worker()
        key = batch_key(session.state)

        def cancelled() -> bool:
            return worker.is_cancelled

        try:
            with self._one_at_a_time:  # a cancelled run may still be on its way out
                found = batch_for(session.state, session.analysis, planned, cancelled)
            answer = Solved(key, found)
        except CancelledError:
            return
        except DgplayError as error:
            answer = Solved(key, None, str(error))
        if not worker.is_cancelled:
            self.post_message(answer)

    def on_solved(self, message: Solved) -> None:
        """Take over what was found, where it is still wanted."""
        if message.key == self._batching:
            self._batching = None
        if isinstance(message.found, Planned):
            self._planned, self._asked, self._refused = message.found, None, None
        elif isinstance(message.found, Batched):
            self._batched = message.found
        else:
            self.problem = message.error
            self._refused, self._asked = message.key, None
            self.dgplay.refuse(message.error)
        self.show_session()
