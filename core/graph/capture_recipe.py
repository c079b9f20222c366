"""Owns how the state after a segment is made again from the state before it.

While a segment is drawn its frames hold fakes. A recipe replaces every fake by where its
value comes from: a place in the state before, an output of the graph, or a literal. Objects
that are shared stay shared, so a list appended to in one place grows in every other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .avals import SymbolicDim
from .capture_paths import Path, follow
from .capture_trace import Tracer
from .guards import State
from .lang_code import Code
from .lang_values import Frame, Function, ItemsIterator, Unread, Variables, ZipValue
from .static import Sym


@dataclass(frozen=True, slots=True)
class Keep:
    """The value at a place of the state before."""

    path: Path


@dataclass(frozen=True, slots=True)
class Output:
    """An output of the segment's graph."""

    index: int


@dataclass(frozen=True, slots=True)
class Size:
    """A symbolic size, as a number."""

    dim: SymbolicDim


@dataclass(frozen=True, slots=True)
class Made:
    """Something made of parts: a tuple, list, function, loop, or set of variables.

    ``number`` tells apart the objects that can be shared; -1 for those that cannot.
    """

    kind: str
    parts: tuple[Any, ...]
    more: Any = None
    number: int = -1


@dataclass(frozen=True, slots=True)
class FrameRecipe:
    """How one frame is made."""

    code: Code
    position: int
    variables: Made
    stack: tuple[Any, ...]


@dataclass
class Recipe:
    """All frames and, where the first function has returned, its result."""

    frames: tuple[FrameRecipe, ...]
    result: Any
    finished: bool


class RecipeWriter:
    """Writes the recipe of a traced state; ``outputs`` collects what the graph must return."""

    def __init__(self, tracer: Tracer) -> None:
        self.outputs: list[Sym] = []
        self._paths = {
            sym.id: path for sym, path in zip(tracer.placeholders, tracer.inputs, strict=True)
        }
        self._index: dict[int, int] = {}
        self._numbers: dict[int, int] = {}
        self._done: dict[int, Made] = {}

    def write(self, frames: Sequence[Frame], result: Any, finished: bool) -> Recipe:
        """Return the recipe of frames, or of a result."""
        if finished:
            return Recipe((), self.value(result), True)
        made = tuple(
            FrameRecipe(
                frame.code,
                frame.position,
                self.variables(frame.variables),
                tuple(self.value(value) for value in frame.stack),
            )
            for frame in frames
        )
        return Recipe(made, None, False)

    def value(self, value: Any) -> Any:
        """Return the recipe of one value."""
        if isinstance(value, Unread):
            return Keep(value.path)
        if isinstance(value, Sym):
            if value.id in self._paths:
                return Keep(self._paths[value.id])
            if value.id not in self._index:
                self._index[value.id] = len(self.outputs)
                self.outputs.append(value)
            return Output(self._index[value.id])
        if isinstance(value, SymbolicDim):
            return Size(value)
        if isinstance(value, tuple):
            return Made("tuple", tuple(self.value(item) for item in value))
        if isinstance(value, slice):
            bounds = (value.start, value.stop, value.step)
            return Made("slice", tuple(self.value(item) for item in bounds))
        if isinstance(value, list):
            return Made("list", tuple(self.value(v) for v in value), None, self.number(value))
        if isinstance(value, Function):
            outer = None if value.outer is None else self.variables(value.outer)
            parts = (outer, *(self.value(item) for item in value.defaults))
            return Made("function", parts, value.code)
        if isinstance(value, ItemsIterator):
            return Made("items", (self.value(value.items),), (value.position, value.count))
        if isinstance(value, ZipValue):
            return Made("zip", tuple(self.value(part) for part in value.parts))
        return Made("literal", (), value)

    def variables(self, variables: Variables) -> Made:
        """Return the recipe of a set of variables; each set is written once."""
        number = self.number(variables)
        known = self._done.get(number)
        if known is not None:
            return Made("variables", (), None, number)
        self._done[number] = Made("variables", (), None, number)
        outer = None if variables.outer is None else self.variables(variables.outer)
        named = tuple((name, self.value(value)) for name, value in variables.values.items())
        made = Made("variables", (outer, named), True, number)
        self._done[number] = made
        return made

    def number(self, value: Any) -> int:
        """Return the number of a shared object."""
        return self._numbers.setdefault(id(value), len(self._numbers))


@dataclass
class Rebuilder:
    """Makes the state after a segment; one for each run."""

    before: State
    outputs: Sequence[Any]
    sizes: Mapping[str, int]
    shared: dict[int, Any] = field(default_factory=dict)

    def frames(self, recipe: Recipe) -> list[Frame]:
        """Return the frames after the segment."""
        return [
            Frame(
                item.code,
                self.value(item.variables),
                item.position,
                [self.value(value) for value in item.stack],
            )
            for item in recipe.frames
        ]

    def value(self, recipe: Any) -> Any:
        """Return the value that a recipe describes."""
        if isinstance(recipe, Keep):
            return follow(self.before.frames, self.before.constants, recipe.path)
        if isinstance(recipe, Output):
            return self.outputs[recipe.index]
        if isinstance(recipe, Size):
            return recipe.dim.bind(self.sizes)
        if recipe is None:
            return None
        assert isinstance(recipe, Made)
        if recipe.kind == "literal":
            return recipe.more
        if recipe.kind == "variables":
            return self.variables(recipe)
        if recipe.kind == "list":
            if recipe.number not in self.shared:
                made: list[Any] = []
                self.shared[recipe.number] = made
                made.extend(self.value(part) for part in recipe.parts)
            return self.shared[recipe.number]
        parts = tuple(self.value(part) for part in recipe.parts)
        if recipe.kind == "function":
            return Function(recipe.more, parts[1:], parts[0])
        if recipe.kind == "items":
            return ItemsIterator(parts[0], *recipe.more)
        if recipe.kind == "zip":
            return ZipValue(parts)
        return slice(*parts) if recipe.kind == "slice" else parts

    def variables(self, recipe: Made) -> Variables:
        """Return a set of variables, the same object wherever the recipe names it."""
        made = self.shared.get(recipe.number)
        if made is None:
            made = self.shared[recipe.number] = Variables({})
        assert isinstance(made, Variables)
        if recipe.more:
            outer, named = recipe.parts
            made.outer = None if outer is None else self.variables(outer)
            made.values = {name: self.value(value) for name, value in named}
        return made
