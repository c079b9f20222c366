"""Owns the backward of one captured segment: drawn once, fed with what the forward kept.

A segment's gradient is drawn on its raw graph, before any pass, exactly as the eager tape
adds it up: the gradients that come back from later segments enter first, then the segment's
own consumers in decreasing order. What it reads of the forward becomes an extra output of the
forward graph; loops keep no such output and are run again instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .avals import Aval
from .grad import append_gradients, silent
from .ir import Graph, Node, Origin, make_attrs, prune
from .ops import get_op
from .static import GraphBuilder

#: Ops without operands that are cheaper to repeat than to keep.
_REPEATED = frozenset({"const", "fill", "dim"})


@dataclass(frozen=True)
class Backward:
    """A backward graph: inputs called ``kept7`` (node 7 of the forward) and ``gradient7``.

    ``targets`` are the forward ids whose gradients are its outputs, in order.
    """

    graph: Graph
    kept: tuple[int, ...]
    seeded: tuple[int, ...]
    targets: tuple[int, ...]
    again: bool  #: whether the forward runs once more inside it


def draw_backward(
    raw: Graph, seeded: Sequence[int], wanted: Sequence[int], again: bool = False
) -> Backward | None:
    """Return the backward for gradients that enter at ``seeded`` and leave at ``wanted``.

    Ids are those of the raw forward graph. None where nothing wanted is reached. ``again``
    runs the forward once more instead of reading what it kept.
    """
    raw = silent(raw)
    builder = GraphBuilder.resume(raw)
    builder.phase = "backward"
    seeds = []
    for number in seeded:
        aval = raw.nodes[number].aval
        assert isinstance(aval, Aval)
        seeds.append(builder.placeholder(f"gradient{number}", aval.shape, aval.dtype))
    found = append_gradients(builder, list(seeded), seeds, list(wanted))
    reached = [(n, g) for n, g in zip(wanted, found, strict=True) if g is not None]
    if not reached:
        return None
    joint = builder.finish(*(gradient for _, gradient in reached))
    targets = tuple(number for number, _ in reached)
    return _split(joint, len(raw), tuple(seeded), targets, again)


def _split(
    joint: Graph, forward: int, seeded: tuple[int, ...], targets: tuple[int, ...], again: bool
) -> Backward:
    """Cut the forward off: what the backward reads of it becomes a placeholder."""
    read = {
        arg
        for node in joint.nodes[forward:]
        for arg in node.args
        if arg < forward and joint.nodes[arg].op.name not in _REPEATED
    }
    if again or any(not isinstance(joint.nodes[number].aval, Aval) for number in read):
        pruned = prune(joint)
        kept = tuple(number for name, number in joint.inputs if number < forward)
        renamed = tuple(
            (f"kept{number}" if number < forward else name, place)
            for (name, number), (_, place) in zip(joint.inputs, pruned.inputs, strict=True)
        )
        return Backward(_renamed(pruned, renamed), kept, seeded, targets, True)
    place: dict[int, int] = {}
    nodes: list[Node] = []
    origins: list[tuple[Origin, ...]] = []
    inputs: list[tuple[str, int]] = []
    needed = _needed(joint, forward, read)
    for number in needed:
        node = joint.nodes[number]
        if number in read:
            node = _placeholder(f"kept{number}", node.aval)
        args = () if number in read else tuple(place[arg] for arg in node.args)
        place[number] = len(nodes)
        if node.op.name == "placeholder":
            inputs.append((str(node.option("name")), place[number]))
        nodes.append(Node(node.op, args, node.attrs, node.aval))
        origins.append(joint.origin(number))
    outputs = tuple(place[number] for number in joint.outputs)
    graph = Graph(tuple(nodes), tuple(inputs), outputs, tuple(origins))
    kept = tuple(number for number in needed if number in read)
    return Backward(graph, kept, seeded, targets, False)


def _needed(joint: Graph, forward: int, read: set[int]) -> list[int]:
    """Return what the outputs need, not going past what is read of the forward."""
    needed: set[int] = {number for _, number in joint.inputs if number >= forward}
    todo = list(joint.outputs)
    while todo:
        number = todo.pop()
        if number in needed:
            continue
        needed.add(number)
        if number not in read:
            todo.extend(joint.nodes[number].args)
    return sorted(needed)


def _placeholder(name: str, aval: object) -> Node:
    assert isinstance(aval, Aval)
    return Node(get_op("placeholder"), (), make_attrs({"name": name, "aval": aval}), aval)


def _renamed(graph: Graph, inputs: tuple[tuple[str, int], ...]) -> Graph:
    nodes = list(graph.nodes)
    for name, number in inputs:
        nodes[number] = _placeholder(name, nodes[number].aval)
    return Graph(tuple(nodes), inputs, graph.outputs, graph.origins, graph.output_names)
