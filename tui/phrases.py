"""Outcomes and records as sentences in the language of the screens."""

from __future__ import annotations

import re

from dgplay.core.actions import Outcome
from dgplay.core.challenge import Challenge
from dgplay.core.counting import Counted
from dgplay.core.errors import DgplayError
from dgplay.core.graph.lang_refusal import Refusal
from dgplay.core.sequences.strategy_counts import RECOMPILE_LIMIT
from dgplay.core.strategy_rows import ModeFacts
from dgplay.core.tables import Signs, signed
from dgplay.core.time_verdict import TimeVerdict
from dgplay.core.wording import translated

from .commands import mark
from .i18n import Translate

_OUTCOMES = {
    "end": mark("bucket {bucket} ends at {length}"),
    "add": mark("boundary {length} added"),
    "delete": mark("bucket {bucket} joined with its neighbour"),
    "boundaries": mark("boundaries set"),
    "optimum": mark("optimum for K={text}"),
    "method": mark("method {text}"),
    "plan": mark("boundaries: {text}"),
    "pad_to": mark("pad to {text}"),
    "undo": mark("undone"),
    "redo": mark("redone"),
}

#: Outcomes that say nothing of results.
NOTICES = {
    "none": "",
    "model": mark("the model changed; checking again"),
    "planning": mark("planned anew"),
    "data": mark("{text} opened"),
    "pinned": mark("this setting is A now; C compares"),
    "unpinned": mark("A is let go"),
    "clamped": mark("bucket {bucket} stays at {length}: nothing nearer is free"),
    "refused": "! {text}",
    "nothing to undo": mark("nothing to undo"),
    "nothing to redo": mark("nothing to redo"),
}

_MODES = {
    "eager": mark("{sequences} drawn, one for each sequence, then freed"),
    "static": mark("pad {pad}, bucketed {bucketed}, while_loop {loop}"),
    "capture": mark(
        "per length {compiled} of {lengths} (limit {limit}, then eager); "
        "symbolic {symbolic}; bucketed {bucketed}"
    ),
}

#: Words in the cells of core's tables; a sign may stand before one, a star behind it.
_CELL_WORDS = (
    mark("OK"),
    mark("WRONG"),
    mark("not run"),
    mark("empty"),
    mark("too few"),
    mark("all"),
    mark("own"),
    mark("now"),
    mark("steps"),
    mark("waste"),
    mark("graphs"),
    mark("optimum"),
)
_CELL = re.compile(rf"(\S+ )?({'|'.join(_CELL_WORDS)})(\*?)")

#: What the lengths of data count.
UNITS = (
    mark("words"),
    mark("chars"),
    mark("bytes"),
    mark("frames"),
    mark("tokens"),
    mark("residues"),
    mark("items"),
)

#: Steps of the challenge's path that are shown; the middle of a longer one is left out.
PATH_SHOWN = 6

#: Where each mode lets a person read the state h.
READABLE = {
    "eager": mark("h can be read at any line"),
    "static": mark("h can be read only where it is fetched"),
    "capture": mark("h can be read only at a graph break"),
}


def cell_text(text: str, tr: Translate) -> str:
    """Return a cell of core's tables with its word, if it has one, translated."""
    found = _CELL.fullmatch(text)
    return text if found is None else f"{found[1] or ''}{tr(found[2])}{found[3]}"


def said(text: str, tr: Translate) -> str:
    """Return a text of core in the language of ``tr``."""
    return translated(text, tr)


def refusal_text(reason: DgplayError | str, tr: Translate) -> str:
    """Return why something is not done, behind the sign of a refusal."""
    return f"! {said(str(reason), tr)}"


def labelled(name: str, text: str, tr: Translate) -> str:
    """Return a name and what is said of it; a colon is not everywhere the same sign."""
    return tr("{name}: {text}").format(name=name, text=text)


def refusal_words(refusal: Refusal, tr: Translate) -> dict[str, str]:
    """Return what a program is refused for, why, and what to try instead."""
    parts = {"what": refusal.what, "why": refusal.why, "hint": refusal.hint}
    return {name: said(text, tr) for name, text in parts.items()}


def outcome_text(outcome: Outcome, tr: Translate, signs: Signs) -> str:
    """Return what the last action did: ``bucket 3 ends at 17: 1257 → 1256 (−1)``."""
    values = {"bucket": outcome.bucket, "length": outcome.length, "text": said(outcome.text, tr)}
    if outcome.kind in NOTICES:
        notice = NOTICES[outcome.kind]
        return tr(notice).format(**values) if notice else ""
    did = tr(_OUTCOMES[outcome.kind]).format(**values)
    change = signed(outcome.steps_after - outcome.steps_before, signs)
    return f"{did}: {outcome.steps_before} {signs.right} {outcome.steps_after} ({change})"


def tally_text(tally: tuple[int, int, int], tr: Translate) -> str:
    """Return how the guesses went."""
    exact, close, off = tally
    text = tr("predict: {exact} exact, {close} close, {off} off")
    return text.format(exact=exact, close=close, off=off)


def challenge_text(challenge: Challenge, tr: Translate, signs: Signs) -> str:
    """Return the path of the challenge so far."""
    shown = [str(steps) for steps in challenge.path]
    if len(shown) > PATH_SHOWN:
        shown = [shown[0], signs.waiting, *shown[2 - PATH_SHOWN :]]
    path = f" {signs.right} ".join(shown)
    if not challenge.solved:
        if not challenge.moves:
            return tr("four keys lead from {start} to the optimum; find them").format(
                start=challenge.path[0]
            )
        moves = tr("{moves:move|moves}: {path}")
        return moves.format(moves=Counted(challenge.moves), path=path)
    if not challenge.single:
        return tr("there, but not by single moves: {path}; u undoes").format(path=path)
    solved = tr("solved in {moves:move|moves}: {path}")
    return solved.format(moves=Counted(challenge.moves), path=path)


def time_phrase(verdict: TimeVerdict, tr: Translate) -> str:
    """Return what the measured times follow, in one line."""
    said = tr(
        "a launch = {worth:.1f} steps: dynamic {seconds:.1f}x the time of pad, "
        "{steps:.2f}x its steps"
    )
    worth = verdict.launch_seconds / verdict.step_seconds
    return said.format(worth=worth, seconds=verdict.seconds_ratio, steps=verdict.steps_ratio)


def mode_text(facts: ModeFacts, tr: Translate) -> str:
    """Return the graphs that a mode makes for the data, in words."""
    numbers = dict(facts.graphs)
    return tr(_MODES[facts.mode]).format(
        sequences=numbers.get("each sequence"),
        pad=numbers.get("pad"),
        bucketed=numbers.get("bucketed"),
        loop=numbers.get("while_loop"),
        compiled=numbers.get("per length"),
        symbolic=numbers.get("symbolic"),
        lengths=facts.lengths,
        limit=RECOMPILE_LIMIT,
    )
