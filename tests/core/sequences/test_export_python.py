"""Generated Python runs: in a process of its own, with small stand-ins for what is missing."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dgplay.core.sequences.batch_options import BatchOptions
from dgplay.core.sequences.buckets import bucket_table
from dgplay.core.sequences.export import EXPORTERS, ExportRequest, export
from dgplay.core.sequences.histogram import Histogram

BOUNDARIES = (5, 10, 15, 20)
PYTHON = [name for name, exporter in EXPORTERS.items() if exporter.suffix == ".py"]


def asked(boundaries: tuple[int, ...] = BOUNDARIES, **more: Any) -> ExportRequest:
    more = {"batches": BatchOptions(budget=60), **more}
    return ExportRequest(
        data_name=more.pop("data_name", "chainer-100"),
        table=bucket_table(Histogram.from_lengths(range(1, 21)), boundaries, "boundary"),
        method="optimal",
        frame_rate=Fraction(100),
        axes=frozenset({"lengths", "seconds"}),
        **more,
    )


def run(text: str) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "export"}
    exec(compile(text, "export.py", "exec"), names)
    return names


STUBS = """
import sys, types

class Record:
    def __init__(self, *args, **options):
        self.args, self.options = args, options

def module(name, **members):
    made = types.ModuleType(name)
    made.__dict__.update(members)
    sys.modules[name] = made
    return made

module("lhotse")
module("lhotse.dataset", DynamicBucketingSampler=Record)
module("lhotse.dataset.sampling")
module("lhotse.dataset.sampling.dynamic_bucketing", FixedBucketBatchSizeConstraint=Record)
module("speechbrain")
module("speechbrain.dataio")
module("speechbrain.dataio.sampler", DynamicBatchSampler=Record)
"""

USES = {
    "lhotse": """
sampler = make_sampler("cuts", shuffle=True)
assert sampler.args == ("cuts",)
assert sampler.options == {"duration_bins": [0.05, 0.1, 0.15], "max_duration": 0.6, "shuffle": True}
""",
    "lhotse-before-2024-08": """
assert make_sampler("cuts").options["duration_bins"] == [
    0.05000000000000001, 0.10000000000000002, 0.15000000000000002
]
""",
    "lhotse-fixed": """
options = make_sampler("cuts").options
assert options["duration_bins"] == [0.05, 0.1, 0.15]
assert options["constraint"].options == {
    "max_seq_len_buckets": [0.05, 0.1, 0.15, 0.2], "batch_sizes": [12, 6, 4, 3]
}
""",
    "speechbrain": """
assert make_sampler("data", lengths_list=[1]).options == {
    "max_batch_length": 60, "max_batch_ex": None, "bucket_boundaries": [5, 10, 15, 20],
    "lengths_list": [1],
}
""",
    "tf-static": "assert BUCKET_BATCH_SIZES == [12, 6, 4, 3, 3]",
    "tf-dynamic": "assert (BUCKET_BOUNDARIES, BUCKET_BATCH_SIZES) == ([6, 11, 16], [12, 6, 4, 3])",
    "pytorch": "assert sum(map(len, BucketBatchSampler([3, 20, 7] * 9))) == 27",
    "jax": """
batch, mask = pad_batch([[1, 2, 3], [4] * 6], rows=3)
assert batch.tolist() == [[1, 2, 3, 0, 0, 0, 0, 0, 0, 0], [4] * 6 + [0] * 4, [0] * 10]
assert mask.sum(axis=1).tolist() == [3, 6, 0]
assert pad_batch([[]])[0].shape == (1, 5)
""",
}


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Run every Python export, each as a file of its own, in one fresh interpreter."""
    folder: Path = tmp_path_factory.mktemp("exports")
    lines = [STUBS]
    for name in PYTHON:
        file = folder / f"{name}.py"
        file.write_text(export(name, asked()) + USES.get(name, ""), encoding="utf-8")
        lines += ["import runpy", f"runpy.run_path({str(file)!r})", f"print({name!r})"]
    script = folder / "all.py"
    script.write_text("\n".join(lines), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-W", "error", str(script)], capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr


@pytest.mark.parametrize("name", PYTHON)
def test_generated_python_runs(name: str, outcome: str) -> None:
    assert name in outcome.split(), outcome


@pytest.mark.parametrize("name", PYTHON)
@pytest.mark.parametrize("name_of_data", ['a"""b', "line\nbreak()", "\u2028x", "中文", "x\udcff"])
def test_a_name_of_data_never_becomes_code(name: str, name_of_data: str) -> None:
    text = export(name, asked(data_name=name_of_data))
    text.encode("utf-8")
    run(text)
    assert text.startswith("# Boundaries for ")
    assert "\nbreak()" not in text


class Tokenizer:
    """What the collator uses of a tokenizer."""

    padding_side = "right"

    def pad(self, features: Any, padding: str, max_length: int, return_tensors: str) -> Any:
        assert padding == "max_length"
        assert return_tensors == "pt"
        rows = [row["input_ids"] + [0] * (max_length - len(row["input_ids"])) for row in features]
        return {
            "input_ids": rows,
            **{k: [r[k] for r in features] for k in features[0] if k != "input_ids"},
        }


def test_huggingface_pads_labels_to_the_length_of_the_inputs() -> None:  # case 38
    names = run(export("huggingface", asked()))
    collator = names["BucketCollator"](Tokenizer())
    rows = [{"input_ids": [1] * n, "labels": [1] * n, "length": n} for n in (2, 7)]
    batch = collator(rows)
    assert "length" not in batch
    assert [len(row) for row in batch["input_ids"]] == [10, 10]
    assert [len(row) for row in batch["labels"]] == [10, 10]
    assert batch["labels"][0] == [1, 1] + [-100] * 8
    assert rows[0]["labels"] == [1, 1]  # the data set's own rows stay as they are
    longer_labels = collator([{"input_ids": [1], "labels": [1] * 6}])
    assert len(longer_labels["input_ids"][0]) == len(longer_labels["labels"][0]) == 10
    collator.tokenizer.padding_side = "left"
    assert collator(rows)["labels"][0] == [-100] * 8 + [1, 1]
    assert collator([{"input_ids": [1], "labels": 3}])["labels"] == [3]
    assert names["add_length"]({"input_ids": [1, 2]}) == {"length": 2}


def sampler_of(**options: Any) -> Any:
    lengths = np.random.default_rng(0).integers(0, 21, 203).tolist()
    return run(export("pytorch", asked()))["BucketBatchSampler"](lengths, **options), lengths


def test_pytorch_batches_hold_every_item_once_and_keep_to_their_bucket() -> None:
    sampler, lengths = sampler_of(seed=3)
    batches = list(sampler)
    assert len(batches) == len(sampler)
    assert sorted(item for batch in batches for item in batch) == list(range(203))
    for batch in batches:
        buckets = {sum(edge < lengths[item] for edge in BOUNDARIES) for item in batch}
        assert len(buckets) == 1
        assert len(batch) <= (12, 6, 4, 3)[buckets.pop()]
    assert list(sampler) == batches
    sampler.set_epoch(1)
    assert list(sampler) != batches


@pytest.mark.parametrize("uneven", ["drop", "repeat"])
def test_pytorch_ranks_take_the_same_number(uneven: str) -> None:
    whole = list(sampler_of()[0])
    ranks = [sampler_of(rank=rank, world_size=4, uneven=uneven)[0] for rank in range(4)]
    taken = [list(rank) for rank in ranks]
    assert len({len(batches) for batches in taken}) == 1
    assert [len(rank) for rank in ranks] == [len(batches) for batches in taken]
    merged = [taken[i % 4][i // 4] for i in range(4 * len(taken[0]))]
    assert len(whole) % 4
    wanted = len(whole) // 4 * 4 if uneven == "drop" else -(-len(whole) // 4) * 4
    assert merged == (whole + whole)[:wanted]


def test_pytorch_resumes_exactly() -> None:  # case 47
    whole = list(sampler_of()[0])
    resumed = sampler_of(skip=4)[0]
    assert list(resumed) == whole[4:]
    assert list(resumed) == whole


def test_pytorch_names_what_is_too_long() -> None:
    with pytest.raises(ValueError, match="item 1 of length 21 is above 20"):
        run(export("pytorch", asked()))["BucketBatchSampler"]([3, 21])


class DynamoConfig:
    def __init__(self, **limits: int) -> None:
        self.__dict__.update(limits)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            {"recompile_limit": 8, "accumulated_recompile_limit": 256},
            {"recompile_limit": 9, "accumulated_recompile_limit": 256},
        ),
        (
            {"cache_size_limit": 64, "accumulated_cache_size_limit": 64},
            {"cache_size_limit": 64, "accumulated_cache_size_limit": 256},
        ),
    ],
)
def test_torch_compile_raises_the_limits_it_needs(
    before: dict[str, int], after: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:  # case 40
    torch, dynamo = type(sys)("torch"), type(sys)("torch._dynamo")
    torch._dynamo, dynamo.config = dynamo, DynamoConfig(**before)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setitem(sys.modules, "torch._dynamo", dynamo)
    nine = tuple(range(12, 21))
    names = run(export("torch-compile", asked(nine)))
    names["configure"]()
    assert vars(dynamo.config) == after  # type: ignore[attr-defined]
    assert run(export("torch-compile", asked(nine[-8:])))["RECOMPILE_LIMIT"] == 8


def test_torch_compile_pads_one_dimension(monkeypatch: pytest.MonkeyPatch) -> None:
    torch, nn, functional = (type(sys)(n) for n in ("torch", "torch.nn", "torch.nn.functional"))
    torch.nn, nn.functional = nn, functional  # type: ignore[attr-defined]

    def pad(array: Any, widths: tuple[int, ...], value: int) -> Any:
        pairs = [(0, 0)] * (array.ndim - len(widths) // 2)
        pairs += [(widths[i], widths[i + 1]) for i in range(len(widths) - 2, -1, -2)]
        return np.pad(array, pairs, constant_values=value)

    functional.pad = pad  # type: ignore[attr-defined]
    for module in (torch, nn, functional):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    names = run(export("torch-compile", asked()))

    class Tensor(np.ndarray):  # type: ignore[type-arg]
        def dim(self) -> int:
            return self.ndim

    tensor = np.ones((2, 7, 3)).view(Tensor)
    assert names["pad"](tensor, dim=1).shape == (2, 10, 3)
    assert names["pad"](tensor).shape == (2, 7, 5)
    assert names["pad"](tensor, value=9, dim=1)[0, -1, 0] == 9


def test_shapes_are_lengths_times_batch_sizes() -> None:
    request = asked(batches=BatchOptions(budget=60, batch_sizes=(1, 4, 16)))
    # 60 steps hold 12, 6, 4 and 3 sequences, so 16 rows never occur and 20 takes only 1.
    pairs = ((1, 5), (4, 5), (1, 10), (4, 10), (1, 15), (4, 15), (1, 20))
    for name in ("torch-compile", "jax"):
        assert run(export(name, request))["SHAPES"] == pairs
    assert run(export("torch-compile", request))["RECOMPILE_LIMIT"] == 8
