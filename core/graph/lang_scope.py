"""Owns names: which are local to a function, which come from around it, which do not exist."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from ..wording import say
from .lang_code import Instruction
from .lang_names import HINTS, known_names
from .lang_parse import Source
from .lang_refusal import Refusal

FunctionNode: TypeAlias = "ast.FunctionDef | ast.Lambda"


@dataclass
class FunctionScope:
    """A function while it is compiled: its names, its instructions, its open loops."""

    name: str
    parameters: tuple[str, ...]
    names: frozenset[str]
    code: list[Instruction] = field(default_factory=list)
    loops: list[OpenLoop] = field(default_factory=list)


@dataclass
class OpenLoop:
    """A loop being compiled: where ``continue`` goes, the jumps that ``break`` left open."""

    head: int
    iterates: bool  #: a ``for``, which keeps its iterator on the stack
    exits: list[int] = field(default_factory=list)


def own_nodes(node: FunctionNode) -> Iterator[ast.AST]:
    """Walk a function's body without entering the functions inside it."""
    todo: list[ast.AST] = list(node.body) if isinstance(node.body, list) else [node.body]
    while todo:
        current = todo.pop()
        yield current
        if isinstance(current, (ast.FunctionDef, ast.Lambda)):
            todo.extend(current.args.defaults)
        else:
            todo.extend(ast.iter_child_nodes(current))


def assigned_names(node: FunctionNode, parameters: Iterable[str]) -> frozenset[str]:
    """Return every name that the function binds itself."""
    found = set(parameters)
    for inner in own_nodes(node):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
            found.add(inner.id)
        elif isinstance(inner, ast.FunctionDef):
            found.add(inner.name)
    return frozenset(found)


def unknown_name(source: Source, node: ast.AST, name: str, nearby: Iterable[str]) -> Refusal:
    """Return the refusal of a name that nothing defines, with the nearest that exist."""
    hint = HINTS.get(name)
    if hint is None:
        close = difflib.get_close_matches(name, sorted({*nearby, *known_names()}), n=1)
        hint = say("define it above, or make it an input")
        if close:
            hint = say("did you mean {name}?", name=close[0])
    return Refusal(
        source.place(node),
        say("there is no {name} here", name=name),
        say("a name is a variable, a function or constant of this file, or an op"),
        hint,
    )
