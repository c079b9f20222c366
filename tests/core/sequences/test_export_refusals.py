"""What exports say about the data, and what they refuse, each with one line."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from dgplay.core.errors import PlanError
from dgplay.core.sequences.batch_options import BatchOptions
from dgplay.core.sequences.buckets import bucket_table
from dgplay.core.sequences.dataset import Dataset
from dgplay.core.sequences.export import EXPORTERS, ExportRequest, axes_of, export
from dgplay.core.sequences.histogram import Histogram

SECONDS = [name for name, exporter in EXPORTERS.items() if exporter.axis == "seconds"]
LENGTHS = [name for name, exporter in EXPORTERS.items() if exporter.axis == "lengths"]
SIZED = [name for name, exporter in EXPORTERS.items() if exporter.needs_batch_sizes]
HISTOGRAM = Histogram.from_lengths([3, 3, 4, 5, 5, 5, 6, 7, 8, 8])


def asked(boundaries: tuple[int, ...] = (3, 5, 8), **more: Any) -> ExportRequest:
    settings: dict[str, Any] = {
        "data_name": "ten.csv",
        "table": bucket_table(HISTOGRAM, boundaries, "boundary"),
        "method": "optimal",
        "frame_rate": Fraction(100),
        "axes": frozenset({"lengths", "seconds"}),
        "batches": BatchOptions(budget=40),
    }
    return ExportRequest(**{**settings, **more})


def test_axes_and_needs_are_declared() -> None:
    assert set(SECONDS) == {name for name in EXPORTERS if name.startswith(("lhotse", "nemo"))}
    assert set(EXPORTERS) - set(SECONDS) - set(LENGTHS) == {"json", "csv"}
    assert set(SIZED) == {
        "lhotse-fixed",
        "nemo-fixed",
        "tf-static",
        "tf-dynamic",
        "speechbrain",
        "pytorch",
        "vllm-hpu",
    }


@pytest.mark.parametrize("name", [name for name in EXPORTERS if name != "json"])
def test_a_comment_names_data_k_policy_and_waste(name: str) -> None:
    comments = [line for line in export(name, asked()).splitlines() if line.startswith("#")]
    assert comments[0] == "# Boundaries for ten.csv, made by dgplay."
    assert comments[1] == (
        "# k = 3, method optimal, padded to the boundary: waste 6.90 % (58 steps for 54 real ones)."
    )
    assert "# One step is one frame, 100 frames per second." in comments
    assert "# Batches of at most 40 steps per batch, padding included." in comments


@pytest.mark.parametrize("name", list(EXPORTERS))
def test_every_export_ends_its_last_line(name: str) -> None:
    text = export(name, asked(command="dgplay plan ten.csv -k 3"))
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    assert "dgplay plan ten.csv -k 3" in text
    assert all(len(line) <= 100 for line in text.splitlines() if name not in ("json", "nemo"))


def one_line(error: pytest.ExceptionInfo[PlanError]) -> str:
    line = str(error.value)
    assert "\n" not in line
    return line


@pytest.mark.parametrize("name", SECONDS)
def test_seconds_are_refused_to_text(name: str) -> None:
    with pytest.raises(PlanError) as error:
        export(name, asked(axes=frozenset({"lengths"}), frame_rate=None, unit="words"))
    assert one_line(error) == (
        f"--export: {name} counts in seconds, but ten.csv in words;"
        " give a duration field, or --frame-rate for data in frames"
    )


@pytest.mark.parametrize("name", LENGTHS)
def test_lengths_are_refused_to_durations_at_an_assumed_rate(name: str) -> None:
    with pytest.raises(PlanError) as error:
        export(name, asked(axes=frozenset({"seconds"})))
    assert "--frame-rate" in one_line(error)


@pytest.mark.parametrize("name", SIZED)
def test_batch_sizes_are_asked_for(name: str) -> None:
    with pytest.raises(PlanError) as error:
        export(name, asked(batches=None))
    assert one_line(error) == f"--export: {name} needs batch sizes; give --budget or --batch-size"


@pytest.mark.parametrize("name", [name for name in EXPORTERS if name not in SIZED])
def test_the_others_do_without(name: str) -> None:
    assert export(name, asked(batches=None))


def test_unknown_targets_list_the_known_ones() -> None:
    with pytest.raises(PlanError, match="lhotse, lhotse-before"):
        export("keras", asked())


def test_a_bucket_above_the_budget_is_refused() -> None:
    with pytest.raises(PlanError, match="one sequence padded to 8 exceeds the budget of 7"):
        export("tf-static", asked(batches=BatchOptions(budget=7)))
    kept = export("tf-static", asked(batches=BatchOptions(budget=7, over="keep")))
    assert "BUCKET_BATCH_SIZES = [2, 1, 1, 1]" in kept


def test_tensorflow_refuses_what_int32_cannot_hold() -> None:
    with pytest.raises(PlanError, match="2147483647"):
        export("tf-static", asked((8, 2**31 - 1), batches=BatchOptions(batch_size=1)))


def test_vllm_refuses_blocks_that_would_mean_decoding() -> None:
    with pytest.raises(PlanError, match="decoding"):
        export("vllm-hpu", asked((1, 8), block_size=1))


def test_boundaries_that_are_the_same_float_are_refused() -> None:
    with pytest.raises(PlanError, match="same time"):
        export("lhotse", asked((2**60, 2**60 + 1)))


@pytest.mark.parametrize(
    ("rate", "assumed", "axes"),
    [
        (None, False, {"lengths"}),
        (Fraction(100), True, {"seconds"}),
        (Fraction(100), False, {"lengths", "seconds"}),
    ],
)
def test_axes_of_data(rate: Fraction | None, assumed: bool, axes: set[str]) -> None:
    assert axes_of(Dataset("x", "file", HISTOGRAM, frame_rate=rate), assumed) == axes


def test_a_list_may_be_long_and_a_budget_in_seconds() -> None:
    text = export("lhotse", asked(tuple(range(3, 67)), batches=BatchOptions(budget=1000)))
    assert "max_duration=10.0," in text
    assert all(len(line) <= 100 for line in text.splitlines())
    assert "max_cuts=4" in export("lhotse", asked(batches=BatchOptions(batch_size=4)))
    assert "batch_duration: 0.4\n" in export("nemo", asked())
    assert "batch_size: 4\n" in export("nemo", asked(batches=BatchOptions(batch_size=4)))


def test_vllm_writes_a_line_per_bucket_or_per_shape() -> None:
    lines = [row for row in export("vllm-hpu", asked(block_size=2)).splitlines() if row[0] != "#"]
    assert lines == ["(5, 8, 0)", "(6, 6, 0)", "(10, 4, 0)"]
    sized = asked(block_size=2, batches=BatchOptions(budget=40, batch_sizes=(1, 8)))
    lines = [row for row in export("vllm-hpu", sized).splitlines() if row[0] != "#"]
    assert lines == ["(1, 4, 0)", "(1, 6, 0)", "(1, 8, 0)", "(8, 4, 0)"]


def test_yaml_numbers_have_no_exponent() -> None:
    text = export("nemo-fixed", asked(frame_rate=Fraction(16000), batches=BatchOptions(budget=8)))
    assert "bucket_duration_bins: [0.0001875, 0.0003125, 0.0005]\n" in text
    tiny = export("nemo", asked(frame_rate=Fraction(10**6), batches=None))
    assert "bucket_duration_bins: [0.000003, 0.000005]\nmax_duration: 0.000008\n" in tiny


@pytest.mark.parametrize("name", ["speechbrain", "lhotse", "lhotse-before-2024-08", "nemo"])
def test_a_tool_that_computes_batch_sizes_says_what_it_does_not_keep(name: str) -> None:
    said = "# {} is not kept: the batch sizes are computed there.\n"
    assert "not kept" not in export(name, asked())
    multiple = asked(batches=BatchOptions(budget=40, batch_multiple=2))
    assert said.format("--batch-multiple") in export(name, multiple)
    sizes = asked(batches=BatchOptions(budget=40, batch_sizes=(1, 4)))
    assert said.format("--batch-sizes") in export(name, sizes)


def test_a_comment_says_what_lengths_count() -> None:
    lines = export("jax", asked(frame_rate=None, unit="words")).splitlines()
    assert "# Lengths count words." in lines
