"""Generators: the exact stream, what is clipped, and one line for each malformed request."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dgplay.core.errors import DataError
from dgplay.core.sequences.dataset import KEPT_IN_ORDER
from dgplay.core.sequences.generators import generate, is_generator, open_stream, stream_of

REFERENCE = json.loads(
    (Path(__file__).parents[2] / "data" / "chainer_100.json").read_text(encoding="utf-8")
)


def test_the_default_generator_is_the_reference_experiment():
    data = generate("uniform:1-20", 100, 0)
    assert data.name == "chainer-100"
    assert data.kind == "reference"
    assert data.in_order is not None
    assert data.in_order.tolist() == REFERENCE["lengths"]
    assert data.histogram.real_steps == REFERENCE["total_steps"]
    assert (data.histogram.minimum, data.histogram.maximum) == (1, 20)
    assert data.histogram.mean == REFERENCE["mean"]
    assert data.rows == data.histogram.sequences == 100
    assert data.notes == ()


@pytest.mark.parametrize(
    ("text", "count", "seed"),
    [("uniform:1-20", 100, 1), ("uniform:1-20", 101, 0), ("uniform:1-21", 100, 0)],
)
def test_anything_else_is_an_ordinary_generator(text, count, seed):
    data = generate(text, count, seed)
    assert (data.name, data.kind) == (text, "generator")


def test_lengths_up_to_fifty_give_the_published_total():
    expected = REFERENCE["lengths_1_to_50"]
    histogram = generate("uniform:1-50", 100, 0).histogram
    assert histogram.real_steps == expected["real"]
    assert histogram.maximum * 100 == expected["padded"]


def test_the_stream_is_weights_then_lengths_then_inputs():
    rng = np.random.default_rng(3)
    weights = [rng.standard_normal(shape) for shape in ((16, 8), (8, 8), (8, 4))]
    lengths = rng.integers(2, 8, 5)
    inputs = [rng.standard_normal((length, 16)) for length in lengths]

    stream = open_stream("uniform:2-7", 5, 3)
    for drawn, expected in zip((stream.wx, stream.wh, stream.wy), weights, strict=True):
        assert np.array_equal(drawn, expected)
    assert np.array_equal(stream.lengths, lengths)
    assert np.array_equal(stream.inputs(), np.concatenate(inputs))


@pytest.mark.parametrize(
    "text",
    [
        "normal:60,500",
        "lognormal:400,3",
        "zipf:1.1",
        "bimodal:1,3,9990,50,0.4",
        "normal:1e308,1e308",
    ],
)
def test_what_is_outside_is_clipped_and_counted(text):
    data = generate(text, 2000, 0)
    assert data.histogram.minimum >= 1
    assert data.histogram.maximum <= 10_000
    (note,) = data.notes
    assert note.startswith(f"{text}: rounded and clipped to 1 to 10,000 (")
    clipped = int(note.partition("(")[2].partition(" of ")[0].replace(",", ""))
    at_the_ends = data.histogram.count_between(1, 1) + data.histogram.count_between(10_000, 10_000)
    assert 0 < clipped <= at_the_ends
    assert note.endswith(" of 2,000 clipped)")


def test_the_share_of_a_bimodal_is_the_share_of_its_first_mode():
    histogram = generate("bimodal:20,1,200,1,0.75", 4000, 0).histogram
    assert histogram.count_between(1, 100) == pytest.approx(3000, abs=100)


def test_a_median_is_a_median():
    data = generate("lognormal:40,0.6", 4001, 0)
    assert data.histogram.length_at(2000) == pytest.approx(40, abs=2)


def test_only_the_first_lengths_are_kept_in_order():
    data = generate("uniform:1-3", KEPT_IN_ORDER + 1, 0)
    assert data.in_order is not None
    assert len(data.in_order) == KEPT_IN_ORDER


@pytest.mark.parametrize(
    ("text", "count", "seed", "line"),
    [
        ("uniform:20-1", 1, 0, "uniform:20-1: the range runs backwards, from 20 to 1; write "),
        ("uniform:a-b", 1, 0, "uniform:a-b: 'a-b' is not a range of two whole numbers; "),
        ("uniform:-3-5", 1, 0, "uniform:-3-5: '-3-5' is not a range"),
        ("uniform:1.5-2", 1, 0, "uniform:1.5-2: '1.5-2' is not a range"),
        ("uniform", 1, 0, "uniform: '' is not a range"),
        (f"uniform:1-{2**53 + 1}", 1, 0, "above 2^53"),
        ("normal:1", 1, 0, "normal:1: takes 2 numbers, not 1; write normal:MEAN,SD"),
        ("normal:", 1, 0, "normal:: takes 2 numbers, not 0"),
        ("normal:1,x", 1, 0, "SD 'x' is not a number"),
        ("normal:nan,1", 1, 0, "MEAN 'nan' is not finite"),
        ("normal:1,-1", 1, 0, "SD -1 is below 0"),
        ("lognormal:0,1", 1, 0, "MEDIAN 0 is not above 0"),
        ("zipf:1", 1, 0, "A 1 is not above 1"),
        ("zipf:2,3", 1, 0, "takes 1 number, not 2"),
        ("bimodal:1,2,3,4,5", 1, 0, "SHARE 5 is not between 0 and 1"),
        ("poisson:3", 1, 0, "poisson:3: no such generator; there are uniform, "),
        ("uniform:1-20", 0, 0, "--count: a generator makes 1 sequence or more, not 0"),
        ("uniform:1-20", 10**12, 0, "--count: a generator makes at most 100,000,000"),
        ("uniform:1-20", 1, -1, "--seed: a seed is 0 or above, not -1"),
    ],
)
def test_a_malformed_request_is_one_line(text, count, seed, line):
    with pytest.raises(DataError) as caught:
        generate(text, count, seed)
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["uniform:1-20", "uniform", "zipf:x", "bimodal:"])
def test_a_known_word_before_the_colon_is_a_generator(text):
    assert is_generator(text)


@pytest.mark.parametrize("text", ["", "data.csv", "uniforms:1-2", "C:uniform", "/tmp/uniform:1-2"])
def test_anything_else_is_not(text):
    assert not is_generator(text)


@given(st.integers(0, 9), st.integers(0, 9), st.integers(1, 40), st.integers(0, 2**70))
def test_a_data_set_finds_its_stream_again(low, extra, count, seed):
    data = generate(f"uniform:{low}-{low + extra}", count, seed)
    stream = stream_of(data, seed)
    assert stream is not None
    assert data.in_order is not None
    assert stream.lengths.tolist() == data.in_order.tolist()
    assert stream.inputs().shape == (data.histogram.real_steps, 16)


def test_another_seed_is_not_its_stream():
    assert stream_of(generate("uniform:1-50", 100, 0), 1) is None
