"""Owns the reverse sweep over the tape: accumulation, freeing, and its errors.

The sweep visits nodes in decreasing id. Contributions to one value therefore add up in
decreasing order of their consumers, starting from the first and never from zeros, exactly as in
``grad.py``. It is a loop over a sorted list, so a chain of any length works.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any, Protocol

import numpy as np

from ..wording import say
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
    first_written: int
    written: int
    writer: object

    def describe(self) -> str:
        """Return how messages name it."""


_ARRAYS = ArrayBuilder()
_ndarray = np.ndarray
_ONE_WANTED = (True,)
_by_id = attrgetter("id")

#: id of the last write in place; a sweep over younger nodes need not look for writes
_last_write = [0]


def note_write(number: int) -> None:
    """Remember that something was written in place at this point of the id count."""
    _last_write[0] = number


def reachable(roots: Iterable[Any]) -> list[Any]:
    """Return every tensor that requires a gradient and feeds a root, by decreasing id.

    :class:`FreedError` names a node whose saved values an earlier backward has let go.
    """
    return sorted(_feeding(roots), key=_by_id, reverse=True)


def _feeding(roots: Iterable[Any]) -> dict[Any, Any]:
    """Return what :func:`reachable` does as the keys of a dict, in no order; values are None."""
    found: dict[Any, Any] = dict.fromkeys(root for root in roots if root.requires_grad)
    waiting = list(found)
    for tensor in waiting:  # which grows on the way
        parents = tensor.parents
        if parents is None:
            raise FreedError(
                say("{tensor} was freed by an earlier backward", tensor=tensor.describe()),
                hint=say("call that one with retain_graph=True to go back twice"),
            )
        for parent in parents:
            if parent.requires_grad and parent not in found:
                found[parent] = None
                waiting.append(parent)
    return found


def check_unwritten(order: Sequence[Any], roots: Sequence[Any]) -> None:
    """Raise :class:`InplaceError` where a write in place would make a gradient wrong.

    That is where a value was written after a node had saved it, and where the result of an op
    was written before it was used: the op did not make what the use saw.
    """
    if not order or _last_write[0] < order[-1].id:
        return
    for root in roots:
        if root.op is not None and root.written:
            raise _overwritten(root)
    for tensor in order:
        if tensor.op is None:
            continue
        for position in saved_positions(tensor.op, len(tensor.parents)):
            saved = tensor if position < 0 else tensor.parents[position]
            if saved.written > tensor.id:
                raise InplaceError(
                    say(
                        "{saved} was saved for the gradient of {tensor} and then changed by "
                        "{writer}",
                        saved=saved.describe(),
                        tensor=tensor.describe(),
                        writer=str(saved.writer),
                    )
                )
        for parent in tensor.parents:
            made = parent.op is not None and parent.requires_grad
            if made and 0 < parent.first_written < tensor.id:
                raise _overwritten(parent)


def _overwritten(tensor: Any) -> InplaceError:
    return InplaceError(
        say(
            "{tensor} was changed by {writer} and then used: its op did not make what was used",
            tensor=tensor.describe(),
            writer=str(tensor.writer),
        ),
        hint=say("compute a new value, such as where(test, x, y)"),
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
            say(
                "backward: a gradient of shape {shape} for a value of {expected}",
                shape=array.shape,
                expected=root.value.shape,
            )
        )
    return array


def backward(roots: Sequence[Any], gradients: Sequence[Any], retain_graph: bool = False) -> None:
    """Add the gradients of ``roots`` to ``grad`` of every leaf that requires one."""
    for root in roots:
        if not root.requires_grad:
            raise NotDifferentiableError(
                say(
                    "{tensor} depends on no tensor that requires a gradient", tensor=root.describe()
                )
            )
    grads = _feeding(roots)
    order = sorted(grads, key=_by_id, reverse=True)
    check_unwritten(order, roots)
    for root, gradient in zip(roots, gradients, strict=True):
        start, held = seed(root, gradient), grads[root]
        grads[root] = start if held is None else np.add(held, start)
    _sweep(order, grads, not retain_graph)


@np.errstate(all="ignore")
def _sweep(order: Sequence[Any], grads: dict[Any, Any], free: bool) -> None:
    """The loop itself, on plain arrays; written for speed, same order as :func:`sweep`.

    ``grads`` holds the gradient so far of every tensor in ``order``, None where there is none.
    A sum of two contributions belongs to the sweep alone, so the next ones are added in place;
    a contribution itself may be one array for several tensors.
    """
    b, add, take = _ARRAYS, np.add, grads.pop
    own: set[Any] = set()
    for tensor in order:
        op, g, parents = tensor.op, take(tensor), tensor.parents
        if op is None:
            if g is not None:
                _to_leaf(tensor, g, tensor in own)
            continue
        if free:  # a saved value that no gradient reached is freed as well
            tensor.parents = None
        if g is None:
            continue
        vjp = op.vjp
        if len(parents) == 2 and type(g) is not dict:
            x, y = parents
            want = (x.requires_grad, y.requires_grad)
            to_x, to_y = vjp(b, tensor.value, g, (x.value, y.value), want, tensor.attrs)
            if to_x is not None and x.requires_grad:
                held = grads[x]
                if held is None:
                    grads[x] = to_x
                elif x in own:
                    add(held, to_x, held)
                else:
                    grads[x] = _summed(own, x, held, to_x)
            if to_y is not None and y.requires_grad:
                held = grads[y]
                if held is None:
                    grads[y] = to_y
                elif y in own:
                    add(held, to_y, held)
                else:
                    grads[y] = _summed(own, y, held, to_y)
        elif op.name == "pick":
            (several,) = parents
            if grads[several] is None:
                grads[several] = {}
            accumulate(b, grads[several], tensor.attrs["index"], g)
        elif len(parents) == 1 and type(g) is not dict:
            (x,) = parents
            (to_x,) = vjp(b, tensor.value, g, (x.value,), _ONE_WANTED, tensor.attrs)
            if to_x is not None:
                held = grads[x]
                grads[x] = to_x if held is None else _summed(own, x, held, to_x)
        else:
            if type(g) is dict:
                g = filled(b, tensor.value, g)
            values = [p.value for p in parents]
            wanted = [p.requires_grad for p in parents]
            results = vjp(b, tensor.value, g, values, wanted, tensor.attrs)
            for parent, c in zip(parents, results, strict=True):
                if c is not None and parent.requires_grad:
                    held = grads[parent]
                    grads[parent] = c if held is None else _summed(own, parent, held, c)


def _summed(own: set[Any], target: Taped, held: Any, more: Any) -> Any:
    """Return ``held + more``, in place if the sweep has made ``held``; else note the new sum."""
    if target in own:
        return np.add(held, more, out=held)
    total = np.add(held, more)
    value = target.value
    # A gradient rule of the user's may give another element type, and numpy gives scalars.
    if type(total) is _ndarray and total.shape == value.shape and total.dtype == value.dtype:
        own.add(target)
    return total


def _to_leaf(leaf: Taped, g: Any, own: bool) -> None:
    """Add a gradient to ``grad``; one that may be several leaves' is copied."""
    held = leaf.grad
    if held is None:
        leaf.grad = g if own else np.array(g, order="C")
    else:
        leaf.grad = np.asarray(np.add(held, g))


def accumulate(b: Any, grads: dict[int, Any], key: int, value: Any) -> None:
    """Add a contribution; the first one starts the sum."""
    grads[key] = b.add(grads[key], value) if key in grads else value


def filled(b: Any, items: Sequence[Any], g: Mapping[int, Any]) -> list[Any]:
    """Return the gradients of several results.

    Where none arrived: zeros for floats, None for integers and for the trips of a loop.
    """
    result: list[Any] = []
    for index, item in enumerate(items):
        if index in g or not isinstance(item, _ndarray) or item.dtype.kind != "f":
            result.append(g.get(index))
        else:
            result.append(b.fill(item.shape, 0.0, item.dtype))
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
