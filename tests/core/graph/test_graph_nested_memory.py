"""What the subgraphs of cond and while_loop allocate is let go again when they end."""

from __future__ import annotations

import pytest

from dgplay.core.graph.events import Alloc, Free, RunEnded
from dgplay.core.graph_view.lockstep import Views
from dgplay.core.graph_view.options import GraphOptions
from dgplay.core.graph_view.predicting import next_question
from dgplay.core.graph_view.running import Asked, run


@pytest.mark.parametrize("program", ["static_block", "rnn_while"])
@pytest.mark.parametrize("mode", ["eager", "static", "capture"])
def test_a_subgraph_lets_go_all_that_it_allocated(program: str, mode: str) -> None:
    log = run(Asked(GraphOptions(program=program))).calls[0].logs[mode]
    held = 0
    for event in log.events:
        if isinstance(event, Alloc) and event.scope:
            held += event.nbytes
        elif isinstance(event, Free) and event.scope:
            held -= event.nbytes
    assert any(isinstance(event, Alloc) and event.scope for event in log.events)
    assert held == 0


def test_the_bytes_shown_beside_eager_stay_below_its_peak() -> None:
    views = Views(run(Asked(GraphOptions(program="static_block"))))
    view = views.calls[0]
    (peak,) = {e.peak_bytes for e in view.tracks["eager"].events if isinstance(e, RunEnded)}
    assert 0 < max(now.nbytes for now in view.tracks["eager"].counters) <= peak


def test_no_question_is_about_a_value_of_one_trip_of_a_loop() -> None:
    views = Views(run(Asked(GraphOptions(program="static_block"))))
    asked = [next_question(views, cursor) for cursor in range(views.total)]
    cards = {question.card for question in asked if question is not None}
    assert "graph-launches" in cards
    assert not [q for q in asked if q and q.card == "graph-value" and q.line == 7]
