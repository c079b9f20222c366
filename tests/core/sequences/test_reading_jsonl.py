"""The fast way through JSONL gives what parsing every line gives, on every input."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dgplay.core.errors import DataError
from dgplay.core.sequences.dataset import DataOptions
from dgplay.core.sequences.jsonl_shape import Shape
from dgplay.core.sequences.jsonl_tokens import Seconds
from dgplay.core.sequences.reader_jsonl import Rows
from dgplay.core.sequences.tally import Meter, Tally
from dgplay.core.sequences.values import frames

NUMBERS = st.one_of(
    st.integers(0, 30).map(str),
    st.decimals(0, 40, places=2).map(str),
    st.floats(0, 40).map(repr),
    st.sampled_from(
        ["1.10", "1.1000", "1.10001", "1.1000000", "0.07", "-1", "-0", "-0.0", "01", "00.5", "1.",
         ".5", "1e3", "1E-2", "NaN", "Infinity", "3.0", "3.000", "9007199254740993", "1234567890.5",
         "123456789012345", "1234567890123456", "99999999999999999999", "1234567890123456.25",
         "0.0", "5.000000000000000000000000000000000000000000001", "+1", "true", '"1.5"', "null"]
    ),
)  # fmt: skip
STRINGS = st.one_of(
    st.text(max_size=6).map(json.dumps),
    st.text(max_size=6).map(lambda text: json.dumps(text, ensure_ascii=False)),
    st.sampled_from(
        ['"a b"', '""', '"a\\u0020b"', '"a\\nb"', '"tab\there"', '"\x85"', '"a\u00a0b"', '"x', 'y"',
         '"a\rb"', '"\x7f"', '"a\\"b"', "null", "3", '"\ud7ff\u3000"']
    ),
)  # fmt: skip
LAYOUTS = st.sampled_from(
    [
        '{{"path": {s}, "duration": {n}, "text": {t}}}',
        '{{"path":{s},"duration":{n},"text":{t}}}',
        '{{"duration": {n}, "sub": {{"duration": 7, "x": [1, {s}]}}}}',
        '{{"text": {t}, "duration": {n}, "duration": {n}}}',
        '{{"duration": {n}}}',
        '{{"duration": {n}}} ',
        '  {{"duration" : {n}}}',
        '{{"duration": {n}}}{{"duration": {n}}}',
        '{{"durati\\u006fn": {n}, "text": {t}}}',
        '{{"length": {n}, "text": {t}}}',
        '{{"text": {t}, "id": {n}}}',
        "",
        "   ",
        "# no comment",
        "[{n}]",
    ]
)


@st.composite
def jsonl(draw: st.DrawFn) -> bytes:
    """Lines mostly of one layout, values of every sort, sometimes broken bytes."""
    usual = draw(LAYOUTS)
    lines = []
    for _ in range(draw(st.integers(1, 25))):
        layout = usual if draw(st.integers(0, 9)) else draw(LAYOUTS)
        simple = draw(st.booleans())
        line = layout.format(
            n="2.5" if simple and "length" not in layout else draw(NUMBERS),
            s='"a"' if simple else draw(STRINGS),
            t='"b c"' if simple else draw(STRINGS),
        ).encode("utf-8", "surrogatepass")
        if not draw(st.integers(0, 30)):
            place = draw(st.integers(0, len(line)))
            line = line[:place] + draw(st.binary(max_size=2)).replace(b"\n", b"") + line[place:]
        lines.append(line)
    return b"\n".join(lines) + b"\n"


def outcome(content: bytes, options: DataOptions, fast: bool, blocks: int) -> Any:
    """Read in blocks of so many lines; return everything that came of it."""
    tally = Tally("x", skip_bad=options.skip_bad, refuse_above=options.max_length, meter=Meter())
    rows = Rows(tally, options, fast=fast)
    lines = content[:-1].split(b"\n")
    try:
        if blocks:
            for begin in range(0, len(lines), blocks):
                rows.block(b"\n".join(lines[begin : begin + blocks]) + b"\n")
        else:
            rows.block(content)
        account = tally.finish()
    except DataError as error:
        return str(error)
    order = None if account.in_order is None else account.in_order.tolist()
    return account.histogram.items(), account.skipped, account.first_bad, order


@settings(max_examples=300, deadline=None)
@given(
    content=jsonl(),
    skip_bad=st.booleans(),
    field=st.sampled_from([None, "duration", "length", "text"]),
    rate=st.sampled_from([None, "12.5", "1", "44100", "1/3", "62.5"]),
    unit=st.sampled_from([None, "chars", "bytes"]),
    max_length=st.sampled_from([None, 3, 240]),
    blocks=st.sampled_from([0, 1, 2, 9]),
)
@example(
    b'{"duration": 1.0}\n{"duration": 1234567890123456.25}\n', False, None, None, None, None, 0
)
@example(b'{"duration": 1.5}\n{"duration": 1.\n5}\n', True, None, None, None, None, 0)
@example(b'{"text": "a"}\n{"text": "a\n"}\n{"text": "b"}\n', True, None, None, None, None, 0)
@example(b'{"length": 1}\n{"length": 0012}\n{"length": 3}\n', True, None, None, None, None, 0)
def test_fast_is_slow(
    content: bytes,
    skip_bad: bool,
    field: str | None,
    rate: str | None,
    unit: str | None,
    max_length: int | None,
    blocks: int,
) -> None:
    options = DataOptions(
        ("x",),
        skip_bad=skip_bad,
        field=field,
        frame_rate=None if rate is None else Fraction(rate),
        unit=unit,
        max_length=max_length,
    )
    assert outcome(content, options, True, blocks) == outcome(content, options, False, 0)


def test_the_fast_way_is_taken() -> None:
    line = b'{"path": "a/b.wav", "duration": 1.25, "text": "one two"}'
    shape = Shape.of(line, "duration", Fraction(100))
    assert shape is not None
    block = b"".join(line.replace(b"1.25", b"%d.%d" % (i, i)) + b"\n" for i in range(21))
    assert shape.whole_block(block) == [b"%d.%d" % (i, i) for i in range(21)]
    assert shape.whole_block(block.replace(b"one two", b"one\\ntwo", 1)) is None
    assert shape.whole_block(block.replace(b'"a/', b'"\n/', 1)) is None
    mixed = shape.lines(block.replace(b"one", b"\\u00e9", 1))
    assert [bool(other) for _, other in mixed] == [True] + [False] * 20


@pytest.mark.parametrize(
    "line",
    [b'{"duration": "x"}', b'{"duration": [1]}', b'{"a": 1}', b'{"duration": 1, "duration": 2}',
     b'{"a\\u0062": 1, "duration": 1}', b'{"duration": null}', b'{"duration": NaN}'],
)  # fmt: skip
def test_lines_without_a_shape(line: bytes) -> None:
    assert Shape.of(line, "duration", Fraction(100)) is None


@given(
    st.lists(st.decimals(0, 999_999, places=9).map(lambda number: f"{number:f}"), min_size=1),
    st.sampled_from(["100", "12.5", "1", "50", "62.5", "1000", "0.5"]),
)
def test_many_durations_at_once(texts: list[str], rate: str) -> None:
    found = Seconds.at(Fraction(rate))
    shape = Shape.of(b'{"duration": 0.5}', "duration", Fraction(rate))
    assert found is not None
    assert shape is not None
    tokens = shape.whole_block("".join(f'{{"duration": {text}}}\n' for text in texts).encode())
    assert tokens is not None
    lengths = found.lengths(tokens)
    assert lengths is not None
    assert lengths.tolist() == [frames(text, Fraction(rate)) for text in texts]
    with_gap = found.lengths([b"", *tokens])
    assert with_gap is not None
    assert with_gap.tolist() == [0, *lengths.tolist()]


@pytest.mark.parametrize("rate", ["44100", "3", "1000001"])
def test_rates_for_which_there_is_no_short_way(rate: str) -> None:
    assert Seconds.at(Fraction(rate)) is None
