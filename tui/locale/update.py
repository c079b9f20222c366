"""Bring the catalogues up to date: ``python tui/locale/update.py``.

Gathers every text that the screens translate, merges it into the ``.po`` files (new ones empty,
dropped ones removed) and compiles them. Needs the extra ``check`` (Babel).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from dgplay.core import plan_tables, tables
from dgplay.core.graph.bundled import NAMES, summary
from dgplay.core.graph.ops import OPS
from dgplay.core.graph.passes import PASSES
from dgplay.core.predict import SCORES
from dgplay.core.sequences.buckets import PAD_TO_POLICIES
from dgplay.core.sequences.bundled import describe
from dgplay.core.sequences.export import EXPORTERS
from dgplay.core.sequences.strategies import EVERY
from dgplay.core.state import MODES

HERE = Path(__file__).parent

#: A date would change the files at every run.
UNDATED = datetime(2000, 1, 1, tzinfo=UTC)
PROJECT = HERE.parents[1]

#: Functions whose first argument is a text to translate.
MARKERS = frozenset({"tr", "mark", "say"})


def written() -> Iterator[str]:
    """Yield the texts that the source marks."""
    for path in sorted([*PROJECT.glob("core/**/*.py"), *PROJECT.glob("tui/**/*.py")]):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            function = node.func
            name = function.attr if isinstance(function, ast.Attribute) else ""
            name = function.id if isinstance(function, ast.Name) else name
            first = node.args[0]
            if name in MARKERS and isinstance(first, ast.Constant) and first.value:
                yield str(first.value)


def tabled() -> Iterator[str]:
    """Yield the texts of core's tables that are translated where they are shown."""
    for module in (tables, plan_tables):
        for name in dir(module):
            if name.endswith("_HEADINGS"):
                yield from (heading.title for heading in getattr(module, name))
    yield from tables.FORMULAS
    yield from tables.FORMULAS.values()
    yield from (*MODES, *PAD_TO_POLICIES, *SCORES)
    yield from (exporter.doc for exporter in EXPORTERS.values())
    yield from (summary(name) for name in NAMES)
    for item in describe():
        yield from (item.field, item.unit)
    yield from (each.reason for each in PASSES.values())
    yield from (op.doc for op in OPS.values())
    yield from (strategy.doc for strategy in EVERY)


def texts() -> list[str]:
    """Return every text to translate, each once, in order of the alphabet."""
    return sorted({*written(), *tabled()} - {""})


def main() -> None:
    """Update and compile both catalogues; English says what it is asked."""
    for folder in sorted(HERE.glob("*/LC_MESSAGES")):
        english = folder.parent.name == "en"
        path = folder / "dgplay.po"
        known = read_po(path.open("rb")) if path.exists() else Catalog()
        fresh = Catalog(
            locale=folder.parent.name,
            project="dgplay",
            fuzzy=False,
            creation_date=UNDATED,
            revision_date=UNDATED,
        )
        for text in texts():
            before = known.get(text)
            fresh.add(text, text if english else (before.string if before else ""))
        with path.open("wb") as file:
            write_po(file, fresh, omit_header=False, sort_output=True)
        with (folder / "dgplay.mo").open("wb") as file:
            write_mo(file, fresh)
        empty = [message.id for message in fresh if message.id and not message.string]
        print(f"{folder.parent.name}: {len(texts())} texts, {len(empty)} to translate")
        for missing in empty:
            print(f"  {missing!r}")


if __name__ == "__main__":
    main()
