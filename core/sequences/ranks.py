"""Ranks: sharing the batches of an epoch between R processes that step together.

Rank r of R runs the batches r, r + R, r + 2R, …; in each optimizer step all wait for the slowest.
Where the number of batches is no multiple of R the ranks would run apart and hang, so the last
few are dropped, or the first few repeated, and how many sequences that touches is stated.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .batches import Batches
from .orders import Ints


@dataclass(frozen=True, eq=False)
class Shares:
    """Who runs which batch; made by :func:`share`.

    ``order`` has shape (optimizer steps, ranks) and holds numbers of batches. ``dropped`` and
    ``repeated`` count sequences, ``dropped_steps`` and ``repeated_steps`` their real steps.
    """

    order: Ints
    dropped: int
    dropped_steps: int
    repeated: int
    repeated_steps: int

    @property
    def optimizer_steps(self) -> int:
        """Batches per rank."""
        return int(self.order.shape[0])

    def of_rank(self, rank: int) -> Ints:
        """Return the numbers of the batches of ``rank``, in order; costs its own batches only."""
        return self.order[:, rank]


def share(batches: Batches, ranks: int, uneven: str = "drop") -> Shares:
    """Share ``batches`` between ``ranks``; ``uneven`` is drop or repeat."""
    rest = batches.count % ranks
    numbers = np.arange(batches.count, dtype=np.int64)
    dropped, repeated = numbers[:0], numbers[:0]
    if rest and uneven == "repeat":
        repeated = np.arange(ranks - rest, dtype=np.int64) % batches.count
    elif rest:
        dropped = numbers[len(numbers) - rest :]
        numbers = numbers[: len(numbers) - rest]
    return Shares(
        np.concatenate((numbers, repeated)).reshape(-1, ranks),
        int(batches.sizes[dropped].sum()),
        int(batches.real_steps[dropped].sum()),
        int(batches.sizes[repeated].sum()),
        int(batches.real_steps[repeated].sum()),
    )


def rank_wait(batches: Batches, order: Ints) -> float | None:
    """Return the share of all ranks' time that is spent waiting for the slowest rank.

    A batch takes as long as it has cell steps, padding included. ``order`` has shape (optimizer
    steps, ranks). None where nothing runs.
    """
    if not order.size:
        return None
    steps = batches.steps.astype(np.float64)[order]
    slowest = float(steps.max(axis=1).sum()) * int(order.shape[1])
    return 1.0 - float(steps.sum()) / slowest
