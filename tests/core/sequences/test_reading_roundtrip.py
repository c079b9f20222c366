"""Any list of lengths, written in each format, reads back; fast ways agree with Python's own."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dgplay.core.sequences.dataset import DataOptions, Dataset
from dgplay.core.sequences.loading import load
from dgplay.core.sequences.values import LARGEST

LENGTHS = st.lists(
    st.one_of(st.integers(0, 40), st.integers(0, 10**6), st.integers(0, LARGEST)), min_size=1
).filter(any)
SHORT = st.lists(st.integers(0, 30), min_size=1).filter(any)


def read(content: bytes, **options: str | None) -> Dataset:
    return load(DataOptions(("-",), **options), stdin=io.BytesIO(content))  # type: ignore[arg-type]


def lines(form: Callable[[int], str], head: str = "") -> Callable[[list[int]], bytes]:
    return lambda lengths: (head + "".join(form(n) + "\n" for n in lengths)).encode()


def as_npy(lengths: list[int]) -> bytes:
    stream = io.BytesIO()
    np.save(stream, np.array(lengths, np.int64))
    return stream.getvalue()


def as_csv(lengths: list[int]) -> bytes:
    stream = io.StringIO()
    rows = csv.writer(stream)
    rows.writerow(["a text", "length"])
    rows.writerows((f'say "{n}",\n# {n}', n) for n in lengths)
    return stream.getvalue().encode()


def as_parquet(lengths: list[int]) -> bytes:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    stream = io.BytesIO()
    parquet.write_table(arrow.table({"length": arrow.array(lengths, arrow.int64())}), stream)
    return stream.getvalue()


WHOLE = {
    "jsonl": lines(lambda n: json.dumps({"id": "x", "length": n})),
    "jsonl floats": lines(lambda n: f'{{"length": {n}.0}}'),
    "csv": as_csv,
    "tsv": lines(lambda n: f'x "y\t{n}', "a\tlength\n"),
    "numbers": lines(lambda n: str(n), "# numbers\n\n"),
    "plain numbers": lines(lambda n: str(n)),
    "histogram": lines(lambda n: f"{n},1", "# a remark\nlength,count\n"),
    "npy": as_npy,
    "parquet": as_parquet,
}
COUNTED = {
    "text": lines(lambda n: " ".join(["wörd"] * n)),
    "jsonl text": lines(lambda n: json.dumps({"text": "w " * n})),
    "jsonl list": lines(lambda n: json.dumps({"input_ids": list(range(n))})),
    "csv text": lines(lambda n: f'"{"w " * n}"', "text\n"),
    "fasta": lines(lambda n: ">x\n" + "\n".join("A" * n)),
    "parquet list": lambda lengths: as_parquet_lists(lengths),
}


def as_parquet_lists(lengths: list[int]) -> bytes:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    stream = io.BytesIO()
    lists = arrow.array([list(range(n)) for n in lengths], arrow.list_(arrow.int32()))
    parquet.write_table(arrow.table({"input_ids": lists}), stream)
    return stream.getvalue()


@pytest.mark.parametrize("form", WHOLE)
@settings(max_examples=40, deadline=None)
@given(lengths=LENGTHS)
def test_numbers_read_back(form: str, lengths: list[int]) -> None:
    content = WHOLE[form](lengths)
    for packed in (content, gzip.compress(content, 1)):
        dataset = read(packed)
        assert dataset.histogram.items() == sorted(Counter(lengths).items())
        assert dataset.histogram.real_steps == sum(lengths)
        assert form == "histogram" or dataset.in_order is not None
        if dataset.in_order is not None:
            assert dataset.in_order.tolist() == lengths


@pytest.mark.parametrize("form", COUNTED)
@settings(max_examples=40, deadline=None)
@given(lengths=SHORT)
def test_counted_lengths_read_back(form: str, lengths: list[int]) -> None:
    dataset = read(COUNTED[form](lengths), format="text" if form == "text" else None)
    assert dataset.in_order is not None
    assert dataset.in_order.tolist() == lengths


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.text(st.sampled_from("ab \t\x0b\x0c\x1c\x1f\x85\u00a0\u2028\u3000é\r\n漢"))),
    st.sampled_from(["words", "chars", "bytes"]),
)
def test_text_is_what_python_says(parts: list[str], unit: str) -> None:
    text = "\n".join([*parts, "x"])
    wanted = [line.removesuffix("\r") for line in text.split("\n")]
    measures: dict[str, Callable[[str], int]] = {
        "words": lambda line: len(line.split()),
        "chars": len,
        "bytes": lambda line: len(line.encode()),
    }
    dataset = read(text.encode(), format="text", unit=unit)
    assert dataset.in_order is not None
    assert dataset.in_order.tolist() == [measures[unit](line) for line in wanted]


def test_counts_beyond_int64() -> None:
    dataset = read(f"length,count\n3,{10**30}\n{LARGEST},{10**25}\n".encode())
    assert dataset.rows == 10**30 + 10**25
    assert dataset.histogram.real_steps == 3 * 10**30 + LARGEST * 10**25


@pytest.mark.parametrize("kind", ["<i2", ">i4", "<u8", ">u2", "i1"])
def test_every_integer_type_of_npy(kind: str) -> None:
    stream = io.BytesIO()
    np.save(stream, np.arange(5).astype(kind))
    dataset = read(stream.getvalue())
    assert dataset.histogram.items() == [(n, 1) for n in range(5)]


@pytest.mark.parametrize("width", ["float32", "float64"])
def test_parquet_durations_are_decimals(width: str) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    stream = io.BytesIO()
    column = arrow.array([1.1, 0.07, 12.8], getattr(arrow, width)())
    parquet.write_table(arrow.table({"duration": column}), stream)
    dataset = read(stream.getvalue())
    assert dataset.in_order is not None
    assert dataset.in_order.tolist() == [110, 7, 1280]


def test_parquet_nulls_are_bad_rows() -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    for column in ([3, None, 4], [3.0, None, 4.0], [[1] * 3, None, [1] * 4], ["a b c", None, "a"]):
        stream = io.BytesIO()
        parquet.write_table(arrow.table({"tokens": column}), stream)
        options = DataOptions(("-",), skip_bad=True)
        dataset = load(options, stdin=io.BytesIO(stream.getvalue()))
        assert (dataset.rows, dataset.skipped) == (3, 1)
        assert dataset.notes[-1].endswith("the first: stdin:2: field tokens is null")
