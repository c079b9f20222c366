"""Owns how an error of the engine becomes a refusal at a line of the program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..wording import joined, say
from .errors import (
    DataDependentError,
    DTypeError,
    GraphError,
    NotDifferentiableError,
    ShapeError,
    ValueRangeError,
)
from .lang_code import Instruction
from .lang_refusal import Refusal

_HINTS: tuple[tuple[type[GraphError], str], ...] = (
    (ShapeError, say("print x.shape before this line, or use reshape")),
    (DTypeError, say("use cast(x, dtype='float64')")),
    (ValueRangeError, say("check the index against x.shape")),
    (DataDependentError, say("use cond or while_loop to decide when it runs")),
    (NotDifferentiableError, say("ask for the gradient of another input")),
)


def explain(
    error: GraphError,
    ask: Instruction,
    lines: Sequence[str],
    variables: Mapping[str, Any],
    operands: Sequence[tuple[Any, Any]],
) -> Refusal:
    """Return the refusal for an error at an instruction.

    ``lines`` are those of the source, ``operands`` the values of the last op with what is
    known of each; they are named by the ``variables`` that hold them.
    """
    if isinstance(error, Refusal):
        return error
    hint = error.hint
    written = lines[ask.place.line - 1].strip() if 0 < ask.place.line <= len(lines) else ""
    why = say("in `{line}`", line=written) if written else say("here")
    if operands and isinstance(error, (ShapeError, DTypeError)):
        told = named_operands(variables, operands)
        why = say("{line}: {operands}", line=why, operands=told)
    for kind, usual in _HINTS:
        if not hint and isinstance(error, kind):
            hint = usual
    return Refusal(ask.place, error.what, why, hint or say("change this line"))


def named_operands(variables: Mapping[str, Any], operands: Sequence[tuple[Any, Any]]) -> str:
    """Return ``a is f64[3], b is f64[4]`` for the tensors of the last op."""
    parts = []
    for operand, aval in operands:
        name = next((n for n, value in variables.items() if value is operand), say("a value"))
        parts.append(say("{name} is {aval}", name=name, aval=aval))
    return joined(", ", dict.fromkeys(parts))
