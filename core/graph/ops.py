"""Owns the record of an op and the registry ``OPS``; the ops themselves are in ``opset.py``.

An op is data: kernel, shape-and-dtype rule, gradient rule (vjp), flags, cost, one sentence of
documentation. Its gradient rule is written once against a :class:`~.build.Builder`, so the
eager tape, the static graph and capture use the same rule. Operands are positional; options
are keywords, hashable and never values of the graph.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

import numpy as np

from ..wording import say
from .avals import AnyAval, Aval, element_count
from .errors import OptionError

Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"
Attrs: TypeAlias = "dict[str, Any]"

#: ``kernel(*arrays, out=None, **attrs)``: takes and returns C-contiguous arrays, never a view
#: of an operand; writes into ``out`` when given, which may be an operand of an elementwise op.
Kernel: TypeAlias = Callable[..., Any]
#: ``rule(avals, attrs) -> (aval, attrs)``: the result and the options in canonical form.
Rule: TypeAlias = Callable[[Sequence[Any], Attrs], "tuple[AnyAval, Attrs]"]
#: ``vjp(builder, y, gy, xs, want, attrs)``: one gradient (or None) for each operand.
Vjp: TypeAlias = Callable[..., "Sequence[Any]"]
#: ``cost(avals, aval, attrs) -> (multiply-adds, bytes moved)``.
Cost: TypeAlias = Callable[[Sequence[AnyAval], AnyAval, Attrs], "tuple[int, int]"]


class RunContext(Protocol):
    """What a control-flow kernel may ask of whoever runs it."""

    def run_graph(self, graph: Any, values: Sequence[Any], scope: str) -> tuple[Any, ...]:
        """Run a subgraph on ``values``; ``scope`` names it in the events (``true``, ``body#3``)."""

    def branch(self, taken: bool) -> None:
        """Report the arm that a ``cond`` takes."""

    def trip(self, number: int, phase: str) -> None:
        """Report that a loop begins a trip."""

    def print_line(self, text: str) -> None:
        """Print a line for the program."""


#: ``control(context, values, attrs) -> value`` for ops that run graphs or print.
Control: TypeAlias = Callable[[RunContext, Sequence[Any], Attrs], Any]

#: The default of an option that has none.
REQUIRED: Any = type("Required", (), {"__repr__": lambda self: "REQUIRED"})()


def elementwise_cost(avals: Sequence[AnyAval], aval: AnyAval, attrs: Attrs) -> tuple[int, int]:
    """Return no multiply-adds and the bytes read and written."""
    return 0, sum(item.nbytes for item in avals) + aval.nbytes


@dataclass(frozen=True)
class Op:
    """One operation. Equality and hash are the object's own: a registry holds one of each."""

    name: str
    arity: int | None  #: number of operands; None for any number
    rule: Rule
    kernel: Kernel | None
    doc: str
    vjp: Vjp | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    cost: Cost = elementwise_cost
    control: Control | None = None
    #: what the vjp reads besides shapes: operand numbers, -1 for the result; None for all of it
    saves: tuple[int, ...] | None = ()
    elementwise: bool = False
    commutative: bool = False  #: swapping the operands keeps every bit
    pure: bool = True  #: no effect besides its result; only such nodes merge or vanish
    tileable: bool = False  #: a single ufunc that may run tile by tile with the same bits
    structural: bool = False  #: bookkeeping (placeholder, const, pick): no kernel launch

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"<op {self.name}>"


#: Every op by name, in the order of the reference page.
OPS: dict[str, Op] = {}


def register(op: Op) -> Op:
    """Add ``op`` to the registry; a name can be taken once."""
    if op.name in OPS:
        raise OptionError(say("there is already an op called {op}", op=op.name))
    OPS[op.name] = op
    return op


def get_op(op: str | Op) -> Op:
    """Return the op called ``op`` (an :class:`Op` passes through); unknown names are explained."""
    if isinstance(op, Op):
        return op
    found = OPS.get(op)
    if found is None:
        close = difflib.get_close_matches(op, OPS, n=1)
        hint = say("did you mean {name}?", name=close[0]) if close else ""
        raise OptionError(say("there is no op called {op}", op=op), hint=hint)
    return found


def infer(op: Op, avals: Sequence[AnyAval], attrs: Mapping[str, Any]) -> tuple[AnyAval, Attrs]:
    """Return the aval of the result and the options in canonical form, defaults filled in.

    Canonical options pass through unchanged. :class:`OptionError`, :class:`ShapeError` and
    :class:`DTypeError` name the op and what is wrong.
    """
    if op.arity is not None and len(avals) != op.arity:
        raise OptionError(
            say(
                "{op} takes {wanted} operands, not {given}",
                op=op.name,
                wanted=op.arity,
                given=len(avals),
            )
        )
    options = op.options
    for name in attrs:
        if name not in options:
            known = ", ".join(options) or say("none")
            raise OptionError(
                say(
                    "{op} has no option {name} (options: {known})",
                    op=op.name,
                    name=name,
                    known=known,
                )
            )
    if len(attrs) == len(options):
        full = dict(attrs)
    else:
        full = {**options, **attrs}
        for name, value in full.items():
            if value is REQUIRED:
                raise OptionError(say("{op} needs the option {name}", op=op.name, name=name))
    return op.rule(avals, full)


def saved_positions(op: Op, arity: int) -> tuple[int, ...]:
    """Return which operands (and -1 for the result) the vjp of a call with ``arity`` reads."""
    return (*range(arity), -1) if op.saves is None else op.saves


def launches(op: Op) -> int:
    """Return how many modelled kernel launches one execution of ``op`` itself counts.

    A ``cond`` or ``while_loop`` counts none: what runs inside is counted.
    """
    return 0 if op.structural or op.control is not None else 1


def multiply_adds(aval: Aval, inner: int = 1) -> int:
    """Return ``elements * inner`` where the elements are known, else 0."""
    count = element_count(aval.shape)
    return count * inner if isinstance(count, int) else 0
