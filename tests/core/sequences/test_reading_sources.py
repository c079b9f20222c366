"""DATA words become sources: paths first, then weights, names and generators."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from dgplay.core.errors import DataError
from dgplay.core.sequences.bundled import describe, names, open_set
from dgplay.core.sequences.dataset import DataOptions, Dataset
from dgplay.core.sequences.detect import detect
from dgplay.core.sequences.loading import load
from dgplay.core.sequences.sources import Source, resolve
from dgplay.core.sequences.streams import ByteStream


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with three files of numbers."""
    monkeypatch.chdir(tmp_path)
    for name in ("c.txt", "a.txt", "b.csv"):
        (tmp_path / name).write_text("length\n3\n" if name.endswith("csv") else "3\n4\n")
    return tmp_path


def read(*words: str) -> Dataset:
    return load(DataOptions(words))


def message(*words: str) -> str:
    with pytest.raises(DataError) as caught:
        read(*words)
    return str(caught.value)


def test_paths_globs_folders_names(folder: Path) -> None:
    (folder / "shards").mkdir()
    for name in ("2.txt", "10.txt", ".hidden.txt", "_SUCCESS", "README.md", "1.jsonl.gz"):
        (folder / "shards" / name).touch()
    found = resolve(["*.txt", "shards", "gsm8k_train_qa", "uniform:1-20", "-", "b.csv"])
    assert [(source.kind, source.text) for source in found] == [
        ("file", "a.txt"),
        ("file", "c.txt"),
        ("file", "shards/1.jsonl.gz"),
        ("file", "shards/10.txt"),
        ("file", "shards/2.txt"),
        ("bundled", "gsm8k_train_qa"),
        ("generator", "uniform:1-20"),
        ("stdin", "-"),
        ("file", "b.csv"),
    ]


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("a.txt*3", [Source("file", "a.txt", 3)]),
        ("*.txt*2", [Source("file", "a.txt", 2), Source("file", "c.txt", 2)]),
        ("gsm8k_train_qa*10", [Source("bundled", "gsm8k_train_qa", 10)]),
        ("uniform:1-50*2", [Source("generator", "uniform:1-50", 2)]),
        ("-*4", [Source("stdin", "-", 4)]),
        ("a.txt*007", [Source("file", "a.txt", 7)]),
    ],
)
def test_weights(word: str, expected: list[Source]) -> None:
    assert resolve([word]) == expected


def test_a_path_that_matches_the_whole_pattern_has_no_weight(folder: Path) -> None:
    (folder / "a.txt*3").write_text("5\n")
    assert resolve(["a.txt*3"]) == [Source("file", "a.txt*3")]
    (folder / "d9").write_text("5\n")
    assert resolve(["d*9"]) == [Source("file", "d9")]


def test_a_path_wins_over_a_name(folder: Path) -> None:
    (folder / "gsm8k_train_qa").write_text("7\n")
    (folder / "uniform:1-20").write_text("7\n8\n")
    assert read("gsm8k_train_qa").rows == 1
    assert read("uniform:1-20").rows == 2


def test_errors_of_one_line(folder: Path) -> None:
    (folder / "empty").mkdir()
    (folder / "e1").mkdir()
    nothing = "no such file, folder, bundled data set or generator"
    assert message("nope.txt") == "nope.txt: no such file or folder"
    assert message("gsm8k") == f"gsm8k: {nothing}; did you mean gsm8k_train_qa?"
    assert message("mmlu_test_word") == f"mmlu_test_word: {nothing}; did you mean mmlu_test_words?"
    assert message("zzzz").startswith(f"zzzz: {nothing}; dgplay data lists")
    assert message("").startswith(f"'': {nothing}")
    assert message("*.zip") == "*.zip: no file matches"
    assert message("e?") == "e?: matches folders only; add /*"
    assert message("empty").startswith("empty: the folder holds no data files; files ending .jsonl")
    assert message("a.txt*0") == "a.txt*0: a weight is at least 1"
    assert message("-", "-") == "-: standard input can be read only once"
    assert message("-") == "-: there is no standard input to read here"
    assert message("a\0b") == "a\\x00b: no such file, folder, bundled data set or generator; " + (
        "dgplay data lists the bundled data sets"
    )
    (folder / "gone.txt").symlink_to("nowhere")
    assert message("gone.txt") == "gone.txt: no such file or directory"


def test_weights_multiply_the_whole_account(folder: Path) -> None:
    (folder / "bad.txt").write_text("3\n-1\n9\n")
    options = DataOptions(("bad.txt*3", "a.txt"), skip_bad=True, max_length=5, over="drop")
    dataset = load(options)
    assert dataset.histogram.items() == [(3, 4), (4, 1)]
    assert (dataset.rows, dataset.skipped, dataset.dropped) == (11, 3, 3)
    assert dataset.dropped_steps == 27
    assert dataset.in_order is None


def test_the_reference_and_generators() -> None:
    assert (load(DataOptions()).name, load(DataOptions()).histogram.real_steps) == (
        "chainer-100",
        1065,
    )
    assert read("uniform:1-50").histogram.real_steps == 2590
    assert read("uniform:1-50*2").histogram.real_steps == 5180
    assert load(DataOptions(max_length=10, over="truncate")).histogram.maximum == 10


def test_notes_of_generators_are_kept() -> None:
    alone = read("lognormal:40,0.6").notes
    assert alone
    assert read("lognormal:40,0.6", "a.txt").notes[-len(alone) :] == alone


def test_names_and_kinds() -> None:
    assert [(read(*words).name, read(*words).kind) for words in (
        ("a.txt",), ("a.txt*2",), ("*.txt",), ("a.txt", "c.txt"), ("gsm8k_train_qa",),
    )] == [
        ("a.txt", "file"), ("a.txt*2", "file"), ("*.txt", "file"), ("a.txt and 1 more", "file"),
        ("gsm8k_train_qa", "bundled"),
    ]  # fmt: skip


def test_bundled_sets_are_what_they_say() -> None:
    assert len(names()) == 12
    for said in describe():
        dataset = read(said.name)
        assert (dataset.rows, dataset.histogram.zeros) == (said.sequences, said.zeros)
        assert (dataset.name, dataset.kind, dataset.notes) == (said.name, "bundled", ())
        assert dataset.unit in ("words", "chars", "tokens", "frames", "residues")
    assert read("voxconverse_segments_10ms").frame_rate == 100
    with pytest.raises(KeyError):
        open_set("nothing")


def test_different_units_are_refused(folder: Path) -> None:
    (folder / "w.txt").write_text("two words\n")
    (folder / "d.jsonl").write_text('{"duration": 1.5}\n')
    hint = "lengths in different units cannot be added up"
    assert message("w.txt", "d.jsonl") == (
        f"d.jsonl: is in frames of 100 a second, but w.txt is in words; {hint}"
    )
    assert message("voxconverse_segments_10ms", "gsm8k_train_qa").endswith(hint)


def test_a_bare_number_goes_with_any_unit(folder: Path) -> None:
    (folder / "w.txt").write_text("two words\n")
    dataset = read("a.txt", "w.txt")
    assert (dataset.unit, dataset.rows) == ("words", 3)
    assert dataset.notes[-1] == "a.txt: states no unit, taken as words"


def test_alike_sources_share_one_note() -> None:
    assert read("a.txt", "c.txt").notes == ("a.txt and 1 more: read as numbers",)


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("x.jsonl", b"5\n", "jsonl"),
        ("x.NDJSON.gz", b"5\n", "jsonl"),
        ("x.csv", b"a,b\n", "csv"),
        ("x.tsv", b"a\tb\n", "tsv"),
        ("x.csv", b"# c\n\nlength,count\n", "histogram"),
        ("x.csv", b"length, count\r\n", "histogram"),
        ("x.tsv", b"length\tcount\n", "histogram"),
        ("x.csv", b"length,count,x\n", "csv"),
        ("x.csv", b"# c\n12\n13\n", "numbers"),
        ("x.fna", b"ACGT", "fasta"),
        ("x.csv", b"PAR1....", "parquet"),
        ("x.csv", b"\x93NUMPY..", "npy"),
        ("x.txt", b'\n# c\n{"a": 1}', "jsonl"),
        ("x.txt", b">a\nACGT", "fasta"),
        ("x", b"id,length\n", "csv"),
        ("x", b"id\ttext\n", "tsv"),
        ("x", b'"text","id"\n', "csv"),
        ("x", b"length\n5\n", "csv"),
        ("x", b"length,count\n5,1\n", "histogram"),
        ("x", b"some text, more\n", "text"),
        ("x", b"5\n# c\n\n9\n3.0\n", "numbers"),
        ("x", b"5\n-9\nnan\n", "numbers"),
        ("x", b"5\n9 3\n", "text"),
        ("x", b"# only\n# comments\n", "text"),
        ("x", b"\n\n", "text"),
        ("x", b"5\n" * 32768 + b"five\n", "numbers"),
        ("x", b"1234567\n" * 8191 + b"12345678 cut", "numbers"),
    ],
)
def test_kinds(name: str, content: bytes, kind: str) -> None:
    assert detect(ByteStream(io.BytesIO(content), name), name) == kind


def test_a_named_field_makes_a_header() -> None:
    stream = ByteStream(io.BytesIO(b"id,frames\na,3\n"), "x")
    assert (detect(stream, "x"), detect(stream, "x", field="frames")) == ("text", "csv")
    assert detect(stream, "x", forced="numbers") == "numbers"
