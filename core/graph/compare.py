"""Owns the comparison of modes: bit for bit, and by how many representable numbers apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .modes import ModeCall, ModeRun
from .segments import tensors_in


@dataclass(frozen=True)
class Place:
    """Where two modes differ first: call (from 1), value, entry, and what each mode has."""

    call: int
    value: str
    index: tuple[int, ...]
    modes: tuple[str, str]
    values: tuple[Any, Any]
    ulps: int | None


@dataclass(frozen=True)
class Difference:
    """The first place where modes differ (None if nowhere), the largest distance in ulps.

    ``max_ulps`` is None where two results cannot be compared by distance: other shapes, other
    types, or NaN against a number.
    """

    at: Place | None
    max_ulps: int | None


def first_difference(runs: Mapping[str, ModeRun]) -> Difference:
    """Compare every mode with the first one, call by call, outputs before gradients."""
    names = list(runs)
    first: Place | None = None
    largest: int | None = 0
    for other in names[1:]:
        pairs = zip(runs[names[0]].calls, runs[other].calls, strict=True)
        for number, (left, right) in enumerate(pairs, 1):
            for value, a, b in _values(left, right):
                found = _compare(a, b)
                if found is None:
                    continue
                index, ulps, values = found
                largest = None if ulps is None or largest is None else max(largest, ulps)
                if first is None or number < first.call:
                    first = Place(number, value, index, (names[0], other), values, ulps)
    return Difference(first, largest)


def _values(left: ModeCall, right: ModeCall) -> list[tuple[str, Any, Any]]:
    """Return the pairs of values to compare, each with its name."""
    one, two = _flat(left.outputs), _flat(right.outputs)
    rows = [(f"output {i}", a, b) for i, (a, b) in enumerate(zip(one, two, strict=False))]
    if len(one) != len(two):
        rows.append(("number of outputs", np.array(len(one)), np.array(len(two))))
    for name, gradient in left.gradients.items():
        rows.append((f"d {name}", gradient, right.gradients[name]))
    return rows


def _flat(outputs: list[Any]) -> list[Any]:
    found: list[Any] = []
    for item in outputs:
        if isinstance(item, (tuple, list)):
            found.extend(_flat(list(item)))
        else:
            found.append(item if tensors_in(item) else np.array(item))
    return found


def ulps_apart(a: Any, b: Any) -> int | None:
    """Return 0 for equal bits (all NaNs equal), else the largest distance; None if none is."""
    found = _compare(a, b)
    return 0 if found is None else found[1]


def _compare(a: Any, b: Any) -> tuple[tuple[int, ...], int | None, tuple[Any, Any]] | None:
    """Return the first differing entry, the largest distance, and both entries; None if equal."""
    a, b = np.asarray(a), np.asarray(b)
    if a.dtype != b.dtype or a.shape != b.shape:
        return (), None, (f"{a.dtype}{a.shape}", f"{b.dtype}{b.shape}")
    if a.dtype.kind != "f":
        unequal = np.asarray(a != b)
        if not unequal.any():
            return None
        index = _first(unequal)
        return index, None, (a[index], b[index])
    bits = _ordered(a), _ordered(b)
    unequal = np.asarray((bits[0] != bits[1]) & ~(np.isnan(a) & np.isnan(b)))
    if not unequal.any():
        return None
    index = _first(unequal)
    if (np.isnan(a) != np.isnan(b)).any():
        return index, None, (a[index], b[index])
    far = max(abs(int(x) - int(y)) for x, y in zip(bits[0][unequal], bits[1][unequal], strict=True))
    return index, far, (a[index], b[index])


def _first(unequal: np.ndarray[Any, Any]) -> tuple[int, ...]:
    return tuple(int(i) for i in np.argwhere(unequal)[0])


def _ordered(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the bits of floats as integers that count representable numbers in order.

    -0.0 and 0.0 stay apart by one, since they are other bits.
    """
    kind = np.int64 if array.dtype == np.float64 else np.int32
    bits: Any = np.ascontiguousarray(array).reshape(array.shape).view(kind)
    # All bits but the sign turned: more negative floats become smaller integers.
    turned = np.bitwise_xor(bits, kind(np.iinfo(kind).max))
    ordered: np.ndarray[Any, Any] = np.where(bits < 0, turned, bits).astype(np.int64)
    return ordered
