"""What views are drawn from: made once for a run, and of a large run in a thread."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
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


@dataclass(frozen=True, eq=False)
class Here:
    """Where the cursor is: a call of a run and a stop in it; and what was made for that run.

    A thread that works for one run goes on with its own, whatever the screen shows meanwhile.
    """

    views: Views
    call: int
    view: CallView
    stop: int
    made: dict[object, Any]

    def kept(self, key: object, make: Callable[[], Any]) -> Any:
        """Return what was made for this run before, else make it and keep it."""
        if key not in self.made:
            self.made[key] = make()
        return self.made[key]

    @property
    def large(self) -> bool:
        """Whether views of the call take longer to make than a key may."""
        return sum(len(log.events) for log in self.view.call.logs.values()) > LARGE


class GraphKept(GraphTimes):
    """Keeps what was made for a run until another one comes."""

    def __init__(self) -> None:
        super().__init__()
        self._store: tuple[Views | None, dict[object, Any]] = (None, {})
        self._making: tuple[Views, object] | None = None

    @property
    def place(self) -> Here | None:
        """Where the cursor is; None without a run."""
        views = self.now.views
        if views is None or not views.total:
            return None
        if self._store[0] is not views:
            self._store = (views, {})
        call, stop = views.at(self.now.cursor)
        return Here(views, call, views.calls[call], stop, self._store[1])

    def ready(self, here: Here, key: object, make: Callable[[], object]) -> bool:
        """Return whether the view ``key`` can be drawn now; ``make`` makes and keeps what it needs.

        For a large run that is done in a thread, after which the screen is drawn again.
        """
        views = here.views
        if not here.large or ("ready", key) in here.made:
            return True
        if self._making != (views, key):
            self._making = (views, key)

            def work() -> None:
                make()
                here.made["ready", key] = True
                self.post_message(Made(views, key))

            in_thread(self, work, "view", "make what a view is drawn from")
        return False

    def on_made(self, message: Made) -> None:
        """Draw what is made now."""
        if self._making == (message.views, message.key):
            self._making = None
        if message.views is self.now.views:
            self.show_session()
