"""Owns what every pass shares: its record, its result, and rebuilding a graph node by node.

A pass is a pure function from a graph to a new graph and the list of rewrites that led there;
the graph that goes in is never changed. ``Rebuilder`` renumbers while it copies, and lets a
node that replaces others keep all their origins.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...wording import say
from ..ir import Constant, Graph, Node, Origin, make_attrs
from ..ops import Array, Op, get_op, infer


@dataclass(frozen=True, slots=True)
class Rewrite:
    """One step of a pass: the rule, the nodes it took (old ids), the node it left (new id)."""

    rule: str
    before: tuple[int, ...]
    after: int | None
    note: str


@dataclass(frozen=True, slots=True)
class PassResult:
    """The new graph and how it came about, in order."""

    graph: Graph
    rewrites: tuple[Rewrite, ...]


@dataclass(frozen=True)
class Pass:
    """A named pass: why it is allowed, in a line, and whether it keeps every bit."""

    name: str
    reason: str
    run: Callable[[Graph], PassResult]
    keeps_bits: bool = True

    @property
    def example(self) -> str:
        """The worked example, as in the documentation of the pass (and tested there)."""
        text = self.run.__doc__ or ""
        return "\n".join(line[4:] for line in text.splitlines() if line.startswith("    "))


class Rebuilder:
    """Copies a graph in order; ``place`` maps each old id to its new one."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.place: dict[int, int] = {}
        self.nodes: list[Node] = []
        self.origins: list[tuple[Origin, ...]] = []
        self.merged: dict[int, dict[Origin, None]] = {}
        self.rewrites: list[Rewrite] = []

    def args(self, number: int) -> tuple[int, ...]:
        """Return the operands of an old node as new ids."""
        return tuple(self.place[arg] for arg in self.graph.nodes[number].args)

    def copy(self, number: int, attrs: tuple[tuple[str, Any], ...] | None = None) -> int:
        """Copy an old node, with other options if given."""
        node = self.graph.nodes[number]
        return self.put(number, Node(node.op, self.args(number), attrs or node.attrs, node.aval))

    def put(self, number: int, node: Node) -> int:
        """Let a new node stand for an old one, with its origins."""
        self.place[number] = self.append(node, self.graph.origin(number))
        return self.place[number]

    def append(self, node: Node, origins: tuple[Origin, ...] = ()) -> int:
        """Add a new node."""
        self.nodes.append(node)
        self.origins.append(origins)
        return len(self.nodes) - 1

    def call(
        self, op: Op | str, args: Sequence[int], options: dict[str, Any],
        origins: tuple[Origin, ...] = (),
    ) -> int:  # fmt: skip
        """Add a new node by op and new ids."""
        record = get_op(op)
        aval, full = infer(record, [self.nodes[arg].aval for arg in args], options)
        return self.append(Node(record, tuple(args), make_attrs(full), aval), origins)

    def constant(self, value: Array, origins: tuple[Origin, ...] = ()) -> int:
        """Add a new constant."""
        return self.call("const", (), {"value": Constant(value)}, origins)

    def merge(self, number: int, into: int, rule: str, note: str) -> None:
        """Let an existing new node stand for an old one; it keeps the origins of both."""
        self.place[number] = into
        # A dict, because thousands of nodes may merge into one: 8.7 s as tuples at 10,000.
        kept = self.merged.setdefault(into, dict.fromkeys(self.origins[into]))
        kept.update(dict.fromkeys(self.graph.origin(number)))
        self.rewrites.append(Rewrite(rule, (number,), into, note))

    def finish(self) -> PassResult:
        """Return the new graph; the old one itself where nothing was rewritten."""
        if not self.rewrites:
            return PassResult(self.graph, ())
        for into, origins in self.merged.items():
            self.origins[into] = tuple(dict.fromkeys((*self.origins[into], *origins)))
        old = self.graph
        graph = Graph(
            tuple(self.nodes),
            tuple((name, self.place[number]) for name, number in old.inputs),
            tuple(self.place[number] for number in old.outputs),
            tuple(self.origins),
            tuple(old.label(i) for i in range(len(old.outputs))),
        )
        return PassResult(graph, tuple(self.rewrites))


def inside(
    rebuilder: Rebuilder, number: int, run: Callable[[Graph], PassResult]
) -> tuple[tuple[str, Any], ...]:
    """Run a pass on the subgraphs of a node; return its options with the results.

    The rewrites are recorded under the id of the node that holds the subgraph.
    """
    node = rebuilder.graph.nodes[number]
    if not node.subgraphs or node.op.name == "fused":
        return node.attrs
    options: list[tuple[str, Any]] = []
    for name, value in node.attrs:
        if isinstance(value, Graph):
            result = run(value)
            value = result.graph
            for rewrite in result.rewrites:
                note = say(
                    "in {name} of %{number}: {note}", name=name, number=number, note=rewrite.note
                )
                rebuilder.rewrites.append(Rewrite(rewrite.rule, (number,), None, note))
        options.append((name, value))
    return tuple(options)


def constant_of(nodes: Sequence[Node], number: int) -> Array | None:
    """Return the array of a const node, else None."""
    node = nodes[number]
    if node.op.name != "const":
        return None
    array: np.ndarray[Any, np.dtype[Any]] = node.option("value").array
    return array
