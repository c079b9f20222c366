"""Reader of Parquet: one column, by pyarrow, which is imported here and nowhere else."""

from __future__ import annotations

import importlib
import io
from typing import Any

import numpy as np

from ..errors import DataError
from ..wording import say
from .dataset import DataOptions
from .detect import PARQUET_MAGIC
from .fields import NUMERIC, choose_field, frame_rate, holds_seconds, unit_of
from .reading import Reading
from .streams import ByteStream
from .tally import Tally
from .values import LARGEST, BadRow, frames, measure, shown, whole

_BATCH = 1 << 16


def read_parquet(stream: ByteStream, tally: Tally, options: DataOptions) -> Reading:
    """Read one column: lists count their items, numbers are lengths, texts are measured.

    Bad rows are counted from 1. Raises DataError without pyarrow, and for a damaged file or a
    column of another type.
    """
    if not stream.peek(4).startswith(PARQUET_MAGIC):
        raise DataError(say("is not a Parquet file"), where=tally.name)
    try:
        arrow = importlib.import_module("pyarrow")
        parquet = importlib.import_module("pyarrow.parquet")
        compute = importlib.import_module("pyarrow.compute")
    except ImportError:
        raise DataError(
            say("Parquet needs pyarrow"),
            where=tally.name,
            hint=say("pip install 'dgplay[parquet]'"),
        ) from None
    source = io.BytesIO(stream.read()) if stream.path is None else stream.path
    try:
        with parquet.ParquetFile(source) as table:
            field = choose_field(table.schema_arrow.names, options.field, tally.name)
            shape = _shape(arrow.types, table.schema_arrow.field(field).type, field, tally.name)
            seconds = holds_seconds(field, options)
            if seconds or field in NUMERIC:
                _expect_numbers(shape, field, seconds, tally.name)
            column = _Column(field, shape, seconds, options)
            for batch in table.iter_batches(batch_size=_BATCH, columns=[field]):
                column.add(batch.column(0), tally, arrow, compute)
    except (arrow.ArrowException, OSError, EOFError) as error:
        reason = shown(" ".join(str(error).split()), 100)
        raise DataError(say("damaged Parquet: {reason}", reason=reason), where=tally.name) from None
    unit = unit_of(field, shape, options)
    return Reading("Parquet", field, unit, seconds and options.frame_rate is None)


def _shape(types: Any, kind: Any, field: str, name: str) -> str:
    """Return number, list or text for an Arrow type. Raises DataError for any other."""
    if types.is_dictionary(kind):
        kind = kind.value_type
    if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
        return "number"
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return "list"
    if types.is_string(kind) or types.is_large_string(kind):
        return "text"
    what = say("column {field} is {kind}", field=shown(field), kind=shown(str(kind), 60))
    raise DataError(what, where=name, hint=say("a number, a list or a text is expected"))


def _expect_numbers(shape: str, field: str, seconds: bool, name: str) -> None:
    if shape == "text" or (seconds and shape == "list"):
        raise DataError(
            say("column {field} holds a list, not numbers", field=shown(field))
            if shape == "list"
            else say("column {field} holds a text, not numbers", field=shown(field)),
            where=name,
        )


class _Column:
    """Measures the batches of one column, rows counted from 1."""

    def __init__(self, field: str, shape: str, seconds: bool, options: DataOptions) -> None:
        self._field = field
        self._shape = shape
        self._seconds = seconds
        self._rate = frame_rate(options)
        self._unit = options.unit or "words"
        self._row = 1

    def add(self, values: Any, tally: Tally, arrow: Any, compute: Any) -> None:
        """Add one batch, at once if all of it is plain lengths, else row by row."""
        if self._shape == "list":
            values = compute.list_value_length(values)
        if arrow.types.is_integer(values.type) and not values.null_count and not self._seconds:
            lengths = values.to_numpy(zero_copy_only=False)
            if not lengths.size:
                return
            if int(lengths.min()) >= 0 and int(lengths.max()) <= LARGEST:
                rows = range(self._row, self._row + lengths.size)
                tally.add_many(lengths.astype(np.int64, copy=False), rows)
                self._row += lengths.size
                return
        for value in self._as_written(values, arrow):
            try:
                tally.add(self._length(value), self._row)
            except BadRow as problem:
                tally.bad(problem, self._row)
            self._row += 1

    @staticmethod
    def _as_written(values: Any, arrow: Any) -> list[str | None]:
        """Return numbers in their shortest decimal form, texts as they are."""
        if arrow.types.is_floating(values.type):
            # numpy prints the shortest decimal that means the same float, at its own width.
            floats = values.to_numpy(zero_copy_only=False)
            if not arrow.types.is_float64(values.type) and values.null_count:
                floats = floats.astype(values.type.to_pandas_dtype())
            texts = [str(number) for number in floats]
            missing = values.is_null().to_pylist()
            return [None if gone else text for gone, text in zip(missing, texts, strict=True)]
        return [None if value is None else str(value) for value in values.to_pylist()]

    def _length(self, value: str | None) -> int:
        if value is None:
            raise BadRow(say("field {field} is null", field=shown(self._field)))
        if self._shape == "text":
            return measure(value, self._unit)
        return frames(value, self._rate) if self._seconds else whole(value)
