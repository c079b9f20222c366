"""Actions: a pure function from a state to the next one, with the change in steps."""

from dataclasses import replace

import pytest

from dgplay.core import actions
from dgplay.core.actions import Outcome, reduce
from dgplay.core.errors import DgplayError
from dgplay.core.sequences.analysis import Analysis
from dgplay.core.sequences.dataset import Dataset
from dgplay.core.sequences.generators import generate
from dgplay.core.sequences.histogram import Histogram
from dgplay.core.sequences.planners import METHODS
from dgplay.core.state import Appearance, Model, State

REFERENCE = Analysis(generate("uniform:1-20", 100, 0))
FOUR = State()


def done(action, state=FOUR, analysis=REFERENCE):
    return reduce(state, action, analysis)


def refusal(action, state=FOUR):
    after, outcome = done(action, state)
    assert after is state
    assert outcome.kind == "refused"
    return outcome.text


def test_moving_an_end_tells_the_steps_before_and_after():
    state, outcome = done(actions.MoveEnd(-1))
    assert state.boundaries == (4, 10, 15, 20)
    assert outcome == Outcome("end", 1270, 1259, bucket=1, length=4)


def test_four_moves_lead_from_1270_to_the_optimum():
    # DESIGN section 4: 5→4 1259, 15→16 1258, 10→11 1257, 16→17 1256.
    state, seen = FOUR, []
    for bucket, direction in ((1, -1), (3, 1), (2, 1), (3, 1)):
        state, _ = done(actions.SelectBucket(bucket), state)
        state, outcome = done(actions.MoveEnd(direction), state)
        seen.append(outcome.steps_after)
    assert seen == [1259, 1258, 1257, 1256]
    assert state.boundaries == (4, 11, 17, 20)


def test_a_move_that_has_no_room_is_clamped_and_changes_nothing():
    tight = replace(FOUR, boundaries=(5, 6, 15, 20))
    assert done(actions.MoveEnd(1), tight) == (tight, Outcome("clamped", bucket=1, length=5))


@pytest.mark.parametrize(("asked", "given"), [(-3, 1), (0, 1), (3, 3), (4, 4), (99, 4)])
def test_the_active_bucket_is_clamped_to_those_there_are(asked, given):
    assert done(actions.SelectBucket(asked)) == (replace(FOUR, bucket=given), Outcome())


def test_placing_an_end_makes_its_bucket_active():
    state, outcome = done(actions.PlaceEnd(3, 17))
    assert (state.boundaries, state.bucket) == ((5, 10, 17, 20), 3)
    assert (outcome.kind, outcome.bucket, outcome.length) == ("end", 3, 17)


@pytest.mark.parametrize("bucket", [0, 5, -1])
def test_placing_the_end_of_no_bucket_is_refused(bucket):
    assert refusal(actions.PlaceEnd(bucket, 3)) == f"there is no bucket {bucket} of 4"


def test_a_typed_length_is_a_move():
    assert done(actions.TypeEdit("4"))[1] == Outcome("end", 1270, 1259, bucket=1, length=4)


def test_a_typed_list_sets_all_boundaries():
    state, outcome = done(actions.TypeEdit("4,11,17,20"))
    assert state.boundaries == (4, 11, 17, 20)
    assert outcome == Outcome("boundaries", 1270, 1256)


def test_a_typed_line_that_cannot_be_read_is_refused_with_its_reason():
    assert refusal(actions.TypeEdit("x")) == "'x' is not a length; type 17, +3, 5,10,15,20 or k=8"


def test_fewer_boundaries_leave_the_active_bucket_on_the_last_one():
    state, _ = done(actions.TypeEdit("10,20"), replace(FOUR, bucket=4))
    assert state.bucket == 2


def test_adding_a_boundary_goes_to_the_new_bucket():
    state, outcome = done(actions.AddBoundary(), replace(FOUR, boundaries=(20,)))
    assert (state.boundaries, state.bucket) == ((11, 20), 1)
    assert outcome == Outcome("add", 2000, 1496, length=11)


def test_adding_is_refused_where_every_length_has_its_bucket():
    every = replace(FOUR, boundaries=tuple(range(1, 21)))
    assert refusal(actions.AddBoundary(), every) == "no further boundary saves a step"


def test_deleting_joins_with_the_bucket_above():
    state, outcome = done(actions.DeleteBoundary(), replace(FOUR, bucket=2))
    assert (state.boundaries, state.bucket) == ((5, 15, 20), 2)
    assert (outcome.kind, outcome.bucket, outcome.steps_before) == ("delete", 2, 1270)


def test_the_only_boundary_cannot_be_deleted():
    one = replace(FOUR, boundaries=(20,))
    assert refusal(actions.DeleteBoundary(), one) == "one bucket is the least there can be"


@pytest.mark.parametrize("method", METHODS)
def test_a_method_keeps_the_number_of_buckets_unless_told(method):
    state, outcome = done(actions.ApplyMethod(method))
    assert state.boundaries == REFERENCE.plan(4, method)
    assert (outcome.kind, outcome.text) == ("method", method)


def test_a_method_for_another_number():
    assert done(actions.ApplyMethod("uniform", 2))[0].boundaries == (10, 20)


def test_a_method_that_there_is_not_is_refused():
    assert refusal(actions.ApplyMethod("best")).startswith("unknown method 'best'")


def test_one_bucket_more_or_fewer_is_the_optimum_for_that_number():
    # tests/data/chainer_100.json: the optimum for 3, 4, 5 is 1349, 1256, 1207.
    assert done(actions.ChangeCount(1))[1] == Outcome("optimum", 1270, 1207, text="5")
    assert done(actions.ChangeCount(-1))[1] == Outcome("optimum", 1270, 1349, text="3")


def test_no_bucket_at_all_is_refused():
    one = replace(FOUR, boundaries=(20,))
    assert refusal(actions.ChangeCount(-1), one).startswith("0 buckets cannot hold anything")


def test_more_buckets_than_lengths_are_refused():
    every = replace(FOUR, boundaries=tuple(range(1, 21)))
    assert refusal(actions.ChangeCount(1), every) == "the data have only 20 distinct lengths"


def test_asking_for_more_never_gives_fewer():
    useless = replace(FOUR, boundaries=tuple(range(1, 26)))
    assert refusal(actions.ChangeCount(1), useless) == "the data have only 20 distinct lengths"


def test_the_policy_goes_round_and_tells_the_steps():
    sparse = Analysis(Dataset("few", "file", Histogram.from_lengths([2, 4, 9])))
    state = replace(FOUR, boundaries=(5, 20))
    state, outcome = done(actions.SetPadTo(), state, sparse)
    assert (state.pad_to, outcome) == ("boundary", Outcome("pad_to", 17, 30, text="boundary"))
    assert done(actions.SetPadTo(), state, sparse)[0].pad_to == "longest"


def test_the_mode_goes_round():
    state, seen = FOUR, []
    for _ in range(3):
        state, _ = done(actions.SetMode(), state)
        seen.append(state.mode)
    assert seen == ["capture", "eager", "static"]


def test_choosing_changes_nothing_but_the_choice():
    assert done(actions.SetMode("eager")) == (replace(FOUR, mode="eager"), Outcome())
    assert done(actions.SelectStrategy("pad")) == (replace(FOUR, strategy="pad"), Outcome())
    assert done(actions.SetPreset()) == (replace(FOUR, preset="data"), Outcome())
    assert done(actions.SetTime(True)) == (replace(FOUR, time=True), Outcome())
    assert done(actions.TogglePredict()) == (replace(FOUR, predict=True), Outcome())
    zh = Appearance("zh")
    assert done(actions.SetAppearance(zh)) == (replace(FOUR, appearance=zh), Outcome())


def test_a_strategy_that_there_is_not_is_a_mistake_of_the_program():
    with pytest.raises(DgplayError, match="no strategy 'fast'"):
        done(actions.SelectStrategy("fast"))


def test_the_model_is_replaced():
    model = Model(16, 1.0, 0.5)
    assert done(actions.SetModel(model)) == (replace(FOUR, model=model), Outcome("model"))


@pytest.mark.parametrize(("asked", "given"), [(-1, 0), (99, 99), (100, 99)])
def test_the_sequence_looked_at_is_one_of_the_data(asked, given):
    state, _ = done(actions.LookAt(asked), replace(FOUR, step=3))
    assert (state.sequence, state.step) == (given, None)


@pytest.mark.parametrize(("asked", "given"), [(0, 1), (7, 7), (21, 20)])
def test_the_step_looked_at_lies_within_the_longest_sequence(asked, given):
    assert done(actions.LookAtStep(asked))[0].step == given
