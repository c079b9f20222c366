"""Tables and lines: the text that commands and panes show of the same records."""

from fractions import Fraction

import pytest

from dgplay.core import report_lines, tables
from dgplay.core.command_line import parse
from dgplay.core.report import (
    Distance,
    Neighbour,
    make_report,
    method_rows,
    neighbours,
)
from dgplay.core.sequences.analysis import Analysis
from dgplay.core.sequences.buckets import bucket_table
from dgplay.core.sequences.checks import Check
from dgplay.core.sequences.dataset import Dataset
from dgplay.core.sequences.generators import generate
from dgplay.core.sequences.histogram import Histogram
from dgplay.core.state import open_state
from dgplay.core.strategy_rows import strategy_rows
from dgplay.core.tables import ASCII, UNICODE, Cell

REFERENCE = Analysis(generate("uniform:1-20", 100, 0))


def report_of(*words, analysis=REFERENCE):
    return make_report(open_state(parse(list(words)), analysis), analysis)


@pytest.fixture(scope="module")
def reference():
    return report_of()


def texts(table):
    return [[cell.text for cell in cells] for _, cells in table.rows]


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.4675, "46.8%"), (0.0, "0.0%"), (None, "–"), (1.0, "100.0%"), (0.8779342723, "87.8%")],
)
def test_a_share_has_one_decimal(value, text):
    assert tables.percent(value) == text


@pytest.mark.parametrize(
    ("change", "text"), [(7, "+7"), (-11, "−11"), (0, "0"), (10**20, f"+{10**20}")]
)
def test_a_change_has_its_sign(change, text):
    assert tables.signed(change) == text


@pytest.mark.parametrize(
    ("length", "rate", "text"),
    [
        (1280, 100, "1280 (12.80 s)"),
        (110, 100, "110 (1.10 s)"),
        (1, 1000, "1 (0.001 s)"),
        (1, Fraction(25, 2), "1 (0.08 s)"),
        (1, 44100, "1 (0.0000 s)"),
        (7, None, "7"),
    ],
)
def test_a_length_in_frames_shows_its_seconds(length, rate, text):
    assert tables.length_text(length, rate and Fraction(rate)) == text


@pytest.mark.parametrize(
    ("check", "cell"),
    [
        (None, Cell("…", "muted")),
        (Check(None, 0, 0, None), Cell("– not run", "muted")),
        (Check(0.0, 0, 5, True), Cell("✓ OK", "good")),
        (Check(1.0, 2, 5, False), Cell("✗ WRONG", "bad")),
    ],
)
def test_a_verdict_is_a_sign_and_a_word(check, cell):
    assert tables.result_cell(check) == cell


def test_the_strategy_table_of_the_reference(reference):
    # The sketch of DESIGN section 6, with the checks beside the wrong ones.
    rows = texts(report_lines.report_tables(reference)["strategies"])
    assert [row[:9] for row in rows] == [
        ["pad", "2000", "46.8%", "0.0%", "87.8%", "1", "20", "92/100", "✗ WRONG"],
        ["pad+mask", "2000", "46.8%", "0.0%", "87.8%", "1", "20", "0/100", "✓ OK"],
        ["dynamic", "1065", "0.0%", "46.8%", "0.0%", "0", "1065", "0/100", "✓ OK*"],
        ["bucketed", "1270", "16.1%", "36.5%", "19.2%", "4", "50", "0/100", "✓ OK"],
        ["left-pad", "2000", "46.8%", "0.0%", "87.8%", "1", "20", "0/100", "✓ OK"],
        ["repeat-last", "2000", "46.8%", "0.0%", "87.8%", "1", "20", "92/100", "✗ WRONG"],
    ]
    assert rows[0][9:] == ["2.42", "100", "384000", "–"]


def test_before_the_checks_only_what_they_find_is_missing():
    state = open_state(parse([]), REFERENCE)
    rows = strategy_rows(state, REFERENCE, bucket_table(REFERENCE.histogram, state.boundaries))
    pad = texts(tables.strategy_table(rows, "static"))[0]
    assert pad == [
        *("pad", "2000", "46.8%", "0.0%", "87.8%", "1", "20", "…", "…", "…", "…", "384000", "–")
    ]


@pytest.mark.parametrize(("mode", "result"), [("static", "✓ OK*"), ("eager", "✓ OK")])
def test_a_star_marks_what_a_static_graph_cannot_express(mode, result):
    rows = texts(report_lines.report_tables(report_of("--mode", mode))["strategies"])
    assert rows[2][8] == result


@pytest.mark.parametrize(("mode", "graphs"), [("static", "0"), ("eager", "100"), ("capture", "8")])
def test_graphs_of_the_dynamic_run_depend_on_the_mode(mode, graphs):
    rows = texts(report_lines.report_tables(report_of("--mode", mode))["strategies"])
    assert rows[2][5] == graphs


def test_the_bucket_table_of_the_reference(reference):
    assert texts(report_lines.report_tables(reference)["buckets"]) == [
        ["1–5", "23", "5", "115", "51.3%", "✓ OK"],
        ["6–10", "27", "10", "270", "18.1%", "✓ OK"],
        ["11–15", "23", "15", "345", "11.9%", "✓ OK"],
        ["16–20", "27", "20", "540", "10.4%", "✓ OK"],
        ["all", "100", "", "1270", "16.1%", "✓ OK"],
    ]


def test_an_empty_bucket_says_so():
    table = bucket_table(Histogram.from_lengths([1, 9]), (3, 6, 9))
    good = Check(0.0, 0, 2, True, (True, None, True))
    assert texts(tables.bucket_rows_table(table, good))[1] == ["4–6", "0", "–", "0", "–", "– empty"]


def test_the_methods_with_their_excess():
    state = open_state(parse([]), REFERENCE)
    rows = texts(tables.method_table(method_rows(state, REFERENCE)))
    assert rows[0] == ["now", "4", "1270", "16.1%", "+1.1%"]
    assert rows[1] == ["optimal", "4", "1256", "15.2%", "+0.0%"]


def test_a_column_can_be_left_out(reference):
    whole = report_lines.report_tables(reference)["buckets"]
    less = tables.without(whole, "waste")
    assert [heading.key for heading in less.headings] == ["bucket", "n", "pad", "steps", "result"]
    assert texts(less)[0] == ["1–5", "23", "5", "115", "✓ OK"]


def test_neighbours_as_the_line_above_the_footer():
    state = open_state(parse([]), REFERENCE)
    table = bucket_table(REFERENCE.histogram, state.boundaries)
    found = neighbours(state, REFERENCE, table)
    assert tables.neighbours_text(1, found) == "1: ← 4 1259 (−11)  → 6 1277 (+7)"
    assert tables.neighbours_text(1, found, ASCII) == "1: <- 4 1259 (-11)  -> 6 1277 (+7)"


def test_a_neighbour_that_there_is_not():
    found = [Neighbour(-1, None, 7, 0), Neighbour(1, 3, 9, 2)]
    assert tables.neighbours_text(2, found) == "2: ← –  → 3 9 (+2)"


def test_the_distance_to_the_optimum():
    assert tables.distance_text(Distance(4, 1256, (4, 11, 17, 20), -14)) == "K=4: 1256 (−14)"
    assert tables.distance_text(Distance(4, 1256, (4, 11, 17, 20), 0)) == "K=4: 1256 (0)"


def test_what_stands_above_the_tables(reference):
    assert report_lines.heading_lines(reference) == [
        "chainer-100: 100 sequences of 1–20 steps, mean 10.65, 1065 real steps",
        "K=4, pad to longest, mode static",
    ]


def test_rows_that_are_no_sequences_in_a_bucket_are_said():
    histogram = Histogram.from_lengths([0, 3, 5])
    dataset = Dataset(
        *("few", "file", histogram, "words", None, 9, 2, 4, 900, 1, 7),
    )
    made = report_of(analysis=Analysis(dataset))
    assert report_lines.heading_lines(made)[1] == (
        "of 9 rows: 1 of length zero, in no bucket, 2 bad rows skipped, "
        "4 dropped (900 steps), 1 truncated (7 steps)"
    )


def test_what_stands_below_the_tables(reference):
    assert report_lines.closing_lines(reference) == [
        "checked: this RNN (8 units), 100 of 100 sequences",
        "optimum for K=4: 1256 (−14) at 4,11,17,20",
        "dgplay --boundaries 5,10,15,20",
    ]


def test_every_column_of_a_table_has_a_formula_or_needs_none():
    columns = {
        heading.key
        for headings in (tables.STRATEGY_HEADINGS, tables.BUCKET_HEADINGS, tables.METHOD_HEADINGS)
        for heading in headings
    }
    assert columns - set(tables.FORMULAS) <= {"strategy", "bucket", "method", "k"}


def test_ascii_signs_are_ascii():
    assert all(getattr(ASCII, name).isascii() for name in vars(UNICODE))


@pytest.mark.parametrize("k", [1, 4, 20])
@pytest.mark.parametrize("policy", ["longest", "boundary"])
def test_every_row_has_a_cell_for_each_heading(k, policy):
    made = report_of("-k", str(k), "--pad-to", policy, "--hidden", "1")
    for table in report_lines.report_tables(made).values():
        assert {len(cells) for _, cells in table.rows} == {len(table.headings)}
