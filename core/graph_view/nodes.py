"""Owns the node view: rows with lanes for what depends on what, folded repeats, one in full.

Every value has a lane from the row that makes it to the last row that uses it. There are only
so many lanes; a value that finds none free is told by name alone, which every row does anyway.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..graph.ops import OPS
from ..graph.option_text import expression
from ..wording import say
from .pictures import Picture, PictureNode

#: Lanes at most; more are not readable beside the text.
MOST_LANES = 12


@dataclass(frozen=True, slots=True)
class NodeRow:
    """One row: a node, or (``count`` > 0) the head of a block that repeats.

    ``lanes`` has one sign a lane: ``o`` made here, ``+`` used, ``^`` used for the last time,
    ``|`` passing, a blank.
    """

    node: PictureNode | None
    lanes: str
    count: int = 0
    period: int = 0


@dataclass(frozen=True, eq=False)
class NodeTable:
    """The rows of a picture, folded or not, and where every node is among them."""

    picture: Picture
    rows: tuple[NodeRow, ...]
    place: dict[int, int]
    lanes: int


def node_table(picture: Picture, *, folded: bool) -> NodeTable:
    """Return the rows of a picture."""
    shown: list[tuple[PictureNode | None, int, int]] = []
    blocks = {block.start: block for block in picture.blocks} if folded else {}
    at = 0
    while at < len(picture.nodes):
        block = blocks.get(at)
        if block is None:
            shown.append((picture.nodes[at], 0, 0))
            at += 1
            continue
        shown.append((None, block.count, block.period))
        shown += [(node, 0, 0) for node in picture.nodes[at : at + block.period]]
        at = block.end
    place = {node.id: row for row, (node, _, _) in enumerate(shown) if node is not None}
    lanes, width = _lanes(picture, [node for node, _, _ in shown], place)
    rows = tuple(
        NodeRow(node, lanes[row], count, period) for row, (node, count, period) in enumerate(shown)
    )
    return NodeTable(picture, rows, place, width)


def _lanes(
    picture: Picture, shown: list[PictureNode | None], place: dict[int, int]
) -> tuple[list[str], int]:
    """Return the signs of every row, and how many lanes there are."""
    last: dict[int, int] = {}
    uses: list[tuple[int, ...]] = []
    for row, node in enumerate(shown):
        args = () if node is None else tuple(dict.fromkeys(a for a in node.args if a in place))
        uses.append(args)
        for arg in args:
            last[arg] = row
    lane_of: dict[int, int] = {}
    owner: list[int | None] = []
    lines: list[list[str]] = []
    for row, node in enumerate(shown):
        ending = {lane_of[a] for a in uses[row] if a in lane_of and last[a] == row}
        used = {lane_of[a] for a in uses[row] if a in lane_of}
        signs = [" " if held is None else "|" for held in owner]
        for lane in used:
            signs[lane] = "^" if lane in ending else "+"
        for lane in ending:
            owner[lane] = None
        if node is not None and not node.constant and node.id in last:
            free = next((i for i, held in enumerate(owner) if held is None and i not in used), None)
            if free is None and len(owner) < MOST_LANES:
                owner.append(None)
                signs.append(" ")
                free = len(owner) - 1
            if free is not None:
                owner[free] = node.id
                lane_of[node.id] = free
                signs[free] = "o"
        lines.append(signs)
    return ["".join(line) for line in lines], len(owner)


@dataclass(frozen=True)
class NodeDetail:
    """One node in full."""

    node: PictureNode
    doc: str
    operands: tuple[tuple[str, str], ...]
    users: tuple[str, ...]
    source: str


def node_detail(
    picture: Picture, node: PictureNode, lines: tuple[str, ...], done: int | None = None
) -> NodeDetail:
    """Return what there is to say about a node; operands without the values of after ``done``."""
    operands = []
    for arg, word in zip(node.args, node.words, strict=False):
        made = picture.nodes[arg]
        there = done is None or made.known is None or made.known <= done
        operands.append((word, made.value if there and made.value else made.shape))
    users = tuple(called(picture.nodes[user]) for user in picture.users[node.id])
    record = OPS.get(node.op)
    doc = record.doc if record is not None else ""
    if record is None and "·" in node.op:
        doc = say("several elementwise ops as one kernel: one launch")
    source = lines[node.line - 1].strip() if 0 < node.line <= len(lines) else ""
    return NodeDetail(node, doc, tuple(operands), users, source)


def called(node: PictureNode) -> str:
    """Return the name of a node, else its number."""
    return node.name or f"%{node.id}"


def formula(node: PictureNode) -> str:
    """Return ``s = add a b``, ``x = seq[0]``, ``t = sum x axis=0``."""
    if node.constant:
        return f"{called(node)} = const {node.value}"
    return f"{called(node)} = {expression(node.op, node.words, node.options)}"


def found(table: NodeTable, text: str, after: int) -> int | None:
    """Return the next row whose name or op holds ``text``, from the start where none follows."""
    wanted = text.strip().casefold()
    rows = len(table.rows)
    for step in range(1, rows + 1):
        row = (after + step) % rows
        node = table.rows[row].node
        if node is not None and wanted in f"{called(node)} {node.op}".casefold():
            return row
    return None
