"""Undo and redo: a list of states in which a held key is one change."""

from dataclasses import replace

from dgplay.core.history import MOST_UNDOS, History
from dgplay.core.sequences.dataset import DataOptions
from dgplay.core.state import Model, State

A, B, C = (State(boundaries=(end, 20)) for end in (5, 6, 7))


def test_undo_and_redo_go_back_and_forth():
    history = History(A).after(B).after(C)
    assert history.undo().present == B
    assert history.undo().undo().present == A
    assert history.undo().undo().redo().redo() == history


def test_without_a_change_there_is_nothing_to_undo_or_redo():
    history = History(A)
    assert history.undo() is history
    assert history.redo() is history


def test_a_change_after_an_undo_ends_the_redo():
    assert History(A).after(B).undo().after(C).future == ()


def test_a_selection_is_no_change_and_keeps_the_redo():
    selected = replace(A, bucket=2, mode="eager", strategy="pad", preset="data")
    history = History(A).after(B).undo().after(selected)
    assert history.past == ()
    assert history.present == selected
    assert history.redo().present.boundaries == B.boundaries


def test_data_boundaries_policy_and_model_are_what_an_undo_takes_back():
    changes = (
        replace(A, data=DataOptions(("x.csv",))),
        B,
        replace(A, pad_to="boundary"),
        replace(A, model=Model(bias=1.0)),
    )
    for change in changes:
        assert History(A).after(change).undo().present == A


def test_a_held_key_is_one_undo():
    history = History(A)
    for end in range(6, 16):
        history = history.after(State(boundaries=(end, 20)), held=end > 6)
    assert len(history.past) == 1
    assert history.undo().present == A


def test_a_held_key_without_a_change_before_it_begins_one():
    assert History(A).after(B, held=True).undo().present == A


def test_undo_keeps_the_view():
    later = replace(B, mode="eager", strategy="pad", preset="data", predict=True)
    back = History(A).after(B).after(later).undo().present
    assert back == replace(later, boundaries=A.boundaries)


def test_undo_goes_back_to_the_bucket_of_the_change():
    before = replace(A, bucket=2)
    after = State(boundaries=(20,), bucket=1)
    assert History(before).after(after).undo().present.bucket == 2


def test_the_list_has_an_end():
    history = History(A)
    for end in range(1, MOST_UNDOS + 50):
        history = history.after(State(boundaries=(end, 10**6)))
    assert len(history.past) == MOST_UNDOS
