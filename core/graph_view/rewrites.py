"""Owns the passes view: what every pass did to a graph, why it may, and what it changes.

Counts are those of the run where the pass is switched on. One that is off is tried on the graph
as it is after the others, so that a screen can say what it would do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from ..graph.ir import Graph
from ..graph.option_text import expression
from ..graph.passes import PASSES, Applied, Rewrite, apply_pass
from ..graph.passes.fastmath import RULES
from ..graph.runtime import Session
from ..graph.static import GraphBuilder, Sym
from ..graph.views import diff
from .options import PASS_NAMES
from .pictures import Picture
from .words import array_text, fused_text, node_options

#: A pass that is off is not tried on graphs larger than this.
TRIED_UP_TO = 3000


@dataclass(frozen=True)
class PassRow:
    """One pass: whether it is on, what it did, and whether it keeps every bit."""

    name: str
    on: bool
    fired: int
    nodes: tuple[int, int] | None
    launches: tuple[int, int] | None
    keeps_bits: bool
    reason: str


@dataclass(frozen=True, eq=False)
class PassTable:
    """Every pass for one graph, and the totals from drawn to run."""

    rows: tuple[PassRow, ...]
    nodes: tuple[int, int]
    launches: tuple[int, int]
    applied: tuple[Applied, ...]


@dataclass(frozen=True, slots=True)
class Fired:
    """One rewrite in words: its rule, the nodes it took, the one it left, the note.

    A single node, and the one that is left, are told in full; of several only what each is called.
    """

    rule: str
    before: tuple[str, ...]
    after: str
    note: str


@dataclass(frozen=True, slots=True)
class Changed:
    """An input on which a value-changing rule shows: what it gives without and with the rule."""

    rule: str
    value: str
    without: str
    with_rule: str
    why: str


@dataclass(frozen=True)
class PassDetail:
    """One pass in full: rewrites, and the node order before and after."""

    name: str
    fired: tuple[Fired, ...]
    before: tuple[tuple[str, str], ...]  #: (sign, line), "-" where the line is gone after
    after: tuple[tuple[str, str], ...]  #: "+" where it is new, "*" where several were merged
    changed: tuple[Changed, ...]


def pass_table(picture: Picture, names: Sequence[str]) -> PassTable | None:
    """Return the passes of a picture, None for the eager tape, which has none."""
    graph, raw = picture.graph, picture.raw
    if graph is None or raw is None:
        return None
    rows = []
    for name in PASS_NAMES:
        mine = [item for item in picture.applied if item.name == name]
        record = PASSES[name]
        fired = sum(len(item.rewrites) for item in mine)
        nodes = launches = None
        if mine:
            first, last = mine[0].before, mine[-1].after
            nodes = (len(first), len(last))
            launches = (first.launches, last.launches)
        elif name not in names and len(graph) <= TRIED_UP_TO:
            tried = apply_pass(name, graph)
            if tried.rewrites:
                fired = len(tried.rewrites)
                nodes = (len(graph), len(tried.graph))
                launches = (graph.launches, tried.graph.launches)
        rows.append(
            PassRow(name, name in names, fired, nodes, launches, record.keeps_bits, record.reason)
        )
    return PassTable(
        tuple(rows), (len(raw), len(graph)), (raw.launches, graph.launches), picture.applied
    )


def pass_detail(picture: Picture, name: str, on: bool) -> PassDetail | None:
    """Return what one pass did, or, where it is off, would do."""
    graph = picture.graph
    if graph is None:
        return None
    steps = [(item.before, item.after, item.rewrites) for item in picture.applied
             if item.name == name]  # fmt: skip
    if not on and len(graph) <= TRIED_UP_TO:
        result = apply_pass(name, graph)
        steps = [(graph, result.graph, result.rewrites)] if result.rewrites else []
    changed = counter_examples() if not PASSES[name].keeps_bits else ()
    if not steps:
        return PassDetail(name, (), (), (), changed)
    fired = tuple(_fired(b, a, r) for b, a, rewrites in steps for r in rewrites)
    first, last = steps[0][0], steps[-1][1]
    found = diff(first, last)
    gone, fresh = set(found.removed), set(found.added)
    merged = {new for _, new in found.merged}
    # A node that only has other operands, themselves marked, reads as it did: no sign for it.
    old, new = _listing(first), _listing(last)
    here, there = set(old), set(new)
    # Equal ones are told apart by their numbers: one that is still there is no other's origin.
    fresh |= {now for was, now in found.kept if old[was] in there}
    before = tuple(
        ("-" if n in gone and old[n] not in there else " ", old[n]) for n in range(len(old))
    )
    after = tuple(
        ("+" if n in fresh and new[n] not in here else "*" if n in merged else " ", new[n])
        for n in range(len(new))
    )
    return PassDetail(name, fired, before, after, changed)


def _fired(before: Graph, after: Graph, rewrite: Rewrite) -> Fired:
    left = "" if rewrite.after is None else _line(after, rewrite.after, _shared(after))
    if len(rewrite.before) == 1:
        return Fired(
            rewrite.rule, (_line(before, rewrite.before[0], _shared(before)),), left, rewrite.note
        )
    names = tuple(
        f"%{number}" if called.startswith("%") else f"%{number} {called}"
        for number in rewrite.before
        for called in (before.name_of(number),)
    )
    return Fired(rewrite.rule, names, left, rewrite.note)


def _listing(graph: Graph) -> list[str]:
    shared = _shared(graph)
    return [_line(graph, number, shared) for number in range(len(graph))]


def _shared(graph: Graph) -> frozenset[str]:
    """Return the names that several nodes have, as when a variable is bound again."""
    counts = Counter(graph.name_of(number) for number in range(len(graph)))
    return frozenset(name for name, count in counts.items() if count > 1)


def _line(graph: Graph, number: int, shared: frozenset[str]) -> str:
    """Return a node in words; operands by the name in their row, by number where that is shared."""
    node = graph.nodes[number]
    called = graph.name_of(number)
    name = f"%{number} " if called.startswith("%") else f"%{number} {called} = "
    if node.op.name == "const":
        return f"{name}const {node.option('value')}"
    named = [(arg, graph.name_of(arg)) for arg in node.args]
    words = [f"%{arg}" if word in shared else word for arg, word in named]
    op = fused_text(node.option("body")) if node.op.name == "fused" else node.op.name
    return f"{name}{expression(op, words, node_options(node))}"


#: What each rule of the value-changing algebra rewrites, drawn on an input x.
_EXAMPLES: dict[str, Callable[[Sym], Any]] = {
    "x*0 → 0": lambda x: x * 0.0,
    "0*x → 0": lambda x: 0.0 * x,
    "x/x → 1": lambda x: x / x,
    "x-x → 0": lambda x: x - x,
    "x+0 → x": lambda x: x + 0.0,
    "0+x → x": lambda x: 0.0 + x,
}


@lru_cache(maxsize=1)
def counter_examples() -> tuple[Changed, ...]:
    """Run every rule of fast-math on the input that shows what it changes."""
    found = []
    for rule in RULES:
        if rule.name not in _EXAMPLES:
            continue
        builder = GraphBuilder()
        x = builder.placeholder("x", (len(rule.counter_example),))
        graph = builder.finish(_EXAMPLES[rule.name](x))
        value = np.array(rule.counter_example)
        (without,) = Session(graph).run({"x": value})
        (with_rule,) = Session(apply_pass("fast-math", graph).graph).run({"x": value})
        found.append(
            Changed(
                rule.name, array_text(value), array_text(without), array_text(with_rule), rule.why
            )
        )
    return tuple(found)
