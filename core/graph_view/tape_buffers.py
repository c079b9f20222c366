"""Owns the memory view of eager: what is alive when, and what the tape keeps for the backward.

Nothing is planned in eager: a buffer comes with its op and goes when nobody holds it any more,
neither a variable of the program nor the tape. The log says when that is, so the bars are what
happened, not what a plan would do.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ..graph.events import Alloc, Event, Free, GradReady, NodeCreated, OpStart, RunEnded, TapeSaved
from ..graph.memory import Peaks
from ..wording import say
from .buffers import BufferRow, BufferTable
from .lockstep import CallView
from .nodes import called
from .pictures import Picture


@dataclass
class _Lives:
    """What the log says of every value: steps count the values made so far, from 0."""

    start: dict[int, int] = field(default_factory=dict)
    used: dict[int, int] = field(default_factory=dict)  #: the last forward op that reads it
    end: dict[int, int] = field(default_factory=dict)
    nbytes: dict[int, int] = field(default_factory=dict)
    saved: dict[int, list[int]] = field(default_factory=dict)  #: the ops that it is kept for
    swept: set[int] = field(default_factory=set)  #: those that the way back goes through
    backward: int | None = None
    steps: int = 0
    live: int = 0
    peak: int = 0
    kept: int = 0  #: bytes alive when the backward begins

    def hold(self, nbytes: int) -> None:
        """Take bytes, or let them go."""
        self.live += nbytes
        self.peak = max(self.peak, self.live)


def tape_table(view: CallView, picture: Picture, peaks: Peaks | None = None) -> BufferTable | None:
    """Return the buffers of the eager run of a call; ``peaks`` are those of its static graph.

    None where eager computed nothing. Constants have no row, since they belong to the program;
    what is alive counts them, and inputs, as every peak does.
    """
    lives = _lives(view.call.logs["eager"].events)
    place = {number: index for index, number in enumerate(sorted(lives.start))}
    if len(place) != len(picture.nodes):
        return None
    rows = []
    for number, index in place.items():
        node = picture.nodes[index]
        if node.op == "const" or number not in lives.nbytes:
            continue
        start, end = lives.start[number], lives.end.get(number, lives.steps - 1)
        own = node.op == "placeholder"
        saved = tuple(
            dict.fromkeys(called(picture.nodes[place[op]]) for op in lives.saved.get(number, ()))
        )
        rows.append(
            BufferRow(
                index, called(node), node.op, lives.nbytes[number], start, end, -1 if own else 0,
                "", False, max(lives.used.get(number, start), start), saved,
                number in lives.swept,
            )
        )  # fmt: skip
    if not rows:
        return None
    return BufferTable(
        tuple(rows), lives.steps, peaks, 0, 0, lives.peak, lives.kept, lives.backward
    )


def _lives(events: tuple[Event, ...]) -> _Lives:
    lives = _Lives()
    for event in events:
        match event:
            case NodeCreated() if not event.scope:
                lives.start[event.node] = lives.steps
                lives.steps += 1
            case OpStart() if not event.scope and event.phase == "forward":
                for arg in event.args:
                    lives.used[arg] = lives.steps
            case OpStart() if not event.scope and lives.backward is None:
                lives.backward, lives.kept = lives.steps, lives.live
            case Alloc() if not event.scope:
                lives.nbytes.setdefault(event.node, event.nbytes)
                lives.hold(event.nbytes)
            case Free() if not event.scope and event.node in lives.start:
                lives.end[event.node] = max(lives.steps - 1, lives.start[event.node])
                lives.hold(-event.nbytes)
            case TapeSaved():
                for kept in event.saved:
                    lives.saved.setdefault(kept, []).append(event.node)
            case RunEnded() if event.mode == "eager":
                lives.peak = max(lives.peak, event.peak_bytes)  # inside of loops too
            case GradReady():
                lives.swept.add(event.node)
            case _:
                pass
    return lives


def why_kept(row: BufferRow, table: BufferTable) -> str:
    """Return in a sentence why an eager buffer lives as long as it does."""
    if row.offset < 0:
        return say("an input: the caller's, it lives as long as the call")
    if row.saved:
        kept = ", ".join(row.saved)
        return say("the tape keeps it until the backward is over: that of {ops} reads it", ops=kept)
    if row.taped:
        return say("on the tape until the backward is over, though no backward reads its value")
    if row.end >= table.steps - 1:
        return say("a result, or held by one: it is there until the call ends")
    return say("on no tape: let go at step {step}, with the last variable", step=row.end)
