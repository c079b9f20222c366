"""Owns elementwise fusion: chains of elementwise ops become one launch."""

from __future__ import annotations

from ...wording import say
from ..avals import Aval
from ..ir import Graph, Node, Origin, make_attrs
from ..ops import get_op
from .base import Pass, PassResult, Rebuilder, Rewrite, inside

#: A group holds all its operands until it runs. Beyond this many, a long sum of gradients
#: would keep every term alive and cost more memory than it saves launches.
MOST_OPERANDS = 4


_RULE = say("group")


def run(graph: Graph) -> PassResult:
    """Gather elementwise nodes of one shape into groups, each one ``fused`` node.

    A node joins the group of its consumers when all of them are in that one group, so no
    path leaves a group and comes back. Reductions are never inside. Whether a group then
    runs tile by tile or op by op is decided where its size is known (``tiles.py``); it is
    one launch either way.

    >>> from dgplay.core.graph.static import GraphBuilder
    >>> b = GraphBuilder()
    >>> x = b.placeholder("x", (3,))
    >>> print(run(b.finish((x * x).exp())).graph.text())
    %0: f64[3] = placeholder(name=x)  # x
    %1: f64[3] = fused(body=<3 nodes>) %0
      body:
        %0: f64[3] = placeholder(name=in0)
        %1: f64[3] = mul %0 %0
        %2: f64[3] = exp %1
        return %2
    return %1
    """
    groups = find_groups(graph)
    members: dict[int, list[int]] = {}
    for number, sink in groups.items():
        members.setdefault(sink, []).append(number)
    fusing = {sink: sorted(items) for sink, items in members.items() if len(items) > 1}
    hidden = {number for sink, items in fusing.items() for number in items if number != sink}
    new = Rebuilder(graph)
    for number in range(len(graph.nodes)):
        if number in hidden:
            continue
        if number not in fusing:
            new.copy(number, inside(new, number, run))
            continue
        items = fusing[number]
        outer, body = _body(graph, items)
        args = tuple(new.place[arg] for arg in outer)
        node = graph.nodes[number]
        after = new.put(number, Node(get_op("fused"), args, make_attrs({"body": body}), node.aval))
        others = (o for item in items if item != number for o in graph.origin(item))
        merged = (Origin(o.line, o.column, "", o.phase) for o in others if not o.name)
        new.origins[after] = (*graph.origin(number), *merged)
        names = " ".join(graph.nodes[item].op.name for item in items)
        note = say("{count} ops: {names}", count=len(items), names=names)
        new.rewrites.append(Rewrite(_RULE, tuple(items), after, note))
    return new.finish()


def find_groups(graph: Graph) -> dict[int, int]:
    """Return for each elementwise node the id of its group, which is the group's last node."""
    groups: dict[int, int] = {}
    outer: dict[int, frozenset[int]] = {}
    kept = set(graph.outputs)
    for number in reversed(range(len(graph.nodes))):
        node = graph.nodes[number]
        if not node.op.elementwise or node.op.name in ("fused", "dropout"):
            continue
        if not isinstance(node.aval, Aval) or not node.args:
            continue
        groups[number] = number
        operands = frozenset(arg for arg in node.args if _is_held(graph, arg))
        outer[number] = operands
        if number in kept or not graph.users[number]:
            continue
        homes = [groups.get(user) for user in graph.users[number]]
        home = homes[0]
        if home is None or any(other != home for other in homes):
            continue
        sink = graph.nodes[home].aval
        together = (outer[home] - {number}) | operands
        if not isinstance(sink, Aval) or sink.shape != node.aval.shape:
            continue
        if len(together) <= max(MOST_OPERANDS, len(outer[home])):
            groups[number] = home
            outer[home] = together
    return groups


def _is_held(graph: Graph, number: int) -> bool:
    """Return whether a group that reads this value keeps it alive for longer."""
    node = graph.nodes[number]
    small = isinstance(node.aval, Aval) and node.aval.shape == ()
    return node.op.name not in ("placeholder", "const") and not small


def _body(graph: Graph, items: list[int]) -> tuple[list[int], Graph]:
    """Return the outer operands of a group and the graph of its ops."""
    inside_group = set(items)
    outer: list[int] = []
    for item in items:
        for arg in graph.nodes[item].args:
            if arg not in inside_group and arg not in outer:
                outer.append(arg)
    nodes: list[Node] = []
    place: dict[int, int] = {}
    inputs: list[tuple[str, int]] = []
    for position, arg in enumerate(outer):
        aval = graph.nodes[arg].aval
        name = f"in{position}"
        options = make_attrs({"name": name, "aval": aval})
        place[arg] = len(nodes)
        inputs.append((name, len(nodes)))
        nodes.append(Node(get_op("placeholder"), (), options, aval))
    for item in items:
        node = graph.nodes[item]
        place[item] = len(nodes)
        args = tuple(place[arg] for arg in node.args)
        nodes.append(Node(node.op, args, node.attrs, node.aval))
    body = Graph(tuple(nodes), tuple(inputs), (place[items[-1]],))
    return outer, body


FUSE = Pass("fuse", "elements are independent, and each op keeps its operands and order", run)
