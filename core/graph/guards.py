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

from .avals import DTYPES, SMALLEST_SYMBOLIC
from .capture_paths import Path, follow
from .lang_values import Frame, Function, RangeValue, kind_of


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
    def __repr__(self) -> str:
        return "nothing"


ABSENT = _Absent()


@dataclass
class Guard:
    """One condition: ``found`` looks, ``expected`` is what it must find."""

    text: str
    found: Callable[[State], Any]
    expected: Any
    hits: int = 0
    misses: int = 0

    def check(self, state: State) -> str | None:
        """Return None if the guard holds, else its sentence with what was found."""
        value = self.found(state)
        if type(value) is type(self.expected) and value == self.expected:
            self.hits += 1
            return None
        self.misses += 1
        return f"{self.text}, was {value}"


def dtype_guard(path: Path, name: str, array: np.ndarray[Any, Any]) -> Guard:
    """Guard that a value is a tensor of this element type."""

    def found(state: State) -> str:
        value = state.at(path)
        return DTYPES[value.dtype] if isinstance(value, np.ndarray) else _kind(value)

    return Guard(f"{name}: element type is {DTYPES[array.dtype]}", found, DTYPES[array.dtype])


def rank_guard(path: Path, name: str, array: np.ndarray[Any, Any]) -> Guard:
    """Guard the number of axes."""
    return Guard(
        f"{name}: rank == {array.ndim}", lambda state: int(np.ndim(state.at(path))), array.ndim
    )


def size_guard(path: Path, name: str, axis: int, size: int) -> Guard:
    """Guard one size exactly."""
    return Guard(
        f"{name}: shape[{axis}] == {size}", lambda state: int(state.at(path).shape[axis]), size
    )


def symbolic_guard(path: Path, name: str, axis: int, symbol: str) -> Guard:
    """Guard that a size is one that the symbol may stand for."""

    def found(state: State) -> Any:
        size = int(state.at(path).shape[axis])
        return True if size >= SMALLEST_SYMBOLIC else size

    return Guard(f"{name}: shape[{axis}] >= {SMALLEST_SYMBOLIC} ({symbol})", found, True)


def same_size_guard(
    path: Path, name: str, axis: int, first: Path, first_name: str, first_axis: int
) -> Guard:
    """Guard that two sizes that share a symbol are equal."""

    def found(state: State) -> Any:
        size = int(state.at(path).shape[axis])
        other = int(state.at(first).shape[first_axis])
        return True if size == other else f"{size} against {other}"

    return Guard(f"{name}: shape[{axis}] == {first_name}.shape[{first_axis}]", found, True)


def value_guard(path: Path, name: str, value: Any) -> Guard:
    """Guard a Python value, type included: 1, 1.0 and True differ, and 0.0 and -0.0."""
    return Guard(
        f"{name} == {_shown(value)}", lambda state: _exactly(state.at(path)), _exactly(value)
    )


def length_guard(path: Path, name: str, value: Any) -> Guard:
    """Guard that a value is a tuple or list of so many items."""

    def found(state: State) -> str:
        now = state.at(path)
        return f"{_kind(now)} of {len(now)}" if isinstance(now, (tuple, list)) else _kind(now)

    expected = f"{_kind(value)} of {len(value)}"
    return Guard(f"{name}: is {expected}", found, expected)


def loop_guard(path: Path, value: RangeValue) -> Guard:
    """Guard how far a loop over ``range`` has come."""

    def found(state: State) -> str:
        now = state.at(path)
        if not isinstance(now, RangeValue):
            return _kind(now)
        step = "" if now.step == 1 else f" in steps of {now.step}"
        return f"{now.start} with {len(now)} left{step}"

    expected = found(_Fixed([], {}, frozenset(), value))
    return Guard(f"the loop: next is {expected}", found, expected)


@dataclass
class _Fixed(State):
    """A state with one value wherever one looks."""

    value: Any = None

    def at(self, path: Path) -> Any:
        """Return that value."""
        return self.value


def function_guard(path: Path, name: str, value: Function) -> Guard:
    """Guard that a value is the same function."""

    def found(state: State) -> Any:
        now = state.at(path)
        return now.code if isinstance(now, Function) else _kind(now)

    return Guard(f"{name}: is the function {value.code.name}", found, value.code)


def constant_guard(path: Path, name: str, array: np.ndarray[Any, Any]) -> Guard:
    """Guard that a constant array of the file is unchanged: same object, or same bits."""
    bits = (array.dtype.str, array.shape, array.tobytes())

    def found(state: State) -> Any:
        now = state.at(path)
        if now is array and not array.flags.writeable:
            return True
        if not isinstance(now, np.ndarray):
            return _kind(now)
        return True if (now.dtype.str, now.shape, now.tobytes()) == bits else "changed"

    return Guard(f"{name}: the constant is unchanged", found, True)


def gradient_guard(paths: Sequence[Path], names: Sequence[str], wanted: Sequence[bool]) -> Guard:
    """Guard through which of the tensors a wanted gradient flows."""

    def found(state: State) -> str:
        return _listed(names, [id(state.at(path)) in state.wanted for path in paths])

    expected = _listed(names, wanted)
    return Guard(f"gradients wanted: {expected}", found, expected)


def alias_guard(paths: Sequence[Path], names: Sequence[str], state: State) -> Guard:
    """Guard which of several tensors are one and the same value."""

    def found(now: State) -> str:
        seen: dict[int, str] = {}
        return " ".join(
            seen.setdefault(id(now.at(path)), name) for path, name in zip(paths, names, strict=True)
        )

    return Guard(f"{', '.join(names)}: same or different values", found, found(state))


def _listed(names: Sequence[str], wanted: Sequence[bool]) -> str:
    chosen = [name for name, is_wanted in zip(names, wanted, strict=True) if is_wanted]
    return ", ".join(chosen) or "none"


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
    return "a tensor" if isinstance(value, np.ndarray) else value


def _shown(value: Any) -> str:
    return str(value) if not isinstance(value, str) else repr(value)


def _kind(value: Any) -> str:
    return "nothing" if value is ABSENT else kind_of(value)
