"""Owns while_loop and its gradient: their rules, how they run, and their derivatives.

A ``while_loop`` whose gradient is wanted keeps what every trip began with (``save``). Its
gradient, ``while_grad``, runs a graph over those trips in reverse, and is a loop over trips
itself: its own derivative is a ``while_grad`` in the other direction, over what it kept. So
there are derivatives of every order.

The graph of a ``while_grad`` takes, in this order of its operands, what ``takes`` says: a
``trip`` (a value of its own for each trip), an ``outer`` value (the same for all) or a
``carry`` (passed from trip to trip). ``gives`` says what becomes of its results: a ``carry``
goes to the next trip, a ``sum`` is added up over the trips, a ``trip`` is kept for each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..wording import say
from .avals import BOOL, Aval, TripsAval, TupleAval, bind_shape
from .build import Builder
from .errors import OptionError, ShapeError
from .grad import is_float, vjp_graph
from .ir import Graph
from .ops import Array, Attrs, RunContext
from .trips import trips_of


def check_inputs(op: str, which: str, graph: Graph, avals: Sequence[Any]) -> None:
    """Raise where a subgraph does not take exactly values of these avals."""
    if not isinstance(graph, Graph):
        raise OptionError(say("{op}: {which} must be a graph", op=op, which=which))
    wanted = input_avals(graph)
    if wanted != tuple(avals):
        raise ShapeError(
            say(
                "{op}: {which} takes {count} values that are not the operands",
                op=op,
                which=which,
                count=len(wanted),
            )
        )


def input_avals(graph: Graph) -> tuple[Any, ...]:
    """Return what a graph takes."""
    return tuple(graph.nodes[number].aval for _, number in graph.inputs)


def result_avals(graph: Graph) -> tuple[Any, ...]:
    """Return what a graph gives."""
    return tuple(graph.nodes[number].aval for number in graph.outputs)


def while_rule(avals: Sequence[Any], attrs: Attrs) -> tuple[TupleAval, Attrs]:
    """Carries, then captured values; the body returns carries of the same avals.

    With ``save``, the trips of every carry follow the final carries.
    """
    count, save = attrs["carries"], bool(attrs["save"])
    if isinstance(count, bool) or not isinstance(count, int) or not 0 < count <= len(avals):
        raise OptionError(say("while_loop: {count} is not a number of carries", count=repr(count)))
    check_inputs("while_loop", "test", attrs["test"], avals)
    check_inputs("while_loop", "body", attrs["body"], avals)
    if result_avals(attrs["test"]) != (Aval((), BOOL),):
        raise ShapeError(say("while_loop: the test must return one bool"))
    carries = tuple(avals[:count])
    if result_avals(attrs["body"]) != carries:
        raise ShapeError(say("while_loop: the body must return the carries unchanged in shape"))
    kept = tuple(TripsAval(item) for item in carries) if save else ()
    return TupleAval((*carries, *kept)), {**attrs, "save": save}


def run_while(context: RunContext, values: Sequence[Any], attrs: Attrs) -> tuple[Any, ...]:
    """Run test and body until the test fails; with ``save`` the trips of each carry follow."""
    count = attrs["carries"]
    carries, outer = tuple(values[:count]), tuple(values[count:])
    begun: list[tuple[Array, ...]] = []
    number = 0
    while bool(context.run_graph(attrs["test"], (*carries, *outer), f"test#{number}")[0]):
        context.trip(number, "forward")
        if attrs["save"]:
            begun.append(carries)
        carries = context.run_graph(attrs["body"], (*carries, *outer), f"body#{number}")
        number += 1
    if not attrs["save"]:
        return carries
    items = result_avals(attrs["body"])
    return (*carries, *(trips_of([c[i] for c in begun], item) for i, item in enumerate(items)))


def while_vjp(
    b: Builder[Any], y: Any, gy: Sequence[Any], xs: Sequence[Any], want: Sequence[bool],
    attrs: Attrs,
) -> tuple[Any, ...]:  # fmt: skip
    """One ``while_grad`` in reverse; whole-number carries have no gradient."""
    count = attrs["carries"]
    takes = ("carry",) * count + ("outer",) * (len(xs) - count)
    return _gradient(b, y, gy, xs, want, attrs["body"], takes, ("carry",) * count, False)


def while_grad_vjp(
    b: Builder[Any], y: Any, gy: Sequence[Any], xs: Sequence[Any], want: Sequence[bool],
    attrs: Attrs,
) -> tuple[Any, ...]:  # fmt: skip
    """One ``while_grad`` in the other direction."""
    body, takes, gives = attrs["backward"], attrs["takes"], attrs["gives"]
    return _gradient(b, y, gy, xs, want, body, takes, gives, not attrs["forward"])


def _gradient(
    b: Builder[Any], y: Any, gy: Sequence[Any], xs: Sequence[Any], want: Sequence[bool],
    body: Graph, takes: Sequence[str], gives: Sequence[str], forward: bool,
) -> tuple[Any, ...]:  # fmt: skip
    """Run the gradient of ``body`` over the trips that ``y`` kept.

    Every float carry is followed, wanted or not: one may flow into another. A gradient of
    what was kept enters each trip first, because its users came after the loop.
    """
    carries = [i for i, role in enumerate(takes) if role == "carry"]
    followed = tuple(
        is_float(aval) and (role == "carry" or wanted)
        for aval, role, wanted in zip(input_avals(body), takes, want, strict=True)
    )
    seeded = tuple(gradient is not None for gradient in gy[: len(gives)])
    kept = [k for k in range(len(carries)) if gy[len(gives) + k] is not None]
    trips = (b.call("pick", y, index=len(gives) + k) for k in range(len(carries)))
    operands = [next(trips) if role == "carry" else x for x, role in zip(xs, takes, strict=True)]
    roles = ["trip" if role == "carry" else role for role in takes]
    for gradient, role in zip(gy, gives, strict=False):
        if gradient is not None:
            operands.append(gradient)
            roles.append("outer" if role == "sum" else role)
    operands += [gy[len(gives) + k] for k in kept]
    roles += ["trip"] * len(kept)
    several = b.call(
        "while_grad", *operands, forward=forward, takes=tuple(roles),
        backward=vjp_graph(body, followed, seeded, tuple(carries[k] for k in kept)),
        gives=tuple(_given(role) for role, f in zip(takes, followed, strict=True) if f),
    )  # fmt: skip
    places = iter(range(sum(followed)))
    at = [next(places) if f else -1 for f in followed]
    return tuple(
        b.call("pick", several, index=place) if wanted and place >= 0 else None
        for place, wanted in zip(at, want, strict=True)
    )


def _given(role: str) -> str:
    """Return what becomes of the gradient of an operand."""
    return "sum" if role == "outer" else role


def while_grad_rule(avals: Sequence[Any], attrs: Attrs) -> tuple[TupleAval, Attrs]:
    """Operands as the graph takes them, a ``trip`` as :class:`~.avals.TripsAval`."""
    body, takes, gives = attrs["backward"], attrs["takes"], attrs["gives"]
    given = [
        aval.item if role == "trip" and isinstance(aval, TripsAval) else aval
        for aval, role in zip(avals, takes, strict=True)
    ]
    check_inputs("while_grad", "backward", body, given)
    if "trip" not in takes:
        raise OptionError(say("while_grad: no operand has trips"))
    results = result_avals(body)
    carried = tuple(aval for aval, role in zip(given, takes, strict=True) if role == "carry")
    passed = tuple(aval for aval, role in zip(results, gives, strict=True) if role == "carry")
    if carried != passed:
        raise ShapeError(say("while_grad: a carry changes its shape or element type"))
    items = [
        TripsAval(aval) if role == "trip" else aval
        for aval, role in zip(results, gives, strict=True)
    ]
    kept = [TripsAval(aval) for aval in carried] if attrs["save"] else []
    return TupleAval((*items, *kept)), attrs


def run_while_grad(context: RunContext, values: Sequence[Any], attrs: Attrs) -> tuple[Any, ...]:
    """Run the graph over the trips, in reverse or forward.

    A sum starts from its first contribution and adds the others in the order of the run, as
    the tape would; no trip leaves zeros.
    """
    body, takes, gives = attrs["backward"], attrs["takes"], attrs["gives"]
    row = list(values)
    trips = [(i, row[i].arrays) for i, role in enumerate(takes) if role == "trip"]
    carries = [i for i, role in enumerate(takes) if role == "carry"]
    order: Sequence[int] = range(len(trips[0][1]))
    order = order if attrs["forward"] else order[::-1]
    begun: list[list[Array]] = [[] for _ in carries]
    found: list[Any] = [[] if role == "trip" else None for role in gives]
    places: dict[str, list[int]] = {"carry": [], "sum": [], "trip": []}
    for k, role in enumerate(gives):
        places[role].append(k)
    passed = tuple(zip(carries, places["carry"], strict=True))
    for number in order:
        context.trip(number, "backward")
        for i, arrays in trips:
            row[i] = arrays[number]
        if attrs["save"]:
            for i, kept in zip(carries, begun, strict=True):
                kept.append(row[i])
        results = context.run_graph(body, row, f"backward#{number}")
        for i, k in passed:
            row[i] = results[k]
        for k in places["sum"]:
            found[k] = results[k] if found[k] is None else np.add(found[k], results[k])
        for k in places["trip"]:
            found[k].append(results[k])
    passing = iter([row[i] for i in carries])
    items = result_avals(body)
    given = [
        next(passing) if role == "carry" else _finished(value, item, attrs["forward"])
        for value, role, item in zip(found, gives, items, strict=True)
    ]
    return (*given, *_kept(begun, body, carries, attrs))


def _finished(value: Any, item: Aval, forward: bool) -> Any:
    if isinstance(value, list):
        return trips_of(value if forward else value[::-1], item)
    return np.zeros(bind_shape(item.shape, {}), item.dtype) if value is None else np.asarray(value)


def _kept(
    begun: Sequence[Sequence[Array]], body: Graph, carries: Sequence[int], attrs: Attrs
) -> Iterator[Any]:
    if attrs["save"]:
        avals = input_avals(body)
        for i, kept in zip(carries, begun, strict=True):
            yield trips_of(kept if attrs["forward"] else kept[::-1], avals[i])
