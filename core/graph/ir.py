"""Owns the immutable graph: nodes, origins, verification, and its two drawings.

Node ids are positions in ``Graph.nodes``, which is in topological order, so a graph cannot
hold a cycle and needs no sorting. Where a node comes from (source line, variable name,
forward or backward) is kept apart, in ``Graph.origins``: it never takes part in deciding
whether two nodes are the same. Subgraphs of ``cond`` and ``while_loop`` are graphs too, held
in the options of their node.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..wording import joined, say
from .avals import AnyAval, Aval, SymbolicDim
from .errors import GraphError, VerifyError
from .ops import Array, Op, infer


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a value comes from; ``name`` is the user's variable, "" for an unnamed value."""

    line: int = 0
    column: int = 0
    name: str = ""
    phase: str = "forward"  #: or "backward"
    node: int = -1  #: its id in the graph as it was drawn; -1 inside subgraphs and groups


@dataclass(frozen=True, eq=False)
class Constant:
    """An array in the options of a const node, compared by dtype, shape and bits.

    All NaNs are one value here: two constants that differ only in the payload of a NaN merge.
    The array is made read-only: a graph never changes.
    """

    array: Array

    def __post_init__(self) -> None:
        self.array.flags.writeable = False

    @cached_property
    def key(self) -> tuple[str, tuple[int, ...], bytes]:
        """Dtype, shape and bits; every NaN is written as the same bits."""
        array = self.array
        if array.dtype.kind == "f" and np.isnan(array).any():
            array = np.where(np.isnan(array), np.array(np.nan, array.dtype), array)
        return array.dtype.str, array.shape, array.tobytes()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Constant) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __str__(self) -> str:
        if self.array.size <= 8:
            return str(self.array.tolist())
        return f"<{self.array.size} values>"


def option_key(value: Any) -> Any:
    """Return a hashable key that tells 1, 1.0 and True, and 0.0 and -0.0, apart."""
    if isinstance(value, float):
        return "float", "nan" if value != value else value.hex()
    if isinstance(value, tuple):
        return tuple(option_key(item) for item in value)
    if isinstance(value, Graph):
        return value.key
    return type(value).__name__, value


@dataclass(frozen=True, slots=True)
class Node:
    """One value: the op that makes it, the ids of its operands, its options and its aval."""

    op: Op
    args: tuple[int, ...]
    attrs: tuple[tuple[str, Any], ...]
    aval: AnyAval

    def option(self, name: str) -> Any:
        """Return the option ``name`` (KeyError if the op has none such)."""
        for key, value in self.attrs:
            if key == name:
                return value
        raise KeyError(name)

    @property
    def kwargs(self) -> dict[str, Any]:
        """The options as a fresh dict."""
        return dict(self.attrs)

    @property
    def key(self) -> tuple[Any, ...]:
        """What makes two nodes the same: op, operands, options by type and bits."""
        options = tuple((name, option_key(value)) for name, value in self.attrs)
        return self.op, self.args, options

    @property
    def subgraphs(self) -> tuple[tuple[str, Graph], ...]:
        """The graphs held in its options, with their option names."""
        if not self.attrs:  # the usual case, asked for by every pass
            return ()
        return tuple((name, value) for name, value in self.attrs if isinstance(value, Graph))


@dataclass(frozen=True, eq=False)
class Graph:
    """An immutable program: nodes in order, named inputs, outputs.

    ``inputs`` pairs each placeholder's name with its id; ``outputs`` are the ids of the
    results, gradients after them once ``grad.gradients`` has appended those (their names are
    in ``output_names``). ``origins[i]`` holds every origin of node i, several after a merge.
    """

    nodes: tuple[Node, ...]
    inputs: tuple[tuple[str, int], ...]
    outputs: tuple[int, ...]
    origins: tuple[tuple[Origin, ...], ...] = ()
    output_names: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.nodes)

    @cached_property
    def key(self) -> tuple[Any, ...]:
        """What makes two graphs the same program, origins left out."""
        return tuple(node.key for node in self.nodes), self.inputs, self.outputs

    @cached_property
    def users(self) -> tuple[tuple[int, ...], ...]:
        """For each node the ids of its consumers, ascending, once per use."""
        found: list[list[int]] = [[] for _ in self.nodes]
        for number, node in enumerate(self.nodes):
            for arg in node.args:
                found[arg].append(number)
        return tuple(tuple(item) for item in found)

    @cached_property
    def verified_by(self) -> list[str]:
        """Who has found it legal; :func:`verify` fills this. It cannot change, so once will do."""
        return []

    @property
    def effects(self) -> tuple[int, ...]:
        """Ids of the nodes that must run whether or not their value is used, such as print."""
        return tuple(i for i, node in enumerate(self.nodes) if has_effects(node))

    @property
    def launches(self) -> int:
        """Nodes that launch a kernel when the graph runs once, subgraphs not counted."""
        return sum(not n.op.structural and n.op.control is None for n in self.nodes)

    def origin(self, number: int) -> tuple[Origin, ...]:
        """Return the origins of a node, empty where none were recorded."""
        return self.origins[number] if number < len(self.origins) else ()

    def name_of(self, number: int) -> str:
        """Return the user's name for a node, else ``%7``."""
        node = self.nodes[number]
        if node.op.name == "placeholder":
            return str(node.option("name"))
        for origin in self.origin(number):
            if origin.name:
                return origin.name
        return f"%{number}"

    def label(self, index: int) -> str:
        """Return the name of output ``index``."""
        if index < len(self.output_names) and self.output_names[index]:
            return self.output_names[index]
        return self.name_of(self.outputs[index])

    def text(self) -> str:
        """Return the node order, one line for each node, subgraphs indented below theirs."""
        return "\n".join(_lines(self, ""))

    def dot(self) -> str:
        """Return the graph in Graphviz's language, in a stable order."""
        rows = ["digraph g {", "  rankdir=TB;", '  node [shape=box, fontname="monospace"];']
        results = set(self.outputs)
        for number, node in enumerate(self.nodes):
            label = f"{self.name_of(number)} = {node.op.name}{_options(node)}\\n{node.aval}"
            backward = any(o.phase == "backward" for o in self.origin(number))
            style = ", style=dashed" if backward else ""
            thick = ", penwidth=2" if number in results else ""
            escaped = label.replace('"', '\\"')
            rows.append(f'  n{number} [label="{escaped}"{style}{thick}];')
        for number, node in enumerate(self.nodes):
            rows.extend(f"  n{arg} -> n{number};" for arg in node.args)
        return "\n".join([*rows, "}"])


def has_effects(node: Node) -> bool:
    """Return whether a node, or any node inside its subgraphs, does more than make its value."""
    return not node.op.pure or any(graph.effects for _, graph in node.subgraphs)


def make_attrs(options: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """Return options as the sorted pairs that a node holds."""
    return tuple(sorted(options.items())) if options else ()


def _options(node: Node) -> str:
    shown = [
        f"{name}={value}" if not isinstance(value, Graph) else f"{name}=<{len(value)} nodes>"
        for name, value in node.attrs
        if not (node.op.name == "placeholder" and name == "aval")
    ]
    return f"({', '.join(shown)})" if shown else ""


def _lines(graph: Graph, indent: str) -> Iterator[str]:
    for number, node in enumerate(graph.nodes):
        args = " ".join(f"%{arg}" for arg in node.args)
        names = sorted({o.name for o in graph.origin(number) if o.name})
        lines = sorted({o.line for o in graph.origin(number) if o.line})
        backward = any(o.phase == "backward" for o in graph.origin(number))
        notes = [", ".join(names), f"line {', '.join(map(str, lines))}" if lines else ""]
        notes.append("backward" if backward else "")
        note = "; ".join(part for part in notes if part)
        body = " ".join(part for part in (node.op.name + _options(node), args) if part)
        row = f"{indent}%{number}: {node.aval} = {body}"
        yield f"{row}  # {note}" if note else row
        for name, inner in node.subgraphs:
            yield f"{indent}  {name}:"
            yield from _lines(inner, indent + "    ")
    shown = ", ".join(f"%{number}" for number in graph.outputs)
    yield f"{indent}return {shown}"


_BUILDER = say("the builder")


def _where(made_by: str, number: int, node: Node) -> str:
    return say("{made_by}: node %{number} ({op})", made_by=made_by, number=number, op=node.op.name)


def verify(graph: Graph, made_by: str = _BUILDER) -> None:
    """Check every rule of a legal graph; :class:`VerifyError` names maker, node and rule.

    Operands come before their consumers; the op's own rule gives exactly the recorded aval
    and options; inputs are placeholders, named once each; outputs exist; subgraphs are legal.
    """
    if graph.verified_by:
        return
    for number, node in enumerate(graph.nodes):
        if any(not 0 <= arg < number for arg in node.args):
            raise VerifyError(
                say(
                    "{where} uses a value that is not defined before it",
                    where=_where(made_by, number, node),
                )
            )
        try:
            avals = [graph.nodes[arg].aval for arg in node.args]
            aval, options = infer(node.op, avals, node.kwargs)
        except GraphError as error:
            raise VerifyError(
                say(
                    "{where} breaks its own rule: {error}",
                    where=_where(made_by, number, node),
                    error=str(error),
                )
            ) from None
        if aval != node.aval:
            raise VerifyError(
                say(
                    "{where} is recorded as {recorded}, its rule says {aval}",
                    where=_where(made_by, number, node),
                    recorded=node.aval,
                    aval=aval,
                )
            )
        if make_attrs(options) != node.attrs:
            raise VerifyError(
                say(
                    "{where} holds options that are not in canonical form",
                    where=_where(made_by, number, node),
                )
            )
        for name, inner in node.subgraphs:
            verify(inner, joined(".", (_where(made_by, number, node), name)))
    placeholders = [i for i, node in enumerate(graph.nodes) if node.op.name == "placeholder"]
    if sorted(number for _, number in graph.inputs) != placeholders:
        raise VerifyError(
            say("{made_by}: the inputs are not exactly the placeholders", made_by=made_by)
        )
    names = [name for name, _ in graph.inputs]
    if len(names) != len(dict.fromkeys(names)):
        raise VerifyError(say("{made_by}: an input name occurs twice", made_by=made_by))
    if any(not 0 <= number < len(graph.nodes) for number in graph.outputs):
        raise VerifyError(say("{made_by}: an output does not exist", made_by=made_by))
    if graph.origins and len(graph.origins) != len(graph.nodes):
        raise VerifyError(say("{made_by}: origins and nodes differ in number", made_by=made_by))
    graph.verified_by.append(made_by)


def symbols(graph: Graph) -> tuple[str, ...]:
    """Return the names of the symbolic sizes in its inputs, in order of appearance."""
    found: dict[str, None] = {}
    for _, number in graph.inputs:
        aval = graph.nodes[number].aval
        assert isinstance(aval, Aval)
        for dim in aval.shape:
            if isinstance(dim, SymbolicDim):
                found.update(dict.fromkeys(dim.symbols))
    return tuple(found)


def bind(graph: Graph, sizes: Mapping[str, int]) -> Graph:
    """Return the graph with every symbolic size replaced by its number, subgraphs included."""
    nodes = tuple(
        replace(
            node,
            aval=node.aval.bind(sizes),
            attrs=tuple((name, _bind_option(value, sizes)) for name, value in node.attrs),
        )
        for node in graph.nodes
    )
    return replace(graph, nodes=nodes)


def _bind_option(value: Any, sizes: Mapping[str, int]) -> Any:
    if isinstance(value, SymbolicDim):
        return value.bind(sizes)
    if isinstance(value, Graph):
        return bind(value, sizes)
    if isinstance(value, Aval):
        return value.bind(sizes)
    if isinstance(value, tuple):
        return tuple(_bind_option(item, sizes) for item in value)
    return value


def needed_nodes(graph: Graph, roots: Sequence[int]) -> list[bool]:
    """Return for each node whether ``roots`` need it."""
    needed = [False] * len(graph.nodes)
    for number in roots:
        needed[number] = True
    for number in reversed(range(len(graph.nodes))):
        if needed[number]:
            for arg in graph.nodes[number].args:
                needed[arg] = True
    return needed


def keep_nodes(graph: Graph, keep: Sequence[bool]) -> Graph:
    """Return the graph with only the nodes marked; nothing kept may use a node left out."""
    place: dict[int, int] = {}
    nodes: list[Node] = []
    for number, node in enumerate(graph.nodes):
        if keep[number]:
            place[number] = len(nodes)
            args = tuple(place[arg] for arg in node.args)
            nodes.append(Node(node.op, args, node.attrs, node.aval))
    return Graph(
        tuple(nodes),
        tuple((name, place[number]) for name, number in graph.inputs if number in place),
        tuple(place[number] for number in graph.outputs),
        tuple(graph.origin(number) for number in place),
        graph.output_names,
    )


def prune(graph: Graph) -> Graph:
    """Return the graph without the nodes that neither an output nor an effect needs.

    Placeholders stay: they are the signature.
    """
    inputs = [number for _, number in graph.inputs]
    needed = needed_nodes(graph, (*graph.outputs, *graph.effects, *inputs))
    return graph if all(needed) else keep_nodes(graph, needed)


def same(first: Graph, second: Graph) -> bool:
    """Return whether two graphs are the same program, origins aside."""
    return first.key == second.key
