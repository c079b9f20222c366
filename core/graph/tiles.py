"""Owns how a fused group runs: one pass over cache-sized tiles, or op by op where that wins.

A group is a graph of elementwise ops whose values all have one shape. Run tile by tile, the
intermediate values never leave the cache. Every op still sees its operands in the same order
and on the same sides, elements are independent, and no tile but a whole array is one element
long (numpy treats a single element as repeated), so the bits are those of op by op.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from .avals import Aval, exact
from .errors import OptionError, ShapeError
from .interp import steps_of
from .ir import Graph
from .ops import Array, Attrs

#: Elements of a tile: 256 KiB of float64, so that three or four stay in the second-level cache.
TILE = 32_768
#: Measured on one core (tests/benchmarks): from these on, tiles win for long and short groups.
LONG_GROUP, FEWEST_FOR_LONG, FEWEST_ELEMENTS = 5, 65_536, 524_288


@dataclass(frozen=True, slots=True)
class Instruction:
    """One op of a group: the places of its operands and of its result.

    Places count the operands of the group first, then the scratch registers, then the result.
    """

    kernel: Any  #: ``kernel(*operands, out=result)``
    operands: tuple[int, ...]
    result: int


@dataclass(frozen=True, slots=True)
class TileProgram:
    """The instructions of a group and the element types of its scratch registers."""

    instructions: tuple[Instruction, ...]
    registers: tuple[Any, ...]


@lru_cache(maxsize=512)
def compile_tiles(body: Graph) -> TileProgram | None:
    """Return the tile program of a group, None where an op cannot run tile by tile."""
    first = len(body.inputs)
    place = {number: i for i, (_, number) in enumerate(body.inputs)}
    registers: list[Any] = []
    free: list[int] = []
    made: list[tuple[Any, tuple[int, ...], int]] = []
    for step in steps_of(body):
        node = body.nodes[step.number]
        assert isinstance(node.aval, Aval)
        if not step.op.tileable:
            return None
        operands = tuple(place[arg] for arg in step.args)
        free.extend(place[n] - first for n in step.last_uses if place[n] >= first)
        if step.number == body.outputs[0]:
            place[step.number] = -1
        else:
            place[step.number] = first + _register(registers, free, node.aval.dtype)
        made.append((step.op.kernel, operands, place[step.number]))
    last = first + len(registers)
    return TileProgram(
        tuple(Instruction(k, args, last if to < 0 else to) for k, args, to in made),
        tuple(registers),
    )


def _register(registers: list[Any], free: list[int], dtype: Any) -> int:
    """Return a register of an element type, one whose value is dead if there is one."""
    for position, register in enumerate(free):
        if registers[register] == dtype:
            return free.pop(position)
    registers.append(dtype)
    return len(registers) - 1


@dataclass(frozen=True, slots=True)
class Plain:
    """A group as ops on whole arrays: ``(kernel, operands, options, overwritten)`` each.

    Operands count as in :class:`Instruction`; a value that dies may be overwritten (else -1).
    """

    steps: tuple[tuple[Any, tuple[int, ...], dict[str, Any], int], ...]
    size: int
    tiles: TileProgram | None  #: where tiles were measured to win
    scratch: int  #: bytes that the group needs besides operands and result


@lru_cache(maxsize=512)
def compile_group(body: Graph) -> Plain:
    """Return how a group runs; sizes must be known."""
    result = body.nodes[body.outputs[0]].aval
    assert isinstance(result, Aval)
    place = {number: i for i, (_, number) in enumerate(body.inputs)}
    inputs = len(place)
    steps: list[tuple[Any, tuple[int, ...], dict[str, Any], int]] = []
    live = highest = 0
    for step in steps_of(body):
        last = step.number == body.outputs[0]
        dying = [n for n in step.last_uses if place.get(n, -1) >= inputs]
        mine = body.nodes[step.number].aval
        over = [n for n in dying if body.nodes[n].aval == mine and step.args.count(n) == 1]
        args = tuple(place[arg] for arg in step.args)
        target = place[over[0]] if over and not last else -1
        place[step.number] = inputs + len(steps)
        steps.append((step.op.kernel, args, step.kwargs, target))
        live += 0 if last or target >= 0 else mine.nbytes
        highest = max(highest, live)
        freed = dying if target < 0 else [n for n in dying if n != over[0]]
        live -= sum(body.nodes[n].aval.nbytes for n in freed)
    tiles = worth_tiling(body, result.size)
    if tiles is not None:
        tile = min(result.size, 2 * TILE)
        highest = sum(tile * dtype.itemsize for dtype in tiles.registers)
    return Plain(tuple(steps), result.size, tiles, highest)


def worth_tiling(body: Graph, size: int) -> TileProgram | None:
    """Return the tile program of a group where it was measured to win, else None."""
    if size < FEWEST_FOR_LONG:
        return None
    operands = [body.nodes[number].aval for _, number in body.inputs]
    if any(isinstance(aval, Aval) and aval.size not in (1, size) for aval in operands):
        return None
    program = compile_tiles(body)
    if program is None or (size < FEWEST_ELEMENTS and len(program.instructions) < LONG_GROUP):
        return None
    return program


def fused(*arrays: Array, body: Graph, out: Array | None = None) -> Array:
    """Run a group and return its result."""
    group = compile_group(body)
    if group.tiles is None:
        return op_by_op(group, arrays, out)
    aval = body.nodes[body.outputs[0]].aval
    assert isinstance(aval, Aval)
    shape = tuple(exact(dim, "running a fused group") for dim in aval.shape)
    result = np.empty(shape, aval.dtype) if out is None else out
    run_tiles(group.tiles, arrays, result)
    return result


def run_tiles(program: TileProgram, arrays: Sequence[Array], out: Array) -> None:
    """Run a tile program over ``out``; each operand has its size or one element."""
    size = out.size
    count = max(size // TILE, 1)
    scratch = [np.empty(min(size, 2 * TILE), dtype) for dtype in program.registers]
    flat = [a.reshape(-1) if a.size == size else a.reshape(()) for a in arrays]
    target = out.reshape(-1)
    steps = [(item.kernel, item.operands, item.result) for item in program.instructions]
    for tile in range(count):
        start = tile * TILE
        stop = size if tile == count - 1 else start + TILE
        places = [a[start:stop] if a.ndim else a for a in flat]
        places += [s[: stop - start] for s in scratch]
        places.append(target[start:stop])
        for kernel, operands, result in steps:
            if len(operands) == 2:
                kernel(places[operands[0]], places[operands[1]], out=places[result])
            else:
                kernel(places[operands[0]], out=places[result])


def op_by_op(group: Plain, arrays: Sequence[Array], out: Array | None) -> Array:
    """Run a group as its ops one after another, whole arrays each."""
    places: list[Any] = list(arrays)
    steps = group.steps
    for kernel, args, kwargs, target in steps[:-1]:
        operands = [places[i] for i in args]
        if target >= 0:
            places.append(kernel(*operands, out=places[target], **kwargs))
        else:
            value = kernel(*operands, **kwargs)
            # numpy gives scalars where every operand has no axes
            places.append(value if type(value) is np.ndarray else np.asarray(value))
    kernel, args, kwargs, _ = steps[-1]
    value = kernel(*[places[i] for i in args], out=out, **kwargs)
    return value if type(value) is np.ndarray else np.asarray(value)


def fused_rule(avals: Sequence[Any], attrs: Attrs) -> tuple[Any, Attrs]:
    """The group's inputs are the operands; its result is one value."""
    body = attrs["body"]
    if not isinstance(body, Graph) or len(body.outputs) != 1:
        raise OptionError("fused: the body is a graph with one result")
    wanted = [body.nodes[number].aval for _, number in body.inputs]
    if wanted != list(avals):
        raise ShapeError("fused: the operands do not fit the body")
    return body.nodes[body.outputs[0]].aval, attrs
