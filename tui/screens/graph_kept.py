"""What views are drawn from: made once for a run, and of a large run in a thread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from textual.message import Message

from dgplay.core.graph_view.lockstep import CallView, Views

from ..work import in_thread
from .graph_time import GraphTimes

#: A call with more events than this has its views made in a thread.
LARGE = 10_000


class Made(Message):
    """What a view is drawn from is there."""

    def __init__(self, views: Views, key: object) -> None:
        super().__init__()
        self.views = views
        self.key = key


class GraphKept(GraphTimes):
    """Keeps what was made for a run until another one comes."""

    def __init__(self) -> None:
        super().__init__()
        self._kept: dict[Any, Any] = {}
        self._kept_of: Views | None = None
        self._making: tuple[Views, object] | None = None

    @property
    def place(self) -> tuple[Views, int, CallView, int] | None:
        """The run, the call, its view and the stop at the cursor; None without a run."""
        views = self.now.views
        if views is None or not views.total:
            return None
        call, stop = views.at(self.now.cursor)
        return views, call, views.calls[call], stop

    def kept(self, key: object, make: Callable[[], Any]) -> Any:
        """Return what was made for this run before, else make it and keep it."""
        if self._kept_of is not self.now.views:
            self._kept, self._kept_of = {}, self.now.views
        mine = self._kept  # another run begins another dictionary
        if key not in mine:
            mine[key] = make()
        return mine[key]

    def ready(self, key: object, make: Callable[[], object]) -> bool:
        """Return whether the view ``key`` can be drawn now; ``make`` makes and keeps what it needs.

        For a large run that is done in a thread, after which the screen is drawn again.
        """
        place = self.place
        if place is None:
            return True
        views, _, view, _ = place
        if sum(len(log.events) for log in view.call.logs.values()) <= LARGE:
            return True
        done = ("ready", key)
        if self._kept_of is views and done in self._kept:
            return True
        if self._making != (views, key):
            self._making = (views, key)

            def work() -> None:
                make()
                self.post_message(Made(views, key))

            in_thread(self, work, "view", "make what a view is drawn from")
        return False

    def on_made(self, message: Made) -> None:
        """Draw what is made now."""
        if self._making == (message.views, message.key):
            self._making = None
        if message.views is self.now.views:
            self.kept(("ready", message.key), lambda: True)
            self.show_session()
