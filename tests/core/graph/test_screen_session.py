"""The reducer of the Graph screen: cursor, views, undo, and results that come too late."""

from __future__ import annotations

from dataclasses import replace

from dgplay.core.graph_view.lockstep import Views
from dgplay.core.graph_view.options import GraphOptions
from dgplay.core.graph_view.running import Asked, run
from dgplay.core.graph_view.session import (
    Ask,
    Fold,
    GoTo,
    GraphSession,
    NextMode,
    Ran,
    SelectRow,
    SetView,
    Step,
    ToCall,
    ToEntry,
    ToKind,
    ToLine,
    Undo,
    reduce,
)


def ran(session: GraphSession) -> GraphSession:
    return reduce(session, Ran(Views(run(session.asked))))


def opened(program: str, *calls: str) -> GraphSession:
    return ran(GraphSession(Asked(GraphOptions(program=program, calls=calls))))


def test_the_cursor_is_clamped_and_finds_lines_breaks_and_calls() -> None:
    now = opened("dynamic_block", "", "")
    assert reduce(now, Step(-1)).cursor == 0
    assert reduce(now, GoTo(10**9)).cursor == now.views.last
    assert reduce(now, ToLine(7)).cursor == 3
    assert reduce(now, ToLine(9)).cursor == 0
    at_break = reduce(now, ToEntry(("break",)))
    assert at_break.cursor == 2
    assert reduce(at_break, ToEntry(("break",), -1)).cursor == 2
    backward = reduce(now, ToKind("backward"))
    assert now.views.stop(backward.cursor).kind == "backward"
    second = reduce(now, ToCall(1))
    assert now.views.at(second.cursor) == (1, 0)
    assert reduce(reduce(second, Step(3)), ToCall(-1)).cursor == second.cursor
    assert reduce(second, ToCall(-1)).cursor == 0


def test_nothing_moves_before_there_is_a_run() -> None:
    now = GraphSession(Asked())
    assert now.stale
    for action in (Step(1), GoTo(3), ToLine(1), ToKind("run"), ToCall(1), ToEntry(("break",))):
        assert reduce(now, action) is now


def test_asking_runs_anew_and_undo_asks_for_what_was() -> None:
    now = reduce(opened("affine"), GoTo(4))
    other = reduce(now, Ask(replace(now.asked.options, passes=())))
    assert other.stale
    assert other.views is now.views
    done = ran(other)
    assert not done.stale
    assert done.cursor == 4
    back = ran(reduce(done, Undo()))
    assert back.asked.options == now.asked.options
    assert ran(reduce(back, Undo(redo=True))).asked.options.passes == ()
    assert reduce(now, Undo()) is now
    assert reduce(now, Ask(now.asked.options)) is now


def test_another_program_begins_at_the_start_and_a_call_at_its_own() -> None:
    now = reduce(opened("affine"), GoTo(4))
    assert ran(reduce(now, Ask(GraphOptions(program="fold")))).cursor == 0
    options = replace(now.asked.options, calls=("", "a=5"))
    called = ran(reduce(now, Ask(options, to_last_call=True)))
    assert called.views.at(called.cursor) == (1, 0)


def test_a_run_that_fails_keeps_the_last_good_one_and_a_late_one_is_dropped() -> None:
    now = opened("affine")
    broken = reduce(now, Ask(now.asked.options, "def f(x)\n"))
    failed = ran(broken)
    assert failed.problem is not None
    assert failed.views is now.views
    assert not failed.stale
    late = Views(run(now.asked))
    assert reduce(broken, Ran(late)) is broken
    mended = ran(reduce(failed, Ask(now.asked.options, "def f(x=1):\n    return x\n")))
    assert mended.problem is None


def test_views_rows_and_folding() -> None:
    now = reduce(opened("affine"), SetView("nodes"))
    now = reduce(now, SelectRow(3))
    assert (now.view, now.row) == ("nodes", 3)
    assert reduce(now, Fold()).row == 0
    assert not reduce(now, Fold()).folded
    following = reduce(now, NextMode())
    assert (following.mode, following.picture, following.row) == ("static", 1, 0)
    assert reduce(now, SelectRow(-5)).row == 0
    assert reduce(now, SetView("passes")).row == 0


def test_a_cursor_that_is_asked_for_waits_for_the_run() -> None:
    now = ran(GraphSession(Asked(), wanted=3))
    assert now.cursor == 3
    assert ran(GraphSession(Asked(), wanted=10**6)).cursor == now.views.last
