"""Owns guards: the sentences that must hold for a compiled segment to be used again.

A guard holds a path, a test, and a text such as ``x: shape[0] == 5``. On a miss it says what
it found: ``x: shape[0] == 5, was 4``. Only what a segment looked at while it was drawn is
guarded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..wording import Said, joined, say
from .avals import DTYPES, SMALLEST_SYMBOLIC
from .capture_paths import Path, follow
from .lang_values import A_TENSOR, Frame, Function, ItemsIterator, RangeValue, kind_of


@dataclass
class State:
    """What guards look at: the frames, the constants, the inputs whose gradient is wanted."""

    frames: Sequence[Frame]
    constants: dict[str, Any]
    wanted: frozenset[int] = frozenset()  #: ids of arrays that a wanted gradient flows through

    def at(self, path: Path) -> Any:
        """Return the value at a path, :data:`ABSENT` where there is none."""
        try:
            return follow(self.frames, self.constants, path)
        except (LookupError, AttributeError, TypeError):
            return ABSENT


class _Absent:
    def __str__(self) -> str:
        return _NOTHING


_NOTHING = say("nothing")


ABSENT = _Absent()


@dataclass
class Guard:
    """One condition: ``found`` looks, ``expected`` is what it must find.

    ``place`` is what it looks at. Two places may have one sentence, such as the loops around a
    graph break, and both are guarded.
    """

    text: str
    found: Callable[[State], Any]
    expected: Any
    place: Any = None
    hits: int = 0
    misses: int = 0

    def check(self, state: State) -> str | None:
        """Return None if the guard holds, else its sentence with what was found."""
        value = self.found(state)
        if type(value) is type(self.expected) and value == self.expected:
            self.hits += 1
            return None
        self.misses += 1
        return say("{guard}, was {value}", guard=self.text, value=str(value))


def sentence(missed: str) -> str:
    """Return the sentence of a guard that failed, without what was found."""
    return str(missed.values["guard"]) if isinstance(missed, Said) else missed


def dtype_guard(path: Path, name: str, array: np.ndarray[Any, Any]) -> Guard:
    """Guard that a value is a tensor of this element type."""

    def found(state: State) -> str:
        value = state.at(path)
        return DTYPES[value.dtype] if isinstance(value, np.ndarray) else _kind(value)

    dtype = DTYPES[array.dtype]
    return Guard(say("{name}: element type is {dtype}", name=name, dtype=dtype), found, dtype, path)


def rank_guard(path: Path, name: str, array: np.ndarray[Any, Any]) -> Guard:
    """Guard the number of axes."""
    text = say("{name}: rank == {ndim}", name=name, ndim=array.ndim)
    return Guard(text, lambda state: int(np.ndim(state.at(path))), array.ndim, path)


def size_guard(path: Path, name: str, axis: int, size: int) -> Guard:
    """Guard one size exactly."""
    text = say("{name}: shape[{axis}] == {size}", name=name, axis=axis, size=size)
    return Guard(text, lambda state: int(state.at(path).shape[axis]), size, path)


def symbolic_guard(path: Path, name: str, axis: int, symbol: str) -> Guard:
    """Guard that a size is one that the symbol may stand for."""

    def found(state: State) -> Any:
        size = int(state.at(path).shape[axis])
        return True if size >= SMALLEST_SYMBOLIC else size

    text = say(
        "{name}: shape[{axis}] >= {low} ({symbol})",
        name=name, axis=axis, low=SMALLEST_SYMBOLIC, symbol=symbol,
    )  # fmt: skip
    return Guard(text, found, True, path)


def same_size_guard(
    path: Path, name: str, axis: int, first: Path, first_name: str, first_axis: int
) -> Guard:
    """Guard that two sizes that share a symbol are equal."""

    def found(state: State) -> Any:
        size = int(state.at(path).shape[axis])
        other = int(state.at(first).shape[first_axis])
        if size == other:
            return True
        return say("{size} against {other}", size=size, other=other)

    text = say(
        "{name}: shape[{axis}] == {first}.shape[{first_axis}]",
        name=name, axis=axis, first=first_name, first_axis=first_axis,
    )  # fmt: skip
    return Guard(text, found, True, path)


def value_guard(path: Path, name: str, value: Any) -> Guard:
    """Guard a Python value, type included: 1, 1.0 and True differ, and 0.0 and -0.0."""
    text = say("{name} == {value}", name=name, value=_shown(value))
    return Guard(text, lambda state: _exactly(state.at(path)), _exactly(value), path)


def length_guard(path: Path, name: str, value: Any) -> Guard:
    """Guard that a value is a tuple or list of so many items."""

    def found(state: State) -> Any:
        now = state.at(path)
        return _Many(type(now), len(now)) if isinstance(now, (tuple, list)) else _kind(now)

    expected = _Many(type(value), len(value))
    return Guard(say("{name}: is {kind}", name=name, kind=str(expected)), found, expected, path)


def loop_guard(path: Path, value: RangeValue) -> Guard:
    """Guard how far a loop over ``range`` has come."""

    def found(state: State) -> Any:
        now = state.at(path)
        return _Rest(now.start, len(now), now.step) if isinstance(now, RangeValue) else _kind(now)

    expected = _Rest(value.start, len(value), value.step)
    return Guard(say("the loop: next is {value}", value=str(expected)), found, expected, path)


def cursor_guard(path: Path, name: str, value: ItemsIterator) -> Guard:
    """Guard how far a loop over items has come."""

    def found(state: State) -> Any:
        now = state.at(path)
        return _Item(now.position, now.count) if isinstance(now, ItemsIterator) else _kind(now)

    expected = _Item(value.position, value.count)
    return Guard(
        say("{name}: next is {value}", name=name, value=str(expected)), found, expected, path
    )


def function_guard(path: Path, name: str, value: Function) -> Guard:
    """Guard that a value is the same function."""

    def found(state: State) -> Any:
        now = state.at(path)
        return now.code if isinstance(now, Function) else _kind(now)

    text = say("{name}: is the function {function}", name=name, function=value.code.name)
    return Guard(text, found, value.code, path)


def constant_guard(path: Path, name: str, array: np.ndarray[Any, Any]) -> Guard:
    """Guard that a constant array of the file is unchanged: same object, or same bits."""
    bits = (array.dtype.str, array.shape, array.tobytes())

    def found(state: State) -> Any:
        now = state.at(path)
        if now is array and not array.flags.writeable:
            return True
        if not isinstance(now, np.ndarray):
            return _kind(now)
        return True if (now.dtype.str, now.shape, now.tobytes()) == bits else _CHANGED

    return Guard(say("{name}: the constant is unchanged", name=name), found, True, path)


_CHANGED = say("changed")


def gradient_guard(paths: Sequence[Path], names: Sequence[str], wanted: Sequence[bool]) -> Guard:
    """Guard through which of the tensors a wanted gradient flows."""

    def found(state: State) -> Any:
        return _listed(names, [id(state.at(path)) in state.wanted for path in paths])

    expected = _listed(names, wanted)
    return Guard(
        say("gradients wanted: {names}", names=str(expected)), found, expected, tuple(paths)
    )


def alias_guard(paths: Sequence[Path], names: Sequence[str], state: State) -> Guard:
    """Guard which of several tensors are one and the same value."""

    def found(now: State) -> Any:
        seen: dict[int, str] = {}
        places = zip(paths, names, strict=True)
        return _Names(" ", tuple(seen.setdefault(id(now.at(path)), name) for path, name in places))

    text = say("{names}: same or different values", names=joined(", ", names))
    return Guard(text, found, found(state), tuple(paths))


def _listed(names: Sequence[str], wanted: Sequence[bool]) -> Any:
    places = zip(names, wanted, strict=True)
    return _Names(", ", tuple(name for name, is_wanted in places if is_wanted))


@dataclass(frozen=True, slots=True)
class _Names:
    """Names in order; put into words only where a guard fails."""

    separator: str
    names: tuple[str, ...]

    def __str__(self) -> str:
        return joined(self.separator, self.names) if self.names else say("none")


@dataclass(frozen=True, slots=True)
class _Many:
    """A tuple or list, and how many items it has."""

    kind: type
    count: int

    def __str__(self) -> str:
        return say("{kind} of {count}", kind=kind_of(self.kind()), count=self.count)


@dataclass(frozen=True, slots=True)
class _Item:
    """How far a loop over items has come."""

    position: int
    count: int

    def __str__(self) -> str:
        return say("item {position} of {count}", position=self.position, count=self.count)


@dataclass(frozen=True, slots=True)
class _Rest:
    """How far a loop over ``range`` has come."""

    start: int
    count: int
    step: int

    def __str__(self) -> str:
        left = say("{start} with {count} left", start=self.start, count=self.count)
        return (
            left if self.step == 1 else say("{left} in steps of {step}", left=left, step=self.step)
        )


@dataclass(frozen=True, slots=True)
class _Exact:
    """A Python value by type and text: 1, 1.0 and True differ, and 0.0 and -0.0."""

    kind: str
    text: str

    def __str__(self) -> str:
        return self.text


def _exactly(value: Any) -> Any:
    if isinstance(value, (bool, int, float, str)) or value is None:
        return _Exact(type(value).__name__, _shown(value))
    return A_TENSOR if isinstance(value, np.ndarray) else value


def _shown(value: Any) -> str:
    return str(value) if not isinstance(value, str) else repr(value)


def _kind(value: Any) -> str:
    return _NOTHING if value is ABSENT else kind_of(value)
