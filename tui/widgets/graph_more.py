"""The views of passes and of the backward as lines of pieces."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

from dgplay.core.counting import Counted
from dgplay.core.graph_view.backward import EPSILON, Checked, Sweep, Walk
from dgplay.core.graph_view.rewrites import PassDetail, PassRow, PassTable

from ..commands import mark
from ..phrases import labelled, said
from .graph_text import fit, plain, wrap
from .lab_panes import Look
from .sheet import Piece, Row


def pass_rows(
    table: PassTable, chosen: int, detail: PassDetail | None, width: int, height: int, look: Look,
    scroll: int = 0,
) -> list[Row]:  # fmt: skip
    """Return the table of passes, and below it what the chosen one did."""
    tr = look.tr
    told = tr(
        "drawn {n0:node|nodes}, {l0:launch|launches}; run {n1:node|nodes}, {l1:launch|launches}"
    )
    (n0, n1), (l0, l1) = table.nodes, table.launches
    total = told.format(n0=Counted(n0), n1=Counted(n1), l0=Counted(l0), l1=Counted(l1))
    rows: list[Row] = [((fit(total, width, look), "strong"),)]
    for place, row in enumerate(table.rows):
        rows.append(_pass_row(row, place == chosen, width, look))
    rest = height - len(rows)
    if detail is None or rest < 2:
        return rows[:height]
    line = ("-" if look.ascii else "─") * width
    rows.append(((line, "muted"),))
    row = table.rows[chosen]
    rows.append(((fit(labelled(row.name, tr(row.reason), tr), width, look), "strong"),))
    rows += _pass_detail(detail, row, width, height - len(rows), look, scroll)
    return rows[:height]


def _pass_row(row: PassRow, chosen: bool, width: int, look: Look) -> Row:
    tr = look.tr
    switch = f"{'>' if chosen else ' '}[{'x' if row.on else ' '}] {row.name:<11}"
    counts = tr("nothing to do")
    if row.nodes is not None and row.launches is not None:
        told = tr("{fired:rewrite|rewrites}: nodes {n0} → {n1}, launches {l0} → {l1}")
        if width < 76:
            told = tr("{n0}→{n1} nodes, {l0}→{l1} L")
        counts = told.format(
            fired=Counted(row.fired),
            n0=row.nodes[0],
            n1=row.nodes[1],
            l0=row.launches[0],
            l1=row.launches[1],
        )
        if not row.on:
            counts = tr("would do {counts}").format(counts=counts)
    badge = tr("keeps every bit") if row.keeps_bits else tr("CHANGES VALUES")
    badge = badge if width >= 50 else ""
    room = width - len(switch) - cell_len(badge) - 4
    counts = fit(plain(counts, look), room, look)
    sign = look.signs.good if row.keeps_bits else "!"
    style = "chosen" if chosen else "text" if row.on else "muted"
    pieces: list[Piece] = [(f"{switch} {counts} ", style)]
    pieces.append((f"{sign} {badge}", "good" if row.keeps_bits else "warn"))
    return tuple(pieces)


def _pass_detail(
    detail: PassDetail, row: PassRow, width: int, height: int, look: Look, scroll: int
) -> list[Row]:
    tr = look.tr
    rows: list[Row] = []
    for item in detail.fired[:3]:
        took = ", ".join(item.before)
        left, note = item.after or tr("gone"), said(item.note, tr)
        text = labelled(said(item.rule, tr), f"{took} → {left}  {note}", tr)
        rows.append(((fit(plain(text, look), width, look), "text"),))
    if len(detail.fired) > 3:
        more = tr("and {count:more rewrite|more rewrites}").format(
            count=Counted(len(detail.fired) - 3)
        )
        rows.append(((more, "muted"),))
    for example in detail.changed:
        text = tr("{rule}: x={value} gives {without}, with it {with_rule}: {why}").format(
            rule=example.rule, value=example.value, without=example.without,
            with_rule=example.with_rule, why=said(example.why, tr),
        )  # fmt: skip
        rows.append(((fit(plain(text, look), width, look), "warn"),))
    room = height - len(rows) - 1
    if not detail.before or room < 2:
        return rows
    half = (width - 3) // 2
    head = fit(tr("before"), half, look) + "   " + fit(tr("after"), half, look)
    rows.append(((head, "accent"),))
    bar = " | " if look.ascii else " │ "
    first = min(scroll, max(max(len(detail.before), len(detail.after)) - room, 0))
    for place in range(first, first + room):
        rows.append(
            (
                _side(detail.before, place, half, look),
                (bar, "muted"),
                _side(detail.after, place, half, look),
            )
        )
    return rows


#: The two halves of a run.
_PHASES = {"forward": mark("forward"), "backward": mark("backward")}

_TONES = {"-": "bad", "+": "good", "*": "warn"}


def _side(lines: Sequence[tuple[str, str]], place: int, width: int, look: Look) -> Piece:
    if place >= len(lines):
        return (" " * width, "text")
    sign, text = lines[place]
    return (fit(f"{sign} {plain(text, look)}", width, look), _TONES.get(sign, "text"))


def backward_rows(
    walk: Walk, done: int, subgraph: Sequence[str], checks: Sequence[Checked] | None,
    width: int, height: int, look: Look,
) -> list[Row]:  # fmt: skip
    """Return the way back up to ``done`` events; beside it the gradient graph, or the check.

    Only what there is room for is written out: every gradient takes a line at least.
    """
    beside = width >= 60
    left = width * 3 // 5 if beside else width
    right = width - left - 3 if beside else 0
    top = _wrapped(_nonfinite(walk, look), left, look)[: max(height - 1, 0)]
    room = height - len(top)
    here = [sweep for sweep in walk.sweeps if sweep.at <= done]
    if here:
        shown = [*top, *_wrapped(_swept(here[-room:], look), left, look)[-room:]]
    else:
        shown = [*top, *_wrapped(_tape(walk, room, look), left, look)[:room]]
    if not beside:
        return [((text, style),) for text, style in shown]
    others = _wrapped(_beside(subgraph, checks, look)[:height], right, look)[:height]
    bar = " | " if look.ascii else " │ "
    rows: list[Row] = []
    for place in range(max(len(shown), len(others))):
        text, style = shown[place] if place < len(shown) else ("", "text")
        more, tone = others[place] if place < len(others) else ("", "text")
        rows.append(
            ((fit(text, left, look), style), (bar, "muted"), (fit(more, right, look), tone))
        )
    return rows[:height]


def _nonfinite(walk: Walk, look: Look) -> list[tuple[str, str]]:
    """Return where the first NaN or inf came, in no line or one."""
    if walk.nonfinite is None:
        return []
    name, op, phase = walk.nonfinite
    text = look.tr("first NaN or inf: {name} = {op}, {phase}")
    return [(text.format(name=name, op=op, phase=look.tr(_PHASES[phase])), "bad")]


def _tape(walk: Walk, many: int, look: Look) -> list[tuple[str, str]]:
    """Return the newest ``many`` ops of the tape, the last one first."""
    tr = look.tr
    lines = [(tr("the tape, last in first out; g walks it back"), "strong")]
    for name, op, saved in walk.tape[: -many - 1 : -1]:
        lines.append((f"{name} = {op}   {tr('saved:')} {', '.join(saved)}", "text"))
    if not walk.tape:
        lines.append((tr("nothing on the tape has saved a value"), "muted"))
    return lines


def _swept(sweeps: Sequence[Sweep], look: Look) -> list[tuple[str, str]]:
    """Return gradients as they came about, the newest last."""
    tr = look.tr
    lines: list[tuple[str, str]] = []
    for number, sweep in enumerate(sweeps):
        last = number == len(sweeps) - 1
        style = "bad" if not sweep.finite else "fresh" if last else "text"
        lines.append((f"d {sweep.name} = {sweep.gradient}", style))
        if len(sweep.parts) == 1:
            lines.append((f"  {tr('from')} {sweep.parts[0][0]}", "muted"))
        elif sweep.parts:
            total = " + ".join(value for _, value in sweep.parts)
            told = labelled(tr("fan-out"), total, tr)
            lines.append((f"  {told}", "accent" if last else "muted"))
            who = ", ".join(name for name, _ in sweep.parts)
            lines.append((f"  {tr('from')} {who}", "muted"))
        else:
            lines.append((f"  {tr('the start: 1 for every output')}", "muted"))
    return lines


def _beside(
    subgraph: Sequence[str], checks: Sequence[Checked] | None, look: Look
) -> list[tuple[str, str]]:
    tr = look.tr
    if checks is None:
        lines = [(tr("static: gradients are nodes too"), "strong")]
        lines += [(line, "text") for line in subgraph]
        if not subgraph:
            lines.append((tr("static drew no gradients here"), "muted"))
        return lines
    lines = [(tr("finite differences (F hides)"), "strong")]
    if checks:
        text = tr("gradient, by differences of ±{step:g} × max(1, |value|), how far apart")
        lines.append((text.format(step=EPSILON), "muted"))
    for item in checks:
        index = f"[{','.join(map(str, item.index))}]" if item.index else ""
        sign, style, word = look.signs.good, "good", ""
        if item.kink:
            sign, style, word = "~", "warn", tr(" kink")
        elif not item.agrees:
            sign, style = look.signs.bad, "bad"
        text = f"{sign} d {item.name}{index} {item.gradient:.6g}, {item.difference:.6g}"
        lines.append((text + (word if item.kink else f", {item.apart:.0e}"), style))
    return lines


def _wrapped(lines: Sequence[tuple[str, str]], width: int, look: Look) -> list[tuple[str, str]]:
    return [
        (f"{'  ' if number and text.startswith('  ') else ''}{part}"
         if not text.startswith("  ") or number else f"  {part}", style)
        for text, style in lines
        for number, part in enumerate(wrap(plain(text, look), max(width - 2, 8)))
    ]  # fmt: skip
