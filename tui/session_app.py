"""The part of the application that owns the session and runs the long work.

Screens say what a key means; nobody but the app makes the next session. Work that takes time runs
in named, exclusive thread workers and comes back as a message.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass

from textual.app import App
from textual.message import Message
from textual.reactive import var
from textual.timer import Timer
from textual.worker import Worker, WorkerState, get_current_worker

from dgplay.core import tables
from dgplay.core.actions import Action
from dgplay.core.errors import DgplayError
from dgplay.core.one_sequence import trace_all
from dgplay.core.sequences.analysis import Analysis
from dgplay.core.sequences.checks import Baseline
from dgplay.core.sequences.dataset import DataOptions
from dgplay.core.sequences.loading import load
from dgplay.core.sequences.rnn import CancelledError
from dgplay.core.session import Known, Session
from dgplay.core.state import Model, Request, State
from dgplay.core.strategy_rows import run_checks, run_timings

from . import phrases
from .colours import readable
from .i18n import Translate, translator
from .widgets.lab_panes import Look
from .work import in_thread

#: A key that comes again within this time is held down: its changes are one undo.
HELD_SECONDS = 0.12

#: Checks and the autosave wait this long for the next key.
PAUSE_SECONDS = 0.15


@dataclass(frozen=True)
class Wanted:
    """What data are read for: other data for the present state, or a request of its own."""

    options: DataOptions
    model: Model | None = None
    request: Request | None = None


class Found(Message):
    """What a worker has found out about a state; ``problem`` says why it could not."""

    def __init__(self, state: State, known: Known, problem: str = "") -> None:
        super().__init__()
        self.state = state
        self.known = known
        self.problem = problem


class Loaded(Message):
    """Data that was asked for has been read, or could not be (then ``error`` says why)."""

    def __init__(self, request: Wanted, analysis: Analysis | None, error: str = "") -> None:
        super().__init__()
        self.request = request
        self.analysis = analysis
        self.error = error


class SessionApp(App[None]):
    """Holds one session; every change of it is shown, kept, and checked."""

    session: var[Session] = var(None, init=False)  # type: ignore[arg-type]

    def __init__(self, session: Session, clock: Callable[[], float]) -> None:
        # Without colour Textual makes all grey, and the terminal's own colours black on black.
        super().__init__(ansi_color=True if "NO_COLOR" in os.environ else None)
        self.set_reactive(SessionApp.session, session)
        self.clock = clock
        self.leaving = False
        self.notice = ""
        self.problem = ""
        self._last_key = ("", 0.0)
        self._baseline: tuple[object, Baseline] | None = None
        self._one_check = threading.Lock()
        self._pauses: dict[str, Timer] = {}

    def get_css_variables(self) -> dict[str, str]:
        """Return the variables of styles."""
        self.theme_variables = readable(super().get_css_variables(), self.current_theme)
        return self.theme_variables

    # ---- what the screens ask for -------------------------------------------------------

    @property
    def tr(self) -> Translate:
        """The translation into the language of the state."""
        return translator(self.session.state.appearance.lang)

    @property
    def look(self) -> Look:
        """Words and signs to draw with."""
        plain = self.session.state.appearance.ascii
        return Look(self.tr, tables.ASCII if plain else tables.UNICODE, plain)

    def act(self, action: Action, key: str = "") -> None:
        """Apply an action. The same ``key`` within a moment is one that is held down."""
        now = self.clock()
        before, when = self._last_key
        held = bool(key) and key == before and now - when < HELD_SECONDS
        self._last_key = (key, now)
        self.become(self.session.act(action, held=held))

    def undo(self) -> None:
        """Take the last change back."""
        self._last_key = ("", 0.0)
        self.become(self.session.undo())

    def redo(self) -> None:
        """Take the last undo back."""
        self._last_key = ("", 0.0)
        self.become(self.session.redo())

    def say(self, text: str) -> None:
        """Put a notice into the status line until the next change."""
        self.notice = text
        self.show_everywhere()

    def refuse(self, reason: DgplayError | str) -> None:
        """Say why something is not done."""
        self.say(phrases.refusal_text(reason, self.tr))

    def open_data(self, options: DataOptions, model: Model) -> None:
        """Go over to other data, or another draw of them."""
        self._read(Wanted(options, model=model))

    def open_request(self, request: Request) -> None:
        """Go over to the state that a command line asks for."""
        self._read(Wanted(request.state.data, request=request))

    def _read(self, wanted: Wanted) -> None:
        """Read data in a worker, or take them up again where they were read before."""
        known = self.session.analyses.get(wanted.options)
        if known is not None:
            self.on_loaded(Loaded(wanted, known))
            return
        self.say(self.tr("reading ..."))
        in_thread(self, lambda: self._load(wanted), "load", "read data")

    # ---- sessions -----------------------------------------------------------------------

    def become(self, session: Session) -> None:
        """Go over to another session: show it, keep it, find out what is not known yet."""
        changed = session.state != self.session.state
        self.notice = ""
        self.session = session
        if changed:
            self.problem = ""
            self.after_pause("save", self.autosave)
        if session.unchecked or session.untimed:
            self.after_pause("checks", self.start_checks)
        if session.known.traces is None:
            self.after_pause("traces", self.start_traces)

    def watch_session(self) -> None:
        """Show a new session."""
        self.show_everywhere()

    def show_everywhere(self) -> None:
        """Let every open screen draw the session."""
        for screen in self.screen_stack:
            show = getattr(screen, "show_session", None)
            if show is not None:
                show()

    def after_pause(self, name: str, work: Callable[[], None]) -> None:
        """Do ``work`` once no key has asked for it for a moment."""
        waiting = self._pauses.pop(name, None)
        if waiting is not None:
            waiting.stop()
        self._pauses[name] = self.set_timer(PAUSE_SECONDS, work, name=name)

    # ---- workers ------------------------------------------------------------------------

    def start_checks(self) -> None:
        """Run the strategies that are not checked yet."""
        in_thread(self, self._check, "checks", "run the strategies")

    def _check(self) -> None:
        """Run and time what is not known yet, strategy by strategy (in a thread)."""
        worker = get_current_worker()
        session = self.session
        state, analysis = session.state, session.analysis

        def cancelled() -> bool:
            return worker.is_cancelled

        try:
            with self._one_check:  # a cancelled run may still be on its way out
                baseline = self._baseline_of(state, analysis)
                for name in session.unchecked:
                    checks = run_checks(
                        state, analysis, names=(name,), baseline=baseline, cancelled=cancelled
                    )
                    self._post_found(Found(state, Known(checks=checks)))
                for name in session.untimed:
                    timings = run_timings(
                        state, analysis, names=(name,), baseline=baseline, cancelled=cancelled
                    )
                    self._post_found(Found(state, Known(timings=timings)))
        except CancelledError:
            return
        except DgplayError as error:
            self._post_found(Found(state, Known(), str(error)))

    def _baseline_of(self, state: State, analysis: Analysis) -> Baseline:
        """Return the eager runs of this data and model, begun anew where there are others."""
        key = (analysis, state.model_options)
        if self._baseline is None or self._baseline[0] != key:
            self._baseline = (key, Baseline(analysis.dataset, state.model_options))
        return self._baseline[1]

    def start_traces(self) -> None:
        """Trace the sequence that is looked at."""
        in_thread(self, self._trace, "traces", "trace one sequence")

    def _trace(self) -> None:
        """Run the chosen sequence under every strategy (in a thread)."""
        session = self.session
        state = session.state
        try:
            known = Known(traces=trace_all(state, session.analysis))
        except DgplayError as error:
            self._post_found(Found(state, Known(), str(error)))
            return
        self._post_found(Found(state, known))

    def _post_found(self, message: Found) -> None:
        if not get_current_worker().is_cancelled:
            self.post_message(message)

    def _load(self, wanted: Wanted) -> None:
        """Read data and solve their frontier (in a thread)."""
        worker = get_current_worker()

        def progress(rows: int) -> None:
            if worker.is_cancelled:
                raise CancelledError
            self.call_from_thread(self.say, self.tr("reading, {rows} rows").format(rows=rows))

        try:
            analysis = Analysis(load(wanted.options, progress=progress))
            analysis.optimum(1)
        except CancelledError:
            return
        except DgplayError as error:
            if not worker.is_cancelled:
                self.post_message(Loaded(wanted, None, str(error)))
            return
        if not worker.is_cancelled:
            self.post_message(Loaded(wanted, analysis))

    def on_found(self, message: Found) -> None:
        """Take over what was found out, unless the screens are being taken down."""
        if self.leaving:
            return
        if message.problem and message.state == self.session.state:
            self.problem = message.problem
            self.show_everywhere()
        self.session = self.session.found(message.state, message.known)

    def on_loaded(self, message: Loaded) -> None:
        """Go over to data that were read, or say why they cannot be."""
        if self.leaving:
            return
        if message.analysis is None:
            self.refuse(message.error)
            return
        wanted, session = message.request, self.session
        try:
            if wanted.request is not None:
                session = session.open_request(wanted.request, message.analysis)
            else:
                model = wanted.model or session.state.model
                session = session.open_data(wanted.options, message.analysis, model)
        except DgplayError as error:
            self.refuse(error)
            return
        self.become(session)
        if wanted.request is not None:
            self.opened_request()

    def opened_request(self) -> None:
        """Hook: the state that a command line asked for is on the screen."""

    def autosave(self) -> None:
        """Hook: the state has changed and no key has come since."""

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """A worker that failed is a defect: leave with its traceback, not with stale numbers."""
        if event.state is WorkerState.ERROR and event.worker.error is not None:
            raise event.worker.error
