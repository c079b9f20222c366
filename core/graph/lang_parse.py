"""Owns the way from source text to a syntax tree that is safe to walk.

Sizes are checked before Python's parser sees the text, and whatever the parser raises comes
out as a :class:`Refusal`. The depth of the tree is measured without recursion, so what comes
later may descend as deep as the budget allows.
"""

from __future__ import annotations

import ast
import re
import warnings

from ..foreign import foreign
from ..wording import say
from .lang_budget import LARGEST_BITS, Budget
from .lang_refusal import BudgetExceeded, Place, Refusal

#: Nodes that begin with a block or bracket of their own; ``elif`` chains count as one level.
_DEEPEST_CHAIN = 2_000


class Source:
    """The text of a program; translates the parser's byte columns to characters from 1."""

    def __init__(self, text: str, name: str) -> None:
        self.text = text
        self.name = name
        self.lines = re.split("\r\n|\r|\n", text)  # as Python counts them
        self._ascii = text.isascii()

    def place(self, node: ast.AST) -> Place:
        """Return where a node begins (the program as a whole for nodes without a place)."""
        line = getattr(node, "lineno", 0)
        column: int = getattr(node, "col_offset", 0)
        if not line:
            return Place()
        if not self._ascii and line <= len(self.lines):
            column = len(self.lines[line - 1].encode()[:column].decode(errors="replace"))
        return Place(line, column + 1)

    def segment(self, node: ast.AST) -> str:
        """Return the text of an expression as written, on one line, shortened if long."""
        first = getattr(node, "lineno", 0)
        last = getattr(node, "end_lineno", 0) or 0
        if not first or last > len(self.lines):
            return type(node).__name__
        rows = [line.encode() for line in self.lines[first - 1 : min(last, first + 20)]]
        if last - first < len(rows):
            rows[-1] = rows[-1][: getattr(node, "end_col_offset", None)]
        rows[0] = rows[0][getattr(node, "col_offset", 0) :]
        line = " ".join(b" ".join(rows).decode(errors="replace").split())
        return line if len(line) <= 60 else line[:57] + "..."


def parse(source: Source, budget: Budget) -> ast.Module:
    """Return the tree of a program; :class:`Refusal` for whatever cannot be read."""
    size = len(source.text.encode(errors="replace"))
    if size > budget.source_bytes:
        raise BudgetExceeded(
            Place(),
            say("the source has {size:,} bytes", size=size),
            say("the budget is {source_bytes:,}", source_bytes=budget.source_bytes),
            say("split it, or keep data out of it: feed arrays instead"),
        )
    _check_brackets(source, budget)
    tree = _python_parse(source)
    _check_tree(source, tree, budget)
    return tree


def check_literal(source: Source, node: ast.Constant) -> None:
    """Refuse a whole number that is written out with more bits than any may have."""
    bits = node.value.bit_length() if isinstance(node.value, int) else 0
    if bits > LARGEST_BITS:
        raise Refusal(
            source.place(node),
            say("this whole number is too large"),
            say("it has {bits:,} bits, the budget is {limit}", bits=bits, limit=LARGEST_BITS),
            say("use floats such as 2.0"),
        )


def _check_brackets(source: Source, budget: Budget) -> None:
    """Refuse deep brackets before the parser meets them; strings only make it count more."""
    depth = 0
    for number, line in enumerate(source.lines, 1):
        closed = chain = 0  # the last closing bracket, and how many open right behind one
        for column, character in enumerate(line.split("#")[0], 1):
            if character in "([{":
                depth += 1
                chain = chain + 1 if column == closed + 1 else 0
                if depth > budget.nesting or chain > _DEEPEST_CHAIN:
                    raise _too_deep(Place(number, column), budget)
            elif character in ")]}":
                depth = max(0, depth - 1)
                closed = column


def _python_parse(source: Source) -> ast.Module:
    longest = max(range(len(source.lines)), key=lambda i: len(source.lines[i]), default=0) + 1
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # such as an invalid escape inside a string
            return ast.parse(source.text)
    except SyntaxError as error:
        place = Place(error.lineno or 0, max(1, error.offset or 1) if error.lineno else 0)
        message = (error.msg or "invalid syntax").split(" - Consider")[0]
        raise Refusal(
            place,
            say("Python cannot read this: {message}", message=foreign(message)),
            say("the program must be valid Python"),
            say("mend the line"),
        ) from None
    except (RecursionError, MemoryError):
        raise BudgetExceeded(
            Place(longest, 1),
            say("the program is nested too deeply for Python's parser"),
            say("a chain of operators or blocks within one another is too long"),
            say("use names for parts, or a loop"),
        ) from None
    except ValueError as error:
        raise Refusal(
            Place(1, 1),
            say("Python cannot read this: {error}", error=foreign(str(error))),
            say("the program must be valid Python"),
            say("mend the text"),
        ) from None


def _check_tree(source: Source, tree: ast.Module, budget: Budget) -> None:
    """Check the number of nodes and the depth, level by level."""
    count = 0
    depth = 0
    level: list[ast.AST] = [tree]
    while level:
        count += len(level)
        depth += 1
        if count > budget.syntax_nodes:
            raise BudgetExceeded(
                source.place(level[0]),
                say(
                    "the program has over {syntax_nodes:,} parts", syntax_nodes=budget.syntax_nodes
                ),
                say("the budget on syntax nodes is used up"),
                say("use a loop or a function"),
            )
        if depth > _DEEPEST_CHAIN:
            raise _too_deep(source.place(level[0]), budget)
        level = [child for node in level for child in ast.iter_child_nodes(node)]


def _too_deep(place: Place, budget: Budget) -> BudgetExceeded:
    return BudgetExceeded(
        place,
        say("the program is nested too deeply"),
        say(
            "the budget is {brackets} brackets within one another and {operators:,} "
            "operators in one chain",
            brackets=budget.nesting,
            operators=_DEEPEST_CHAIN,
        ),
        say("use names for parts, or a loop"),
    )
