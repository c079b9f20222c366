"""Owns the session: a graph run under feeds, for fetches, with or without a memory plan.

``Session`` checks feeds by name, binds symbolic sizes, keeps the prepared plan of every set of
fetches and sizes, and counts. With a plan, kernels write into one arena; outputs are arrays of
their own, so what the caller holds is never written again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..foreign import foreign
from ..wording import say
from .avals import Aval, SymbolicDim, format_shape
from .errors import DefinitionError, FeedError
from .events import Observer, Reuse, RunEnded, RunStarted
from .interp import Buffers, Interpreter, RunStats
from .ir import Graph, bind, keep_nodes, needed_nodes, verify
from .memory import Plan, plan, prove
from .ops import Array

#: A session with symbolic sizes keeps the plans and arenas of this many; the rest are remade.
MOST_SIZES = 32


@dataclass
class Prepared:
    """A graph for one set of fetches and sizes, with its plan and arena once they are wanted."""

    graph: Graph

    @cached_property
    def plan(self) -> Plan:
        """The memory plan, proved."""
        made = plan(self.graph)
        prove(made)
        return made

    @cached_property
    def buffers(self) -> Buffers:
        """Views into one arena, one for each planned value."""
        arena = np.zeros(self.plan.arena + 64, np.uint8)
        # numpy aligns to 16 bytes only; begin at the next cache line.
        skip = -arena.ctypes.data % 64
        outs: dict[int, Array] = {}
        for slot in self.plan.slots:
            aval = self.graph.nodes[slot.node].aval
            assert isinstance(aval, Aval)
            start = skip + slot.offset
            raw = arena[start : start + slot.nbytes]
            outs[slot.node] = raw.view(aval.dtype).reshape(_sizes(aval))
        taken = {slot.inplace_of for slot in self.plan.slots}
        dying: dict[int, list[Array]] = {}
        for slot in self.plan.slots:
            if slot.node not in taken:
                dying.setdefault(slot.end, []).append(outs[slot.node])
        return Buffers(outs, {step: tuple(gone) for step, gone in dying.items()})


_SESSION = say("the session")


class Session:
    """Runs one graph any number of times; not for two threads at once.

    ``memory`` puts intermediate values into one arena by the plan of ``memory.py``.
    ``print_line`` receives what the graph prints. :class:`VerifyError` for an illegal graph.
    """

    def __init__(
        self,
        graph: Graph,
        observer: Observer | None = None,
        memory: bool = False,
        print_line: Callable[[str], None] | None = None,
        mode: str = "static",
    ) -> None:
        verify(graph, _SESSION)
        self.graph = graph
        self.observer = observer
        self.memory = memory
        self.mode = mode
        self.stats = RunStats()
        self._print = print_line
        self._prepared: dict[tuple[int, ...], Prepared] = {}
        self._bound_to: dict[Any, Prepared] = {}

    def order(self) -> str:
        """Return the node order, one line for each node, before anything runs."""
        return self.graph.text()

    def run(
        self,
        feed: Mapping[str, Any] | Iterable[tuple[str, Any]] = (),
        fetches: Sequence[str | int] | None = None,
        poison: bool = False,
    ) -> list[Array]:
        """Run the graph and return its outputs, or the values fetched by name or id.

        ``stats`` then holds the counters of this run. With ``poison``, buffers of the plan are
        overwritten with NaN as soon as they are free: a result that changes by it read a freed
        buffer. :class:`FeedError` for feeds that are missing, unknown, given twice or of the
        wrong shape or element type; :class:`DefinitionError` for an unknown fetch.
        """
        wanted = self._fetched(fetches)
        base = self._restrict(wanted)
        arrays, sizes = self._feeds(feed, base.graph)
        prepared = self._bound(wanted, base, sizes)
        interpreter = Interpreter(self.observer, self._print)
        if self.observer is not None:
            self.observer.emit(RunStarted(self.mode, f"{len(prepared.graph)} nodes"))
        start = time.perf_counter()
        if self.memory or poison:
            buffers = replace(prepared.buffers, poison=poison)
            self._report_reuse(prepared.plan)
            with np.errstate(all="ignore"):
                outputs = interpreter.run(prepared.graph, arrays, buffers)
        else:
            with np.errstate(all="ignore"):
                outputs = interpreter.run(prepared.graph, arrays)
        stats = interpreter.stats
        stats.seconds = time.perf_counter() - start
        stats.dispatches = 1
        if self.memory or poison:
            stats.peak_bytes = prepared.plan.peak
        self.stats = stats
        if self.observer is not None:
            self.observer.emit(
                RunEnded(
                    self.mode, stats.dispatches, stats.launches, stats.seconds, stats.peak_bytes
                )
            )
        return self._handed_over(prepared.graph, outputs)

    def _fetched(self, fetches: Sequence[str | int] | None) -> tuple[int, ...]:
        if fetches is None:
            return self.graph.outputs
        names: dict[str, int] = {}
        for index, number in enumerate(self.graph.outputs):
            names.setdefault(self.graph.label(index), number)
        for number in range(len(self.graph.nodes)):
            for origin in self.graph.origin(number):
                if origin.name:
                    names.setdefault(origin.name, number)
        found = []
        for fetch in fetches:
            number = names.get(fetch, -1) if isinstance(fetch, str) else fetch
            if not 0 <= number < len(self.graph.nodes):
                known = ", ".join(names) or "none"
                raise DefinitionError(
                    say(
                        "there is no value {fetch} to fetch (named: {known})",
                        fetch=fetch,
                        known=known,
                    )
                )
            if not isinstance(self.graph.nodes[number].aval, Aval):
                raise DefinitionError(
                    say("{fetch} is several results", fetch=fetch), hint=say("fetch one of them")
                )
            found.append(number)
        return tuple(found)

    def _restrict(self, wanted: tuple[int, ...]) -> Prepared:
        prepared = self._prepared.get(wanted)
        if prepared is None:
            graph = self.graph
            if wanted != graph.outputs:
                graph = replace(graph, outputs=wanted, output_names=())
                graph = keep_nodes(graph, needed_nodes(graph, (*wanted, *graph.effects)))
            prepared = self._prepared[wanted] = Prepared(graph)
        return prepared

    def _bound(self, wanted: tuple[int, ...], base: Prepared, sizes: dict[str, int]) -> Prepared:
        if not sizes:
            return base
        key = wanted, tuple(sorted(sizes.items()))
        prepared = self._bound_to.pop(key, None) or Prepared(bind(base.graph, sizes))
        self._bound_to[key] = prepared  # the latest used stands last
        if len(self._bound_to) > MOST_SIZES:
            del self._bound_to[next(iter(self._bound_to))]
        return prepared

    def _feeds(self, feed: Any, graph: Graph) -> tuple[list[Array], dict[str, int]]:
        given: dict[str, Any] = {}
        for name, value in feed.items() if isinstance(feed, Mapping) else feed:
            if name in given:
                raise FeedError(say("{name} is fed twice", name=name))
            given[name] = value
        known = dict(self.graph.inputs)
        for name in given:
            if name not in known:
                raise FeedError(
                    say(
                        "there is no input {name} (inputs: {known})",
                        name=name,
                        known=", ".join(known) or say("none"),
                    )
                )
        missing = [name for name, _ in graph.inputs if name not in given]
        if missing:
            raise FeedError(say("no feed for {missing}", missing=", ".join(missing)))
        arrays: list[Array] = []
        sizes: dict[str, int] = {}
        for name, number in graph.inputs:
            aval = graph.nodes[number].aval
            assert isinstance(aval, Aval)
            arrays.append(_checked(name, given[name], aval, sizes))
        return arrays, sizes

    def _report_reuse(self, made: Plan) -> None:
        if self.observer is None:
            return
        owner: dict[int, int] = {}
        for slot in made.slots:
            if slot.offset in owner:
                inplace = slot.inplace_of >= 0
                self.observer.emit(
                    Reuse(slot.node, owner[slot.offset], slot.offset, slot.nbytes, inplace)
                )
            owner[slot.offset] = slot.node

    def _handed_over(self, graph: Graph, outputs: Sequence[Array]) -> list[Array]:
        """Return outputs that are the caller's alone: feeds, constants and repeats are copied."""
        result = []
        seen: set[int] = set()
        for number, value in zip(graph.outputs, outputs, strict=True):
            own = graph.nodes[number].op.name not in ("placeholder", "const")
            result.append(value if own and number not in seen else value.copy())
            seen.add(number)
        return result


def _sizes(aval: Aval) -> tuple[int, ...]:
    return tuple(dim for dim in aval.shape if isinstance(dim, int))


def _checked(name: str, value: Any, aval: Aval, sizes: dict[str, int]) -> Array:
    """Return a feed as an array of the declared shape and type; note its symbolic sizes."""
    try:
        array = np.asarray(value, order="C")
    except ValueError as error:
        raise FeedError(
            say(
                "{name} is not a rectangular array: {error}",
                name=name,
                error=foreign(str(error)),
            )
        ) from None
    if array.dtype != aval.dtype:
        weak = isinstance(value, (bool, int, float, list)) and array.dtype.kind in "iufb"
        if not weak or not np.can_cast(array.dtype, aval.dtype, "same_kind"):
            raise FeedError(
                say(
                    "{name} is {dtype}, but the input is {aval}",
                    name=name,
                    dtype=array.dtype,
                    aval=aval,
                )
            )
        array = array.astype(aval.dtype)
    array = as_contiguous(array)
    if array.ndim != aval.ndim:
        raise _misshapen(name, array, aval)
    for axis, (dim, size) in enumerate(zip(aval.shape, array.shape, strict=True)):
        if isinstance(dim, SymbolicDim):
            _bind_size(name, axis, dim, size, sizes)
        elif dim != size:
            raise _misshapen(name, array, aval)
    return array


def _misshapen(name: str, array: Array, aval: Aval) -> FeedError:
    return FeedError(
        say(
            "{name} has shape {shape}, but the input is {aval}",
            name=name,
            shape=format_shape(array.shape),
            aval=aval,
        )
    )


def _bind_size(name: str, axis: int, dim: SymbolicDim, size: int, sizes: dict[str, int]) -> None:
    if len(dim.terms) != 1 or dim.terms[0][1] != 1 or dim.offset:
        raise FeedError(
            say("{name}: axis {axis} is {dim}", name=name, axis=axis, dim=dim),
            hint=say("an input has plain symbols only"),
        )
    symbol = dim.terms[0][0]
    if size < 2:
        raise FeedError(
            say(
                "{name}: axis {axis} has size {size}, but {symbol} stands for 2 or more",
                name=name,
                axis=axis,
                size=size,
                symbol=symbol,
            )
        )
    if sizes.setdefault(symbol, size) != size:
        raise FeedError(
            say(
                "{name}: axis {axis} has size {size}, but {symbol} is {known} already",
                name=name,
                axis=axis,
                size=size,
                symbol=symbol,
                known=sizes[symbol],
            )
        )


def as_contiguous(array: Array) -> Array:
    """Return ``array`` itself if its elements are in order, else a copy; 0-d stays 0-d."""
    return array if array.flags.c_contiguous else array.copy(order="C")
