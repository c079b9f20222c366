"""Programs made by hypothesis agree bit for bit in every mode, under every pass and plan."""

from __future__ import annotations

import numpy as np
from graph_programs import SETTINGS, Library, Program, bits, draw_graph, eager_bits, programs
from hypothesis import given, settings

from dgplay.core.graph import tape
from dgplay.core.graph.events import EventLog, NodeCreated
from dgplay.core.graph.ir import verify
from dgplay.core.graph.memory import peaks, plan, prove
from dgplay.core.graph.passes import DEFAULT, apply_pass, optimize
from dgplay.core.graph.runtime import Session
from dgplay.core.graph.tensor import Tensor


@SETTINGS
@given(programs())
def test_modes_passes_and_plan_agree_bit_for_bit(case: tuple[Program, list[np.ndarray]]) -> None:
    program, arrays = case
    graph = draw_graph(program)
    verify(graph)
    key = graph.key
    feed = {f"x{i}": a for i, a in enumerate(arrays)}
    expected = eager_bits(program, arrays)
    assert bits(Session(graph).run(feed)) == expected
    for name in DEFAULT:
        result = apply_pass(name, graph)
        assert bits(Session(result.graph).run(feed)) == expected, name
        if name in ("fold", "cse", "dce"):
            assert len(result.graph) <= len(graph)
        assert not apply_pass(name, result.graph).rewrites, f"{name} is not idempotent"
    optimized, _ = optimize(graph)
    assert bits(Session(optimized).run(feed)) == expected
    for candidate in (graph, optimized):
        made = plan(candidate)
        prove(made)
        session = Session(candidate, memory=True)
        assert bits(session.run(feed)) == expected
        assert bits(session.run(feed, poison=True)) == expected
    assert graph.key == key
    found = peaks(graph, optimized)
    assert found.keep_all >= found.eager >= found.liveness >= found.inplace


@settings(SETTINGS, max_examples=30)
@given(programs())
def test_eager_numbers_its_values_as_the_static_graph(
    case: tuple[Program, list[np.ndarray]],
) -> None:
    program, arrays = case
    graph = draw_graph(program)
    log = EventLog()
    eager_bits(program, arrays, log)
    made = [(e.op, e.args) for e in log if isinstance(e, NodeCreated)]
    assert made == [(node.op.name, node.args) for node in graph.nodes]


@settings(SETTINGS, max_examples=40)
@given(programs())
def test_tensor_backward_agrees_with_the_recorded_sweep(
    case: tuple[Program, list[np.ndarray]],
) -> None:
    program, arrays = case
    expected = eager_bits(program, arrays)
    leaves = [Tensor(a, requires_grad=True) for a in arrays]
    with np.errstate(all="ignore"):
        outputs = program(Library(), *leaves)
    roots = [t for t in outputs if t.requires_grad]
    if roots:
        tape.backward(roots, [None] * len(roots))
    found = [leaf.grad if leaf.grad is not None else np.zeros(leaf.shape) for leaf in leaves]
    assert bits([*(t.value for t in outputs), *found]) == expected
