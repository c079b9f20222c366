"""Plans as records: the keys of the JSON, exact totals, every policy, other data, tables."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dgplay.core.errors import DgplayError, PlanError
from dgplay.core.plan_report import PlanRequest, export_request, make_plan, number, pack_record
from dgplay.core.plan_settings import planning_line, read_pace, read_planning
from dgplay.core.plan_tables import (
    LETTERS,
    Pace,
    frontier_table,
    next_graph_text,
    pack_lines,
    plan_bucket_table,
)
from dgplay.core.plan_view import PlanView, batch_for, plan_for
from dgplay.core.planning import Planning
from dgplay.core.sequences.analysis import Analysis
from dgplay.core.sequences.batch_options import BatchOptions
from dgplay.core.sequences.dataset import DataOptions, Dataset
from dgplay.core.sequences.export import export
from dgplay.core.sequences.generators import generate
from dgplay.core.sequences.histogram import Histogram
from dgplay.core.sequences.loading import load
from dgplay.core.sequences.packing import pack
from dgplay.core.sequences.planners import METHOD_NAMES
from dgplay.core.session import open_session
from dgplay.core.state import Request, State
from dgplay.core.tables import ASCII

KEYS = [
    *("method", "pad_to", "k_asked", "k", "boundaries", "steps", "cost", "real_steps", "waste"),
    *("optimal_cost", "excess_over_optimal", "buckets", "frontier", "batches"),
]
BUCKET_KEYS = ["low", "high", "count", "pad_to", "steps", "real_steps", "waste"]
ROW_KEYS = ["k", "steps", "cost", "waste", "saves", "break_even"]
BATCH_KEYS = [
    *("count", "optimizer_steps", "steps_per_epoch", "shapes", "fill", "rank_wait"),
    "length_correlation",
]


def data(*lengths: int, **more: Any) -> Analysis:
    in_order = np.array(lengths, np.int64)
    histogram = Histogram.from_lengths(lengths)
    return Analysis(Dataset("few", "file", histogram, in_order=in_order, **more))


HABANA = data(3, 3, 4, 5, 5, 5, 6, 7, 8, 8)
FIVE_EACH = data(*(length for length in range(1, 21) for _ in range(5)))
REFERENCE = Analysis(generate("uniform:1-20", 100, 0))


def plan_of(analysis: Analysis, **asked: Any) -> dict[str, Any]:
    return make_plan(PlanRequest(**asked), analysis).record


def test_the_keys_are_those_of_the_design() -> None:
    record = plan_of(HABANA, k=3, batches=BatchOptions(budget=16))
    assert list(record) == KEYS
    assert all(list(bucket) == [*BUCKET_KEYS, "batch_size"] for bucket in record["buckets"])
    assert all(list(row) == ROW_KEYS for row in record["frontier"])
    assert list(record["batches"]) == BATCH_KEYS
    assert [bucket["batch_size"] for bucket in record["buckets"]] == [5, 3, 2]
    json.dumps(record)


def test_without_batches_there_is_neither_a_batch_size_nor_an_object() -> None:
    record = plan_of(HABANA, k=3)
    assert list(record["buckets"][0]) == BUCKET_KEYS
    assert record["batches"] is None


def test_the_worked_example() -> None:
    record = plan_of(HABANA, k=3)
    assert (record["real_steps"], record["steps"], record["boundaries"]) == (54, 58, [3, 5, 8])
    assert (record["optimal_cost"], record["excess_over_optimal"]) == (58, 0.0)
    assert [row["steps"] for row in record["frontier"]] == [80, 62, 58, 56, 55, 54]


def test_five_of_each_length() -> None:
    steps = {row["k"]: row["steps"] for row in plan_of(FIVE_EACH)["frontier"]}
    assert [steps[k] for k in (1, 2, 4)] == [2000, 1500, 1250]


def test_the_reference_experiment() -> None:
    rows = plan_of(REFERENCE)["frontier"]
    assert [row["steps"] for row in rows[:5]] == [2000, 1496, 1349, 1256, 1207]
    assert [row["saves"] for row in rows[:3]] == [None, 504, 147]
    assert len(rows) == REFERENCE.histogram.distinct


@pytest.mark.parametrize(
    ("asked", "k_asked", "k"),
    [
        ({}, 8, 6),
        ({"k": 3}, 3, 3),
        ({"boundaries": (8,)}, None, 1),
        ({"planning": Planning(compile_cost=Fraction(3))}, None, 3),
        ({"planning": Planning(compile_cost=Fraction(3)), "k": 2}, 2, 2),
    ],
)
def test_how_many_buckets_were_asked_for(
    asked: dict[str, Any], k_asked: int | None, k: int
) -> None:
    record = plan_of(HABANA, **asked)
    assert (record["k_asked"], record["k"]) == (k_asked, k)


def test_own_boundaries_are_scored_against_the_optimum_for_as_many() -> None:
    record = plan_of(FIVE_EACH, boundaries=(2, 10, 20))
    assert (record["method"], record["steps"], record["optimal_cost"]) == ("own", 1420, 1335)
    assert record["excess_over_optimal"] == pytest.approx(1420 / 1335 - 1)


def test_the_cost_is_what_is_minimised() -> None:
    record = plan_of(data(*[10] * 9, 20), k=2, planning=Planning(cost="quadratic"))
    assert (record["cost"], record["steps"]) == (1300, 110)
    assert [row["cost"] for row in record["frontier"]] == [4000, 1300]
    assert record["frontier"][1]["break_even"] == 2700
    assert record["frontier"][1]["saves"] == 90


def test_measured_times_are_decimals(tmp_path: Any) -> None:
    table = tmp_path / "ms.csv"
    table.write_text("10,0.1\n20,0.3\n")
    record = plan_of(data(10, 10, 20), k=2, planning=Planning(cost=str(table)))
    assert record["cost"] == 0.5


def test_under_longest_a_bucket_is_padded_to_the_longest_in_it() -> None:
    record = plan_of(HABANA, boundaries=(3, 6, 20), pad_to="longest")
    assert [bucket["pad_to"] for bucket in record["buckets"]] == [3, 6, 8]
    assert (record["steps"], record["optimal_cost"]) == (60, 58)
    rounded = plan_of(
        HABANA, boundaries=(3, 6, 20), pad_to="longest", planning=Planning(multiple_of=4)
    )
    assert (rounded["boundaries"], rounded["steps"]) == ([4, 8, 20], 3 * 4 + 7 * 8)
    assert [bucket["pad_to"] for bucket in rounded["buckets"]] == [4, 8, None]


LENGTHS = st.lists(st.integers(0, 40), min_size=1, max_size=60).filter(any)


@settings(max_examples=60, deadline=None)
@given(
    LENGTHS,
    st.integers(1, 6),
    st.sampled_from([name for name in METHOD_NAMES if name != "batch"]),
    st.sampled_from(["boundary", "longest"]),
    st.integers(1, 4),
    st.integers(1, 3),
)
def test_every_plan_adds_up(
    lengths: list[int], k: int, method: str, pad_to: str, multiple: int, fill: int
) -> None:
    analysis = data(*lengths)
    planning = Planning(multiple_of=multiple)
    record = plan_of(analysis, k=k, method=method, pad_to=pad_to, planning=planning, fill_last=fill)
    buckets = record["buckets"]
    assert record["real_steps"] == sum(lengths)
    assert sum(bucket["count"] for bucket in buckets) == sum(map(bool, lengths))
    assert sum(bucket["steps"] for bucket in buckets) == record["steps"] == record["cost"]
    assert [bucket["high"] for bucket in buckets] == record["boundaries"]
    assert record["steps"] >= record["optimal_cost"] >= record["real_steps"] or fill > 1
    assert record["excess_over_optimal"] >= 0 or pad_to == "longest"
    assert all(boundary % multiple == 0 for boundary in record["boundaries"])
    saves = [row["saves"] for row in record["frontier"][1:]]
    assert all(each >= 0 for each in saves)


def test_under_batch_the_cost_is_an_expectation_and_steps_a_mean() -> None:
    analysis = Analysis(load(DataOptions(("ud_english_ewt_words",))))
    record = plan_of(analysis, k=8, pad_to="batch", batches=BatchOptions(budget=800))
    assert record["cost"] == pytest.approx(record["steps"], rel=0.02)
    assert (record["optimal_cost"], record["excess_over_optimal"]) == (None, None)
    assert record["steps"] == record["batches"]["steps_per_epoch"]
    assert sum(bucket["steps"] for bucket in record["buckets"]) == pytest.approx(record["steps"])
    assert {bucket["pad_to"] for bucket in record["buckets"]} == {None}
    assert record["frontier"][7]["cost"] == record["cost"]
    fixed = plan_of(analysis, k=8, batches=BatchOptions(budget=800))
    assert record["steps"] < fixed["steps"] == fixed["batches"]["steps_per_epoch"]


@pytest.mark.parametrize("batches", [BatchOptions(budget=16), BatchOptions(batch_size=2)])
def test_under_batch_a_plan_costs_what_its_row_of_the_frontier_says(batches: BatchOptions) -> None:
    for k in range(1, 7):
        record = plan_of(HABANA, k=k, pad_to="batch", batches=batches)
        row = record["frontier"][k - 1]
        assert record["cost"] == row["cost"] == row["steps"]
        assert all(each["saves"] >= 0 for each in record["frontier"][1:])


def test_the_two_simulations_of_the_batch_policy_are_one() -> None:
    """The score of the plan's own boundaries and the batches of the JSON have the same steps."""
    report = make_plan(
        PlanRequest(k=4, pad_to="batch", batches=BatchOptions(budget=60, seed=3)), REFERENCE
    )
    score = report.scorer.score("optimal", report.boundaries)
    assert score.batch is not None
    assert score.batch.simulation.mean_steps == report.record["steps"]


def test_a_compile_cost_under_batch_chooses_fewer_graphs() -> None:
    batches = BatchOptions(budget=60)
    cheap, dear = (
        plan_of(
            REFERENCE,
            pad_to="batch",
            planning=Planning(compile_cost=Fraction(price)),
            batches=batches,
        )["k"]
        for price in (1, 200)
    )
    assert dear < cheap


def test_a_heuristic_chooses_its_best_number_of_graphs() -> None:
    planning = Planning(compile_cost=Fraction(40))
    record = plan_of(REFERENCE, method="uniform", planning=planning)
    totals = {k: plan_of(REFERENCE, method="uniform", k=k)["cost"] + 40 * k for k in range(1, 21)}
    assert record["cost"] + 40 * record["k"] == min(totals.values())


@pytest.mark.parametrize(
    ("analysis", "asked", "what"),
    [
        (HABANA, {"k": 0}, "0 buckets cannot hold anything"),
        (HABANA, {"planning": Planning(min_count=11)}, "a minimum of 11 sequences per bucket"),
        (HABANA, {"boundaries": (3, 7)}, "the last boundary 7 is below the longest length 8"),
        (HABANA, {"pad_to": "batch"}, "--pad-to: batch pads each batch to its own longest"),
        (HABANA, {"pad_to": "none"}, "--pad-to: is one of"),
        (HABANA, {"batches": BatchOptions(budget=7)}, "--budget: sequence 8 of length 8"),
        (
            HABANA,
            {"pad_to": "batch", "batches": BatchOptions(budget=70), "fill_last": 2},
            "--fill-last: is for shapes that are fixed",
        ),
        (
            HABANA,
            {
                "pad_to": "batch",
                "batches": BatchOptions(budget=70),
                "planning": Planning(cost="quadratic"),
            },
            "--cost: is for shapes that are fixed",
        ),
        (HABANA, {"planning": Planning(cost="0,0")}, "a cost of 0,0 makes every plan free"),
    ],
)
def test_a_plan_that_cannot_be_is_one_line(
    analysis: Analysis, asked: dict[str, Any], what: str
) -> None:
    with pytest.raises(DgplayError) as refused:
        plan_of(analysis, **asked)
    assert str(refused.value).startswith(what)
    assert "\n" not in str(refused.value)


def test_other_data_get_their_longest_length_as_one_more_boundary() -> None:
    report = make_plan(PlanRequest(k=2), HABANA, data(5, 9))
    record = report.record["compare"]
    assert list(record) == ["name", "steps", "real_steps", "waste", "buckets"]
    assert [bucket["high"] for bucket in record["buckets"]] == [5, 8, 9]
    assert record["steps"] == 14


def test_notes_say_what_is_not_kept() -> None:
    short = make_plan(PlanRequest(boundaries=(1, 20), planning=Planning(min_count=30)), FIVE_EACH)
    assert short.record["excess_over_optimal"] is None
    assert short.notes() == ("a bucket holds fewer than the 30 sequences asked for",)
    empty = make_plan(PlanRequest(boundaries=(30, 40)), data(11, 12, 13, 14, 19))
    assert empty.record["steps"] == 150
    assert empty.notes() == ("buckets that hold no sequence: 1",)


def test_decimals_become_numbers() -> None:
    assert number(None) is None
    assert number(make_plan(PlanRequest(), HABANA).cost) == 54


# Tables.


def test_tables_have_the_numbers_of_the_record() -> None:
    report = make_plan(PlanRequest(k=3, batches=BatchOptions(budget=16)), HABANA)
    rows = {name: [cell.text for cell in cells]
            for name, cells in plan_bucket_table(report.laid, signs=ASCII).rows}  # fmt: skip
    assert rows["1"] == ["1-3", "2", "3", "5", "6", "0.0%"]
    assert rows["all"] == ["all", "10", "", "", "58", "6.9%"]
    frontier = frontier_table(report.rows, Pace(Fraction(2), Fraction(4)), ASCII)
    assert [cell.text for cell in frontier.rows[2][1]] == ["3", "58", "6.9%", "4", "4", "8 s"]
    assert next_graph_text(report.rows, 3) == "graph 4 saves 2 steps: pays up to 2 a compile"
    assert next_graph_text(report.rows, 6) == "no further graph saves a step"


def test_every_method_has_a_letter_of_its_own() -> None:
    assert set(METHOD_NAMES) < set(LETTERS)
    assert len(set(LETTERS.values())) == len(LETTERS)


def test_a_packing_says_how_far_it_is_proved() -> None:
    packing = pack(Histogram.from_lengths([7, 7, 7]), 14)
    record = pack_record(packing)
    assert (record["bins"], record["min_fill"], record["mean_fill"]) == (2, 7, 10.5)
    assert (record["gap"], record["optimal"], record["lower_bound"]) == (0, True, 2)
    assert "proved optimal" in pack_lines(packing, "few")[1]


# What is exported.


def test_frames_of_a_file_have_seconds_once_somebody_says_what_a_frame_is() -> None:
    dataset = HABANA.dataset
    with pytest.raises(PlanError, match="counts in seconds"):
        export("lhotse", export_request(dataset, (5, 8), "optimal", None, ""))
    rated = export_request(dataset, (5, 8), "optimal", None, "", Fraction(100))
    assert "DURATION_BINS = [0.05]" in export("lhotse", rated)
    words = data(3, 5, unit="words").dataset
    with pytest.raises(PlanError, match="counts in seconds"):
        export("lhotse", export_request(words, (5,), "optimal", None, "", Fraction(100)))


def test_an_assumed_rate_gives_seconds_and_no_lengths(tmp_path: Any) -> None:
    manifest = tmp_path / "m.jsonl"
    manifest.write_text('{"duration": 1.1}\n{"duration": 2.0}\n')
    assumed = load(DataOptions((str(manifest),)))
    stated = load(DataOptions((str(manifest),), frame_rate=Fraction(100)))
    assert (assumed.assumed, stated.assumed) == (True, False)
    with pytest.raises(PlanError, match="only 100 frames each were assumed"):
        export("jax", export_request(assumed, (110, 200), "own", None, ""))
    assert "BUCKETS" in export("jax", export_request(stated, (110, 200), "own", None, ""))


# The view and the line of the Plan screen.


def test_the_view_of_a_session() -> None:
    session = open_session(Request(), REFERENCE)
    state = session.state
    bare = PlanView(session)
    assert (bare.rows, bare.points, bare.names) == ((), (), ())
    planned = plan_for(state, REFERENCE)
    view = PlanView(session, planned)
    assert view.row is not None
    assert view.following is not None
    assert (view.k, view.row.steps, view.following.saves) == (4, 1256, 49)
    assert view.method == "uniform"
    assert view.boundaries_of("optimal") == (4, 11, 17, 20)
    assert {point.name for point in view.points} == {"own", *METHOD_NAMES}
    assert planned.best is None


def test_batches_of_the_present_boundaries() -> None:
    planning = Planning(budget=80, compile_cost=Fraction(45))
    session = open_session(Request(State(planning=planning)), REFERENCE)
    planned = plan_for(session.state, REFERENCE)
    assert planned.best == 5
    batched = batch_for(session.state, REFERENCE, planned)
    assert [row.name for row in batched.rows] == ["bucketed", "random", "grouped", "bucketed ~"]
    view = PlanView(session, planned, batched)
    assert view.batches is not None
    assert view.batches.steps == 1270
    assert {score.name for score in batched.comparison.scores} >= {"own", "batch", "optimal"}
    assert "BATCH_SIZES = (16, 8, 5, 4)" in view.exported("pytorch")


def test_a_budget_below_the_longest_is_told() -> None:
    session = open_session(Request(State(planning=Planning(budget=19))), REFERENCE)
    planned = plan_for(session.state, REFERENCE)
    view = PlanView(session, planned, batch_for(session.state, REFERENCE, planned))
    assert "exceeds the budget of 19" in view.problem


def test_the_line_of_a_planning_is_read_back() -> None:
    planning = Planning("2,3", 8, 5, Fraction(5, 2), None, 32)
    line = planning_line(planning)
    assert line == "cost=2,3 multiple=8 min=5 compile=5/2 budget=- batch=32"
    assert read_planning(line, Planning()) == planning


def test_of_budget_and_batch_size_the_new_one_stays() -> None:
    assert read_planning("batch=4", Planning(budget=9)) == Planning(batch_size=4)
    assert read_planning("budget＝９", Planning(batch_size=4)) == Planning(budget=9)
    assert read_planning("budget=-", Planning(budget=9)) == Planning()


@pytest.mark.parametrize("text", ["9", "k=3", "multiple=0", "budget=x", "budget=3 batch=4"])
def test_a_line_that_cannot_be_read_says_which_word(text: str) -> None:
    with pytest.raises(DgplayError):
        read_planning(text, Planning())


def test_a_pace_is_steps_per_second_and_epochs() -> None:
    assert read_pace("") is None
    assert read_pace("2000") == Pace(Fraction(2000))
    assert read_pace("2000, 3") == Pace(Fraction(2000), Fraction(3))
    assert Pace(Fraction(2000), Fraction(3)).seconds(1000) == 1.5
    with pytest.raises(DgplayError):
        read_pace("fast")
