"""The catalogues hold every text of the screens, with the same values to put in."""

import ast
import re
import string
from collections.abc import Iterator
from gettext import GNUTranslations
from pathlib import Path

import pytest

from dgplay.core import plan_tables, tables
from dgplay.core.graph.bundled import NAMES, summary
from dgplay.core.graph.ops import OPS
from dgplay.core.graph.passes import PASSES
from dgplay.core.predict import SCORES
from dgplay.core.sequences.buckets import PAD_TO_POLICIES
from dgplay.core.sequences.bundled import describe
from dgplay.core.sequences.export import EXPORTERS
from dgplay.core.sequences.strategies import EVERY
from dgplay.core.state import LANGUAGES, MODES
from dgplay.tui.i18n import CATALOGUES, LOCALE, translator

PROJECT = LOCALE.parents[1]


def texts() -> Iterator[str]:
    """What the source marks with ``tr``, ``mark`` or ``say``, and what core's tables say."""
    for path in [*PROJECT.glob("core/**/*.py"), *PROJECT.glob("tui/**/*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
                name = getattr(node.func, "attr", getattr(node.func, "id", ""))
                if name in ("tr", "mark", "say") and node.args[0].value:
                    yield node.args[0].value
    for module in (tables, plan_tables):
        for name in dir(module):
            if name.endswith("_HEADINGS"):
                yield from (item.title for item in getattr(module, name) if item.title)
    yield from (*tables.FORMULAS, *tables.FORMULAS.values(), *MODES, *PAD_TO_POLICIES, *SCORES)
    yield from (exporter.doc for exporter in EXPORTERS.values())
    yield from (summary(name) for name in NAMES)
    for item in describe():
        yield from (item.field, item.unit)
    yield from (each.reason for each in PASSES.values())
    yield from (op.doc for op in OPS.values())
    yield from (strategy.doc for strategy in EVERY)


TEXTS = sorted(set(texts()))


def catalogue(lang: str) -> GNUTranslations:
    folder = LOCALE / CATALOGUES[lang] / "LC_MESSAGES"
    with (folder / "dgplay.mo").open("rb") as file:
        return GNUTranslations(file)


def placeholders(text: str) -> list[str]:
    return sorted(re.findall(r"\{(\w+)", text))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_text_is_in_the_catalogue(lang):
    known = catalogue(lang)._catalog
    missing = [text for text in TEXTS if not known.get(text)]
    assert not missing, f"run python tui/locale/update.py and translate: {missing[:5]}"


def test_chinese_puts_in_the_same_values():
    chinese = translator("zh")
    differing = [text for text in TEXTS if placeholders(text) != placeholders(chinese(text))]
    assert differing == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_translation_formats_what_its_text_formats(lang):
    def fields(text):
        parsed = string.Formatter().parse(text)
        named = [(name, how, spec) for _, name, spec, how in parsed if name is not None]
        # One and many, as in {count:sequence|sequences}, are the same word in Chinese.
        return sorted((name, how or "", "" if "|" in spec else spec) for name, how, spec in named)

    messages = catalogue(lang)._catalog
    differing = [text for text, said in messages.items() if text and fields(text) != fields(said)]
    assert differing == []
    assert len(messages) > 1500


def test_chinese_is_chinese():
    chinese = translator("zh")
    same = {text for text in TEXTS if chinese(text) == text and re.search(r"[a-z]{4,}", text)}
    # What stays as it is: names that are typed, and formulas without a word.
    assert len(same) < 12, sorted(same)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_compiled_catalogue_says_what_its_source_says(lang):
    source = (LOCALE / CATALOGUES[lang] / "LC_MESSAGES" / "dgplay.po").read_text(encoding="utf-8")
    compiled = catalogue(lang)._catalog
    blocks = re.findall(r'^msgid ((?:".*"\n)+)msgstr ((?:".*"\n?)+)', source, re.MULTILINE)
    read = {_joined(name): _joined(said) for name, said in blocks}
    assert {name: said for name, said in read.items() if name and said} == {
        name: said for name, said in compiled.items() if name
    }


def _joined(quoted: str) -> str:
    return "".join(ast.literal_eval(part) for part in re.findall(r'"(?:[^"\\]|\\.)*"', quoted))


def test_no_catalogue_is_left_over():
    assert {path.name for path in Path(LOCALE).iterdir() if path.is_dir()} - {"__pycache__"} == set(
        CATALOGUES.values()
    )
