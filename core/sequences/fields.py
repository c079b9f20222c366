"""Which field of a row is measured, and how: one choice per file, for JSONL, tables and Parquet."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from fractions import Fraction

from ..errors import DataError
from ..wording import say
from .dataset import DataOptions
from .units import Unit
from .values import shown

#: Tried in this order where no field is named.
KNOWN = ("length", "input_ids", "tokens", "duration", "text")

#: Fields that hold numbers, whatever the cells of the first row look like.
NUMERIC = ("length", "duration")

DEFAULT_RATE = Fraction(100)

_TOKENS = ("input_ids", "tokens")


def choose_field(names: Sequence[str], wanted: str | None, where: str) -> str:
    """Return the field to measure among those that the first row (or the header) has.

    Raises DataError listing the fields there are, where ``wanted`` or every known one is absent.
    """
    listed = shown(", ".join(names), 300) if names else say("none")
    if wanted is not None:
        if wanted in names:
            return wanted
        close = difflib.get_close_matches(wanted, names, 1)
        hint = say("did you mean {name}?", name=shown(close[0])) if close else ""
        raise DataError(
            say("no field {wanted}; fields: {listed}", wanted=shown(wanted), listed=listed),
            where=where,
            hint=hint,
        )
    for name in KNOWN:
        if name in names:
            return name
    raise DataError(
        say("none of the fields {names}; fields: {listed}", names=", ".join(KNOWN), listed=listed),
        where=where,
        hint=say("name one with --field"),
    )


def holds_seconds(field: str, options: DataOptions) -> bool:
    """Say whether a field's numbers are seconds.

    ``duration`` is; any other is where it is named together with a frame rate, unless its own
    name says that it is something else.
    """
    if field == "duration":
        return True
    return field not in KNOWN and field == options.field and options.frame_rate is not None


def frame_rate(options: DataOptions) -> Fraction:
    """Return the frames per second that durations are read at."""
    return DEFAULT_RATE if options.frame_rate is None else options.frame_rate


def unit_of(field: str, shape: str, options: DataOptions) -> Unit | None:
    """Return the unit of a field whose values are ``number``, ``list`` or ``text``.

    None where nothing states it: a bare number may be a length in any unit.
    """
    if shape == "text":
        return Unit(options.unit or "words")
    if shape == "number" and holds_seconds(field, options):
        return Unit("frames", frame_rate(options))
    if field in _TOKENS:
        return Unit("tokens")
    return Unit("items") if shape == "list" else None
