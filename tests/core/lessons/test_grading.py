"""Grading typed answers: what is accepted, and where exact, close and off meet."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dgplay.core.lessons.grading import GRADES, UNREADABLE, grade


@pytest.mark.parametrize(
    "typed",
    ["1270", " 1270 ", "1,270", "1 270", "1_270", "1'270", "１２７０", "１，２７０", "+1270",
     "1270.0", "1.27e3", "~1270", "1270/2000", "1270 / 2000", "1270."],
)  # fmt: skip
def test_a_whole_number_however_it_is_typed(typed):
    assert grade(typed, 1270) == "exact"


@pytest.mark.parametrize(
    ("typed", "truth", "expected"),
    [
        ("1271", 1270, "close"),
        ("1333", 1270, "close"),  # 5% is 63.5
        ("1334", 1270, "off"),
        ("1206", 1270, "off"),
        ("5", 4, "off"),
        ("-11", -11, "exact"),
        ("−11", -11, "exact"),
        ("11", -11, "off"),
        ("0", 0, "exact"),
        ("1", 0, "off"),
        ("1.07", 1.0716, "exact"),
        ("1.1", 1.0716, "close"),  # a rounding, but by more than 1%
        ("1.05", 1.0716, "close"),
        ("2", 1.0716, "off"),
        ("0.09", 0.0931, "close"),
        ("0.093", 0.0931, "exact"),
        ("46.8%", 46.8, UNREADABLE),
        (str(10**30), 10**30, "exact"),
    ],
)
def test_numbers(typed, truth, expected):
    assert grade(typed, truth) == expected


@pytest.mark.parametrize(
    "typed", ["46.8", "46.8%", "46.8 %", "０.468", "0.4675", "４６．８％", "46.75"]
)
def test_a_share_as_a_percentage_or_a_part(typed):
    assert grade(typed, 0.4675, share=True) == "exact"


@pytest.mark.parametrize(
    ("typed", "expected"), [("47", "exact"), ("48", "close"), ("45%", "close"), ("50", "off"),
                            ("0.5", "off"), ("4675", "off")]
)  # fmt: skip
def test_shares_that_are_near(typed, expected):
    assert grade(typed, 0.4675, share=True) == expected


@pytest.mark.parametrize(
    ("typed", "truth", "expected"),
    [
        ("OK", True, "exact"),
        ("ＯＫ", True, "exact"),
        ("yes", True, "exact"),
        ("是", True, "exact"),
        ("WRONG", True, "off"),
        ("wrong", False, "exact"),
        ("n", False, "exact"),
        ("错", False, "exact"),
        ("maybe", True, UNREADABLE),
        ("Static", "static", "exact"),
        ("eager", "static", "off"),
        ("4,11,17,20", (4, 11, 17, 20), "exact"),
        ("4 11 17 20", (4, 11, 17, 20), "exact"),
        ("４，１１，１７，２０", (4, 11, 17, 20), "exact"),
        ("4、11、17、20", (4, 11, 17, 20), "exact"),
        ("[4, 11, 17, 20]", (4, 11, 17, 20), "exact"),
        ("4,11,17", (4, 11, 17, 20), "off"),
        ("100,201", (100, 200), "close"),
        ("a,b", (100, 200), UNREADABLE),
        ("none", None, "exact"),
        ("–", None, "exact"),
        ("3", None, "off"),
        ("what", None, UNREADABLE),
        ("nan", float("nan"), "exact"),
        ("inf", float("inf"), "exact"),
        ("3", float("inf"), "off"),
        ("", 4, UNREADABLE),
        ("4 apples", 4, UNREADABLE),
        ("1,27", 127, UNREADABLE),
        ("9" * 500, 9, UNREADABLE),
        (".", 0, UNREADABLE),
    ],
)
def test_words_lists_and_what_is_neither(typed, truth, expected):
    assert grade(typed, truth) == expected


@given(st.text(max_size=30), st.one_of(st.integers(), st.floats(), st.booleans(), st.none()))
def test_whatever_is_typed_gets_a_grade(typed, truth):
    assert grade(typed, truth) in (*GRADES, UNREADABLE)


@given(st.integers(-(10**15), 10**15))
def test_the_number_itself_is_exact(number):
    assert grade(f"{number}", number) == "exact"
    assert grade(f"{number:,}", number) == "exact"


@given(st.floats(0.02, 5))
def test_what_the_screen_shows_of_a_share_is_exact(share):
    assert grade(f"{100 * share:.1f}%", share, share=True) in ("exact", "close")
    assert grade(repr(share), share, share=True) == "exact"
