"""The planner's speed as ratios in one run: both methods, kmeans1d, memory, simulated batches."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable

import numpy as np
import pytest

from dgplay.core.sequences.batch_policy import batch_plan
from dgplay.core.sequences.batch_simulation import BatchRule, simulate
from dgplay.core.sequences.frontier import frontier
from dgplay.core.sequences.histogram import Histogram
from dgplay.core.sequences.planners import plan
from dgplay.core.sequences.variants import PlanOptions, solve

pytestmark = pytest.mark.benchmark

#: DESIGN section 9: seconds for k = 1…64 at that many distinct lengths. They are goals of one
#: machine, so the tests hold ten times as much.
GOALS = {1_000: 0.05, 10_000: 0.5, 100_000: 6.0}
SLACK = 10


def shapes(distinct: int) -> dict[str, Histogram]:
    rng = np.random.default_rng(7)
    lengths = np.arange(1, distinct + 1)
    x = lengths / distinct
    spikes, comb = np.ones(distinct), np.ones(distinct)
    spikes[::97], comb[::2] = 1e5, 1e3
    humps = 1 + 1e5 * (np.exp(-(((x - 0.2) / 0.05) ** 2)) + np.exp(-(((x - 0.8) / 0.03) ** 2)))
    counts = {
        "uniform": rng.integers(1, 20, distinct),
        "spikes": spikes,
        "comb": comb,
        "two humps": humps,
        "decay": 1 + 1e6 * np.exp(-12 * x),
        "log-normal": 1 + 1e5 * np.exp(-((np.log(x) + 2) ** 2)),
    }
    made = {name: Histogram(lengths, each.astype(np.int64)) for name, each in counts.items()}
    scattered = np.cumsum(rng.integers(1, 50, distinct))
    made["all distinct"] = Histogram(scattered, np.ones(distinct, np.int64))
    return made


def seconds(work: Callable[..., object], *given: object, **options: object) -> float:
    start = time.perf_counter()
    work(*given, **options)
    return time.perf_counter() - start


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str]) -> Callable[[str], None]:
    """Write a line of figures past pytest's capture."""

    def write(line: str) -> None:
        with capsys.disabled():
            sys.stdout.write(f"\n{line}")

    return write


@pytest.mark.parametrize("distinct", GOALS)
def test_frontier_of_every_shape(distinct: int, say: Callable[[str], None]) -> None:
    taken = {name: seconds(frontier, h) for name, h in shapes(distinct).items()}
    figures = ", ".join(f"{name} {1000 * each:.0f}" for name, each in taken.items())
    say(f"frontier k = 1..64, D = {distinct}, ms: {figures}")
    assert max(taken.values()) < SLACK * GOALS[distinct]


@pytest.mark.parametrize("distinct", [1_000, 10_000])
def test_hull_against_anchors(distinct: int, say: Callable[[str], None]) -> None:
    ratios = {}
    for name, histogram in shapes(distinct).items():
        anchors = seconds(frontier, histogram, method="anchors")
        ratios[name] = anchors / seconds(frontier, histogram)
    figures = ", ".join(f"{name} {ratio:.1f}x" for name, ratio in ratios.items())
    say(f"hull over anchors, D = {distinct}: {figures}")
    assert min(ratios.values()) > 0.4


@pytest.mark.parametrize("distinct", [1_000, 10_000])
def test_the_whole_frontier_beats_64_runs_of_kmeans1d(
    distinct: int, say: Callable[[str], None]
) -> None:
    kmeans1d = pytest.importorskip("kmeans1d", reason="kmeans1d is not installed (extra bench)")
    for name, histogram in shapes(distinct).items():
        # One value per distinct length: the smallest input that kmeans1d could be given.
        values = histogram.lengths.tolist()
        theirs = sum(seconds(kmeans1d.cluster, values, k) for k in range(1, 65))
        ours = seconds(frontier, histogram)
        say(f"D = {distinct} {name}: 64 kmeans1d {theirs:.3f} s, frontier {ours:.3f} s")
        assert ours < theirs


def test_memory_of_the_largest_frontier() -> None:
    histogram = shapes(100_000)["two humps"]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    solved = frontier(histogram)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert solved.most == 64
    assert (after - before) * 1024 < 2**30


def test_a_filled_table_within_its_ten_seconds(say: Callable[[str], None]) -> None:
    histogram = shapes(10_000)["uniform"]
    taken = seconds(solve, histogram, PlanOptions(k=16, fill_last=32))
    say(f"--fill-last at D = 10,000: {taken:.2f} s")
    assert taken < 2 * 10


def test_a_million_simulated_sequences(say: Callable[[str], None]) -> None:
    rng = np.random.default_rng(0)
    lengths = rng.lognormal(4.5, 0.8, 10**6).astype(np.int64).clip(1, 4000)
    histogram = Histogram.from_lengths(lengths)
    boundaries = plan(histogram, 8, "equal-total")
    rule = BatchRule(budget=4 * histogram.maximum)
    epoch = seconds(simulate, histogram, boundaries, rule, epochs=1)
    whole = seconds(batch_plan, histogram, 8, rule)
    shuffle = seconds(rng.shuffle, lengths)
    say(f"10^6 sequences: epoch {epoch:.2f} s, shuffle alone {shuffle:.3f} s")
    say(f"batch plan with three epochs {whole:.2f} s, D = {histogram.distinct}")
    assert epoch < 100 * shuffle
