"""Strategies that run on the graph engine: while-loop, capture and capture-symbolic.

Here nothing is imitated: one static graph with a ``while_loop`` is drawn and run for each trip
count, and a Python loop over the steps is captured behind guards, recompiled for new lengths and
given up on at the limit. An op costs the engine some microseconds, so that these strategies are
run on fewer sequences than the others (``MOST_LOOP_STEPS``, ``MOST_CAPTURED_STEPS``); compiling
is part of the run. The engine is imported when it is first needed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from .generators import Floats
from .rnn import CancelledError
from .strategy_counts import RECOMPILE_LIMIT
from .strategy_runs import Job

if TYPE_CHECKING:
    from ..graph.ir import Graph

#: Cell steps that a check may run on the engine: some tenths of a second each.
MOST_LOOP_STEPS = 6_000
MOST_CAPTURED_STEPS = 1_250

#: Unrolled when it is captured: a graph for each number of rows of ``x``.
LOOP_SOURCE = """
def rnn(x, wx, wh, bias, h):
    for row in x:
        h = tanh(h @ wh + (row @ wx + bias))
    return h
"""

#: Captured as one loop, whose number of trips may become symbolic.
SYMBOLIC_SOURCE = """
def rnn(x, wx, wh, bias, h):
    steps = len(x)

    def step(t, h):
        return t + 1, tanh(h @ wh + (x[t] @ wx + bias))

    t, h = while_loop(lambda t, h: t < steps, step, 0, h)
    return h
"""


def run_while_loop(job: Job) -> Floats:
    """Each sequence alone through one static graph, fed where it begins and where it ends."""
    from ..graph.runtime import Session

    session = Session(while_graph(job))
    job.tally.graphs += 1
    states = np.empty((len(job.batch.lengths), job.rnn.hidden))
    for row, (start, length) in enumerate(_spans(job)):
        feed = {"x": job.batch.x, "begin": np.array(start), "end": np.array(start + length)}
        (states[row],) = session.run(feed)
        job.tally.launched(1, length)
    return states


def while_graph(job: Job) -> Graph:
    """Draw h after the steps ``begin`` up to but without ``end`` of the inputs ``x``."""
    from ..graph.passes import DEFAULT, optimize
    from ..graph.static import GraphBuilder

    rnn, b = job.rnn, GraphBuilder()
    x = b.placeholder("x", job.batch.x.shape)
    begin, end = (b.placeholder(name, (), np.dtype(np.int64)) for name in ("begin", "end"))
    wx, wh, bias = b.const(rnn.wx), b.const(rnn.wh), b.const(np.full(rnn.hidden, rnn.bias))

    def step(b: Any, t: Any, h: Any) -> tuple[Any, Any]:
        return t + 1, (h @ wh + (x[t] @ wx + bias)).tanh()

    _, h = b.while_loop(lambda b, t, h: t < end, step, begin, np.zeros(rnn.hidden))
    graph, _ = optimize(b.finish(h), DEFAULT)
    return graph


def run_capture(job: Job) -> Floats:
    """Each sequence alone through a captured Python loop: a graph for each length, then eager."""
    return _captured(job, LOOP_SOURCE)


def run_capture_symbolic(job: Job) -> Floats:
    """Each sequence alone through a captured while_loop: the second length makes it symbolic."""
    return _captured(job, SYMBOLIC_SOURCE)


def _captured(job: Job, source: str) -> Floats:
    from ..graph.capture import Capture
    from ..graph.lang import load
    from ..graph.lang_refusal import Cancelled

    rnn = job.rnn
    capture = Capture(load(source, "rnn"), limit=RECOMPILE_LIMIT, cancelled=job.cancelled)
    given = {"wx": rnn.wx, "wh": rnn.wh, "bias": np.full(rnn.hidden, rnn.bias)}
    states = np.empty((len(job.batch.lengths), rnn.hidden))
    for row, (start, length) in enumerate(_spans(job)):
        x = job.batch.x[start : start + length]
        try:
            states[row] = capture.call({"x": x, **given, "h": np.zeros(rnn.hidden)}).outputs
        except Cancelled:
            raise CancelledError from None
        job.tally.launched(1, length)
    job.tally.graphs += capture.compiles
    return states


def _spans(job: Job) -> Iterator[tuple[int, int]]:
    """Yield where each sequence begins in the buffer and how long it is; CancelledError."""
    for start, length in zip(job.batch.starts.tolist(), job.batch.lengths.tolist(), strict=True):
        if job.cancelled():
            raise CancelledError
        yield start, length
