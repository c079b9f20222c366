"""Wrapping: words stay whole, Chinese breaks anywhere but before or after certain signs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from dgplay.tui.widgets.prose import wrapped


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("", 10, [""]),
        ("two words", 5, ["two", "words"]),
        ("two words", 9, ["two words"]),
        ("unbreakable", 4, ["unbreakable"]),
        ("真实步数 1065。短的填满。", 13, ["真实步数", "1065。短的填", "满。"]),
        ("真实步数 1065。短的填满。", 15, ["真实步数 1065。", "短的填满。"]),
        ("一二三，四", 6, ["一二", "三，四"]),
        ("一二（三）", 6, ["一二", "（三）"]),
        ("按 k=8 键", 6, ["按 k=8", "键"]),
    ],
)
def test_lines(text, width, lines):
    assert wrapped(text, width) == lines


@given(st.text("ab ，。（）一二三 8", max_size=60), st.integers(12, 40))
def test_nothing_is_lost(text, width):
    lines = wrapped(text, width)
    assert "".join("".join(lines).split()) == "".join(text.split())
    for line in lines:
        assert cell_len(line) <= width or " " not in line.strip()
