"""The line in which data and model are edited: ``uniform:1-20 count=100 seed=0 scale=0.3 …``.

Names are short because the line is typed; each stands for the option of the command line with
the same meaning.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from .command_line import count, finite, positive
from .errors import DgplayError
from .foreign import foreign
from .full_width import FULL_WIDTH
from .sequences.dataset import DataOptions
from .sequences.generators import is_generator
from .sequences.rnn import MOST_HIDDEN
from .state import Model, State
from .wording import say

REFERENCE = "uniform:1-20"


def _width(text: str) -> int:
    if (width := positive(text)) > MOST_HIDDEN:
        raise ValueError(text)
    return width


_DATA: dict[str, Callable[[str], Any]] = {"count": positive, "seed": count}
_MODEL: dict[str, tuple[str, Callable[[str], Any]]] = {
    "scale": ("weight_scale", finite),
    "bias": ("bias", finite),
    "hidden": ("hidden", _width),
}


def settings_line(state: State) -> str:
    """Return the line for a state: its sources, then what can be set about draw and model."""
    sources = shlex.join(state.data.sources) or REFERENCE
    pairs = [f"{name}={getattr(state.data, name)}" for name in _DATA]
    model = {name: getattr(state.model, field) for name, (field, _) in _MODEL.items()}
    pairs += [f"{name}={_exact(value)}" for name, value in model.items()]
    return " ".join([sources, *pairs])


def _exact(number: float) -> str:
    """Write a number as short as it can be read back."""
    short = f"{number:g}"
    return short if float(short) == number else repr(number)


def read_settings(text: str, state: State) -> tuple[DataOptions, Model]:
    """Read an edited line; what it does not name stays as it is.

    Full-width characters read as ASCII, except in the name of a file. Raises DgplayError naming
    the word that cannot be read.
    """
    lexer = shlex.shlex(text, posix=True, punctuation_chars=False)
    lexer.whitespace_split, lexer.commenters = True, ""
    lexer.whitespace += "\u3000"
    try:
        words = list(lexer)
    except ValueError as error:
        raise DgplayError(
            say("the line cannot be read: {problem}", problem=foreign(str(error)))
        ) from None
    data, model, sources = state.data, state.model, []
    for word in words:
        plain = word.translate(_FULL_WIDTH)
        name, equals, value = plain.partition("=")
        if not equals or name not in (*_DATA, *_MODEL):
            sources.append(plain if is_generator(plain) else word)
            continue
        try:
            if name in _DATA:
                data = replace(data, **{name: _DATA[name](value)})
            else:
                field, read = _MODEL[name]
                model = replace(model, **{field: read(value)})
        except ValueError:
            raise DgplayError(
                say("{value!r} cannot be the {name}", value=value, name=name)
            ) from None
    if tuple(sources) != state.data.sources and sources:
        chosen = () if sources == [REFERENCE] else tuple(sources)
        data = replace(data, sources=chosen)
    return data, model


_FULL_WIDTH = FULL_WIDTH | {0x2212: 0x2D}
