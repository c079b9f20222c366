"""Which panes are on the screen: a pure function of size, focus, zoom and preset."""

from __future__ import annotations

PLOT, BUCKETS, MODES, STRATEGIES, SEQUENCE = "plot", "buckets", "modes", "strategies", "sequence"

#: The order in which Tab goes through the panes.
LESSON = "lesson"
PANES = (PLOT, BUCKETS, MODES, STRATEGIES, SEQUENCE)

#: Stands below the others while a lesson is under way, and comes first for Tab.
LESSON_PANES = (LESSON, *PANES)

#: Below this nothing fits.
LEAST_WIDTH, LEAST_HEIGHT = 40, 10


def kind_of(width: int, height: int) -> str:
    """Return the layout for a size: none, one (pane), compact, full or wide."""
    if width < LEAST_WIDTH or height < LEAST_HEIGHT:
        return "none"
    if width < 60 or height < 20:
        return "one"
    if width < 80 or height < 24:
        return "compact"
    return "wide" if width >= 120 and height >= 36 else "full"


def holds_every_strategy(kind: str, height: int) -> bool:
    """Return whether a table of every strategy fits beside the other panes, without scrolling."""
    return (kind == "wide" and height >= 50) or (kind == "full" and height >= 36)


def visible(
    kind: str,
    focused: str,
    zoomed: bool,
    preset: str,
    height: int,
    lesson: bool = False,
    beside: str = BUCKETS,
) -> frozenset[str]:
    """Return the panes to show; the focused one is always among them.

    With a lesson its pane stays, ``beside`` is what it speaks of, and on a full screen it takes
    the room of the mode pane.
    """
    if lesson and kind == "one":
        return frozenset({focused})
    if lesson and kind != "none":
        apart = beside if focused == LESSON else focused
        shown = _without_lesson(kind, apart, zoomed, preset, height)
        if kind == "full" and MODES in shown and focused != MODES:
            shown -= {MODES}
        if kind == "compact" and len(shown) > 1:
            shown -= {PLOT}
        return shown | {LESSON}
    return _without_lesson(kind, focused, zoomed, preset, height)


def _without_lesson(
    kind: str, focused: str, zoomed: bool, preset: str, height: int
) -> frozenset[str]:
    """Return the panes to show of the Lab itself.

    A compact screen shows the histogram and one pane below it. A full one shows one sequence in
    place of modes and strategies. With real data a screen of fewer than 30 lines gives the room of
    the mode pane to the longer list of buckets.
    """
    if kind == "none":
        return frozenset()
    if zoomed or kind == "one":
        return frozenset({focused})
    if kind == "compact":
        return frozenset({PLOT, BUCKETS if focused == PLOT else focused})
    if kind == "wide" and (preset == "lesson" or focused == SEQUENCE):
        return frozenset(PANES)
    if focused == SEQUENCE:
        return frozenset({PLOT, BUCKETS, SEQUENCE})
    if preset == "data" and height < 30:
        lower = MODES if focused == MODES else STRATEGIES
        return frozenset({PLOT, BUCKETS, lower})
    return frozenset(PANES) - {SEQUENCE}
