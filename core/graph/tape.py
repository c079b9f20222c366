"""Owns the reverse sweep over the tape: accumulation, freeing, and its errors.

The sweep visits nodes in decreasing id. Contributions to one value therefore add up in
decreasing order of their consumers, starting from the first and never from zeros, exactly as in
``grad.py``. It is a loop over a sorted list, so a chain of any length works.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from .arrays import ArrayBuilder
from .avals import as_array
from .errors import FreedError, InplaceError, NotDifferentiableError, ShapeError
from .ops import Array, Op, saved_positions


class Taped(Protocol):
    """What the sweep reads of a tensor."""

    value: Any
    id: int
    op: Op | None
    parents: tuple[Any, ...] | None
    attrs: Mapping[str, Any]
    requires_grad: bool
    grad: Array | None
    written: int
    writer: str

    def describe(self) -> str:
        """Return how messages name it."""


_ARRAYS = ArrayBuilder()
_ndarray = np.ndarray
_ONE_WANTED = (True,)

#: id of the last write in place; a sweep over younger nodes need not look for writes
_last_write = [0]


def note_write(number: int) -> None:
    """Remember that something was written in place at this point of the id count."""
    _last_write[0] = number


def reachable(roots: Iterable[Any]) -> list[Any]:
    """Return every tensor that requires a gradient and feeds a root, by decreasing id.

    :class:`FreedError` names a node whose saved values an earlier backward has let go.
    """
    found: dict[int, Any] = {root.id: root for root in roots if root.requires_grad}
    stack = list(found.values())
    take, add = stack.pop, stack.append
    while stack:
        parents = (tensor := take()).parents
        if parents is None:
            raise FreedError(
                f"{tensor.describe()} was freed by an earlier backward; "
                "call that one with retain_graph=True to go back twice"
            )
        for parent in parents:
            if parent.requires_grad and (number := parent.id) not in found:
                found[number] = parent
                add(parent)
    return [found[number] for number in sorted(found, reverse=True)]


def check_unwritten(order: Sequence[Any]) -> None:
    """Raise :class:`InplaceError` where a value was written after a node had saved it."""
    if not order or _last_write[0] < order[-1].id:
        return
    for tensor in order:
        if tensor.op is None:
            continue
        for position in saved_positions(tensor.op, len(tensor.parents)):
            saved = tensor if position < 0 else tensor.parents[position]
            if saved.written > tensor.id:
                raise InplaceError(
                    f"{saved.describe()} was saved for the gradient of {tensor.describe()} "
                    f"and then changed by {saved.writer}"
                )


def seed(root: Taped, gradient: Any) -> Array:
    """Return the gradient that enters at a root: ones, or the one given, checked."""
    if gradient is None:
        if root.value.ndim:
            return np.ones(root.value.shape, root.value.dtype)
        return np.array(1.0, root.value.dtype)  # the usual root, and much faster
    array = as_array(getattr(gradient, "value", gradient)).astype(root.value.dtype)
    if array.shape != root.value.shape:
        raise ShapeError(
            f"backward: a gradient of shape {array.shape} for a value of {root.value.shape}"
        )
    return array


def backward(roots: Sequence[Any], gradients: Sequence[Any], retain_graph: bool = False) -> None:
    """Add the gradients of ``roots`` to ``grad`` of every leaf that requires one."""
    for root in roots:
        if not root.requires_grad:
            raise NotDifferentiableError(
                f"{root.describe()} depends on no tensor that requires a gradient"
            )
    order = reachable(roots)
    check_unwritten(order)
    starts = [seed(root, g) for root, g in zip(roots, gradients, strict=True)]
    with np.errstate(all="ignore"):
        _sweep(order, roots, starts, not retain_graph)


def _sweep(order: Sequence[Any], roots: Sequence[Any], starts: Sequence[Array], free: bool) -> None:
    """The loop itself, on plain arrays; written for speed, same order as :func:`sweep`."""
    b, add = _ARRAYS, np.add
    grads: dict[int, Any] = {}
    for root, start in zip(roots, starts, strict=True):
        grads[root.id] = add(grads[root.id], start) if root.id in grads else start
    for tensor in order:
        op = tensor.op
        g = grads.pop(tensor.id, None)
        if g is None:  # a saved value that no gradient reached is freed as well
            if free and op is not None:
                tensor.parents = None
            continue
        if op is None:
            _to_leaf(tensor, g)
            continue
        parents = tensor.parents
        if free:
            tensor.parents = None
        value = tensor.value
        if type(g) is dict:
            g = filled(b, value, g)
        count = len(parents)
        if count == 2:
            x, y = parents
            want = (x.requires_grad, y.requires_grad)
            to_x, to_y = op.vjp(b, value, g, (x.value, y.value), want, tensor.attrs)
            if to_x is not None:
                held = grads.get(x.id)
                grads[x.id] = to_x if held is None else add(held, to_x)
            if to_y is not None:
                held = grads.get(y.id)
                grads[y.id] = to_y if held is None else add(held, to_y)
        elif op.name == "pick":
            accumulate(b, grads.setdefault(parents[0].id, {}), tensor.attrs["index"], g)
        elif count == 1:
            (x,) = parents
            (to_x,) = op.vjp(b, value, g, (x.value,), _ONE_WANTED, tensor.attrs)
            if to_x is not None:
                held = grads.get(x.id)
                grads[x.id] = to_x if held is None else add(held, to_x)
        else:
            values = [p.value for p in parents]
            wanted = [p.requires_grad for p in parents]
            results = op.vjp(b, value, g, values, wanted, tensor.attrs)
            for parent, c in zip(parents, results, strict=True):
                if c is not None:
                    held = grads.get(parent.id)
                    grads[parent.id] = c if held is None else add(held, c)


def _to_leaf(leaf: Taped, g: Any) -> None:
    g = np.asarray(g)
    # A gradient may be passed on unchanged to several leaves: each keeps its own copy.
    leaf.grad = g.copy() if leaf.grad is None else np.asarray(np.add(leaf.grad, g))


def accumulate(b: Any, grads: dict[int, Any], key: int, value: Any) -> None:
    """Add a contribution; the first one starts the sum."""
    grads[key] = b.add(grads[key], value) if key in grads else value


def filled(b: Any, items: Sequence[Any], g: Mapping[int, Any]) -> list[Any]:
    """Return the gradients of several results, zeros where none arrived, None for integers."""
    result: list[Any] = []
    for index, item in enumerate(items):
        array = item
        if not isinstance(array, _ndarray):
            continue
        if array.dtype.kind != "f":
            result.append(None)
        else:
            result.append(g[index] if index in g else b.fill(array.shape, 0.0, array.dtype))
    return result


def sweep(
    b: Any,
    order: Sequence[Any],
    roots: Sequence[Any],
    starts: Sequence[Any],
    wrt: Sequence[Any],
    contributed: Callable[[Any, Any, Any], None] | None = None,
) -> dict[int, Any]:
    """The same sweep in any builder on tensors; returns the gradient of every id kept.

    Used where the backward itself is to be recorded (higher derivatives) or watched. Keeps
    the gradients of ``wrt``; ``contributed(consumer, target, gradient)`` sees each
    contribution, and ``(None, target, gradient)`` each one that is complete.
    """
    kept = {tensor.id for tensor in wrt}
    grads: dict[int, Any] = {}
    for root, start in zip(roots, starts, strict=True):
        accumulate(b, grads, root.id, start)
    for tensor in order:
        if tensor.id not in grads:
            continue
        g = grads[tensor.id] if tensor.id in kept else grads.pop(tensor.id)
        if contributed is not None and not isinstance(g, dict):
            contributed(None, tensor, g)
        if tensor.op is None:
            continue
        if tensor.op.name == "pick":
            several = grads.setdefault(tensor.parents[0].id, {})
            accumulate(b, several, tensor.attrs["index"], g)
            continue
        want = [p.requires_grad for p in tensor.parents]
        if isinstance(tensor.value, tuple):
            g = filled(b, tensor.value, g)
        results = tensor.op.vjp(b, tensor, g, tensor.parents, want, tensor.attrs)
        for parent, c in zip(tensor.parents, results, strict=True):
            if c is not None:
                if contributed is not None:
                    contributed(tensor, parent, c)
                accumulate(b, grads, parent.id, c)
    return grads
