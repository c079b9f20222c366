"""Each file of the graph engine can be read on its own."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import dgplay.core.graph as package

ROOT = Path(package.__file__).parent
FILES = sorted(path for path in ROOT.rglob("*.py") if "programs" not in path.parts)


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


def imported(path: Path) -> set[str]:
    """The modules of this package that a file imports when it is loaded."""
    names = {module_name(other) for other in FILES}
    base = list(path.relative_to(ROOT).parts[:-1])
    found: set[str] = set()
    for node in ast.parse(path.read_text()).body:
        if not isinstance(node, ast.ImportFrom) or not node.level:
            continue
        if node.level - 1 > len(base):
            continue  # from outside the package, such as the wording that all of core shares
        up = base[: len(base) - (node.level - 1)] if node.level > 1 else base
        prefix = ".".join([*up, *(node.module or "").split(".")]).strip(".")
        for alias in node.names:
            inner = f"{prefix}.{alias.name}".strip(".")
            found.add(inner if inner in names else prefix)
    return found - {module_name(path)}


@pytest.mark.parametrize("path", FILES, ids=module_name)
def test_a_file_says_what_it_is_and_is_short(path: Path) -> None:
    text = path.read_text()
    assert ast.get_docstring(ast.parse(text))
    assert len(text.splitlines()) <= 400


def test_no_import_cycle() -> None:
    edges = {module_name(path): imported(path) for path in FILES}
    done: set[str] = set()
    while len(done) < len(edges):
        ready = {name for name, needs in edges.items() if name not in done and needs <= done | {""}}
        if not ready:
            left = sorted(set(edges) - done)
            pytest.fail(f"a cycle among {left}")
        done |= ready


def test_the_core_loads_no_user_interface() -> None:
    code = (
        "import sys, dgplay.core.graph.eager, dgplay.core.graph.runtime, dgplay.core.graph.passes;"
        "print(sorted({m.split('.')[0] for m in sys.modules} & {'textual', 'rich', 'torch'}))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
