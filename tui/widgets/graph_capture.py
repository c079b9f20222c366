"""The capture view as lines of pieces: calls, recompiles, breaks, guards with a column a call."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

from dgplay.core.counting import Counted
from dgplay.core.graph_view.captured import CaptureRow

from ..phrases import said
from .graph_nodes import window
from .graph_text import fit, plain, right, wrap
from .lab_panes import Look
from .sheet import Piece, Row

#: Cells of the column of a call, and what the words beside the columns need.
CELLS, WORDS = 3, 46


def _full(height: int) -> int:
    """Return the lines below the rows: a rule, and the chosen row in full."""
    return 5 if height >= 16 else 4 if height >= 13 else 3 if height >= 9 else 0


def capture_body(height: int) -> int:
    """Return how many rows are shown in ``height`` lines."""
    return max(height - _full(height) - 1, 1)


def capture_view_rows(
    items: Sequence[CaptureRow], chosen: int, settings: str, width: int, height: int, look: Look
) -> list[Row]:
    """Return the capture view: calls, breaks, segments with guards; the chosen row in full.

    At the right stands a column for each of the last calls that fit.
    """
    full, body = _full(height), capture_body(height)
    top, end = window(len(items), chosen, body)
    calls = sum(item.kind == "call" for item in items)
    shown = min(calls, max((width - WORDS) // CELLS, 1))
    first = calls - shown
    room = width - CELLS * shown
    head = "".join(right(str(call + 1), CELLS) for call in range(first, calls))
    rows: list[Row] = [((fit(settings, room, look), "muted"), (head, "accent"))]
    for place in range(top, end):
        text, style = capture_text(items[place], look)
        if place == chosen:
            style = "chosen"
        text = f"{'>' if place == chosen else ' '}{plain(text, look)}"
        cells = items[place].cells
        if not cells:
            rows.append(((fit(text, width, look), style),))
            continue
        pieces: list[Piece] = [(fit(text, room, look), style)]
        pieces += [_cell(items[place], call, look) for call in range(first, calls)]
        rows.append(tuple(pieces))
    rows += [()] * (1 + body - len(rows))
    if full and items:
        row = items[min(chosen, len(items) - 1)]
        rows.append(((_rule(shown, width, look), "muted"),))
        told = plain(in_full(row, look), look)
        rows += [((line, "strong"),) for line in wrap(told, width)[: full - 1]]
    return rows[:height]


def _rule(calls: int, width: int, look: Look) -> str:
    """Return the line between the rows and the chosen one, with what the columns mean."""
    sign = "-" if look.ascii else "─"
    legend = look.tr("a column a call: C compiled, R run again, {good} held, {bad} failed")
    legend = legend.format(good=look.signs.good, bad=look.signs.bad)
    if not calls or cell_len(legend) + 6 > width:
        return sign * width
    return f"{sign * (width - cell_len(legend) - 4)} {legend} {sign * 2}"


def _cell(row: CaptureRow, call: int, look: Look) -> Piece:
    """Return what happened to a guard or a graph in a call: a sign at the right of its column."""
    one, two = row.cells[call] if call < len(row.cells) else (0, 0)
    if row.kind == "graph":
        text = ("C" if one else "") + ("R" if two else "")
        return (right(text or ".", CELLS), "accent" if one else "good" if two else "muted")
    text = (look.signs.good if one else "") + (look.signs.bad if two else "")
    return (right(text or ".", CELLS), "bad" if two else "good" if one else "muted")


def in_full(row: CaptureRow, look: Look) -> str:
    """Return everything that there is to say about a row."""
    tr = look.tr
    text, numbers = capture_text(row, look)[0].strip(), row.numbers
    more, hint = said(row.more, tr), said(row.hint, tr)
    match row.kind:
        case "break":
            told = tr("{what}. Instead: {hint}. Why: {why}")
            return told.format(what=text, why=more, hint=hint)
        case "call":
            graphs = ", ".join(map(str, row.ran)) or tr("none")
            return tr("{call}. Graphs that ran: {graphs}").format(call=text, graphs=graphs)
        case "recompile" if row.hint:
            told = tr(
                "RECOMPILED as graph {graph}: dynamic sizes cannot help, since Python needs {size} "
                "itself (a loop over it is unrolled); what failed in each graph there was: {guards}"
            )
            return told.format(graph=numbers[1], size=row.hint, guards=more)
        case "recompile":
            told = tr("RECOMPILED as graph {graph}; what failed in each graph there was: {guards}")
            return told.format(graph=numbers[1], guards=more)
        case "fallback" if row.more:
            told = tr("{text}; what failed in each graph there was: {guards}")
            return told.format(text=text, guards=more)
        case "graph":
            return f"{text}. {tr('C: compiled in that call; R: run again from the cache')}"
        case "guard":
            words = tr("call {call}: {hits:hit|hits}, {misses:miss|misses}")
            told = "; ".join(
                words.format(call=call, hits=Counted(hits), misses=Counted(misses))
                for call, (hits, misses) in enumerate(row.cells, 1)
                if hits or misses
            )
            return f"{said(row.text, tr)}. {told or tr('never asked')}"
        case _:
            return text


def capture_text(row: CaptureRow, look: Look) -> tuple[str, str]:
    """Return a row of the capture view in words, and its style."""
    tr, numbers = look.tr, row.numbers
    name = said(row.text, tr)
    match row.kind:
        case "call":
            return _call_text(row, look), "bad" if row.hint else "strong"
        case "recompile":
            segment, made, failed = numbers
            text = tr("  RECOMPILED as graph {graph}: {reason}")
            if failed > 1:
                text = tr(
                    "  RECOMPILED as graph {graph}: none of {failed} fits; the last: {reason}"
                )
            words = text.format(segment=segment, graph=made, failed=failed, reason=name)
            if row.hint:
                words = tr("{text} (Python needs the number)").format(text=words)
            return words, "warn"
        case "fallback":
            text = tr("  limit of {limit} graphs from one place: {function} runs eagerly from here")
            return text.format(limit=numbers[0], function=row.text), "bad"
        case "break":
            text = tr(
                "BREAK line {line}, column {column} (in {graphs:graph|graphs}, "
                "reached {count:time|times}): {what}"
            )
            words = text.format(
                line=numbers[0], column=numbers[1], count=Counted(numbers[2]),
                graphs=Counted(len(row.ran)), what=name,
            )  # fmt: skip
            return words, "warn"
        case "segment":
            text = tr("segment {number} of {function}, from line {line}: {graphs:graph|graphs}")
            words = text.format(
                number=numbers[0], function=row.text, line=numbers[1], graphs=Counted(numbers[2])
            )
            return words, "accent"
        case "graph":
            ends = tr("breaks at line {line}").format(line=numbers[2])
            text = tr("  graph {number}: {nodes:node|nodes}, {ends}")
            words = text.format(
                number=numbers[0], nodes=Counted(numbers[1]),
                ends=ends if numbers[2] else tr("returns"),
            )  # fmt: skip
            return words, "text"
        case _:
            text = tr("    {text}   hit {hits}, missed {misses}")
            if not any(numbers):
                text = tr("    {text}   not asked")
            missed = numbers[1] > 0
            return (
                text.format(text=name, hits=numbers[0], misses=numbers[1]),
                "warn" if missed else "good" if numbers[0] else "muted",
            )


def _call_text(row: CaptureRow, look: Look) -> str:
    tr = look.tr
    call, compiles, total, breaks = row.numbers
    text = tr("call {call}: {compiles:compile|compiles} ({total} so far), {breaks:break|breaks}")
    if not compiles and row.ran:
        text = tr("call {call}: from the cache, graph {graph}; {breaks:break|breaks}")
    graph = str(row.ran[0]) if row.ran else ""
    if len(set(row.ran)) > 1:
        graph += ", " + ", ".join(map(str, row.ran[1:3]))
        graph += (" ..." if look.ascii else " …") if len(row.ran) > 3 else ""
    words = text.format(
        call=call, compiles=Counted(compiles), total=total, breaks=Counted(breaks), graph=graph
    )
    if row.hint:
        told = tr("call {call}: {answers}; from the cache, graph {graph}")
        told = told.format(call=call, answers=said(row.hint, tr), graph=graph)
        return f"{told}  {row.text}"
    return f"{words}  {row.text} {look.signs.right} {said(row.more, tr)}"
