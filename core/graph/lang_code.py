"""Owns what a program becomes before it runs: instructions for a small stack machine.

A tree of syntax would need Python's own stack to run and could not stop in the middle of an
expression. A list of instructions needs neither: the machine's whole state is data, so a
graph break can close a segment anywhere and go on later from exactly there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .lang_parse import Source
from .lang_refusal import Place


@dataclass(frozen=True, slots=True)
class Instruction:
    """One step: the name of a handler of the machine, its argument, where it stands."""

    do: str
    arg: Any
    place: Place


@dataclass(frozen=True, slots=True)
class Decision:
    """Where a jump that asks for a truth value goes, and how messages name the asker."""

    target: int
    kind: str  #: if, while, and, or, conditional
    text: str  #: the condition as written


@dataclass(frozen=True, slots=True)
class CallShape:
    """How many values a call takes from the stack, and which of them go by name."""

    positional: int
    keywords: tuple[str, ...]
    method: str = ""  #: the method's name; the object then lies below the arguments

    @property
    def total(self) -> int:
        """Number of arguments on the stack."""
        return self.positional + len(self.keywords)


@dataclass(frozen=True, eq=False)
class Code:
    """A function: its parameters, how many have defaults, its instructions."""

    name: str
    parameters: tuple[str, ...]
    defaults: int
    instructions: tuple[Instruction, ...]
    place: Place
    captured: bool = False  #: decorated with ``@capture``

    def __repr__(self) -> str:
        return f"<code {self.name}>"


@dataclass(frozen=True, eq=False)
class Program:
    """A checked program: its functions, its constants, the inputs of the function that runs.

    ``main`` is the last function of the file. ``globals`` holds numbers and arrays of the top
    level by name; ``inputs`` the default value of each input that has one.
    """

    source: Source
    functions: Mapping[str, Code]
    function_defaults: Mapping[str, tuple[Any, ...]]
    main: Code
    globals: Mapping[str, Any] = field(default_factory=dict)
    inputs: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name under which the program was loaded."""
        return self.source.name

    @property
    def loops(self) -> bool:
        """Whether a ``while_loop`` occurs anywhere: its trips are only known when it runs."""
        todo = list(self.functions.values())
        while todo:
            for instruction in todo.pop().instructions:
                if instruction.do == "predefined" and instruction.arg[1] == "while_loop":
                    return True
                if isinstance(instruction.arg, Code):
                    todo.append(instruction.arg)
        return False

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the inputs, in order."""
        return self.main.parameters
