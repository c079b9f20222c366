"""Drawing a histogram in few cells: which lengths share a column, where boundaries stand.

Three parts that change at different rates, so that moving a boundary never bins again:
``bin_columns`` depends on the histogram and the width, ``scale`` also on the number of rows, and
``place_boundaries`` on the boundaries alone. ``columns`` does the first and the last in one call.

Columns differ by up to one length in width (512 lengths on 198 columns: 2 or 3 each); bars are
therefore drawn from the count *per length*, without which such a plot shows a comb. A separator
has a cell of its own, between two columns: it never hides a bar.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from math import ceil

import numpy as np
import numpy.typing as npt

from .histogram import Histogram, Integers, exact_array

#: Cells from one length to the next at most, where there is more room than lengths.
WIDEST_PITCH = 8
#: Blank cells between two tick labels.
TICK_GAP = 3
#: Below this width the numbers beside the bars would take more room than the bars.
NARROWEST_WITH_GUTTER = 10
#: Mantissas of the round numbers that scales use; the last row only from 10 upwards.
ROUND = (1, 2, 3, 4, 5, 6, 8, 10)
ROUND_FROM_TEN = (10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100)
SUFFIXES = ("", "k", "M", "G", "T", "P", "E")


@dataclass(frozen=True, eq=False)
class Bins:
    """Lengths 1…maximum in columns of nearly equal width; made by :func:`bin_columns`.

    ``low`` and ``high`` are inclusive. ``pitch`` is the number of cells from one column to the
    next: 1, or more where every length has a column with a gap after it.
    """

    width: int
    maximum: int
    pitch: int
    low: Integers
    high: Integers
    count: Integers
    density: npt.NDArray[np.float64]

    @property
    def size(self) -> int:
        """The number of columns."""
        return int(self.high.size)

    @property
    def span(self) -> float:
        """Lengths per column on average, 0 without columns."""
        return self.maximum / self.size if self.size else 0.0

    @cached_property
    def value(self) -> npt.NDArray[np.float64]:
        """What a bar shows: sequences per column of average width.

        Exactly the count where every column is one length.
        """
        return self.density * self.span


@dataclass(frozen=True, eq=False)
class Columns:
    """Bins with boundaries placed between them; made by :func:`place_boundaries`.

    ``ends`` holds the column that each boundary closes, ``separators`` the cell that it is drawn
    in; boundaries within one column share both. ``cells`` is the first cell of each column's bar,
    which is ``bar`` cells wide.
    """

    bins: Bins
    boundaries: tuple[int, ...]
    ends: tuple[int, ...]
    separators: tuple[int, ...]
    cells: tuple[int, ...]
    bar: int

    @property
    def size(self) -> int:
        """The number of columns, 0 where there is no length above 0."""
        return self.bins.size

    @property
    def low(self) -> Integers:
        """The shortest length of each column."""
        return self.bins.low

    @property
    def high(self) -> Integers:
        """The longest length of each column."""
        return self.bins.high

    @property
    def count(self) -> Integers:
        """Sequences in each column."""
        return self.bins.count

    @property
    def density(self) -> npt.NDArray[np.float64]:
        """Sequences per length in each column."""
        return self.bins.density

    @property
    def column_width(self) -> int:
        """How many whole lengths one column spans: what a big step moves a boundary by."""
        if not self.size:
            return 1
        return max(1, (2 * self.bins.maximum + self.size) // (2 * self.size))

    def column_of(self, length: int) -> int:
        """Return the column that holds ``length``, the nearest one outside; 0 without columns."""
        return max(0, min(int(np.searchsorted(self.high, length)), self.size - 1))

    def length_of(self, column: int) -> int:
        """Return the longest length of a column: the boundary drawn right after it.

        Columns outside count as the nearest one; 0 without columns.
        """
        return int(self.high[max(0, min(column, self.size - 1))]) if self.size else 0

    def column_at(self, cell: int) -> int:
        """Return the column drawn at a cell; a gap or separator belongs to the one before it."""
        return max(0, bisect_right(self.cells, cell) - 1)

    def bucket_columns(self, index: int) -> range:
        """Return the columns of bucket ``index``; empty where it shares its only column."""
        return range(self.ends[index - 1] + 1 if index else 0, self.ends[index] + 1)


@dataclass(frozen=True)
class Scale:
    """Bar heights in eighths of a cell, and the number beside each row from the top down."""

    rows: int
    eighths: tuple[int, ...]
    labels: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Frame:
    """The part of a plot that does not depend on where boundaries stand; see :func:`frame`."""

    gutter: int
    bins: Bins
    scale: Scale


@dataclass(frozen=True)
class Tick:
    """A number under the plot; its text starts at ``cell``."""

    length: int
    cell: int
    text: str


def columns(histogram: Histogram, width: int, boundaries: Iterable[int] = ()) -> Columns:
    """Lay a histogram and boundaries over at most ``width`` cells."""
    placed = tuple(boundaries)
    return place_boundaries(bin_columns(histogram, width, len(placed)), placed)


def bin_columns(histogram: Histogram, width: int, separators: int = 0) -> Bins:
    """Bin the lengths 1…maximum for ``width`` cells, with room for ``separators`` between them.

    At least half of the cells are columns: with more separators than the other half can hold,
    neighbours share one, so that columns and separators always fit.
    """
    maximum = histogram.maximum
    if 2 * maximum <= width:
        size, pitch = maximum, min(width // max(maximum, 1), WIDEST_PITCH)
    else:
        size, pitch = min(maximum, max(width - separators, width // 2, 1)), 1
    edges = exact_array([maximum * place // max(size, 1) for place in range(size + 1)], maximum)
    low, high = edges[:-1] + 1, edges[1:]
    places = np.searchsorted(histogram.lengths, edges, side="right")
    count = np.diff(histogram.count_prefix[places])
    density = count.astype(np.float64) / (high - low + 1).astype(np.float64)
    return Bins(width, maximum, pitch, low, high, count, density)


def place_boundaries(bins: Bins, boundaries: Iterable[int]) -> Columns:
    """Place boundaries, ascending, between the columns of ``bins``.

    A boundary stands after the column that holds it, one above the maximum after the last column.
    """
    placed = tuple(boundaries)
    if not bins.size:
        return Columns(bins, placed, (0,) * len(placed), (0,) * len(placed), (), 1)
    ends = [min(int(end), bins.size - 1) for end in np.searchsorted(bins.high, placed)]
    if bins.pitch > 1:
        cells = [bins.pitch * column for column in range(bins.size)]
        bar = bins.pitch - 1
    else:
        shift = np.zeros(bins.size + 1, np.int64)
        shift[[end + 1 for end in ends]] = 1
        cells = (np.arange(bins.size) + np.cumsum(shift[:-1])).tolist()
        bar = 1
    separators = tuple(cells[end] + bar for end in ends)
    return Columns(bins, placed, tuple(ends), separators, tuple(cells), bar)


def frame(histogram: Histogram, width: int, rows: int, separators: int = 0) -> Frame:
    """Divide ``width`` cells between the numbers at the left and the columns.

    The numbers depend on the columns and the columns on the room the numbers leave, so this
    widens the gutter until they agree, which takes two or three binnings.
    """
    gutter = 0
    while True:
        bins = bin_columns(histogram, max(0, width - gutter), separators)
        scaled = scale(bins, rows)
        needed = 1 + max(map(len, scaled.labels), default=0)
        if needed <= max(gutter, 1) or width < NARROWEST_WITH_GUTTER or rows < 2:
            return Frame(gutter, bins, scaled)
        gutter = needed


def scale(bins: Bins, rows: int) -> Scale:
    """Fit the bars into ``rows`` rows whose height is a round number of sequences.

    A column with any sequence at all shows at least an eighth.
    """
    top = float(bins.value.max()) if bins.size else 0.0
    if top <= 0.0 or rows < 1:
        return Scale(max(rows, 0), (0,) * bins.size, ("",) * max(rows, 0))
    unit, every = _row_height(top, rows)
    eighths = np.rint(bins.value * (8 / unit)).astype(np.int64)
    eighths = np.where(bins.value > 0.0, np.clip(eighths, 1, 8 * rows), 0)
    # A row that no bar reaches gets no number: a wider number would take room from the bars.
    reached = ceil(top / unit)
    labels = [
        short_number(round(row * unit)) if row % every == 0 and row <= reached else ""
        for row in range(rows, 0, -1)
    ]
    return Scale(rows, tuple(eighths.tolist()), tuple(labels))


def _row_height(top: float, rows: int) -> tuple[float, int]:
    """Return the sequences that one row stands for, and every how many rows a label stands.

    Below one sequence a row it is 1/m, so that a label can stand at every whole number.
    """
    if top > rows:
        unit, whole = float(next(n for n in _round_numbers() if n * rows >= top)), 1
    else:
        whole = 1
        for candidate in _round_numbers():
            if candidate * top > rows:
                break
            whole = candidate
        unit = 1 / whole
    return unit, whole * ceil(rows / (5 * whole))


def _round_numbers() -> Iterator[int]:
    yield from ROUND[:-1]
    power = 1
    while True:
        yield from (mantissa * power for mantissa in ROUND_FROM_TEN[:-1])
        power *= 10


def short_number(number: int) -> str:
    """Return a whole number in at most five characters where it has few digits: ``12k``."""
    power = 0
    while number >= 1000 ** (power + 1) and power < len(SUFFIXES) - 1:
        power += 1
    return f"{number / 1000**power:g}{SUFFIXES[power]}" if power else str(number)


def ticks(
    placed: Columns, label: Callable[[int], str] = str, cells_of: Callable[[str], int] = len
) -> tuple[Tick, ...]:
    """Return round lengths to write under the plot, as many as do not touch, and always 1.

    ``label`` writes a length (a duration, say); ``cells_of`` is the width of a text in cells.
    """
    if not placed.size:
        return ()
    for lengths in _tick_choices(placed.bins.maximum, placed.bins.width):
        found = _fit_ticks(placed, lengths, label, cells_of)
        if found is not None:
            return found
    return ()


def _tick_choices(maximum: int, room: int) -> Iterator[list[int]]:
    """Yield ever fewer lengths to label, from at most one a cell down to length 1 alone."""
    power = 1
    while power < maximum:
        for step in (power, 2 * power, 5 * power):
            if step < maximum <= step * room:
                yield [1, *range(step if step > 1 else 2, maximum + 1, step)]
        power *= 10
    if maximum > 1:
        yield [1, maximum]
    yield [1]


def _fit_ticks(
    placed: Columns,
    lengths: list[int],
    label: Callable[[int], str],
    cells_of: Callable[[str], int],
) -> tuple[Tick, ...] | None:
    """Return the ticks at ``lengths``, None where two of them would touch or one is cut."""
    found: list[Tick] = []
    free = 0
    for length in lengths:
        text = label(length)
        cell = min(placed.cells[placed.column_of(length)], placed.bins.width - cells_of(text))
        if cell < free:
            return None
        found.append(Tick(length, cell, text))
        free = cell + cells_of(text) + TICK_GAP
    return tuple(found)
