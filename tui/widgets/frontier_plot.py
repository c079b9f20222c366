"""The frontier as a curve: waste against the number of graphs, with methods as labelled points.

Bars stand for the optimum at each number of graphs; whatever wastes more lies above them. A caret
under the axis points at the present number of graphs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from dgplay.core.plan_view import Point

from .prose import wrapped

#: Cells before the bars, for the percentages.
AXIS = 6

#: Lines under the bars: the numbers of graphs, and the caret.
BELOW = 2

BLOCKS, ASCII = " ▁▂▃▄▅▆▇█", " .::---=#"

#: Numbers of graphs that the axis names, where there is room.
TICKS = (1, 2, 4, 8, 16, 24, 32, 40, 48, 56, 64)

#: The letter that is drawn over all others, and the next one.
OWN, OPTIMAL = "o", "*"

#: Fewer graphs than this are cut off at the top.
CUT_BELOW = 3


@dataclass(frozen=True, eq=False)
class FrontierModel:
    """What a :class:`FrontierPlot` shows.

    ``wastes`` are the optima for 1, 2, … graphs, ``k`` the present number, ``best`` the one that
    the compile cost asks for. ``note`` stands in place of the bars while there are none.
    """

    wastes: tuple[float, ...]
    k: int
    points: tuple[Point, ...] = ()
    best: int | None = None
    best_text: str = ""
    note: str = ""
    ascii: bool = False


@dataclass(frozen=True)
class Scale:
    """Where numbers of graphs and wastes lie: ``step`` columns a graph, or several graphs in one.

    ``top`` is the waste of the highest row, ``rows`` how many rows there are.
    """

    most: int
    columns: int
    rows: int
    top: float

    @property
    def step(self) -> int:
        """Columns that each number of graphs takes, 0 where they share columns."""
        return self.columns // self.most

    def column(self, k: int) -> int:
        """Return the first column of a number of graphs."""
        k = max(1, min(k, self.most))
        if self.step:
            return (k - 1) * self.step
        return (k - 1) * (self.columns - 1) // max(1, self.most - 1)

    def k_at(self, column: int) -> int | None:
        """Return the number of graphs at a column, None beyond the last."""
        if self.step:
            k = column // self.step + 1
            return k if 1 <= k <= self.most else None
        return next((k for k in range(1, self.most + 1) if self.column(k) == column), None)

    def eighths(self, waste: float) -> int:
        """Return how high a waste stands, in eighths of a row."""
        return round(8 * self.rows * waste / self.top) if self.top else 0

    def row(self, waste: float) -> int:
        """Return the row that a point of this waste is drawn in, from the bottom."""
        return max(0, min(self.rows - 1, (self.eighths(waste) - 1) // 8))


def scale_of(model: FrontierModel, width: int, height: int) -> Scale:
    """Return the scale for a size.

    One and two graphs waste so much more than all others that the scale begins at three, or at
    the present number below that; bars and points above it are cut off with a sign.
    """
    top = model.wastes[min(model.k, CUT_BELOW, len(model.wastes)) - 1] if model.wastes else 0.0
    columns, rows = max(1, width - AXIS), max(1, height - BELOW)
    return Scale(max(1, len(model.wastes)), columns, rows, top)


Pieces = list[tuple[str, str]]


def lay_out(model: FrontierModel | None, width: int, height: int) -> list[Pieces]:
    """Return lines of (text, style) pieces."""
    if model is None or width < AXIS + 4 or height < 1:
        return []
    if not model.wastes:
        told = wrapped(model.note, width - 2)[:height]
        return [[(set_cell_size(f" {text}", width), "muted")] for text in told]
    scale = scale_of(model, width, height)
    lines = [_row(model, scale, row) for row in reversed(range(scale.rows))]
    return [*lines, _ticks(scale), _carets(model, scale)][:height]


def _row(model: FrontierModel, scale: Scale, row: int) -> Pieces:
    glyphs, cut = (ASCII, "^") if model.ascii else (BLOCKS, "↑")
    cells: list[tuple[str, str]] = []
    for column in range(scale.columns):
        k = scale.k_at(column)
        height = 0 if k is None else scale.eighths(model.wastes[k - 1]) - 8 * row
        glyph = cut if row == scale.rows - 1 and height > 8 else glyphs[max(0, min(8, height))]
        cells.append((glyph, "cursor" if k == model.k else "curve"))
    points, names = _labels(model, scale, row)
    for column, letter, style in points:
        cells[column] = (letter, style)
    free = "".join(glyph for glyph, _ in cells)
    for behind, text in names:
        start = behind
        while free[start - 1 : start].strip():  # a name begins one blank behind a bar
            start += 1
        if start + cell_len(text) <= scale.columns and not free[start:][: cell_len(text)].strip():
            cells[start : start + cell_len(text)] = [(character, "name") for character in text]
            break
    return [(_percentage(scale, row), "muted"), *_joined(cells)]


def _percentage(scale: Scale, row: int) -> str:
    """Return the label of the axis: the top, the middle and the bottom row have one."""
    named = (0, scale.rows - 1, scale.rows // 2) if scale.top else (0,)
    if row not in named:
        return " " * AXIS
    return f"{100 * scale.top * (row + 1) / scale.rows:>{AXIS - 2}.0f}% "


def _labels(
    model: FrontierModel, scale: Scale, row: int
) -> tuple[list[tuple[int, str, str]], list[tuple[int, str]]]:
    """Return the letters in a row as (column, letter, style), and what may stand behind them.

    Names stand behind the last letter, as letters alone where there is no room for them.
    """
    inside = [point for point in model.points if scale.row(point.waste) == row]
    # What is drawn later is on top.
    inside.sort(key=lambda point: (point.letter == OWN, point.letter == OPTIMAL))
    half = max(0, scale.step - 1) // 2
    letters = [
        (scale.column(point.k) + half, point.letter, "own" if point.letter == OWN else "point")
        for point in inside
    ]
    named = [point for point in reversed(inside) if point.letter != OPTIMAL]
    if not named:
        return letters, []
    start = max(column for column, _, _ in letters) + 2
    # One letter alone is seen where it stands.
    short = [(start, " ".join(point.letter for point in named))] if len(named) > 1 else []
    return letters, [(start, ", ".join(_name(point) for point in named)), *short]


def _name(point: Point) -> str:
    return point.name if point.letter == point.name[0] else f"{point.letter} {point.name}"


def _ticks(scale: Scale) -> Pieces:
    line = [" "] * scale.columns
    free = 0
    for k in (*(tick for tick in TICKS if tick < scale.most), scale.most):
        column, text = scale.column(k) + max(0, scale.step - 1) // 2, str(k)
        if column >= free and column + len(text) <= scale.columns:
            line[column : column + len(text)] = text
            free = column + len(text) + 1
    return [(" " * AXIS, "muted"), ("".join(line), "muted")]


def _carets(model: FrontierModel, scale: Scale) -> Pieces:
    """Return the line with a caret at the present number of graphs, and the best one."""
    half = max(0, scale.step - 1) // 2
    present = f"^ {model.k}"
    line = f"{'':{scale.column(model.k) + half}}{present}"
    if model.best is not None:
        place = scale.column(model.best) + half
        mark = f"^ {model.best_text}"
        if place > len(line) + 1:
            line = f"{line:{place}}{mark}"
        elif place + cell_len(mark) < len(line) - len(present):
            line = f"{'':{place}}{mark}{line[place + cell_len(mark) :]}"
        else:  # too near for two carets
            line = f"{line}  {model.best_text}"
    return [(" " * AXIS, "muted"), (set_cell_size(line, scale.columns), "cursor")]


def _joined(cells: Sequence[tuple[str, str]]) -> Pieces:
    """Join neighbours of one style."""
    pieces: Pieces = []
    for text, style in cells:
        if pieces and pieces[-1][1] == style:
            pieces[-1] = (pieces[-1][0] + text, style)
        else:
            pieces.append((text, style))
    return pieces


class FrontierPlot(Widget):
    """Bars by ``render_line``."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "frontier-plot--curve",
        "frontier-plot--cursor",
        "frontier-plot--point",
        "frontier-plot--own",
        "frontier-plot--name",
        "frontier-plot--muted",
    }
    DEFAULT_CSS = """
    FrontierPlot {
        height: 1fr;

        & > .frontier-plot--curve { color: $primary; }
        & > .frontier-plot--cursor { color: $text-accent; text-style: bold; }
        & > .frontier-plot--point { color: $text-warning; text-style: bold; }
        & > .frontier-plot--own { color: $text-accent; text-style: bold; }
        & > .frontier-plot--name { color: $text-muted; }
        & > .frontier-plot--muted { color: $text-muted; }
    }
    """

    model: reactive[FrontierModel | None] = reactive(None, init=False)

    class GraphsChosen(Message):
        """A number of graphs was clicked."""

        def __init__(self, k: int) -> None:
            super().__init__()
            self.k = k

    def __init__(self) -> None:
        super().__init__()
        self._laid_out: tuple[object, list[Pieces]] | None = None

    def render_line(self, y: int) -> Strip:
        """Return one line."""
        key = (self.model, self.size)
        if self._laid_out is None or self._laid_out[0] != key:
            self._laid_out = (key, lay_out(self.model, self.size.width, self.size.height))
        lines = self._laid_out[1]
        pieces = lines[y] if y < len(lines) else []
        segments = [Segment(text, self._style(name)) for text, name in pieces]
        return Strip(segments).adjust_cell_length(self.size.width, self._style("muted"))

    def _style(self, name: str) -> Style:
        return self.get_component_rich_style(f"frontier-plot--{name}")

    def on_click(self, event: events.Click) -> None:
        """Tell which number of graphs was clicked."""
        if self.model is None or not self.model.wastes:
            return
        scale = scale_of(self.model, self.size.width, self.size.height)
        k = scale.k_at(event.x - AXIS)
        if k is not None and event.x >= AXIS:
            self.post_message(self.GraphsChosen(k))
