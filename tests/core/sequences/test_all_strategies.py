"""What ``--all`` adds: each strategy counted in closed form, really run, and found right."""

import json
from dataclasses import replace
from pathlib import Path

import jobs
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jobs import eager, random_sequences

from dgplay.core.graph.capture import RECOMPILE_LIMIT as LIMIT_OF_THE_ENGINE
from dgplay.core.sequences.analysis import Analysis
from dgplay.core.sequences.buckets import bucket_table
from dgplay.core.sequences.checks import Baseline, check, choose, run_outputs
from dgplay.core.sequences.dataset import Dataset
from dgplay.core.sequences.generators import generate
from dgplay.core.sequences.graph_runs import MOST_CAPTURED_STEPS, MOST_LOOP_STEPS
from dgplay.core.sequences.histogram import Histogram
from dgplay.core.sequences.packed import pack_batch
from dgplay.core.sequences.packed_runs import lay_in_rows
from dgplay.core.sequences.rnn import CancelledError, ModelOptions, make_rnn
from dgplay.core.sequences.strategies import EVERY, FURTHER, STRATEGIES, shown, strategy_named
from dgplay.core.sequences.strategy_counts import RECOMPILE_LIMIT
from dgplay.core.sequences.strategy_runs import Tally
from dgplay.core.sequences.timing import measure

ARTICLE = json.loads(
    (Path(__file__).parents[2] / "data" / "chainer_100.json").read_text(encoding="utf-8")
)
REFERENCE = generate("uniform:1-20", 100, 0)
FOUR = bucket_table(REFERENCE.histogram, (5, 10, 15, 20))
#: DESIGN section 5.
FURTHER_NAMES = [
    *("pad+where", "gather-last", "packed", "exact-length", "optimal-buckets", "while-loop"),
    *("capture", "capture-symbolic", "packed-rows"),
]
each_further = pytest.mark.parametrize("strategy", FURTHER, ids=lambda strategy: strategy.name)


def of_lengths(lengths):
    histogram = Histogram.from_lengths(lengths)
    order = np.array(lengths, np.int64)
    return Dataset("few", "file", histogram, rows=histogram.sequences, in_order=order)


def table_of(strategy, dataset, boundaries):
    """The buckets that a strategy runs on: those given, or the optimum for their number."""
    if strategy.optimal:
        boundaries = Analysis(dataset).optimum(len(boundaries))[1]
    return bucket_table(dataset.histogram, boundaries)


def job_of(lengths, model=None, **options):
    return jobs.job_of(make_rnn(model or ModelOptions()), random_sequences(lengths, 3), **options)


# Names, and the figures of the contract (DESIGN sections 2, 4 and 5).


def test_the_names_of_the_design_in_their_order():
    assert [strategy.name for strategy in FURTHER] == FURTHER_NAMES
    assert shown(True) == EVERY == (*STRATEGIES, *FURTHER)
    assert shown(False) == STRATEGIES
    assert all(strategy.doc.endswith(".") and "\n" not in strategy.doc for strategy in FURTHER)
    assert [item.name for item in FURTHER if not item.static] == ["capture", "capture-symbolic"]


@pytest.mark.parametrize(
    ("name", "steps", "launches", "graphs"),
    [
        ("pad+where", 2000, 20, 1),
        ("gather-last", 2000, 20, 1),
        ("packed", 1065, 20, 20),  # each of the 20 lengths changes the size of the batch once
        ("exact-length", 1065, 210, 20),
        ("optimal-buckets", 1256, 4 + 11 + 17 + 20, 4),
        ("while-loop", 1065, 1065, 1),
        ("capture", 1065, 1065, 8),
        ("capture-symbolic", 1065, 1065, 3),
        ("packed-rows", 1120, 20, 1),  # 56 rows of 20; 54 could hold 1065 steps
    ],
)
def test_the_reference_experiment_counted_and_run(name, steps, launches, graphs):
    strategy = strategy_named(name)
    table = table_of(strategy, REFERENCE, FOUR.boundaries)
    row = strategy.counts(REFERENCE.histogram, table, first=REFERENCE.first_length)
    assert (row.steps, row.launches, row.graphs) == (steps, launches, graphs)
    assert row.macs == steps * ARTICLE["macs_per_step"]
    assert row.saved == pytest.approx(1 - steps / ARTICLE["padded_steps"])
    found = check(strategy, REFERENCE, table, ModelOptions())
    assert (found.wrong, found.checked, found.correct) == (0, 100, True)
    assert found.max_abs_error is not None
    assert found.max_abs_error < 1e-12


def test_packed_executes_1065_row_steps_in_20_launches():
    tally = tally_of(strategy_named("packed"), REFERENCE, FOUR)
    assert (tally.steps, tally.launches) == (ARTICLE["total_steps"], 20)


# Counts are those of the run itself.


def tally_of(strategy, dataset, table, *, alone=True):
    baseline, tally = Baseline(dataset, ModelOptions()), Tally()
    batch, expected = baseline.batch(list(range(dataset.histogram.sequences)))
    outputs = run_outputs(strategy, baseline, batch, table, alone=alone, tally=tally)
    np.testing.assert_allclose(outputs, expected, rtol=1e-9, atol=1e-9)
    return tally


RIGHT = [strategy for strategy in EVERY if strategy.name not in ("pad", "repeat-last", "left-pad")]
ON_THE_ENGINE = ("while-loop", "capture", "capture-symbolic")


@settings(deadline=None, max_examples=40)
@given(st.lists(st.integers(0, 12), min_size=1, max_size=25).filter(any), st.booleans())
def test_a_run_does_what_the_closed_form_says(lengths, alone):
    dataset = of_lengths(lengths)
    for strategy in RIGHT:
        if strategy.name in ON_THE_ENGINE:
            continue
        table = table_of(strategy, dataset, (4, 12))
        row = strategy.counts(dataset.histogram, table, first=dataset.first_length)
        tally = tally_of(strategy, dataset, table, alone=alone)
        assert (strategy.name, tally.steps, tally.launches) == (
            strategy.name, row.steps, row.launches,
        )  # fmt: skip


@pytest.mark.parametrize(
    ("lengths", "symbolic"),
    [
        ([3], 1),
        ([1], 1),
        ([7, 9, 11, 7], 2),
        ([4, 4, 4, 5, 6, 7, 1], 3),  # field case 13 of graphs: 1, 1, 1, 2, 2, 2, 3 compiles
        ([1, 2, 3], 2),
        ([2, 1], 2),
        ([0, 5, 0, 1], 2),  # what has no step is never run
        (range(1, 12), 2),
        (range(11, 0, -1), 3),
    ],
)
def test_graphs_are_as_many_as_the_engine_compiles(lengths, symbolic):
    dataset = of_lengths(list(lengths))
    job = job_of([length for length in lengths if length])
    for name in ON_THE_ENGINE:
        strategy = strategy_named(name)
        row = strategy.counts(dataset.histogram, job.table, first=dataset.first_length)
        tally = Tally()
        states = strategy.run(replace(job, tally=tally))
        assert np.array_equal(states, eager(job))
        assert (name, tally.graphs, tally.steps, tally.launches) == (
            name, row.graphs, row.steps, row.launches,
        )  # fmt: skip
        if name == "capture-symbolic":
            assert row.graphs == symbolic


def test_the_reference_compiles_as_many_graphs_as_the_mode_pane_says():
    made = {name: tally_of(strategy_named(name), REFERENCE, FOUR).graphs for name in ON_THE_ENGINE}
    assert made == {"while-loop": 1, "capture": 8, "capture-symbolic": 3}


def test_the_recompile_limit_is_that_of_the_engine():
    assert RECOMPILE_LIMIT == LIMIT_OF_THE_ENGINE == 8


def test_counts_are_exact_beyond_int64():
    histogram = Histogram.from_counts({1: 10**18, 2**53: 10**18 + 1})
    table = bucket_table(histogram, (2**53,))
    rows = {item.name: item.counts(histogram, table) for item in FURTHER}
    real = 10**18 + (10**18 + 1) * 2**53
    assert rows["packed"].steps == rows["while-loop"].launches == real
    assert rows["packed"].launches == 2**53
    assert rows["exact-length"].launches == 2**53 + 1
    # Rows of 2^53: each long sequence fills one; the 10^18 short ones need 112 more.
    assert rows["packed-rows"].steps == (10**18 + 1 + -(-(10**18) // 2**53)) * 2**53
    assert rows["packed-rows"].launches == 2**53


# Zero lengths.


@each_further
def test_case_28_an_empty_sequence_costs_nothing_and_keeps_h0(strategy):
    dataset = of_lengths([0, 3, 2])
    table = table_of(strategy, dataset, (1, 3))
    row = strategy.counts(dataset.histogram, table)
    assert row.real_steps == 5
    assert row.steps == (6 if strategy.name in ("pad+where", "gather-last", "packed-rows") else 5)
    baseline = Baseline(dataset, ModelOptions(bias=0.5))
    batch, expected = baseline.batch([0, 1, 2])
    assert batch.lengths.tolist() == [0, 2, 3]
    outputs = run_outputs(strategy, baseline, batch, table)
    assert outputs[0].tolist() == [0.0] * 4
    np.testing.assert_allclose(outputs, expected, rtol=0, atol=1e-12)


@each_further
def test_without_a_step_nothing_is_counted(strategy):
    histogram = Histogram.from_lengths([0, 0])
    row = strategy.counts(histogram, bucket_table(histogram, (1,)))
    assert (row.steps, row.macs, row.graphs, row.launches) == (0, 0, 0, 0)
    assert (row.waste, row.saved, row.extra) == (None, None, None)


# Every strategy is right, whatever the model.


@each_further
@pytest.mark.parametrize(
    "model",
    [
        ModelOptions(bias=0.5),
        ModelOptions(weight_scale=1.0, bias=-0.3),
        ModelOptions(hidden=1, weight_scale=2.0),
        ModelOptions(hidden=64, weight_scale=0.6),
    ],
    ids=["bias", "scale-1", "hidden-1", "chaotic"],
)
def test_every_further_strategy_is_the_eager_run(strategy, model):
    dataset = of_lengths([3, 40, 1, 40, 17, 2, 8, 33])
    table = table_of(strategy, dataset, (10, 40))
    found = check(strategy, dataset, table, model)
    assert (found.wrong, found.checked, found.correct) == (0, 8, True)


@each_further
def test_a_long_chaotic_run_keeps_its_bits(strategy):
    # At this width and scale a difference in the last bit is one in the first digit by step 200.
    dataset = of_lengths([600, 300, 20, 30])
    table = table_of(strategy, dataset, (300, 600))
    found = check(strategy, dataset, table, ModelOptions(hidden=64, weight_scale=0.6))
    assert found.correct is True
    assert found.max_abs_error == 0.0


@each_further
def test_every_further_strategy_can_be_called_off(strategy):
    table = table_of(strategy, REFERENCE, FOUR.boundaries)
    with pytest.raises(CancelledError):
        check(strategy, REFERENCE, table, ModelOptions(), cancelled=lambda: True)
    baseline = Baseline(REFERENCE, ModelOptions())
    batch, _ = baseline.batch(list(range(100)))
    with pytest.raises(CancelledError):
        run_outputs(strategy, baseline, batch, table, cancelled=lambda: True)


# Packed: field case 20 (pytorch/pytorch#15567, #33602; fartashf/vsepp PR#36), whose results came
# back in the order of the lengths.


def test_case_20_the_internal_order_is_by_length_and_the_batch_shrinks():
    packed = pack_batch(job_of([2, 3, 1]).batch)
    assert packed.order.tolist() == [1, 0, 2]
    assert packed.sizes.tolist() == [3, 2, 1]


def test_case_20_equals_keep_the_order_of_the_caller_and_the_empty_come_last():
    packed = pack_batch(job_of([1, 0, 2, 1, 2]).batch)
    assert packed.order.tolist() == [2, 4, 0, 3, 1]
    assert packed.sizes.tolist() == [4, 2]


@pytest.mark.parametrize("alone", [True, False])
def test_case_20_results_of_packed_come_in_the_order_of_the_caller(alone):
    job = job_of([2, 3, 1], alone=alone)
    states = strategy_named("packed").run(job)
    np.testing.assert_allclose(states, eager(job), rtol=0, atol=1e-14)
    assert (job.tally.steps, job.tally.launches) == (6, 3)  # batches of 3, 2 and 1


def test_packed_multiplies_row_by_row_in_a_check_and_in_blocks_where_it_is_large(monkeypatch):
    lengths = [9, 2, 2, 30, 7, 1, 9]
    job = job_of(lengths, ModelOptions(bias=0.1))
    assert np.array_equal(strategy_named("packed").run(job), eager(job))
    monkeypatch.setattr("dgplay.core.sequences.packed_runs._MOST_NUMBERS", 0)
    monkeypatch.setattr("dgplay.core.sequences.strategy_runs._BLOCK_NUMBERS", 50)
    timed = job_of(lengths, ModelOptions(bias=0.1), alone=False)
    np.testing.assert_allclose(
        strategy_named("packed").run(timed), eager(timed), rtol=0, atol=1e-13
    )
    assert (timed.tally.steps, timed.tally.launches) == (sum(lengths), 30)


# Packed rows: the state begins anew behind each seam (field cases 18 and 19 of batching: packed
# documents must not see each other).


def test_rows_hold_every_step_once_and_are_full_first():
    job = job_of([7, 7, 3, 4, 1, 14])
    laid = lay_in_rows(job.batch, 14)
    assert laid.rows.lengths.tolist() == [14, 14, 8]  # 14; 7 + 7; 4 + 3 + 1
    ends = sorted(
        zip(laid.sequences.tolist(), laid.row_of.tolist(), laid.end_at.tolist(), strict=True)
    )
    assert ends == [(0, 1, 7), (1, 1, 14), (2, 2, 7), (3, 2, 4), (4, 2, 8), (5, 0, 14)]
    for sequence, row, end in ends:
        start, length = job.batch.starts[sequence], job.batch.lengths[sequence]
        begins = laid.rows.starts[row] + end - length
        assert np.array_equal(
            laid.rows.x[begins : begins + length], job.batch.x[start : start + length]
        )


def test_case_19_another_neighbour_in_the_row_changes_nothing():
    job = job_of([5, 3, 8], ModelOptions(weight_scale=1.0))
    before = strategy_named("packed-rows").run(job)
    job.batch.x[:5] += 1.0  # the sequence that lies before the second one in its row
    after = strategy_named("packed-rows").run(job)
    assert not np.array_equal(before[0], after[0])
    assert np.array_equal(before[1:], after[1:])


@settings(deadline=None, max_examples=40)
@given(st.lists(st.integers(1, 30), min_size=1, max_size=40))
def test_rows_of_a_check_never_take_more_than_twice_the_real_steps(lengths):
    # What a check reserves for a sequence: any two rows of best-fit decreasing exceed one row.
    job = job_of(lengths)
    strategy_named("packed-rows").run(job)
    assert sum(lengths) <= job.tally.steps <= 2 * sum(lengths)


# Field case 21 (pytorch/pytorch#188150, #190631, #162375; pytorch/xla#1522): padding each batch to
# its own longest, or packing, compiles again for every batch.


def test_case_21_as_many_graphs_as_shapes_against_the_steps_they_waste():
    rows = {
        item.name: item.counts(REFERENCE.histogram, table_of(item, REFERENCE, FOUR.boundaries))
        for item in EVERY
    }
    assert rows["packed"].graphs == rows["exact-length"].graphs == 20
    assert (rows["bucketed"].graphs, rows["optimal-buckets"].graphs) == (4, 4)
    assert rows["packed"].waste == 0.0
    assert rows["bucketed"].waste == pytest.approx(ARTICLE["waste_bucketed"])


# Optimal buckets.


def test_optimal_buckets_follow_the_number_of_buckets_alone():
    strategy = strategy_named("optimal-buckets")
    rows = [
        strategy.counts(REFERENCE.histogram, table_of(strategy, REFERENCE, boundaries)).steps
        for boundaries in ((5, 10, 15, 20), (1, 2, 3, 20), (10, 20))
    ]
    assert rows == [1256, 1256, 1496]  # chainer_100.json: the optimum for four and for two


# Budgets.


@pytest.mark.parametrize(
    ("name", "most"),
    [
        ("while-loop", MOST_LOOP_STEPS),
        ("capture", MOST_CAPTURED_STEPS),
        ("capture-symbolic", MOST_CAPTURED_STEPS),
    ],
)
def test_what_runs_on_the_engine_has_a_smaller_budget_and_says_how_many_were_checked(name, most):
    dataset = generate("uniform:1-20", 10_000, 0)
    table = bucket_table(dataset.histogram, (20,))
    found = check(strategy_named(name), dataset, table, ModelOptions())
    assert (found.wrong, found.correct) == (0, True)
    assert most / 20 < found.checked < most / 10 + 60


@each_further
def test_what_does_not_fit_is_not_run(strategy):
    dataset = of_lengths([300_000, 300_001])
    table = table_of(strategy, dataset, (300_000, 300_001))
    found = check(strategy, dataset, table, ModelOptions())
    assert (found.wrong, found.checked, found.correct, found.max_abs_error) == (0, 0, None, None)


@settings(deadline=None, max_examples=30)
@given(st.lists(st.integers(0, 40), min_size=1, max_size=60).filter(any), st.integers(0, 400))
def test_a_choice_keeps_the_budget(lengths, budget):
    dataset = of_lengths(lengths)
    baseline = Baseline(dataset, ModelOptions(), budget)
    table = bucket_table(dataset.histogram, (20, 40))
    for strategy in FURTHER:
        positions = choose(strategy, baseline, table)
        batch, _ = baseline.batch(positions)
        tally = Tally()
        if strategy.name not in ON_THE_ENGINE:
            run_outputs(strategy, baseline, batch, table, tally=tally)
        assert tally.steps <= budget


def test_time_is_measured_where_the_same_sequences_fit(monkeypatch):
    monkeypatch.setattr("dgplay.core.sequences.timing.FEWEST_RUNS", 1)
    monkeypatch.setattr("dgplay.core.sequences.timing.MOST_SECONDS", 0.0)
    baseline = Baseline(REFERENCE, ModelOptions())
    for strategy in FURTHER:
        timing = measure(strategy, baseline, table_of(strategy, REFERENCE, FOUR.boundaries))
        assert timing is not None
        assert (timing.sequences, timing.seconds > 0) == (100, True)
    larger = generate("uniform:1-20", 2_000, 0)
    table = bucket_table(larger.histogram, (20,))
    baseline = Baseline(larger, ModelOptions())
    assert measure(strategy_named("while-loop"), baseline, table) is None
    packed = measure(strategy_named("packed"), baseline, table)
    assert packed is not None
    assert packed.steps == larger.histogram.real_steps
