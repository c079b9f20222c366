"""Owns the plain interpreter of graphs: node by node, with events, counters and live bytes.

Sessions without a memory plan, the subgraphs of ``cond`` and ``while_loop``, and the backward of
the tape through them all run here. A graph's steps are prepared once and cached on the graph,
so a loop body costs little for each trip.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from .avals import TripsAval
from .events import (
    Alloc,
    BranchTaken,
    Free,
    LoopTrip,
    NonFinite,
    Observer,
    OpEnd,
    OpStart,
    Printed,
    summarize,
)
from .ir import Graph
from .ops import Array, Op, launches

#: floating-point conditions reported with the op where NaN or inf first appears
Flags = list[str]


@dataclass(frozen=True, slots=True)
class Step:
    """One node, ready to run: kernel, operand ids, options, and whose values end here."""

    number: int
    op: Any
    args: tuple[int, ...]
    kwargs: dict[str, Any]
    last_uses: tuple[int, ...]
    launches: int


@dataclass(frozen=True, slots=True)
class Buffers:
    """Where a plan wants results written, and which buffers are free after each step."""

    outs: Mapping[int, Array]
    dying: Mapping[int, tuple[Array, ...]]
    poison: bool = False

    def detach(self, args: Sequence[int], operands: Sequence[Any]) -> list[Any]:
        """Return operands of control flow, planned ones copied.

        Results of a ``cond`` and the saved carries of a loop may be operands themselves; they
        outlive the buffers of the plan.
        """
        return [
            value.copy() if arg in self.outs else value
            for arg, value in zip(args, operands, strict=True)
        ]

    def release(self, step: int) -> None:
        """Overwrite what is free after ``step``: all bits set, which is NaN in a float."""
        if self.poison:
            for gone in self.dying.get(step, ()):
                gone.reshape(-1).view(np.uint8)[:] = 255


@dataclass
class RunStats:
    """The three counters of a run, and its peak of live bytes.

    ``dispatches``: calls from the program into the engine (eager: one for each op and one for
    the backward; a session or a captured segment: one). ``launches``: kernels run, subgraphs
    included; a fused group counts one. ``seconds``: measured. ``peak_bytes``: largest sum of
    the arrays alive at once, feeds and constants included.
    """

    dispatches: int = 0
    launches: int = 0
    seconds: float = 0.0
    peak_bytes: int = 0


@lru_cache(maxsize=512)
def steps_of(graph: Graph) -> tuple[Step, ...]:
    """Return the nodes to execute in order, each with the values that die after it."""
    last: dict[int, int] = {}
    for number, node in enumerate(graph.nodes):
        last[number] = number
        for arg in node.args:
            last[arg] = number
    for number in reversed(range(len(graph.nodes))):
        node = graph.nodes[number]
        if node.op.name == "pick" and isinstance(node.aval, TripsAval):
            # A part of the results of its loop rather than a copy: they live as long.
            last[node.args[0]] = max(last[node.args[0]], last[number])
    kept = set(graph.outputs)
    dying: dict[int, list[int]] = {}
    for number, at in last.items():
        # The caller holds the feeds, the graph its constants: they do not end here.
        if number not in kept and graph.nodes[number].op.name not in ("placeholder", "const"):
            dying.setdefault(at, []).append(number)
    return tuple(
        Step(i, n.op, n.args, n.kwargs, tuple(dying.get(i, ())), launches(n.op))
        for i, n in enumerate(graph.nodes)
        if n.op.name != "placeholder"
    )


class Interpreter:
    """Runs graphs; implements :class:`~.ops.RunContext` for the control-flow kernels.

    ``print_line`` receives what programs print. Events go to ``observer``; without one, only
    the counters are kept.
    """

    def __init__(
        self, observer: Observer | None = None, print_line: Callable[[str], None] | None = None
    ) -> None:
        self.observer = observer
        self.stats = RunStats()
        self.scope = ""
        self.number = -1
        self.live = 0
        self.located = False
        self._print = print_line

    def run(
        self, graph: Graph, values: Sequence[Any], buffers: Buffers | None = None
    ) -> tuple[Any, ...]:
        """Run ``graph`` on values in the order of its inputs; return its outputs.

        With ``buffers``, results go where the plan wants them.
        """
        env: dict[int, Any] = {
            number: value for (_, number), value in zip(graph.inputs, values, strict=True)
        }
        before = self.live
        if not self.scope:  # the operands of a subgraph are already counted outside it
            self._grow(sum(value.nbytes for value in env.values()))
        if self.observer is None:
            self._run_quick(graph, env, buffers)
        else:
            self._run_watched(graph, env, buffers, self.observer)
            if self.scope:
                self._hand_over(graph, env, self.observer)
        self.live = before
        return tuple(env[number] for number in graph.outputs)

    def _hand_over(self, graph: Graph, env: dict[int, Any], observer: Observer) -> None:
        """Let go what a subgraph still holds: its results count as the node's that ran it."""
        for step in steps_of(graph):
            if step.number in env:
                observer.emit(Free(step.number, _bytes(env[step.number]), self.scope))

    def _grow(self, nbytes: int) -> None:
        self.live += nbytes
        if self.live > self.stats.peak_bytes:
            self.stats.peak_bytes = self.live

    def _run_quick(self, graph: Graph, env: dict[int, Any], buffers: Buffers | None) -> None:
        counted = 0
        for step in steps_of(graph):
            operands = [env[arg] for arg in step.args]
            if step.op.control is not None:
                self.number = step.number
                if buffers is not None:
                    operands = buffers.detach(step.args, operands)
                value = step.op.control(self, operands, step.kwargs)
            elif buffers is not None and step.number in buffers.outs:
                value = step.op.kernel(*operands, out=buffers.outs[step.number], **step.kwargs)
            else:
                value = step.op.kernel(*operands, **step.kwargs)
                if type(value) is not np.ndarray and isinstance(value, np.generic):
                    value = np.asarray(value)
            env[step.number] = value
            counted += step.launches
            self._grow(_bytes(value))
            for number in step.last_uses:
                self.live -= _bytes(env.pop(number))
            if buffers is not None:
                buffers.release(step.number)
        self.stats.launches += counted

    def _run_watched(
        self, graph: Graph, env: dict[int, Any], buffers: Buffers | None, observer: Observer
    ) -> None:
        for step in steps_of(graph):
            scope, name = self.scope, step.op.name
            phase = "forward"
            if any(origin.phase == "backward" for origin in graph.origin(step.number)):
                phase = "backward"
            operands = [env[arg] for arg in step.args]
            observer.emit(OpStart(step.number, name, step.args, phase, scope))
            flags: Flags = []
            start = time.perf_counter_ns()
            if buffers is not None and step.op.control is not None:
                operands = buffers.detach(step.args, operands)
            out = None if buffers is None else buffers.outs.get(step.number)
            value = self._kernel(step, operands, out, flags)
            spent = time.perf_counter_ns() - start
            env[step.number] = value
            self.stats.launches += step.launches
            nbytes = _bytes(value)
            self._grow(nbytes)
            shown = value if isinstance(value, np.ndarray) else np.array(len(value))
            summary = summarize(shown)
            observer.emit(Alloc(step.number, nbytes, scope))
            observer.emit(
                OpEnd(step.number, name, summary, nbytes, spent, step.launches, phase, scope)
            )
            if not self.located and summary.nans + summary.infs and step.op.control is None:
                self._locate(step, operands, summary, flags, phase, observer)
            for number in step.last_uses:
                gone = _bytes(env.pop(number))
                self.live -= gone
                observer.emit(Free(number, gone, scope))
            if buffers is not None:
                buffers.release(step.number)

    def _kernel(self, step: Step, operands: list[Any], out: Array | None, flags: Flags) -> Any:
        if step.op.control is not None:
            self.number = step.number
            return step.op.control(self, operands, step.kwargs)
        with np.errstate(all="call", under="ignore", call=lambda kind, _: flags.append(kind)):
            if out is not None:
                return step.op.kernel(*operands, out=out, **step.kwargs)
            return compute_node(step.op, operands, step.kwargs)

    def _locate(
        self, step: Step, operands: list[Any], summary: Any, flags: Flags, phase: str,
        observer: Observer,
    ) -> None:  # fmt: skip
        """Report the first op that makes NaN or inf out of finite operands."""
        finite = all(
            value.dtype.kind != "f" or bool(np.isfinite(value).all())
            for value in operands
            if isinstance(value, np.ndarray)
        )
        if finite:
            self.located = True
            observer.emit(
                NonFinite(
                    step.number, step.op.name, summary.nans, summary.infs,
                    tuple(dict.fromkeys(flags)), phase, self.scope,
                )
            )  # fmt: skip

    def run_graph(self, graph: Graph, values: Sequence[Any], scope: str) -> tuple[Any, ...]:
        """Run a subgraph of the node that runs now; its events carry ``12.scope``."""
        before = self.scope, self.number
        self.scope = f"{self.scope}{'/' if self.scope else ''}{self.number}.{scope}"
        try:
            return self.run(graph, values)
        finally:
            self.scope, self.number = before

    def branch(self, taken: bool) -> None:
        """Report the arm that a ``cond`` takes."""
        if self.observer is not None:
            self.observer.emit(BranchTaken(self.number, taken, scope=self.scope))

    def trip(self, number: int, phase: str) -> None:
        """Report that a loop begins a trip."""
        if self.observer is not None:
            self.observer.emit(LoopTrip(self.number, number, phase, self.scope))

    def print_line(self, text: str) -> None:
        """Pass on a printed line."""
        if self._print is not None:
            self._print(text)
        if self.observer is not None:
            self.observer.emit(Printed(text, self.number, scope=self.scope))


def compute_node(op: Op, operands: Sequence[Array], kwargs: Mapping[str, Any]) -> Array:
    """Run one kernel and return an array, never a scalar, as every mode does."""
    assert op.kernel is not None
    value = op.kernel(*operands, **kwargs)
    return np.asarray(value) if isinstance(value, np.generic) else value


def _bytes(value: Any) -> int:
    """Return the bytes of an array, or of several results together."""
    if isinstance(value, np.ndarray):
        return value.nbytes
    if isinstance(value, tuple):
        return sum(_bytes(item) for item in value)
    return int(getattr(value, "nbytes", 0))
