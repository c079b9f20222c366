"""The expected steps of one bucket whose batches are padded to their own longest sequence.

Under a batch size n every batch but the last holds n sequences, and by symmetry each is a draw
without replacement: E[longest of n] = top - sum over v below the top of (next v - v) * C(c(v), n) /
C(c(top), n), where c(v) sequences are at most v long. This is exact.

Under a token budget T a batch takes sequences while longest * count <= T, so it holds n of them or
more exactly if the longest of the first n is at most T / n. With F the distribution of the lengths
and F0 that of the first of a batch, that is likely F0(T/n) * F(T/n)^(n-1), and the mean count and
the mean of longest * count are sums of such terms. The first of a batch is no random sequence: it
is the one that did not fit any more, so long ones are more likely, and F0 is a fixed point. Steps
are population * E[longest * count] / E[count], the renewal rate. This is exact for a long stream of
draws; for a bucket of B batches the last one, which is not full, and the draws being without
replacement leave about 3 % at B = 2, 0.5 % at 10 and 0.1 % at 50 (tests/core/sequences/
test_batch_law.py).
"""

from __future__ import annotations

from math import lgamma

import numpy as np
import numpy.typing as npt

from .batch_simulation import BatchRule
from .histogram import Histogram

Floats = npt.NDArray[np.float64]

#: Terms less likely than this are left out.
_NEGLIGIBLE = 1e-18

#: How near the first of a batch comes to its fixed point, and in how many rounds at most.
_NEAR = 1e-12
_MOST_ROUNDS = 200

#: Above so many sequences doubles lose the digits that tell draws without replacement apart, and
#: the first sequence of a batch from the others.
_MOST_EXACT = 10**9

#: Entries of a table in memory.
_MOST_ENTRIES = 2_000_000


def expected_steps_of_bucket(bucket: Histogram, rule: BatchRule) -> float:
    """Return the expected steps of one bucket, which holds positive lengths only."""
    lengths = bucket.lengths.astype(np.float64)
    counts = bucket.count_prefix[1:].astype(np.float64)
    if rule.size is not None:
        return _steps_by_size(lengths, counts, rule.size)
    assert rule.budget is not None
    if bucket.sequences * bucket.maximum <= rule.budget:
        return float(bucket.sequences * bucket.maximum)
    return float(counts[-1]) * BudgetLaw(lengths, counts, rule.budget).steps_per_sequence


def _steps_by_size(lengths: Floats, counts: Floats, size: int) -> float:
    """Return the steps of batches of ``size``, the last one smaller where it does not go up."""
    full, rest = divmod(int(counts[-1]), size)
    steps = full * size * _longest_of(lengths, counts, size) if full else 0.0
    return steps + rest * _longest_of(lengths, counts, rest) if rest else steps


def _longest_of(lengths: Floats, counts: Floats, n: int) -> float:
    """Return E[longest of n] where n are drawn without replacement."""
    below, population = counts[:-1], float(counts[-1])
    if population > _MOST_EXACT:
        shares = (below / population) ** n
    else:
        whole = lgamma(population + 1) - lgamma(population - n + 1)
        ways = [lgamma(c + 1) - lgamma(c - n + 1) - whole if c >= n else -np.inf for c in below]
        shares = np.exp(np.array(ways, np.float64))
    return float(lengths[-1] - shares @ np.diff(lengths))


class BudgetLaw:
    """How batches are cut from a stream of random lengths under a token budget.

    ``lengths`` ascend, ``counts[i]`` sequences are at most ``lengths[i]`` long. The counts n for
    which T / n lies between the same two lengths go together: ``_least[i]`` to ``_most[i]`` (none
    where it is less) are those from 2 on with lengths[i] <= T / n < lengths[i + 1].
    """

    def __init__(self, lengths: Floats, counts: Floats, budget: int) -> None:
        self._lengths = lengths
        self._above = (counts[-1] - counts) / counts[-1]  # 1 - F, exact near 0
        self._shares = np.diff(counts, prepend=0.0) / counts[-1]
        self._most = np.floor(float(budget) / lengths)
        self._least = np.maximum(np.append(self._most[1:], 0.0) + 1.0, 2.0)
        self._first = self._of_the_first()

    @property
    def mean_count(self) -> float:
        """E[count], how many sequences a batch holds."""
        return 1.0 + float(np.sum(self._alive()))

    @property
    def steps_per_sequence(self) -> float:
        """E[longest * count] / E[count]."""
        below = np.cumsum(self._first)
        steps = float(self._first @ self._lengths) + float(self._alive() @ self._lengths)
        gaps = np.diff(self._lengths) * below[:-1]
        weights = below * np.exp((self._least - 1.0) * _log(self._above))
        found = np.flatnonzero((self._most >= self._least) & (weights > _NEGLIGIBLE))
        rows = max(1, _MOST_ENTRIES // len(self._lengths))
        for start in range(0, len(found), rows):
            steps -= self._rows_below(found[start : start + rows], gaps)
        return steps / self.mean_count

    def _rows_below(self, rows: npt.NDArray[np.intp], gaps: Floats) -> float:
        """Return what the longest is below the largest it may be, summed over the counts of rows.

        With G_n(v) = F0(v) F(v)^(n-1), the longest of n when all are at most v has the mean
        v G_n(v) - sum over u < v of gap(u) G_n(u), which counts n times, less n - 1 times for the
        same without the last sequence.
        """
        columns = int(rows.max())
        above = self._above[:columns]
        least, most = self._least[rows, None], self._most[rows, None]
        with_last = _sum_of_n_powers(above, least, most)
        without = _sum_of_n_powers(above, least - 1.0, most - 1.0)
        terms = with_last - (1.0 - self._above[rows, None]) * without
        terms[np.arange(columns) >= rows[:, None]] = 0.0
        return float(np.sum(terms @ gaps[:columns]))

    def _alive(self) -> Floats:
        """Return how likely a batch grows to n, summed over the n of each row."""
        below = np.cumsum(self._first)
        alive: Floats = below * _sum_of_powers(self._above, self._least, self._most)
        return alive

    def _of_the_first(self) -> Floats:
        """Return the shares of each length among the first sequences of batches."""
        alive = _sum_of_powers(self._above, self._least, self._most)
        before = _sum_of_powers(self._above, self._least - 1.0, self._most - 1.0)
        first: Floats = self._shares
        if float(np.cumsum(first) @ alive) > _MOST_EXACT:
            return first  # one sequence among so many, and less than rounding leaves of it
        for _ in range(_MOST_ROUNDS):
            below = np.cumsum(first)
            # A length closes a batch of n - 1 unless it and all before are at most T / n.
            fits = np.cumsum((below * before)[::-1])[::-1]
            closes = self._shares * np.maximum(1.0 + float(below @ alive) - fits, 0.0)
            last, first = first, closes / closes.sum()
            if np.abs(first - last).max() < _NEAR:
                break
        return first


def _log(above: Floats) -> Floats:
    """Return log F from 1 - F."""
    with np.errstate(divide="ignore"):
        logs: Floats = np.log1p(-above)
    return logs


def _sum_of_powers(above: Floats, least: Floats, most: Floats) -> Floats:
    """Return the sum of F^(n-1) for n from ``least`` to ``most``, 0 where there is none."""
    terms = np.maximum(most - least + 1.0, 0.0)
    logs = _log(above)
    with np.errstate(divide="ignore", invalid="ignore"):
        sums = np.exp((least - 1.0) * logs) * -np.expm1(terms * logs) / above
    found: Floats = np.where(above > 0.0, sums, terms)
    return np.where(terms > 0.0, found, 0.0)


def _sum_of_n_powers(above: Floats, least: Floats, most: Floats) -> Floats:
    """Return the sum of n F^(n-1) for n from ``least`` to ``most``, at least one, where F < 1.

    With r = F and M + 1 terms it is least * sum of r^(n-1) plus r^(least-1) times the sum of
    m r^m for m to M, which is r (1 - r^M (1 + M (1 - r))) / (1 - r)^2.
    """
    logs, more = _log(above), most - least
    rising = -np.expm1(more * logs + np.log1p(more * above)) * (1.0 - above) / above**2
    rising *= np.exp((least - 1.0) * logs)
    found: Floats = least * _sum_of_powers(above, least, most) + rising
    return found
