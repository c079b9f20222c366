"""The node view and the memory view: rows with lanes or bars, one row in full below them."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

from dgplay.core.graph_view.buffers import BufferTable, spans
from dgplay.core.graph_view.nodes import NodeDetail, NodeTable, called, formula

from ..commands import mark
from ..phrases import labelled, said
from .graph_text import cut, fit, plain, right, wrap
from .lab_panes import Look
from .sheet import Piece, Row

#: Lines below the rows for the chosen one, where there is room.
FULL = 6

KINDS = {
    "eager": mark("eager: computed, on the tape"),
    "drawn": mark("static: as drawn"),
    "static": mark("static: as run, after the passes"),
    "capture": mark("capture: graph {number}, as run"),
}

_GLYPHS = {"o": "●", "|": "│", "+": "├", "^": "└", " ": " "}


def window(count: int, chosen: int, height: int) -> tuple[int, int]:
    """Return the first and the end of the rows that are shown around the chosen one."""
    top = min(max(chosen - height // 2, 0), max(count - height, 0))
    return top, min(top + height, count)


def node_rows(
    table: NodeTable, chosen: int, detail: NodeDetail | None, done: int, width: int, height: int,
    look: Look,
) -> list[Row]:  # fmt: skip
    """Return the node view; nodes that are not there yet at the cursor are muted.

    ``done`` is the number of events of the picture's mode at the cursor.
    """
    full = FULL if height >= 14 else 4 if height >= 10 else 0
    if height >= 18 and detail is not None and detail.node.gradient:
        full += 1
    body = height - full - 1
    top, end = window(len(table.rows), chosen, body)
    lanes = min(table.lanes, max(width // 6, 3))
    shape_room = max((cell_len(r.node.shape) for r in table.rows[top:end] if r.node), default=4)
    shape_room = min(shape_room, 12) if width >= 60 else 0
    value_room = max(12, width // 4) if width >= 60 else 0
    digits = len(str(len(table.picture.nodes)))
    text_room = width - lanes - digits - shape_room - value_room - (18 if shape_room else 15)
    head = fit(" " * (lanes + 3) + "#", lanes + 3 + digits, look)
    head += fit(look.tr("name = op operands"), text_room + 1, look)
    if shape_room:
        head += (
            f" {fit(look.tr('shape'), shape_room, look)} {fit(look.tr('value'), value_room, look)}"
        )
    head += look.tr("   L  bytes")
    rows: list[Row] = [((fit(head, width, look), "muted"),)]
    for place in range(top, end):
        row = table.rows[place]
        style = "chosen" if place == chosen else "text"
        if row.node is None:
            text = look.tr("these {period} nodes repeat ×{count} (r unfolds)").format(
                period=row.period, count=row.count
            )
            mine = "chosen" if place == chosen else "accent"
            sign = ">" if place == chosen else " "
            rows.append(((fit(f"{sign} {plain(text, look)}", width, look), mine),))
            continue
        node = row.node
        signs = row.lanes[:lanes].ljust(lanes)
        signs = signs if look.ascii else "".join(_GLYPHS[sign] for sign in signs)
        there = node.at <= done and (node.known is None or node.known <= done)
        if style == "text" and not there:
            style = "muted"
        back = "d " if node.phase == "backward" else ""
        text = f"{back}{formula(node)}"
        cursor = ">" if place == chosen else " "
        pieces: list[Piece] = [(f"{cursor}{signs} ", "accent"), (f"{node.id:>{digits}} ", "muted")]
        pieces.append((fit(plain(text, look), text_room + 1, look), style))
        if shape_room:
            value = node.value if there and not node.constant else ""
            pieces.append((f" {fit(said(node.shape, look.tr), shape_room, look)} ", "muted"))
            pieces.append((fit(plain(value, look), value_room, look), "value"))
        nbytes = "?" if node.nbytes is None else f"{node.nbytes:,}"
        pieces.append((f"{node.launches:>4} {nbytes:>6}", "muted"))
        rows.append(tuple(pieces))
    rows += [()] * (1 + body - len(rows))
    if full and detail is not None:
        rows += _detail_rows(detail, done, width, full, look)
    return rows[:height]


def _detail_rows(detail: NodeDetail, done: int, width: int, height: int, look: Look) -> list[Row]:
    tr, node = look.tr, detail.node
    there = node.known is None or node.known <= done
    line = ("-" if look.ascii else "─") * width
    rows: list[Row] = [((line, "muted"),)]
    value = node.value if there and node.value else tr("no value")
    text = f"{formula(node)}   {said(node.shape, tr)}   {value}"
    rows.append(((fit(plain(text, look), width, look), "strong"),))
    if node.gradient and there:
        text = labelled(tr("gradient"), node.gradient, tr)
        rows.append(((fit(plain(text, look), width, look), "value"),))
    operands = ", ".join(f"{name} {value}" for name, value in detail.operands)
    users = ", ".join(detail.users) or tr("nobody: a result")
    source = tr("line {line}: {source}").format(line=node.line, source=detail.source)
    for words, told in (
        (labelled(tr("operands"), operands or tr("none"), tr), "text"),
        (labelled(tr("waited for by"), users, tr), "text"),
        (source if node.line else tr("no line"), "text"),
        (labelled(node.op, tr(detail.doc), tr) if detail.doc else node.op, "muted"),
    ):
        rows.append(((fit(plain(words, look), width, look), told),))
    return rows[:height]


def memory_rows(
    table: BufferTable, chosen: int, reason: str, width: int, height: int, look: Look
) -> list[Row]:
    """Return the memory view: a bar for the life of every buffer, and the peaks."""
    tr = look.tr
    why = labelled(table.rows[chosen].name, said(reason, tr), tr) if table.rows else ""
    told = ""
    for part in (_legend(table, look), _tape_told(table, look), _plan_told(table, look)):
        told = tr("{told}; {hint}").format(told=told, hint=part) if told and part else told or part
    tail: list[Row] = [((line, "strong"),) for line in wrap(plain(why, look), width)]
    tail += [((line, "text"),) for line in wrap(plain(told, look), width)]
    tail = tail[: max(height // 2 - 1, 1)]
    body = max(height - len(tail) - 1, 1)
    top, end = window(len(table.rows), chosen, body)
    digits = len(str(table.steps))
    name_room = min(max((cell_len(f"{r.name} {r.op}") for r in table.rows[top:end]), default=4), 18)
    bar_room = max(width - digits - name_room - 28, 8)
    head = fit(f" {'#':>{digits}} {tr('value')}", digits + 2 + name_room, look)
    head += f"{right(tr('bytes'), 8)}{right(tr('at'), 7)} " + tr("lives from step to step")
    rows: list[Row] = [((fit(head, width, look), "muted"),)]
    full, kept, empty = ("#", "=", ".") if look.ascii else ("█", "▒", "·")
    cells = min(table.steps, bar_room)
    for place in range(top, end):
        row = table.rows[place]
        first, used, last = spans(row, table.steps, bar_room)
        bar = empty * first + full * (used - first + 1) + kept * (last - used)
        bar += empty * max(cells - len(bar), 0)
        at = f"{row.offset}" if row.offset >= 0 else tr("own")
        if table.peak is not None and row.offset >= 0:
            at = ""  # eager has no arena
        style = "chosen" if place == chosen else "text"
        name = fit(f"{row.node:>{digits}} {row.name} {row.op}", digits + 1 + name_room, look)
        name = f"{'>' if place == chosen else ' '}{name}"
        pieces: list[Piece] = [
            (plain(name, look), style),
            (f"{row.nbytes:>8,}{right(at, 7)} ", "muted"),
        ]
        pieces.append((bar, "value" if row.offset >= 0 else "muted"))
        if row.saved:
            pieces.append((f" T{look.signs.right}{','.join(row.saved)}", "accent"))
        if row.takes:
            sign = "=" if row.inplace else "<"
            pieces.append((f" {sign}{row.takes}", "accent"))
        rows.append(tuple(pieces))
    rows += [()] * (1 + body - len(rows))
    return [*rows, *tail][:height]


def _tape_told(table: BufferTable, look: Look) -> str:
    """Return what the eager tape held."""
    if table.peak is None:
        return ""
    tr = look.tr
    text = tr("eager: {peak:,} bytes at most")
    if table.backward is not None:
        text = tr(
            "eager: {peak:,} bytes at most, {kept:,} when the backward began, at step {step}; "
            "{sign}: after the last use on the way forward"
        )
    sign = "=" if look.ascii else "▒"
    return text.format(peak=table.peak, kept=table.kept, step=table.backward, sign=sign)


def _plan_told(table: BufferTable, look: Look) -> str:
    """Return the peak of every policy, and what was proved of the plan.

    Beside what eager really held its policy is left out: on the graph that is another number.
    """
    tr, peaks = look.tr, table.peaks
    if peaks is None:
        return ""
    numbers = {
        "keep_all": peaks.keep_all, "eager": peaks.eager, "liveness": peaks.liveness,
        "inplace": peaks.inplace, "fused": peaks.fused,
    }  # fmt: skip
    if table.peak is not None:
        return tr(
            "peak bytes of the graph that static drew: keep all {keep_all:,}, "
            "freed after the last use {liveness:,}, in place {inplace:,}, after passes {fused:,}"
        ).format(**numbers)
    told = tr(
        "peak bytes of the graph as drawn: keep all {keep_all:,}, freed as in eager {eager:,}, "
        "freed after the last use {liveness:,}, in place {inplace:,}, after passes {fused:,}"
    ).format(**numbers)
    proof = tr("one arena of {arena:,} bytes, replayed: nothing overlaps")
    proved = proof.format(arena=table.arena) if table.arena else ""
    for hint in (said(table.more, tr), proved):
        told = tr("{told}; {hint}").format(told=told, hint=hint) if hint else told
    return told


def _legend(table: BufferTable, look: Look) -> str:
    """Return what the signs beside the bars mean, those that are there."""
    tr, rows = look.tr, table.rows
    told = []
    if any(row.offset < 0 for row in rows):
        told.append(tr("own: the caller's") if table.graph is None else tr("own: not in the arena"))
    if any(row.saved for row in rows):
        told.append(tr("T{right}y: for the backward of y").format(right=look.signs.right))
    if any(row.takes and row.inplace for row in rows):
        told.append(tr("=y: written over y"))
    if any(row.takes and not row.inplace for row in rows):
        told.append(tr("<y: where y was"))
    return ", ".join(told)


def simple_rows(lines: Sequence[tuple[str, str]], width: int, height: int, look: Look) -> list[Row]:
    """Return lines of text, each in one style, wrapped."""
    rows: list[Row] = []
    for text, style in lines:
        rows += [((cut(line, width, look), style),) for line in wrap(plain(text, look), width)]
    return rows[:height]


__all__ = ["called", "memory_rows", "node_rows", "simple_rows", "window"]
