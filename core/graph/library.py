"""Owns the eager mode as a small library: ``Tensor``, ``no_grad``, ``grad``, ``custom_op``, …

Everything here works on plain tensors, without a builder, events or counters::

    from dgplay.core.graph.library import Tensor, grad

    x = Tensor([1.0, 2.0], requires_grad=True)
    y = (x * x).sum()
    y.backward()              # x.grad is [2, 4]
    grad(y, [x])              # the same, as a return value
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..wording import say
from . import rules, tape
from .arrays import value_aval
from .avals import Aval
from .build import Branch, Builder
from .errors import OptionError, ShapeError
from .ops import Array, Attrs, Op, Rule, Vjp, get_op
from .recording import no_grad
from .static import draw_cond, draw_while
from .tensor import Tensor, as_tensors, compute, make

__all__ = [
    "Tensor",
    "call",
    "cond",
    "custom_op",
    "first_nonfinite",
    "grad",
    "no_grad",
    "node_gradients",
    "while_loop",
]


def grad(
    outputs: Tensor | Sequence[Tensor], wrt: Sequence[Tensor], create_graph: bool = False,
    retain_graph: bool | None = None,
) -> list[Tensor]:  # fmt: skip
    """Return the gradients of the sum of ``outputs``, leaving every ``grad`` alone.

    With ``create_graph`` the result is itself on the tape, so it can be differentiated again;
    the saved values are kept then. Unconnected tensors get zeros.
    """
    listed = [outputs] if isinstance(outputs, Tensor) else list(outputs)
    roots = [t for t in listed if t.requires_grad]
    order = tape.reachable(roots)
    tape.check_unwritten(order, roots)
    builder = _Recorder()
    starts = [make(np.ones_like(t.value)) for t in roots]
    if create_graph:
        found = tape.sweep(builder, order, roots, starts, wrt)
    else:
        with no_grad(), np.errstate(all="ignore"):
            found = tape.sweep(builder, order, roots, starts, wrt)
    if not (create_graph if retain_graph is None else retain_graph):
        for tensor in order:
            if tensor.op is not None:
                tensor.parents = None
    return [found[t.id] if t.id in found else make(np.zeros_like(t.value)) for t in wrt]


class _Recorder(Builder[Tensor]):
    """The protocol on plain tensors, without events: what a recorded backward computes with."""

    def call(self, op: str | Op, *operands: Any, **options: Any) -> Tensor:
        return call(op, *operands, **options)

    def const(self, value: Any) -> Tensor:
        return Tensor(value)

    def aval(self, value: Tensor) -> Aval:
        aval: Aval = value_aval(value.value)
        return aval

    def cond(self, pred: Any, true_fn: Branch, false_fn: Branch, *operands: Any) -> Any:
        return draw_cond(self, pred, true_fn, false_fn, operands)

    def while_loop(self, cond_fn: Branch, body_fn: Branch, *carries: Any) -> tuple[Any, ...]:
        return draw_while(self, cond_fn, body_fn, carries)


def call(op: str | Op, *operands: Any, **options: Any) -> Tensor:
    """Apply an op to tensors, numbers and arrays."""
    record = get_op(op)
    return compute(record, as_tensors(record.name, operands), options)


def cond(pred: Any, true_fn: Branch, false_fn: Branch, *operands: Any) -> Any:
    """Run one of two functions ``fn(b, *operands)``; see :meth:`Builder.cond`."""
    return _Recorder().cond(pred, true_fn, false_fn, *operands)


def while_loop(cond_fn: Branch, body_fn: Branch, *carries: Any) -> tuple[Any, ...]:
    """Repeat a function ``fn(b, *carries)``; see :meth:`Builder.while_loop`."""
    return _Recorder().while_loop(cond_fn, body_fn, *carries)


def custom_op(
    name: str,
    kernel: Callable[..., Array],
    vjp: Vjp | None = None,
    arity: int = 1,
    rule: Rule | None = None,
) -> Op:
    """Return an op of the user's own, for ``call`` in every mode.

    ``kernel(*arrays)`` computes; ``vjp(b, y, gy, xs, want, attrs)`` gives one gradient for
    each operand, in terms of the builder ``b``; ``rule`` defaults to elementwise on numbers.
    """

    def run(*arrays: Array, out: Array | None = None) -> Array:
        value = np.array(kernel(*arrays), order="C")
        if out is not None:
            np.copyto(out, value)
        return value if out is None else out

    doc = f"The user's op {name}."
    checked = None if vjp is None else _checked(name, vjp)
    return Op(name, arity, rule or rules.arithmetic(name), run, doc, checked, saves=None)


def _checked(name: str, vjp: Vjp) -> Vjp:
    """Return a gradient rule of the user's that says what it gives wrong."""

    def rule(
        b: Any, y: Any, gy: Any, xs: Sequence[Any], want: Sequence[bool], attrs: Attrs
    ) -> Sequence[Any]:
        found = vjp(b, y, gy, xs, want, attrs)
        if not isinstance(found, (tuple, list)) or len(found) != len(xs):
            raise OptionError(
                say("{op}: the gradient rule gives one value for each operand", op=name),
                hint=say("return a tuple, with None where there is no gradient"),
            )
        values = [b.const(g) if isinstance(g, (int, float)) else g for g in found]
        for gradient, x in zip(values, xs, strict=True):
            if gradient is not None and b.shape(gradient) != b.shape(x):
                raise ShapeError(
                    say(
                        "{op}: a gradient of shape {shape} for a value of {expected}",
                        op=name, shape=b.shape(gradient), expected=b.shape(x),
                    )
                )  # fmt: skip
        return values

    return rule


def first_nonfinite(*outputs: Tensor) -> Tensor | None:
    """Return the first value on the tape that holds NaN or inf although its parents do not."""
    for tensor in reversed(tape.reachable(outputs)):
        parents = tensor.parents or ()
        if not _finite(tensor) and all(_finite(parent) for parent in parents):
            found: Tensor = tensor
            return found
    return None


def node_gradients(output: Tensor) -> dict[int, Array]:
    """Return the gradient of ``output`` (of its sum) at every tensor on its tape, by id."""
    order = tape.reachable((output,))
    tape.check_unwritten(order, (output,))
    start = make(np.ones_like(output.value))
    with no_grad(), np.errstate(all="ignore"):
        found = tape.sweep(_Recorder(), order, (output,), (start,), order)
    return {
        key: g.value
        for key, g in sorted(found.items())
        if isinstance(g, Tensor) and isinstance(g.value, np.ndarray)
    }


def _finite(tensor: Tensor) -> bool:
    value = tensor.value
    if not isinstance(value, np.ndarray) or value.dtype.kind != "f":
        return True
    return bool(np.isfinite(value).all())
