"""Numbers, seconds and texts become exact lengths; each is compared with exact arithmetic."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dgplay.core.sequences.units import Unit, shown_rate, unit_in_words
from dgplay.core.sequences.values import (
    LARGEST,
    BadRow,
    frame_decimals,
    frames,
    looks_like_number,
    measure,
    shown,
    whole,
)


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("0", 0), ("12", 12), (" 12 ", 12), ("+7", 7), ("3.0", 3), ("3.", 3), ("3e0", 3),
        ("1.5e1", 15), ("007", 7), ("-0", 0), ("0.0", 0), (str(LARGEST), LARGEST),
        ("9007199254740992.0", LARGEST), ("1E3", 1000), ("0" * 5000 + "3", 3),
    ],
)  # fmt: skip
def test_whole_numbers(text: str, length: int) -> None:
    assert whole(text) == length


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "empty where a number is expected"),
        ("x", '"x" is not a number'),
        ("1_000", '"1_000" is not a number'),
        ("1,000", '"1,000" is not a number'),
        ("0x10", '"0x10" is not a number'),
        ("١٢", '"١٢" is not a number'),
        ("NaN", "NaN is not a finite number"),
        ("-inf", "-inf is not a finite number"),
        ("Infinity", "Infinity is not a finite number"),
        ("-1", "-1 is negative"),
        ("-1e-400", "-1e-400 is negative"),
        ("2.5", "2.5 is not a whole number"),
        ("1e-400", "1e-400 is not a whole number"),
        ("9007199254740992.5", "9007199254740992.5 is above 2^53, the longest length there can be"),
        ("9007199254740993", "9007199254740993 is above 2^53, the longest length there can be"),
        ("1e400", "1e400 is above 2^53, the longest length there can be"),
        ("1e99999999999999999999", "1e99999999999999999999 is out of the range of numbers"),
        ("9" * 5000, "9" * 39 + "… is above 2^53, the longest length there can be"),
    ],
)
def test_what_is_no_length(text: str, what: str) -> None:
    with pytest.raises(BadRow) as caught:
        whole(text)
    assert caught.value.what == what


@pytest.mark.parametrize(
    ("text", "rate", "expected"),
    [
        ("1.10", "100", 110), ("0.07", "100", 7), ("2.375", "100", 238), ("4.999", "100", 500),
        ("5.001", "100", 501), ("1.10", "12.5", 14), ("0.08", "12.5", 1), ("0.080001", "12.5", 2),
        ("1e-999999", "100", 1), ("0e-999999", "100", 0), ("0.1", "1/3", 1), ("3", "1/3", 1),
        ("1.10000000000000000000000001", "100", 111), ("90071992547409.92", "100", LARGEST),
    ],
)  # fmt: skip
def test_seconds_are_decimals(text: str, rate: str, expected: int) -> None:
    assert frames(text, Fraction(rate)) == expected


@pytest.mark.parametrize("text", ["90071992547409.93", "1e60", "1e999999"])
def test_too_many_frames(text: str) -> None:
    with pytest.raises(BadRow, match="more than 2\\^53 frames"):
        frames(text, Fraction(100))


@given(
    st.decimals(0, 10**6, allow_nan=False, allow_infinity=False),
    st.sampled_from(["100", "12.5", "1", "50", "44100", "1/3", "93.75", "62.5"]),
)
def test_frames_are_the_exact_ceiling(seconds: Decimal, rate: str) -> None:
    assert frames(str(seconds), Fraction(rate)) == math.ceil(Fraction(seconds) * Fraction(rate))


@pytest.mark.parametrize(
    ("rate", "places"), [("100", 2), ("12.5", 2), ("1", 0), ("50", 2), ("62.5", 3), ("44100", None)]
)
def test_decimals_that_end_a_frame(rate: str, places: int | None) -> None:
    assert frame_decimals(Fraction(rate)) == places


def test_texts() -> None:
    text = "one\u00a0two \u3000 drei\x1fé"
    assert [measure(text, unit) for unit in ("words", "chars", "bytes")] == [4, 16, 20]


@given(st.floats())
def test_every_float_looks_like_a_number(number: float) -> None:
    assert looks_like_number(repr(number))


def test_shown_is_one_line() -> None:
    assert shown("a\nb\x1b[31m") == "a\\nb\\x1b[31m"
    assert len(shown("x" * 1000)) == 40


@pytest.mark.parametrize(
    ("remark", "unit"),
    [
        ("whitespace words of title + description", Unit("words")),
        ("characters of the transcript", Unit("chars")),
        ("10 ms frames (segment duration x 100, rounded)", Unit("frames", Fraction(100))),
        ("12.5 ms frames", Unit("frames", Fraction(80))),
        ("Python lexer tokens per file (no comments)", Unit("tokens")),
        ("syntactic words (integer CoNLL-U ids)", Unit("words")),
        ("amino-acid residues", Unit("residues")),
        ("nucleotides", Unit("residues")),
        ("apples", None),
    ],
)
def test_units_in_words(remark: str, unit: Unit | None) -> None:
    assert unit_in_words(remark) == unit


def test_rates_as_people_write_them() -> None:
    assert [shown_rate(Fraction(r)) for r in ("100", "12.5", "1/3")] == ["100", "12.5", "1/3"]
