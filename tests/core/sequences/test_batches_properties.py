"""Batches: what holds for every data set, plan and option, against plain loops."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from dgplay.core.sequences.batch_options import ORDERS, PAD_TO, BatchOptions, bucket_batch_sizes
from dgplay.core.sequences.batch_report import batch_report, buffer_needed
from dgplay.core.sequences.batches import make_batches
from dgplay.core.sequences.orders import cut_by_budget, group_size, grouped_order
from dgplay.core.sequences.ranks import share

MANY = settings(max_examples=200, deadline=None)


@st.composite
def options(draw: st.DrawFn) -> BatchOptions:
    sizes = draw(st.sampled_from([(), (), (1, 4, 16), (2, 3)]))
    limit = {draw(st.sampled_from(["budget", "batch_size"])): draw(st.integers(2, 120))}
    return BatchOptions(
        **limit,
        batch_sizes=sizes,
        batch_multiple=1 if sizes else draw(st.sampled_from([1, 1, 2, 3, 8])),
        pad_to=draw(st.sampled_from(PAD_TO)),
        order=draw(st.sampled_from(ORDERS)),
        longest_first=draw(st.booleans()),
        over=draw(st.sampled_from(["drop", "keep"])),
        ranks=draw(st.integers(1, 5)),
        uneven=draw(st.sampled_from(["drop", "repeat"])),
        seed=draw(st.integers(0, 3)),
    )


@st.composite
def data(draw: st.DrawFn) -> tuple[np.ndarray[Any, np.dtype[np.int64]], tuple[int, ...]]:
    lengths = np.array([*draw(st.lists(st.integers(0, 60), max_size=80)), draw(st.integers(1, 60))])
    extra = draw(st.sets(st.integers(1, 70), max_size=5))
    return lengths, tuple(sorted(extra | {max(int(lengths.max()), *extra, 1)}))


def bucket_of(boundaries: tuple[int, ...], length: int) -> int:
    return next(i for i, boundary in enumerate(boundaries) if boundary >= length)


@MANY
@given(data(), options())
def test_every_sequence_is_somewhere_once(drawn: Any, asked: BatchOptions) -> None:  # cases 21, 49
    lengths, boundaries = drawn
    batches = make_batches(lengths, boundaries, asked)
    seen = sorted([*batches.items.tolist(), *batches.dropped.tolist()])
    assert seen == [place for place, length in enumerate(lengths.tolist()) if length]
    assert batches.zeros == lengths.tolist().count(0)
    dropped = int(lengths[batches.dropped].sum())
    assert batches.total_real_steps + dropped == int(lengths.sum())
    assert all(len(batch) > 0 for batch in batches)


@MANY
@given(data(), options())
def test_batches_fit_and_are_padded_as_the_policy_says(drawn: Any, asked: BatchOptions) -> None:
    lengths, boundaries = drawn
    batches = make_batches(lengths, boundaries, asked)
    kept = [int(lengths[place]) for place in batches.items]
    for number, batch in enumerate(batches):
        own = [int(lengths[place]) for place in batch]
        buckets = {bucket_of(boundaries, length) for length in own}
        if asked.order == "bucketed":
            assert len(buckets) == 1
        low = boundaries[max(buckets) - 1] if max(buckets) else 0
        high = boundaries[max(buckets)]
        pad = {
            "batch": max(own),
            "boundary": high,
            "longest": max(length for length in kept if low < length <= high),
        }[asked.pad_to]
        assert batches.pad[number] == pad
        rows = int(batches.rows[number])
        assert rows >= len(own)
        if asked.batch_sizes:
            assert rows in asked.batch_sizes
            assert rows == min(size for size in asked.batch_sizes if size >= len(own))
        else:
            assert rows == len(own)
        limit = asked.batch_size or asked.budget or 0
        cost = len(own) if asked.batch_size else pad * rows
        assert cost <= limit or (len(own) == 1 and asked.over == "keep")
        assert int(batches.steps[number]) == pad * rows


@MANY
@given(data(), options())
def test_the_report_adds_up(drawn: Any, asked: BatchOptions) -> None:
    lengths, boundaries = drawn
    batches = make_batches(lengths, boundaries, asked)
    report = batch_report(lengths, boundaries, asked)
    assert report.count == batches.count
    if asked.pad_to != "batch":
        assert report.steps_per_epoch == sum(map(int, batches.steps))
    shares = share(batches, asked.ranks, asked.uneven)
    run: list[int] = shares.order.ravel().tolist()
    assert len(run) == report.optimizer_steps * asked.ranks
    sizes = [len(batch) for batch in batches]
    assert sum(sizes[n] for n in run) == sum(sizes) - report.unshared + report.repeated
    if asked.uneven == "drop":
        assert run == list(range(batches.count // asked.ranks * asked.ranks))
    else:
        assert set(run) == set(range(batches.count))
    if report.rank_wait is not None:
        slowest = sum(max(int(batches.steps[n]) for n in row) for row in shares.order.tolist())
        own = sum(int(batches.steps[n]) for n in run)
        assert abs(report.rank_wait - (1 - own / (asked.ranks * slowest))) < 1e-12
    assert report == batch_report(lengths, boundaries, asked)


@MANY
@given(data(), options())
def test_longest_first_moves_one_batch_only(drawn: Any, asked: BatchOptions) -> None:
    lengths, boundaries = drawn
    plain = make_batches(lengths, boundaries, replace(asked, longest_first=False))
    moved = make_batches(lengths, boundaries, replace(asked, longest_first=True))
    before, after = ([batch.tolist() for batch in made] for made in (plain, moved))
    if before:
        longest = max(int(lengths[place]) for place in plain.items)
        assert longest in [int(lengths[place]) for place in after[0]]
        before.remove(after[0])
        assert before == after[1:]


@MANY
@given(st.lists(st.integers(1, 40), min_size=1, max_size=60), st.integers(1, 200))
def test_batches_close_when_the_next_does_not_fit(pads: list[int], budget: int) -> None:
    expected, batch = [0], [pads[0]]
    for place, pad in enumerate(pads[1:], 1):
        if max([*batch, pad]) * (len(batch) + 1) > budget:
            expected.append(place)
            batch = []
        batch.append(pad)
    found = cut_by_budget(np.array(pads), 0, len(pads), BatchOptions(budget=budget))
    assert found.tolist() == expected


@MANY
@given(
    st.lists(st.integers(1, 40), min_size=1, max_size=60),
    st.integers(40, 200),
    st.sampled_from([2, 3, 8]),
)
def test_at_most_a_batch_that_cannot_hold_a_multiple_is_none(
    pads: list[int], budget: int, multiple: int
) -> None:
    options = BatchOptions(budget=budget, batch_multiple=multiple)
    starts = cut_by_budget(np.array(pads), 0, len(pads), options).tolist()
    for start, stop in zip(starts, [*starts[1:], len(pads)], strict=True):
        batch = pads[start:stop]
        assert max(batch) * len(batch) <= budget
        if len(batch) > multiple:
            assert len(batch) % multiple == 0


@MANY
@given(
    st.lists(st.integers(1, 99), min_size=1, max_size=90),
    st.integers(1, 6),
    st.one_of(st.none(), st.integers(1, 5)),
)
def test_groups_are_those_of_transformers(
    lengths: list[int], size: int, groups: int | None
) -> None:
    # get_length_grouped_indices, without its swap
    batches = groups or max(1, min(len(lengths) // (size * 4), 50))
    indices = np.random.default_rng(0).permutation(len(lengths)).tolist()
    megabatches = [indices[i : i + batches * size] for i in range(0, len(indices), batches * size)]
    expected = [
        place
        for megabatch in megabatches
        for place in sorted(megabatch, key=lambda place: lengths[place], reverse=True)
    ]
    options = BatchOptions(batch_size=size, order="grouped", mega_batches=groups)
    array = np.array(lengths)
    group = group_size(array, options)
    assert grouped_order(array, np.array(indices), group).tolist() == expected


@MANY
@given(data(), st.integers(60, 300), st.sampled_from(["boundary", "batch"]), st.integers(0, 9))
def test_the_buffer_is_enough(drawn: Any, budget: int, pad_to: str, seed: int) -> None:
    """Fill a buffer in random order: at its full size some bucket has a batch, always."""
    lengths, boundaries = drawn
    asked = BatchOptions(budget=max(budget, boundaries[-1]), pad_to=pad_to)
    size = buffer_needed(lengths, boundaries, asked)
    present = lengths[lengths > 0]
    if size == len(present):
        return
    waiting: list[list[int]] = [[] for _ in boundaries]
    for length in np.random.default_rng(seed).permutation(present)[:size].tolist():
        waiting[bucket_of(boundaries, length)].append(length)
    sizes = bucket_batch_sizes(boundaries, asked)
    assert any(
        max(held, default=0) * len(held) > asked.budget  # type: ignore[operator]
        if pad_to == "batch"
        else len(held) >= most
        for held, most in zip(waiting, sizes, strict=True)
    )


def test_the_seed_and_the_epoch_decide_everything() -> None:
    lengths = np.random.default_rng(1).integers(1, 50, 400)
    made = [
        [batch.tolist() for batch in make_batches(lengths, (20, 50), asked, epoch)]
        for asked, epoch in (
            (BatchOptions(batch_size=4, seed=1), 0),
            (BatchOptions(batch_size=4, seed=1), 0),
            (BatchOptions(batch_size=4, seed=2), 0),
            (BatchOptions(batch_size=4, seed=1), 1),
        )
    ]
    assert made[0] == made[1]
    assert made[0] != made[2]
    assert made[0] != made[3]
