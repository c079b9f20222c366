"""Owns the program language: from a source text to a checked :class:`Program`.

A program file holds plain functions and top-level constants; the last function is run and
its parameters are the inputs. The language is a subset of Python with Python's own syntax:

* assignment, tuples and lists, arithmetic, comparison, ``and or not``, ``a if t else b``;
* ``if elif else``, ``for`` over ``range``, lists and the first axis of tensors, ``while``,
  ``break``, ``continue``, ``def`` with recursion, ``lambda``, ``return``, ``print``;
* every op by its name, methods such as ``x.sum()``, ``x @ w``, ``x[i]``, ``x.shape[i]``;
* ``cond``, ``while_loop`` and ``graph_print``; ``@capture`` above a helper.

The defaults of the inputs are written as feeds are (``x=[1, 2], steps=int(6)``), and so are
top-level constants, except that a bare number there stays a Python number. The text is parsed
with ``ast``, translated to instructions (``lang_compile.py``) and interpreted
(``lang_machine.py``); nothing is ever handed to ``eval``. Whatever is outside the subset is a
:class:`Refusal` with line, column, what, why and what to try instead.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..wording import say
from .feeds import Feed, ValueReader
from .lang_budget import DEFAULT_BUDGET, Budget
from .lang_code import Code, Program
from .lang_compile import Compiler
from .lang_names import resolve
from .lang_parse import Source, parse
from .lang_refusal import Place, Refusal

__all__ = ["Budget", "Program", "Refusal", "load"]


def load(
    text: str, name: str = "program", seed: int = 0, budget: Budget = DEFAULT_BUDGET
) -> Program:
    """Check a program and translate it; every problem is a :class:`Refusal`.

    ``seed`` starts the stream from which ``randn`` draws: constants first, then defaults.
    """
    source = Source(text, name)
    tree = parse(source, budget)
    reader = ValueReader(source, seed, budget)
    functions: dict[str, ast.FunctionDef] = {}
    constants: dict[str, Feed] = {}
    for statement in tree.body:
        _top_level(source, reader, statement, functions, constants)
    if not functions:
        raise Refusal(
            Place(1, 1),
            say("there is no function to run"),
            say("the last function of the file is run"),
            say("write def program(x): return x * 2"),
        )
    compiler = Compiler(source, (*functions, *constants))
    codes = {known: compiler.function(node) for known, node in functions.items()}
    last = list(functions)[-1]
    defaults = {
        known: tuple(reader.value(value) for value in node.args.defaults)
        for known, node in functions.items()
        if known != last
    }
    inputs = _inputs(codes[last], functions[last], reader)
    defaults[last] = tuple(inputs.values())
    return Program(source, codes, defaults, codes[last], constants, inputs)


def _top_level(
    source: Source,
    reader: ValueReader,
    statement: ast.stmt,
    functions: dict[str, ast.FunctionDef],
    constants: dict[str, Feed],
) -> None:
    """Take one statement of the top level: a function, a constant, or a docstring."""
    if isinstance(statement, ast.FunctionDef):
        _check_new(source, statement, statement.name, functions, constants)
        functions[statement.name] = statement
        return
    if isinstance(statement, ast.Pass):
        return
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return
    if isinstance(statement, (ast.Assign, ast.AnnAssign)):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        if statement.value is not None and all(isinstance(t, ast.Name) for t in targets):
            value = reader.value(statement.value)
            if isinstance(value, np.ndarray):
                value.flags.writeable = False  # guards then know it unchanged at a glance
            for target in targets:
                assert isinstance(target, ast.Name)
                _check_new(source, statement, target.id, functions, constants)
                constants[target.id] = value
            return
    compiler = Compiler(source, ())
    if type(statement).__name__ in ("If", "For", "While", "Expr", "Return", "AugAssign", "Assign"):
        raise Refusal(
            source.place(statement),
            say("only functions and constants stand at the top level"),
            say("the last function is run, with its parameters as inputs"),
            say("put it inside a function: def program(x): ..."),
        )
    raise compiler.refuse_statement(statement)


def _check_new(source: Source, node: ast.AST, name: str, *taken: Mapping[str, Any]) -> None:
    if any(name in names for names in taken):
        raise Refusal(
            source.place(node),
            say("{name} is defined twice", name=name),
            say("functions and constants of the top level never change"),
            say("use another name"),
        )
    if name.startswith("__"):
        raise Refusal(
            source.place(node),
            say("the name {name} is refused", name=name),
            say("names with two leading underscores reach into Python itself"),
            say("use another name"),
        )
    if resolve(name) == "builtin":
        raise Refusal(
            source.place(node),
            say("{name} is a word of the language", name=name),
            say("a function of this name would hide it"),
            say("use another name"),
        )


def _inputs(code: Code, node: ast.FunctionDef, reader: ValueReader) -> dict[str, Feed]:
    """Return the default inputs of the function that runs, read as feeds are."""
    first = len(code.parameters) - len(node.args.defaults)
    names = code.parameters[first:]
    return {name: reader.feed(value) for name, value in zip(names, node.args.defaults, strict=True)}
