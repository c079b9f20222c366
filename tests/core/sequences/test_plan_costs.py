"""Costs: prices, tables of measured times, exact decimals, refusals by file and line."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from dgplay.core.errors import DataError, PlanError
from dgplay.core.sequences.costs import LINEAR, QUADRATIC, affine, parse_cost, read_cost_table
from dgplay.core.sequences.histogram import Histogram
from dgplay.core.sequences.variants import PlanOptions, solve


def table(folder: Path, text: str) -> Path:
    path = folder / "times.csv"
    path.write_bytes(text.encode())
    return path


def test_prices() -> None:
    assert [LINEAR.price(7), QUADRATIC.price(7), affine(2, 3).price(7)] == [7, 49, 161]
    assert LINEAR.is_steps
    assert affine(1, 0).is_steps
    assert not QUADRATIC.is_steps


@pytest.mark.parametrize(
    ("text", "name"),
    [("linear", "linear"), ("quadratic", "quadratic"), ("2,3", "2,3"), ("2，3", "2,3")],
)
def test_costs_by_their_spelling(text: str, name: str) -> None:
    assert parse_cost(text).name == name


@pytest.mark.parametrize("text", ["-1,2", "1,-2", "1.5,2", "0,0"])
def test_coefficients_that_cannot_be(text: str) -> None:
    with pytest.raises(PlanError) as refused:
        parse_cost(text)
    assert "\n" not in str(refused.value)


def test_long_batches_pay_for_their_square() -> None:
    """Case 24: lengths 10 nine times and 20 once under the square."""
    histogram = Histogram.from_counts({10: 9, 20: 1})
    costs = [row.cost for row in solve(histogram, PlanOptions(cost=QUADRATIC)).rows]
    assert costs == [4000, 1300]


def test_a_length_takes_the_next_measured_one(tmp_path: Path) -> None:
    path = table(
        tmp_path, "\ufefflength,milliseconds\r\n# gpu 0\r\n16,1.25\r\n\r\n8,0.5\r\n32,4\r\n"
    )
    cost = parse_cost(str(path))
    assert [cost.exact(cost.price(length)) for length in (1, 8, 9, 16, 17, 32)] == [
        Decimal("0.5"),
        Decimal("0.5"),
        Decimal("1.25"),
        Decimal("1.25"),
        4,
        4,
    ]
    assert (cost.unit, cost.scale) == ("ms", 100)


def test_totals_of_decimals_are_exact(tmp_path: Path) -> None:
    path = table(tmp_path, "4 0.1\n8\t0.3\n")
    histogram = Histogram.from_counts({4: 3, 8: 10**20})
    plan = solve(histogram, PlanOptions(k=2, cost=parse_cost(str(path))))
    assert plan.cost == Decimal("30000000000000000000.3")
    assert plan.steps == 12 + 8 * 10**20
    assert [row.break_even for row in plan.rows] == [None, Decimal("0.6")]


def test_more_buckets_at_the_same_time_are_not_taken(tmp_path: Path) -> None:
    cost = parse_cost(str(table(tmp_path, "5,1\n10,1\n20,3\n")))
    plan = solve(Histogram.from_lengths([3, 5, 9, 10, 20]), PlanOptions(k=4, cost=cost))
    assert plan.boundaries == (10, 20)
    assert plan.cost == 7


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("8,1.5\n16,1.25\n", 2, "falls from 1.5 ms at length 8 to 1.25 ms at 16"),
        ("16,1.25\n8,1.5\n", 1, "falls from 1.5 ms at length 8 to 1.25 ms at 16"),
        ("8,1\n8,2\n", 2, "length 8 is given twice"),
        ("length,ms\n8,fast\n", 2, "'8,fast' is not a whole length and a time"),
        ("8,1\n9.5,2\n", 2, "'9.5,2' is not a whole length and a time"),
        ("8,-1\n", 1, "the time -1 is below 0"),
        ("8,nan\n", 1, "'8,nan' is not"),
        ("8,1e999999999\n", 1, "'8,1e999999999' is not"),
        ("8\n", 1, "'8' is not"),
    ],
)
def test_bad_rows_by_file_and_line(tmp_path: Path, text: str, line: int, reason: str) -> None:
    path = table(tmp_path, text)
    with pytest.raises(DataError) as refused:
        read_cost_table(path)
    assert str(refused.value).startswith(f"{path}:{line}: ")
    assert reason in str(refused.value)


@pytest.mark.parametrize("text", ["", "# nothing\n", "length,milliseconds\n"])
def test_an_empty_table(tmp_path: Path, text: str) -> None:
    with pytest.raises(DataError, match="holds no row"):
        read_cost_table(table(tmp_path, text))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be read as a cost table"):
        parse_cost(str(tmp_path / "quadratik"))


def test_a_table_that_ends_below_the_longest(tmp_path: Path) -> None:
    path = table(tmp_path, "8,1\n16,2\n")
    cost = parse_cost(str(path))
    with pytest.raises(PlanError) as refused:
        solve(Histogram.from_lengths([3, 17]), PlanOptions(cost=cost))
    assert str(refused.value) == (
        f"{path}:2: the table ends at length 16, below the 17 to be priced; "
        "measure a length of at least 17"
    )
    with pytest.raises(PlanError, match="below the 18"):
        solve(Histogram.from_lengths([3, 16]), PlanOptions(cost=cost, multiple_of=18))
