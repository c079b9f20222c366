"""The curves of one sequence: |h| after each step under every strategy, one under the other.

A bar stands where real steps end (or, with padding in front, begin), and a caret under the curves
at the step whose values are shown. Heights come ready from core.
"""

from __future__ import annotations

from collections.abc import Callable
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

from dgplay.core.one_sequence import Curve, Traces, curves, numbers_text

from .prose import wrapped

#: Cells before the curves: marker and name; and after them: value and error.
NAME, VALUE, ERROR = 14, 8, 10

#: The least width that leaves room for curves beside the numbers.
LEAST = NAME + VALUE + ERROR + 8

BLOCKS, ASCII = " ▁▂▃▄▅▆▇█", " .::---=#"


@dataclass(frozen=True, eq=False)
class CurvesModel:
    """What a :class:`SequencePlot` shows; ``titles`` head name, value and error.

    ``hidden`` names the strategies whose results are still to be predicted: their curve stops
    where the real steps do. ``note`` stands in place of the curves while there are none.
    """

    traces: Traces | None
    step: int
    chosen: str
    titles: tuple[str, str, str]
    note: str = ""
    hidden: frozenset[str] = frozenset()
    ascii: bool = False


class SequencePlot(Widget):
    """Curves by ``render_line``; pages through the numbers of the chosen strategy below them."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "sequence-plot--text",
        "sequence-plot--curve",
        "sequence-plot--padding",
        "sequence-plot--chosen",
        "sequence-plot--good",
        "sequence-plot--bad",
        "sequence-plot--muted",
    }
    DEFAULT_CSS = """
    SequencePlot {
        height: 1fr;

        & > .sequence-plot--text { color: $foreground; }
        & > .sequence-plot--curve { color: $primary; }
        & > .sequence-plot--padding { color: $text-warning; }
        & > .sequence-plot--chosen { color: $text-accent; text-style: bold; }
        & > .sequence-plot--good { color: $text-success; }
        & > .sequence-plot--bad { color: $text-error; text-style: bold; }
        & > .sequence-plot--muted { color: $text-muted; }
    }
    """

    model: reactive[CurvesModel | None] = reactive(None, init=False)

    class StrategyClicked(Message):
        """A curve was clicked."""

        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

    def __init__(self) -> None:
        super().__init__()
        self._laid_out: tuple[object, list[list[tuple[str, str]]], list[str]] | None = None

    def render_line(self, y: int) -> Strip:
        """Return one line."""
        lines, _ = self._lines()
        pieces = lines[y] if y < len(lines) else []
        style_of = self._style_of()
        segments = [Segment(text, style_of(name)) for text, name in pieces]
        return Strip(segments).adjust_cell_length(self.size.width, style_of("text"))

    def _style_of(self) -> Callable[[str], Style]:
        return lambda name: self.get_component_rich_style(f"sequence-plot--{name}")

    def _lines(self) -> tuple[list[list[tuple[str, str]]], list[str]]:
        key = (self.model, self.size)
        if self._laid_out is None or self._laid_out[0] != key:
            lines, names = lay_out(self.model, self.size.width, self.size.height)
            self._laid_out = (key, lines, names)
        return self._laid_out[1], self._laid_out[2]

    def on_click(self, event: events.Click) -> None:
        """Tell which strategy was clicked."""
        _, names = self._lines()
        if 0 <= event.y < len(names) and names[event.y]:
            self.post_message(self.StrategyClicked(names[event.y]))


def lay_out(
    model: CurvesModel | None, width: int, height: int
) -> tuple[list[list[tuple[str, str]]], list[str]]:
    """Return lines of (text, style) pieces, and for each the strategy it belongs to or ""."""
    if model is None or height < 1 or width < 1:
        return [], []
    if model.traces is None:
        told = wrapped(model.note, max(1, width - 2))[:height]
        return [[(f" {text}", "muted")] for text in told], [""] * len(told)
    count = len(model.traces.traces)
    rows = max(1, (height - 5) // count)
    room = max(1, width - NAME - VALUE - ERROR)
    drawn = curves(model.traces, model.step, room - 1, rows)
    lines = [_heading(model, room)]
    names = [""]
    for curve in drawn:
        for row in reversed(range(rows)):
            lines.append(_curve_line(curve, model, row, room))
            names.append(curve.name)
    lines.append(_caret(drawn[0], model, room))
    names.append("")
    for text in _numbers(model, width, height - len(lines)):
        lines.append([(text, "text")])
        names.append("")
    return lines, names


def _heading(model: CurvesModel, room: int) -> list[tuple[str, str]]:
    name, value, error = model.titles
    title = f"  {set_cell_size(name, NAME - 2)}{' ' * room}"
    return [(title + _right(value, VALUE) + _right(error, ERROR), "muted")]


def _curve_line(curve: Curve, model: CurvesModel, row: int, room: int) -> list[tuple[str, str]]:
    """Return one line of a curve; the lowest one carries the name and the numbers."""
    chosen, lowest = curve.name == model.chosen, row == 0
    hidden = curve.name in model.hidden
    sign = ">" if model.ascii else "›"
    name = f"{sign if chosen else ' '} {curve.name}" if lowest else ""
    pieces = [(set_cell_size(name, NAME), "chosen" if chosen else "text")]
    glyphs = ASCII if model.ascii else BLOCKS
    bar = "|" if model.ascii else "│"
    cells = [glyphs[min(max(height - 8 * row, 0), 8)] for height in curve.heights]
    before, after = "".join(cells[: curve.mark]), "".join(cells[curve.mark :])
    if hidden:
        before, after = ("", "") if curve.starts else (before, "?" * bool(after) * lowest)
    first, second = ("padding", "curve") if curve.starts else ("curve", "padding")
    pieces += [(before, first), (bar, "muted"), (after, second)]
    used = cell_len(before) + 1 + cell_len(after)
    pieces.append((" " * max(0, room - used), "text"))
    if not lowest:
        return pieces
    value = "?" if hidden else ("-" if curve.value is None else f"{curve.value:.2f}")
    error = "?" if hidden else f"{curve.error:.3g}"
    pieces.append((_right(value, VALUE), "text"))
    pieces.append((_right(error, ERROR), "muted" if hidden else "good" if curve.correct else "bad"))
    return pieces


def _caret(curve: Curve, model: CurvesModel, room: int) -> list[tuple[str, str]]:
    """Return the line that points at the chosen step; the mark of the curves takes a cell."""
    place = curve.cursor + (1 if curve.cursor >= curve.mark else 0)
    pointer = "^" if place < room else ""
    return [(" " * (NAME + place) + pointer, "chosen")]


def _numbers(model: CurvesModel, width: int, height: int) -> list[str]:
    """Return every |h| of the chosen strategy, as many lines as there is room for."""
    assert model.traces is not None
    by_name = {trace.strategy: trace for trace in model.traces.traces}
    chosen = by_name.get(model.chosen, model.traces.traces[0])
    if height < 1 or chosen.strategy in model.hidden:
        return []
    words = f"{chosen.strategy}: {numbers_text(chosen, '|' if model.ascii else '│')}".split(" ")
    lines = [""]
    for word in words:
        if cell_len(lines[-1]) + 1 + cell_len(word) > width - 1:
            if len(lines) == height:
                lines[-1] = set_cell_size(lines[-1], max(0, width - 4)).rstrip() + " ..."
                break
            lines.append("")
        lines[-1] += f" {word}"
    return lines


def _right(text: str, width: int) -> str:
    return " " * max(0, width - cell_len(text)) + text
