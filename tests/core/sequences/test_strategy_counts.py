"""What strategies cost: the published numbers, and brute force over single sequences."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dgplay.core.errors import DgplayError
from dgplay.core.sequences.buckets import bucket_table
from dgplay.core.sequences.generators import generate
from dgplay.core.sequences.histogram import Histogram
from dgplay.core.sequences.strategies import STRATEGIES, strategy_named

REFERENCE = json.loads(
    (Path(__file__).parents[2] / "data" / "chainer_100.json").read_text(encoding="utf-8")
)
NAMES = ["pad", "pad+mask", "dynamic", "bucketed", "left-pad", "repeat-last"]


def rows(histogram, boundaries, policy="longest", hidden=8):
    table = bucket_table(histogram, boundaries, policy)
    return {strategy.name: strategy.counts(histogram, table, hidden) for strategy in STRATEGIES}


def test_names_in_the_order_of_the_table():
    assert [strategy.name for strategy in STRATEGIES] == NAMES
    assert [strategy.name for strategy in STRATEGIES if not strategy.static] == ["dynamic"]
    assert all(strategy.doc.endswith(".") and "\n" not in strategy.doc for strategy in STRATEGIES)


def test_the_reference_experiment():
    table = rows(generate("uniform:1-20", 100, 0).histogram, (5, 10, 15, 20))
    for name in ("pad", "pad+mask", "left-pad", "repeat-last"):
        row = table[name]
        assert (row.steps, row.macs, row.graphs, row.launches) == (2000, 384_000, 1, 20)
        assert (row.waste, row.saved) == (0.4675, 0.0)
        assert row.extra == 0.8779342723004695
    dynamic, bucketed = table["dynamic"], table["bucketed"]
    assert (dynamic.steps, dynamic.macs) == (1065, 204_480)
    assert (dynamic.graphs, dynamic.launches) == (0, 1065)
    assert (dynamic.waste, dynamic.saved, dynamic.extra) == (0.0, 0.4675, 0.0)
    assert (bucketed.steps, bucketed.graphs, bucketed.launches) == (1270, 4, 50)
    assert bucketed.waste == pytest.approx(REFERENCE["waste_bucketed"], rel=1e-12)
    assert bucketed.saved == pytest.approx(REFERENCE["saved_vs_pad_bucketed"], rel=1e-12)
    assert bucketed.extra == pytest.approx(REFERENCE["extra_vs_dynamic_bucketed"], rel=1e-12)


def test_lengths_up_to_fifty():
    row = rows(generate("uniform:1-50", 100, 0).histogram, (50,))["dynamic"]
    assert (row.real_steps, row.saved) == (2590, REFERENCE["lengths_1_to_50"]["saved"])


def test_case_4_an_empty_bucket_is_no_graph():
    histogram = Histogram.from_lengths([11, 12, 13, 14, 19])
    row = rows(histogram, (30, 40), "boundary")["bucketed"]
    assert (row.steps, row.graphs, row.launches) == (150, 1, 30)


def test_case_28_an_empty_sequence_costs_nothing():
    table = rows(Histogram.from_lengths([0, 3, 2]), (3,))
    assert {row.real_steps for row in table.values()} == {5}
    assert [table[name].steps for name in NAMES] == [6, 6, 5, 6, 6, 6]


def test_without_real_steps_there_is_no_share():
    for row in rows(Histogram.from_lengths([0, 0]), (1,)).values():
        assert (row.steps, row.macs, row.graphs, row.launches) == (0, 0, 0, 0)
        assert (row.waste, row.saved, row.extra) == (None, None, None)


def test_whole_numbers_stay_exact_beyond_int64():
    histogram = Histogram.from_counts({1: 10**18, 2**53: 10**18 + 1})
    table = rows(histogram, (2**53,))
    assert table["pad"].steps == (2 * 10**18 + 1) * 2**53
    assert table["dynamic"].macs == (10**18 + (10**18 + 1) * 2**53) * 192
    assert table["dynamic"].saved == pytest.approx(0.5)


@given(
    st.lists(st.integers(0, 30), max_size=40),
    st.sets(st.integers(1, 29), max_size=5),
    st.sampled_from(["longest", "boundary"]),
    st.sampled_from([1, 8, 64]),
)
def test_counts_equal_brute_force(lengths, inner, policy, hidden):
    boundaries = (*sorted(inner), 30)
    histogram = Histogram.from_lengths(lengths)
    real = [length for length in lengths if length]
    groups = {}
    for length in real:
        groups.setdefault(min(b for b in boundaries if b >= length), []).append(length)
    pads = {end: max(group) if policy == "longest" else end for end, group in groups.items()}
    padded = len(real) * max(real, default=0)
    expected = {
        "pad": (padded, 1 if real else 0, max(real, default=0)),
        "dynamic": (sum(real), 0, sum(real)),
        "bucketed": (
            sum(len(group) * pads[end] for end, group in groups.items()),
            len(groups),
            sum(pads.values()),
        ),
    }
    table = bucket_table(histogram, boundaries, policy)
    for strategy in STRATEGIES:
        row = strategy.counts(histogram, table, hidden)
        steps, graphs, launches = expected.get(strategy.name, expected["pad"])
        assert (row.steps, row.graphs, row.launches) == (steps, graphs, launches)
        assert row.macs == steps * (16 * hidden + hidden * hidden)
        longest = histogram.maximum
        assert row.steps == sum(strategy.steps_of(length, longest, table) for length in real)
        if real:
            assert row.waste == pytest.approx(1 - sum(real) / steps)
            assert row.saved == pytest.approx(1 - steps / padded)
            assert row.extra == pytest.approx(steps / sum(real) - 1)


def test_a_strategy_that_is_not_there():
    with pytest.raises(DgplayError, match="no strategy 'padd'; there are pad, pad\\+mask"):
        strategy_named("padd")
