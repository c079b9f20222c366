"""Owns the translation of expressions into instructions, and the refusal of all others."""

from __future__ import annotations

import ast
from collections.abc import Generator
from typing import TypeAlias

from ..wording import say
from .lang_code import CallShape, Decision, Instruction
from .lang_names import ATTRIBUTES, CONSTANTS, HINTS, HOST, METHODS, resolve
from .lang_parse import Source, check_literal
from .lang_refusal import Refusal
from .lang_scope import FunctionScope, unknown_name

Visit: TypeAlias = Generator[ast.AST, None, None]

_BINARY: dict[str, str] = {
    "Add": "add", "Sub": "sub", "Mult": "mul", "Div": "div", "FloorDiv": "floordiv",
    "Mod": "mod", "Pow": "pow", "MatMult": "matmul", "BitAnd": "logical_and",
    "BitOr": "logical_or",
}  # fmt: skip
_UNARY: dict[str, str] = {"USub": "neg", "UAdd": "pos", "Invert": "logical_not", "Not": "not"}
_COMPARE: dict[str, str] = {
    "Lt": "less", "LtE": "less_equal", "Gt": "greater", "GtE": "greater_equal",
    "Eq": "equal", "NotEq": "not_equal", "Is": "is", "IsNot": "is_not",
}  # fmt: skip

#: What to try instead of expressions outside the subset.
_EXPRESSIONS: dict[str, str] = {
    "JoinedStr": say("print takes several values: print('s =', s)"),
    "ListComp": say("use a for loop with xs.append(x)"),
    "GeneratorExp": say("use a for loop with xs.append(x)"),
    "SetComp": say("use a for loop and a list"),
    "DictComp": say("use tuples"),
    "Dict": say("use tuples or several names"),
    "Set": say("use a list or a tuple"),
    "NamedExpr": say("assign on a line of its own"),
    "Await": say("leave it out"),
    "Yield": say("return a tuple or a list"),
    "YieldFrom": say("return a tuple or a list"),
    "Starred": say("write the items out"),
}

#: What to try instead of literals outside the subset.
_LITERALS: dict[str, str] = {
    "ellipsis": say("write a colon for each axis: x[:, 0]"),
    "complex": say("use two floats"),
    "bytes": say("use numbers, or text to print"),
}


#: What messages call them; others go by the name that Python's parser gives them.
_CONSTRUCTS: dict[str, str] = {
    "JoinedStr": say("an f-string"),
    **dict.fromkeys(("ListComp", "GeneratorExp", "DictComp", "SetComp"), say("a comprehension")),
    "Dict": say("a dictionary"),
    "Set": say("a set"),
    "NamedExpr": say("an assignment inside an expression"),
    "Starred": say("* before a value"),
}


class Expressions:
    """The half of the compiler that translates expressions; ``Compiler`` adds statements."""

    def __init__(self, source: Source, global_names: frozenset[str]) -> None:
        self.source = source
        self.global_names = global_names
        self.scopes: list[FunctionScope] = []

    @property
    def scope(self) -> FunctionScope:
        """The function being translated."""
        return self.scopes[-1]

    def emit(self, do: str, arg: object, node: ast.AST) -> int:
        """Append an instruction and return its number."""
        self.scope.code.append(Instruction(do, arg, self.source.place(node)))
        return len(self.scope.code) - 1

    def emit_decision(self, do: str, kind: str, test: ast.AST, node: ast.AST) -> int:
        """Append a jump that asks for a truth value; its target comes later."""
        return self.emit(do, Decision(-1, kind, self.source.segment(test)), node)

    def land(self, number: int) -> None:
        """Let the jump at ``number`` go to the next instruction."""
        raise NotImplementedError

    def make_function(self, node: ast.FunctionDef | ast.Lambda) -> Visit:
        """Emit what makes a function value."""
        raise NotImplementedError

    def refuse_expression(self, node: ast.AST) -> Refusal:
        """Return the refusal of an expression outside the subset."""
        kind = type(node).__name__
        return Refusal(
            self.source.place(node),
            say(
                "{construct} is not in the language", construct=_CONSTRUCTS.get(kind, kind.lower())
            ),
            say("values are numbers, tensors, tuples, lists and functions"),
            _EXPRESSIONS.get(kind, say("leave it out")),
        )

    def operator(self, operator: ast.AST, node: ast.AST) -> str:
        """Return the name of a binary operator; refuse those on bits."""
        name = _BINARY.get(type(operator).__name__)
        if name is None:
            raise Refusal(
                self.source.place(node),
                say("operators on bits are not in the language"),
                say("tensors hold numbers and truth values"),
                say("use * and // with powers of 2"),
            )
        return name

    def check_name(self, node: ast.AST, name: str) -> None:
        """Refuse names with leading double underscores: they reach into Python itself."""
        if name.startswith("__"):
            raise Refusal(
                self.source.place(node),
                say("the name {name} is refused", name=name),
                say("names with two leading underscores reach into Python itself"),
                HINTS.get(name, say("use another name")),
            )

    # -- values -------------------------------------------------------------------------

    def visit_Constant(self, node: ast.Constant) -> Visit:  # noqa: N802
        """Translate a literal."""
        if not isinstance(node.value, (bool, int, float, str, type(None))):
            kind = type(node.value).__name__
            raise Refusal(
                self.source.place(node),
                say("a value of type {kind} is not in the language", kind=kind),
                say("values are numbers, tensors, tuples, lists and functions"),
                _LITERALS[kind],
            )
        check_literal(self.source, node)
        self.emit("const", node.value, node)
        yield from ()

    def visit_Name(self, node: ast.Name) -> Visit:  # noqa: N802
        """Translate a name: local, from a function around, of the file, or predefined."""
        name = node.id
        self.check_name(node, name)
        for hops, scope in enumerate(reversed(self.scopes)):
            if name in scope.names:
                self.emit("load", (hops, name), node)
                return
        if name in self.global_names:
            self.emit("global", name, node)
            return
        kind = resolve(name)
        if kind is None:
            nearby = {n for scope in self.scopes for n in scope.names} | self.global_names
            raise unknown_name(self.source, node, name, nearby)
        if kind == "constant":
            self.emit("const", CONSTANTS[name], node)
        else:
            self.emit("predefined", (kind, name), node)
        yield from ()

    def visit_Tuple(self, node: ast.Tuple) -> Visit:  # noqa: N802
        """Translate a tuple."""
        yield from node.elts
        self.emit("tuple", len(node.elts), node)

    def visit_List(self, node: ast.List) -> Visit:  # noqa: N802
        """Translate a list."""
        yield from node.elts
        self.emit("list", len(node.elts), node)

    def visit_Attribute(self, node: ast.Attribute) -> Visit:  # noqa: N802
        """Translate the few attributes that tensors have; methods come with their call."""
        if node.attr not in ATTRIBUTES:
            raise self.refuse_attribute(node)
        yield node.value
        self.emit("attribute", node.attr, node)

    def refuse_attribute(self, node: ast.Attribute) -> Refusal:
        """Return the refusal of an attribute, with a hint by what it was asked of."""
        hint = HINTS.get(node.attr)
        if isinstance(node.value, ast.Name) and self.is_module(node.value.id):
            hint = HINTS[node.value.id]
        shown = self.source.segment(node)
        return Refusal(
            self.source.place(node),
            say("{shown} is not in the language", shown=shown),
            say(
                "attributes are {attributes} and the methods of tensors",
                attributes=", ".join("." + name for name in ATTRIBUTES),
            ),
            hint or say("call the op by its name: op(x)"),
        )

    def is_module(self, name: str) -> bool:
        """Return whether a name is a library's usual name that nothing here defines."""
        defined = any(name in scope.names for scope in self.scopes) or name in self.global_names
        return not defined and name in HINTS and resolve(name) is None

    def visit_Subscript(self, node: ast.Subscript) -> Visit:  # noqa: N802
        """Translate ``x[i]``, ``x[1:3, -1]``."""
        yield node.value
        yield node.slice
        self.emit("subscript", None, node)

    def visit_Slice(self, node: ast.Slice) -> Visit:  # noqa: N802
        """Translate ``a:b:c``."""
        for part in (node.lower, node.upper, node.step):
            if part is None:
                self.emit("const", None, node)
            else:
                yield part
        self.emit("slice", None, node)

    # -- operators ----------------------------------------------------------------------

    def visit_BinOp(self, node: ast.BinOp) -> Visit:  # noqa: N802
        """Translate arithmetic."""
        yield node.left
        yield node.right
        self.emit("binary", self.operator(node.op, node), node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Visit:  # noqa: N802
        """Translate ``-x``, ``~x``, ``not x``."""
        yield node.operand
        name = _UNARY[type(node.op).__name__]
        if name == "not":
            self.emit("not", self.source.segment(node.operand), node)
        else:
            self.emit("unary", name, node)

    def visit_BoolOp(self, node: ast.BoolOp) -> Visit:  # noqa: N802
        """Translate ``and`` and ``or``, which stop at the first that decides."""
        is_and = isinstance(node.op, ast.And)
        do, kind = ("keep_if_false", "and") if is_and else ("keep_if_true", "or")
        jumps = []
        for value in node.values[:-1]:
            yield value
            jumps.append(self.emit_decision(do, kind, value, node))
        yield node.values[-1]
        for jump in jumps:
            self.land(jump)

    def visit_Compare(self, node: ast.Compare) -> Visit:  # noqa: N802
        """Translate comparisons; a chain ``a < b < c`` is ``a < b and b < c``, b once."""
        yield node.left
        if len(node.ops) == 1:
            yield node.comparators[0]
            self.emit("compare", self.comparison(node.ops[0], node), node)
            return
        jumps = []
        for operator, right in zip(node.ops[:-1], node.comparators[:-1], strict=True):
            yield right
            self.emit("tuck", None, node)
            self.emit("compare", self.comparison(operator, node), node)
            jumps.append(self.emit_decision("keep_if_false", "and", node, node))
        yield node.comparators[-1]
        self.emit("compare", self.comparison(node.ops[-1], node), node)
        end = self.emit("jump", None, node)
        for jump in jumps:
            self.land(jump)
        self.emit("drop_below", None, node)
        self.land(end)

    def comparison(self, operator: ast.AST, node: ast.AST) -> str:
        """Return the name of a comparison; refuse ``in``."""
        name = _COMPARE.get(type(operator).__name__)
        if name is None:
            raise Refusal(
                self.source.place(node),
                say("in is not in the language"),
                say("it would compare with every item"),
                say("compare with each, or use equal(x, y)"),
            )
        return name

    def visit_IfExp(self, node: ast.IfExp) -> Visit:  # noqa: N802
        """Translate ``a if test else b``."""
        yield node.test
        skip = self.emit_decision("jump_if_false", "conditional", node.test, node)
        yield node.body
        end = self.emit("jump", None, node)
        self.land(skip)
        yield node.orelse
        self.land(end)

    # -- calls --------------------------------------------------------------------------

    def keyword_names(self, node: ast.Call) -> tuple[str, ...]:
        """Return the names of the arguments given by name; refuse ``**`` and repetitions."""
        names: dict[str, None] = {}
        for keyword in node.keywords:
            if keyword.arg is None:
                raise Refusal(
                    self.source.place(keyword),
                    say("** in a call is not in the language"),
                    say("every argument is named where it is given"),
                    say("write the arguments out"),
                )
            if keyword.arg in names:
                raise Refusal(
                    self.source.place(keyword),
                    say("{name} is given twice", name=keyword.arg),
                    say("an argument has one value"),
                    say("leave one out"),
                )
            names[keyword.arg] = None
        return tuple(names)

    def visit_Call(self, node: ast.Call) -> Visit:  # noqa: N802
        """Translate a call of a function, an op or a method."""
        method = ""
        if isinstance(node.func, ast.Attribute):
            method = node.func.attr
            known = method in METHODS or method in HOST or method == "append"
            receiver = node.func.value
            if not known or (isinstance(receiver, ast.Name) and self.is_module(receiver.id)):
                raise self.refuse_attribute(node.func)
            yield receiver
        else:
            yield node.func
        names = self.keyword_names(node)
        for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
            if isinstance(argument, ast.Starred):
                raise self.refuse_expression(argument)
            yield argument
        shape = CallShape(len(node.args), names, method)
        self.emit("method" if method else "call", shape, node)
