"""Owns the algebra that changes values: apart from the default passes, and labelled as such.

Each rule carries an input on which it changes the result; a screen shows that input, a test
checks that it does change.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...wording import say
from ..avals import Aval
from ..ir import Graph, Node
from ..ops import Array
from .base import Pass, PassResult, Rebuilder, Rewrite, constant_of, inside


@dataclass(frozen=True, slots=True)
class Rule:
    """One identity of the real numbers that floats do not obey."""

    name: str
    op: str
    holds: Callable[[Rebuilder, Node, tuple[int, ...]], bool]
    gives: float | str  #: a number to fill with, or which operand stays: "x" or "y"
    counter_example: tuple[float, ...]
    why: str


def _is(new: Rebuilder, number: int, value: float) -> bool:
    array: Array | None = constant_of(new.nodes, number)
    node = new.nodes[number]
    if array is None and node.op.name == "fill":
        array = np.array(node.option("value"))
    return array is not None and array.size > 0 and bool((array == value).all())


def _right(value: float) -> Callable[[Rebuilder, Node, tuple[int, ...]], bool]:
    return lambda new, node, args: _is(new, args[1], value)


def _left(value: float) -> Callable[[Rebuilder, Node, tuple[int, ...]], bool]:
    return lambda new, node, args: _is(new, args[0], value)


def _equal(new: Rebuilder, node: Node, args: tuple[int, ...]) -> bool:
    return args[0] == args[1]


RULES: tuple[Rule, ...] = (
    Rule("x*0 → 0", "mul", _right(0.0), 0.0, (float("inf"), float("nan"), -2.0),
         say("inf*0 and nan*0 are nan, -2*0 is -0")),
    Rule("0*x → 0", "mul", _left(0.0), 0.0, (float("inf"), float("nan"), -2.0),
         say("0*inf and 0*nan are nan, 0*-2 is -0")),
    Rule("x/x → 1", "div", _equal, 1.0, (0.0, float("inf")), say("0/0 and inf/inf are nan")),
    Rule("x-x → 0", "sub", _equal, 0.0, (float("inf"), float("nan")), say("inf-inf is nan")),
    Rule("x+0 → x", "add", _right(0.0), "x", (-0.0,), say("-0 + 0 is 0")),
    Rule("0+x → x", "add", _left(0.0), "y", (-0.0,), say("0 + -0 is 0")),
)  # fmt: skip


def run(graph: Graph) -> PassResult:
    """Apply the identities of real arithmetic, and join constants in sums: (x+a)+b → x+(a+b).

    >>> from dgplay.core.graph.static import GraphBuilder
    >>> b = GraphBuilder()
    >>> x = b.placeholder("x")
    >>> print(run(b.finish(x * 0.0)).graph.text())
    %0: f64[] = placeholder(name=x)  # x
    %1: f64[] = const(value=0.0)
    %2: f64[] = fill(dtype=float64, shape=(), value=0.0)
    return %2
    """
    new = Rebuilder(graph)
    for number, node in enumerate(graph.nodes):
        if not _apply(new, number, node) and not _reassociate(new, number, node):
            new.copy(number, inside(new, number, run))
    return new.finish()


def _apply(new: Rebuilder, number: int, node: Node) -> bool:
    aval = node.aval
    if not isinstance(aval, Aval) or aval.dtype.kind != "f":
        return False
    for rule in RULES:
        if node.op.name != rule.op or not rule.holds(new, node, new.args(number)):
            continue
        if isinstance(rule.gives, str):
            kept = new.args(number)[0 if rule.gives == "x" else 1]
            if new.nodes[kept].aval != aval:
                continue
            new.merge(number, kept, rule.name, rule.why)
            return True
        options = {"shape": aval.shape, "value": rule.gives, "dtype": aval.dtype.name}
        new.place[number] = new.call("fill", (), options, new.graph.origin(number))
        new.rewrites.append(Rewrite(rule.name, (number,), new.place[number], rule.why))
        return True
    return False


def _reassociate(new: Rebuilder, number: int, node: Node) -> bool:
    """(x + a) + b → x + (a + b) for constants a and b of one shape."""
    if node.op.name != "add" or not isinstance(node.aval, Aval) or node.aval.dtype.kind != "f":
        return False
    left, right = new.args(number)
    inner, b = new.nodes[left], constant_of(new.nodes, right)
    if b is None or inner.op.name != "add" or inner.aval != node.aval:
        return False
    a = constant_of(new.nodes, inner.args[1])
    if a is None or a.shape != b.shape or a.dtype != b.dtype:
        return False
    joined = new.constant(np.asarray(np.add(a, b)))
    new.place[number] = new.call("add", (inner.args[0], joined), {}, new.graph.origin(number))
    note = say("rounding happens in another place")
    new.rewrites.append(Rewrite("(x+a)+b → x+(a+b)", (number,), new.place[number], note))
    return True


FASTMATH = Pass(
    "fast-math", "true of real numbers, not of floats: it changes values", run, keeps_bits=False
)
