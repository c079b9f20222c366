"""Owns the graphs of one call as pictures: nodes with names, values, gradients and places.

There is one picture of what eager computed, one of what static drew and one of what it runs
after the passes, and one for every graph that capture ran. All have the same records, so that
views need not know where a graph came from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, cast

import numpy as np

from ..graph.avals import Aval, SymbolicDim
from ..graph.events import Alloc, Event, GradReady, NodeCreated, OpEnd, RunEnded, RunStarted
from ..graph.ir import Graph
from ..graph.passes import Applied
from ..graph.views import Block, repeats
from .lockstep import CallView, Views
from .words import (
    array_text,
    collect_names,
    fused_text,
    node_options,
    operand_text,
    structural,
    value_text,
)


@dataclass(frozen=True, slots=True)
class PictureNode:
    """One node. ``at`` is the number of events after which it is there, ``known`` its value."""

    id: int
    op: str
    name: str
    args: tuple[int, ...]
    words: tuple[str, ...]
    shape: str
    line: int
    phase: str
    at: int
    known: int | None
    value: str
    gradient: str
    launches: int
    nbytes: int | None
    options: str = ""

    @property
    def constant(self) -> bool:
        """Whether it is written out where it is used, so that no lane is needed."""
        return self.op == "const"


@dataclass(frozen=True, eq=False)
class Picture:
    """A graph of a call. ``graph`` and ``applied`` are None and empty for the eager tape."""

    kind: str  #: eager, drawn, static or capture
    mode: str
    number: int
    nodes: tuple[PictureNode, ...]
    outputs: tuple[int, ...] = ()
    graph: Graph | None = None
    raw: Graph | None = None
    applied: tuple[Applied, ...] = ()
    sizes: Mapping[str, int] = field(default_factory=dict)  #: of its symbols, in this call

    @cached_property
    def users(self) -> tuple[tuple[int, ...], ...]:
        """For each node who uses its value, each once."""
        found: list[list[int]] = [[] for _ in self.nodes]
        for node in self.nodes:
            for arg in dict.fromkeys(node.args):
                found[arg].append(node.id)
        return tuple(tuple(item) for item in found)

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """Blocks of nodes that repeat."""
        if self.graph is not None:
            return repeats(self.graph)
        shapes = _Shapes(tuple(_Shape(_Op(n.op), n.shape, n.args) for n in self.nodes))
        return repeats(cast(Graph, shapes))


@dataclass(frozen=True, slots=True)
class _Op:
    name: str


@dataclass(frozen=True, slots=True)
class _Shape:
    """A node of the tape, as far as looking for repetitions needs it."""

    op: _Op
    aval: str
    args: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Shapes:
    nodes: tuple[_Shape, ...]


def pictures(views: Views, call: int) -> tuple[Picture, ...]:
    """Return the pictures of a call, eager first."""
    view = views.calls[call]
    found = [eager_picture(view)]
    run = views.run
    log = view.call.logs["static"]
    seen = _sessions(log.events)
    drawn = next((d for d in run.modes["static"].drawn if d.graph in log.graphs), None)
    if drawn is not None:
        values = seen[0] if seen else {}
        found.append(graph_picture("drawn", "static", 0, drawn.raw, {}, drawn.raw, ()))
        found.append(
            graph_picture("static", "static", 0, drawn.graph, values, drawn.raw, drawn.applied)
        )
    elif any(isinstance(event, NodeCreated) for event in log.events):
        found.append(replace(_tape("drawn", "static", log.events), outputs=()))
    found += _captured(views, view)
    return tuple(found)


def _captured(views: Views, view: CallView) -> list[Picture]:
    """Return one picture for each graph that capture ran in a call, the last run's values."""
    capture = views.run.modes["capture"].capture
    log = view.call.logs["capture"]
    if capture is None:
        return []
    seen = _sessions(log.events)
    shapes = _session_shapes(log.events)
    values: dict[int, Mapping[int, tuple[int, str, int]]] = {}
    sizes: dict[int, dict[str, int]] = {}
    for graph, found, shaped in zip(log.graphs, seen, shapes, strict=False):
        for entry in capture.entries:
            if entry.graph is graph:
                values[entry.number] = found
                sizes[entry.number] = _sizes(graph, shaped)
    return [
        replace(
            graph_picture(
                "capture", "capture", entry.number, entry.graph, values[entry.number],
                entry.applied[0].before if entry.applied else entry.graph, entry.applied,
            ),
            sizes=sizes[entry.number],
        )
        for entry in capture.entries
        if entry.number in values
    ]  # fmt: skip


def _sessions(events: Sequence[Event]) -> list[dict[int, tuple[int, str, int]]]:
    """Return, for every session of a log, what its nodes gave and after how many events."""
    sessions: list[dict[int, tuple[int, str, int]]] = []
    inside = False
    for at, event in enumerate(events, 1):
        if isinstance(event, RunStarted) and event.mode != "eager":
            sessions.append({})
            inside = True
        elif isinstance(event, RunEnded):
            inside = False
        elif isinstance(event, OpEnd) and inside and not event.scope:
            shown = (at, value_text(event.value), event.launches)
            sessions[-1][event.node] = shown
    return sessions


def _session_shapes(events: Sequence[Event]) -> list[dict[int, tuple[int, ...]]]:
    """Return, for every session of a log, the shapes that its nodes had."""
    sessions: list[dict[int, tuple[int, ...]]] = []
    inside = False
    for event in events:
        if isinstance(event, RunStarted) and event.mode != "eager":
            sessions.append({})
            inside = True
        elif isinstance(event, RunEnded):
            inside = False
        elif isinstance(event, OpEnd) and inside and not event.scope:
            sessions[-1][event.node] = event.value.shape
    return sessions


def _sizes(graph: Graph, shapes: Mapping[int, tuple[int, ...]]) -> dict[str, int]:
    """Return what the symbols of a graph stood for in a run, as far as its shapes tell."""
    found: dict[str, int] = {}
    for number, shape in shapes.items():
        aval = graph.nodes[number].aval
        if not isinstance(aval, Aval):
            continue
        for dim, size in zip(aval.shape, shape, strict=True):
            if isinstance(dim, SymbolicDim) and len(dim.terms) == 1:
                name, factor = dim.terms[0]
                found.setdefault(name, (size - dim.offset) // factor)
    return found


def graph_picture(
    kind: str, mode: str, number: int, graph: Graph, values: Mapping[int, tuple[int, str, int]],
    raw: Graph, applied: tuple[Applied, ...],
) -> Picture:  # fmt: skip
    """Return the picture of a graph, with the values of one session."""
    nodes = []
    for place, node in enumerate(graph.nodes):
        origins = graph.origin(place)
        named = graph.name_of(place)
        at, value, launches = values.get(place, (0, "", 0))
        if node.op.name == "const":
            value = operand_text(graph, place)
        op = fused_text(node.option("body")) if node.op.name == "fused" else node.op.name
        backward = any(origin.phase == "backward" for origin in origins)
        lines = [origin.line for origin in origins if origin.line]
        nodes.append(
            PictureNode(
                place, op, "" if named.startswith("%") else named, node.args,
                tuple(operand_text(graph, arg) for arg in node.args), str(node.aval),
                lines[0] if lines else 0, "backward" if backward else "forward", 0,
                at or None, value, "", launches if values else _launches(node.op.name),
                aval_bytes(node.aval), node_options(node),
            )
        )  # fmt: skip
    return Picture(kind, mode, number, tuple(nodes), graph.outputs, graph, raw, applied)


def _launches(op: str) -> int:
    return 0 if structural(op) else 1


def eager_picture(view: CallView) -> Picture:
    """Return what eager computed, backward included, with gradients."""
    made = _tape("eager", "eager", view.call.logs["eager"].events)
    fed = {n: array_text(v) for n, v in view.call.inputs.items() if isinstance(v, np.ndarray)}
    nodes = tuple(
        replace(node, value=fed[node.name]) if node.op == "placeholder" and node.name in fed
        else node
        for node in made.nodes
    )  # fmt: skip
    return replace(made, nodes=nodes)


def _tape(kind: str, mode: str, events: Sequence[Event]) -> Picture:
    names = collect_names(events)
    made: dict[int, tuple[int, NodeCreated]] = {}
    values: dict[int, OpEnd] = {}
    known: dict[int, int] = {}
    gradients: dict[int, str] = {}
    sizes: dict[int, int] = {}
    for at, event in enumerate(events, 1):
        match event:
            case NodeCreated() if not event.scope:
                made[event.node] = (at, event)
            case OpEnd() if not event.scope and event.node in made:
                values[event.node] = event
                known[event.node] = at
            case Alloc() if not event.scope:
                sizes.setdefault(event.node, event.nbytes)
            case GradReady():
                gradients[event.node] = value_text(event.value)
            case _:
                pass
    place = {number: index for index, number in enumerate(sorted(made))}
    nodes = []
    for number, index in place.items():
        at, event = made[number]
        ended = values.get(number)
        value = value_text(ended.value) if ended is not None else event.text
        named = names.get((0, "", number), "")
        words = tuple(names.get((0, "", arg)) or f"%{arg}" for arg in event.args)
        nodes.append(
            PictureNode(
                index, event.op, "" if event.op == "const" and named == event.text else named,
                tuple(place[arg] for arg in event.args if arg in place), words, event.shape,
                event.line, event.phase, at, known.get(number), value,
                gradients.get(number, ""), ended.launches if ended is not None else 0,
                sizes.get(number), event.options,
            )
        )  # fmt: skip
    return Picture(kind, mode, 0, tuple(nodes))


def position_of(view: CallView, mode: str, stop: int) -> int:
    """Return how many events of a mode are done at a stop."""
    index = ("eager", "static", "capture").index(mode)
    return view.stops[stop].positions[index]


def stop_of(view: CallView, mode: str, at: int) -> int:
    """Return the first stop of a call at which ``at`` events of a mode are done."""
    index = ("eager", "static", "capture").index(mode)
    for number, stop in enumerate(view.stops):
        if stop.positions[index] >= at:
            return number
    return len(view.stops) - 1


def aval_bytes(aval: Any) -> int | None:
    """Return the bytes of a value whose sizes are known."""
    if isinstance(aval, Aval) and all(isinstance(dim, int) for dim in aval.shape):
        return int(aval.nbytes)
    return None
