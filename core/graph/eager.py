"""Owns the eager mode: ``EagerBuilder`` (the builder protocol, events, counters) and its API.

A program run through an ``EagerBuilder`` numbers its values exactly as a ``GraphBuilder``
numbers the nodes of the same program, the backward included, so two modes can be compared
value by value. For use as a small library see ``library.py``.
"""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..wording import say
from . import tape
from .arrays import value_aval
from .avals import Aval
from .build import Branch, lift
from .errors import NotDifferentiableError, OptionError
from .events import (
    Alloc,
    Free,
    GradContrib,
    GradReady,
    NodeCreated,
    NonFinite,
    Observer,
    OpEnd,
    OpStart,
    TapeFreed,
    TapeSaved,
    constant_text,
    summarize,
)
from .interp import Interpreter, RunStats
from .ops import Op, get_op, launches, saved_positions
from .option_text import option_text
from .placed import PlacedBuilder
from .recording import no_grad
from .static import draw_cond, draw_while
from .tensor import RunTensor, Tensor, compute, make


class EagerBuilder(PlacedBuilder[Tensor]):
    """Computes each op as the program reaches it and records a tape.

    ``stats`` holds the counters of everything run so far. ``print_line`` receives what the
    graph op ``print`` prints.
    """

    def __init__(
        self, observer: Observer | None = None, print_line: Callable[[str], None] | None = None
    ) -> None:
        super().__init__(observer)
        self._interpreter = Interpreter(observer, print_line)
        self._count = 0
        self._alive: dict[int, weakref.ref[Tensor]] = {}

    @property
    def stats(self) -> RunStats:
        """The counters so far."""
        return self._interpreter.stats

    def input(self, value: Any, name: str = "", requires_grad: bool = False) -> Tensor:
        """Return a leaf of this run; ``requires_grad`` where its gradient will be wanted."""
        tensor = Tensor(value, requires_grad, name)
        return self._enter(tensor, "placeholder", ())

    def const(self, value: Any) -> Tensor:
        """Return a constant."""
        return self._enter(Tensor(value), "const", ())

    def aval(self, value: Tensor) -> Aval:
        """Return shape and element type."""
        aval: Aval = value_aval(value.value)
        return aval

    def keep_name(self, value: Tensor, name: str) -> int | None:
        """Keep a first name on the tensor."""
        if value.name:
            return None
        value.name = name
        return value.number if value.builder is self else None

    def call(self, op: str | Op, *operands: Any, **options: Any) -> Tensor:
        """Apply an op now."""
        record = get_op(op)
        tensors = self._operands(record.name, operands)
        number = self._count
        args = tuple(t.number for t in tensors)
        run = self._interpreter
        run.number = number
        if self.phase == "forward":
            run.stats.dispatches += not record.structural
        if self.observer is not None:
            self.observer.emit(OpStart(number, record.name, args, self.phase))
        flags: list[str] = []
        start = time.perf_counter_ns()
        if self.observer is None or record.control is not None:
            with np.errstate(all="ignore"):
                tensor = compute(record, tensors, options, run)
        else:
            with np.errstate(all="call", under="ignore", call=lambda kind, _: flags.append(kind)):
                tensor = compute(record, tensors, options, run)
        spent = time.perf_counter_ns() - start
        run.stats.seconds += spent / 1e9
        run.stats.launches += launches(record)
        told = ""
        if self.observer is not None and record.options:
            scalar = isinstance(tensor.value, np.ndarray) and not tensor.value.ndim
            told = option_text(record, tensor.attrs, scalar=scalar)
        self._enter(tensor, record.name, args, told)
        if self.observer is not None:
            self._report(record, tensor, tensors, spent, tuple(dict.fromkeys(flags)))
        return tensor

    def cond(self, pred: Any, true_fn: Branch, false_fn: Branch, *operands: Any) -> Any:
        """Draw both arms, run the one taken; see :meth:`Builder.cond`."""
        return draw_cond(self, pred, true_fn, false_fn, operands)

    def while_loop(self, cond_fn: Branch, body_fn: Branch, *carries: Any) -> tuple[Any, ...]:
        """Draw test and body, run them; see :meth:`Builder.while_loop`."""
        return draw_while(self, cond_fn, body_fn, carries)

    def gradients(
        self, outputs: Sequence[Tensor], wrt: Sequence[Tensor], retain_graph: bool = False
    ) -> list[Tensor]:
        """Return the gradients of the sum of the float outputs; zeros where unconnected.

        The backward runs through this builder, so it is counted and observed. It frees what
        the tape saved unless ``retain_graph``.
        """
        for leaf in wrt:
            if not leaf.requires_grad:
                raise NotDifferentiableError(
                    say("{tensor} does not require a gradient", tensor=leaf.describe())
                )
        floats = [t for t in outputs if t.value.dtype.kind == "f"]
        if wrt and not floats:
            raise NotDifferentiableError(
                say("no output is a float, so there is nothing to differentiate")
            )
        roots = [t for t in floats if t.requires_grad]
        self.stats.dispatches += 1
        self.phase = "backward"
        try:
            with no_grad(), np.errstate(all="ignore"):
                return self._backward(roots, wrt, retain_graph)
        finally:
            self.phase = "forward"

    def _backward(
        self, roots: Sequence[Tensor], wrt: Sequence[Tensor], retain_graph: bool
    ) -> list[Tensor]:
        order = tape.reachable(roots)
        tape.check_unwritten(order, roots)
        starts = [self.fill(t.value.shape, 1.0, t.value.dtype) for t in roots]
        seen = None if self.observer is None else self._contributed()
        grads = tape.sweep(self, order, roots, starts, wrt, seen)
        if not retain_graph:
            for tensor in order:
                if tensor.op is not None:
                    tensor.parents = None
                    if self.observer is not None:
                        self.observer.emit(TapeFreed(tensor.number))
        return [
            grads[t.id] if t.id in grads else self.fill(t.value.shape, 0.0, t.value.dtype)
            for t in wrt
        ]

    def _contributed(self) -> Callable[[Any, Any, Any], None]:
        counts: dict[int, int] = {}
        observer = self.observer
        assert observer is not None

        def contributed(consumer: Any, target: Any, gradient: Any) -> None:
            summary = summarize(gradient.value)
            if consumer is None:
                norm = float(np.sqrt(np.square(gradient.value, dtype=np.float64).sum()))
                observer.emit(GradReady(target.number, summary, norm))
                return
            order = counts.get(target.number, 0)
            counts[target.number] = order + 1
            observer.emit(GradContrib(consumer.number, target.number, order, summary))

        return contributed

    def _operands(self, op: str, operands: Sequence[Any]) -> list[Tensor]:
        """Return operands as tensors of this run, in the order a ``GraphBuilder`` adds them."""
        values: list[Any] = []
        dtypes: list[Any] = []
        for operand in operands:
            value = operand
            if isinstance(operand, (np.ndarray, np.generic, list, tuple)):
                value = self.const(operand)
            if isinstance(value, Tensor):
                if value.builder is not self:
                    self._enter(value, "const", ())
                array = value.value
                dtypes.append(array.dtype if isinstance(array, np.ndarray) else np.dtype(float))
            elif isinstance(value, (bool, int, float)):
                dtypes.append(None)
            else:
                raise OptionError(
                    say(
                        "{op}: {kind} is not a value of the program",
                        op=op, kind=type(value).__name__,
                    )
                )  # fmt: skip
            values.append(value)
        lifted = lift(op, values, dtypes)
        return [
            value if array is None else self._enter(make(array), "const", ())
            for value, array in zip(values, lifted, strict=True)
        ]

    def _enter(self, tensor: Tensor, op: str, args: tuple[int, ...], options: str = "") -> Tensor:
        """Number a tensor of this run and follow how long it lives."""
        number = self._count
        self._count += 1
        tensor.__class__ = RunTensor
        tensor.builder = self
        tensor.number = number
        tensor.line, tensor.column = self.line, self.column
        nbytes = _bytes(tensor.value)
        run = self._interpreter
        run.live += nbytes
        run.stats.peak_bytes = max(run.stats.peak_bytes, run.live)
        self._alive[number] = weakref.ref(tensor, lambda _: self._gone(number, nbytes))
        if self.observer is not None:
            text = ""
            if isinstance(tensor.value, np.ndarray):
                shape = str(value_aval(tensor.value))
                text = constant_text(tensor.value) if op == "const" else ""
            else:
                shape = say("{count} results", count=len(tensor.value))
            self.observer.emit(
                NodeCreated(
                    number, op, args, shape, self.line, self.column, tensor.name, self.phase,
                    "", text, options,
                )
            )  # fmt: skip
            self.observer.emit(Alloc(number, nbytes))
        return tensor

    def _gone(self, number: int, nbytes: int) -> None:
        del self._alive[number]
        self._interpreter.live -= nbytes
        if self.observer is not None:
            self.observer.emit(Free(number, nbytes))

    def _report(
        self, op: Op, tensor: Tensor, operands: Sequence[Tensor], spent: int,
        flags: tuple[str, ...],
    ) -> None:  # fmt: skip
        observer = self.observer
        assert observer is not None
        number, value = tensor.number, tensor.value
        summary = summarize(value if isinstance(value, np.ndarray) else np.array(len(value)))
        observer.emit(
            OpEnd(
                number, op.name, summary, _bytes(value), spent, launches(op), self.phase
            )
        )  # fmt: skip
        bad = summary.nans + summary.infs and isinstance(value, np.ndarray)
        if bad and not self._interpreter.located and op.control is None:
            clean = all(
                t.value.dtype.kind != "f" or bool(np.isfinite(t.value).all())
                for t in operands
                if isinstance(t.value, np.ndarray)
            )
            if clean:
                self._interpreter.located = True
                observer.emit(
                    NonFinite(number, op.name, summary.nans, summary.infs, flags, self.phase)
                )
        positions = saved_positions(op, len(operands))
        if tensor.requires_grad and tensor.parents and positions:
            kept = tuple(number if p < 0 else operands[p].number for p in positions)
            observer.emit(TapeSaved(number, op.name, kept))


def _bytes(value: Any) -> int:
    return int(value.nbytes) if hasattr(value, "nbytes") else sum(_bytes(item) for item in value)
