"""Rewrites of a graph, each a pure function from a graph to a graph, verified after it ran.

``optimize`` applies fold, deadbranch, cse and dce until nothing changes, then fuse. They keep
every bit of every output. ``fast-math`` changes values and runs only where it is named.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ...wording import say
from ..errors import OptionError
from ..events import Observer, PassApplied
from ..ir import Graph, verify
from .base import Pass, PassResult, Rewrite
from .cse import CSE
from .dce import DCE
from .deadbranch import DEADBRANCH
from .fastmath import FASTMATH
from .fold import FOLD
from .fuse import FUSE

PASSES: dict[str, Pass] = {p.name: p for p in (FOLD, DEADBRANCH, CSE, DCE, FUSE, FASTMATH)}
#: What ``all`` means: the passes that keep every bit.
DEFAULT: tuple[str, ...] = tuple(name for name, p in PASSES.items() if p.keeps_bits)
#: A fixed point is reached long before this; more rounds would mean a pass that oscillates.
MOST_ROUNDS = 50


@dataclass(frozen=True, slots=True)
class Applied:
    """One application of a pass that changed something."""

    name: str
    before: Graph
    after: Graph
    rewrites: tuple[Rewrite, ...]


def apply_pass(name: str, graph: Graph, observer: Observer | None = None) -> PassResult:
    """Run one pass and verify what it made; :class:`VerifyError` names the pass."""
    result = PASSES[name].run(graph)
    if result.rewrites:
        verify(result.graph, say("the pass {name}", name=name))
        if observer is not None:
            rules = tuple(rewrite.rule for rewrite in result.rewrites)
            observer.emit(PassApplied(name, len(graph), len(result.graph), rules))
    return result


def optimize(
    graph: Graph,
    names: Sequence[str] = DEFAULT,
    observer: Observer | None = None,
    look: Callable[[], None] = lambda: None,
) -> tuple[Graph, tuple[Applied, ...]]:
    """Return the graph after the named passes and every application that changed it.

    ``look`` is called before each pass, and may stop the work. :class:`OptionError` for an
    unknown name.
    """
    for name in names:
        if name not in PASSES:
            raise OptionError(
                say("there is no pass {name} (passes: {known})", name=name, known=", ".join(PASSES))
            )
    verify(graph)
    history: list[Applied] = []
    looped = [name for name in ("fast-math", *DEFAULT) if name in names and name != "fuse"]
    for _ in range(MOST_ROUNDS):
        before = graph
        for name in looped:
            look()
            graph = _step(name, graph, history, observer)
        if graph is before:
            break
    if "fuse" in names:
        look()
        graph = _step("fuse", graph, history, observer)
    return graph, tuple(history)


def _step(name: str, graph: Graph, history: list[Applied], observer: Observer | None) -> Graph:
    result = apply_pass(name, graph, observer)
    if result.rewrites:
        history.append(Applied(name, graph, result.graph, result.rewrites))
    return result.graph


__all__ = [
    "DEFAULT",
    "PASSES",
    "Applied",
    "Pass",
    "PassResult",
    "Rewrite",
    "apply_pass",
    "optimize",
]
