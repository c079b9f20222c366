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

from ..wording import say
from .avals import Aval, exact
from .errors import OptionError, ShapeError
from .interp import steps_of
from .ir import Graph
from .ops import Array, Attrs

#: Elements of a tile: 192 KiB of float64, so that four or five stay in the second-level cache.
TILE = 24_576
#: Measured on one core (tests/benchmarks): from these on, tiles win for long and short groups.
LONG_GROUP, FEWEST_FOR_LONG, FEWEST_ELEMENTS = 5, 65_536, 524_288


@dataclass(frozen=True, slots=True)
class Instruction:
    """One op of a group: the places of its operands and of its result.

    Places count the operands of the group first, then the result, then the scratch registers.
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
def compile_tiles(body: Graph, apart: bool = True) -> TileProgram | None:
    """Return the tile program of a group, None where an op cannot run tile by tile.

    ``apart``: the result overwrites no operand. Its tile is a register then, as every register
    less leaves more of the cache: a fifth of the time of a long chain with two operands.
    """
    first = len(body.inputs)
    place = {number: i for i, (_, number) in enumerate(body.inputs)}
    result = body.nodes[body.outputs[0]].aval
    assert isinstance(result, Aval)
    registers: list[Any] = [result.dtype]
    free = [0] if apart else []
    made: list[Instruction] = []
    for step in steps_of(body):
        node = body.nodes[step.number]
        assert isinstance(node.aval, Aval)
        if not step.op.tileable:
            return None
        operands = tuple(place[arg] for arg in step.args)
        free.extend(place[n] - first for n in step.last_uses if place[n] >= first)
        last = step.number == body.outputs[0]
        place[step.number] = first + (0 if last else _register(registers, free, node.aval.dtype))
        made.append(Instruction(step.op.kernel, operands, place[step.number]))
    return TileProgram(tuple(made), tuple(registers[1:]))


def _register(registers: list[Any], free: list[int], dtype: Any) -> int:
    """Return a register of an element type, one whose value is dead if there is one."""
    for position, register in enumerate(free):
        if registers[register] == dtype:
            return free.pop(position)
    registers.append(dtype)
    return len(registers) - 1


@dataclass(frozen=True, slots=True)
class Plain:
    """A group as ops on whole arrays: ``(kernel, operands, options, result)`` each.

    Places count the operands of the group first, then the result, then the scratch arrays. An
    op may write into a place whose value is not needed any more.
    """

    steps: tuple[tuple[Any, tuple[int, ...], dict[str, Any], int], ...]
    places: int
    size: int
    tiles: TileProgram | None  #: where tiles were measured to win
    scratch: int  #: bytes that the group needs besides operands and result
    early: bool  #: whether an op before the last writes where the result will be


@lru_cache(maxsize=512)
def compile_group(body: Graph, over: int = -1) -> Plain:
    """Return how a group runs; sizes must be known.

    ``over`` is the operand that the result overwrites, -1 where it has an array of its own.
    """
    result = body.nodes[body.outputs[0]].aval
    assert isinstance(result, Aval)
    first = len(body.inputs)
    place = {number: i for i, (_, number) in enumerate(body.inputs)}
    kinds: list[Any] = [result]  # what each place holds, from the result on
    early = _may_be_early(body, over)
    free: list[int] = []
    steps: list[tuple[Any, tuple[int, ...], dict[str, Any], int]] = []
    for step in steps_of(body):
        args = tuple(place[arg] for arg in step.args)
        ending = [n for n in step.last_uses if place.get(n, -1) >= first]
        dying = [place[n] for n in ending]
        usable = [to for to in dying if args.count(to) == 1] + free
        fits = [to for to in usable if kinds[to - first] == body.nodes[step.number].aval]
        if step.number == body.outputs[0]:
            fits = [first]
        elif step.number in early:
            fits = [*fits, first] if first not in place.values() else fits
        else:
            fits = [to for to in fits if to != first]
        if not fits:
            kinds.append(body.nodes[step.number].aval)
        to = fits[0] if fits else first + len(kinds) - 1
        free = [other for other in (*dying, *free) if other != to]
        for number in ending:
            del place[number]
        place[step.number] = to
        steps.append((step.op.kernel, args, step.kwargs, to))
    tiles = worth_tiling(body, result.size, over < 0)
    scratch = sum(aval.nbytes for aval in kinds[1:])
    if tiles is not None:
        tile = min(result.size, 2 * TILE)
        scratch = sum(tile * dtype.itemsize for dtype in tiles.registers)
    begun = any(to == first for *_, to in steps[:-1])
    return Plain(tuple(steps), first + len(kinds), result.size, tiles, scratch, begun)


def _may_be_early(body: Graph, over: int) -> frozenset[int]:
    """Return the values that may stand where the result will be.

    They come when the operand that it overwrites is not needed any more, and the last op reads
    such a value once or not at all.
    """
    result = body.outputs[0]
    aval = body.nodes[result].aval
    gone = body.inputs[over][1] if over >= 0 else -1
    opens = max((n for n, node in enumerate(body.nodes) if gone in node.args), default=-1)
    again = body.nodes[opens].args.count(gone) > 1
    return frozenset(
        number
        for number, node in enumerate(body.nodes)
        if node.op.name != "placeholder" and node.aval == aval
        and (number > opens or (number == opens and not again))
        and body.nodes[result].args.count(number) < 2
    )  # fmt: skip


def worth_tiling(body: Graph, size: int, apart: bool) -> TileProgram | None:
    """Return the tile program of a group where it was measured to win, else None."""
    if size < FEWEST_FOR_LONG:
        return None
    operands = [body.nodes[number].aval for _, number in body.inputs]
    if any(isinstance(aval, Aval) and aval.size not in (1, size) for aval in operands):
        return None
    program = compile_tiles(body, apart)
    if program is None or (size < FEWEST_ELEMENTS and len(program.instructions) < LONG_GROUP):
        return None
    return program


_FUSED = say("running a fused group")


def fused(*arrays: Array, body: Graph, out: Array | None = None) -> Array:
    """Run a group and return its result."""
    group = compile_group(body)
    if out is not None and (group.early or group.tiles is not None):
        group = compile_group(body, _overwritten(arrays, out))
    if group.tiles is None:
        return op_by_op(group, arrays, out)
    aval = body.nodes[body.outputs[0]].aval
    assert isinstance(aval, Aval)
    shape = tuple(exact(dim, _FUSED) for dim in aval.shape)
    result = np.empty(shape, aval.dtype) if out is None else out
    run_tiles(group.tiles, arrays, result)
    return result


def _overwritten(arrays: Sequence[Array], out: Array) -> int:
    """Return the operand whose bytes the result takes, -1 for none; all are contiguous."""
    for position, array in enumerate(arrays):
        if np.may_share_memory(array, out):
            return position
    return -1


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
        places.append(target[start:stop])
        places += [s[: stop - start] for s in scratch]
        for kernel, operands, result in steps:
            if len(operands) == 2:
                kernel(places[operands[0]], places[operands[1]], out=places[result])
            else:
                kernel(places[operands[0]], out=places[result])


def op_by_op(group: Plain, arrays: Sequence[Array], out: Array | None) -> Array:
    """Run a group as its ops one after another, whole arrays each."""
    places: list[Any] = [*arrays, out]
    places += [None] * (group.places - len(places))
    for kernel, args, kwargs, to in group.steps:
        value = kernel(*[places[i] for i in args], out=places[to], **kwargs)
        # numpy gives scalars where every operand has no axes
        places[to] = value if type(value) is np.ndarray else np.asarray(value)
    result: Array = places[len(arrays)]
    return result


def fused_rule(avals: Sequence[Any], attrs: Attrs) -> tuple[Any, Attrs]:
    """The group's inputs are the operands; its result is one value."""
    body = attrs["body"]
    if not isinstance(body, Graph) or len(body.outputs) != 1:
        raise OptionError(say("fused: the body is a graph with one result"))
    wanted = [body.nodes[number].aval for _, number in body.inputs]
    if wanted != list(avals):
        raise ShapeError(say("fused: the operands do not fit the body"))
    return body.nodes[body.outputs[0]].aval, attrs
