"""Packing against plain best-fit decreasing, exhaustive search, and the bounds by definition."""

from __future__ import annotations

from importlib.resources import files

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dgplay.core.errors import PlanError
from dgplay.core.sequences.histogram import Histogram
from dgplay.core.sequences.packing import martello_toth_bound, pack, volume_bound

MANY = settings(max_examples=200, deadline=None)

#: Rows, L1 and L2 at the longest length and at twice that.
CORPORA = {
    "ag_news_test_words": (137, (2153, 2093, 2093), (1059, 1047, 1047)),
    "dstc8_dialogue_words": (496, (1908, 1887, 1887), (949, 944, 944)),
    "gpteacher_codegen_chars": (1495, (1218, 1205, 1205), (606, 603, 603)),
    "gsm8k_train_qa": (334, (2195, 2166, 2166), (1091, 1083, 1083)),
    "ljspeech_text_chars": (187, (7379, 6680, 7379), (3353, 3340, 3340)),
    "mmlu_test_words": (756, (1367, 1366, 1366), (683, 683, 683)),
    "multi30k_train_en": (37, (9602, 9325, 9326), (4748, 4663, 4663)),
    "nemo_python_file_tokens": (15766, (217, 217, 217), (109, 109, 109)),
    "prokka_virus_proteins": (7180, (362, 362, 362), (181, 181, 181)),
    "resfinder_genes_nt": (3153, (982, 946, 946), (482, 473, 473)),
    "ud_english_ewt_words": (81, (621, 621, 621), (311, 311, 311)),
    "voxconverse_segments_10ms": (31444, (686, 686, 686), (343, 343, 343)),
}


def bundled(name: str) -> Histogram:
    text = files("dgplay.core.data").joinpath(f"lengths/{name}.csv").read_text("utf-8")
    rows = [line.split(",")[:2] for line in text.splitlines() if line[:1].isdigit()]
    return Histogram.from_counts({int(length): int(count) for length, count in rows})


@st.composite
def items(draw: st.DrawFn, most: int = 40) -> tuple[list[int], int]:
    capacity = draw(st.integers(1, 40))
    return draw(st.lists(st.integers(1, capacity), min_size=1, max_size=most)), capacity


def one_by_one(lengths: list[int], capacity: int) -> list[int]:
    """Best-fit decreasing, a sequence at a time; returns the fill of each row."""
    fills: list[int] = []
    for length in sorted(lengths, reverse=True):
        fitting = [place for place, fill in enumerate(fills) if fill + length <= capacity]
        if fitting:
            fills[max(fitting, key=lambda place: fills[place])] += length
        else:
            fills.append(length)
    return fills


def fewest(lengths: list[int], capacity: int) -> int:
    """The least number of rows, by trying every row for every length."""
    best = len(lengths)

    def place(left: list[int], rooms: tuple[int, ...]) -> None:
        nonlocal best
        if len(rooms) >= best:
            return
        if not left:
            best = len(rooms)
            return
        for row, room in enumerate(rooms):
            if room >= left[0] and room not in rooms[:row]:
                place(left[1:], (*rooms[:row], room - left[0], *rooms[row + 1 :]))
        place(left[1:], (*rooms, capacity - left[0]))

    place(sorted(lengths, reverse=True), ())
    return best


@MANY
@given(items())
def test_rows_are_those_of_one_by_one(drawn: tuple[list[int], int]) -> None:
    lengths, capacity = drawn
    packing = pack(Histogram.from_lengths(lengths), capacity)
    fills = [row.fill for row in packing.kinds for _ in range(row.count)]
    assert sorted(fills) == sorted(one_by_one(lengths, capacity))
    assert packing.bins == len(fills)
    assert packing.min_fill == min(fills)
    assert packing.mean_fill == pytest.approx(sum(fills) / len(fills))


@MANY
@given(items())
def test_rows_hold_every_sequence_once(drawn: tuple[list[int], int]) -> None:
    lengths, capacity = drawn
    packing = pack(Histogram.from_lengths(lengths), capacity)
    held = []
    for row in packing.kinds:
        assert row.fill == sum(length * often for length, often in row.lengths) <= capacity
        held += [length for length, often in row.lengths for _ in range(often * row.count)]
    assert sorted(held) == sorted(lengths)


@MANY
@given(items(9))
def test_bounds_never_exceed_the_optimum(drawn: tuple[list[int], int]) -> None:
    lengths, capacity = drawn
    packing = pack(Histogram.from_lengths(lengths), capacity)
    least = fewest(lengths, capacity)
    assert packing.lower_bound_volume <= packing.lower_bound <= least <= packing.bins
    assert packing.gap == packing.bins - packing.lower_bound
    if packing.optimal:
        assert packing.bins == least


@MANY
@given(items(), st.integers(1, 10**19))
def test_the_bound_is_the_best_over_all_thresholds(
    drawn: tuple[list[int], int], scale: int
) -> None:
    lengths, capacity = drawn
    best = 0
    for threshold in range(capacity // 2 + 1):
        alone = [length for length in lengths if length > capacity - threshold]
        large = [v for v in lengths if capacity - threshold >= v and 2 * v > capacity]
        small = [v for v in lengths if 2 * v <= capacity and v >= threshold]
        missing = sum(small) - (len(large) * capacity - sum(large))
        best = max(best, len(alone) + len(large) + max(0, -(-missing // capacity)))
    histogram = Histogram.from_lengths(lengths)
    assert martello_toth_bound(histogram, capacity) == best
    assert volume_bound(histogram, capacity) == -(-sum(lengths) // capacity)
    # Beyond int64 nothing is rounded: all lengths and the capacity times `scale`.
    counts = {length * scale: count for length, count in histogram.items()}
    assert martello_toth_bound(Histogram.from_counts(counts), capacity * scale) == best


@pytest.mark.parametrize("name", CORPORA)
def test_bundled_corpora(name: str) -> None:
    histogram = bundled(name)
    longest, *expected = CORPORA[name]
    assert histogram.maximum == longest
    for factor, figures in zip((1, 2), expected, strict=True):
        packing = pack(histogram, factor * longest)
        assert (packing.bins, packing.lower_bound_volume, packing.lower_bound) == figures


def test_the_loss_on_ljspeech_is_unavoidable() -> None:
    packing = pack(bundled("ljspeech_text_chars"), 187)
    assert packing.optimal
    assert packing.waste == packing.least_waste == pytest.approx(0.095, abs=0.0005)


def test_fills_of_the_field() -> None:  # case 37
    full = pack(Histogram.from_lengths([7, 7, 7, 7]), 14)
    assert [(row.count, row.fill, row.lengths) for row in full.kinds] == [(2, 14, ((7, 2),))]
    half = pack(Histogram.from_lengths([7, 7, 7]), 14)
    assert sorted(row.fill for row in half.kinds for _ in range(row.count)) == [7, 14]
    assert (half.min_fill, half.mean_fill, half.optimal) == (7, 10.5, True)


def test_counts_may_be_of_any_size() -> None:
    packing = pack(Histogram.from_counts({6: 10**20, 4: 10**20, 1: 1}), 10)
    assert packing.bins == packing.lower_bound == 10**20 + 1
    assert len(packing.kinds) == 2


def test_zero_lengths_are_counted_and_in_no_row() -> None:
    packing = pack(Histogram.from_lengths([0, 0, 3]), 4)
    assert (packing.zeros, packing.sequences, packing.bins) == (2, 3, 1)


@pytest.mark.parametrize(
    ("lengths", "capacity", "said"),
    [
        (
            [5, 9, 9, 3],
            8,
            "--capacity: length 9 does not fit into 8 (2 of 4 sequences are longer);"
            " raise it to 9, or drop or truncate with --max-length",
        ),
        ([5], 0, "--capacity: is 1 or above, not 0"),
        ([0, 0], 8, "there is no sequence with a step to pack"),
        ([], 8, "there is no sequence with a step to pack"),
    ],
)
def test_what_cannot_be_packed(lengths: list[int], capacity: int, said: str) -> None:
    with pytest.raises(PlanError) as error:
        pack(Histogram.from_lengths(lengths), capacity)
    assert str(error.value) == said
