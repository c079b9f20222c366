"""Batches: cases that people reported, small enough to follow by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from dgplay.core.errors import PlanError
from dgplay.core.sequences.batch_options import BatchOptions, bucket_batch_sizes
from dgplay.core.sequences.batch_report import (
    batch_report,
    buffer_needed,
    length_correlation,
    recompile_warning,
    resume,
    shapes_so_far,
)
from dgplay.core.sequences.batches import Batches, make_batches, sequence_lengths
from dgplay.core.sequences.generators import generate
from dgplay.core.sequences.histogram import Histogram
from dgplay.core.sequences.orders import cut_by_size, grouped_order, longest_batch_first
from dgplay.core.sequences.ranks import rank_wait, share

NONE = np.zeros(0, np.int64)


def ints(*values: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    return np.array(values, np.int64)


def batches_of(*groups: tuple[int, ...]) -> Batches:
    """Batches of the given lengths in that order, each padded to its own longest."""
    lengths = ints(*(length for group in groups for length in group))
    starts = np.cumsum([0, *map(len, groups)])
    sizes = np.diff(starts)
    pad = ints(*map(max, groups))
    return Batches(lengths, np.arange(len(lengths)), starts, pad, sizes, NONE, 0, 0, 0)


def test_bucketed_batches_waste_less_than_random_ones() -> None:  # case 1
    lengths = ints(9, 1, 8, 2)
    options = BatchOptions(batch_size=2, pad_to="batch")
    assert make_batches(lengths, (2, 9), options).total_steps == 22
    assert batches_of((9, 1), (8, 2)).total_steps == 34


def test_a_group_of_one_batch_sorts_nothing_across_batches() -> None:  # case 12
    lengths, unchanged = ints(1, 9, 2, 8), np.arange(4)
    for group, steps in ((2, 34), (4, 22)):
        order = lengths[grouped_order(lengths, unchanged, group)].tolist()
        assert batches_of((order[0], order[1]), (order[2], order[3])).total_steps == steps


def test_the_longest_batch_comes_first_and_nothing_else_changes() -> None:  # case 13
    # Transformers' swap gives (9,4)(3,2)(5,8)(7,6) and 54 padded steps here.
    grouped = batches_of((5, 4), (3, 2), (9, 8), (7, 6))
    first = grouped.take(longest_batch_first(grouped.longest))
    assert [first.lengths[batch].tolist() for batch in first] == [[9, 8], [5, 4], [3, 2], [7, 6]]
    assert first.total_steps == grouped.total_steps == 48


def test_order_of_lengths_shows_as_correlation() -> None:  # case 10
    assert length_correlation(batches_of((1, 1), (2, 2), (3, 3), (4, 4))) == pytest.approx(1.0)
    lengths = np.repeat(np.arange(1, 101), 20)
    options = BatchOptions(batch_size=2)
    boundaries = tuple(range(1, 101))
    shuffled = batch_report(lengths, boundaries, options).length_correlation
    grouped = batch_report(lengths, boundaries, replace(options, order="grouped", mega_batches=50))
    assert shuffled == pytest.approx(0.0, abs=0.1)
    assert grouped.length_correlation == pytest.approx(0.9, abs=0.1)
    assert length_correlation(batches_of((3, 1), (2, 2), (2, 2))) is None
    assert length_correlation(batches_of((3, 1), (2, 2))) is None


def test_a_budget_counts_padding_not_the_sum_of_lengths() -> None:  # case 22
    lengths = ints(73, 114)
    cut = make_batches(lengths, (114,), BatchOptions(budget=200, pad_to="batch"))
    assert cut.count == 2
    assert make_batches(lengths, (114,), BatchOptions(budget=228, pad_to="batch")).count == 1


def test_a_rank_finds_its_own_batches() -> None:  # case 26
    batches = batches_of(*[(length,) for length in range(1, 601)])
    shares = share(batches, 600)
    assert shares.of_rank(7).tolist() == [7]
    twenty = share(batches, 20)
    assert twenty.of_rank(3).tolist() == list(range(3, 600, 20))
    assert np.shares_memory(twenty.of_rank(3), twenty.order)


def test_ranks_run_the_same_number_of_batches() -> None:  # case 27
    batches = batches_of(*[(length, 1) for length in range(1, 8)])
    dropped = share(batches, 2, "drop")
    assert dropped.optimizer_steps == 3
    assert (dropped.dropped, dropped.dropped_steps, dropped.repeated) == (2, 8, 0)
    repeated = share(batches, 2, "repeat")
    assert repeated.optimizer_steps == 4
    assert (repeated.repeated, repeated.repeated_steps, repeated.dropped) == (2, 2, 0)
    assert repeated.order.ravel().tolist() == [0, 1, 2, 3, 4, 5, 6, 0]
    assert share(batches, 9, "drop").optimizer_steps == 0
    assert share(batches, 16, "repeat").optimizer_steps == 1


def test_ranks_wait_for_the_slowest() -> None:
    batches = batches_of((4,), (1,), (2,), (2,))
    assert rank_wait(batches, share(batches, 2).order) == pytest.approx(1 - 9 / 12)
    assert rank_wait(batches, share(batches, 1).order) == 0.0
    assert rank_wait(batches, share(batches, 5).order) is None


def test_zero_lengths_are_counted_and_in_no_batch() -> None:  # case 28
    report = batch_report(ints(0, 3, 2), (3,), BatchOptions(batch_size=2))
    assert (report.zeros, report.count, report.real_steps) == (1, 1, 5)
    assert report.notes() == ("zero-length sequences, in no batch: 1",)
    with pytest.raises(PlanError, match="no sequence with a step"):
        make_batches(ints(0, 0), (3,), BatchOptions(batch_size=2))


def test_what_exceeds_the_budget_is_named_dropped_or_kept() -> None:  # case 29
    lengths, options = ints(10, 200, 201, 7), BatchOptions(budget=200, pad_to="batch")
    with pytest.raises(PlanError) as error:
        make_batches(lengths, (201,), options)
    assert str(error.value) == (
        "--budget: sequence 2 of length 201 exceeds the budget of 200;"
        " raise it to 201, or drop what is too long"
    )
    dropped = batch_report(lengths, (201,), replace(options, over="drop"))
    assert (dropped.dropped, dropped.dropped_steps, dropped.real_steps) == (1, 201, 217)
    assert make_batches(lengths, (201,), replace(options, over="drop")).dropped.tolist() == [2]
    kept = batch_report(lengths, (201,), replace(options, over="keep"))
    assert (kept.kept_over, kept.dropped, kept.real_steps) == (1, 0, 418)
    with pytest.raises(PlanError, match=r"sequence 0 of length 10 \(padded to 201\)"):
        make_batches(lengths, (201,), replace(options, pad_to="boundary"))
    # Under `longest` the bucket shrinks with what is dropped, so the rest still fits.
    longest = make_batches(lengths, (201,), replace(options, pad_to="longest", over="drop"))
    assert longest.dropped.tolist() == [2]
    assert set(longest.pad.tolist()) == {200}
    nothing = batch_report(lengths, (201,), replace(options, pad_to="boundary", over="drop"))
    assert (nothing.count, nothing.dropped, nothing.steps_per_epoch, nothing.shapes) == (0, 4, 0, 0)


def test_warning_at_nine_shapes_not_at_eight() -> None:  # case 40
    assert recompile_warning(8) is None
    assert "9 shapes" in (recompile_warning(9) or "")
    lengths = np.arange(1, 10)
    report = batch_report(lengths, tuple(range(1, 10)), BatchOptions(batch_size=4))
    assert report.notes()[-1] == recompile_warning(9)


def test_compiles_are_the_shapes_seen_so_far() -> None:  # case 45
    batches = batches_of((3,), (3, 1), (5,), (3,), (4,))
    assert shapes_so_far(batches, BatchOptions(batch_size=2)).tolist() == [1, 1, 2, 2, 3]
    # With compiled numbers of rows (3, 1 row) and (3, 2 rows) are two shapes.
    sized = BatchOptions(batch_size=2, batch_sizes=(1, 2))
    assert shapes_so_far(batches, sized).tolist() == [1, 2, 3, 3, 4]


def test_sizes_bound_the_compiles() -> None:  # case 46
    lengths = np.random.default_rng(0).integers(1, 24, 500)
    options = BatchOptions(batch_size=8)
    assert batch_report(lengths, (10, 14, 23), options).shapes == 3
    assert batch_report(lengths, (64,), options).shapes == 1
    assert batch_report(lengths, (64,), replace(options, pad_to="batch")).shapes > 1


def test_buckets_bound_the_compiles_of_the_reference_experiment() -> None:  # graphs.md, row 21
    reference = generate("uniform:1-20", 100, 0)
    lengths = sequence_lengths(reference.histogram, reference.in_order)
    options = BatchOptions(batch_size=1, pad_to="batch")
    assert batch_report(lengths, (20,), options).shapes == 20
    assert batch_report(lengths, (5, 10, 15, 20), replace(options, pad_to="boundary")).shapes == 4


def batches_left(lengths: Any, options: BatchOptions) -> list[list[int]]:
    batches, shares, done = resume(lengths, (20,), options)
    return [batches.batch(i).tolist() for i in shares.order[done:].ravel()]


def test_resuming_gives_exactly_the_rest() -> None:  # case 47
    lengths = np.arange(1, 21)
    options = BatchOptions(batch_size=2)
    whole = batches_left(lengths, options)
    assert len(whole) == 10
    assert batches_left(lengths, replace(options, skip_batches=4)) == whole[4:]
    second = [batch.tolist() for batch in make_batches(lengths, (20,), options, epoch=1)]
    assert batches_left(lengths, replace(options, skip_batches=10)) == second
    assert batches_left(lengths, replace(options, skip_batches=13)) == second[3:]
    assert second != whole
    report = batch_report(lengths, (20,), replace(options, skip_batches=14))
    assert (report.epoch, report.count, report.optimizer_steps) == (1, 6, 6)
    assert report.steps_per_epoch == 400
    by_rank = batch_report(lengths, (20,), replace(options, skip_batches=2, ranks=4))
    assert (by_rank.epoch, by_rank.count, by_rank.optimizer_steps) == (1, 10, 2)


def test_resuming_too_far_is_refused() -> None:
    lengths = np.arange(1, 21)
    with pytest.raises(PlanError, match="more than 100 epochs"):
        resume(lengths, (20,), BatchOptions(batch_size=2, skip_batches=10**9))
    with pytest.raises(PlanError, match="leaves 16 ranks nothing to do"):
        resume(lengths, (20,), BatchOptions(batch_size=2, ranks=16, skip_batches=1))


def test_a_multiple_rounds_down_and_splits_the_tail() -> None:
    assert np.diff([*cut_by_size(0, 45, 16, 8), 45]).tolist() == [16, 16, 8, 5]
    assert np.diff([*cut_by_size(0, 37, 16, 8), 37]).tolist() == [16, 16, 5]
    options = BatchOptions(budget=100, batch_multiple=8)
    assert [options.size_for(pad) for pad in (4, 5, 12, 13, 100)] == [24, 16, 8, 7, 1]
    assert bucket_batch_sizes((4, 13), options) == (24, 7)


def test_compiled_batch_sizes_fill_up_the_last_batch() -> None:
    options = BatchOptions(budget=100, batch_sizes=(1, 4, 16))
    assert [options.size_for(pad) for pad in (6, 7, 25, 26, 100, 101)] == [16, 4, 4, 1, 1, 0]
    batches = make_batches(np.full(22, 6), (6,), options)
    assert sorted(zip(batches.sizes.tolist(), batches.rows.tolist(), strict=True)) == [
        (6, 16),
        (16, 16),
    ]
    assert batches.total_steps == 2 * 16 * 6


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (BatchOptions(), "either a budget or a batch size"),
        (BatchOptions(budget=3, batch_size=3), "either a budget or a batch size"),
        (BatchOptions(budget=0), "--budget: is 1 or above, not 0"),
        (BatchOptions(batch_size=1, batch_multiple=0), "--batch-multiple: is 1 or above"),
        (BatchOptions(batch_size=1, ranks=0), "--ranks: is 1 or above"),
        (BatchOptions(batch_size=1, ranks=10**9), "--ranks: is at most 1,000,000"),
        (BatchOptions(batch_size=1, skip_batches=-1), "--skip-batches: is 0 or above"),
        (BatchOptions(batch_size=1, order="sorted"), "--order: is one of bucketed, random"),
        (BatchOptions(batch_size=1, pad_to="max"), "--pad-to: is one of"),
        (BatchOptions(batch_size=4, batch_sizes=(4, 4)), "4 does not rise above 4"),
        (BatchOptions(batch_size=4, batch_sizes=(4,), batch_multiple=2), "says the same"),
        (BatchOptions(batch_size=3, batch_sizes=(4, 8)), "3 is below the smallest"),
    ],
)
def test_options_that_cannot_be(options: BatchOptions, said: str) -> None:
    with pytest.raises(PlanError, match=said) as error:
        make_batches(ints(1, 2), (2,), options)
    assert "\n" not in str(error.value)


def test_lengths_come_in_order_or_ascending_and_not_without_end() -> None:
    histogram = Histogram.from_lengths([5, 1, 5])
    assert sequence_lengths(histogram, ints(5, 1, 5)).tolist() == [5, 1, 5]
    assert sequence_lengths(histogram, ints(5, 1)).tolist() == [1, 5, 5]
    assert sequence_lengths(histogram).tolist() == [1, 5, 5]
    with pytest.raises(PlanError, match="more than batches can be made of"):
        sequence_lengths(Histogram.from_counts({3: 10**12}))
    with pytest.raises(PlanError, match="cannot be counted"):
        sequence_lengths(Histogram.from_counts({2**62: 4}))


def test_the_buffer_always_completes_a_batch() -> None:
    lengths = np.repeat([2, 5, 9], 100)
    options = BatchOptions(budget=30)
    # Batches of 15, 6 and 3: 14 + 5 + 2 may wait, one more completes a batch.
    assert buffer_needed(lengths, (2, 5, 9), options) == 22
    # Closed by its own longest, a batch may hold 15, 6 and 3 and still be open.
    assert buffer_needed(lengths, (2, 5, 9), replace(options, pad_to="batch")) == 25
    assert buffer_needed(ints(2, 5), (2, 5, 9), options) == 2
    assert buffer_needed(lengths, (2, 5, 9), replace(options, order="random")) == 16
    grouped = BatchOptions(batch_size=3, order="grouped")
    assert buffer_needed(lengths, (2, 5, 9), grouped) == 75


def test_keys_are_those_of_the_plan() -> None:
    report = batch_report(np.arange(1, 21), (5, 10, 15, 20), BatchOptions(budget=40, ranks=2))
    assert list(report.as_json()) == [
        "count",
        "optimizer_steps",
        "steps_per_epoch",
        "shapes",
        "fill",
        "rank_wait",
        "length_correlation",
    ]
    assert report.steps_per_epoch == 250
    assert report.steps_spread is None
    simulated = batch_report(np.arange(1, 21), (20,), BatchOptions(budget=40, pad_to="batch"))
    assert simulated.steps_spread is not None
    assert simulated.steps_spread > 0
