"""What the engine says remembers its template, so that a screen can say it in Chinese."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_lang_refusals import HOSTILE, PLACES

import dgplay.core.graph as package
from dgplay.core.foreign import KNOWN, foreign
from dgplay.core.graph import errors, lang_compile, lang_expressions, lang_host, lang_names
from dgplay.core.graph.bundled import NAMES, bundled
from dgplay.core.graph.capture import Capture
from dgplay.core.graph.feeds import bind, read_feeds
from dgplay.core.graph.ir import Graph
from dgplay.core.graph.lang import load
from dgplay.core.graph.lang_budget import Budget
from dgplay.core.graph.lang_refusal import Refusal
from dgplay.core.graph.memory import why_not_reused
from dgplay.core.graph.modes import MODES, Options, run_mode
from dgplay.core.graph.ops import OPS
from dgplay.core.graph.passes import PASSES, optimize
from dgplay.core.graph.static import GraphBuilder
from dgplay.core.wording import Said, translated
from dgplay.tui.i18n import translator

CORE = Path(package.__file__).parents[1]
FILES = [
    path
    for folder in ("graph", "graph_view")
    for path in sorted((CORE / folder).rglob("*.py"))
    if "programs" not in path.parts
]

#: What explains itself to a person; the rest of what is raised is a bug's, or a request.
EXPLAINED = {
    name
    for name, kind in vars(errors).items()
    if isinstance(kind, type) and issubclass(kind, errors.GraphError)
} | {"Refusal", "BudgetExceeded", "Cancelled", "Ending", "Guard"}

#: Helpers whose texts end in a refusal.
HELPERS = {"refuse", "_exceeded"}


def plain_texts(node: ast.expr) -> list[ast.expr]:
    """The strings that an argument may be, as far as they are written in it."""
    match node:
        case ast.Constant(value=str(text)):
            return [node] if " " in text else []
        case ast.JoinedStr() | ast.BinOp():
            return [node]
        case ast.IfExp():
            return [*plain_texts(node.body), *plain_texts(node.orelse)]
        case ast.BoolOp():
            return [found for value in node.values for found in plain_texts(value)]
        case ast.Call(func=ast.Attribute(attr="format" | "join" | "partition")):
            return [node]
        case ast.Call(func=ast.Attribute(attr="get"), args=[_, default]):
            return plain_texts(default)
        case _:
            return []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_no_message_forgets_its_template(path: Path) -> None:
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if name in EXPLAINED | HELPERS:
            arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
            found += [f"{path.name}:{t.lineno}" for a in arguments for t in plain_texts(a)]
    assert found == []


def test_tables_of_ways_out_are_said() -> None:
    tables: tuple[dict[str, Any], ...] = (
        lang_compile._STATEMENTS, lang_expressions._EXPRESSIONS, lang_expressions._CONSTRUCTS,
        lang_names.HINTS,
    )  # fmt: skip
    assert all(isinstance(text, Said) for table in tables for text in table.values())
    assert all(isinstance(text, Said) for pair in lang_host.REQUESTS.values() for text in pair)


def english(text: str, source: str) -> list[str]:
    """Runs of three Latin words that are neither quoted, nor ops, nor in the program."""
    code = {*OPS, *re.findall(r"[A-Za-z_]+", source)}
    words = re.sub("`[^`]*`", "·", text).split(" ")
    plain = " ".join("·" if word in code else word for word in words)
    return re.findall(r"[a-z]{2,}(?: [a-z]{2,}){2,}", plain)


def in_chinese(text: str, source: str = "") -> str:
    """Return a text in Chinese; it must be made from a template, and no sentence be left."""
    assert isinstance(text, Said), text
    found = translated(text, translator("zh"))
    assert english(found, source) == []
    assert re.search(r"[\u4e00-\u9fff]", found), found
    return found


#: Programs that fail in other ways than the hostile ones.
FAILING = {
    "shapes": "def f(x=[1, 2], y=[1, 2, 3]):\n    return x + y",
    "columns": "def f(x=randn(2, 3)):\n    return x @ x",
    "a reshape": "def f(x=[1, 2, 3]):\n    return x.reshape(2, 2)",
    "an axis": "def f(x=[1, 2]):\n    return x.sum(axis=3)",
    "element types": "def f(x=int64([1, 2])):\n    return x @ x",
    "no such type": "def f(x=[1]):\n    return cast(x, dtype='int8')",
    "a list": "def f(x=[1]):\n    return len(3)",
    "a function": "def f(x=[1]):\n    return sin(sin)",
    "a call": "def f(x=[1]):\n    y = 3\n    return y(x)",
    "text": "def f(x=[1]):\n    return x + 'a'",
    "arms": "def f(x=[1, 2]):\n    return cond(x.sum() > 0, lambda: x, lambda: x.sum())",
    "a carry": "def f(x=[1]):\n    return while_loop(lambda x: x.sum() < 9, lambda x: x.sum(), x)",
    "a test": "def f(x=[1, 2]):\n    return while_loop(lambda x: x < 9, lambda x: x + 1, x)",
    "no def": "x = 1",
    "a word": "def len(x=1):\n    return x",
    "position": "def f(x=[1, 2], i=int64([5])):\n    return x[i]",
    "power": "def f(x=int64([2]), y=int64([-1])):\n    return x ** y",
    "recursion": "def f(x=1, n=int(600)):\n    return f(x, n) if n > 0 else x",
    "a lone test": "def f(x=[1, 2]):\n    if x > 0:\n        return x\n    return x",
}  # fmt: skip


@pytest.mark.parametrize("mode", MODES)
def test_every_refusal_of_a_program_is_chinese(mode: str) -> None:
    budget = Budget(steps=20_000, ops=2_000, depth=200)
    cases = {**HOSTILE, **{source: source for source, _, _ in PLACES}, **FAILING}
    refusals: list[tuple[str, Refusal]] = []
    for source in cases.values():
        try:
            program = load(source)
            inputs = bind(program.parameters, program.inputs)
            run_mode(program, mode, [inputs], Options(budget=budget))
        except Refusal as error:
            refusals.append((source, error))
    for source, refusal in refusals:
        for text in (refusal.what, refusal.why, str(refusal)):
            in_chinese(text, source)
        assert isinstance(refusal.hint, Said)
        assert english(translated(refusal.hint, translator("zh")), source) == []
    assert len(refusals) >= len(cases) - 5  # a few are refused in one mode only


@pytest.mark.parametrize(
    "text",
    ["x=", "x=foo", "x=foo(1)", "x=int([1])", "x=int(1.5)", "x=zeros(-1)", "x=[[1], [1, 2]]",
     "x=int64([0.5])", "x=1; x=2", "x", "x=[1, 2]+[1, 2, 3]", "x=zeros(10000, 10000)",
     "x=[1" + "0" * 400 + "]", "x=1/0"],
)  # fmt: skip
def test_every_refusal_of_an_input_is_chinese(text: str) -> None:
    with pytest.raises(Refusal) as caught:
        read_feeds([text])
    in_chinese(caught.value.what, text)
    in_chinese(caught.value.why, text)
    in_chinese(caught.value.hint, text)


def test_guards_say_in_chinese_what_they_found() -> None:
    source = """w = [1, 2]
def h(a, k=2):
    return a * k
def f(x, k, more):
    for i in range(3):
        print(i)
        for row in more:
            if x.sum() > 0:
                x = h(x) + row + k + w.sum()
    return x
"""
    capture = Capture(load(source))
    for array, k, more in (
        (np.ones(2), 1, (1.0, 2.0)), (np.ones(3), 1, (1.0, 2.0)), (np.ones(4), 2, (1.0, 2.0)),
        (np.ones((2, 2)), 2.5, (1.0, 2.0)), (np.ones(2, np.float32), 1, (1.0,)),
        (-np.ones(2), 1, (1.0, np.ones(2))),
    ):  # fmt: skip
        capture.call({"x": array, "k": k, "more": more}, ["x"])
    texts = {guard.text for entry in capture.entries for guard in entry.guards}
    missed = {text for miss in capture.misses for text in miss.failed}
    assert len(texts) > 15
    assert len(missed) > 4
    for text in (*texts, *missed):
        assert isinstance(text, Said)
        assert english(translated(text, translator("zh")), source) == []
    chinese = {translated(text, translator("zh")) for text in missed}
    assert "x：shape[0] == 2，实际是 3" in chinese


def test_breaks_and_kept_buffers_are_chinese() -> None:
    for name in NAMES:
        program = bundled(name)
        capture = Capture(program)
        capture.call(bind(program.parameters, program.inputs))
        for item in capture.breaks.values():
            ending = item.ending
            for text in (ending.what, ending.why, ending.hint):
                in_chinese(text, program.source.text)
        for entry in capture.entries:
            assert_buffers_told(entry.graph)


def assert_buffers_told(graph: Graph) -> None:
    for number in range(len(graph)):
        in_chinese(why_not_reused(graph, number))


def test_rewrites_are_chinese() -> None:
    b = GraphBuilder()
    x = b.placeholder("x", (3,))
    two = b.const(2.0) * 3.0
    y = b.cond(b.const(True), lambda b, x: x + 1.0, lambda b, x: x, x)
    graph = b.finish((y * 0.0 + x - x) / (x + two) + (x + 1.0) + 2.0, (x * x) + (x * x))
    _, applied = optimize(graph, tuple(PASSES))
    notes = [rewrite.note for step in applied for rewrite in step.rewrites]
    assert len(set(notes)) > 6
    for note in notes:
        assert english(in_chinese(note), "") == []


@pytest.mark.parametrize(
    "source",
    ["def f(:", "x = (1", "x = 1)", "x = (1]", "x = 'a", "x = '''a", "if x\n  y", "if x:\ny",
     "  x = 1\n y", "x = 1 +", "f(a b)", "1 = x", "f() = x", "x + 1 = 2", "del 1", "f(a=1, b)",
     "f(**a, b)", "x = 09", "x = 0o9", "x = 0b2", "x = 1__0", "x = 5a", "x = $", "x = “a”",
     "def f(a=1, b): pass", "def f(*): pass", "print x", "f(x for x in y, 1)", "x = 1 if 2",
     "try:\n  pass\nx", "[x, y for x in z]", "import a,", "x, y: int", "1: int", "x+1 += 2",
     "lambda: x = 1", "f(a.b=1)", "class A\n", "while x\n", "x = f'{'", "\\ x"],
)  # fmt: skip
def test_sentences_of_pythons_parser_are_known(source: str) -> None:
    with pytest.raises(SyntaxError) as caught:
        ast.parse(source)
    text = caught.value.msg
    found = foreign(text)
    assert isinstance(found, Said), text
    assert found == text
    in_chinese(found, source)


def test_sentences_of_numpy_are_known_and_others_stay() -> None:
    with pytest.raises(ValueError) as caught:
        np.ones(2) + np.ones(3)
    assert isinstance(foreign(str(caught.value)), Said)
    assert foreign("a sentence that nobody has listed") == "a sentence that nobody has listed"
    assert len(set(KNOWN)) == len(KNOWN)
