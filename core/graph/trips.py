"""Owns the trips of a loop that ran: one array for each trip, as one value.

A gradient through a loop needs what every trip began with. How many trips there are is known
only when the loop has run, so this is no array with an axis for them; its aval,
:class:`~.avals.TripsAval`, says what one trip holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .avals import Aval, DType, Shape
from .ops import Array


@dataclass(frozen=True, slots=True, eq=False)
class Trips:
    """``arrays[t]`` is the value of trip ``t``; ``item`` what is known of each.

    ``borrowed`` where another value, the results of the loop, already counts the bytes.
    """

    arrays: tuple[Array, ...]
    item: Aval
    borrowed: bool = False

    def __len__(self) -> int:
        return len(self.arrays)

    @property
    def shape(self) -> Shape:
        """The shape of one trip."""
        return self.item.shape

    @property
    def dtype(self) -> DType:
        """The element type of each trip."""
        return self.item.dtype

    @property
    def nbytes(self) -> int:
        """Bytes that it keeps alive; an array that several trips share counts once."""
        if self.borrowed:
            return 0
        return sum({id(array): array.nbytes for array in self.arrays}.values())

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *operands: Any, **options: Any) -> Any:
        """Let ``np.add``, which sums gradients, add trip by trip; nothing else is defined."""
        if ufunc is not np.add or method != "__call__" or options:
            return NotImplemented
        first, second = operands
        pairs = zip(first.arrays, second.arrays, strict=True)
        return trips_of([np.add(x, y) for x, y in pairs], self.item)


def trips_of(values: Sequence[Any], item: Aval) -> Trips:
    """Return values, one for each trip, as one value."""
    return Trips(tuple(np.asarray(value) for value in values), item)


def borrowed(trips: Trips) -> Trips:
    """Return the same trips, their bytes counted elsewhere."""
    return Trips(trips.arrays, trips.item, True)
