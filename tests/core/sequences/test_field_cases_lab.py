"""Cases from the field that touch the Lab; each names its report and the number of the case."""

import io
import time

import numpy as np
import pytest

from dgplay.core.errors import DataError, PlanError
from dgplay.core.report import data_record
from dgplay.core.sequences.analysis import Analysis
from dgplay.core.sequences.buckets import bucket_table
from dgplay.core.sequences.checks import check
from dgplay.core.sequences.dataset import DataOptions, Dataset
from dgplay.core.sequences.histogram import Histogram
from dgplay.core.sequences.inputs import Ragged
from dgplay.core.sequences.loading import load
from dgplay.core.sequences.planners import plan
from dgplay.core.sequences.rnn import ModelOptions, make_rnn
from dgplay.core.sequences.strategies import STRATEGIES
from dgplay.tui import headless


def of(lengths):
    return Histogram.from_lengths(lengths)


def account(dataset):
    """The two identities of DESIGN section 5, as they must always hold."""
    record = data_record(dataset)
    assert record["sequences"] + record["skipped"] + record["dropped"] == record["rows"]
    return record


# Case 2 (tensorflow/tensorflow#47513) and case 3 (huggingface/tgi-gaudi#39): what a boundary
# includes. The exclusive boundaries 4,7 that tf.data wants are the exporter's.


@pytest.mark.parametrize(("length", "pad_to"), [(3, 3), (4, 6), (6, 6)])
def test_case_2_sizes_3_6_are_inclusive(length, pad_to):
    assert bucket_table(of([1, 6]), (3, 6), "boundary").pad_to_of(length) == pad_to


def test_case_2_a_length_above_the_last_size_is_refused():
    with pytest.raises(PlanError, match="length 7 is above the last boundary 6"):
        bucket_table(of([1, 6]), (3, 6), "boundary").pad_to_of(7)


@pytest.mark.parametrize(("length", "pad_to"), [(256, 256), (257, 512), (512, 512)])
def test_case_3_a_length_on_a_boundary_stays_there(length, pad_to):
    assert bucket_table(of([1, 512]), (256, 512), "boundary").pad_to_of(length) == pad_to


def test_case_3_above_the_last_size_is_an_error_that_says_so_never_an_index_error():
    with pytest.raises(PlanError, match="length 513 is above the last boundary 512"):
        bucket_table(of([1, 512]), (256, 512), "boundary").pad_to_of(513)


# Case 4 (apache/mxnet#5433): an empty bucket raises there.


def test_case_4_an_empty_bucket_is_reported_and_costs_nothing():
    table = bucket_table(of([11, 12, 13, 14, 19]), (30, 40), "boundary")
    assert [(bucket.high, bucket.count, bucket.steps) for bucket in table.buckets] == [
        (30, 5, 150),
        (40, 0, 0),
    ]
    assert table.steps == 150


# Case 6 (huggingface/transformers#10909): lengths had to be learnt by iterating over everything.


def test_case_6_a_hundred_thousand_lengths_are_read_from_csv_in_half_a_second(tmp_path):
    lengths = np.random.default_rng(0).integers(1, 500, 100_000)
    path = tmp_path / "lengths.csv"
    path.write_text("length\n" + "\n".join(map(str, lengths.tolist())) + "\n")
    started = time.process_time()
    dataset = load(DataOptions((str(path),)))
    seconds = time.process_time() - started
    assert dataset.histogram.items() == of(lengths).items()
    assert seconds < 1.5  # 0.05 s here; the bound allows for a machine thirty times as busy


# Case 7 (huggingface/transformers#28069): two hours without a sign of progress.


def test_case_7_a_load_of_more_than_a_second_shows_the_rows_read(capsys, monkeypatch):
    now = [100.0]
    monkeypatch.setattr(headless.time, "monotonic", lambda: now[0])
    progress = headless.Progress()
    for seconds, rows in ((100.9, 50_000), (101.1, 100_000), (101.2, 150_000), (101.5, 200_000)):
        now[0] = seconds
        progress(rows)
    progress.finish()
    said = "\rdgplay: reading, 100,000 rows so far\rdgplay: reading, 200,000 rows so far\n"
    assert capsys.readouterr().err == said


def test_case_7_loading_reports_its_rows(tmp_path):
    path = tmp_path / "many.txt"
    path.write_text("7\n" * 120_000)
    seen = []
    load(DataOptions((str(path),)), progress=seen.append)
    assert seen
    assert seen == sorted(seen)
    assert seen[-1] <= 120_000


# Case 8 (huggingface/transformers#19295): a list of lengths, not columns of lists.


def test_case_8_a_file_of_numbers_is_a_list_of_lengths():
    dataset = load(DataOptions(("-",)), stdin=io.BytesIO(b"5\n9\n3"))
    assert dataset.in_order is not None
    assert dataset.in_order.tolist() == [5, 9, 3]
    assert account(dataset)["sequences"] == 3


# Case 21 (lhotse-speech/lhotse#610): equal-duration bucketing lost cuts.


@pytest.mark.parametrize("method", ["equal-total", "quantile", "uniform", "optimal"])
def test_case_21_a_thousand_items_in_five_hundred_buckets_are_all_there_once(method):
    lengths = np.random.default_rng(21).integers(1, 3000, 1000)
    histogram = of(lengths)
    table = bucket_table(histogram, plan(histogram, 500, method))
    assert sum(bucket.count for bucket in table.buckets) == 1000
    assert [table.bucket_index(length) for length in lengths.tolist()] == [
        next(i for i, high in enumerate(table.boundaries) if length <= high)
        for length in lengths.tolist()
    ]


# Case 23 (lhotse-speech/lhotse#943): a very uneven tail bucket.


def test_case_23_the_optimum_gives_the_outlier_a_bucket_of_its_own():
    histogram = of([*range(1, 11)] * 100 + [1000])
    assert plan(histogram, 2, "optimal") == (10, 1000)


def test_case_23_waste_is_reported_for_each_bucket():
    histogram = of([*range(1, 11)] * 100 + [1000])
    body, tail = bucket_table(histogram, (10, 1000)).buckets
    assert (body.count, body.steps, body.real_steps, body.waste) == (1000, 10_000, 5500, 0.45)
    assert (tail.count, tail.steps, tail.real_steps, tail.waste) == (1, 1000, 1000, 0.0)


# Case 28 (pytorch/pytorch#4582, #11514, #80605; tensorflow/nmt#210): length zero.


def test_case_28_a_zero_length_is_a_sequence_without_steps():
    record = account(load(DataOptions(("-",)), stdin=io.BytesIO(b"0\n3\n2\n")))
    assert (record["sequences"], record["zeros"], record["real_steps"]) == (3, 1, 5)


def test_case_28_the_state_of_an_empty_sequence_is_exactly_h0():
    rnn = make_rnn(ModelOptions())
    empty = Ragged.join([np.zeros((0, 16))])
    assert rnn.final_state(empty.x).tolist() == [0.0] * 8


@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda strategy: strategy.name)
def test_case_28_no_strategy_errs_on_the_empty_sequence(strategy):
    histogram = of([0, 3, 3])  # without padding nothing else can be wrong
    dataset = Dataset("few", "file", histogram, rows=3)
    found = check(strategy, dataset, bucket_table(histogram, (3,)), ModelOptions(bias=0.5))
    assert (found.wrong, found.checked, found.correct) == (0, 3, True)


# Case 35 (axolotl-ai-cloud/axolotl#2211, #1066, #1731): dropped, and nobody told how many.


def test_case_35_what_is_dropped_is_counted_and_said():
    options = DataOptions(("-",), max_length=100, over="drop")
    dataset = load(options, stdin=io.BytesIO(b"5\n50\n500\n"))
    record = account(dataset)
    assert (record["dropped"], record["dropped_steps"], record["real_steps"]) == (1, 500, 55)
    assert dataset.notes[-1] == (
        "dropped 1 of 3 sequences, 500 of 555 steps (90.1%): longer than 100"
    )


def test_case_35_without_a_choice_the_long_one_is_refused():
    with pytest.raises(DataError, match="above --max-length 100"):
        load(DataOptions(("-",), max_length=100), stdin=io.BytesIO(b"5\n50\n500\n"))


# Case 36 (axolotl-ai-cloud/axolotl#3401): truncation chosen but never applied.


def test_case_36_after_truncation_nothing_is_above_the_cap():
    options = DataOptions(("-",), max_length=100, over="truncate")
    record = account(load(options, stdin=io.BytesIO(b"5\n50\n500\n")))
    assert record["max"] == 100
    assert (record["sequences"], record["truncated"], record["truncated_steps"]) == (3, 1, 400)
    assert record["real_steps"] + record["truncated_steps"] == 555


def test_case_36_buckets_and_optimum_see_the_truncated_lengths():
    options = DataOptions(("-",), max_length=100, over="truncate")
    analysis = Analysis(load(options, stdin=io.BytesIO(b"5\n50\n500\n")))
    assert analysis.optimum(1) == (300, (100,))


# Case 49 (hiyouga/LlamaFactory#5271): samples lost for an odd length.


@pytest.mark.parametrize("over", ["drop", "truncate"])
@pytest.mark.parametrize("cap", [1, 2, 7, 99, 100])
def test_case_49_the_steps_of_the_plan_and_the_lost_ones_are_those_of_the_file(over, cap):
    lengths = [1, 1, 2, 3, 5, 8, 13, 21, 55, 89, 99, 100, 101, 377]
    options = DataOptions(("-",), max_length=cap, over=over)
    text = "\n".join(map(str, lengths)).encode()
    analysis = Analysis(load(options, stdin=io.BytesIO(text)))
    record = account(analysis.dataset)
    table = bucket_table(analysis.histogram, analysis.plan(3, "equal-total"))
    assert table.real_steps == record["real_steps"]
    lost = record["dropped_steps"] + record["truncated_steps"]
    assert table.real_steps + lost == sum(lengths)
