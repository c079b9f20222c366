"""Reader of .npy: a one-dimensional array of whole numbers, never unpickled.

The values are read in cache-sized pieces into one buffer, so a file, a pipe and a gzip file take
the same way, and memory does not follow the size of the array.
"""

from __future__ import annotations

import io
import math
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import DataError
from ..wording import say
from .dataset import DataOptions
from .detect import NPY_MAGIC
from .reading import Reading
from .streams import ByteStream
from .tally import Tally
from .values import LARGEST, BadRow

#: Bytes read at once.
_PIECE = 1 << 20

_LARGEST_HEADER = 1 << 16


def read_npy(stream: ByteStream, tally: Tally, options: DataOptions) -> Reading:
    """Read lengths from an array of integers of any width and byte order.

    Raises DataError for pickled, floating, multi-dimensional, damaged or truncated arrays; a
    value that is no length is a bad row, counted from 1.
    """
    count, dtype = _header(stream, tally.name)
    row = 1
    while row <= count:
        wanted = min(_PIECE // dtype.itemsize, count - row + 1) * dtype.itemsize
        piece = _exactly(stream, wanted)
        if len(piece) < wanted:
            held = row - 1 + len(piece) // dtype.itemsize
            what = say("ends after {held} of {count} values", held=held, count=count)
            raise DataError(what, where=tally.name, hint=say("the file is truncated"))
        values = np.frombuffer(piece, dtype)
        _add(values, row, tally)
        row += values.size
    if stream.peek(1):
        raise DataError(say("more bytes follow the array"), where=tally.name)
    return Reading("npy")


def _exactly(stream: ByteStream, size: int) -> bytes:
    """Return ``size`` bytes, fewer only at the end."""
    piece = stream.read(size)
    if len(piece) == size:
        return piece
    pieces = [piece]
    have = len(piece)
    while have < size and (piece := stream.read(size - have)):
        pieces.append(piece)
        have += len(piece)
    return b"".join(pieces)


def _add(values: npt.NDArray[Any], first_row: int, tally: Tally) -> None:
    if values.dtype.kind == "i":
        # Seen as unsigned, negative values are the largest, so one look finds both ends.
        unsigned = values.astype(np.int64, copy=False).view(np.uint64)
    else:
        unsigned = values.astype(np.uint64, copy=False)
    largest = int(unsigned.max())
    if largest <= LARGEST:
        rows = range(first_row, first_row + unsigned.size)
        tally.add_many(unsigned.view(np.int64), rows, largest)
        return
    for row, value in enumerate(values.tolist(), first_row):
        if 0 <= value <= LARGEST:
            tally.add(value, row)
        else:
            wrong = say("{text} is above 2^53, the longest length there can be", text=value)
            if value < 0:
                wrong = say("{text} is negative", text=value)
            tally.bad(BadRow(wrong), row)


def _header(stream: ByteStream, name: str) -> tuple[int, np.dtype[Any]]:
    """Return the number of values and their type. Raises DataError."""
    start = _exactly(stream, 8)
    if not start.startswith(NPY_MAGIC):
        raise DataError(say("is not an .npy file"), where=name)
    version = tuple(start[6:8])
    width = 2 if version == (1, 0) else 4
    size_bytes = _exactly(stream, width)
    size = int.from_bytes(size_bytes, "little")
    text = _exactly(stream, size) if size <= _LARGEST_HEADER else b""
    if version not in ((1, 0), (2, 0), (3, 0)) or len(text) < size or len(size_bytes) < width:
        raise DataError(say("the .npy header is damaged or cut off"), where=name)
    # Version 3 differs in the encoding of field names only, which no array of integers has.
    read = (
        np.lib.format.read_array_header_1_0 if width == 2 else np.lib.format.read_array_header_2_0
    )
    try:
        shape, _, dtype = read(io.BytesIO(size_bytes + text))
    except (ValueError, SyntaxError, TypeError, UnicodeDecodeError, RecursionError, MemoryError):
        raise DataError(say("the .npy header is damaged"), where=name) from None
    return _checked(shape, dtype, name)


def _checked(shape: tuple[int, ...], dtype: np.dtype[Any], name: str) -> tuple[int, np.dtype[Any]]:
    if dtype.hasobject:
        raise DataError(
            say("holds pickled objects, which are never loaded"),
            where=name,
            hint=say("save a 1-D array of integers"),
        )
    if len(shape) != 1:
        sizes = " x ".join(map(str, shape)) or say("no dimension")
        what = say("has {count} dimensions ({sizes})", count=len(shape), sizes=sizes)
        raise DataError(what, where=name, hint=say("save a 1-D array of integers"))
    if dtype.kind not in "iu":
        raise DataError(
            say("holds {dtype}, not integers", dtype=dtype),
            where=name,
            hint=say("save whole numbers"),
        )
    if math.prod(shape) < 0:
        raise DataError(say("the .npy header is damaged"), where=name)
    return shape[0], dtype
