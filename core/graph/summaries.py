"""Owns summaries of values: what events say of an array, and how numbers are written.

A summary holds no array that the engine still writes to. Arrays of a few elements are in it
whole; of larger ones it has the first elements and a checksum, and the bits up to a limit.
"""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np

#: Arrays up to this many elements are kept whole in a summary.
KEPT_ELEMENTS = 16

_NAMES = {np.dtype(name): name for name in ("float64", "float32", "int64", "bool")}

#: Of larger ones a summary holds the bytes too, up to this many, so that runs can be compared.
WHOLE_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class ValueSummary:
    """What a screen may show of a value: never the array itself.

    Of an array that ``first`` does not hold whole, ``digest`` is a checksum (CRC-32) of all
    its bits, where every NaN counts as the same, and ``whole`` the bits, blank where they are
    too many. Both are there for comparing runs, not for showing.
    """

    shape: tuple[int, ...]
    dtype: str
    low: float | None
    high: float | None
    mean: float | None
    nans: int
    infs: int
    first: tuple[float | int | bool, ...]
    digest: int = 0
    whole: bytes = field(default=b"", repr=False, compare=False)

    @property
    def text(self) -> str:
        """The value itself where it is small, else its shape and first entries."""
        if self.shape == ():
            return format_number(self.first[0])
        shown = ", ".join(format_number(item) for item in self.first)
        total = int(np.prod(self.shape, dtype=object))
        if len(self.shape) == 1 and total <= KEPT_ELEMENTS:
            return f"[{shown}]"
        more = ", …" if total > len(self.first) else ""
        return f"{'x'.join(map(str, self.shape))} [{shown}{more}]"


def summarize(value: np.ndarray[Any, np.dtype[Any]]) -> ValueSummary:
    """Return the summary of an array; bounds and mean over its finite entries (None if none)."""
    flat = value.reshape(-1)
    first = tuple(flat[:KEPT_ELEMENTS].tolist())
    name = _NAMES.get(value.dtype) or value.dtype.name
    if flat.size == 1 and type(first[0]) is float and math.isfinite(first[0]):
        (one,) = first
        return ValueSummary(value.shape, name, one, one, 0.0 + one, 0, 0, first)
    nans = infs = 0
    finite = flat
    if value.dtype.kind == "f":
        good = np.isfinite(flat)
        if not np.logical_and.reduce(good):
            nans = int(np.isnan(flat).sum())
            infs = int(flat.size - good.sum()) - nans
            finite = flat[good]
    digest, whole = (0, b"") if flat.size <= KEPT_ELEMENTS else _bits(flat, nans)
    if finite.size == 0 or value.dtype.kind == "b":
        return ValueSummary(value.shape, name, None, None, None, nans, infs, first, digest, whole)
    # The methods min, max and mean do the same, with more Python around it than this costs.
    low, high = float(np.minimum.reduce(finite)), float(np.maximum.reduce(finite))
    with np.errstate(all="ignore"):
        total = np.add.reduce(finite, dtype=None if finite.dtype.kind == "f" else np.float64)
        mean = float(total / finite.size)
    return ValueSummary(value.shape, name, low, high, mean, nans, infs, first, digest, whole)


def _bits(flat: np.ndarray[Any, np.dtype[Any]], nans: int) -> tuple[int, bytes]:
    """Return the checksum of an array, and its bits where they are few enough."""
    same = np.where(np.isnan(flat), flat.dtype.type(np.nan), flat) if nans else flat
    whole = same.tobytes()
    return zlib.crc32(whole), whole if len(whole) <= WHOLE_BYTES else b""


def format_number(value: float | int | bool) -> str:
    """Return a number as Python prints it, whole floats included (``2.0``)."""
    return str(value)


def constant_text(value: np.ndarray[Any, np.dtype[Any]]) -> str:
    """Return a small constant as Python writes it; nothing for a larger one."""
    return str(value.tolist()) if value.size <= 4 else ""


def format_value(value: np.ndarray[Any, np.dtype[Any]]) -> str:
    """Return an array as every mode prints it: nested lists of Python numbers."""
    if value.size <= 1000:
        return str(value.tolist())
    shown = ", ".join(str(item) for item in value.reshape(-1)[:KEPT_ELEMENTS].tolist())
    return f"array of shape {value.shape}: [{shown}, …]"
