"""DATA to one data set: each source read, units compared, limits applied, every row accounted for.

What is worth saying about how it was read is collected in the data set's notes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np

from ..errors import DataError
from ..wording import say
from .bundled import open_set
from .dataset import KEPT_IN_ORDER, DataOptions, Dataset
from .detect import detect
from .generators import REFERENCE_SPEC, generate
from .histogram import Histogram, Integers
from .limits import limited
from .reader_table import read_histogram
from .readers import READERS
from .reading import Reading
from .sources import Source, resolve
from .streams import ByteStream, open_file, unpacked
from .tally import Meter, Tally
from .units import Unit
from .values import EXTREME_RATE, shown

_OVER = ("refuse", "drop", "truncate")
_TEXT_UNITS = ("words", "chars", "bytes")


@dataclass(frozen=True)
class _Part:
    """One source as read. ``reading`` is None for generators, which bring their own notes."""

    source: Source
    histogram: Histogram
    rows: int
    skipped: int
    first_bad: str | None
    in_order: Integers | None
    unit: Unit | None
    reading: Reading | None
    notes: tuple[str, ...] = ()


def load(
    options: DataOptions,
    *,
    stdin: BinaryIO | None = None,
    progress: Callable[[int], None] | None = None,
) -> Dataset:
    """Read DATA into a histogram with an account of every row; no sources: the reference.

    ``stdin`` is what ``-`` reads. ``progress`` is called with the rows read so far, about every
    50,000 rows or 0.2 s; what it raises goes through, so it can cancel. Raises DataError, one
    line, for whatever cannot be read, for units that differ, and where all lengths are zero.
    """
    _check_options(options)
    if not options.sources:
        return _checked(generate(REFERENCE_SPEC, options.count, options.seed), options)
    sources = resolve(options.sources)
    if len(sources) == 1 and sources[0].kind == "generator" and sources[0].weight == 1:
        return _checked(generate(sources[0].text, options.count, options.seed), options)
    meter = Meter(progress)
    parts = [_read(source, options, stdin, meter) for source in sources]
    unit, stated_by = _common_unit(parts)
    merged = Dataset(
        name=_name(options.sources, sources),
        kind=sources[0].kind if _is_one_name(sources) else "file",
        histogram=_merged(parts),
        unit=unit.name if unit else "steps",
        frame_rate=unit.rate if unit else None,
        assumed=any(part.reading is not None and part.reading.assumed for part in parts),
        rows=sum(part.source.weight * part.rows for part in parts),
        skipped=sum(part.source.weight * part.skipped for part in parts),
        in_order=_in_order(parts),
        notes=tuple(_notes(parts, stated_by, options)),
    )
    return _checked(merged, options)


def _check_options(options: DataOptions) -> None:
    """Refuse options that no reading could follow. Raises DataError."""
    if options.over not in _OVER:
        raise DataError(
            say(
                "--over {over} is not one of {names}",
                over=shown(options.over),
                names=", ".join(_OVER),
            )
        )
    if options.unit is not None and options.unit not in _TEXT_UNITS:
        raise DataError(
            say(
                "--unit {unit} is not one of {names}",
                unit=shown(options.unit),
                names=", ".join(_TEXT_UNITS),
            )
        )
    if options.max_length is not None and options.max_length < 1:
        raise DataError(
            say("--max-length {max_length} is not at least 1", max_length=options.max_length)
        )
    rate = options.frame_rate
    if rate is not None and not 1 <= rate * EXTREME_RATE <= EXTREME_RATE**2:
        raise DataError(say("--frame-rate is not a positive number of frames per second"))


def _checked(dataset: Dataset, options: DataOptions) -> Dataset:
    if dataset.histogram.maximum == 0:
        count = dataset.histogram.sequences
        raise DataError(
            say("all lengths are zero (sequences: {count})", count=count), where=dataset.name
        )
    return limited(dataset, options.max_length, options.over)


def _read(source: Source, options: DataOptions, stdin: BinaryIO | None, meter: Meter) -> _Part:
    if source.kind == "generator":
        made = generate(source.text, options.count, options.seed)
        meter.advance(made.rows)
        order = made.in_order if source.weight == 1 else None
        return _Part(source, made.histogram, made.rows, 0, None, order, None, None, made.notes)
    tally = Tally(
        source.label,
        skip_bad=options.skip_bad,
        refuse_above=options.max_length if options.over == "refuse" else None,
        meter=meter,
    )
    with _opened(source, stdin) as packed:
        if source.kind == "bundled":
            reading = read_histogram(packed, tally, options)
        else:
            stream = unpacked(packed)
            kind = detect(stream, source.text, options.format, options.field)
            reading = READERS[kind](stream, tally, options)
    account = tally.finish()
    return _Part(
        source,
        account.histogram,
        account.rows,
        account.skipped,
        account.first_bad,
        account.in_order if source.weight == 1 else None,
        reading.unit,
        reading,
    )


@contextmanager
def _opened(source: Source, stdin: BinaryIO | None) -> Iterator[ByteStream]:
    if source.kind == "stdin":
        if stdin is None:
            raise DataError(say("there is no standard input to read here"), where="-")
        yield ByteStream(stdin, source.label)
        return
    raw = open_set(source.text) if source.kind == "bundled" else open_file(source.text)
    with closing(raw):
        path = source.text if os.path.isfile(source.text) else None
        yield ByteStream(raw, source.label, path=path)


def _common_unit(parts: list[_Part]) -> tuple[Unit | None, _Part | None]:
    """Return the one unit that the parts state, and who stated it first.

    A bare number states none and goes with any. Raises DataError where two units differ.
    """
    first = next((part for part in parts if part.unit is not None), None)
    if first is None:
        return None, None
    for part in parts:
        if part.unit is not None and part.unit != first.unit:
            raise DataError(
                say(
                    "is in {unit}, but {other} is in {other_unit}",
                    unit=str(part.unit),
                    other=first.source.label,
                    other_unit=str(first.unit),
                ),
                where=part.source.label,
                hint=say("lengths in different units cannot be added up"),
            )
    return first.unit, first


def _merged(parts: list[_Part]) -> Histogram:
    if len(parts) == 1 and parts[0].source.weight == 1:
        return parts[0].histogram
    return Histogram.merge((part.histogram, part.source.weight) for part in parts)


def _in_order(parts: list[_Part]) -> Integers | None:
    kept = [part.in_order for part in parts if part.source.weight == 1]
    known = [lengths for lengths in kept if lengths is not None]
    if len(known) < len(parts):
        return None
    return np.concatenate(known)[:KEPT_IN_ORDER]


def _is_one_name(sources: list[Source]) -> bool:
    return len(sources) == 1 and sources[0].kind in ("bundled", "generator")


def _name(words: tuple[str, ...], sources: list[Source]) -> str:
    """Return what the data set is called: its file or name, or the first and how many more."""
    first = sources[0]
    label = os.path.basename(first.text) if first.kind == "file" else first.label
    if len(sources) == 1:
        return shown(label if first.weight == 1 else f"{label}*{first.weight}", 60)
    if len(words) == 1:
        return shown(os.path.basename(os.path.normpath(words[0])), 60)
    return say("{name} and {more} more", name=shown(label, 60), more=len(sources) - 1)


def _notes(parts: list[_Part], stated_by: _Part | None, options: DataOptions) -> Iterator[str]:
    """Say how the sources were read, those alike in one line, and what was skipped."""
    groups: dict[str, list[_Part]] = {}
    readings = [
        (part, part.reading)
        for part in parts
        if part.reading is not None and part.source.kind != "bundled"
    ]
    for part, reading in readings:
        groups.setdefault(str(reading), []).append(part)
    for how, alike in groups.items():
        more = f" and {len(alike) - 1} more" if len(alike) > 1 else ""
        yield f"{alike[0].source.label}{more}: {how}"
    if options.field is not None and all(reading.field is None for _, reading in readings):
        yield f"--field {shown(options.field)} is not used: nothing that was read has fields"
    if options.frame_rate is not None and all(
        part.unit is None or part.unit.rate is None for part in parts
    ):
        yield "--frame-rate changes no length: nothing that was read is in seconds"
    unstated = [part for part in parts if part.unit is None]
    if stated_by is not None and unstated:
        more = f" and {len(unstated) - 1} more" if len(unstated) > 1 else ""
        label = unstated[0].source.label
        yield f"{label}{more}: states no unit, taken as {stated_by.unit}"
    for part in parts:
        yield from part.notes
        if part.skipped:
            told = f"skipped {part.skipped} of {part.rows} rows; the first: {part.first_bad}"
            yield f"{part.source.label}: {told}"
