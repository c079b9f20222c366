"""Saved states: whole or not at all, and a damaged file is set aside, never overwritten."""

import json
import os
import stat
import threading
from dataclasses import replace

import pytest

from dgplay.core import saving
from dgplay.core.errors import DgplayError
from dgplay.core.planning import Planning
from dgplay.core.sequences.dataset import DataOptions
from dgplay.core.state import Model, State

STATE = State(boundaries=(4, 11, 17, 20), model=Model(bias=-1e-05), mode="eager")
RECORD = {
    "format": "dgplay-state",
    "version": 1,
    "folder": "/somewhere",
    "arguments": ["--boundaries", "5,20"],
}

AS_ROOT = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere"
)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "state" / "state.json"


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def refused(path, **options):
    with pytest.raises(DgplayError) as refusal:
        saving.load(path, **options)
    line = str(refusal.value)
    assert "\n" not in line
    return line


def test_what_is_saved_is_loaded(path):
    saving.save(path, STATE)
    request = saving.load(path)
    assert replace(request.state, boundaries=request.boundaries, preset=request.preset) == STATE


def test_the_file_is_versioned_json_with_arguments_and_folder(path, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    saving.save(path, STATE)
    record = json.loads(path.read_text())
    assert list(record) == ["format", "version", "folder", "arguments"]
    assert (record["format"], record["version"]) == ("dgplay-state", 1)
    assert record["folder"] == os.getcwd()
    assert record["arguments"][:2] == ["--boundaries", "4,11,17,20"]


def test_saving_leaves_no_other_file_behind(path):
    for _ in range(3):
        saving.save(path, STATE)
    assert [entry.name for entry in path.parent.iterdir()] == ["state.json"]


def test_a_reader_never_sees_a_part(path):
    saving.save(path, STATE)
    long = replace(STATE, boundaries=tuple(range(1, 3000)))
    stop, seen = threading.Event(), set()

    def read():
        while not stop.is_set():
            seen.add(len(saving.load(path).boundaries))

    reader = threading.Thread(target=read)
    reader.start()
    for _ in range(20):
        saving.save(path, long)
        saving.save(path, STATE)
    stop.set()
    reader.join()
    assert seen <= {4, 2999}


def test_a_failure_in_the_middle_leaves_the_old_file(path, monkeypatch):
    saving.save(path, STATE)
    before = path.read_bytes()

    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(saving.os, "fsync", full)
    with pytest.raises(DgplayError, match="cannot be written: No space left on device"):
        saving.save(path, State())
    assert path.read_bytes() == before
    assert [entry.name for entry in path.parent.iterdir()] == ["state.json"]


def test_a_new_file_gets_the_usual_permissions_and_a_replaced_one_keeps_its_own(tmp_path):
    path = tmp_path / "lengths.csv"
    mask = os.umask(0o022)
    try:
        saving.write_atomically(path, "one")
        assert stat.S_IMODE(path.stat().st_mode) == 0o644
        path.chmod(0o640)
        saving.write_atomically(path, "two")
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
    finally:
        os.umask(mask)


def test_a_link_stays_a_link(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    link.symlink_to(target)
    saving.write_atomically(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_a_pipe_is_written_to_and_never_replaced(tmp_path):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    got = []
    reader = threading.Thread(target=lambda: got.append(fifo.read_text()))
    reader.start()
    saving.write_atomically(fifo, "through the pipe")
    reader.join(5)
    assert got == ["through the pipe"]
    assert stat.S_ISFIFO(fifo.stat().st_mode)


def test_a_folder_is_not_overwritten(tmp_path):
    with pytest.raises(DgplayError, match="is a folder"):
        saving.write_atomically(tmp_path, "text")


@AS_ROOT
def test_a_folder_that_cannot_be_written_to_is_said(tmp_path):
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(DgplayError, match="cannot be written: Permission denied"):
            saving.save(tmp_path / "state.json", STATE)
    finally:
        tmp_path.chmod(0o700)


def test_a_folder_that_can_be_written_to_is_made_and_left_empty(path):
    saving.check_folder(path)
    assert list(path.parent.iterdir()) == []


def test_a_folder_below_a_file_is_found_out_beforehand(tmp_path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(DgplayError, match="cannot be written: "):
        saving.check_folder(tmp_path / "file" / "state.json")


def test_a_place_below_a_file_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(DgplayError, match="cannot be written"):
        saving.save(tmp_path / "file" / "state.json", STATE)


def test_a_file_name_that_is_no_text_is_saved(path):
    strange = State(DataOptions(("\udcff.csv",)))
    saving.save(path, strange)
    assert saving.load(path).state.data.sources == ("\udcff.csv",)


def test_without_a_file_there_is_nothing_to_resume(path):
    assert refused(path) == f"{path}: there is no saved state"


DAMAGED = {
    "empty": "",
    "truncated": json.dumps(RECORD)[:60],
    "binary": b"\x00\xff\xfe" * 100,
    "another text": "lengths,count\n1,2\n",
    "another json": "[1, 2]",
    "too deep": "[" * 100_000,
    "another format": json.dumps({**RECORD, "format": "other"}),
    "no version": json.dumps({**RECORD, "version": "one"}),
    "version 0": json.dumps({**RECORD, "version": 0}),
    "arguments that are no list": json.dumps({**RECORD, "arguments": "--seed 3"}),
    "arguments that are no words": json.dumps({**RECORD, "arguments": [3]}),
    "an option that there is not": json.dumps({**RECORD, "arguments": ["--fast"]}),
    "a value that there is not": json.dumps({**RECORD, "arguments": ["--frame-rate", "1/0"]}),
    "no folder": json.dumps({**RECORD, "folder": None}),
}


@pytest.mark.parametrize("text", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_file_is_set_aside_as_it_is(path, text):
    before = write(path, text).read_bytes()
    line = refused(path)
    assert line.startswith(f"{path}: is damaged (")
    assert line.endswith("); it is kept as state.json.damaged-1")
    assert not path.exists()
    assert (path.parent / "state.json.damaged-1").read_bytes() == before


@pytest.mark.parametrize("text", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_file_that_a_person_named_stays_where_it_is(path, text):
    before = write(path, text).read_bytes()
    assert refused(path, own=False).startswith(f"{path}: is no saved state: ")
    assert path.read_bytes() == before


def test_one_damaged_file_does_not_replace_another(path):
    for number in (1, 2, 3):
        write(path, f"damage {number}")
        refused(path)
    kept = [(path.parent / f"state.json.damaged-{n}").read_text() for n in (1, 2, 3)]
    assert kept == ["damage 1", "damage 2", "damage 3"]


def test_a_newer_version_is_refused_and_left_alone(path):
    text = json.dumps({**RECORD, "version": 2, "more": True})
    write(path, text)
    assert refused(path) == (f"{path}: was saved by a newer dgplay (version 2, this one reads 1)")
    assert path.read_text() == text


@pytest.mark.parametrize(
    ("text", "verdict"),
    [("damage", "is damaged"), (json.dumps({**RECORD, "version": 2}), "is not ours to overwrite")],
    ids=["damaged", "newer"],
)
def test_before_the_first_autosave_what_cannot_be_read_is_set_aside(path, text, verdict):
    before = write(path, text).read_bytes()
    line = saving.make_room(path)
    assert line.startswith(f"{path}: {verdict} (")
    assert line.endswith("); it is kept as state.json.damaged-1")
    assert not path.exists()
    assert (path.parent / "state.json.damaged-1").read_bytes() == before


def test_before_the_first_autosave_a_good_file_and_no_file_stay(path):
    assert saving.make_room(path) == ""
    saving.save(path, STATE)
    assert saving.make_room(path) == ""
    assert path.exists()


def test_a_folder_in_its_place_is_said_and_stays(path):
    path.mkdir(parents=True)
    assert refused(path) == f"{path}: cannot be read: Is a directory"
    assert path.is_dir()


@AS_ROOT
def test_a_damaged_file_in_a_read_only_folder_stays(path):
    write(path, "damage")
    path.parent.chmod(0o500)
    try:
        assert refused(path).endswith(" and stays: Permission denied")
        assert path.read_text() == "damage"
    finally:
        path.parent.chmod(0o700)


# Relative paths mean the folder in which the state was saved.


@pytest.fixture
def folders(tmp_path, monkeypatch):
    here, there = tmp_path / "he[r]e", tmp_path / "there"
    for folder in (here, there):
        folder.mkdir()
    (here / "a.csv").write_text("length\n3\n")
    (here / "b.csv").write_text("length\n5\n")
    monkeypatch.chdir(here)
    return here, there


def resumed(folders, path, monkeypatch, *sources, **options):
    saving.save(path, State(DataOptions(sources), **options))
    monkeypatch.chdir(folders[1])
    return saving.load(path).state


def test_resumed_in_the_same_folder_paths_stay_as_they_were(folders, path):
    saving.save(path, State(DataOptions(("a.csv",))))
    assert saving.load(path).state.data.sources == ("a.csv",)


@pytest.mark.parametrize("source", ["a.csv", "a.csv*3"])
def test_resumed_elsewhere_a_path_is_anchored(folders, path, monkeypatch, source):
    state = resumed(folders, path, monkeypatch, source)
    assert state.data.sources == (f"{folders[0]}/{source}",)


def test_resumed_elsewhere_a_glob_finds_the_same_files(folders, path, monkeypatch):
    state = resumed(folders, path, monkeypatch, "*.csv")
    assert saving.glob.glob(state.data.sources[0]) != []
    assert state.data.sources[0].endswith("/*.csv")


@pytest.mark.parametrize("source", ["uniform:1-50", "mmlu_test_words", "-", "gone.csv"])
def test_resumed_elsewhere_what_is_no_path_stays(folders, path, monkeypatch, source):
    assert resumed(folders, path, monkeypatch, source).data.sources == (source,)


def test_resumed_elsewhere_an_absolute_path_stays(folders, path, monkeypatch):
    absolute = str(folders[0] / "a.csv")
    assert resumed(folders, path, monkeypatch, absolute).data.sources == (absolute,)


def test_resumed_elsewhere_the_data_compared_with_are_anchored(folders, path, monkeypatch):
    state = resumed(folders, path, monkeypatch, "a.csv", compare="b.csv")
    assert state.compare == f"{folders[0]}/b.csv"


def test_resumed_elsewhere_a_table_of_costs_is_anchored(folders, path, monkeypatch):
    (folders[0] / "linear").write_text("")
    for cost, meant in (("b.csv", f"{folders[0]}/b.csv"), ("linear", "linear"), ("2,3", "2,3")):
        monkeypatch.chdir(folders[0])
        state = resumed(folders, path, monkeypatch, "a.csv", planning=Planning(cost=cost))
        assert state.planning.cost == meant


def test_saved_in_a_folder_that_is_gone(tmp_path, path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    saving.save(path, State(DataOptions(("a.csv",))))
    assert saving.load(path).state.data.sources == ("a.csv",)
