"""One layer of the frontier by anchor rows: every ~sqrt(D)-th row in full, the rest between them.

Row j of a layer is min over i of base[i] - counted[i] * values[j], for columns i in ascending
order. The weight is Monge, so the best column never falls from row to row: a row between two
anchors only looks between their answers, which costs O(D * sqrt(D)) on any shape of histogram.

``allowed`` says how many leading columns a row may use; it must not fall from row to row. Columns
that are not yet allowed count as infinite, which keeps the Monge inequality.
"""

from __future__ import annotations

from math import isqrt

import numpy as np
import numpy.typing as npt

from .histogram import INT64_MAX, Integers

#: Cells of a block of candidates held at once: 2^17 int64 are 1 MiB, which stays in the cache.
_BLOCK_CELLS = 2**17

Places = npt.NDArray[np.int64]


def row_minima(
    base: Integers, counted: Integers, values: Integers, allowed: Places | None = None
) -> Integers:
    """Return min over i < allowed[j] of base[i] - counted[i] * values[j], for every row j.

    Rows must all be allowed at least one column.
    """
    size = len(values)
    stride = isqrt(max(size - 1, 0)) + 1
    rows = np.arange(0, size, stride)
    best = np.zeros(size, dtype=base.dtype)
    last_column = len(base) - 1 if allowed is None else int(allowed[-1]) - 1
    anchors = np.full(len(rows) + 1, last_column, dtype=np.int64)
    per_block = max(1, _BLOCK_CELLS // len(base))
    for start in range(0, len(rows), per_block):
        block = rows[start : start + per_block]
        stop = len(base) if allowed is None else int(allowed[block[-1]])
        candidates = base[:stop] - counted[:stop] * values[block, None]
        if allowed is not None:
            _forbid(candidates, 0, allowed[block])
        places = candidates.argmin(axis=1)
        anchors[start : start + len(block)] = places
        best[block] = candidates[np.arange(len(block)), places]
    for number, row in enumerate(rows.tolist()):
        columns = slice(int(anchors[number]), int(anchors[number + 1]) + 1)
        _fill(best, base, counted, values, allowed, (row + 1, min(row + stride, size)), columns)
    return best


def _fill(
    best: Integers,
    base: Integers,
    counted: Integers,
    values: Integers,
    allowed: Places | None,
    rows: tuple[int, int],
    columns: slice,
) -> None:
    """Fill ``best`` for the rows of one gap, whose answers lie in ``columns``."""
    near, counts = base[columns], counted[columns]
    per_block = max(1, _BLOCK_CELLS // len(near))
    for start in range(rows[0], rows[1], per_block):
        stop = min(start + per_block, rows[1])
        candidates = near - counts * values[start:stop, None]
        if allowed is not None:
            _forbid(candidates, columns.start, allowed[start:stop])
        best[start:stop] = candidates.min(axis=1)


def _forbid(candidates: Integers, first: int, allowed: Places) -> None:
    """Make the columns that a row may not use larger than any other."""
    least = max(int(allowed[0]) - first, 0)
    late = candidates[:, least:]
    if late.size:
        columns = np.arange(first + least, first + candidates.shape[1])
        beyond = INT64_MAX if late.dtype == np.int64 else candidates.max() + 1
        np.copyto(late, beyond, where=columns >= allowed[:, None])
