"""The line in which planning is edited: ``cost=linear multiple=1 min=1 compile=- budget=4000 …``.

Each name stands for the option of the command line with the same meaning; ``-`` means none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from .command_line import amount, positive, rate
from .errors import DgplayError
from .full_width import FULL_WIDTH
from .plan_tables import Pace
from .planning import Planning
from .sequences.costs import parse_cost
from .wording import say

#: Name in the line to the field of :class:`Planning`, what reads it, and whether none is possible.
_FIELDS: dict[str, tuple[str, Callable[[str], Any], bool]] = {
    "cost": ("cost", str, False),
    "multiple": ("multiple_of", positive, False),
    "min": ("min_count", positive, False),
    "compile": ("compile_cost", amount, True),
    "budget": ("budget", positive, True),
    "batch": ("batch_size", positive, True),
}

_FULL_WIDTH = FULL_WIDTH | {0x3000: 0x20}


def planning_line(planning: Planning) -> str:
    """Return the line for a planning."""
    values = ((name, getattr(planning, field)) for name, (field, _, _) in _FIELDS.items())
    return " ".join(f"{name}={'-' if value is None else value}" for name, value in values)


def read_planning(text: str, planning: Planning) -> Planning:
    """Read an edited line; what it does not name stays as it is.

    Of budget and batch size the one that is given anew takes the place of the other. Raises
    DgplayError naming the word that cannot be read.
    """
    found: dict[str, Any] = {}
    for word in text.split():
        name, equals, value = _plain(word)
        if not equals or name not in _FIELDS:
            raise DgplayError(
                say(
                    "{word!r} is none of {names}",
                    word=word,
                    names=", ".join(f"{name}=" for name in _FIELDS),
                )
            )
        field, read, optional = _FIELDS[name]
        try:
            found[field] = None if optional and value in ("", "-") else read(value)
        except ValueError:
            raise DgplayError(
                say("{value!r} cannot be the {name}", value=value, name=name)
            ) from None
    changed = replace(planning, **found)
    if changed.budget is not None and changed.batch_size is not None:
        if planning.budget is not None and planning.budget == changed.budget:
            changed = replace(changed, budget=None)
        elif planning.batch_size is not None and planning.batch_size == changed.batch_size:
            changed = replace(changed, batch_size=None)
        else:
            raise DgplayError(say("budget and batch cannot both be given"))
    parse_cost(changed.cost)
    return changed


def _plain(word: str) -> tuple[str, str, str]:
    """Split a word; full-width characters read as ASCII, except in the name of a file."""
    name, equals, value = word.translate(_FULL_WIDTH).partition("=")
    if name == "cost":
        value = word[len(name) + 1 :]
    return name, equals, value


def pace_line(pace: Pace | None) -> str:
    """Return the line for a pace: steps per second, epochs."""
    return "" if pace is None else f"{pace.throughput} {pace.epochs}"


def read_pace(text: str) -> Pace | None:
    """Read steps per second and epochs (1 where not given); nothing means none.

    Raises DgplayError.
    """
    words = text.translate(_FULL_WIDTH).replace(",", " ").split()
    if not words:
        return None
    try:
        if len(words) > 2:
            raise ValueError(text)
        return Pace(rate(words[0]), rate(words[1]) if len(words) > 1 else Fraction(1))
    except ValueError:
        raise DgplayError(
            say("{text!r} is not steps per second and epochs", text=text.strip())
        ) from None
