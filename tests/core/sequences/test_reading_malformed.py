"""A table of malformed files, each with the one line that is said about it."""

from __future__ import annotations

import gzip
import io
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dgplay.core.errors import DataError
from dgplay.core.sequences.dataset import DataOptions
from dgplay.core.sequences.loading import load


def npy(array: Any) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=True)
    return stream.getvalue()


ABOVE = "is above 2^53, the longest length there can be"
SAVE = "save a 1-D array of integers"
HEADER = "the .npy header is damaged"

MALFORMED: list[tuple[str, bytes, str]] = [
    ("empty.txt", b"", ": is empty"),
    ("mark.txt", b"\xef\xbb\xbf", ": is empty"),
    ("empty.gz", gzip.compress(b""), ": is empty"),
    ("header.csv", b"id,length\n", ": has a header but no rows"),
    ("header.tsv", b"id\tlength", ": has a header but no rows"),
    ("remarks.csv", b"# only\n# remarks\n", ":1: has no header"),
    ("histogram.csv", b"length,count\n", ": holds no rows"),
    ("zero.csv", b"length,count\n5,0\n", ": holds no rows"),
    ("blank.jsonl", b"\n \n", ": holds no rows"),
    ("negative.csv", b"length\n3\n-4\n", ":3: -4 is negative"),
    ("nan.csv", b"length\n3\nNaN\n", ":3: NaN is not a finite number"),
    ("nan.txt", b"5\nnan\n", ":2: nan is not a finite number"),
    ("inf.txt", b"# x\n\n5\n-inf\n", ":4: -inf is not a finite number"),
    (
        "fraction.jsonl",
        b'{"length": 3.5}\n',
        ":1: 3.5 is not a whole number; if these are seconds, name the field and give --frame-rate",
    ),
    ("big.txt", b"1\n9007199254740993\n", f":2: 9007199254740993 {ABOVE}"),
    ("big.jsonl", b'{"length": 9007199254740993}\n', f":1: 9007199254740993 {ABOVE}"),
    ("huge.jsonl", b'{"length": ' + b"9" * 5000 + b"}", f":1: {'9' * 39}… {ABOVE}"),
    ("exp.jsonl", b'{"length": 1e99999999999999999999}', ":1: 1e99999999999999999999 is out of the"
     " range of numbers"),
    ("deep.jsonl", b'{"length": 4, "x": ' + b"[" * 100_000 + b"}", ":1: the JSON is nested too"
     " deeply"),
    (
        "broken.jsonl",
        b'{"length": 1}\n{"length": 2}\n{"length": 3\n',
        ":3: broken JSON at column 13: Expecting ',' delimiter",
    ),
    ("pretty.jsonl", b"{\n", ":1: broken JSON at column 2: Expecting property name enclosed in"
     " double quotes"),
    ("true.jsonl", b'{"length": true}', ":1: field length is true or false where a number is"
     " expected"),
    ("null.jsonl", b'{"length": null}', ":1: field length is null where a number is expected"),
    ("text.jsonl", b'{"length": "12"}', ":1: field length is a text where a number is expected"),
    ("object.jsonl", b'{"tokens": {}}', ":1: field tokens is an object, not a number, a list or a"
     " text"),
    ("list.jsonl", b"[1, 2]", ":1: a list where an object is expected; JSONL is one object a line"),
    ("kinds.jsonl", b'{"tokens": [1]}\n{"tokens": 3}\n', ":2: field tokens is a number where a list"
     " is expected"),
    ("nan.jsonl", b'{"duration": NaN}', ":1: NaN is not a finite number"),
    ("infinity.jsonl", b'{"duration": Infinity}', ":1: Infinity is not a finite number"),
    ("negative.jsonl", b'{"duration": -0.5}', ":1: -0.5 is negative"),
    ("no.jsonl", b'{"a": 1, "b": 2}', ":1: none of the fields length, input_ids, tokens, duration,"
     " text; fields: a, b; name one with --field"),
    ("later.jsonl", b'{"length": 4}\n{"len": 3}\n', ":2: no field length"),
    ("latin.jsonl", b'{"text": "caf\xe9"}', ":1: byte 0xe9 at column 14 is not UTF-8; save the file"
     " as UTF-8"),
    ("latin.txt", b"a b\ncaf\xe9 au\n", ":2: byte 0xe9 at column 4 is not UTF-8; save the file as"
     " UTF-8"),
    ("latin.csv", b"text\ncaf\xe9\n", ":2: byte 0xe9 at column 4 is not UTF-8; save the file as"
     " UTF-8"),
    ("utf16.txt", "5\n".encode("utf-16"), ":1: byte 0xff at column 1 is not UTF-8; save the file as"
     " UTF-8"),
    ("nul.csv", b"length\n3\x00\n", ':2: "3\\x00" is not a number'),
    ("quote.csv", b'text,x\n"abc,1\nd,2\n', ":2: a quoted cell is never closed"),
    ("after.csv", b'text\n"a"b\n', ":2: broken CSV: ',' expected after '\"'"),
    ("many.csv", b"length,x\n3,1,9\n", ":2: 3 cells under a header of 2"),
    ("few.csv", b"x,length\n3\n", ":2: no cell for field length: the row has 1"),
    ("empty_cell.csv", b"x,length\n3,\n", ":2: empty where a number is expected"),
    ("words.csv", b"x,length\n3,abc\n", ':2: "abc" is not a number'),
    ("no.csv", b"a,b\n1,2\n", ": none of the fields length, input_ids, tokens, duration, text;"
     " fields: a, b; name one with --field"),
    ("minus.csv", b"length,count\n3,-1\n", ":2: the count is wrong: -1 is negative"),
    ("three.csv", b"length,count\n3,1,1\n", ":2: 3 cells where length,count is expected"),
    ("half.csv", b"length,count\n3,1.5\n", ":2: the count is wrong: 1.5 is not a whole number"),
    ("before.fa", b"ACGT\n>a\nAC\n", ':1: "ACGT" stands before the first > header'),
    ("zeros.txt", b"0\n0\n", ": all lengths are zero (sequences: 2)"),
    ("blank.txt", b"\n\n\n", ": all lengths are zero (sequences: 3)"),
    ("pickled.npy", npy(np.array([[1, 2], [3]], object)), f": holds pickled objects, which are"
     f" never loaded; {SAVE}"),
    ("two.npy", npy(np.ones((2, 3), int)), f": has 2 dimensions (2 x 3); {SAVE}"),
    ("none.npy", npy(np.int64(3)), f": has 0 dimensions (no dimension); {SAVE}"),
    ("float.npy", npy(np.ones(3)), ": holds float64, not integers; save whole numbers"),
    ("bool.npy", npy(np.ones(3, bool)), ": holds bool, not integers; save whole numbers"),
    ("negative.npy", npy(np.array([3, -1])), ":2: -1 is negative"),
    ("big.npy", npy(np.array([3, 2**60], np.uint64)), f":2: {2**60} {ABOVE}"),
    ("no_values.npy", npy(np.zeros(0, int)), ": holds no rows"),
    ("cut.npy", npy(np.arange(9))[:150], ": ends after 2 of 9 values; the file is truncated"),
    ("header.npy", npy(np.arange(9))[:128], ": ends after 0 of 9 values; the file is truncated"),
    ("half_header.npy", npy(np.arange(9))[:50], f": {HEADER} or cut off"),
    ("magic.npy", b"\x93NUMPY", f": {HEADER} or cut off"),
    ("version.npy", b"\x93NUMPY\x09\x00\x04\x00\x00\x00abcd", f": {HEADER} or cut off"),
    ("garbled.npy", b"\x93NUMPY\x01\x00\x04\x00abcd", f": {HEADER}"),
    ("more.npy", npy(np.arange(3)) + b"x", ": more bytes follow the array"),
    ("cut.jsonl.gz", gzip.compress(b'{"length": 4}\n' * 9999)[:-20], ": the gzip data end too"
     " early"),
    ("garbled.gz", b"\x1f\x8b" + b"garbage" * 9, ": the gzip data are damaged"),
    ("archive.csv", b"PK\x03\x04aaaa", ": is a zip archive (or .npz); unpack it first"),
    ("packed.txt", b"BZh91AY&SYxxxx", ": is bzip2 data; unpack it first"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "content", "message"), MALFORMED, ids=[m[0] for m in MALFORMED])
def test_one_line(
    name: str, content: bytes, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_bytes(content)
    with pytest.raises(DataError) as caught:
        load(DataOptions((name,)))
    assert str(caught.value) == name + message


@pytest.mark.parametrize(("name", "content", "message"), MALFORMED, ids=[m[0] for m in MALFORMED])
def test_never_a_traceback_when_bad_rows_are_skipped(
    name: str, content: bytes, message: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    notes: tuple[str, ...] = ()
    said = ""
    try:
        notes = load(DataOptions((str(path),), skip_bad=True)).notes
    except DataError as error:
        said = str(error)
    assert "\n" not in said
    assert said or message.removeprefix(":") in notes[-1]


def test_a_cut_parquet(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "cut.parquet"
    path.write_bytes(b"PAR1abcd")
    with pytest.raises(DataError, match=r"cut\.parquet: damaged Parquet: [^\n]+$"):
        load(DataOptions((str(path),)))


def test_parquet_without_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.parquet"
    path.write_bytes(b"PAR1abcd")
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(DataError) as caught:
        load(DataOptions((str(path),)))
    assert str(caught.value) == f"{path}: Parquet needs pyarrow; pip install 'dgplay[parquet]'"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_permission_denied(tmp_path: Path) -> None:
    path = tmp_path / "secret.txt"
    path.write_text("a b")
    path.chmod(0)
    with pytest.raises(DataError, match=r"secret\.txt: permission denied$"):
        load(DataOptions((str(path),)))


def test_a_misspelt_field_lists_the_fields(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("id,length,lang\na,3,en\n")
    with pytest.raises(DataError) as caught:
        load(DataOptions((str(path),), field="lenght"))
    listed = "no field lenght; fields: id, length, lang; did you mean length?"
    assert str(caught.value) == f"{path}: {listed}"


@pytest.mark.parametrize("kind", ["npy", "parquet", "histogram", "jsonl"])
def test_a_format_that_it_is_not(kind: str, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "x.csv"
    path.write_text("id,length,lang\na,3,en\n")
    with pytest.raises(DataError, match=r"^[^\n]+$"):
        load(DataOptions((str(path),), format=kind))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"format": "xml"}, "unknown --format xml; choose from jsonl, csv"),
        ({"over": "cut"}, "--over cut is not one of refuse, drop, truncate"),
        ({"unit": "syllables"}, "--unit syllables is not one of words, chars, bytes"),
        ({"max_length": 0}, "--max-length 0 is not at least 1"),
        ({"frame_rate": 0}, "--frame-rate is not a positive number"),
    ],
)
def test_options_that_cannot_be(options: dict[str, Any], message: str, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("length\n3\n")
    with pytest.raises(DataError) as caught:
        load(DataOptions((str(path),), **options))
    assert str(caught.value).startswith(message)
