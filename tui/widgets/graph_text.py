"""Words of the Graph screen: what an entry of a column says, cut and wrapped in cells."""

from __future__ import annotations

import re

from rich.cells import cell_len, set_cell_size

from dgplay.core.counting import Counted
from dgplay.core.graph.option_text import expression
from dgplay.core.graph_view.tracks import Entry

from ..commands import mark
from ..phrases import said
from .lab_panes import Look
from .prose import units_of
from .sheet import Row

#: What each mode does, as the head of its column says it.
HEADS = {
    "eager": mark("eager: computes at once"),
    "static": mark("static: write, run later"),
    "capture": mark("capture: traces fakes"),
}

#: The same where there is little room.
SHORT_HEADS = {"eager": "eager", "static": "static", "capture": "capture"}

WAITING = {
    "nothing": mark("waits for: nothing"),
    "run": mark("waits for: run({inputs})"),
    "compile": mark("waits for: compile, run"),
    "guards": mark("waits for: guards"),
    "refused": mark("refuses: nothing runs"),
}

#: How a value came about, at the end of a reason: ``(sum→gt)``.
_CAME_ABOUT = re.compile(r"\s*[(（][^()（）]*→[^()（）]*[)）]$")

#: Columns narrower than this say less of a break or a refusal.
NARROW = 36

#: Words in the cells of the timeline.
LABELS = {
    "refused": mark("REFUSED"),
    "break": mark("BREAK"),
    "fallback": mark("EAGER"),
    "stale": mark("STALE"),
    "differs": mark("DIFFERS"),
    "return": mark("return"),
    "passes": mark("passes"),
    "compile": mark("compile"),
    "recompile": mark("RECOMPILE"),
    "guards": mark("guards"),
    "run": mark("run"),
}

KINDS = {
    "inputs": mark("before the first line"),
    "line": mark("line {line} has run"),
    "prepare": mark("guards checked, passes applied"),
    "run": mark("a launch of the compiled graph"),
    "backward": mark("a step of the backward"),
    "end": mark("the call is over"),
}


def cut(text: str, width: int, look: Look) -> str:
    """Return text in at most ``width`` cells, with a sign where something is left out."""
    if cell_len(text) <= width:
        return text
    sign = "~" if look.ascii else "…"
    return set_cell_size(text, max(0, width - 1)).rstrip() + sign if width > 0 else ""


def fit(text: str, width: int, look: Look) -> str:
    """Return text in exactly ``width`` cells."""
    return set_cell_size(cut(text, width, look), max(0, width))


def right(text: str, width: int) -> str:
    """Return text at the right of ``width`` cells, whole where it is longer."""
    return " " * (width - cell_len(text)) + text


def plain(text: str, look: Look) -> str:
    """Return text of the engine in the characters that the screen may show."""
    if not look.ascii:
        return text
    for sign, word in (("→", "->"), ("·", "."), ("×", "x"), ("…", "..."), ("−", "-")):
        text = text.replace(sign, word)
    return text.encode("ascii", "replace").decode() if not text.isascii() else text


def wrap(text: str, width: int) -> list[str]:
    """Return text in lines of at most ``width`` cells, broken between words where it can."""
    lines, spaced = [""], False
    for unit in units_of(text.strip()):
        word = unit.rstrip()
        while cell_len(word) > width > 0:
            room = width - cell_len(lines[-1]) - (spaced and bool(lines[-1]))
            if room < 4:
                lines.append("")
                continue
            head = set_cell_size(word, room).rstrip()
            lines[-1] += f" {head}" if spaced and lines[-1] else head
            word, spaced = word[len(head) :], False
        gap = 1 if spaced and lines[-1] else 0
        if cell_len(lines[-1]) + gap + cell_len(word) > width:
            lines.append(word)
        else:
            lines[-1] += f"{' ' * gap}{word}"
        spaced = unit.endswith(" ")
    return lines


def sided(left: str, right: str, width: int, look: Look, styles: tuple[str, str]) -> list[Row]:
    """Return a line with text at both sides, or two lines where one is too short."""
    left, right = plain(left, look), plain(right, look)
    room = width - cell_len(right) - (1 if right else 0)
    if cell_len(left) <= room:
        gap = " " * (width - cell_len(left) - cell_len(right))
        return [((left, styles[0]), (gap, "text"), (right, styles[1]))]
    if not right or room >= max(12, width // 2):
        return [((fit(left, room, look), styles[0]), (f" {right}" if right else "", styles[1]))]
    first = ((fit(left, width, look), styles[0]),)
    second = cut(right, width - 2, look)
    pad = " " * (width - cell_len(second))
    return [first, ((pad, "text"), (second, styles[1]))]


def entry_rows(entry: Entry, mode: str, width: int, look: Look, fresh: bool) -> list[Row]:
    """Return the lines of an entry in a column of ``width`` cells."""
    style = "fresh" if fresh else "text"
    if entry.kind in ("computed", "drawn", "ran"):
        return _op_rows(entry, mode, width, look, style)
    text, tone = _told(entry, look, narrow=width < NARROW)
    tone = tone or style
    indent = "  " if tone in ("bad", "warn") else " "
    lines = wrap(plain(text, look), width - len(indent))
    return [
        ((set_cell_size(line if not number else indent + line, width), tone),)
        for number, line in enumerate(lines)
    ]


def _op_rows(entry: Entry, mode: str, width: int, look: Look, style: str) -> list[Row]:
    """Return the lines of an op: what it is called and made of, and its value."""
    name = f"{entry.name} = "
    if entry.what == "backward" and entry.name.startswith("%"):
        name = ""  # "d %5" is the gradient of %5
    op = expression(entry.op, entry.args, entry.options)
    lead = " " * min(2 * entry.depth, 6)
    if entry.kind == "ran":
        lead += "> " if look.ascii else "▸ "
        if entry.what == "backward":
            lead += "d "
    if entry.kind == "drawn":
        value = look.tr("no value") if mode == "static" else entry.shape
        return sided(f"{lead}{name}{op}", value, width, look, (style, "muted"))
    return sided(f"{lead}{name}{op}", entry.value, width, look, (style, "value"))


def _told(entry: Entry, look: Look, *, narrow: bool) -> tuple[str, str]:
    """Return what an entry that is no op says, and in which tone ("" for the usual one)."""
    tr = look.tr
    numbers = entry.numbers
    match entry.kind:
        case "print":
            return f"print: {entry.what}", ""
        case "branch":
            taken = tr("true") if numbers[0] else tr("false")
            if not entry.line:
                return tr("cond takes: {taken}").format(taken=taken), ""
            return tr("Python decides, line {line}: {taken}").format(
                line=entry.line, taken=taken
            ), ""  # fmt: skip
        case "trip":
            return tr("  trip {number}").format(number=numbers[0] + 1), "muted"
        case "guard" if entry.what:
            told = tr("{count:guard holds|guards hold}, then")
            return told.format(count=Counted(numbers[2])), "muted"
        case "guard":
            told = tr("{count:guard holds|guards hold}: graph {graph} again")
            return told.format(count=Counted(numbers[2]), graph=numbers[1]), "good"
        case "miss" if len(numbers) > 2:
            text = tr("{count} graphs do not fit: {text}")
            if entry.why:
                text = tr("none of {count} graphs fits: {text}")
            return text.format(count=numbers[2], text=said(entry.what, tr)), "warn"
        case "miss":
            return tr("guard fails: {text}").format(text=said(entry.what, tr)), "warn"
        case "compile":
            if entry.what == "first call":
                return tr("traces segment {segment}: never seen").format(
                    segment=numbers[0]
                ), "accent"  # fmt: skip
            text = tr("RECOMPILES segment {segment}")
            if entry.args:
                text = tr("RECOMPILES segment {segment}, now for any size: {shapes}")
            return text.format(segment=numbers[0], shapes=", ".join(entry.args)), "warn"
        case "compiled":
            return tr("compile {total}: a graph of {nodes:node|nodes}").format(
                nodes=Counted(numbers[0]), total=numbers[1]
            ), "accent"  # fmt: skip
        case "session":
            if not numbers[0]:
                return tr("runs the way back"), "muted"
            text = tr("runs {nodes:node|nodes} in one go")
            return text.format(nodes=Counted(numbers[0])), "muted"
        case "pass":
            rules = said(entry.what, tr)
            return f"{entry.name}: {numbers[0]} → {numbers[1]} ({rules})", "muted"
        case "grad":
            return f"d {entry.name} = {entry.value}", ""
        case "returned":
            return tr("returns {value}").format(value=entry.value), "good"
        case "gradient":
            return tr("gradient of {name}: {value}").format(
                name=entry.name, value=entry.value
            ), "good"  # fmt: skip
        case _:
            return _warned(entry, look, narrow=narrow)


def _stopped(entry: Entry, look: Look, *, narrow: bool) -> tuple[str, str]:
    """Return what a graph breaks at or a mode refuses, and the way out before the reason.

    The end of it may lie below the room of a column; a narrow one says no more of a break.
    """
    tr = look.tr
    told = {"what": entry.what, "why": entry.why, "where": entry.where, "hint": entry.hint}
    words = {name: said(text, tr) for name, text in told.items()}
    if entry.kind == "break":
        text = tr("GRAPH BREAK line {line}: {what} ({where}). Instead: {hint}. Why: {why}")
        if narrow:
            text = tr("GRAPH BREAK line {line}: {what} ({where}). Try: {hint}")
        return text.format(line=entry.line, **words), "warn"
    text = tr("REFUSED line {line}: {what}. Instead: {hint}. Why: {why}")
    if narrow:
        words["why"] = _CAME_ABOUT.sub("", words["why"])
        text = tr("REFUSED line {line}: {what} → {hint}: {why}")
    return text.format(line=entry.line, **words), "bad"


def _warned(entry: Entry, look: Look, *, narrow: bool) -> tuple[str, str]:
    """Return what went otherwise than a learner may expect; less of it in a narrow column."""
    tr = look.tr
    if entry.kind in ("break", "refused"):
        return _stopped(entry, look, narrow=narrow)
    match entry.kind:
        case "fallback":
            text = tr("LIMIT of {limit:compile|compiles} reached: runs eagerly from here")
            return text.format(limit=Counted(entry.numbers[0])), "bad"
        case "nonfinite":
            bad = "nan" if entry.numbers[0] else "inf"
            text = tr("first {bad} here: {name} = {op} {flags}")
            return text.format(bad=bad, name=entry.name, op=entry.op, flags=entry.what), "bad"
        case "differs" if entry.what:
            text = tr("PARTED: eager did not compute {name} here")
            return text.format(name=entry.name), "bad"
        case "differs":
            if not entry.numbers:
                return tr("{name} DIFFERS from eager").format(name=entry.name), "bad"
            text = tr("{name} DIFFERS from eager by {ulps} ulps")
            return text.format(name=entry.name, ulps=f"{entry.numbers[0]:,}"), "bad"
        case "wrong":
            text = tr("STALE answer {value}, eager gives {right}")
            if entry.name:
                text = tr("STALE gradient of {name}: {value}, eager gives {right}")
            return text.format(name=entry.name, value=entry.value, right=entry.what), "bad"
        case "stale":
            text = tr("guards are OFF: the graph of call 1 is replayed, whatever the inputs")
            return text, "bad"
        case _:
            return entry.what, ""
