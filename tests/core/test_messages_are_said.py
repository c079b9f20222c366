"""What an error says to a person remembers its template, so that a screen can translate it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import dgplay.core

CORE = Path(dgplay.core.__file__).parent
FILES = [
    path
    for path in sorted(CORE.rglob("*.py"))
    if path.relative_to(CORE).parts[0] not in ("graph", "graph_view")
]

#: Makers of errors, and where their arguments that a person reads stand.
ERRORS = {
    "DgplayError": (0,),
    "DataError": (0,),
    "PlanError": (0,),
    "BadRow": (0, 1),
    "_DamagedError": (0,),
    "set_aside": (1, 2),
    "_uncalled": (1,),
}
READ = ("what", "hint")

#: Functions whose result is said, or is somebody else's sentence (:mod:`dgplay.core.foreign`).
SAYING = {"say", "joined", "reason", "unread", "foreign", "_there_are"}

#: Arguments that hold what was said before.
PASSED_ON = {"what", "told", "hint", "error", "problem", "damage", "header"}

#: What stays English, and why.
ALLOWED = {
    ("command_line.py", "message"): "argparse's words, for stderr alone",
    ("lessons/answers.py", "hint"): "said by every caller of _uncalled",
}


def is_said(node: ast.expr, inside: ast.AST) -> bool:
    """Return whether an expression is said, or empty; a name is looked up in its function."""
    match node:
        case ast.Constant(value=""):
            return True
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in SAYING:
            return True
        case ast.Call(func=ast.Name(id="str"), args=[ast.Name(id=name)]):
            return name in PASSED_ON
        case ast.Attribute(value=ast.Name(id=name), attr="what" | "told" | "hint"):
            return name in PASSED_ON
        case ast.IfExp(body=body, orelse=otherwise):
            return is_said(body, inside) and is_said(otherwise, inside)
        case ast.BoolOp(values=values):
            return all(is_said(value, inside) for value in values)
        case ast.Name(id=name):
            given = list(assigned(name, inside))
            return bool(given) and all(is_said(value, inside) for value in given)
    return False


def assigned(name: str, inside: ast.AST) -> Iterator[ast.expr]:
    for node in ast.walk(inside):
        if isinstance(node, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id == name for target in node.targets
        ):
            yield node.value


def unsaid(path: Path) -> Iterator[str]:
    """Yield the arguments of errors in a file that are not said."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    for function in functions:
        for node in ast.walk(function):
            if not isinstance(node, ast.Call):
                continue
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            if name not in ERRORS:
                continue
            read = [node.args[place] for place in ERRORS[name] if place < len(node.args)]
            read += [each.value for each in node.keywords if each.arg in READ]
            yield from (ast.unparse(each) for each in read if not is_said(each, function))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(CORE)))
def test_every_message_is_said(path: Path) -> None:
    allowed = {source for name, source in ALLOWED if name == str(path.relative_to(CORE))}
    assert set(unsaid(path)) == allowed


def test_the_files_are_there() -> None:
    assert {"errors.py", "saving.py", "generators.py", "lesson.py"} <= {path.name for path in FILES}


@pytest.mark.parametrize(
    "line",
    [
        'raise PlanError("no plan")',
        'raise PlanError(f"no plan for {k}")',
        'raise PlanError(say("no plan"), hint="try another")',
        'raise PlanError("there are " + ", ".join(names))',
        'what = f"no plan for {k}"\n    raise PlanError(what)',
        'raise BadRow(say("no"), "save it again")',
    ],
)
def test_a_plain_message_is_found(line: str, tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text(f"def refuse(k, names):\n    {line}\n", encoding="utf-8")
    assert len(list(unsaid(path))) == 1
