"""Owns the translation of statements into instructions, and the refusal of all others.

Each ``visit_`` method is a generator: it yields the parts of a node to translate them and
emits instructions in between. A flat loop drives the generators, so a long chain of
operators or ``elif`` needs no depth of Python's stack.
"""

from __future__ import annotations

import ast
from collections.abc import Generator, Iterable
from typing import Any, TypeAlias

from ..wording import say
from .lang_code import Code, Decision, Instruction
from .lang_expressions import Expressions
from .lang_parse import Source
from .lang_refusal import Refusal
from .lang_scope import FunctionNode, FunctionScope, OpenLoop, assigned_names

Visit: TypeAlias = Generator[ast.AST, None, None]

#: What to try instead of statements outside the subset.
_STATEMENTS: dict[str, str] = {
    "Import": say("nothing needs importing: write sin(x), x @ w, x.sum()"),
    "ImportFrom": say("nothing needs importing: write sin(x), x @ w, x.sum()"),
    "ClassDef": say("use functions and tuples"),
    "AsyncFunctionDef": say("use def"),
    "AsyncFor": say("use for"),
    "AsyncWith": say("leave it out"),
    "With": say("leave it out; gradients are chosen with --grad"),
    "Try": say("test the values with if or where instead"),
    "TryStar": say("test the values with if or where instead"),
    "Raise": say("return a value instead"),
    "Assert": say("print the value, or use if"),
    "Delete": say("leave it out; values are freed when nothing needs them"),
    "Global": say("pass the value as an argument and return it"),
    "Nonlocal": say("pass the value as an argument and return it"),
    "Match": say("use if and elif"),
}


class Compiler(Expressions):
    """Translates one program; ``globals`` are the names that its top level defines."""

    def __init__(self, source: Source, global_names: Iterable[str]) -> None:
        super().__init__(source, frozenset(global_names))

    def function(self, node: ast.FunctionDef) -> Code:
        """Translate a function of the top level."""
        result: list[Code] = []
        self.drive(self.body(node, result))
        return result[0]

    def drive(self, first: Visit) -> None:
        """Run generators on a stack of our own until the first is done."""
        stack = [first]
        while stack:
            child = next(stack[-1], None)
            if child is None:
                stack.pop()
            else:
                stack.append(self.visit(child))

    def body(self, node: FunctionNode, result: list[Code]) -> Visit:
        """Translate parameters and body of a function or lambda; appends its code."""
        parameters = self.parameter_names(node)
        name = node.name if isinstance(node, ast.FunctionDef) else "lambda"
        scope = FunctionScope(name, parameters, assigned_names(node, parameters))
        self.scopes.append(scope)
        if isinstance(node, ast.Lambda):
            self.emit("line", None, node.body)
            yield node.body
        else:
            yield from node.body
            self.emit("const", None, node.body[-1])
        self.emit("return", None, node.body if isinstance(node, ast.Lambda) else node.body[-1])
        self.scopes.pop()
        captured = isinstance(node, ast.FunctionDef) and self.is_captured(node)
        defaults = len(node.args.defaults)
        place = self.source.place(node)
        code = Code(name, parameters, defaults, tuple(scope.code), place, captured)
        result.append(code)

    def is_captured(self, node: ast.FunctionDef) -> bool:
        """Return whether ``@capture`` stands above a function; refuse other decorators."""
        for decorator in node.decorator_list:
            if not (isinstance(decorator, ast.Name) and decorator.id == "capture"):
                raise Refusal(
                    self.source.place(decorator),
                    say("this decorator is not known"),
                    say("the only one is @capture"),
                    say("leave it out"),
                )
        return bool(node.decorator_list)

    def parameter_names(self, node: FunctionNode) -> tuple[str, ...]:
        """Return the parameters in order; refuse the kinds outside the subset."""
        arguments = node.args
        starred = arguments.vararg or arguments.kwarg
        if starred or arguments.kwonlyargs:
            wrong = starred or arguments.kwonlyargs[0]
            named = say("leave out the *: {name} can be given by name anyway", name=wrong.arg)
            raise Refusal(
                self.source.place(wrong),
                say("only plain parameters can be used"),
                say("every input has a name and a place"),
                say("name each parameter, or take one list") if starred else named,
            )
        names: dict[str, None] = {}
        for item in (*arguments.posonlyargs, *arguments.args):
            self.check_name(item, item.arg)
            if item.arg in names:
                raise Refusal(
                    self.source.place(item),
                    say("there are two parameters called {name}", name=item.arg),
                    say("a name stands for one value"),
                    say("give one of them another name"),
                )
            names[item.arg] = None
        return tuple(names)

    # -- statements ---------------------------------------------------------------------

    def refuse_statement(self, node: ast.AST) -> Refusal:
        """Return the refusal of a statement outside the subset."""
        kind = type(node).__name__
        word = {"AsyncFunctionDef": "async def", "ClassDef": "class", "ImportFrom": "import",
                "TryStar": "try", "Delete": "del"}.get(kind, kind.lower())  # fmt: skip
        return Refusal(
            self.source.place(node),
            say("{word} is not in the language", word=word),
            say("programs are assignments, arithmetic, if, for, while, def and return"),
            _STATEMENTS.get(kind, say("leave it out")),
        )

    def visit(self, node: ast.AST) -> Visit:
        """Return the generator that translates a node."""
        method = getattr(self, "visit_" + type(node).__name__, None)
        if method is None:
            if isinstance(node, ast.stmt):
                raise self.refuse_statement(node)
            raise self.refuse_expression(node)
        if isinstance(node, ast.stmt) and not isinstance(node, (ast.While, ast.Pass)):
            self.emit("line", None, node)
        found: Visit = method(node)
        return found

    def visit_Pass(self, node: ast.Pass) -> Visit:  # noqa: N802
        """Translate to a line that does nothing."""
        self.emit("line", None, node)
        yield from ()

    def visit_Expr(self, node: ast.Expr) -> Visit:  # noqa: N802
        """Translate an expression whose value is dropped; a docstring disappears."""
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            return
        yield node.value
        self.emit("pop", None, node)

    def visit_Return(self, node: ast.Return) -> Visit:  # noqa: N802
        """Translate ``return``."""
        if node.value is None:
            self.emit("const", None, node)
        else:
            yield node.value
        self.emit("return", None, node)

    def visit_Assign(self, node: ast.Assign) -> Visit:  # noqa: N802
        """Translate assignment to names and tuples of names."""
        yield node.value
        for position, target in enumerate(node.targets):
            if position + 1 < len(node.targets):
                self.emit("copy", None, node)
            self.store(target, node.value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Visit:  # noqa: N802
        """Translate ``x: float = 1.0``; the annotation means nothing here."""
        if node.value is not None:
            yield node.value
            self.store(node.target)

    def visit_AugAssign(self, node: ast.AugAssign) -> Visit:  # noqa: N802
        """Translate ``x += y`` as ``x = x + y``."""
        if not isinstance(node.target, ast.Name):
            self.store(node.target)
        name = ast.Name(node.target.id, ast.Load())  # type: ignore[union-attr]
        yield ast.copy_location(name, node.target)
        yield node.value
        operator = self.operator(node.op, node)
        self.emit("binary", "grow" if operator == "add" else operator, node)
        self.store(node.target)

    def store(self, target: ast.AST, value: ast.expr | None = None) -> None:
        """Emit the store of the top value into a target; refuse writing into values."""
        todo = [target]
        while todo:
            item = todo.pop()
            if isinstance(item, ast.Name):
                self.check_name(item, item.id)
                self.emit("store", item.id, item)
            elif isinstance(item, (ast.Tuple, ast.List)):
                for position, part in enumerate(item.elts):
                    if isinstance(part, ast.Starred):
                        after = len(item.elts) - position - 1
                        raise self.refuse_starred(part, position, after, value)
                self.emit("unpack", len(item.elts), item)
                value = None  # what stands inside takes parts of it
                todo.extend(reversed(item.elts))
            else:
                raise Refusal(
                    self.source.place(item),
                    say("only names can be assigned to"),
                    say("tensors are never written in place, so that every mode can replay them"),
                    say(
                        "make a new value: where(mask, new, old), or collect rows in a list and "
                        "stack"
                    ),
                )

    def refuse_starred(
        self, node: ast.Starred, before: int, after: int, value: ast.expr | None
    ) -> Refusal:
        """Return the refusal of a target that takes the rest, with the slice to write instead."""
        rest = node.value.id if isinstance(node.value, ast.Name) else "rest"
        whole = value.id if isinstance(value, ast.Name) else "xs"
        part = f"{before or ''}:{-after or ''}"
        return Refusal(
            self.source.place(node),
            say("a target with * is not in the language"),
            say("each name takes one item, so that their number is known where it is written"),
            say("write {rest} = {whole}[{part}]", rest=rest, whole=whole, part=part),
        )

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Visit:  # noqa: N802
        """Translate a nested function."""
        yield from self.make_function(node)
        self.emit("store", node.name, node)

    def make_function(self, node: FunctionNode) -> Visit:
        """Emit what makes a function value: defaults on the stack, then its code."""
        yield from node.args.defaults
        result: list[Code] = []
        yield from self.body(node, result)
        self.emit("function", result[0], node)

    def visit_Lambda(self, node: ast.Lambda) -> Visit:  # noqa: N802
        """Translate ``lambda``."""
        yield from self.make_function(node)

    def visit_If(self, node: ast.If) -> Visit:  # noqa: N802
        """Translate ``if``, ``elif``, ``else``."""
        yield node.test
        skip = self.emit_decision("jump_if_false", "if", node.test, node)
        yield from node.body
        if node.orelse:
            end = self.emit("jump", None, node)
            self.land(skip)
            yield from node.orelse
            self.land(end)
        else:
            self.land(skip)

    def visit_While(self, node: ast.While) -> Visit:  # noqa: N802
        """Translate ``while``."""
        self.refuse_loop_else(node)
        loop = OpenLoop(self.here, iterates=False)
        self.emit("line", None, node)
        yield node.test
        leave = self.emit_decision("jump_if_false", "while", node.test, node)
        yield from self.loop_body(loop, node)
        self.land(leave)
        for jump in loop.exits:
            self.land(jump)

    def visit_For(self, node: ast.For) -> Visit:  # noqa: N802
        """Translate ``for``: the iterator stays on the stack while the loop runs."""
        self.refuse_loop_else(node)
        yield node.iter
        self.emit("iterate", self.source.segment(node.iter), node.iter)
        loop = OpenLoop(self.here, iterates=True)
        leave = self.emit("next", None, node)
        self.store(node.target)
        yield from self.loop_body(loop, node)
        self.land(leave)
        for jump in loop.exits:
            self.land(jump)

    def loop_body(self, loop: OpenLoop, node: ast.For | ast.While) -> Visit:
        """Translate the body of a loop and the jump back to its head."""
        self.scope.loops.append(loop)
        yield from node.body
        self.scope.loops.pop()
        self.emit("jump", loop.head, node)

    def refuse_loop_else(self, node: ast.For | ast.While) -> None:
        """Refuse ``else`` after a loop."""
        if node.orelse:
            raise Refusal(
                self.source.place(node.orelse[0]),
                say("else after a loop is not in the language"),
                say("few readers expect it"),
                say("keep a flag, or put it into a function with return"),
            )

    def visit_Break(self, node: ast.Break) -> Visit:  # noqa: N802
        """Translate ``break``; leaving a ``for`` drops its iterator."""
        loop = self.open_loop(node, "break")
        if loop.iterates:
            self.emit("pop", None, node)
        loop.exits.append(self.emit("jump", None, node))
        yield from ()

    def visit_Continue(self, node: ast.Continue) -> Visit:  # noqa: N802
        """Translate ``continue``."""
        self.emit("jump", self.open_loop(node, "continue").head, node)
        yield from ()

    def open_loop(self, node: ast.AST, word: str) -> OpenLoop:
        """Return the innermost loop; ``ast`` does not check that there is one."""
        if not self.scope.loops:
            raise Refusal(
                self.source.place(node),
                say("{word} stands outside a loop", word=word),
                say("there is nothing to leave"),
                say("leave it out"),
            )
        return self.scope.loops[-1]

    # -- emitting -----------------------------------------------------------------------

    @property
    def here(self) -> int:
        """The number of the next instruction."""
        return len(self.scope.code)

    def land(self, number: int) -> None:
        """Let the jump at ``number`` go to the next instruction."""
        old = self.scope.code[number]
        arg: Any = self.here
        if isinstance(old.arg, Decision):
            arg = Decision(self.here, old.arg.kind, old.arg.text)
        self.scope.code[number] = Instruction(old.do, arg, old.place)
