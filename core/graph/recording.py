"""Owns the switch that says whether eager operations are recorded on the tape."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from .build import CAREFUL


class _State(threading.local):
    """Whether this thread records a tape."""

    recording = True


STATE = _State()


@contextmanager
def no_grad() -> Iterator[None]:
    """Switch recording off in this thread, and back as it was on the way out."""
    before = STATE.recording
    STATE.recording = False
    CAREFUL[0] += 1
    try:
        yield
    finally:
        CAREFUL[0] -= 1
        STATE.recording = before
