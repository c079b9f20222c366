"""Owns compiled segments: drawing one from a paused program, and running it.

A *segment* is a position of the paused program; its *entries* are the graphs compiled there,
each behind guards. An entry ends with the program, or where Python must decide something.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..foreign import foreign
from ..wording import say
from .avals import FLOAT32, FLOAT64, Aval, TupleAval
from .capture_backward import draw_backward
from .capture_paths import Path
from .capture_recipe import Recipe, RecipeWriter
from .capture_trace import CaptureHost, SegmentEndsError, SizePolicy, Tracer, read_all
from .errors import DimNeeded
from .events import EventLog, Observer
from .grad import active_nodes, gradients
from .guards import Guard, State
from .ir import Graph
from .lang_budget import Meter
from .lang_code import Program
from .lang_host import REQUESTS
from .lang_machine import Machine
from .lang_refusal import BudgetExceeded, Cancelled, Place, Refusal
from .operators import Operators
from .passes import Applied, optimize
from .runtime import Session
from .static import GraphBuilder, Sym


@dataclass(frozen=True, slots=True)
class Ending:
    """Why a segment ends before the program does: the parts of a graph break."""

    place: Place
    request: str
    what: str
    why: str
    where: str
    hint: str


@dataclass(eq=False, repr=False)
class Entry:
    """One compiled graph of a segment.

    ``raw`` is the graph as drawn, ``graph`` the optimised one that runs. Its outputs are the
    ``live`` values of the recipe, then what the backward keeps of the forward, or, where the
    entry is the ``whole`` program, the gradients of ``wanted`` inputs.
    """

    segment: int
    number: int
    guards: list[Guard]
    inputs: tuple[Path, ...]
    names: tuple[str, ...]
    raw: Graph
    graph: Graph
    session: Session
    recipe: Recipe
    ending: Ending | None
    live: tuple[int, ...]  #: raw ids of the values that the state after needs
    kept: tuple[int, ...]  #: raw ids of what the backward reads
    placeholders: tuple[int, ...]  #: raw ids of the inputs
    wanted: tuple[bool, ...]  #: inputs that a wanted gradient flows through
    active: tuple[bool, ...]  #: live values that depend on those
    whole: bool
    again: bool
    symbols: dict[str, tuple[int, int]]  #: symbol -> (input, axis) that tells its size
    seconds: float = 0.0
    backwards: dict[Any, Any] = field(default_factory=dict)
    checked: set[tuple[int, ...]] = field(default_factory=set)
    applied: tuple[Applied, ...] = ()  #: the passes that led from the drawn graph to ``graph``

    def sizes(self, arrays: Sequence[Any]) -> dict[str, int]:
        """Return the number behind every symbol for these inputs."""
        return {
            name: int(arrays[position].shape[axis])
            for name, (position, axis) in self.symbols.items()
        }


@dataclass(eq=False)
class Segment:
    """A position where graphs were compiled: entries, and what is known of sizes there."""

    number: int
    function: str
    place: Place
    policy: SizePolicy
    entries: list[Entry] = field(default_factory=list)


@dataclass(frozen=True)
class Settings:
    """What one capture may do; see :class:`~.capture.Capture`."""

    passes: tuple[str, ...]
    limit: int
    dynamic: bool
    guards: bool
    joint: bool = True  #: draw gradients with the forward where one graph is the whole program


def compile_entry(
    program: Program,
    segment: Segment,
    state: State,
    meter: Meter,
    settings: Settings,
    number: int,
    observer: Observer | None = None,
    session: Callable[[Graph], Session] = Session,
    print_line: Callable[[str], None] = lambda text: None,
) -> Entry:
    """Draw and optimise the segment that begins at ``state``.

    Sizes that Python turns out to need are made exact and the drawing starts again.
    """
    begun = time.perf_counter()
    first = segment.number == 0
    while True:
        # What a drawing that has to start again did is nobody's business.
        attempt = None if observer is None else EventLog()
        printed: list[str] = []
        builder = GraphBuilder(attempt)
        tracer = Tracer(state, builder, segment.policy, first, meter)
        machine = Machine(program, CaptureHost(tracer, attempt, printed.append), meter)
        machine.globals = state.constants
        machine.frames = tracer.frames
        try:
            ending = _trace(machine)
            read_all(machine.frames, tracer.read)
            entry = _finish(
                segment, number, machine, tracer, ending, state, settings, attempt, session
            )
            break
        except DimNeeded as needed:
            keys = {key for name in needed.symbols for key in tracer.symbols.get(name, ())}
            if not keys:
                raise
            segment.policy.exact |= keys
        except Refusal as refusal:
            # With a symbol, rules may fail that hold for its number; and a failure that stays
            # shall speak of numbers.
            if not tracer.symbols or isinstance(refusal, (BudgetExceeded, Cancelled)):
                raise
            for symbols in tracer.symbols.values():
                segment.policy.exact.update(symbols)
    if observer is not None and attempt is not None:
        for event in attempt:
            observer.emit(event)
    for line in printed:
        print_line(line)
    entry.seconds = time.perf_counter() - begun
    return entry


def _trace(machine: Machine) -> Ending | None:
    """Run on fakes until the program ends (None) or Python must act."""
    try:
        machine.run()
    except SegmentEndsError as ends:
        what, hint = REQUESTS[ends.request]
        shown = ends.text or say("this value")
        why = (
            say("Python shows it now, before the rest runs") if ends.request == "print"
            else say("Python needs {shown} itself before it can go on", shown=shown)
        )  # fmt: skip
        return Ending(ends.ask.place, ends.request, what, why, ends.where, hint)
    return None


def _finish(
    segment: Segment, number: int, machine: Machine, tracer: Tracer, ending: Ending | None,
    state: State, settings: Settings, observer: Observer | None,
    session: Callable[[Graph], Session],
) -> Entry:  # fmt: skip
    """Make the entry of a traced segment: graphs, recipe, guards."""
    writer = RecipeWriter(tracer)
    recipe = writer.write(machine.frames, machine.result, machine.finished)
    names = [str(s.builder.node(s.id).option("name")) for s in tracer.placeholders]
    placeholders = tuple(sym.id for sym in tracer.placeholders)
    wanted = tuple(id(state.at(path)) in state.wanted for path in tracer.inputs)
    live = tuple(sym.id for sym in writer.outputs)
    raw = tracer.builder.finish(*writer.outputs)
    targets = [n for n, is_wanted in zip(placeholders, wanted, strict=True) if is_wanted]
    flags = active_nodes(raw.nodes, targets)
    whole = settings.joint and ending is None and segment.number == 0 and bool(targets)
    kept: tuple[int, ...] = ()
    again = False
    if whole:
        results = [t for t in tensors_in(machine.result) if isinstance(t, Sym)]
        drawn = tracer.builder.finish(*results)
        chosen = [n for n, is_wanted in zip(names, wanted, strict=True) if is_wanted]
        joint = gradients(drawn, chosen)
        full = _with_outputs(joint, (*live, *joint.outputs[len(results) :]))
        _check_sizes_as_numbers(joint, tracer)
    elif targets:
        seeded = [n for n in (*live, *targets) if flags[n] and _is_float(raw, n)]
        backward = draw_backward(raw, seeded, targets)
        if backward is not None:
            again = backward.again
            kept = () if again else tuple(n for n in backward.kept if n not in placeholders)
            _check_sizes_as_numbers(backward.graph, tracer)
        full = _with_outputs(raw, (*live, *kept))
    else:
        full = raw
    graph, applied = optimize(full, settings.passes, observer, machine.meter.look)
    symbols = {
        name: (tracer.inputs.index(keys[0][0]), keys[0][2]) for name, keys in tracer.symbols.items()
    }
    return Entry(
        segment.number, number, tracer.finish_guards(), tuple(tracer.inputs), tuple(names), raw,
        graph, session(graph), recipe, ending, live, kept, placeholders, wanted,
        tuple(flags[n] and _is_float(raw, n) for n in live), whole, again, symbols,
        applied=applied,
    )  # fmt: skip


def _check_sizes_as_numbers(graph: Graph, tracer: Tracer) -> None:
    """Ask for exact sizes where a symbolic one enters float32 arithmetic as a float64.

    As a Python number it would take the type of the array beside it, as eager does.
    """
    for node in graph.nodes:
        avals = [graph.nodes[arg].aval for arg in node.args]
        if not any(isinstance(aval, Aval) and aval.dtype == FLOAT32 for aval in avals):
            continue
        for arg, aval in zip(node.args, avals, strict=True):
            is_size = graph.nodes[arg].op.name == "dim"
            if is_size and isinstance(aval, Aval) and aval.dtype == FLOAT64:
                raise DimNeeded(tuple(tracer.symbols), say("a size beside float32"))


def _with_outputs(graph: Graph, outputs: tuple[int, ...]) -> Graph:
    return replace(graph, outputs=outputs, output_names=())


def _is_float(graph: Graph, number: int) -> bool:
    aval = graph.nodes[number].aval
    return isinstance(aval, Aval) and aval.dtype.kind == "f"


def tensors_in(value: Any) -> list[Any]:
    """Return the tensors of a result, in order; tuples and lists are entered."""
    found: list[Any] = []
    todo = [value]
    while todo:
        item = todo.pop()
        if isinstance(item, (tuple, list)):
            todo.extend(reversed(item))
        elif isinstance(item, Operators) or hasattr(item, "dtype"):
            found.append(item)
    return found


def check_sizes(entry: Entry, sizes: dict[str, int], meter: Meter) -> None:
    """Check every array of a symbolic graph against the budget before it runs with sizes."""
    key = tuple(sizes.values())
    if not sizes or key in entry.checked:
        return
    for node in entry.graph.nodes:
        aval = node.aval.bind(sizes)
        for item in aval.items if isinstance(aval, TupleAval) else (aval,):
            meter.array(item.size, 0)
    entry.checked.add(key)


def unguarded(error: Exception, place: Place) -> Refusal:
    """Return the refusal of a replay without guards whose arrays no longer fit."""
    return Refusal(
        place,
        say("the stale graph does not fit these inputs"),
        say(
            "guards are off, so what was drawn for the first call runs again: {error}",
            error=foreign(str(error)),
        ),
        say("turn guards on: they would draw it anew"),
    )
