"""Tables of the commands in a terminal that has no room for all their columns."""

from io import StringIO

import pytest
from rich.console import Console

from dgplay.core.tables import UNICODE, Cell, Heading, Table
from dgplay.tui.headless import print_table

TITLES = ("name", *(f"number{index}" for index in range(9)), "sentence")


def printed(width: int) -> list[str]:
    headings = tuple(
        Heading(title, title, "right" if "number" in title else "left") for title in TITLES
    )
    texts = ("a_name_of_25_characters_x", *(f"{index}" * 9 for index in range(9)), "word " * 20)
    table = Table(headings, (("row", tuple(Cell(text.strip()) for text in texts)),))
    out = StringIO()
    print_table(Console(file=out, width=width), table, UNICODE)
    return out.getvalue().splitlines()


@pytest.mark.parametrize("width", [60, 80, 120, 400])
def test_no_cell_is_cut_and_each_part_names_its_rows(width: int) -> None:
    lines = printed(width)
    text = "\n".join(lines)
    assert "…" not in text
    assert max(map(len, lines)) <= width
    for index in range(9):
        assert f"{index}" * 9 in text
    parts = sum(("name" in line and "number" in line) or "sentence" in line for line in lines)
    assert text.count("a_name_of_25_characters_x") == max(parts, 1)
    assert text.count("word") == 20
