"""The lockstep view: the program, three columns and the timeline as lines of pieces.

Pure functions from a frame of core and a size; the screen hands them to sheets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.cells import cell_len, set_cell_size

from dgplay.core.graph_view.lockstep import CallView, ColumnFrame, Label, LockFrame
from dgplay.core.graph_view.session import MODES
from dgplay.core.graph_view.timing import Measured

from .graph_counters import counted_rows, time_ways
from .graph_text import (
    HEADS,
    LABELS,
    SHORT_HEADS,
    WAITING,
    cut,
    entry_rows,
    fit,
    plain,
    wrap,
)
from .lab_panes import Look
from .sheet import Piece, Row

#: Cells in front of a line of the program: a sign, its number and a blank.
NUMBERED = 6

#: Kinds of entries from which on a column is shown where there is not room for all.
MUST_SEE = ("break", "miss", "nonfinite", "fallback", "differs")

#: Cells of the name of a mode in front of the timeline.
NAMED = 9


def program_rows(
    lines: Sequence[str],
    frame: LockFrame | None,
    chosen: int | None,
    width: int,
    height: int,
    look: Look,
    problem: tuple[int, str] | None = None,
) -> list[Row]:
    """Return the lines of the program around the cursor, with what happened at them.

    ``chosen`` is the line that Enter would run to, ``problem`` a refusal and its line, which is
    0 where it is about none; the refusal then stands above.
    """
    marks = dict(frame.marks) if frame is not None else {}
    at, told = problem if problem is not None else (0, "")
    current = frame.stop.line if frame is not None else at
    message: list[Row] = []
    for number, text in enumerate(wrap(plain(told, look), max(width - NUMBERED - 2, 10))):
        sign = look.signs.bad if not number else " "
        message.append(((f"{' ' * (NUMBERED - 2)}{sign} {text}", "bad"),))
    message = message[: max(height - 1, 1)] if told else []
    room = height - len(message)
    middle = chosen or current or 1
    top = middle - 1 - room // 2
    if frame is not None and not chosen and not current:
        top = frame.begin - 2  # the head of the program, and what comes first
    top = min(max(top, 0), max(len(lines) - room, 0))
    rows: list[Row] = [] if 0 < at <= len(lines) else list(message)
    for number in range(top + 1, min(top + room, len(lines)) + 1):
        rows.append(_program_row(lines[number - 1], number, current, chosen, marks, width, look))
        if number == at:
            rows += message
    return rows


def _program_row(
    line: str, number: int, current: int, chosen: int | None,
    marks: dict[int, tuple[tuple[str, str], ...]], width: int, look: Look,
) -> Row:  # fmt: skip
    text = plain(line.expandtabs(4), look)
    here = number == current
    style = "chosen" if number == chosen else "strong" if here else "text"
    note, tone = _note(marks.get(number, ()), look)
    room = width - NUMBERED - (cell_len(note) + 2 if note else 0)
    if note and room < 24:
        note = _short_note(marks.get(number, ()), look)
        room = width - NUMBERED - cell_len(note) - 2
    if note and room < 24:
        note, room = cut(note, 3, look), width - NUMBERED - 5
    sign = ">" if here else "*" if number == chosen else " "
    pieces: list[Piece] = [(f"{sign}{number:>4} ", "accent" if here else "muted")]
    pieces.append((fit(text, room, look), style))
    if note:
        pieces.append((f"  {note}", tone))
    return tuple(pieces)


def _note(marks: Sequence[tuple[str, str]], look: Look) -> tuple[str, str]:
    """Return what happened at a line, by mode, and its tone."""
    words = {"break": look.tr("{mode} breaks"), "refused": look.tr("{mode} refuses")}
    told = ", ".join(words[kind].format(mode=mode) for mode, kind in marks)
    if any(kind == "refused" for _, kind in marks):
        return f"{look.signs.bad} {told}", "bad"
    return (f"! {told}", "warn") if told else ("", "")


def _short_note(marks: Sequence[tuple[str, str]], look: Look) -> str:
    """Return the same with signs for words: which modes refuse, which break."""
    signs = {"refused": look.signs.bad, "break": "!"}
    found = {sign: [mode for mode, kind in marks if signs.get(kind) == sign] for sign in
             signs.values()}  # fmt: skip
    return " ".join(f"{sign} {', '.join(modes)}" for sign, modes in found.items() if modes)


def columns_rows(
    frame: LockFrame, width: int, height: int, look: Look, *, alone: str | None = None,
    inputs: str = "", scroll: int = 0, show_time: bool = False,
    times: Mapping[str, Measured] | None = None,
) -> list[Row]:  # fmt: skip
    """Return the three columns side by side, or the one of ``alone``.

    ``scroll`` counts lines back from where a column stands by itself, on where it is negative;
    ``times`` are None until they are measured.
    """
    chosen, widths = _lanes(frame, alone, width)
    counters, body = heights(height, show_time)
    blocks = []
    for column, room in zip(chosen, widths, strict=True):
        time = time_ways(times, column.mode, look) if show_time else [look.tr("time: T")]
        counted = counted_rows(column, counters, time, room, look, measured=show_time)
        blocks.append(_column(column, room, height, body, counted, look, inputs, scroll))
    bar = " | " if look.ascii else " │ "
    rows: list[Row] = []
    for y in range(height):
        pieces: list[Piece] = []
        for index, block in enumerate(blocks):
            if index:
                pieces.append((bar, "muted"))
            pieces.extend(block[y])
        rows.append(tuple(pieces))
    return rows


def _column(
    column: ColumnFrame, width: int, height: int, body: int, counted: list[list[str]],
    look: Look, inputs: str, scroll: int,
) -> list[Row]:  # fmt: skip
    tr = look.tr
    head = tr(HEADS[column.mode])
    if cell_len(head) > width:
        head = SHORT_HEADS[column.mode]
    rows: list[Row] = [((fit(head, width, look), "accent"),)]
    lines, _ = _lane(column, width, body, scroll, look)
    rows += lines[:body]
    rows += [((" " * width, "text"),)] * (body - len(lines[:body]))
    if height >= 6:
        waits = tr(WAITING[column.waiting]).format(inputs=inputs)
        tone = "bad" if column.waiting == "refused" else "muted"
        rows.append(((fit(waits, width, look), tone),))
    for ways in counted:
        text = next((way for way in ways if cell_len(way) <= width), ways[-1])
        rows.append(((fit(text, width, look), "value"),))
    blank: Row = ((" " * width, "text"),)
    return [_filled(row, width) for row in rows[:height]] + [blank] * (height - len(rows))


def _filled(row: Row, width: int) -> Row:
    """Return a row made exactly as wide as its column."""
    used = sum(cell_len(text) for text, _ in row)
    if used == width:
        return row
    if used < width:
        return (*row, (" " * (width - used), "text"))
    pieces: list[Piece] = []
    room = width
    for text, style in row:
        kept = set_cell_size(text, min(cell_len(text), room))
        pieces.append((kept, style))
        room -= cell_len(kept)
    return tuple(pieces)


def scrolled(
    frame: LockFrame, width: int, height: int, look: Look, scroll: int, *,
    alone: str | None = None, show_time: bool = False,
) -> int:  # fmt: skip
    """Return ``scroll``, or less where no column goes that far."""
    _, body = heights(height, show_time)
    reached = [
        _lane(column, room, body, scroll, look)[1]
        for column, room in zip(*_lanes(frame, alone, width), strict=True)
    ]
    return max(reached, key=abs, default=0)


def _lanes(frame: LockFrame, alone: str | None, width: int) -> tuple[list[ColumnFrame], list[int]]:
    """Return the columns that are shown, and their widths."""
    chosen = [c for c in frame.columns if alone is None or c.mode == alone]
    bars = len(chosen) - 1
    each = (width - 3 * bars) // len(chosen)
    return chosen, [each] * bars + [width - 3 * bars - each * bars]


def heights(height: int, show_time: bool) -> tuple[int, int]:
    """Return the lines of the counters, and those that are left for entries."""
    counters = 2 + (show_time and height >= 8) if height >= 7 else 1 if height >= 4 else 0
    return counters, max(height - counters - (2 if height >= 6 else 1), 0)


def _lane(
    column: ColumnFrame, width: int, body: int, scroll: int, look: Look
) -> tuple[list[Row], int]:
    """Return the lines of a column that fit, and how far they are scrolled of ``scroll``.

    By itself a column shows its last lines; what came with this stop is shown from its
    beginning where it is longer than the room. Only the lines that are needed are made.
    """
    entries, start = column.entries, _must_see(column, width, body, look)
    after: list[Row] = []
    for entry in entries[start:]:
        after += entry_rows(entry, column.mode, width, look, True)
        if len(after) >= body + max(-scroll, 0):
            break
    blocks: list[list[Row]] = []
    missing = max(scroll, 0) + max(body - len(after), 0)
    for index in range(start - 1, -1, -1):
        if missing <= 0:
            break
        rows = entry_rows(entries[index], column.mode, width, look, index >= column.fresh)
        blocks.append(rows)
        missing -= len(rows)
    before = [row for block in reversed(blocks) for row in block]
    lines = before + after
    last = max(len(lines) - body, 0)
    home = min(len(before), last)
    top = min(max(home - scroll, 0), last)
    return lines[top : top + body], home - top


def _must_see(column: ColumnFrame, width: int, body: int, look: Look) -> int:
    """Return the entry to begin with where the newest ones are more than there is room for.

    That is the first one that went otherwise than expected, else the first new one. A refusal
    stays in view from then on; so does that the rest runs eagerly, whatever led to it.
    """
    entries = column.entries
    if entries and entries[-1].kind == "refused":
        return len(entries) - 1
    first = column.fresh
    for number in range(column.fresh, len(entries)):
        if entries[number].kind in MUST_SEE:
            first = number
            break
    for number in range(first, len(entries)):
        if entries[number].kind == "fallback":
            led = entries[first : number + 1][-body:]
            used = sum(len(entry_rows(e, column.mode, width, look, True)) for e in led)
            return first if used <= body and len(led) == number + 1 - first else number
    return first


def timeline_rows(
    view: CallView, number: int, width: int, height: int, look: Look,
    *, hidden_after: bool = False,
) -> list[Row]:  # fmt: skip
    """Return three lines, one a mode, around the stop ``number``, which is marked.

    Every stop is a cell as wide as its longest label; what lies beyond has a sign. With
    ``hidden_after`` what comes after the marked stop is covered.
    """
    labels = view.labels
    room = width - NAMED
    cells: dict[int, tuple[int, list[str]]] = {}

    def cell(at: int) -> tuple[int, list[str]]:
        if at not in cells:
            texts = [
                "?" if hidden_after and at > number else _label_text(label, look)
                for label in labels[at]
            ]
            cells[at] = (min(max(max(map(cell_len, texts), default=0), 1), 14), texts)
        return cells[at]

    first = last = number
    used = cell(number)[0] + 4
    while True:
        grown = False
        for at in (first - 1, last + 1):
            if 0 <= at < len(labels) and used + cell(at)[0] + 1 <= room:
                if at < first:
                    first = at
                else:
                    last = at
                used += cell(at)[0] + 1
                grown = True
        if not grown:
            break
    rows: list[Row] = []
    for index, mode in enumerate(MODES[:height]):
        pieces: list[Piece] = [(fit(mode, NAMED - 2, look), "accent")]
        pieces.append(("< " if first else "  ", "muted"))
        for at in range(first, last + 1):
            size, texts = cell(at)
            text = fit(texts[index], size, look)
            if at == number:
                pieces.append((f"[{text}]", "chosen"))
            else:
                tone = _tone(labels[at][index], at > number)
                pieces.append((f"{text} ", tone))
        if last + 1 < len(labels):
            pieces.append((">", "muted"))
        rows.append(tuple(pieces))
    return rows


def stop_at(view: CallView, number: int, width: int, x: int, look: Look) -> int | None:
    """Return the stop whose cell of the timeline is at ``x``, or None."""
    (row,) = timeline_rows(view, number, width, 1, look)
    labels = view.labels
    position, first = 0, None
    pieces = row[2:]
    marked = next(i for i, (text, _) in enumerate(pieces) if text.startswith("["))
    first = number - marked
    position = sum(cell_len(text) for text, _ in row[:2])
    for index, (text, _) in enumerate(pieces):
        if position <= x < position + cell_len(text):
            found = first + index
            return found if 0 <= found < len(labels) else None
        position += cell_len(text)
    return None


def _label_text(label: Label, look: Look) -> str:
    if label.word == "step":
        return "." if look.ascii else "·"
    if label.word:
        return look.tr(LABELS[label.word])
    return plain(label.text, look)


def _tone(label: Label, ahead: bool) -> str:
    if label.word in ("refused", "stale", "fallback", "differs"):
        return "bad"
    if label.word == "break":
        return "warn"
    return "muted" if ahead else "text"
