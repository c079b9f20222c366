"""Owns one run of a compiled segment, and the backward through it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from .capture_backward import Backward, draw_backward
from .interp import RunStats
from .ir import Graph, bind
from .lang_budget import Meter
from .passes import optimize
from .runtime import Session
from .segments import Entry, Settings


class Runner(Protocol):
    """What the backward needs of a capture."""

    settings: Settings
    meter: Meter

    def session(self, graph: Graph) -> Session:
        """Return a session for a graph."""


@dataclass(eq=False)
class Run:
    """What one execution of an entry took and gave.

    ``extra`` holds what the backward reads of the forward, or, for an entry that is the whole
    program, the gradients themselves.
    """

    entry: Entry
    arrays: list[Any]
    live: list[Any]
    extra: list[Any]
    sizes: dict[str, int]


def run_backward(
    runner: Runner, count: Callable[[RunStats], None], run: Run, found: dict[int, Any]
) -> None:
    """Carry the gradients in ``found`` (by id of array) back through one run."""
    entry = run.entry
    if entry.whole:
        chosen = [a for a, wanted in zip(run.arrays, entry.wanted, strict=True) if wanted]
        found.update({id(a): g for a, g in zip(chosen, run.extra, strict=True)})
        return
    arrays = dict(zip(entry.placeholders, run.arrays, strict=True))
    seeds = {n: found.pop(id(a)) for n, a in zip(entry.live, run.live, strict=True)
             if id(a) in found}  # fmt: skip
    for (number, array), wanted in zip(arrays.items(), entry.wanted, strict=True):
        if wanted and id(array) in found:
            seeds[number] = found[id(array)]
    targets = [n for n, wanted in zip(entry.placeholders, entry.wanted, strict=True) if wanted]
    if not seeds or not targets:
        return
    prepared = _prepared(runner, run, tuple(seeds), tuple(targets))
    if prepared is None:
        return
    backward, session = prepared
    kept = {**arrays, **dict(zip(entry.kept, run.extra, strict=True))}
    feed = {f"kept{n}": kept[n] for n in backward.kept}
    feed |= {f"gradient{n}": seeds[n] for n in backward.seeded}
    gradients = session.run(feed)
    count(session.stats)
    for number, gradient in zip(backward.targets, gradients, strict=True):
        found[id(arrays[number])] = gradient


def _prepared(
    runner: Runner, run: Run, seeded: tuple[int, ...], targets: tuple[int, ...]
) -> tuple[Backward, Session] | None:
    """Return the backward for gradients entering at ``seeded``, ready to run at these sizes."""
    entry = run.entry
    if seeded not in entry.backwards:
        drawn = draw_backward(entry.raw, seeded, targets, entry.again)
        graph = None
        if drawn is not None:
            passes = runner.settings.passes
            graph, _ = optimize(drawn.graph, passes, look=runner.meter.look)
        entry.backwards[seeded] = (drawn, graph)
    drawn, graph = entry.backwards[seeded]
    if drawn is None or graph is None:
        return None
    key = (seeded, tuple(run.sizes.values()))
    if key not in entry.backwards:
        bound = bind(graph, run.sizes) if run.sizes else graph
        entry.backwards[key] = runner.session(bound)
    return drawn, entry.backwards[key]
