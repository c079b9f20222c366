"""Memory plans: proof, optimum on small cases, peaks, poison, and what is never reused."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dgplay.core.graph.errors import PlanError
from dgplay.core.graph.events import EventLog, Reuse
from dgplay.core.graph.grad import gradients
from dgplay.core.graph.ir import Graph
from dgplay.core.graph.memory import (
    ALIGNMENT,
    Plan,
    Slot,
    liveness,
    peaks,
    plan,
    prove,
    why_not_reused,
)
from dgplay.core.graph.passes import optimize
from dgplay.core.graph.runtime import Session
from dgplay.core.graph.static import GraphBuilder


def chain(length: int, size: int = 1000) -> Graph:
    b = GraphBuilder()
    y = b.placeholder("x", (size,))
    for _ in range(length):
        y = y.sin()
    return b.finish(y.sum())


def test_in_place_chain_needs_one_buffer() -> None:
    graph = chain(10)
    assert plan(graph).arena == 8000
    assert plan(graph, inplace=False).arena == 2 * 8000
    found = peaks(graph, graph)
    assert found.keep_all == 8000 * 11 + 8
    assert found.liveness == 8000 * 3 + 0
    assert found.inplace == 8000 * 2 + 8


def test_training_keeps_what_the_backward_reads() -> None:
    b = GraphBuilder()
    y = b.placeholder("x", (1000,))
    for _ in range(10):
        y = y.sin()
    raw = gradients(b.finish(y.sum()), ["x"])
    best, _ = optimize(raw)
    found = peaks(raw, best)
    assert found.keep_all > found.eager >= found.liveness >= found.inplace
    assert found.inplace >= 10 * 8000  # ten saved tensors, in every mode
    assert found.fused >= 10 * 8000  # one group holds all its operands: it may need more


def test_proof_finds_an_overlap() -> None:
    good = Slot(0, 0, 64, 0, 2)
    assert prove(Plan((good, Slot(1, 64, 64, 1, 3)), 128, 0)) == 1
    with pytest.raises(PlanError, match="%1 overlaps %0"):
        prove(Plan((good, Slot(1, 32, 64, 1, 3)), 128, 0))
    with pytest.raises(PlanError, match="overlaps"):
        prove(Plan((good, Slot(1, 0, 64, 1, 3, inplace_of=0)), 128, 0))  # 0 lives on
    with pytest.raises(PlanError, match="outside the arena"):
        prove(Plan((replace(good, nbytes=256),), 128, 0))


def slots_strategy() -> st.SearchStrategy[list[tuple[int, int, int]]]:
    one = st.tuples(st.integers(0, 8), st.integers(0, 4), st.integers(1, 4))
    return st.lists(one, min_size=1, max_size=6)


def graph_of(spans: list[tuple[int, int, int]]) -> Graph:
    b = GraphBuilder()
    x = b.placeholder("x", (8 * 4,))
    made = []
    for start, length, size in sorted(spans):
        made.append((start + length, x[: 8 * size]))
        for end, value in list(made):
            if end <= start:
                value.sum()
                made.remove((end, value))
    total = b.const(0.0)
    for _, value in made:
        total = total + value.sum()
    return b.finish(total)


@settings(max_examples=60, deadline=None)
@given(slots_strategy())
def test_plan_is_legal_and_between_the_bounds(spans: list[tuple[int, int, int]]) -> None:
    graph = graph_of(spans)
    made = plan(graph, inplace=False)
    prove(made)
    live = max(
        sum(i.nbytes for i in liveness(graph) if i.planned and i.start <= step <= i.end)
        for step in range(len(graph) + 1)
    )
    assert live <= made.arena <= sum(s.nbytes + ALIGNMENT for s in made.slots)
    if len(made.slots) <= 6:
        assert made.arena <= 2 * best_arena(made)


def best_arena(made: Plan) -> int:
    """The smallest arena of first fit over every order of the slots."""
    best = sum(slot.nbytes + ALIGNMENT for slot in made.slots)
    for order in permutations(made.slots):
        placed: list[Slot] = []
        for slot in order:
            offset = 0
            for other in sorted(placed, key=lambda s: s.offset):
                apart = other.end < slot.start or slot.end < other.start
                if not apart and other.offset < offset + slot.nbytes:
                    offset = max(offset, -(-(other.offset + other.nbytes) // 64) * 64)
            placed.append(replace(slot, offset=offset))
        best = min(best, max(s.offset + s.nbytes for s in placed))
    return best


def test_poison_shows_a_plan_that_frees_too_early() -> None:
    b = GraphBuilder()
    x = b.placeholder("x", (8,))
    s = x.sin()
    graph = b.finish(s.cos() + s)
    session = Session(graph, memory=True)
    good = session.run({"x": np.ones(8)}, poison=True)[0]
    prepared = next(iter(session._prepared.values()))
    early = tuple(replace(s, end=s.start) if s.node == 1 else s for s in prepared.plan.slots)
    prepared.__dict__["plan"] = Plan(early, prepared.plan.arena, prepared.plan.held)
    prepared.__dict__.pop("buffers")
    bad = session.run({"x": np.ones(8)}, poison=True)[0]
    assert not np.isnan(good).any()
    assert np.isnan(bad).any()


def test_reuse_is_reported_and_explained() -> None:
    log = EventLog()
    graph = chain(3)
    Session(graph, log, memory=True).run({"x": np.ones(1000)})
    assert [(e.node, e.previous, e.inplace) for e in log if isinstance(e, Reuse)] == [
        (2, 1, True), (3, 2, True),
    ]  # fmt: skip
    assert why_not_reused(graph, 0) == "the caller holds it"
    assert why_not_reused(graph, 4) == "it is an output: the caller will hold it"
    assert why_not_reused(graph, 1) == "its bytes are free after step 2 (sin)"
