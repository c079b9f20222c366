"""Texts that remember how they were made."""

from __future__ import annotations

import copy
import json

from dgplay.core.wording import Said, joined, say, translated

CHINESE = {"no axis {axis} in {shape}": "{shape} 中没有轴 {axis}", "a list": "列表"}


def chinese(text: str) -> str:
    return CHINESE.get(text, text)


def test_a_said_text_is_the_english_text() -> None:
    text = say("no axis {axis} in {shape}", axis=2, shape=(3, 4))
    assert text == "no axis 2 in (3, 4)"
    assert json.dumps(text) == '"no axis 2 in (3, 4)"'


def test_its_template_is_translated_and_filled_in_again() -> None:
    text = say("no axis {axis} in {shape}", axis=2, shape=say("a list"))
    assert translated(text, chinese) == "列表 中没有轴 2"


def test_formats_of_values_are_kept() -> None:
    assert say("{count:,} of {name!r}", count=1000, name="x") == "1,000 of 'x'"


def test_the_message_of_an_error_is_still_said() -> None:
    message = str(ValueError(say("no axis {axis} in {shape}", axis=0, shape="f64[]")))
    assert isinstance(message, Said)
    assert translated(message, chinese) == "f64[] 中没有轴 0"


def test_joined_parts_are_translated_each() -> None:
    text = joined("; ", [say("a list"), "x {y}"])
    assert text == "a list; x {y}"
    assert translated(text, chinese) == "列表; x {y}"
    assert joined(", ", []) == ""


def test_a_plain_text_stays_as_it_is() -> None:
    assert translated("no axis {axis}", chinese) == "no axis {axis}"


def test_copies_still_know_their_template() -> None:
    text = say("no axis {axis} in {shape}", axis=1, shape="()")
    copied = copy.deepcopy(text)
    assert copied == text
    assert translated(copied, chinese) == "() 中没有轴 1"
