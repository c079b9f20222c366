"""The line in which data and model are edited: what it shows is what it reads."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dgplay.core.errors import DgplayError
from dgplay.core.sequences.dataset import DataOptions
from dgplay.core.settings import read_settings, settings_line
from dgplay.core.state import Model, State

FINITE = st.floats(allow_nan=False, allow_infinity=False)


def edited(text, state=None):
    return read_settings(text, state or State())


def test_the_line_of_the_reference():
    line = "uniform:1-20 count=100 seed=0 scale=0.3 bias=0 hidden=8"
    assert settings_line(State()) == line


def test_a_line_that_was_not_edited_changes_nothing():
    assert edited(settings_line(State())) == (DataOptions(), Model())


@given(
    st.lists(st.text(min_size=1, max_size=8).filter(lambda text: "=" not in text), min_size=1),
    FINITE,
    FINITE,
    st.integers(1, 1024),
    st.integers(1, 10**8),
    st.integers(0, 10**19),
)
def test_no_number_and_no_file_name_is_changed_by_being_shown(
    sources, scale, bias, hidden, count, seed
):
    data = DataOptions(tuple(sources), count=count, seed=seed, field="text")
    state = State(data, model=Model(hidden, scale, bias))
    assert edited(settings_line(state), state) == (data, state.model)


def test_what_is_not_named_stays():
    state = State(DataOptions(("a.csv",), seed=3), model=Model(16, 1.0, 0.5))
    assert edited("bias=1", state) == (state.data, Model(16, 1.0, 1.0))
    assert edited("", state) == (state.data, state.model)


def test_other_sources_are_other_data():
    data, _ = edited("uniform:1-50 count=1000 seed=7")
    assert data == DataOptions(("uniform:1-50",), count=1000, seed=7)


def test_several_files_with_spaces_in_their_names():
    assert edited("'a b.csv' c.csv*3")[0].sources == ("a b.csv", "c.csv*3")


def test_the_reference_is_asked_for_by_its_generator():
    assert edited("uniform:1-20", State(DataOptions(("a.csv",))))[0].sources == ()


def test_full_width_settings_read_as_ascii():
    data, model = edited("ｕｎｉｆｏｒｍ：１－５０　ｃｏｕｎｔ＝２００　ｂｉａｓ＝−０．５")
    assert (data.sources, data.count, model.bias) == (("uniform:1-50",), 200, -0.5)


def test_full_width_characters_in_the_name_of_a_file_stay():
    assert edited("数据（１）.csv")[0].sources == ("数据（１）.csv",)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("count=0", "'0' cannot be the count"),
        ("count=", "'' cannot be the count"),
        ("count=1e3", "'1e3' cannot be the count"),
        ("seed=-1", "'-1' cannot be the seed"),
        ("scale=big", "'big' cannot be the scale"),
        ("scale=nan", "'nan' cannot be the scale"),
        ("bias=inf", "'inf' cannot be the bias"),
        ("hidden=0", "'0' cannot be the hidden"),
        ("hidden=1025", "'1025' cannot be the hidden"),
        ("hidden=1000000000", "'1000000000' cannot be the hidden"),
        ("'a b", "the line cannot be read: No closing quotation"),
    ],
)
def test_a_word_that_cannot_be_read_is_named(text, line):
    with pytest.raises(DgplayError) as refusal:
        edited(text)
    assert str(refusal.value) == line


def test_a_refused_line_changes_nothing():
    state = replace(State(), model=Model(bias=1.0))
    with pytest.raises(DgplayError):
        edited("bias=2 hidden=x", state)
    assert state.model == Model(bias=1.0)
