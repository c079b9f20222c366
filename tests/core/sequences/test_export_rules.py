"""Every export against the tool's own comparison, written here a second time, on all lengths.

For each random plan every length 0…max + 1 must land in the bucket that dgplay puts it in, padded
to the same size, or be refused where dgplay refuses it.
"""

from __future__ import annotations

import ast
import json
import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dgplay.core.sequences.batch_options import BatchOptions
from dgplay.core.sequences.buckets import bucket_table
from dgplay.core.sequences.export import EXPORTERS, ExportRequest, export
from dgplay.core.sequences.histogram import Histogram

BOTH = frozenset({"lengths", "seconds"})
RATES = [
    Fraction(100),
    Fraction(50),
    Fraction(75),
    Fraction(30),
    Fraction(125, 2),
    Fraction(44100, 512),
    Fraction(16000),
    Fraction(1, 3),
]
FEW = settings(max_examples=200, deadline=None)


def asked(
    boundaries: tuple[int, ...],
    rate: Fraction | None = None,
    batches: BatchOptions | None = None,
    lengths: tuple[int, ...] | None = None,
    **more: Any,
) -> ExportRequest:
    histogram = Histogram.from_lengths(lengths or boundaries)
    return ExportRequest(
        data_name="some data",
        table=bucket_table(histogram, boundaries, "boundary"),
        method="optimal",
        frame_rate=rate,
        axes=BOTH if rate is not None else frozenset({"lengths"}),
        batches=batches,
        **more,
    )


plans = st.sets(st.integers(1, 90), min_size=1, max_size=9).map(lambda found: tuple(sorted(found)))
rates = st.sampled_from(RATES)


def run(text: str) -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(compile(text, "export.py", "exec"), names)
    return names


def yaml_of(text: str) -> dict[str, Any]:
    pairs = (line.split(": ", 1) for line in text.splitlines() if not line.startswith("#"))
    return {key: json.loads(value) for key, value in pairs}


def bucket_of(boundaries: tuple[int, ...], length: int) -> int | None:
    """The rule of dgplay, by looking at every boundary."""
    return next((i for i, boundary in enumerate(boundaries) if boundary >= length), None)


def every_length(boundaries: tuple[int, ...]) -> range:
    return range(boundaries[-1] + 2)


def spellings(frames: int, rate: Fraction) -> list[float]:
    """The floats in which a tool may hold the duration of so many frames."""
    found = [float(frames / rate), float(frames * rate.denominator) / float(rate.numerator)]
    if rate.denominator == 1:
        found.append(frames / rate.numerator)
    return found


@FEW
@given(plans, rates)
def test_lhotse_keeps_what_equals_a_bin(boundaries: tuple[int, ...], rate: Fraction) -> None:
    bins = run(export("lhotse", asked(boundaries, rate)))["DURATION_BINS"]
    assert type(bins) is list
    assert bins == sorted(bins)
    assert len(bins) == len(boundaries) - 1
    for length in every_length(boundaries):
        expected = bucket_of(boundaries, length)
        for duration in spellings(length, rate):
            place = sum(edge < duration for edge in bins)  # bisect_left
            assert place == (len(bins) if expected is None else expected)


@FEW
@given(plans, rates)
def test_lhotse_before_august_2024_moves_what_equals_a_bin(
    boundaries: tuple[int, ...], rate: Fraction
) -> None:
    bins = run(export("lhotse-before-2024-08", asked(boundaries, rate)))["DURATION_BINS"]
    for length in every_length(boundaries):
        expected = bucket_of(boundaries, length)
        for duration in spellings(length, rate):
            place = sum(edge <= duration for edge in bins)  # bisect_right
            assert place == (len(bins) if expected is None else expected)


@FEW
@given(plans, st.sampled_from(RATES[:5]), st.lists(st.integers(0, 4000), max_size=40))
def test_durations_between_two_frames_land_where_their_rounded_up_frames_do(
    boundaries: tuple[int, ...], rate: Fraction, milliseconds: list[int]
) -> None:
    new = run(export("lhotse", asked(boundaries, rate)))["DURATION_BINS"]
    old = run(export("lhotse-before-2024-08", asked(boundaries, rate)))["DURATION_BINS"]
    for written in milliseconds:
        text = str(Decimal(written) / 1000)
        frames = math.ceil(Fraction(text) * rate)
        expected = bucket_of(boundaries, frames)
        wanted = len(new) if expected is None else expected
        assert sum(edge < float(text) for edge in new) == wanted
        assert sum(edge <= float(text) for edge in old) == wanted


@given(plans, rates, st.integers(90, 2000))
@FEW
def test_fixed_buckets_of_lhotse_and_nemo(
    boundaries: tuple[int, ...], rate: Fraction, budget: int
) -> None:
    request = asked(boundaries, rate, BatchOptions(budget=budget))
    lhotse = run(export("lhotse-fixed", request))
    nemo = yaml_of(export("nemo-fixed", request))
    buckets, sizes = lhotse["MAX_SEQ_LEN_BUCKETS"], lhotse["BATCH_SIZES"]
    assert nemo["bucket_duration_bins"] == buckets
    assert nemo["bucket_batch_size"] == sizes
    assert nemo["num_buckets"] == len(buckets) == len(sizes) == len(boundaries)
    assert nemo["use_bucketing"] is True
    for length in every_length(boundaries):
        expected = bucket_of(boundaries, length)
        for duration in spellings(length, rate):
            place = sum(edge < duration for edge in buckets)
            assert place == (len(buckets) if expected is None else expected)
            # NeMo filters first; lhotse asserts that the place exists.
            assert (duration <= nemo["max_duration"]) == (expected is not None)
        if expected is not None:
            assert sizes[expected] * boundaries[expected] <= budget
            assert (sizes[expected] + 1) * boundaries[expected] > budget


@FEW
@given(plans, rates)
def test_nemo_without_batch_sizes(boundaries: tuple[int, ...], rate: Fraction) -> None:
    nemo = yaml_of(export("nemo", asked(boundaries, rate)))
    bins = nemo.get("bucket_duration_bins", [])
    # An empty list fails there, so a single bucket is no bucketing.
    assert nemo["use_bucketing"] is (len(boundaries) > 1)
    assert nemo.get("num_buckets", 1) == len(bins) + 1 == len(boundaries)
    for length in every_length(boundaries):
        expected = bucket_of(boundaries, length)
        for duration in spellings(length, rate):
            assert (duration <= nemo["max_duration"]) == (expected is not None)
            if expected is not None:
                assert sum(edge < duration for edge in bins) == expected


def tensorflow_bucket(boundaries: list[int], length: int) -> int:
    """The rule of element_to_bucket_id: the first i with min[i] <= length < max[i]."""
    lows = [-(2**31), *boundaries]
    highs = [*boundaries, 2**31 - 1]
    return [low <= length < high for low, high in zip(lows, highs, strict=True)].index(True)


class TensorFlowDataset:
    """Records the call that the export makes."""

    def bucket_by_sequence_length(self, **options: Any) -> dict[str, Any]:
        assert len(options["bucket_batch_sizes"]) == len(options["bucket_boundaries"]) + 1
        return options


@FEW
@given(plans, st.integers(90, 2000))
def test_tensorflow_static(boundaries: tuple[int, ...], budget: int) -> None:
    request = asked(boundaries, None, BatchOptions(budget=budget))
    call = run(export("tf-static", request))["bucketed"](TensorFlowDataset(), len)
    assert call["pad_to_bucket_boundary"] is True
    for length in every_length(boundaries):
        expected = bucket_of(boundaries, length)
        place = tensorflow_bucket(call["bucket_boundaries"], length)
        if expected is None:
            assert place == len(boundaries)  # the assertion max(boundaries) > length fails there
        else:
            assert place == expected
            assert call["bucket_boundaries"][place] - 1 == boundaries[expected]
            assert call["bucket_batch_sizes"][place] == budget // boundaries[expected]


@FEW
@given(plans, st.integers(1, 64))
def test_tensorflow_dynamic(boundaries: tuple[int, ...], size: int) -> None:
    request = asked(boundaries, None, BatchOptions(batch_size=size))
    call = run(export("tf-dynamic", request))["bucketed"](TensorFlowDataset(), len, seed=1)
    assert call["pad_to_bucket_boundary"] is False
    assert call["seed"] == 1
    for length in every_length(boundaries):
        expected = bucket_of(boundaries, length)
        place = tensorflow_bucket(call["bucket_boundaries"], length)
        assert place == (len(boundaries) - 1 if expected is None else expected)
        assert call["bucket_batch_sizes"][place] == size


@FEW
@given(plans, st.integers(90, 2000), st.booleans())
def test_speechbrain(boundaries: tuple[int, ...], number: int, by_budget: bool) -> None:
    batches = BatchOptions(budget=number) if by_budget else BatchOptions(batch_size=number)
    names = run(export("speechbrain", asked(boundaries, None, batches)))
    edges = names["BUCKET_BOUNDARIES"]
    assert edges == sorted(set(edges))
    assert all(edge >= 1 for edge in edges)
    most = math.inf if names["MAX_BATCH_EX"] is None else names["MAX_BATCH_EX"]
    sizes = [min(most, max(1, int(names["MAX_BATCH_LENGTH"] / edge))) for edge in edges] + [1]
    for length in every_length(boundaries):
        place = sum(edge < length for edge in edges)  # np.searchsorted, left
        expected = bucket_of(boundaries, length)
        if expected is None:
            assert (place, sizes[place]) == (len(edges), 1)
        else:
            assert place == expected
            assert sizes[place] == (number // boundaries[expected] if by_budget else number)


@FEW
@given(plans, st.sampled_from(["huggingface", "pytorch", "torch-compile", "jax"]))
def test_pad_helpers(boundaries: tuple[int, ...], name: str) -> None:
    pad_to = run(export(name, asked(boundaries, None, BatchOptions(batch_size=2))))["pad_to"]
    for length in every_length(boundaries):
        expected = bucket_of(boundaries, length)
        if expected is None:
            with pytest.raises(ValueError, match=f"length {length} is above"):
                pad_to(length)
        else:
            assert pad_to(length) == boundaries[expected]


def vllm_buckets(text: str) -> list[tuple[int, int, int]]:
    """Read the file as FileBucketingStrategy does."""
    read = [ast.literal_eval(line) for line in text.splitlines() if not line.startswith("#")]
    assert all(isinstance(bucket, tuple) and len(bucket) == 3 for bucket in read)
    return sorted(bucket for bucket in read if bucket[1] != 1)


def vllm_bucket(
    prompts: list[tuple[int, int, int]], batch: int, query: int
) -> tuple[int, int, int] | None:
    """Take the first bucket that covers the request."""
    return next((b for b in prompts if b[0] >= batch and b[1] >= query and b[2] >= 0), None)


@settings(max_examples=150, deadline=None)
@given(plans, st.integers(2, 40), st.integers(1, 12), st.booleans())
def test_vllm_buckets(  # case 48
    boundaries: tuple[int, ...], block: int, per_longest: int, staircase: bool
) -> None:
    sizes = (1, 2, 4, 16) if staircase else ()
    batches = BatchOptions(budget=per_longest * boundaries[-1], batch_sizes=sizes)
    prompts = vllm_buckets(export("vllm-hpu", asked(boundaries, None, batches, block_size=block)))
    queries = [math.ceil(boundary / block) * block for boundary in boundaries]
    for length in every_length(boundaries):
        if not 1 <= length <= boundaries[-1]:
            continue
        # Rounding up widens a bucket, so a length may fit the one below its own.
        query = min(query for query in queries if query >= length)
        fit = max(1, batches.size_for(query) or 1)
        # With compiled batch sizes every smaller batch finds its length too.
        for batch in range(1, fit + 1) if staircase else (fit,):
            found = vllm_bucket(prompts, batch, length)
            assert found is not None
            assert found[1] == query
    assert vllm_bucket(prompts, 1, queries[-1] + 1) is None


@FEW
@given(plans, rates)
def test_tables_hold_the_boundaries(boundaries: tuple[int, ...], rate: Fraction) -> None:
    request = asked(boundaries, rate, BatchOptions(batch_size=3))
    made = json.loads(export("json", request))
    assert made["boundaries"] == list(boundaries)
    rows = [row for row in export("csv", request).splitlines() if not row.startswith("#")]
    columns = rows[0].split(",")
    for place, (boundary, bucket) in enumerate(zip(boundaries, made["buckets"], strict=True)):
        assert bucket["pad_to"] == boundary
        assert bucket["seconds"] == float(boundary / rate)
        assert bucket["batch_size"] == 3
        cells = dict(zip(columns, rows[place + 1].split(","), strict=True))
        assert int(cells["pad_to"]) == boundary
    # case 44: the ranges cover 1…max with neither gap nor overlap
    ranges = [(bucket["low"], bucket["high"]) for bucket in made["buckets"]]
    assert [length for low, high in ranges for length in range(low, high + 1)] == list(
        range(1, boundaries[-1] + 1)
    )


def test_the_list_of_targets_is_the_one_of_the_command_line() -> None:
    assert " ".join(EXPORTERS) == (
        "lhotse lhotse-before-2024-08 lhotse-fixed nemo nemo-fixed tf-static tf-dynamic speechbrain"
        " huggingface pytorch torch-compile jax vllm-hpu json csv"
    )


def test_tensorflow_case_of_the_field() -> None:  # cases 2 and 3
    request = asked((3, 6), None, BatchOptions(batch_size=4))
    assert run(export("tf-static", request))["BUCKET_BOUNDARIES"] == [4, 7]
    pad_to = run(export("jax", asked((256, 512))))["pad_to"]
    assert [pad_to(length) for length in (256, 257, 512)] == [256, 512, 512]
    with pytest.raises(ValueError):
        pad_to(513)
