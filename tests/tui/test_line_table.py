"""The table as text, its messages, and what it repaints."""

from __future__ import annotations

import unicodedata
from dataclasses import replace

import pytest
from rich.cells import cell_len
from textual import events
from textual.app import App, ComposeResult
from textual.content import Content
from textual.geometry import Region

from dgplay.tui.widgets.line_table import LineTable
from dgplay.tui.widgets.table_layout import Cell, Column, Row, TableModel


def number(title: str, width: int | None = None) -> Column:
    return Column(title, title, width, "right", tooltip=f"how [/{title}] comes about")


COLUMNS = (
    Column("strategy", "strategy", pinned=True),
    number("steps"),
    number("waste"),
    number("graphs"),
    Column("result", "result"),
)


def row(key: str, *cells: str) -> Row:
    styles = {"OK": "good", "WRONG": "bad"}
    return Row(key, tuple(Cell(text, styles.get(text, "")) for text in (key, *cells)))


ROWS = (
    row("pad", "2000", "46.8%", "1", "WRONG"),
    row("pad+mask", "2000", "46.8%", "1", "OK"),
    row("分桶", "1270", "16.1%", "4", "OK"),
)
MODEL = TableModel(COLUMNS, ROWS, cursor=1)


class TableApp(App[None]):
    """One table that fills the screen, or is as high as its rows."""

    def __init__(self, model: TableModel | None, height: str = "100%") -> None:
        super().__init__()
        self.table = LineTable(model)
        self.table.styles.height = height
        self.chosen: list[str] = []

    def compose(self) -> ComposeResult:
        yield self.table

    def on_line_table_row_chosen(self, message: LineTable.RowChosen) -> None:
        self.chosen.append(message.key)


@pytest.fixture(autouse=True)
def _colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)


def lines(table: LineTable) -> list[str]:
    strips = [table.render_line(y) for y in range(table.size.height)]
    for strip in strips:
        assert strip.cell_length == cell_len(strip.text) == table.size.width
    return [strip.text.rstrip() for strip in strips]


async def drawn(model: TableModel | None, width: int, height: int, pages: int = 0) -> list[str]:
    app = TableApp(model)
    async with app.run_test(size=(width, height)):
        app.table.scroll_columns(pages)
        return lines(app.table)


async def test_whole_table() -> None:
    model = replace(
        MODEL, titles=(Cell("策略 (static)"),), footer=(row("all", "5270", "36.7%", "6", ""),)
    )
    assert await drawn(model, 44, 7) == [
        "策略 (static)",
        "  strategy  steps  waste  graphs  result",
        "  pad        2000  46.8%       1  WRONG",
        "› pad+mask   2000  46.8%       1  OK",
        "  分桶       1270  16.1%       4  OK",
        "  all        5270  36.7%       6",
        "",
    ]


async def test_paging_keeps_the_pinned_column() -> None:
    model = replace(MODEL, ascii=True)
    assert await drawn(model, 28, 3) == [
        "  strategy  steps  waste   >",
        "  pad        2000  46.8%",
        "> pad+mask   2000  46.8%",
    ]
    assert await drawn(model, 28, 2, pages=1) == [
        "  strategy <waste  graphs  >",
        "> pad+mask  46.8%       1",
    ]
    last = await drawn(model, 28, 2, pages=2)
    assert last == ["  strategy <graphs  result", "> pad+mask       1  OK"]
    assert await drawn(model, 28, 2, pages=9) == last
    assert await drawn(model, 28, 2, pages=-9) == (await drawn(model, 28, 2))


async def test_the_cursor_stays_visible_and_hidden_rows_are_announced() -> None:
    rows = tuple(row(f"row {index}", "1", "2", "3", "") for index in range(9))
    app = TableApp(replace(MODEL, rows=rows, cursor=0, ascii=True))
    async with app.run_test(size=(20, 4)) as pilot:
        seen = []
        for cursor in (0, 2, 4, 3, 8, 0):
            app.table.model = replace(MODEL, rows=rows, cursor=cursor, ascii=True)
            await pilot.pause()
            seen.append([text[:7] for text in lines(app.table)[1:]])
    assert seen == [
        ["> row 0", "  row 1", "v row 2"],
        ["  row 0", "  row 1", "> row 2"],
        ["^ row 2", "  row 3", "> row 4"],
        ["^ row 2", "> row 3", "v row 4"],
        ["^ row 6", "  row 7", "> row 8"],
        ["> row 0", "  row 1", "v row 2"],
    ]


async def test_what_is_cut_says_so_and_numbers_are_not_cut() -> None:
    columns = (Column("name", "名称", width=5), number("n", width=3))
    rows = (Row("a", (Cell("很长的名字"), Cell("163,402"))), Row("b", (Cell("short"), Cell("1"))))
    assert await drawn(TableModel(columns, rows), 20, 3) == [
        "  名称         n",
        "  很长…  163,402",
        "  short        1",
    ]
    # Where even the first column of a page is too wide, the cut shows.
    narrow = TableModel(columns, rows, ascii=True)
    assert await drawn(narrow, 6, 3, pages=1) == [" <   ~", "  163~", "     ~"]


async def test_text_is_not_markup_and_cannot_break_a_line() -> None:
    rows = (row("[red]x[/foo]", "[0, 32)", "a\nb\t\x1b[1m", "\u3000", ""),)
    text = await drawn(replace(MODEL, rows=rows, cursor=None), 60, 2)
    assert text[1] == "  [red]x[/foo]  [0, 32)  a?b??[1m"


async def test_empty_and_without_model() -> None:
    assert await drawn(replace(MODEL, rows=(), cursor=None), 44, 2) == [
        "  strategy  steps  waste  graphs  result",
        "",
    ]
    assert await drawn(None, 5, 2) == ["", ""]
    assert await drawn(TableModel((), ()), 5, 2) == ["", ""]


@pytest.mark.parametrize("size", [(1, 1), (2, 2), (3, 9), (12, 1), (13, 2), (230, 40)])
async def test_any_size(size: tuple[int, int]) -> None:
    model = replace(MODEL, titles=(Cell("策略"),), footer=(row("all", "1", "2", "3", ""),))
    for pages in (0, 1, 5):
        await drawn(model, *size, pages=pages)
    if size[1] == 1:
        assert (await drawn(model, *size))[0].startswith("›")


async def test_ascii_has_no_ambiguous_width() -> None:
    rows = tuple(row(f"row {index}", "1" * 30, "2", "3", "OK") for index in range(20))
    model = TableModel(COLUMNS, rows, cursor=5, ascii=True, titles=(Cell("a long title" * 9),))
    text = "".join(await drawn(model, 40, 9, pages=1))
    assert not {unicodedata.east_asian_width(one) for one in text} & {"A", "W", "F"}


async def test_only_changed_lines_are_repainted(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[Region, ...]] = []
    original = LineTable._set_dirty

    def noted(self: LineTable, *regions: Region) -> None:
        seen.append(regions)
        original(self, *regions)

    monkeypatch.setattr(LineTable, "_set_dirty", noted)
    app = TableApp(MODEL)
    async with app.run_test(size=(44, 5)) as pilot:
        await pilot.pause()
        seen.clear()
        app.table.model = replace(MODEL)
        await pilot.pause()
        assert seen == []
        app.table.model = replace(MODEL, cursor=2)
        await pilot.pause()
        assert seen == [(Region(0, 2, 44, 1), Region(0, 3, 44, 1))]
        assert lines(app.table)[3] == "› 分桶       1270  16.1%       4  OK"


async def test_a_click_chooses_a_row() -> None:
    app = TableApp(replace(MODEL, footer=(row("all", "1", "2", "3", ""),)))
    async with app.run_test(size=(44, 7)) as pilot:
        for y in (0, 1, 3, 4, 6):
            await pilot.click(LineTable, offset=(5, y))
    assert app.chosen == ["pad", "分桶"]


async def test_a_header_explains_its_column() -> None:
    app = TableApp(MODEL)
    async with app.run_test(size=(44, 7)) as pilot:
        await pilot.hover(LineTable, offset=(14, 0))
        assert isinstance(app.table.tooltip, Content)
        assert app.table.tooltip.plain == "how [/steps] comes about"
        await pilot.hover(LineTable, offset=(14, 1))
        assert app.table.tooltip is None


async def test_the_wheel_moves_rows_without_cursor() -> None:
    rows = tuple(row(f"row {index}", "1", "2", "3", "") for index in range(4))
    app = TableApp(replace(MODEL, rows=rows, cursor=None))
    async with app.run_test(size=(20, 3)) as pilot:
        wheel = events.MouseScrollDown(app.table, 4, 1, 0, 0, 0, False, False, False)
        app.table.post_message(wheel)
        await pilot.pause()
        assert [text[:7] for text in lines(app.table)[1:]] == ["↑ row 1", "↓ row 2"]


def test_plain_text_holds_everything() -> None:
    model = replace(MODEL, titles=(Cell("策略"),), footer=(row("all", "5270", "36.7%", "6", ""),))
    assert LineTable(model).as_text() == "\n".join(
        [
            "策略",
            "strategy  steps  waste  graphs  result",
            "pad        2000  46.8%       1  WRONG",
            "pad+mask   2000  46.8%       1  OK",
            "分桶       1270  16.1%       4  OK",
            "all        5270  36.7%       6",
        ]
    )
    assert LineTable().as_text() == ""


async def test_height_follows_the_rows() -> None:
    app = TableApp(MODEL, height="auto")
    async with app.run_test(size=(44, 9)) as pilot:
        assert app.table.size.height == 4
        app.table.model = replace(MODEL, rows=ROWS[:1], cursor=0)
        await pilot.pause()
        assert app.table.size.height == 2


@pytest.mark.parametrize("theme", ["textual-light", "ansi-dark", "nord"])
async def test_colours_follow_the_theme_and_the_cursor_row_is_bold(theme: str) -> None:
    app = TableApp(MODEL)
    async with app.run_test(size=(44, 5)) as pilot:
        before = [segment.style for segment in app.table.render_line(2)]
        app.theme = theme
        await pilot.pause()
        after = [segment.style for segment in app.table.render_line(2)]
    assert before != after
    assert all(style is not None and style.bold for style in after)
    assert len({style.bgcolor for style in after if style}) == 1
    assert len({style.color for style in after if style}) == 2
