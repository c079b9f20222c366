"""Owns how a paused program becomes one of fakes: what a segment looks at, it guards.

``Tracer`` copies the frames with every slot unread. Reading a slot makes a fake of its value:
a tensor becomes a placeholder, a Python number stays itself behind a guard. What is never
read is neither guarded nor an input; it only passes through.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np

from ..wording import say
from . import guards as make
from .avals import Dim, symbol
from .capture_paths import Path, describe
from .events import Observer
from .guards import Guard, State
from .lang_budget import Meter
from .lang_code import Instruction
from .lang_host import Host, provenance
from .lang_values import (
    Frame,
    Function,
    ItemsIterator,
    RangeValue,
    Unread,
    Variables,
    ZipValue,
    is_tensor,
)
from .static import GraphBuilder, Sym


class SegmentEndsError(Exception):
    """Python must do something with real values: the segment ends before ``ask``."""

    def __init__(self, ask: Instruction, request: str, where: str, text: str) -> None:
        super().__init__(request)
        self.ask = ask
        self.request = request
        self.where = where
        self.text = text


@dataclass
class SizePolicy:
    """What one position has learnt about sizes: which vary, which Python needs exactly."""

    dynamic: bool = True  #: whether sizes may become symbolic at all
    seen: dict[tuple[Path, int, int], int] = field(default_factory=dict)
    varying: set[tuple[Path, int, int]] = field(default_factory=set)
    exact: set[tuple[Path, int, int]] = field(default_factory=set)

    def may_vary(self, key: tuple[Path, int, int], size: int) -> bool:
        """Note a size; return whether it is to be symbolic. 0 and 1 never are."""
        before = self.seen.setdefault(key, size)
        if before != size:
            self.varying.add(key)
        return self.dynamic and size >= 2 and key in self.varying and key not in self.exact


class Tracer:
    """The fakes of one attempt to draw a segment, its placeholders and guards."""

    def __init__(
        self, state: State, builder: GraphBuilder, policy: SizePolicy, first: bool, meter: Meter
    ) -> None:
        self.state = state
        self.builder = builder
        self.policy = policy
        self.meter = meter
        self.guards: list[Guard] = []
        self.inputs: list[Path] = []
        self.placeholders: list[Sym] = []
        self.symbols: dict[str, list[tuple[Path, int, int]]] = {}
        self._sizes: dict[int, tuple[str, Path, str, int]] = {}
        self._names: set[str] = set()
        self._memo: dict[int, Any] = {}
        self._keep: list[Any] = []
        self._aliases: list[Path] = []
        if first:
            count = len(state.frames[0].variables.values)
            text = say("arity == {count}", count=count)
            arity = Guard(text, lambda now: len(now.frames[0].variables.values), count)
            self.guards.append(arity)
        self.frames = [
            self._frame(frame, (("frame", number),)) for number, frame in enumerate(state.frames)
        ]

    def _frame(self, frame: Frame, path: Path) -> Frame:
        stack = [Unread(v, (*path, ("stack", i))) for i, v in enumerate(frame.stack)]
        variables = self._variables(frame.variables, path)
        return Frame(frame.code, variables, frame.position, stack)

    def _variables(self, real: Variables, path: Path) -> Variables:
        known = self._memo.get(id(real))
        if known is not None:
            assert isinstance(known, Variables)
            return known
        fake = Variables({})
        self._memo[id(real)] = fake
        self._keep.append(real)
        for name, value in real.values.items():
            fake.values[name] = Unread(value, (*path, ("name", name)))
        if real.outer is not None:
            fake.outer = self._variables(real.outer, (*path, ("outer", None)))
        return fake

    def read(self, slot: Unread) -> Any:
        """Return the fake of a value at a path, guarding what it shows."""
        return self.fake(slot.value, slot.path)

    def fake(self, value: Any, path: Path) -> Any:
        """Return the fake of a value; the same object gives the same fake."""
        self.meter.step()  # a list may be long, and every item is guarded
        name = describe(path, self.state.frames)
        if isinstance(value, np.ndarray):
            return self._tensor(value, path, name)
        if isinstance(value, tuple):
            self.guards.append(make.length_guard(path, name, value))
            return tuple(self.fake(v, (*path, ("item", i))) for i, v in enumerate(value))
        if isinstance(value, list):
            return self._list(value, path, name)
        if isinstance(value, Function):
            return self._function(value, path, name)
        if isinstance(value, slice):
            self.guards.append(make.value_guard(path, name, value))
            return value
        if isinstance(value, ItemsIterator):
            self.guards.append(make.cursor_guard(path, name, value))
            items = self.fake(value.items, (*path, ("items", None)))
            return ItemsIterator(items, value.position, value.count)
        if isinstance(value, ZipValue):
            parts = (self.fake(p, (*path, ("part", i))) for i, p in enumerate(value.parts))
            return ZipValue(tuple(parts))
        if isinstance(value, RangeValue):
            self.guards.append(make.loop_guard(path, value))
            return value
        self.guards.append(make.value_guard(path, name, value))
        return value

    def _list(self, value: list[Any], path: Path, name: str) -> list[Any]:
        known = self._memo.get(id(value))
        if known is not None:
            assert isinstance(known, list)
            return known
        self.guards.append(make.length_guard(path, name, value))
        fake: list[Any] = []
        self._memo[id(value)] = fake
        fake.extend(self.fake(v, (*path, ("item", i))) for i, v in enumerate(value))
        return fake

    def _function(self, value: Function, path: Path, name: str) -> Function:
        self.guards.append(make.function_guard(path, name, value))
        defaults = tuple(
            self.fake(v, (*path, ("default", i))) for i, v in enumerate(value.defaults)
        )
        outer = value.outer
        if outer is None:
            return Function(value.code, defaults)
        return Function(value.code, defaults, self._variables(outer, (*path, ("outer", None))))

    def _tensor(self, array: np.ndarray[Any, Any], path: Path, name: str) -> Sym:
        known = self._memo.get(id(array))
        if known is not None:
            assert isinstance(known, Sym)
            self.alias(path)
            return known
        self.guards.append(make.dtype_guard(path, name, array))
        self.guards.append(make.rank_guard(path, name, array))
        shape = tuple(
            self._size(path, name, array.ndim, axis, size) for axis, size in enumerate(array.shape)
        )
        made = self.builder.placeholder(self._input_name(name), shape, array.dtype)
        self._memo[id(array)] = made
        self._keep.append(array)
        self.inputs.append(path)
        self.placeholders.append(made)
        return made

    def alias(self, path: Path) -> None:
        """Note a second place of a tensor that is already an input."""
        self._aliases.append(path)

    def _size(self, path: Path, name: str, ndim: int, axis: int, size: int) -> Dim:
        key = (path, ndim, axis)
        if not self.policy.may_vary(key, size):
            self.guards.append(make.size_guard(path, name, axis, size))
            return size
        shared = self._sizes.get(size)
        if shared is None:
            chosen = f"s{len(self._sizes)}"
            self._sizes[size] = (chosen, path, name, axis)
            self.symbols[chosen] = [key]
            self.guards.append(make.symbolic_guard(path, name, axis, chosen))
            return symbol(chosen)
        chosen, first, first_name, first_axis = shared
        self.symbols[chosen].append(key)
        self.guards.append(make.same_size_guard(path, name, axis, first, first_name, first_axis))
        return symbol(chosen)

    def _input_name(self, name: str) -> str:
        """Return a name that no other input has."""
        chosen, number = name.replace(" ", "_"), 2
        while chosen in self._names:
            chosen, number = f"{name.replace(' ', '_')}_{number}", number + 1
        self._names.add(chosen)
        return chosen

    def constant(self, name: str, value: Any) -> Any:
        """Return a constant of the file: numbers by value, arrays baked in, both guarded."""
        path: Path = (("constant", name),)
        known = self._memo.get(id(value)) if isinstance(value, np.ndarray) else None
        if known is not None:
            return known
        if not isinstance(value, np.ndarray):
            self.guards.append(make.value_guard(path, name, value))
            return value
        self.guards.append(make.constant_guard(path, name, value))
        made = self.builder.const(value)
        self.builder.name(made, name)
        self._memo[id(value)] = made
        return made

    def finish_guards(self) -> list[Guard]:
        """Return all guards, those over several inputs at the end."""
        names = [describe(path, self.state.frames) for path in self.inputs]
        paths = [*self.inputs, *self._aliases]
        found = list({(guard.text, guard.place): guard for guard in self.guards}.values())
        if self.inputs:
            wanted = [id(self.state.at(path)) in self.state.wanted for path in self.inputs]
            found.append(make.gradient_guard(tuple(self.inputs), names, wanted))
        if len(paths) > 1:
            all_names = [describe(path, self.state.frames) for path in paths]
            found.append(make.alias_guard(tuple(paths), all_names, self.state))
        return found


class CaptureHost(Host):
    """Ops become nodes; what Python must know ends the segment.

    ``print_line`` takes what the functions given to ``cond`` and ``while_loop`` print, which are
    drawn and cannot end it: stand-ins, while the segment is compiled.
    """

    def __init__(
        self,
        tracer: Tracer,
        observer: Observer | None = None,
        print_line: Callable[[str], None] = lambda text: None,
    ) -> None:
        super().__init__(tracer.builder, observer, print_line)
        self.tracer = tracer

    def value(self, tensor: Any, request: str, ask: Instruction, text: str = "") -> NoReturn:
        """End the segment: only the real value can answer."""
        raise SegmentEndsError(ask, request, provenance(tensor), text)

    def show(self, values: tuple[Any, ...], ask: Instruction) -> NoReturn:
        """End the segment: printing is Python's."""
        tensors = [value for value in values if is_tensor(value)]
        where = provenance(tensors[0]) if tensors else say("no tensor")
        raise SegmentEndsError(ask, "print", where, "")

    def read(self, slot: Any) -> Any:
        """Make the fake of a slot."""
        return self.tracer.read(slot)

    def constant(self, name: str, value: Any) -> Any:
        """Return a constant of the file, guarded."""
        return self.tracer.constant(name, value)


def read_all(frames: Sequence[Frame], read: Callable[[Unread], Any]) -> None:
    """Read every slot that holds something that can change: lists, functions, loops."""
    done: set[int] = set()
    todo: list[Variables] = []
    for frame in frames:
        for position, value in enumerate(frame.stack):
            if isinstance(value, Unread) and changeable(value.value):
                frame.stack[position] = read(value)
        todo.append(frame.variables)
    while todo:
        variables = todo.pop()
        if id(variables) in done:
            continue
        done.add(id(variables))
        for name, value in list(variables.values.items()):
            if isinstance(value, Unread) and changeable(value.value):
                value = variables.values[name] = read(value)
            if isinstance(value, Function) and value.outer is not None:
                todo.append(value.outer)
        if variables.outer is not None:
            todo.append(variables.outer)


def changeable(value: Any) -> bool:
    """Return whether a value holds something that may change in place."""
    if isinstance(value, (list, Function)):
        return True
    if isinstance(value, tuple):
        return any(changeable(item) for item in value)
    if isinstance(value, ZipValue):
        return any(changeable(part) for part in value.parts)
    return isinstance(value, ItemsIterator) and changeable(value.items)
