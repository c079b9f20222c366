"""Measured time on the Graph screen: taken after a run, in a thread of its own, when asked for."""

from __future__ import annotations

from collections.abc import Mapping

from textual.message import Message
from textual.worker import get_current_worker

from dgplay.core.actions import SetTime
from dgplay.core.graph.lang_refusal import Cancelled
from dgplay.core.graph_view.lockstep import Views
from dgplay.core.graph_view.timing import Measured, measure

from ..work import in_thread
from .graph_base import GraphBase


class TimesTaken(Message):
    """A worker has measured what is shown."""

    def __init__(self, views: Views, times: tuple[Mapping[str, Measured], ...]) -> None:
        super().__init__()
        self.views = views
        self.times = times


class GraphTimes(GraphBase):
    """Measures what is shown, once, while time is asked for."""

    def __init__(self) -> None:
        super().__init__()
        self._times: tuple[Views, tuple[Mapping[str, Measured], ...]] | None = None
        self._timing: Views | None = None

    def times(self, call: int) -> Mapping[str, Measured] | None:
        """Return the measured times of a call by mode, None until they are there."""
        if self._times is None or self._times[0] is not self.now.views:
            return None
        return self._times[1][call]

    def take_times(self) -> None:
        """Begin to measure what is shown, unless that is done or under way."""
        views = self.now.views
        if not self.state.time or views is None or self.running is not None:
            return
        if self._timing is views or (self._times is not None and self._times[0] is views):
            return
        self._timing = views

        def work() -> None:
            worker = get_current_worker()
            try:
                found = measure(views.run, self.budget, lambda: worker.is_cancelled)
            except Cancelled:
                return
            if not worker.is_cancelled:
                self.post_message(TimesTaken(views, found))

        in_thread(self, work, "time", "run the calls again, unwatched")

    def stop_times(self) -> None:
        """Stop measuring; another run comes."""
        if self._timing is not None:
            self.workers.cancel_group(self, "time")
            self._timing = None

    def on_times_taken(self, message: TimesTaken) -> None:
        """Show measured times."""
        if self._timing is message.views:
            self._timing = None
        self._times = (message.views, message.times)
        self.show_session()

    def action_time(self) -> None:
        """Show measured time, or hide it."""
        self.dgplay.act(SetTime(not self.state.time))
        if self.state.time:
            self.say_here(
                self.dgplay.tr(
                    "a whole call, unwatched: the shortest of 5; first: it also draws and compiles"
                )
            )
