"""Sentences of Python and the system: their English stays, the common ones can be translated."""

from __future__ import annotations

import errno
import json
import os

import pytest

from dgplay.core.errors import DataError, DgplayError
from dgplay.core.foreign import foreign, reason, unread
from dgplay.core.wording import Said, say, translated


def marked(text: str) -> str:
    """Translate by putting a text into brackets."""
    return f"[{text}]"


@pytest.mark.parametrize(
    "number",
    [errno.ENOENT, errno.EACCES, errno.EISDIR, errno.ENOTDIR, errno.ENOSPC, errno.EROFS],
)
def test_what_the_system_says_is_known(number: int) -> None:
    error = OSError(number, os.strerror(number))
    assert reason(error) == os.strerror(number)
    assert isinstance(reason(error), Said)


def test_it_may_begin_without_a_capital() -> None:
    error = OSError(errno.EACCES, "Permission denied")
    assert reason(error, small=True) == "permission denied"
    assert translated(reason(error, small=True), marked) == "[permission denied]"


def test_without_a_reason_there_is_another() -> None:
    assert reason(OSError(), "cannot be listed") == "cannot be listed"


def test_what_is_not_known_stays_as_it_is() -> None:
    assert foreign("a sentence of nobody") == "a sentence of nobody"
    assert not isinstance(foreign("a sentence of nobody"), Said)


@pytest.mark.parametrize("text", ["{", "[1,", '{"a" 1}', '{"a": }', "[1] 2", '"a', '"\\x"'])
def test_broken_json_reads_as_python_says_it(text: str) -> None:
    with pytest.raises(json.JSONDecodeError) as caught:
        json.loads(text)
    told = unread(caught.value)
    assert told == str(caught.value)
    assert isinstance(told, Said)
    assert isinstance(told.values["problem"], Said)


def test_bytes_that_are_no_text_read_as_python_says_it() -> None:
    with pytest.raises(UnicodeDecodeError) as caught:
        b"ab\xff".decode("utf-8")
    assert unread(caught.value) == str(caught.value)


def test_of_another_error_the_first_line_is_read() -> None:
    assert unread(ValueError("one\ntwo")) == "one"


def test_an_error_is_translated_part_by_part() -> None:
    error = DataError(say("no row {row}", row=3), where="a.csv:3", hint=say("add one"))
    assert str(error) == "a.csv:3: no row 3; add one"
    words = {
        "{where}: {what}": "{where}：{what}",
        "{told}; {hint}": "{told}；{hint}",
        "no row {row}": "没有第 {row} 行",
        "add one": "请加一行",
    }
    assert translated(str(error), lambda text: words.get(text, text)) == (
        "a.csv:3：没有第 3 行；请加一行"
    )


def test_an_error_without_place_and_hint_is_what_it_says() -> None:
    assert str(DgplayError(say("no row"))) == "no row"
    assert str(DgplayError("plain {words}")) == "plain {words}"
    assert translated(str(DgplayError("plain {words}")), str) == "plain {words}"
