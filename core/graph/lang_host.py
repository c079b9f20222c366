"""Owns what the modes decide differently while a program runs; everything else they share.

The interpreter asks its host whenever Python, not the graph, needs a value: a truth value
for an ``if``, a number for ``range``, text for ``print``. Eager answers, static refuses, and
capture ends its segment there (``capture_host.py``).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..wording import say
from .avals import SymbolicDim
from .build import Builder
from .errors import OptionError
from .events import BranchTaken, Observer, Printed, format_value
from .lang_code import Code, Instruction
from .lang_refusal import Refusal
from .lang_values import LARGEST_VALUE, kind_of
from .operators import Operators
from .static import GraphBuilder, Sym

#: Short names of ops in the account of how a value was computed.
SHORT_NAMES = {
    "greater": "gt", "less": "lt", "greater_equal": "ge", "less_equal": "le",
    "equal": "eq", "not_equal": "ne",
}  # fmt: skip

#: What each request for a value is called in messages.
REQUESTS: dict[str, tuple[str, str]] = {
    "if": (say("if decides on a traced value"), say("use cond(test, f, g) or where(test, a, b)")),
    "while": (say("while decides on a traced value"), say("use while_loop(test, body, *carries)")),
    "conditional": (
        say("a conditional expression decides on a traced value"),
        say("use where(test, a, b) or cond(test, f, g)"),
    ),
    "and": (say("and decides on a traced value"), say("use a & b: it stays in the graph")),
    "or": (say("or decides on a traced value"), say("use a | b: it stays in the graph")),
    "not": (say("not decides on a traced value"), say("use ~a: it stays in the graph")),
    "int": (
        say("int() asks for the value of a traced value"),
        say("pass it as an input: k=int(3)"),
    ),
    "float": (say("float() asks for the value of a traced value"), say("keep it a tensor")),
    "bool": (say("bool() asks for the value of a traced value"), say("keep it a tensor")),
    "range": (
        say("range() asks for the value of a traced value"),
        say("pass it as an input, k=int(3), or use while_loop"),
    ),
    "index": (
        say("a list index asks for the value of a traced value"),
        say("stack the list: stack(xs)[i]"),
    ),
    "item": (say("item() asks for the value of a traced value"), say("keep it a tensor")),
    "tolist": (say("tolist() asks for the value of a traced value"), say("keep it a tensor")),
    "round": (say("round() asks for the value of a traced value"), say("keep it a tensor")),
    "print": (
        say("print shows a value at once"),
        say("use graph_print(x): it prints when the graph runs"),
    ),
}


#: When a static graph has no values.
DRAWING = say("while the graph is drawn")


class Host(ABC):
    """What the interpreter asks of a mode. ``builder`` is where ops go, ``print_line`` lines."""

    def __init__(
        self,
        builder: Builder[Any],
        observer: Observer | None = None,
        print_line: Callable[[str], None] = lambda text: None,
    ) -> None:
        self.builder = builder
        self.observer = observer
        self.print_line = print_line
        self._globals: dict[str, Any] = {}

    #: Runs a helper marked ``@capture``: (whether it did, its result). None draws it inline.
    helper: Callable[[Code, Mapping[str, Any]], tuple[bool, Any]] | None = None

    @abstractmethod
    def value(self, tensor: Any, request: str, ask: Instruction, text: str = "") -> Any:
        """Return a tensor's value as a Python number or nested lists, for ``request``."""

    @abstractmethod
    def show(self, values: tuple[Any, ...], ask: Instruction) -> None:
        """Print values."""

    def read(self, slot: Any) -> Any:
        """Return the value of a slot that capture has not looked into yet."""
        raise NotImplementedError

    def adopt(self, tensor: Any) -> Any:
        """Return a tensor in the form that ops of this builder take."""
        return tensor

    def constant(self, name: str, value: Any) -> Any:
        """Return a constant of the file: arrays as values of the builder, made once."""
        if not isinstance(value, np.ndarray):
            return value
        if name not in self._globals:
            made = self.builder.const(value)
            name_value(self.builder, made, name)
            self._globals[name] = made
        return self._globals[name]


class EagerHost(Host):
    """Values are there: everything that Python asks is answered at once."""

    def value(self, tensor: Any, request: str, ask: Instruction, text: str = "") -> Any:
        """Return the value; a decision is reported as an event."""
        found = python_value(plain(tensor), request)
        if self.observer is not None and request in ("if", "while", "conditional"):
            self.observer.emit(BranchTaken(-1, found, ask.place.line))
        return found

    def show(self, values: tuple[Any, ...], ask: Instruction) -> None:
        """Print at once."""
        text = " ".join(format_any(value) for value in values)
        self.print_line(text)
        if self.observer is not None:
            self.observer.emit(Printed(text, -1, ask.place.line))


class StaticHost(Host):
    """Nothing has a value yet: what needs one is refused, and print shows stand-ins."""

    def __init__(
        self,
        builder: Builder[Any],
        observer: Observer | None = None,
        print_line: Callable[[str], None] = lambda text: None,
        where: str = DRAWING,
    ) -> None:
        super().__init__(builder, observer, print_line)
        self.where = where

    def value(self, tensor: Any, request: str, ask: Instruction, text: str = "") -> Any:
        """Refuse, naming what would stay in the graph."""
        what, hint = REQUESTS[request]
        shown = text or say("the value")
        why = say(
            "{shown} has no value {when} ({how})",
            shown=shown, when=self.where, how=provenance(tensor),
        )  # fmt: skip
        raise Refusal(ask.place, what, why, hint)

    def show(self, values: tuple[Any, ...], ask: Instruction) -> None:
        """Print the stand-ins: this happens while drawing, not when the graph runs."""
        text = " ".join(format_any(value) for value in values)
        self.print_line(text)
        if self.observer is not None:
            self.observer.emit(Printed(text, -1, ask.place.line))


class ArmHost(StaticHost):
    """Inside a function given to cond or while_loop: drawn, whatever the mode around it."""

    def __init__(self, builder: GraphBuilder, around: Host) -> None:
        self.arm_builder = builder
        super().__init__(
            builder, around.observer, around.print_line,
            say("inside cond and while_loop, whose functions are drawn before they run"),
        )  # fmt: skip
        self.around = around
        self._adopted: dict[int, tuple[Any, Any]] = {}

    def adopt(self, tensor: Any) -> Any:
        """Hand a value in through every function around, one builder at a time."""
        if not isinstance(self.around, ArmHost) or tensor.builder is self.builder:
            return tensor
        known = self._adopted.get(id(tensor))
        if known is None:
            outer = self.around.adopt(tensor)
            (own,) = self.around.arm_builder.operands("use", [outer])
            known = self._adopted[id(tensor)] = (own, tensor)
        return known[0]

    def read(self, slot: Any) -> Any:
        """Read through the mode around."""
        return self.around.read(slot)

    def constant(self, name: str, value: Any) -> Any:
        """Return the constant of the mode around; using it here makes it an operand."""
        return self.around.constant(name, value)


def plain(tensor: Any) -> np.ndarray[Any, np.dtype[Any]]:
    """Return the array of an eager tensor, or an array itself."""
    if isinstance(tensor, np.ndarray):
        return tensor
    found = tensor.value
    assert isinstance(found, np.ndarray)
    return found


def python_value(array: np.ndarray[Any, np.dtype[Any]], request: str) -> Any:
    """Return what Python gets for a request; OptionError where the array does not fit it."""
    if request == "tolist":
        if array.size > LARGEST_VALUE:
            raise OptionError(say("a list holds at most {limit:,} items", limit=LARGEST_VALUE))
        return array.tolist()
    if array.size != 1:
        raise OptionError(
            say("{request} needs one value, not {size}", request=request, size=array.size),
            hint=say("use x.sum() > 0, or where for each element"),
        )
    number = array.reshape(-1)[0].item()
    if request in ("int", "range", "index", "round"):
        if isinstance(number, float) and not np.isfinite(number):
            raise OptionError(say("{number} is not a whole number", number=number))
        if request == "round":
            return round(number)
        if request != "int" and number != int(number):
            raise OptionError(
                say("{request} needs a whole number, not {number}", request=request, number=number)
            )
        return int(number)
    if request == "float":
        return float(number)
    return number if request == "item" else bool(number)


def format_any(value: Any) -> str:
    """Return how print shows a value in any mode."""
    if isinstance(value, Sym):
        return stand_in(value)
    if isinstance(value, (Operators, np.ndarray)):
        return format_value(plain(value))
    if isinstance(value, (tuple, list)):
        inside = ", ".join(format_any(item) for item in value)
        if isinstance(value, list):
            return f"[{inside}]"
        return f"({inside},)" if len(value) == 1 else f"({inside})"
    if isinstance(value, (bool, int, float, str, SymbolicDim)) or value is None:
        return str(value)
    return f"<{kind_of(value)}>"


def stand_in(value: Sym) -> str:
    """Return how print shows a value that does not exist yet: ``<s: add>``."""
    node = value.builder.node(value.id)
    named = value.builder.describe(value.id)
    if node.op.name == "placeholder":
        return f"<{node.option('name')}: placeholder>"
    return f"<{named}>" if "%" in named else f"<{named}: {node.op.name}>"


def provenance(value: Any) -> str:
    """Return how a traced value was computed, first op first: ``sin→sum→gt``."""
    if not isinstance(value, Sym):
        return say("computed")
    names: list[str] = []
    number = value.id
    builder: GraphBuilder = value.builder
    while len(names) < 8:
        node = builder.node(number)
        if node.op.structural and node.op.name != "pick":
            break
        if node.op.name != "pick":
            names.append(SHORT_NAMES.get(node.op.name, node.op.name))
        inputs = [a for a in node.args if builder.node(a).op.name != "const"]
        if not inputs:
            break
        number = inputs[0]
    else:
        names.append("…")
    if names:
        return "→".join(reversed(names))
    node = builder.node(value.id)
    named = node.option("name") if node.op.name == "placeholder" else say("a constant")
    return say("{value} itself", value=named)


def name_value(builder: Builder[Any], value: Any, name: str) -> None:
    """Note a variable's name for a value, where the builder keeps names."""
    note = getattr(builder, "name", None)
    if note is not None and isinstance(value, Operators):
        note(value, name)
