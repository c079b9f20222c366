"""Owns the values of a running program besides tensors: functions, scopes, iterators.

Numbers, text, None, tuples and lists are Python's own. Tensors are whatever the builder of
the mode calls a value (both kinds are :class:`~.operators.Operators`), or plain arrays while
capture holds them between two segments. A size that is still a symbol counts as a number.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from ..wording import say
from .avals import SymbolicDim
from .errors import OptionError
from .lang_code import Code, Instruction
from .operators import Operators


@dataclass(eq=False)
class Variables:
    """The variables of one call, and those of the function around it."""

    values: dict[str, Any]
    outer: Variables | None = None


@dataclass(eq=False, frozen=True)
class Function:
    """A function of the program: its code, its defaults, the variables around it."""

    code: Code
    defaults: tuple[Any, ...] = ()
    outer: Variables | None = None


@dataclass(frozen=True, slots=True)
class Predefined:
    """An op, a builtin or a host function, as a value."""

    kind: str
    name: str


@dataclass(frozen=True, slots=True)
class Unread:
    """A slot of a resumed program that nothing has looked into yet (capture only)."""

    value: Any
    path: Any


@dataclass(frozen=True, slots=True)
class RangeValue:
    """What ``range`` gives, and the rest of it while a loop runs."""

    start: int
    stop: int
    step: int

    def __len__(self) -> int:
        return len(range(self.start, self.stop, self.step))


@dataclass(frozen=True, slots=True)
class ItemsIterator:
    """The rest of a tuple, a list, or the rows of a tensor while a loop runs."""

    items: Any
    position: int
    count: int


@dataclass(frozen=True, slots=True)
class ZipValue:
    """Several iterators side by side."""

    parts: tuple[Iterator, ...]


Iterator: TypeAlias = "RangeValue | ItemsIterator | ZipValue"


@dataclass(eq=False)
class Frame:
    """One call that has not returned: where it stands, its variables, its stack of values."""

    code: Code
    variables: Variables
    position: int = 0
    stack: list[Any] = field(default_factory=list)

    @property
    def instruction(self) -> Instruction:
        """The instruction that comes next."""
        return self.code.instructions[self.position]


#: How deep tuples and lists may nest, and how many items they may hold all told.
DEEPEST_VALUE = 20
LARGEST_VALUE = 200_000


def check_nesting(value: Any) -> None:
    """Refuse a tuple or list that nests too deeply, or holds too much once written out.

    Its items have passed this check when they were made, so looking at them is bounded.
    """
    if not any(isinstance(item, (tuple, list)) for item in value):
        return
    height, size = _measure(value, {})
    if height > DEEPEST_VALUE:
        raise OptionError(say("tuples and lists nest more than {limit} deep", limit=DEEPEST_VALUE))
    if size > LARGEST_VALUE:
        raise OptionError(
            say(
                "tuples and lists within one another hold over {limit:,} items", limit=LARGEST_VALUE
            )
        )


def _measure(value: Any, known: dict[int, tuple[int, int]]) -> tuple[int, int]:
    """Return how deep a value nests and how many items it holds, written out."""
    if not isinstance(value, (tuple, list)):
        return 0, 1
    found = known.get(id(value))
    if found is None:
        height, size = 0, 1
        for item in value:
            deep, many = _measure(item, known)
            height, size = max(height, deep), size + many
        found = known[id(value)] = (height + 1, size)
    return found


def holds_list(value: Any) -> bool:
    """Return whether a value is a list or a tuple with one inside."""
    if isinstance(value, tuple):
        return any(holds_list(item) for item in value)
    return isinstance(value, list)


def is_tensor(value: Any) -> bool:
    """Return whether a value is a tensor of any mode."""
    return isinstance(value, (Operators, np.ndarray))


def is_number(value: Any) -> bool:
    """Return whether a value is a Python number, a truth value, or a symbolic size."""
    return isinstance(value, (bool, int, float, SymbolicDim))


A_TENSOR = say("a tensor")
_RANGE = say("a range")
_KINDS: dict[type, str] = {
    bool: say("a truth value"),
    int: say("a whole number"),
    float: say("a number"),
    str: say("text"),
    tuple: say("a tuple"),
    list: say("a list"),
    type(None): say("nothing (None)"),
}


def kind_of(value: Any) -> str:
    """Return how messages name the kind of a value."""
    if is_tensor(value):
        return A_TENSOR
    if isinstance(value, SymbolicDim):
        return _KINDS[int]
    if isinstance(value, (Function, Predefined)):
        name = value.code.name if isinstance(value, Function) else value.name
        return say("the function {name}", name=name)
    return _KINDS.get(type(value), _RANGE)
