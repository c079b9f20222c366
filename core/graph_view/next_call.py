"""Owns what another call is suggested to be: the same inputs, one of them of another size."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..graph.feeds import Feed

#: Larger inputs are left as they are.
MOST_ELEMENTS = 1000


def suggested(inputs: Mapping[str, Feed]) -> dict[str, Feed]:
    """Return inputs for another call.

    The first array grows by a copy of its last entry along its first axis, and so do those of
    the same shape, such as a mask beside its sequence. Where there is none, the last number
    grows by one.

    >>> suggested({"x": np.array([1.0, 2.0]), "k": 6})
    {'x': array([1., 2., 2.]), 'k': 6}
    """
    made = dict(inputs)
    growing = None
    for name, value in inputs.items():
        if not isinstance(value, np.ndarray) or not value.ndim or not value.size:
            continue
        if value.size <= MOST_ELEMENTS and growing in (None, value.shape):
            growing = value.shape
            made[name] = np.concatenate((value, value[-1:]))
    if growing is None:
        for name, value in reversed(list(inputs.items())):
            if isinstance(value, np.ndarray) and not value.ndim and value.dtype.kind in "if":
                made[name] = np.asarray(value + value.dtype.type(1))
                break
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                made[name] = value + 1
                break
    return made
