"""How fast data are read, as ratios to other ways in the same run.

DGPLAY_BENCHMARK_ROWS sets the number of rows, 1,000,000 by default; the goals are stated for
ten times as many, where what is done once weighs less.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from dgplay.core.sequences.dataset import DataOptions, Dataset
from dgplay.core.sequences.loading import load

pytestmark = pytest.mark.benchmark

ROWS = int(os.environ.get("DGPLAY_BENCHMARK_ROWS", "1000000"))
WORDS = ["over", "flames", "sleep", "window", "blue", "quiet", "near", "across", "street", "rain"]


def interleaved(
    ours: Callable[[], object],
    theirs: Callable[[], object],
    clock: Callable[[], float] = time.process_time,
) -> tuple[float, float]:
    """Return the best of three seconds of each, in turn; CPU time if not told otherwise."""
    times: dict[int, list[float]] = {0: [], 1: []}
    for _ in range(3):
        for which, work in enumerate((ours, theirs)):
            began = clock()
            work()
            times[which].append(clock() - began)
    return min(times[0]), min(times[1])


def read(path: Path) -> Dataset:
    return load(DataOptions((str(path),)))


@pytest.mark.parametrize(("low", "high"), [(1, 4000), (0, 1_000_000)])
def test_npy_within_twice_bincount(low: int, high: int, tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    rng = np.random.default_rng(0)
    lengths = np.clip(rng.lognormal(np.log(high / 20), 1, 10 * ROWS), low, high).astype(np.int64)
    np.save(path, lengths)
    ours, theirs = interleaved(lambda: read(path), lambda: np.bincount(np.load(path)))
    print(f"\nnpy of {lengths.size} up to {high}: {ours / theirs:.2f} x bincount")
    assert ours < 2 * theirs


@pytest.mark.parametrize("decimals", [2, 3, 15])
def test_manifest_five_times_faster_than_json(decimals: int, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    rng = np.random.default_rng(0)
    with path.open("w") as out:
        for row, seconds in enumerate(rng.uniform(0.5, 20, ROWS).tolist()):
            text = " ".join(WORDS[: row % 8 + 1])
            audio = f"clips/none_{row:06d}.wav"
            item = {"audio_filepath": audio, "duration": round(seconds, decimals), "text": text}
            out.write(json.dumps(item) + "\n")

    def parse() -> float:
        with path.open(encoding="utf-8") as lines:
            return sum(json.loads(line)["duration"] for line in lines)

    ours, theirs = interleaved(lambda: read(path), parse)
    print(f"\nmanifest, {decimals} decimals: {theirs / ours:.2f} x json.loads")
    assert theirs > 5 * ours


def test_text_within_twice_awk(tmp_path: Path) -> None:
    if not shutil.which("awk"):
        pytest.skip("no awk")
    path = tmp_path / "x.txt"
    rng = np.random.default_rng(0)
    with path.open("w") as out:
        for words in rng.integers(1, 40, ROWS // 2).tolist():
            out.write(" ".join(WORDS[: words % 10] * (words // 10 + 1)) + "\n")
    pipeline = f"awk '{{print NF}}' {path} | sort -n | uniq -c > /dev/null"

    def shell() -> None:
        subprocess.run(pipeline, shell=True, check=True, env={**os.environ, "LC_ALL": "C"})

    ours, theirs = interleaved(lambda: read(path), shell, time.perf_counter)
    size = path.stat().st_size / 1e6
    print(f"\ntext of {size:.0f} MB: {ours / theirs:.2f} x awk, sort, uniq")
    assert ours < 2 * theirs
