"""Batches and packing: how long they take against work of a known size, in the same run."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from dgplay.core.sequences.batch_options import ORDERS, PAD_TO, BatchOptions
from dgplay.core.sequences.batch_report import batch_report
from dgplay.core.sequences.histogram import Histogram
from dgplay.core.sequences.packing import pack

pytestmark = pytest.mark.benchmark

BOUNDARIES = (20, 40, 60, 90, 150, 250, 500, 2000)


def best_of(work: Callable[[], Any], times: int = 3) -> float:
    found = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        found.append(time.perf_counter() - start)
    return min(found)


@pytest.fixture(scope="module")
def million() -> np.ndarray[Any, np.dtype[np.int64]]:
    drawn = np.random.default_rng(0).lognormal(4.0, 0.8, 1_000_000)
    return np.clip(drawn, 1, 2000).astype(np.int64)


@pytest.mark.parametrize("pad_to", PAD_TO)
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("limit", [{"budget": 8000}, {"batch_size": 32}])
def test_a_million_sequences(
    million: Any, pad_to: str, order: str, limit: dict[str, int], capsys: pytest.CaptureFixture[str]
) -> None:
    """About a second is ten sorts of a million numbers; a plain loop would take a hundred."""
    sort = best_of(lambda: np.sort(million.astype(np.float64)[::-1]))
    options = BatchOptions(**limit, pad_to=pad_to, order=order, ranks=4)
    report = best_of(lambda: batch_report(million, BOUNDARIES, options), 2)
    with capsys.disabled():
        print(f"\n{pad_to} {order} {limit}: {report:.3f} s, {report / sort:.1f} sorts")
    assert report < 30 * sort


def test_packing_follows_the_kinds_not_the_sequences(capsys: pytest.CaptureFixture[str]) -> None:
    """A thousand times the sequences of the same lengths take about as long."""
    rng = np.random.default_rng(0)
    counts = dict(zip(range(1, 3001), rng.integers(1, 50, 3000).tolist(), strict=True))
    few = Histogram.from_counts(counts)
    many = Histogram.from_counts({length: 1000 * count for length, count in counts.items()})
    one, thousand = (best_of(lambda h=h: pack(h, 6000)) for h in (few, many))  # type: ignore[misc]
    with capsys.disabled():
        print(f"\npacking 3,000 lengths: {one:.4f} s; times 1,000: {thousand:.4f} s")
    assert thousand < 5 * one
