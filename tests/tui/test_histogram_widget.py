"""The plot as text, its messages, and what it repaints."""

from __future__ import annotations

import unicodedata

import pytest
from textual import events
from textual.app import App, ComposeResult
from textual.geometry import Region
from textual.message import Message

from dgplay.core.sequences.histogram import Histogram
from dgplay.tui.widgets.histogram import HistogramPlot, PlotModel

#: The counts of the reference experiment, length 1 to 20.
REFERENCE = Histogram.from_counts(
    dict(enumerate([8, 5, 4, 4, 2, 4, 5, 5, 8, 5, 6, 2, 3, 5, 7, 6, 8, 3, 2, 8], start=1))
)
QUARTERS = (5, 10, 15, 20)
EMPTY = Histogram.from_counts({})


class PlotApp(App[None]):
    """One plot that fills the screen."""

    CSS = "HistogramPlot { height: 100%; }"

    def __init__(self, model: PlotModel | None) -> None:
        super().__init__()
        self.plot = HistogramPlot(model)
        self.posted: list[Message] = []

    def compose(self) -> ComposeResult:
        yield self.plot

    def on_histogram_plot_length_clicked(self, message: HistogramPlot.LengthClicked) -> None:
        self.posted.append(message)

    def on_histogram_plot_wheeled(self, message: HistogramPlot.Wheeled) -> None:
        self.posted.append(message)


@pytest.fixture(autouse=True)
def _colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)


def lines(plot: HistogramPlot) -> list[str]:
    strips = [plot.render_line(y) for y in range(plot.size.height)]
    assert all(strip.cell_length == plot.size.width for strip in strips)
    return [strip.text for strip in strips]


async def drawn(model: PlotModel | None, width: int, height: int) -> list[str]:
    app = PlotApp(model)
    async with app.run_test(size=(width, height)):
        return lines(app.plot)


async def test_the_sketch_of_the_design() -> None:
    model = PlotModel(REFERENCE, QUARTERS, active=0, ascii=True)
    assert await drawn(model, 42, 5) == [
        "8 #        !      #  |        :|  #     #|",
        "6 # :      !  : : # :|#     : #|# #     #|",
        "4 # # # #  !# # # # #|#   : # #|# # :   #|",
        "2 # # # # #!# # # # #|# # # # #|# # # # #|",
        "  1       5         10        15        20",
    ]


async def test_blocks() -> None:
    assert await drawn(PlotModel(REFERENCE, QUARTERS, active=1), 42, 5) == [
        "8 █        │      █  ┃        ▄│  █     █│",
        "6 █ ▄      │  ▄ ▄ █ ▄┃█     ▄ █│█ █     █│",
        "4 █ █ █ █  │█ █ █ █ █┃█   ▄ █ █│█ █ ▄   █│",
        "2 █ █ █ █ █│█ █ █ █ █┃█ █ █ █ █│█ █ █ █ █│",
        "  1       5         10        15        20",
    ]


async def test_one_cell_a_length() -> None:
    assert await drawn(PlotModel(REFERENCE, QUARTERS, active=3), 30, 3) == [
        "8 █▂   │ ▂▂█▂│▄  ▂▆│▄█  █┃    ",
        "4 ████▄│█████│█▄▆██│██▆▄█┃    ",
        "  1   5     10    15    20    ",
    ]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ({}, ["no data     ", "            ", "            ", "            "]),
        ({0: 3}, ["no data     ", "            ", "            ", "            "]),
        ({3: 9}, ["9       ##! ", "6       ##! ", "3       ##! ", "  1     3   "]),
        ({1: 2, 2: 2}, ["           !", "2 #### ####!", "1 #### ####!", "  1    2    "]),
    ],
)
async def test_small_data(content: dict[int, int], expected: list[str]) -> None:
    histogram = Histogram.from_counts(content)
    model = PlotModel(histogram, (histogram.maximum or 1,), 0, empty="no data", ascii=True)
    assert await drawn(model, 12, 4) == expected


async def test_wide_text_in_place_of_the_plot() -> None:
    assert await drawn(PlotModel(EMPTY, (4,), 0, empty="没有数据"), 7, 2) == ["没有数 ", " " * 7]


async def test_stale_is_a_sign_too() -> None:
    text = await drawn(PlotModel(REFERENCE, QUARTERS, 0, stale=True), 42, 5)
    assert text[-1].startswith("… 1")


@pytest.mark.parametrize("size", [(1, 1), (2, 1), (3, 2), (9, 3), (10, 3), (230, 40), (5, 40)])
@pytest.mark.parametrize("content", [{}, {1: 1}, {7: 10**9}, {1: 1, 5: 2, 2**53: 3}])
async def test_any_size(size: tuple[int, int], content: dict[int, int]) -> None:
    histogram = Histogram.from_counts(content)
    maximum = max(1, histogram.maximum)
    boundaries = tuple(sorted({1, 2, 3, maximum // 2 + 1, maximum + 9}))
    await drawn(PlotModel(histogram, boundaries, active=1), *size)
    assert await drawn(None, *size) == [" " * size[0]] * size[1]


@pytest.mark.parametrize("stale", [False, True])
async def test_ascii_has_no_ambiguous_width(stale: bool) -> None:
    text = await drawn(PlotModel(REFERENCE, QUARTERS, 1, ascii=True, stale=stale), 120, 30)
    assert not {unicodedata.east_asian_width(one) for one in "".join(text)} & {"A", "W", "F"}


async def test_clicks_and_wheel_become_messages() -> None:
    app = PlotApp(PlotModel(REFERENCE, QUARTERS, 0))
    async with app.run_test(size=(42, 5)) as pilot:
        for x in (2, 3, 20, 41, 0):
            await pilot.click(HistogramPlot, offset=(x, 1))
        for event in (events.MouseScrollUp, events.MouseScrollDown, events.MouseScrollRight):
            app.plot.post_message(event(app.plot, 4, 1, 0, 0, 0, False, False, False))
        await pilot.pause()
        clicked = [m.length for m in app.posted if isinstance(m, HistogramPlot.LengthClicked)]
        wheeled = [m.direction for m in app.posted if isinstance(m, HistogramPlot.Wheeled)]
    assert clicked == [1, 1, 10, 20, 1]
    assert wheeled == [-1, 1, 1]


@pytest.fixture
def repainted(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Region, ...]]:
    seen: list[tuple[Region, ...]] = []
    original = HistogramPlot._set_dirty

    def noted(self: HistogramPlot, *regions: Region) -> None:
        seen.append(regions)
        original(self, *regions)

    monkeypatch.setattr(HistogramPlot, "_set_dirty", noted)
    return seen


async def test_a_moved_boundary_repaints_only_its_surroundings(
    repainted: list[tuple[Region, ...]],
) -> None:
    app = PlotApp(PlotModel(REFERENCE, QUARTERS, active=0))
    async with app.run_test(size=(42, 5)) as pilot:
        bins = app.plot.columns.bins if app.plot.columns else None
        repainted.clear()
        app.plot.model = PlotModel(REFERENCE, (6, 10, 15, 20), active=0)
        await pilot.pause()
        assert repainted == [(Region(11, 0, 3, 4),)]
        assert app.plot.columns is not None
        assert app.plot.columns.bins is bins
        assert lines(app.plot)[0] == "8 █          ┃    █  │        ▄│  █     █│"
        repainted.clear()
        app.plot.model = PlotModel(REFERENCE, (6, 10, 15, 20), active=0)
        await pilot.pause()
        assert repainted == []


async def test_resize_draws_again() -> None:
    app = PlotApp(PlotModel(REFERENCE, QUARTERS, active=0))
    async with app.run_test(size=(42, 5)) as pilot:
        for size in ((12, 3), (80, 24), (1, 1), (42, 5)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            assert len(lines(app.plot)) == size[1]


@pytest.mark.parametrize("theme", ["textual-light", "ansi-dark", "nord"])
async def test_colours_follow_the_theme(theme: str) -> None:
    app = PlotApp(PlotModel(REFERENCE, QUARTERS, active=0))
    async with app.run_test(size=(42, 5)) as pilot:
        before = {str(segment.style) for segment in app.plot.render_line(3)}
        app.theme = theme
        await pilot.pause()
        after = {str(segment.style) for segment in app.plot.render_line(3)}
    assert before != after
    assert len(after) >= 4


async def test_without_colour_marks_remain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    text = await drawn(PlotModel(REFERENCE, QUARTERS, active=1), 42, 5)
    assert text[0].count("┃") == 1
    assert text[0].count("│") == 3
