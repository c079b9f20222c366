"""Owns capture without guards: the first call is recorded, every later one replays it.

This is what tracers without guards do. Branches, trip counts, Python numbers and prints stay
as they were in the first call, so the answer may be stale. It exists to be watched.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from .capture_runs import Run
from .errors import GraphError
from .events import Observer, RunEnded, RunStarted
from .interp import Interpreter, RunStats
from .lang_refusal import Place, Refusal
from .segments import Entry, unguarded

#: The label of a session that replays a graph.
REPLAYED = "replayed"


class Call(Protocol):
    """What a replay needs of a call."""

    inputs: dict[str, Any]
    runs: list[Run]

    def note(
        self, entry: Entry, arrays: list[Any], outputs: list[Any], sizes: dict[str, int]
    ) -> list[Any]:
        """Remember a run; return its live values."""

    def count(self, stats: RunStats) -> None:
        """Add counters."""


@dataclass(frozen=True)
class Recording:
    """Entries in the order they ran; where each input came from; what the result was made of."""

    steps: tuple[tuple[Entry, tuple[Any, ...]], ...]
    result: Any

    @classmethod
    def of(cls, call: Call, result: Any) -> Recording:
        """Return the recording of a call that has run."""
        origin: dict[int, Any] = {
            id(value): ("input", name)
            for name, value in call.inputs.items()
            if isinstance(value, np.ndarray)
        }
        steps = []
        for number, run in enumerate(call.runs):
            sources = tuple(origin.get(id(array), ("fixed", array)) for array in run.arrays)
            steps.append((run.entry, sources))
            origin.update({id(array): ("live", number, i) for i, array in enumerate(run.live)})
        return cls(tuple(steps), _template(result, origin))

    def replay(self, call: Call, place: Place, watcher: Observer | None = None) -> Any:
        """Run the recorded graphs on the inputs of ``call``, whatever they are.

        Each is a session of its own for ``watcher``, which may stop it.
        """
        made: list[list[Any]] = []
        for entry, sources in self.steps:
            arrays = [_resolve(source, call, made) for source in sources]
            interpreter = Interpreter(watcher)
            if watcher is not None:
                watcher.emit(RunStarted("capture", REPLAYED))
            try:
                with np.errstate(all="ignore"):
                    outputs = list(interpreter.run(entry.graph, arrays))
            except Refusal:
                raise
            except (ValueError, IndexError, TypeError, AttributeError, GraphError) as error:
                raise unguarded(error, place) from None
            stats = interpreter.stats
            stats.dispatches = 1
            if watcher is not None:
                watcher.emit(
                    RunEnded("capture", 1, stats.launches, stats.seconds, stats.peak_bytes)
                )
            call.count(stats)
            own = [np.array(value) for value in outputs]
            made.append(call.note(entry, arrays, own, {}))
        return _fill(self.result, call, made)


def _template(value: Any, origin: dict[int, Any]) -> Any:
    if isinstance(value, np.ndarray):
        return ("tensor", origin.get(id(value), ("fixed", value)))
    if isinstance(value, (tuple, list)):
        return (type(value).__name__, [_template(item, origin) for item in value])
    return ("plain", value)


def _fill(template: Any, call: Call, made: list[list[Any]]) -> Any:
    kind, content = template
    if kind == "tensor":
        return _resolve(content, call, made)
    if kind == "plain":
        return content
    items = [_fill(item, call, made) for item in content]
    return tuple(items) if kind == "tuple" else items


def _resolve(source: Any, call: Call, made: list[list[Any]]) -> Any:
    if source[0] == "input":
        return call.inputs[source[1]]
    return made[source[1]][source[2]] if source[0] == "live" else source[1]
