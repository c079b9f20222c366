"""The session: which findings stay true after a change, and what data come with which state."""

from dataclasses import replace

import pytest

from dgplay.core import actions
from dgplay.core.actions import Outcome
from dgplay.core.sequences.analysis import Analysis
from dgplay.core.sequences.checks import Check
from dgplay.core.sequences.dataset import DataOptions
from dgplay.core.sequences.loading import load
from dgplay.core.sequences.strategies import STRATEGIES
from dgplay.core.session import Known, open_session
from dgplay.core.state import Model, Request
from dgplay.core.strategy_rows import run_checks

NAMES = tuple(strategy.name for strategy in STRATEGIES)
FIXED = tuple(name for name in NAMES if name != "bucketed")


def analysis_of(*sources, **options):
    return Analysis(load(DataOptions(sources, **options)))


REFERENCE = analysis_of()
GOOD = Check(0.0, 0, 100, True)


@pytest.fixture
def session():
    opened = open_session(Request(), REFERENCE)
    return opened.found(opened.state, Known(dict.fromkeys(NAMES, GOOD)))


def test_it_opens_where_the_request_says():
    opened = open_session(Request(k=4), REFERENCE)
    assert opened.state.boundaries == (4, 11, 17, 20)
    assert opened.analysis is REFERENCE
    assert opened.unchecked == NAMES


def test_checks_that_were_found_are_known(session):
    assert session.unchecked == ()


def test_a_moved_boundary_unsettles_only_the_strategy_with_buckets(session):
    assert session.act(actions.MoveEnd(-1)).unchecked == ("bucketed",)


def test_another_policy_unsettles_only_the_strategy_with_buckets(session):
    assert session.act(actions.SetPadTo()).unchecked == ("bucketed",)


def test_another_model_unsettles_everything(session):
    assert session.act(actions.SetModel(Model(bias=0.5))).unchecked == NAMES


def test_other_data_unsettle_everything(session):
    other = analysis_of("uniform:1-50")
    assert session.open_data(DataOptions(("uniform:1-50",)), other, Model()).unchecked == NAMES


def test_a_view_unsettles_nothing(session):
    for action in (actions.SelectBucket(3), actions.SetMode(), actions.SetPreset()):
        assert session.act(action).unchecked == ()


def test_an_undo_unsettles_like_any_change(session):
    assert session.act(actions.MoveEnd(-1)).undo().unchecked == ("bucketed",)


def test_findings_for_older_boundaries_leave_newer_ones_alone(session):
    moved = session.act(actions.MoveEnd(-1))
    moved = moved.found(moved.state, Known({"bucketed": GOOD}))
    late = moved.found(session.state, Known({"bucketed": Check(9.0, 1, 1, False)}))
    assert late.checks["bucketed"] == GOOD


def test_findings_for_older_boundaries_count_where_boundaries_do_not_matter():
    opened = open_session(Request(), REFERENCE)
    moved = opened.act(actions.MoveEnd(-1))
    late = moved.found(opened.state, Known(dict.fromkeys(NAMES, GOOD)))
    assert tuple(late.checks) == FIXED


def test_findings_for_an_older_model_are_dropped_and_the_newer_ones_stay(session):
    changed = session.act(actions.SetModel(Model(bias=0.5)))
    changed = changed.found(changed.state, Known({"pad": GOOD}))
    late = changed.found(session.state, Known(dict.fromkeys(NAMES, Check(9.0, 1, 1, False))))
    assert late.checks == {"pad": GOOD}


def test_checks_are_those_of_the_state():
    opened = open_session(Request(), REFERENCE)
    known = Known(run_checks(opened.state, opened.analysis))
    wrong = {name: found.wrong for name, found in opened.found(opened.state, known).checks.items()}
    assert wrong == {**dict.fromkeys(NAMES, 0), "pad": 92, "repeat-last": 92}


def test_an_action_tells_its_outcome(session):
    assert session.act(actions.MoveEnd(-1)).outcome == Outcome("end", 1270, 1259, 1, 4)


def test_undo_and_redo_tell_the_steps(session):
    moved = session.act(actions.MoveEnd(-1))
    assert moved.undo().outcome == Outcome("undo", 1259, 1270)
    assert moved.undo().redo().outcome == Outcome("redo", 1270, 1259)


def test_nothing_to_undo_or_redo_is_said(session):
    assert session.undo().outcome == Outcome("nothing to undo")
    assert session.redo().outcome == Outcome("nothing to redo")


def test_a_held_key_is_one_undo(session):
    held = session.act(actions.MoveEnd(1))
    for _ in range(3):
        held = held.act(actions.MoveEnd(1), held=True)
    assert held.state.boundaries[0] == 9
    assert held.undo().state.boundaries[0] == 5


def test_another_draw_keeps_boundaries_that_still_hold(session):
    moved = session.act(actions.MoveEnd(-1)).act(actions.SelectBucket(2))
    options = DataOptions(seed=1)
    after = moved.open_data(options, analysis_of(seed=1), Model())
    assert (after.state.boundaries, after.state.bucket) == ((4, 10, 15, 20), 2)


def test_another_range_opens_as_from_the_command_line(session):
    chosen = session.act(actions.SelectBucket(4))
    other = analysis_of("uniform:1-50")
    after = chosen.open_data(DataOptions(("uniform:1-50",)), other, Model())
    assert (after.state.boundaries, after.state.bucket) == ((13, 25, 38, 50), 1)
    outcome = after.outcome
    assert (outcome.kind, outcome.steps_before, outcome.text) == ("data", 1270, "uniform:1-50")


def test_real_data_open_in_the_data_preset(session):
    other = analysis_of("multi30k_train_en")
    after = session.open_data(DataOptions(("multi30k_train_en",)), other, Model())
    assert after.state.preset == "data"
    assert after.state.boundaries == other.plan(8, "equal-total")


def test_data_that_were_left_come_back_with_an_undo(session):
    other = analysis_of("uniform:1-50")
    after = session.open_data(DataOptions(("uniform:1-50",)), other, Model())
    assert after.analysis is other
    assert after.undo().analysis is REFERENCE
    assert after.undo().state.boundaries == (5, 10, 15, 20)


def test_the_sequence_looked_at_stays_one_of_the_data_after_an_undo(session):
    thousand = DataOptions(count=1000)
    after = session.open_data(thousand, analysis_of(count=1000), Model())
    far = after.act(actions.LookAt(800)).act(actions.LookAtStep(3))
    back = far.undo()
    assert (back.state.sequence, back.state.step) == (99, None)
    assert back.redo().state == replace(far.state, sequence=99, step=None)
