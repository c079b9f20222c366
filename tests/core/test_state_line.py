"""A state is a command line: every state becomes a line, and the line gives the state back."""

import argparse
import random
import shlex
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dgplay.core import actions, command_line
from dgplay.core.command_line import COMMAND_WORDS, arguments, line, parse
from dgplay.core.errors import DgplayError, PlanError
from dgplay.core.graph_view.options import PASS_NAMES, GraphOptions, ordered
from dgplay.core.planning import Planning
from dgplay.core.sequences.analysis import Analysis
from dgplay.core.sequences.buckets import PAD_TO_POLICIES
from dgplay.core.sequences.dataset import DataOptions, Dataset
from dgplay.core.sequences.generators import generate
from dgplay.core.sequences.histogram import Histogram
from dgplay.core.sequences.planners import METHODS
from dgplay.core.sequences.strategies import STRATEGIES
from dgplay.core.session import open_session
from dgplay.core.state import (
    LANGUAGES,
    MODES,
    PRESETS,
    Appearance,
    Model,
    Request,
    State,
    open_state,
)

REFERENCE = Analysis(generate("uniform:1-20", 100, 0))
MILLION = Analysis(Dataset("ones", "file", Histogram.from_counts({1: 10**6})))

WORDS = st.text(max_size=12)
ODD_SOURCES = (
    *("-", "--", "-x.csv", "--json", "-5", "a file.txt", 'it\'s "one"', "*.csv", "p*3"),
    *("数据（1）", "data", "report", "uniform:1-50", "$HOME", "a\nb", ""),
)
SOURCES = WORDS | st.sampled_from(ODD_SOURCES)
FINITE = st.floats(allow_nan=False, allow_infinity=False)
RATES = st.fractions(Fraction(1, 10**9), 10**9, max_denominator=10**9)

STATES = st.builds(
    State,
    data=st.builds(
        DataOptions,
        sources=st.lists(SOURCES, max_size=4).map(tuple),
        field=st.none() | WORDS,
        unit=st.none() | st.sampled_from(command_line.UNITS),
        frame_rate=st.none() | RATES,
        format=st.none() | st.sampled_from(command_line.FORMATS),
        skip_bad=st.booleans(),
        count=st.integers(1, 10**9),
        seed=st.integers(0, 10**19),
        max_length=st.none() | st.integers(1, 2**53),
        over=st.sampled_from(command_line.OVER),
    ),
    boundaries=st.sets(st.integers(1, 2**54), min_size=6, max_size=9).map(
        lambda chosen: tuple(sorted(chosen))
    ),
    pad_to=st.sampled_from(PAD_TO_POLICIES),
    planning=st.builds(
        lambda given, batches: replace(given, **batches),
        st.builds(
            Planning,
            cost=WORDS,
            multiple_of=st.integers(1, 10**9),
            min_count=st.integers(1, 10**9),
            compile_cost=st.none() | st.fractions(0, 10**9, max_denominator=10**9),
        ),
        st.fixed_dictionaries({})
        | st.fixed_dictionaries({"budget": st.integers(1, 10**18)})
        | st.fixed_dictionaries({"batch_size": st.integers(1, 10**9)}),
    ),
    graph=st.builds(
        GraphOptions,
        program=WORDS,
        feed=st.lists(WORDS, max_size=2).map(tuple),
        calls=st.lists(WORDS, max_size=3).map(tuple),
        grad=st.lists(WORDS, max_size=2).map(tuple),
        passes=st.sets(st.sampled_from(PASS_NAMES)).map(lambda some: ordered(tuple(some))),
        recompile_limit=st.integers(0, 10**9),
        dynamic=st.sampled_from(("on", "off")),
        no_guards=st.booleans(),
    ),
    model=st.builds(Model, hidden=st.integers(1, 10**9), weight_scale=FINITE, bias=FINITE),
    mode=st.sampled_from(MODES),
    strategy=st.sampled_from([strategy.name for strategy in STRATEGIES]),
    bucket=st.integers(1, 6),
    sequence=st.integers(0, 10**6 - 1),
    step=st.none() | st.integers(1, 10**6),
    predict=st.booleans(),
    time=st.booleans(),
    all_strategies=st.booleans(),
    compare=st.none() | WORDS,
    preset=st.sampled_from(PRESETS),
    appearance=st.builds(
        Appearance,
        lang=st.sampled_from(LANGUAGES),
        theme=st.none() | WORDS,
        no_color=st.booleans(),
        ascii=st.booleans(),
        no_animation=st.booleans(),
    ),
)


def reopened(state, analysis):
    return open_state(parse(arguments(state)), analysis)


@given(STATES)
def test_any_state_is_opened_again_by_its_arguments(state):
    assert reopened(state, MILLION) == state


@settings(max_examples=30)
@given(STATES)
def test_the_line_is_the_arguments_as_a_shell_reads_them(state):
    assert shlex.split(line(state)) == ["dgplay", *arguments(state)]


@pytest.mark.parametrize("word", COMMAND_WORDS)
def test_a_line_never_starts_with_the_word_of_a_command(word):
    assert arguments(State(DataOptions((word,))))[0] == "--boundaries"


def test_the_first_state_is_the_article():
    assert line(State(), "lesson") == "dgplay --boundaries 5,10,15,20"


def test_the_usual_preset_is_left_out_and_another_is_named():
    assert line(State(preset="data"), "lesson") == ("dgplay --boundaries 5,10,15,20 --preset data")


def test_data_come_first():
    state = State(DataOptions(("a.csv", "b c.csv*3"), seed=7), boundaries=(9,))
    assert line(state, "lesson") == "dgplay a.csv 'b c.csv*3' --seed 7 --boundaries 9"


@pytest.mark.parametrize("source", ["-x.csv", "data", "report"])
def test_a_file_that_reads_like_an_option_or_a_command_stands_behind_a_double_dash(source):
    state = State(DataOptions((source,)))
    assert line(state, "lesson") == f"dgplay --boundaries 5,10,15,20 -- {source}"


@pytest.mark.parametrize("number", [-1e-05, -1e308, 5e-324, 0.1 + 0.2, 1e22])
def test_numbers_are_exact_to_the_last_bit(number):
    state = State(model=Model(weight_scale=number, bias=number))
    assert reopened(state, REFERENCE).model == state.model


def test_a_number_below_zero_is_joined_to_its_option():
    # argparse takes -1e-05 as a word of its own for an option.
    assert "--bias=-1e-05" in arguments(State(model=Model(bias=-1e-05)))


ACTIONS = (
    lambda pick: actions.SelectBucket(pick.randint(-1, 12)),
    lambda pick: actions.MoveEnd(pick.choice([-1, 1]), pick.choice([1, 1, 1, 5])),
    lambda pick: actions.PlaceEnd(pick.randint(0, 9), pick.randint(-5, 400)),
    lambda pick: actions.TypeEdit(pick.choice(["7", "+3", "-2", "k=6", "3,8,999", "?", "5.0s"])),
    lambda pick: actions.AddBoundary(),
    lambda pick: actions.DeleteBoundary(),
    lambda pick: actions.ApplyMethod(pick.choice([*METHODS]), pick.choice([None, 3, 8])),
    lambda pick: actions.SetBoundaries(pick.choice([(9, 400), (400,), (5,), (7, 7, 400), ()])),
    lambda pick: actions.SetPlanning(
        Planning(multiple_of=pick.randint(1, 9), budget=pick.randint(1, 99))
    ),
    lambda pick: actions.ChangeCount(pick.choice([-1, 1])),
    lambda pick: actions.SetPadTo(),
    lambda pick: actions.SetMode(),
    lambda pick: actions.SelectStrategy(pick.choice(STRATEGIES).name),
    lambda pick: actions.ToggleAll(),
    lambda pick: actions.SetPreset(),
    lambda pick: actions.SetModel(Model(pick.randint(1, 64), pick.gauss(0, 1), pick.gauss(0, 1))),
    lambda pick: actions.LookAt(pick.randint(-5, 200)),
    lambda pick: actions.LookAtStep(pick.randint(-5, 400)),
    lambda pick: actions.SetGraph(
        GraphOptions("tree", ("x=[1,2]",), ("", "x=[1]"), ("none",), ("fuse",), 3, "off", True),
        pick.choice([None, 5]),
    ),
    lambda pick: actions.SetScreen(pick.choice(["lab", "graph", "quiz"])),
    lambda pick: actions.TogglePredict(),
    lambda pick: actions.SetTime(pick.random() < 0.5),
    lambda pick: actions.SetAppearance(Appearance(pick.choice(LANGUAGES), ascii=True)),
)


@pytest.mark.parametrize("kind", ["reference", "file"])
@pytest.mark.parametrize("seed", range(3))
def test_two_hundred_actions_lead_to_a_line_that_leads_there_again(kind, seed):
    pick = random.Random(seed)
    analysis = REFERENCE
    if kind == "file":
        lengths = Histogram.from_lengths([pick.randint(0, 300) for _ in range(150)])
        analysis = Analysis(Dataset("few.txt", "file", lengths, Fraction(100)))
    session = open_session(Request(), analysis)
    for _ in range(200):
        step = pick.random()
        if step < 0.1:
            session = session.undo()
        elif step < 0.15:
            session = session.redo()
        else:
            session = session.act(pick.choice(ACTIONS)(pick), held=pick.random() < 0.2)
        assert reopened(session.state, analysis) == session.state


# What a request leaves open.


def opened(*words, analysis=REFERENCE):
    return open_state(parse(list(words)), analysis)


def test_the_reference_opens_at_four_equal_widths_as_a_lesson():
    assert (opened().boundaries, opened().preset) == ((5, 10, 15, 20), "lesson")


def test_other_data_open_by_equal_total_with_eight_asked_as_data():
    analysis = Analysis(Dataset("few.txt", "file", Histogram.from_lengths(range(1, 101))))
    state = opened("few.txt", analysis=analysis)
    assert state.boundaries == analysis.plan(8, "equal-total")
    assert state.preset == "data"


def test_k_alone_takes_the_optimum():
    assert opened("-k", "4").boundaries == (4, 11, 17, 20)


def test_a_method_takes_the_k_that_is_asked_or_the_usual_one():
    assert opened("--method", "uniform", "-k", "2").boundaries == (10, 20)
    assert opened("--method", "uniform").boundaries == (5, 10, 15, 20)


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["--bucket", "5"], "there is no bucket 5 of 4"),
        (["--sequence", "100"], "there is no sequence 100, they are 0 to 99"),
        (["--boundaries", "5,10"], "the last boundary 10 is below the longest length 20; add 20"),
        (["-k", "0"], "0 buckets cannot hold anything; ask for at least 1"),
        (["--method", "uniform", "-k", "1000000000"], "uniform makes at most 100,000 buckets"),
    ],
)
def test_what_the_data_cannot_give_is_refused_in_one_line(words, what):
    with pytest.raises(PlanError) as refusal:
        opened(*words)
    assert str(refusal.value).startswith(what)


@pytest.mark.parametrize(
    "words",
    [
        ["--boundaries", "5,10", "-k", "2"],
        ["--budget", "5", "--batch-size", "2"],
        ["--compile-cost", "-1"],
        ["--multiple-of", "0"],
        ["--boundaries", "5,,20"],
        ["--boundaries", ""],
        ["--boundaries", "1e3"],
        ["--bucket", "0"],
        ["--hidden", "0"],
        ["--hidden", "8.0"],
        ["--seed", "-1"],
        ["--count", "0"],
        ["--count", "999999999999999999999"],
        ["--max-length", "0"],
        ["--weight-scale", "nan"],
        ["--bias", "inf"],
        ["--frame-rate", "0"],
        ["--frame-rate", "1/0"],
        ["--frame-rate", "-100"],
        ["--frame-rate", "1e999999999"],
        ["--mode", "fast"],
        ["--pad-to", "batch"],
        ["--bound", "5,20"],
        ["--nothing"],
    ],
)
def test_what_is_no_option_or_value_is_refused_without_a_traceback(words):
    with pytest.raises(DgplayError, match="command line: "):
        parse(words)


@pytest.mark.parametrize(
    ("text", "value"),
    [("100", 100), ("12.5", Fraction(25, 2)), (".5", Fraction(1, 2)), ("1/3", Fraction(1, 3))],
)
def test_a_frame_rate_is_an_exact_fraction(text, value):
    assert parse(["--frame-rate", text]).state.data.frame_rate == value


def test_no_two_options_share_a_flag_or_a_place():
    options = (*command_line.DATA_OPTIONS, *command_line.STATE_OPTIONS)
    assert len({option.flag for option in options}) == len(options)
    assert len({option.name for option in options}) == len(options)


def test_every_option_says_what_it_does():
    parser = argparse.ArgumentParser(add_help=False)
    options = (*command_line.DATA_OPTIONS, *command_line.STATE_OPTIONS)
    command_line.add_options(parser, options, "all")
    for option in options:
        assert option.help in " ".join(parser.format_help().split())
