"""Owns the way out of capture: the rest of a paused program runs eagerly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .eager import EagerBuilder
from .events import Observer
from .lang_values import Frame, Function, ItemsIterator, Variables, ZipValue
from .recording import no_grad
from .segments import tensors_in
from .tape import reachable, sweep


class StateCopy:
    """Copies frames, replacing every array by ``replace(array)``; shared objects stay shared."""

    def __init__(self, replace: Callable[[Any], Any]) -> None:
        self.replace = replace
        self._memo: dict[int, Any] = {}
        self._keep: list[Any] = []

    def frames(self, frames: Sequence[Frame]) -> list[Frame]:
        """Return copies of the frames."""
        return [
            Frame(
                frame.code,
                self.variables(frame.variables),
                frame.position,
                [self.value(value) for value in frame.stack],
            )
            for frame in frames
        ]

    def variables(self, variables: Variables) -> Variables:
        """Return the copy of a set of variables."""
        known = self._memo.get(id(variables))
        if known is not None:
            assert isinstance(known, Variables)
            return known
        made = Variables({})
        self._note(variables, made)
        made.values = {name: self.value(value) for name, value in variables.values.items()}
        made.outer = None if variables.outer is None else self.variables(variables.outer)
        return made

    def value(self, value: Any) -> Any:
        """Return the copy of a value."""
        if isinstance(value, (np.ndarray, list)):
            known = self._memo.get(id(value))
            if known is None:
                known = [] if isinstance(value, list) else self.replace(value)
                self._note(value, known)
                if isinstance(value, list):
                    known.extend(self.value(item) for item in value)
            return known
        if isinstance(value, tuple):
            return tuple(self.value(item) for item in value)
        if isinstance(value, Function):
            outer = None if value.outer is None else self.variables(value.outer)
            return Function(value.code, tuple(map(self.value, value.defaults)), outer)
        if isinstance(value, ItemsIterator):
            return ItemsIterator(self.value(value.items), value.position, value.count)
        if isinstance(value, ZipValue):
            return ZipValue(tuple(self.value(part) for part in value.parts))
        return value

    def _note(self, value: Any, copy: Any) -> None:
        self._memo[id(value)] = copy
        self._keep.append(value)  # so that its identity stays unique


class EagerRest:
    """The rest of a call on a tape of its own: what entered it, its result, its backward."""

    def __init__(
        self,
        observer: Observer | None,
        print_line: Callable[[str], None],
        wanted: frozenset[int],
    ) -> None:
        self.builder = EagerBuilder(observer, print_line)
        self.wanted = wanted
        self.leaves: list[tuple[Any, Any]] = []
        self.result: Any = None

    def enter(self, array: Any) -> Any:
        """Return a tensor for an array of the paused program."""
        tensor = self.builder.input(array, requires_grad=id(array) in self.wanted)
        self.leaves.append((array, tensor))
        return tensor

    def backward(self, seeds: Sequence[tuple[Any, Any]]) -> dict[int, Any]:
        """Carry gradients of results back to what entered, by id of array."""
        tensors = {id(t.value): t for t in tensors_in(self.result)}
        pairs = [(tensors[id(array)], seed) for array, seed in seeds]
        pairs = [(tensor, seed) for tensor, seed in pairs if tensor.requires_grad]
        leaves = [(array, tensor) for array, tensor in self.leaves if tensor.requires_grad]
        builder = self.builder
        builder.stats.dispatches += 1
        builder.phase = "backward"
        with no_grad(), np.errstate(all="ignore"):
            found = sweep(
                builder,
                reachable([tensor for tensor, _ in pairs]),
                [tensor for tensor, _ in pairs],
                [builder.const(seed) for _, seed in pairs],
                [tensor for _, tensor in leaves],
            )
        return {id(array): found[t.id].value for array, t in leaves if t.id in found}
