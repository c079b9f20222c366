"""Answers by path: the numbers of the reference, and what a wrong path is told."""

import pytest

from dgplay.core.command_line import parse
from dgplay.core.errors import DgplayError
from dgplay.core.lessons.answers import Facts, answer, documented_paths, fill, look_up, paths_in
from dgplay.core.report import make_report
from dgplay.core.sequences.analysis import Analysis
from dgplay.core.sequences.loading import load
from dgplay.core.state import open_state


def facts_of(line=""):
    request = parse(line.split())
    analysis = Analysis(load(request.state.data))
    return Facts(open_state(request, analysis), analysis)


REFERENCE = facts_of()


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("data.real_steps", 1065),
        ("data.mean", 10.65),
        ("k", 4),
        ("boundaries", (5, 10, 15, 20)),
        ("steps", 1270),
        ("buckets.1.waste", 59 / 115),
        ("buckets.4.pad_to", 20),
        ("buckets.2.correct", True),
        ("strategies.pad.steps", 2000),
        ("strategies.pad.wrong", 92),
        ("strategies.pad+mask.correct", True),
        ("strategies.packed.launches", 20),  # shown or not
        ("strategies.exact-length.graphs", 20),
        ("strategies.optimal-buckets.steps", 1256),
        ("strategies.packed-rows.wrong", 0),
        ("strategies.dynamic.saved", 0.4675),
        ("strategies.bucketed.launches", 50),
        ("strategies.dynamic.graphs", 0),
        ("methods.now.steps", 1270),
        ("methods.optimal.boundaries", (4, 11, 17, 20)),
        ("optimal.steps", 1256),
        ("optimal.distance", 14),
        ("optimal.8.steps", 1126),
        ("optimal.2.boundaries", (11, 20)),
        ("modes.eager.drawn", 100),
        ("modes.static.bucketed", 4),
        ("modes.capture.per-length", 8),
        ("trace.pad.2.length", 3),
        ("best-move.bucket", 1),
        ("best-move.length", 4),
        ("best-move.change", -11),
        ("best-addition", 17),
        ("best-addition.steps", 1228),
    ],
)
def test_the_reference(path, value):
    assert answer(path, REFERENCE.state, REFERENCE.analysis).value == value


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("trace.pad.2.error", "1.07"),
        ("trace.pad.2.real", "1.71"),
        ("trace.pad.2.last", "0.09"),
        ("trace.pad.2.norm.4", "1.37"),
        ("trace.pad+mask.2.last", "1.71"),
        ("trace.bucketed.2.norm.5", "1.71"),
        ("strategies.pad.max_abs_error", "2.42"),
        ("buckets.1.waste", "51.3%"),
        ("strategies.pad.correct", "WRONG"),
        ("boundaries", "5,10,15,20"),
    ],
)
def test_as_it_is_shown(path, text):
    assert look_up(path, REFERENCE).text == text


def test_everything_agrees_with_the_report():
    report = make_report(REFERENCE.state, REFERENCE.analysis).record
    for record in report["strategies"]:
        for field in ("steps", "waste", "saved", "extra", "macs", "graphs", "launches", "wrong",
                      "checked", "correct", "max_abs_error"):  # fmt: skip
            found = look_up(f"strategies.{record['name']}.{field}", REFERENCE).value
            assert found == record[field]
    for number, record in enumerate(report["buckets"], 1):
        for field, value in record.items():
            assert look_up(f"buckets.{number}.{field}", REFERENCE).value == value


def test_nothing_saves_at_one_bucket_a_length():
    facts = facts_of("-k 20")
    assert look_up("best-addition", facts).value is None
    assert look_up("best-addition.saves", facts).value is None
    assert look_up("best-move.bucket", facts).text == "-"


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("stepz", "no answer is called 'stepz'; there are data; k, boundaries, steps"),
        ("strategies.padd.steps", "after strategies there are pad, pad+mask, dynamic"),
        ("strategies.pad", "after strategies.pad there are steps, real_steps, waste"),
        ("steps.all", "steps ends there"),
        ("buckets.0.waste", "after buckets there are whole numbers from 1"),
        ("buckets.9.waste", "there is no bucket 9; there are 4"),
        ("trace.pad.100.error", "no sequence 100; there are 100"),
        ("trace.pad.2.norm.21", "there is no step 21; there are 20"),
        ("modes.eager.pad", "after modes.eager there are drawn"),
        ("", "there are data"),
    ],
)
def test_a_wrong_path_says_what_there_is(path, error):
    with pytest.raises(DgplayError) as caught:
        look_up(path, REFERENCE)
    assert error in str(caught.value)


def test_filling_in():
    text = "pad {strategies.pad.steps}, saved {strategies.dynamic.saved}"
    assert paths_in(text) == ["strategies.pad.steps", "strategies.dynamic.saved"]
    assert fill(text, REFERENCE) == "pad 2000, saved 46.8%"


def test_every_form_is_documented():
    forms = [form for form, doc in documented_paths() if doc]
    assert len(forms) == len(documented_paths())
    assert "best-addition" in forms
    assert "buckets.N.low|high|count|pad_to|steps|real_steps|waste|correct" in forms
