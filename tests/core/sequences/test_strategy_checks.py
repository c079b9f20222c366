"""The check: what it finds on the reference, and what it does when the data is too large."""

import tracemalloc
from importlib.resources import files

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dgplay.core.sequences import inputs as inputs_module
from dgplay.core.sequences.buckets import bucket_table
from dgplay.core.sequences.checks import Baseline, check, choose
from dgplay.core.sequences.dataset import Dataset
from dgplay.core.sequences.generators import generate
from dgplay.core.sequences.histogram import Histogram
from dgplay.core.sequences.inputs import SeededSource, StreamSource
from dgplay.core.sequences.rnn import CancelledError, ModelOptions, make_rnn
from dgplay.core.sequences.strategies import STRATEGIES, strategy_named
from dgplay.core.sequences.timing import measure

LENGTHS = files("dgplay.core.data") / "lengths"
REFERENCE = generate("uniform:1-20", 100, 0)
FOUR = bucket_table(REFERENCE.histogram, (5, 10, 15, 20))


def of_lengths(lengths):
    histogram = Histogram.from_lengths(lengths)
    return Dataset("few", "file", histogram, rows=histogram.sequences)


def bundled(name):
    lines = (LENGTHS / f"{name}.csv").read_text(encoding="utf-8").splitlines()
    pairs = [line.split(",") for line in lines if line[:1].isdigit()]
    histogram = Histogram.from_counts({int(length): int(count) for length, count in pairs})
    return Dataset(name, "bundled", histogram, rows=histogram.sequences)


def widths(data, k):
    longest = data.histogram.maximum
    return bucket_table(data.histogram, sorted({-(-i * longest // k) for i in range(1, k + 1)}))


def checked(model, data=REFERENCE, table=FOUR, **options):
    return {
        strategy.name: check(strategy, data, table, model, **options) for strategy in STRATEGIES
    }


@pytest.mark.parametrize(("scale", "error"), [(1.0, 17.0), (0.3, 2.42), (0.1, 0.428)])
def test_padding_without_a_mask_is_wrong_at_every_scale(scale, error):
    result = checked(ModelOptions(weight_scale=scale))["pad"]
    assert (result.wrong, result.checked, result.correct) == (92, 100, False)
    assert float(f"{result.max_abs_error:.3g}") == error


def test_the_reference_experiment():
    results = checked(ModelOptions())
    assert {result.checked for result in results.values()} == {100}
    assert {name: result.wrong for name, result in results.items()} == {
        "pad": 92, "pad+mask": 0, "dynamic": 0, "bucketed": 0, "left-pad": 0, "repeat-last": 92,
    }  # fmt: skip
    for name, result in results.items():
        assert result.correct is (name not in ("pad", "repeat-last"))
        if result.correct:
            assert result.max_abs_error is not None
            assert result.max_abs_error < 1e-12
    assert results["bucketed"].per_bucket == (True, True, True, True)
    assert results["pad"].per_bucket == ()


def test_repeating_the_last_step_at_scale_one():
    result = checked(ModelOptions(weight_scale=1.0))["repeat-last"]
    assert float(f"{result.max_abs_error:.3g}") == 12.6


@pytest.mark.parametrize(("scale", "wrong"), [(0.3, 92), (1.0, 91)])
def test_a_bias_breaks_left_padding_only(scale, wrong):
    results = checked(ModelOptions(weight_scale=scale, bias=0.5))
    assert (results["left-pad"].wrong, results["left-pad"].correct) == (wrong, False)
    assert all(results[name].correct for name in ("pad+mask", "dynamic", "bucketed"))


@pytest.mark.parametrize("hidden", [1, 64])
def test_other_widths_keep_the_verdicts(hidden):
    results = checked(ModelOptions(hidden=hidden, weight_scale=0.5))
    assert [name for name, result in results.items() if not result.correct] == [
        "pad",
        "repeat-last",
    ]


def test_the_baseline_is_the_formula_on_the_exact_stream():
    rng = np.random.default_rng(0)
    wx, wh, wy = (0.3 * rng.standard_normal(shape) for shape in ((16, 8), (8, 8), (8, 4)))
    expected = []
    for length in rng.integers(1, 21, 100):
        h = np.zeros(8)
        for x in rng.standard_normal((length, 16)):
            h = np.tanh(x @ wx + h @ wh)
        expected.append(h @ wy)
    _, outputs = Baseline(REFERENCE, ModelOptions()).batch(list(range(100)))
    np.testing.assert_allclose(outputs, expected, rtol=0, atol=1e-12)


def test_the_width_leaves_lengths_and_inputs_alone():
    narrow = Baseline(REFERENCE, ModelOptions(hidden=8)).batch([0, 5])[0]
    wide = Baseline(REFERENCE, ModelOptions(hidden=32)).batch([0, 5])[0]
    assert np.array_equal(narrow.x, wide.x)


def test_a_small_generator_is_its_own_stream_and_others_are_seeded():
    small, large = generate("uniform:1-50", 100, 0), generate("uniform:1-50", 100_000, 0)
    assert isinstance(Baseline(small, ModelOptions()).source, StreamSource)
    assert isinstance(Baseline(large, ModelOptions()).source, SeededSource)
    assert isinstance(Baseline(small, ModelOptions(seed=1)).source, SeededSource)


def test_seeded_inputs_follow_the_position_in_ascending_order():
    data = of_lengths([4, 0, 2, 2])
    source = Baseline(data, ModelOptions(seed=9)).source
    assert [source.length(position) for position in range(4)] == [0, 2, 2, 4]
    assert [source.first_of(length) for length in (0, 2, 4)] == [0, 1, 3]
    expected = np.random.default_rng([9, 2]).standard_normal((2, 16))
    assert np.array_equal(source.inputs(2), expected)


def test_case_28_an_empty_sequence_is_right_under_every_strategy():
    data = of_lengths([0, 3, 2])
    table = bucket_table(data.histogram, (1, 3))
    results = checked(ModelOptions(bias=0.5), data, table)
    assert {result.checked for result in results.values()} == {3}
    assert results["pad"].wrong == 1
    assert results["bucketed"].per_bucket == (None, True)


def test_only_empty_sequences_and_none_at_all():
    for lengths, count in (([0, 0], 2), ([], 0)):
        data = of_lengths(lengths)
        for result in checked(ModelOptions(), data, bucket_table(data.histogram, (1,))).values():
            assert (result.checked, result.wrong) == (count, 0)
            assert result.correct is (True if count else None)
            assert result.max_abs_error == (0.0 if count else None)


def test_what_does_not_fit_is_not_run():
    data = of_lengths([2, 3, 300_000])
    table = bucket_table(data.histogram, (3, 300_000))
    results = checked(ModelOptions(), data, table)
    for name in ("pad", "pad+mask", "left-pad", "repeat-last"):
        result = results[name]
        assert (result.checked, result.wrong) == (0, 0)
        assert result.correct is None
        assert result.max_abs_error is None
    assert results["dynamic"].checked == 2
    assert results["bucketed"].checked == 2
    assert results["bucketed"].per_bucket == (True, None)


def test_outputs_that_are_not_numbers_are_never_right():
    with np.errstate(all="raise"):
        results = checked(ModelOptions(weight_scale=1e308))
    for result in results.values():
        assert result.wrong == result.checked == 100
        assert result.correct is False
        assert result.max_abs_error is not None
        assert not np.isfinite(result.max_abs_error)


def test_a_chaotic_width_and_long_sequences_do_not_blur_the_verdict():
    data = of_lengths([700, 350, 20, 701, 702, 703, 690])
    table = bucket_table(data.histogram, (400, 703))
    results = checked(ModelOptions(hidden=64, weight_scale=0.6), data, table)
    assert all(results[name].correct for name in ("pad+mask", "dynamic", "bucketed", "left-pad"))


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.integers(0, 40), min_size=1, max_size=60),
    st.sets(st.integers(1, 39), max_size=4),
    st.integers(0, 400),
)
def test_a_choice_keeps_its_budget_and_repeats_nothing(lengths, inner, budget):
    data = of_lengths(lengths)
    table = bucket_table(data.histogram, (*sorted(inner), 40))
    baseline = Baseline(data, ModelOptions(), budget)
    ascending = sorted(lengths)
    for strategy in STRATEGIES:
        chosen = choose(strategy, baseline, table)
        assert chosen == choose(strategy, Baseline(data, ModelOptions(), budget), table)
        assert len(set(chosen)) == len(chosen)
        costs = [
            strategy.steps_of(length, ascending[-1], table) if length else 1 for length in ascending
        ]
        assert sum(costs[position] for position in chosen) <= budget
        if sum(costs) <= budget:
            assert len(chosen) == len(lengths)
        elif costs[0] + costs[-1] <= budget:
            assert ascending[0] in [ascending[position] for position in chosen]
            assert ascending[-1] in [ascending[position] for position in chosen]


def test_a_million_sequences_use_the_budget_and_show_the_bucket_ends():
    data = generate("uniform:1-1000", 1_000_000, 0)
    table = bucket_table(data.histogram, (250, 500, 1000))
    baseline = Baseline(data, ModelOptions(), 20_000)
    ascending = [
        baseline.source.length(position)
        for position in choose(strategy_named("bucketed"), baseline, table)
    ]
    assert {1, 250, 251, 500, 501, 1000} <= set(ascending)
    steps = sum(table.pad_to_of(length) for length in ascending)
    assert 19_000 < steps <= 20_000
    assert len(choose(strategy_named("pad"), baseline, table)) == 20


def test_boundaries_matter_to_bucketed_alone():
    data = generate("uniform:1-100", 10_000, 0)
    baseline = Baseline(data, ModelOptions(), 5000)
    for strategy in STRATEGIES:
        choices = [
            choose(strategy, baseline, bucket_table(data.histogram, ends))
            for ends in ((50, 100), (30, 60, 100))
        ]
        assert (choices[0] == choices[1]) is not strategy.by_bucket


def test_one_baseline_serves_all_and_stays_small():
    data = generate("uniform:1-30", 20_000, 0)
    model = ModelOptions()
    shared = Baseline(data, model, 3000)
    for k in range(1, 9):
        table = widths(data, k)
        together = checked(model, data, table, budget=3000, baseline=shared)
        assert together == checked(model, data, table, budget=3000)
        assert shared._steps <= 5 * 3000


def test_lengths_up_to_31444_need_little_room():
    data = bundled("voxconverse_segments_10ms")
    table = widths(data, 4)
    model = ModelOptions(weight_scale=1.0)
    tracemalloc.start()
    results = checked(model, data, table, budget=70_000, baseline=Baseline(data, model, 70_000))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 100_000_000
    assert results["pad"].checked == 2
    assert results["pad"].correct is False
    for name in ("pad+mask", "dynamic", "bucketed", "left-pad"):
        assert results[name].correct is True


def test_a_check_can_be_called_off_at_any_moment():
    polls = 0

    def after(limit):
        nonlocal polls
        polls = 0

        def cancelled():
            nonlocal polls
            polls += 1
            return polls > limit

        return cancelled

    for limit in (0, 50, 105):
        for name in ("dynamic", "pad"):
            with pytest.raises(CancelledError):
                check(strategy_named(name), REFERENCE, FOUR, ModelOptions(), cancelled=after(limit))


def test_no_input_is_made_for_what_is_not_checked(monkeypatch):
    made = []
    drawn = inputs_module.SeededSource.inputs

    def recorded(self, position):
        made.append(position)
        return drawn(self, position)

    monkeypatch.setattr(inputs_module.SeededSource, "inputs", recorded)
    data = of_lengths([5] * 1000)
    result = check(
        strategy_named("pad"), data, bucket_table(data.histogram, (5,)), ModelOptions(), budget=50
    )
    assert result.checked == len(made) == len(set(made)) == 10


def test_time_is_a_median_with_quartiles_of_the_same_sequences():
    ticks = iter(float(tick * tick) for tick in range(1000))
    baseline = Baseline(REFERENCE, ModelOptions())
    timing = measure(strategy_named("bucketed"), baseline, FOUR, clock=lambda: next(ticks))
    # Intervals 1, 5, 9 of the square numbers: over half a second after one, three are the least.
    assert timing is not None
    assert (timing.low, timing.seconds, timing.high) == (3.0, 5.0, 7.0)
    assert (timing.runs, timing.sequences, timing.steps) == (3, 100, 1270)


def test_time_of_what_does_not_fit_is_not_measured():
    data = of_lengths([300_000])
    table = bucket_table(data.histogram, (300_000,))
    baseline = Baseline(data, ModelOptions())
    assert measure(strategy_named("pad"), baseline, table) is None


def test_weights_do_not_depend_on_the_data():
    assert np.array_equal(
        Baseline(of_lengths([3]), ModelOptions()).rnn.wh, make_rnn(ModelOptions()).wh
    )
