"""Owns two readings of graphs for people: what differs between two, and what repeats in one.

Both are computed from structure alone: an op, its options, and the expressions of its operands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .ir import Graph

#: The longest block that is looked for, in nodes; the body of a step is rarely longer.
LONGEST_BLOCK = 64


@dataclass(frozen=True, slots=True)
class GraphDiff:
    """Nodes only in the new graph, only in the old one, merged (old ids to a new id), and kept."""

    added: tuple[int, ...]
    removed: tuple[int, ...]
    merged: tuple[tuple[tuple[int, ...], int], ...]
    kept: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Block:
    """``count`` repetitions of ``period`` nodes from node ``start`` on."""

    start: int
    period: int
    count: int

    @property
    def end(self) -> int:
        """The node after the last repetition."""
        return self.start + self.period * self.count


def expressions(graphs: Sequence[Graph]) -> list[list[int]]:
    """Return a number for the expression of every node; equal expressions share one."""
    numbers: dict[object, int] = {}
    found = []
    for graph in graphs:
        mine: list[int] = []
        for node in graph.nodes:
            args = tuple(mine[arg] for arg in node.args)
            ordered = tuple(sorted(args)) if node.op.commutative else args
            key = (node.key[0], ordered, node.key[2])
            mine.append(numbers.setdefault(key, len(numbers)))
        found.append(mine)
    return found


def diff(old: Graph, new: Graph) -> GraphDiff:
    """Return what became of the nodes of ``old`` in ``new``, by the expressions they compute."""
    before, after = expressions((old, new))
    places: dict[int, list[int]] = {}
    for number, expression in enumerate(before):
        places.setdefault(expression, []).append(number)
    added: list[int] = []
    merged: list[tuple[tuple[int, ...], int]] = []
    kept: list[tuple[int, int]] = []
    count: dict[int, int] = {}
    for expression in after:
        count[expression] = count.get(expression, 0) + 1
    for number, expression in enumerate(after):
        here = places.get(expression, [])
        if not here:
            added.append(number)
        elif count[expression] == 1 and len(here) > 1:
            merged.append((tuple(here), number))
            here.clear()
        else:
            kept.append((here.pop(0), number))
    removed = sorted(number for here in places.values() for number in here)
    return GraphDiff(tuple(added), tuple(removed), tuple(merged), tuple(kept))


def repeats(graph: Graph) -> tuple[Block, ...]:
    """Return blocks of nodes that repeat, such as the steps of an unrolled loop.

    Two repetitions have the same ops on operands at the same distance, or on the same value
    from before the block; options such as the position read may differ. The block that covers
    most nodes is taken first at each place, the shorter one if two cover as many.
    """
    signs = [_sign(graph, number) for number in range(len(graph.nodes))]
    blocks: list[Block] = []
    at = 0
    while at < len(signs):
        best = _longest(signs, at)
        if best is None:
            at += 1
        else:
            blocks.append(best)
            at = best.end
    return tuple(blocks)


def _sign(graph: Graph, number: int) -> tuple[object, ...]:
    """Return what a node looks like from where it stands."""
    node = graph.nodes[number]
    if node.op.name == "placeholder":
        return ("placeholder", number)  # inputs are no repetition
    return node.op, node.aval, tuple((number - arg, arg) for arg in node.args)


def _alike(first: tuple[object, ...], second: tuple[object, ...]) -> bool:
    if first[:2] != second[:2] or len(first) != len(second):
        return False
    if len(first) < 3:
        return True
    mine, theirs = first[2], second[2]
    assert isinstance(mine, tuple)
    assert isinstance(theirs, tuple)
    return len(mine) == len(theirs) and all(
        near == other_near or arg == other_arg
        for (near, arg), (other_near, other_arg) in zip(mine, theirs, strict=True)
    )


def _longest(signs: Sequence[tuple[object, ...]], at: int) -> Block | None:
    best: Block | None = None
    for period in range(1, min(LONGEST_BLOCK, (len(signs) - at) // 2) + 1):
        end = at + period
        while end < len(signs) and _alike(signs[end - period], signs[end]):
            end += 1
        count = (end - at) // period
        # A pair of equal ops in a row is no loop; a block is worth folding from three on.
        if count >= 3 and (best is None or period * count > best.period * best.count):
            best = Block(at, period, count)
    return best


def rolled_text(graph: Graph) -> str:
    """Return the node order with every repeated block shown once, as ``×20``."""
    lines = graph.text().splitlines()
    heads = [i for i, line in enumerate(lines) if line.startswith(("%", "return"))]
    shown: list[str] = []
    at = 0
    for block in (*repeats(graph), None):
        stop = len(graph.nodes) if block is None else block.start
        shown += lines[heads[at] : heads[stop]]
        if block is None:
            break
        shown.append(f"×{block.count}:")
        one = lines[heads[block.start] : heads[block.start + block.period]]
        shown += ["  " + line for line in one]
        at = block.end
    return "\n".join([*shown, lines[-1]])
