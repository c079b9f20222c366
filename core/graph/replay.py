"""Owns the fold over events: what a screen shows at any moment of a run.

``frame(events, count)`` is a pure function of the first ``count`` events, so stepping back is
folding fewer of them. ``Frames`` keeps a frame every few hundred events to make scrubbing cheap.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from .events import (
    Alloc,
    BranchTaken,
    Event,
    Free,
    GradReady,
    GraphBreak,
    LineReached,
    Named,
    NodeCreated,
    NonFinite,
    OpEnd,
    OpStart,
    PassApplied,
    Printed,
    TapeFreed,
    TapeSaved,
    ValueSummary,
)

#: A value is known by its scope and its id in it.
Key = tuple[str, int]


@dataclass(frozen=True)
class Frame:
    """The state after some events; dictionaries are never changed once a frame is made."""

    nodes: dict[Key, NodeCreated] = field(default_factory=dict)
    values: dict[Key, ValueSummary] = field(default_factory=dict)
    gradients: dict[int, ValueSummary] = field(default_factory=dict)
    live: dict[Key, int] = field(default_factory=dict)
    saved: dict[int, tuple[int, ...]] = field(default_factory=dict)
    prints: tuple[str, ...] = ()
    branches: tuple[BranchTaken, ...] = ()
    passes: tuple[PassApplied, ...] = ()
    breaks: tuple[GraphBreak, ...] = ()
    nonfinite: NonFinite | None = None
    running: OpStart | None = None
    line: int = 0
    launches: int = 0
    peak_bytes: int = 0

    @property
    def live_bytes(self) -> int:
        """Bytes alive now."""
        return sum(self.live.values())


class Folder:
    """Folds events into a frame; one mutable copy, frozen when asked."""

    def __init__(self, start: Frame | None = None) -> None:
        frame = start or Frame()
        self._frame = replace(
            frame,
            nodes=dict(frame.nodes),
            values=dict(frame.values),
            gradients=dict(frame.gradients),
            live=dict(frame.live),
            saved=dict(frame.saved),
        )
        self._live = frame.live_bytes

    def take(self, event: Event) -> None:
        """Fold one event."""
        now = self._frame
        match event:
            case NodeCreated():
                now.nodes[event.scope, event.node] = event
            case Named():
                made = now.nodes.get((event.scope, event.node))
                if made is not None:
                    now.nodes[event.scope, event.node] = replace(made, name=event.name)
            case OpStart():
                self._frame = replace(now, running=event)
            case OpEnd():
                now.values[event.scope, event.node] = event.value
                self._frame = replace(now, running=None, launches=now.launches + event.launches)
            case Alloc():
                self._live += event.nbytes - now.live.get((event.scope, event.node), 0)
                now.live[event.scope, event.node] = event.nbytes
                if self._live > now.peak_bytes:
                    self._frame = replace(now, peak_bytes=self._live)
            case Free():
                self._live -= now.live.pop((event.scope, event.node), 0)
            case TapeSaved():
                now.saved[event.node] = event.saved
            case TapeFreed():
                now.saved.pop(event.node, None)
            case GradReady():
                now.gradients[event.node] = event.value
            case Printed():
                self._frame = replace(now, prints=(*now.prints, event.text))
            case BranchTaken():
                self._frame = replace(now, branches=(*now.branches, event))
            case PassApplied():
                self._frame = replace(now, passes=(*now.passes, event))
            case GraphBreak():
                self._frame = replace(now, breaks=(*now.breaks, event))
            case NonFinite():
                self._frame = replace(now, nonfinite=now.nonfinite or event)
            case LineReached():
                self._frame = replace(now, line=event.line)
            case _:
                pass

    def frame(self) -> Frame:
        """Return the state now, as a frame of its own."""
        now = self._frame
        return replace(
            now,
            nodes=dict(now.nodes),
            values=dict(now.values),
            gradients=dict(now.gradients),
            live=dict(now.live),
            saved=dict(now.saved),
        )


def frame(events: Iterable[Event], count: int | None = None, start: Frame | None = None) -> Frame:
    """Return the frame after the first ``count`` events (all when None), from ``start`` on."""
    folder = Folder(start)
    for number, event in enumerate(events):
        if count is not None and number >= count:
            break
        folder.take(event)
    return folder.frame()


class Frames:
    """Frames of one list of events, by position; keeps a frame every ``spacing`` events."""

    def __init__(self, events: Sequence[Event], spacing: int = 500) -> None:
        self.events = events
        self.spacing = spacing
        self._kept: list[Frame] = [Frame()]

    def __len__(self) -> int:
        return len(self.events) + 1

    def at(self, position: int) -> Frame:
        """Return the frame after ``position`` events; positions outside are clamped."""
        position = min(max(position, 0), len(self.events))
        block = position // self.spacing
        while len(self._kept) <= block:
            begin = (len(self._kept) - 1) * self.spacing
            part = self.events[begin : begin + self.spacing]
            self._kept.append(frame(part, start=self._kept[-1]))
        begin = block * self.spacing
        return frame(self.events[begin:position], start=self._kept[block])
