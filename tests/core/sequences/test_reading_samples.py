"""Every sample reads as expected.json says: by its path, through a pipe, gzipped, and added up."""

from __future__ import annotations

import gzip
import io
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from dgplay.core.sequences.dataset import DataOptions, Dataset
from dgplay.core.sequences.loading import load

SAMPLES = Path(__file__).parents[2] / "data" / "samples"
EXPECTED: dict[str, dict[str, Any]] = json.loads((SAMPLES / "expected.json").read_text())


def check(dataset: Dataset, expected: dict[str, Any]) -> None:
    lengths = expected.get("frames_100_ceil") or expected.get("lengths")
    assert dataset.histogram.sequences == dataset.rows == expected["n"]
    assert dataset.histogram.zeros == expected["zeros"]
    if lengths is None:
        assert dataset.in_order is None
        assert dataset.histogram.real_steps == expected["sum"]
        assert (dataset.histogram.minimum, dataset.histogram.maximum) == (
            expected["min"],
            expected["max"],
        )
    else:
        assert dataset.in_order is not None
        assert dataset.in_order.tolist() == lengths
        assert dataset.histogram.real_steps == sum(lengths)


@pytest.mark.parametrize("name", EXPECTED)
def test_from_its_path(name: str) -> None:
    check(load(DataOptions((str(SAMPLES / name),))), EXPECTED[name])


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("name", EXPECTED)
def test_through_a_pipe(name: str, packed: bool) -> None:
    content = (SAMPLES / name).read_bytes()
    pipe = io.BytesIO(gzip.compress(content) if packed else content)
    dataset = load(DataOptions(("-",)), stdin=pipe)
    check(dataset, EXPECTED[name])
    assert dataset.name == "stdin"


@pytest.mark.parametrize("name", EXPECTED)
def test_gzipped(name: str, tmp_path: Path) -> None:
    packed = tmp_path / f"{name}.gz"
    packed.write_bytes(gzip.compress((SAMPLES / name).read_bytes()))
    check(load(DataOptions((str(packed),))), EXPECTED[name])
    twice = tmp_path / "twice.gz"
    twice.write_bytes(gzip.compress(packed.read_bytes()))
    check(load(DataOptions((str(twice),))), EXPECTED[name])


@pytest.mark.parametrize("name", EXPECTED)
def test_with_windows_line_ends_and_a_mark(name: str) -> None:
    if name.endswith((".npy", ".parquet")):
        pytest.skip("not lines")
    content = (SAMPLES / name).read_bytes().replace(b"\n", b"\r\n")
    check(load(DataOptions(("-",)), stdin=io.BytesIO(b"\xef\xbb\xbf" + content)), EXPECTED[name])


def test_two_files_and_a_glob_add_up(tmp_path: Path) -> None:
    for name in ("lengths.csv", "lengths.npy", "histogram.csv"):
        shutil.copy(SAMPLES / name, tmp_path)
    both = load(DataOptions((str(tmp_path / "lengths.csv"), str(tmp_path / "lengths.npy"))))
    glob = load(DataOptions((str(tmp_path / "lengths.*"),)))
    assert both.histogram.items() == glob.histogram.items()
    assert (both.rows, both.histogram.real_steps) == (27, 1814 + 1718)
    assert both.in_order is not None
    expected = EXPECTED["lengths.csv"]["lengths"] + EXPECTED["lengths.npy"]["lengths"]
    assert both.in_order.tolist() == expected
    folder = load(DataOptions((str(tmp_path),)))
    assert folder.rows == 127
    assert folder.in_order is None


def test_parquet_list_column() -> None:
    options = DataOptions((str(SAMPLES / "tokens.parquet"),), field="input_ids")
    dataset = load(options)
    check(dataset, EXPECTED["tokens.parquet"])
    assert dataset.unit == "tokens"


@pytest.mark.parametrize(
    ("name", "note"),
    [
        ("manifest_nemo.jsonl", "read as JSONL, field duration, 100 frames a second (assumed)"),
        ("prompts_text.jsonl", "read as JSONL, field text, in words"),
        ("lengths.csv", "read as CSV, field length"),
        ("genes.fasta", "read as FASTA, in residues"),
        ("histogram.csv", "read as length,count histogram"),
        ("lengths.npy", "read as npy"),
        ("sentences.txt", "read as text, in words"),
    ],
)
def test_says_how_it_was_read(name: str, note: str) -> None:
    path = str(SAMPLES / name)
    assert load(DataOptions((path,))).notes == (f"{path}: {note}",)
