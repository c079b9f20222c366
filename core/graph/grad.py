"""Owns gradients in graphs: the reverse sweep that appends a subgraph, and vjps of subgraphs.

The sweep visits consumers in decreasing id, so contributions to one value add up in that
order, starting from the first and never from zeros; the eager tape does the same, which is why
both give the same bits. Gradients are appended to the raw graph, before any pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from ..wording import say
from .avals import AnyAval, Aval, TupleAval
from .errors import NotDifferentiableError
from .ir import Graph, Node, has_effects, prune
from .static import GraphBuilder, Sym


def is_float(aval: AnyAval) -> bool:
    """Return whether a value can carry a gradient: floats, or several results together."""
    return isinstance(aval, TupleAval) or aval.dtype.kind == "f"


def active_nodes(nodes: Sequence[Node], wrt: Sequence[int]) -> list[bool]:
    """Return for each node whether it depends on ``wrt`` through differentiable ops."""
    active = [False] * len(nodes)
    for number in wrt:
        active[number] = True
    for number, node in enumerate(nodes):
        if not active[number] and node.op.vjp is not None and is_float(node.aval):
            active[number] = any(active[arg] for arg in node.args)
    return active


def append_gradients(
    builder: GraphBuilder, outputs: Sequence[int], seeds: Sequence[Sym], wrt: Sequence[int]
) -> list[Sym | None]:
    """Append the gradients of ``outputs`` with respect to ``wrt``; None where unconnected.

    ``seeds`` are the gradients that enter at the outputs, in their order.
    """
    count = len(builder)
    active = active_nodes([builder.node(i) for i in range(count)], wrt)
    wanted = set(wrt)
    grads: dict[int, Any] = {}
    for number, seed in zip(outputs, seeds, strict=True):
        if active[number]:
            add_gradient(builder, grads, number, seed)
    for number in reversed(range(count)):
        if number not in grads or not active[number]:
            continue
        node = builder.node(number)
        gy = grads[number] if number in wanted else grads.pop(number)
        if node.op.name == "pick":
            several = grads.setdefault(node.args[0], {})
            add_gradient(builder, several, node.option("index"), gy)
            continue
        if not any(active[arg] for arg in node.args):
            continue
        for arg, contribution in _contributions(builder, number, node, gy, active):
            add_gradient(builder, grads, arg, contribution)
    return [grads.get(number) for number in wrt]


def add_gradient(builder: GraphBuilder, grads: dict[int, Any], key: int, value: Any) -> None:
    """Add a contribution; the first one starts the sum."""
    grads[key] = builder.add(grads[key], value) if key in grads else value


def _contributions(
    builder: GraphBuilder, number: int, node: Node, gy: Any, active: Sequence[bool]
) -> list[tuple[int, Any]]:
    if "save" in node.op.options:
        builder.keep_trips(number)
        node = builder.node(number)
    y = builder.sym(number)
    if isinstance(node.aval, TupleAval):
        gy = [
            gy[i] if i in gy else builder.fill(item.shape, 0.0, item.dtype)
            if isinstance(item, Aval) and is_float(item) else None
            for i, item in enumerate(node.aval.items)
        ]  # fmt: skip
    want = tuple(active[arg] for arg in node.args)
    xs = [builder.sym(arg) for arg in node.args]
    assert node.op.vjp is not None
    results = node.op.vjp(builder, y, gy, xs, want, node.kwargs)
    return [
        (arg, result)
        for arg, result, wanted in zip(node.args, results, want, strict=True)
        if wanted and result is not None
    ]


def gradients(graph: Graph, wrt: Sequence[str]) -> Graph:
    """Return the graph with the gradients of the sum of its float outputs appended.

    The new outputs stand after the old ones, called ``d x`` for input ``x``, in the order of
    ``wrt``; an input that no output depends on gets zeros. :class:`NotDifferentiableError`
    names an input that is unknown or not a float, and a graph without float outputs.
    """
    known = dict(graph.inputs)
    for name in wrt:
        if name not in known:
            raise NotDifferentiableError(
                say("there is no input {name} (inputs: {known})", name=name, known=", ".join(known))
            )
        aval = graph.nodes[known[name]].aval
        if not is_float(aval):
            raise NotDifferentiableError(
                say("{name} is {aval}: only floats have a gradient", name=name, aval=aval)
            )
    outputs = [n for n in graph.outputs if is_float(graph.nodes[n].aval)]
    if wrt and not outputs:
        raise NotDifferentiableError(
            say("no output is a float, so there is nothing to differentiate")
        )
    builder = GraphBuilder.resume(graph)
    builder.phase = "backward"
    numbers = [known[name] for name in wrt]
    active = active_nodes(graph.nodes, numbers)
    live = [n for n in outputs if active[n]]
    found = append_gradients(builder, live, [_ones(builder, n) for n in live], numbers)
    filled = [
        _zeros(builder, number) if g is None else g
        for number, g in zip(numbers, found, strict=True)
    ]
    labels = [graph.label(i) for i in range(len(graph.outputs))]
    names = [*labels, *(f"d {name}" for name in wrt)]
    return builder.finish(*(builder.sym(n) for n in graph.outputs), *filled, names=names)


def unconnected(graph: Graph, wrt: Sequence[str]) -> tuple[str, ...]:
    """Return the inputs of ``wrt`` that no float output depends on; their gradient is zeros."""
    known = dict(graph.inputs)
    found = []
    for name in wrt:
        active = active_nodes(graph.nodes, [known[name]])
        if not any(active[n] for n in graph.outputs):
            found.append(name)
    return tuple(found)


def _ones(builder: GraphBuilder, number: int) -> Sym:
    aval = builder.node(number).aval
    assert isinstance(aval, Aval)
    return builder.fill(aval.shape, 1.0, aval.dtype)


def _zeros(builder: GraphBuilder, number: int) -> Sym:
    aval = builder.node(number).aval
    assert isinstance(aval, Aval)
    return builder.fill(aval.shape, 0.0, aval.dtype)


@lru_cache(maxsize=512)
def vjp_graph(
    graph: Graph, want: tuple[bool, ...], seeded: tuple[bool, ...] | None = None,
    through: tuple[int, ...] = (),
) -> Graph:  # fmt: skip
    """Return a graph from the inputs of ``graph`` and gradients of its float outputs to
    gradients of its wanted inputs (zeros where unconnected).

    ``seeded`` says which outputs have a gradient (None: all). ``through`` are inputs, by
    position, that are results as well; their gradients come after those of the outputs.

    It computes forward what it needs, prints nothing, and holds no node that it does not need.
    """
    builder = GraphBuilder.resume(silent(graph))
    builder.phase = "backward"
    given = seeded or (True,) * len(graph.outputs)
    results = [n for n, has in zip(graph.outputs, given, strict=True) if has]
    results += [graph.inputs[position][1] for position in through]
    floats = [n for n in results if is_float(graph.nodes[n].aval)]
    seeds = []
    for number in floats:
        aval = builder.node(number).aval
        assert isinstance(aval, Aval)
        # Numbered by position, so that the gradient of a gradient has names of its own.
        name = f"gradient{len(builder.inputs)}"
        seeds.append(builder.placeholder(name, aval.shape, aval.dtype))
    wrt = [number for (_, number), wanted in zip(graph.inputs, want, strict=True) if wanted]
    found = append_gradients(builder, floats, seeds, wrt)
    filled = [
        _zeros(builder, number) if g is None else g for number, g in zip(wrt, found, strict=True)
    ]
    return prune(builder.finish(*filled))


def silent(graph: Graph) -> Graph:
    """Return the graph without its prints, ids unchanged: a print becomes its constant False."""
    if not graph.effects:
        return graph
    from_false = GraphBuilder()
    false = from_false.node(from_false.const(False).id)
    nodes = []
    for node in graph.nodes:
        if not node.op.pure:
            nodes.append(false)
        elif has_effects(node):
            attrs = tuple(
                (name, silent(value) if isinstance(value, Graph) else value)
                for name, value in node.attrs
            )
            nodes.append(Node(node.op, node.args, attrs, node.aval))
        else:
            nodes.append(node)
    return Graph(tuple(nodes), graph.inputs, graph.outputs, graph.origins, graph.output_names)
