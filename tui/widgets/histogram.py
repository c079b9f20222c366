"""The drawing of a histogram with bucket boundaries in it.

Everything that is shown arrives as one frozen ``PlotModel``; all numbers come from
``core.sequences.columns``. The picture is worked out once for each model and size, lines are made
when Textual asks for them, and a moved boundary repaints the cells between its old and new place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import ClassVar, Self

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from dgplay.core.sequences.columns import (
    Columns,
    Frame,
    Scale,
    frame,
    place_boundaries,
    ticks,
)
from dgplay.core.sequences.histogram import Histogram

BAR, ACTIVE_BAR, BOUNDARY, ACTIVE_BOUNDARY, STALE = "bar", "active", "boundary", "current", "stale"
AXIS = "axis"
#: Rows from which on the last one holds the numbers of the lengths.
SHORTEST_WITH_AXIS = 3


@dataclass(frozen=True)
class Glyphs:
    """What a cell filled to 0…8 eighths looks like, and the marks."""

    eighths: str
    boundary: str
    active: str
    stale: str


BLOCKS = Glyphs(" ▁▂▃▄▅▆▇█", "│", "┃", "…")
#: Only characters that no terminal draws two cells wide.
ASCII = Glyphs(" :::::###", "|", "!", "~")


@dataclass(frozen=True, eq=False)
class PlotModel:
    """What a :class:`HistogramPlot` shows.

    ``active`` is the index of the bucket whose bars and boundary stand out. ``label`` writes a
    length under the plot, ``empty`` is what stands in place of the plot where there is no length
    above 0. ``stale`` says that newer numbers are being worked out.
    """

    histogram: Histogram
    boundaries: tuple[int, ...] = ()
    active: int | None = None
    label: Callable[[int], str] = str
    empty: str = ""
    ascii: bool = False
    stale: bool = False


@dataclass(frozen=True, eq=False)
class Picture:
    """A model laid out for one size: all that lines are made from.

    ``profile`` has one character a cell, its code the height of the bar there in eighths, or one
    of the two codes above the highest bar for boundaries; ``kinds`` has the style of each cell.
    """

    model: PlotModel
    size: Size
    frame: Frame
    columns: Columns
    profile: str
    kinds: tuple[str, ...]
    axis: str | None

    @property
    def gutter(self) -> int:
        """The width of the numbers at the left."""
        return self.frame.gutter

    @property
    def scale(self) -> Scale:
        """The heights of the bars."""
        return self.frame.scale

    @property
    def glyphs(self) -> Glyphs:
        """The characters to draw with."""
        return ASCII if self.model.ascii else BLOCKS

    def changed(self, before: Picture) -> list[Region] | None:
        """Return the regions that differ from an earlier picture, None for everything."""
        if self._surroundings() != before._surroundings():
            return None
        pairs = zip(self.profile, before.profile, self.kinds, before.kinds, strict=True)
        cells = [x for x, (new, old, kind, was) in enumerate(pairs) if new != old or kind != was]
        regions = []
        if cells:
            width = cells[-1] - cells[0] + 1
            regions.append(Region(self.gutter + cells[0], 0, width, self.scale.rows))
        if self.axis != before.axis:
            regions.append(Region(0, self.scale.rows, self.size.width, 1))
        return regions

    def _surroundings(self) -> tuple[object, ...]:
        """Return what must agree for two pictures to be compared cell by cell."""
        model, drawn = self.model, self.columns.size > 0
        around = (self.size, self.gutter, self.scale.labels)
        return (*around, model.ascii, model.stale, drawn or model.empty)


class HistogramPlot(Widget):
    """Bars of a histogram, the boundaries of its buckets, and both axes."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "histogram-plot--bar",
        "histogram-plot--active",
        "histogram-plot--boundary",
        "histogram-plot--current",
        "histogram-plot--stale",
        "histogram-plot--axis",
    }
    DEFAULT_CSS = """
    HistogramPlot {
        height: 1fr;
        min-height: 1;

        & > .histogram-plot--bar { color: $primary; }
        & > .histogram-plot--active { color: $accent; }
        & > .histogram-plot--boundary { color: $foreground; }
        & > .histogram-plot--current { color: $text-warning; text-style: bold; }
        & > .histogram-plot--stale { color: $text-muted; }
        & > .histogram-plot--axis { color: $text-muted; }
    }
    """

    #: Compared by identity: a new model is a new object.
    model: reactive[PlotModel | None] = reactive(None, init=False, repaint=False)

    class LengthClicked(Message):
        """A column was clicked; ``length`` is the longest of its lengths."""

        def __init__(self, plot: HistogramPlot, length: int) -> None:
            super().__init__()
            self.plot = plot
            self.length = length

        @property
        def control(self) -> HistogramPlot:
            """The plot that was clicked."""
            return self.plot

    class Wheeled(Message):
        """The wheel was turned over the plot; ``direction`` is -1 (up, left) or 1."""

        def __init__(self, plot: HistogramPlot, direction: int) -> None:
            super().__init__()
            self.plot = plot
            self.direction = direction

        @property
        def control(self) -> HistogramPlot:
            """The plot that the pointer was over."""
            return self.plot

    def __init__(
        self,
        model: PlotModel | None = None,
        *,
        name: str | None = None,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._picture: Picture | None = None
        self._strips: dict[int, Strip] = {}
        self._styles_by_kind: dict[str, Style] = {}
        self.set_reactive(HistogramPlot.model, model)

    @property
    def columns(self) -> Columns | None:
        """The columns as drawn now (their ``column_width`` is a big step), None without model."""
        picture = self._current_picture()
        return picture.columns if picture else None

    def watch_model(self) -> None:
        """Repaint what the new model changes."""
        before = self._picture
        picture = self._current_picture()
        self._strips.clear()
        regions = picture.changed(before) if picture and before else None
        if regions is None:
            self.refresh()
        elif regions:
            super().refresh(*regions)

    def refresh(
        self,
        *regions: Region,
        repaint: bool = True,
        layout: bool = False,
        recompose: bool = False,
    ) -> Self:
        """Repaint; without regions also read colours again, as a background may have changed."""
        if not regions:
            self._forget_styles()
        super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)
        return self

    def notify_style_update(self) -> None:
        """Read colours again after the theme or a pseudo class changed."""
        self._forget_styles()
        super().notify_style_update()

    def _forget_styles(self) -> None:
        self._styles_by_kind = {}
        self._strips = {}

    def _current_picture(self) -> Picture | None:
        """Return the picture of the present model and size, drawn at most once."""
        model, size = self.model, self.size
        if model is None:
            self._picture = None
        elif self._picture is None or (self._picture.model, self._picture.size) != (model, size):
            self._picture = draw(model, size, self._picture)
            self._strips.clear()
        return self._picture

    def render_line(self, y: int) -> Strip:
        """Return one line of the picture."""
        picture = self._current_picture()
        strip = self._strips.get(y)
        if strip is None:
            segments = _line(picture, y, self._style_of) if picture else []
            strip = Strip(segments).adjust_cell_length(self.size.width, self._style_of(AXIS))
            self._strips[y] = strip
        return strip

    def _style_of(self, kind: str) -> Style:
        if kind not in self._styles_by_kind:
            name = f"histogram-plot--{kind}"
            self._styles_by_kind[kind] = self.get_component_rich_style(name)
        return self._styles_by_kind[kind]

    def on_click(self, event: events.Click) -> None:
        """Tell which length was clicked."""
        picture = self._current_picture()
        place = event.get_content_offset(self)
        if picture is None or place is None or not picture.columns.size:
            return
        event.stop()
        column = picture.columns.column_at(place.x - picture.gutter)
        self.post_message(self.LengthClicked(self, picture.columns.length_of(column)))

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Tell that the wheel went up."""
        self._wheel(event, -1)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Tell that the wheel went down."""
        self._wheel(event, 1)

    def on_mouse_scroll_left(self, event: events.MouseScrollLeft) -> None:
        """Tell that the wheel went left."""
        self._wheel(event, -1)

    def on_mouse_scroll_right(self, event: events.MouseScrollRight) -> None:
        """Tell that the wheel went right."""
        self._wheel(event, 1)

    def _wheel(self, event: events.MouseEvent, direction: int) -> None:
        event.stop()
        self.post_message(self.Wheeled(self, direction))


def draw(model: PlotModel, size: Size, before: Picture | None = None) -> Picture:
    """Lay a model out for ``size``; the bins of ``before`` serve again where they can."""
    with_axis = size.height >= SHORTEST_WITH_AXIS
    rows = size.height - with_axis
    framed = _frame_of(model, size, rows, before)
    placed = place_boundaries(framed.bins, model.boundaries)
    profile, kinds = _cells(model, placed, framed.scale, max(0, size.width - framed.gutter))
    return Picture(
        model=model,
        size=size,
        frame=framed,
        columns=placed,
        profile=profile,
        kinds=kinds,
        axis=_axis(model, placed, size.width - framed.gutter) if with_axis else None,
    )


def _frame_of(model: PlotModel, size: Size, rows: int, before: Picture | None) -> Frame:
    """Bin only where the data, the size or the number of boundaries changed."""
    if (
        before is not None
        and before.size == size
        and before.model.histogram is model.histogram
        and len(before.columns.boundaries) == len(model.boundaries)
    ):
        return before.frame
    return frame(model.histogram, size.width, rows, len(model.boundaries))


def _cells(
    model: PlotModel, placed: Columns, scale: Scale, width: int
) -> tuple[str, tuple[str, ...]]:
    """Return height and style of each cell, as :class:`Picture` describes them."""
    heights, kinds = ["\0"] * width, [STALE if model.stale else BAR] * width
    for cell, height in zip(placed.cells, scale.eighths, strict=True):
        heights[cell : cell + placed.bar] = chr(height) * placed.bar
    active = model.active if placed.size else None
    if active is not None and not model.stale:
        columns = placed.bucket_columns(active)
        if columns:
            first, after = placed.cells[columns[0]], placed.separators[active]
            kinds[first:after] = [ACTIVE_BAR] * (after - first)
    boundary, current = chr(8 * scale.rows + 1), chr(8 * scale.rows + 2)
    for separator in placed.separators if placed.size else ():
        if separator < width:
            heights[separator], kinds[separator] = boundary, BOUNDARY
    if active is not None and placed.separators[active] < width:
        separator = placed.separators[active]
        heights[separator], kinds[separator] = current, ACTIVE_BOUNDARY
    return "".join(heights[:width]), tuple(kinds[:width])


def _axis(model: PlotModel, placed: Columns, width: int) -> str:
    """Return the line of tick labels under the columns."""
    line, used = "", 0
    for tick in ticks(placed, model.label, cell_len):
        line += " " * (tick.cell - used) + tick.text
        used = tick.cell + cell_len(tick.text)
    return set_cell_size(line, max(0, width))


def _line(picture: Picture, y: int, style_of: Callable[[str], Style]) -> list[Segment]:
    """Return the segments of line ``y``."""
    rows, gutter = picture.scale.rows, picture.gutter
    if not picture.columns.size:
        text = picture.model.empty if y == 0 else ""
        return [Segment(set_cell_size(text, picture.size.width), style_of(AXIS))]
    if y >= rows:
        mark = picture.glyphs.stale if picture.model.stale and gutter else ""
        text = mark.ljust(gutter) + (picture.axis or "")
        return [Segment(text, style_of(AXIS))]
    text = picture.profile.translate(_glyph_table(rows, rows - 1 - y, picture.glyphs))
    label = picture.scale.labels[y].rjust(gutter - 1) + " " if gutter else ""
    segments = [Segment(label, style_of(AXIS))] if gutter else []
    start = 0
    for kind, run in groupby(picture.kinds):
        end = start + len(list(run))
        segments.append(Segment(text[start:end], style_of(kind)))
        start = end
    return segments


@lru_cache(maxsize=256)
def _glyph_table(rows: int, row: int, glyphs: Glyphs) -> str:
    """Return the glyph of every profile code in a row, counted from the bottom."""
    filled = (glyphs.eighths[min(max(code - 8 * row, 0), 8)] for code in range(8 * rows + 1))
    return "".join(filled) + glyphs.boundary + glyphs.active
