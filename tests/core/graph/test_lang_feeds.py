"""Feeds: what text means which value, and what is refused."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

from dgplay.core.graph.feeds import bind, format_feed, read_feeds
from dgplay.core.graph.lang_refusal import Refusal

VALUES: list[tuple[str, Any]] = [
    ("x=2", np.array(2.0)),
    ("x=-2.5", np.array(-2.5)),
    ("x=[1, 2]", np.array([1.0, 2.0])),
    ("x=[[1, 2], [3, 4]]", np.array([[1.0, 2.0], [3.0, 4.0]])),
    ("x=(1, 2)", np.array([1.0, 2.0])),
    ("x=[]", np.array([])),
    ("x=[1, -inf, nan]", np.array([1.0, -np.inf, np.nan])),
    ("x=int64([1, 2])", np.array([1, 2])),
    ("x=int64(3)", np.array(3)),
    ("x=float32([1, 2])", np.array([1, 2], np.float32)),
    ("x=float32(randn(2))", np.random.default_rng(7).standard_normal(2).astype(np.float32)),
    ("x=bool([1, 0])", np.array([True, False])),
    ("x=zeros(2, 1)", np.zeros((2, 1))),
    ("x=ones(3) * 2", np.full(3, 2.0)),
    ("x=[1]*3", np.array([3.0])),
    ("x=1 / 4", np.array(0.25)),
    ("x=randn(2, 3)", np.random.default_rng(7).standard_normal((2, 3))),
    ("x=int(6)", 6),
    ("x=int(-6)", -6),
    ("x=int(2 ** 3)", 8),
    ("x=float(2)", 2.0),
    ("x=True", True),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), VALUES)
def test_values(text: str, expected: Any) -> None:
    found = read_feeds([text], seed=7)["x"]
    assert type(found) is type(expected)
    if isinstance(expected, np.ndarray):
        assert isinstance(found, np.ndarray)
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
        assert found.tobytes() == expected.tobytes()
        assert found.flags.c_contiguous
    else:
        assert found == expected


@pytest.mark.parametrize(("text", "expected"), VALUES)
def test_a_value_can_be_written_again(text: str, expected: Any) -> None:
    found = read_feeds([text], seed=7)["x"]
    again = read_feeds([f"x={format_feed(found)}"])["x"]
    assert np.asarray(again).dtype == np.asarray(found).dtype
    assert np.array_equal(again, found, equal_nan=True)


def test_several_in_one_text_and_in_several() -> None:
    assert read_feeds(["x=1; k=int(2)", "y=3"]) == {"x": 1.0, "k": 2, "y": 3.0}


REFUSED = [
    ("x", "not NAME=VALUE"),
    ("x==1", "not NAME=VALUE"),
    ("x=1; x=2", "twice"),
    ("x=y", "not a value"),
    ("x=__import__('os')", "not a value"),
    ("x=open('f')", "not a value"),
    ("x='text'", "not a value"),
    ("x=[1, [2, 3]]", "rows of a list differ"),
    ("x=[1, 'a']", "not a value"),
    ("x=int(2.5)", "not whole"),
    ("x=int([1])", "one finite number"),
    ("x=int64([0.5])", "whole numbers"),
    ("x=zeros(-1)", "not a size"),
    ("x=zeros(2.5)", "not a size"),
    ("x=zeros(100000, 100000)", "too large"),
    ("x=randn(10**9)", "too large"),
    ("x=ones(3) + ones(4)", "do not fit"),
    ("x=ones(3000, 1) * ones(1, 3000)", "too large"),
    ("x=2**10**9", "bits"),
    ("x=1/0", "divided by zero"),
    ("x=[9" + "9" * 400 + "]", "too large"),
    ("x=" + "[" * 1000, "nested too deeply"),
    ("x=" + "-" * 7000 + "1", "nested too deeply"),
    ("x=[" + "1," * 200000 + "]", "bytes"),
    ("x=", "invalid syntax"),
    ("import os", "not NAME=VALUE"),
    ("x=(lambda: 1)()", "not a value"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "said"), REFUSED)
def test_what_is_no_value_is_refused_at_once(text: str, said: str) -> None:
    begun = time.process_time()
    with pytest.raises(Refusal) as caught:
        read_feeds([text])
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert time.process_time() - begun < 0.1


def test_binding_names_what_is_missing_and_what_is_unknown() -> None:
    assert bind(("a", "b"), {"a": 1.0}, {"b": 2.0, "a": 3.0}) == {"a": 3.0, "b": 2.0}
    with pytest.raises(Refusal, match=r"no input c.*a, b"):
        bind(("a", "b"), {"a": 1.0, "b": 1.0, "c": 1.0})
    with pytest.raises(Refusal, match=r"b has no value.*--feed b=2"):
        bind(("a", "b"), {"a": 1.0})
