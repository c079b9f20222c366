"""Wrapping: words stay whole, Chinese breaks anywhere but before or after certain signs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from dgplay.tui.widgets.prose import cut, wrapped


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


@pytest.mark.parametrize(
    ("text", "width", "told"),
    [
        ("two words", 8, "two …"),
        ("two words", 11, "two words …"),
        ("unbreakable", 5, "unbr…"),
        ("序列的步数", 8, "序列的 …"),
        ("序列的步数", 7, "序列 …"),
        ("按 k=8 再来", 9, "按 k=8 …"),
        ("一二（三四）五", 9, "一二 …"),
        ("一二，三四", 7, "一 …"),
        ("一二三", 0, ""),
    ],
)
def test_what_does_not_fit_is_cut_between_words_or_wide_characters(text, width, told):
    assert cut(text, width, "…").rstrip() == told


@given(st.text("ab ，。（）一二三 8", min_size=1, max_size=60), st.integers(1, 40))
def test_what_is_cut_fills_its_line_at_most_and_shows_the_sign(text, width):
    told = cut(text, width, "…")
    assert cell_len(told) <= width
    assert "…" in told
