"""Numbers with their nouns."""

from __future__ import annotations

import pytest

from dgplay.core.counting import Counted, counted, lengths_text


@pytest.mark.parametrize(("number", "said"), [(0, "0 moves"), (1, "1 move"), (2, "2 moves")])
def test_one_is_one_and_all_else_is_many(number: int, said: str) -> None:
    assert f"{Counted(number):move|moves}" == said
    assert counted(number, "moves") == said


def test_a_language_without_a_plural_takes_the_number() -> None:
    assert f"{Counted(1)} 步" == "1 步"
    assert f"{Counted(1234):,}" == "1,234"


def test_lengths_that_are_all_one_are_no_range() -> None:
    assert lengths_text(3, 20, "words", "–") == "3–20 words"
    assert lengths_text(3, 3, "words", "–") == "3 words"
    assert lengths_text(1, 1, "words", "-") == "1 word"
