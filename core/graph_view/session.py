"""Owns what is looked at: the run, the cursor and the choices, with actions and a reducer.

A key of the screen is an action; :func:`reduce` makes the next session. Nothing is run here:
where ``stale`` says so, a worker runs ``asked`` and brings the result as :class:`Ran`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ..graph.lang_refusal import Refusal
from .lockstep import Views
from .options import GraphOptions
from .running import Asked

VIEWS = ("lockstep", "nodes", "passes", "backward", "memory", "capture")
MODES = ("eager", "static", "capture")

#: Undo goes back this far.
REMEMBERED = 100


@dataclass(frozen=True)
class Step:
    """Move the cursor by so many stops."""

    by: int


@dataclass(frozen=True)
class GoTo:
    """Put the cursor at a stop, counted from 0 over all calls."""

    cursor: int


@dataclass(frozen=True)
class ToLine:
    """Go on until a line of the program has been passed."""

    line: int


@dataclass(frozen=True)
class ToEntry:
    """Go to the next (1) or previous (-1) stop where an entry of one of these kinds comes."""

    kinds: tuple[str, ...]
    direction: int = 1


@dataclass(frozen=True)
class ToKind:
    """Go to the next stop of a kind, such as ``backward``."""

    kind: str


@dataclass(frozen=True)
class ToCall:
    """Go to the first stop of the next (1) or previous (-1) call."""

    direction: int


@dataclass(frozen=True)
class SetView:
    """Show another view."""

    view: str


@dataclass(frozen=True)
class NextMode:
    """Show the next mode alone, or the graph of the next picture."""


@dataclass(frozen=True)
class SelectRow:
    """Choose a row of the present view."""

    row: int


@dataclass(frozen=True)
class Fold:
    """Fold repeated blocks, or unfold them."""


@dataclass(frozen=True)
class Ask:
    """Ask for another run; the cursor stays where the program does."""

    options: GraphOptions
    text: str | None = None
    seed: int | None = None
    to_last_call: bool = False


@dataclass(frozen=True)
class Ran:
    """A run is there, folded (which the worker does too)."""

    views: Views


@dataclass(frozen=True)
class Stopped:
    """The run that is under way was cancelled: what was there before is asked for again."""


@dataclass(frozen=True)
class Undo:
    """Take back what was asked for last (or, with ``redo``, ask for it again)."""

    redo: bool = False


Action = (
    Step | GoTo | ToLine | ToEntry | ToKind | ToCall | SetView | NextMode | SelectRow | Fold
    | Ask | Ran | Stopped | Undo
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class GraphSession:
    """What the Graph screen shows. ``views`` is the last run that was good.

    Where the last run had a ``problem`` instead, ``refused`` is the text that has it.
    """

    asked: Asked
    views: Views | None = None
    problem: Refusal | None = None
    refused: str = ""
    cursor: int = 0
    view: str = "lockstep"
    mode: str = "eager"
    picture: int = 0
    rows: Mapping[str, int] = field(default_factory=dict)
    folded: bool = True
    past: tuple[Asked, ...] = ()
    future: tuple[Asked, ...] = ()
    answered: Asked | None = None  #: what the last finished run was asked for
    to_last_call: bool = False
    wanted: int | None = None  #: where the cursor goes once there is a run

    @property
    def stale(self) -> bool:
        """Whether what is shown is not yet what is asked for."""
        return self.answered is None or self.answered.key != self.asked.key

    @property
    def text(self) -> str:
        """The program that is shown: as edited, or as refused, or as it ran."""
        if self.asked.text is not None:
            return self.asked.text
        if self.problem is not None or self.views is None:
            return self.refused
        return self.views.run.text

    @property
    def row(self) -> int:
        """The chosen row of the present view."""
        return self.rows.get(self.view, 0)


def reduce(now: GraphSession, action: Action) -> GraphSession:
    """Return the session after an action; what cannot be leaves it as it is."""
    match action:
        case Ran(views):
            return _ran(now, views)
        case Ask():
            return _ask(now, action)
        case Stopped():
            shown = now.asked if now.answered is None else now.answered
            return replace(now, asked=shown, answered=shown, to_last_call=False, wanted=None)
        case Undo(redo):
            return _undo(now, redo)
        case SetView(view):
            return replace(now, view=view)
        case Fold():
            return replace(now, folded=not now.folded, rows={**now.rows, now.view: 0})
        case SelectRow(row):
            return replace(now, rows={**now.rows, now.view: max(row, 0)})
        case NextMode():
            index = (MODES.index(now.mode) + 1) % len(MODES)
            rows = {view: row for view, row in now.rows.items() if view not in ("nodes", "memory")}
            return replace(now, mode=MODES[index], picture=now.picture + 1, rows=rows)
        case _:
            return _moved(now, action)


def _moved(now: GraphSession, action: Action) -> GraphSession:
    views = now.views
    if views is None or not views.total:
        return now
    target: int | None = now.cursor
    match action:
        case Step(by):
            target = now.cursor + by
        case GoTo(cursor):
            target = cursor
        case ToLine(line):
            target = views.next_line(now.cursor, line)
        case ToEntry(kinds, direction):
            target = views.next_where(now.cursor, direction, kinds)
        case ToKind(kind):
            target = views.next_kind(now.cursor, kind)
        case ToCall(direction):
            call, number = views.at(now.cursor)
            back = direction < 0 and number > 0
            wanted = min(max(call + (0 if back else direction), 0), len(views.starts) - 1)
            target = views.starts[wanted]
        case _:
            pass
    if target is None:
        return now
    return replace(now, cursor=min(max(target, 0), views.last))


def _ask(now: GraphSession, action: Ask) -> GraphSession:
    seed = now.asked.seed if action.seed is None else action.seed
    asked = Asked(action.options, action.text, seed)
    if asked.key == now.asked.key:
        return now
    return replace(
        now,
        asked=asked,
        past=(*now.past, now.asked)[-REMEMBERED:],
        future=(),
        to_last_call=action.to_last_call,
    )


def _undo(now: GraphSession, redo: bool) -> GraphSession:
    back, other = (now.future, now.past) if redo else (now.past, now.future)
    if not back:
        return now
    asked = back[-1]
    stays, grows = back[:-1], (*other, now.asked)
    past, future = (grows, stays) if redo else (stays, grows)
    return replace(now, asked=asked, past=past, future=future, to_last_call=False)


def _ran(now: GraphSession, views: Views) -> GraphSession:
    run = views.run
    if run.asked.key != now.asked.key:
        return now
    if run.problem is not None:
        return replace(
            now, problem=run.problem, refused=run.text, answered=run.asked, to_last_call=False
        )
    before = now.views.run if now.views is not None else None
    same = before is not None and before.text == run.text
    cursor = now.cursor if same else 0
    if now.wanted is not None:
        cursor = now.wanted
    if now.to_last_call:
        cursor = views.starts[-1]
    return replace(
        now,
        views=views,
        problem=None,
        refused="",
        answered=run.asked,
        cursor=min(max(cursor, 0), views.last),
        picture=now.picture if same else 0,
        rows=now.rows if same else {},
        to_last_call=False,
        wanted=None,
    )
