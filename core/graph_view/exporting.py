"""Owns what is taken away: node order as text, DOT, JSON, and a script in plain numpy.

The script holds every input and constant with all its bits and computes the graph node by node
with numpy alone. It checks itself against the numbers of the run that it was made from.
"""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np

from ..graph.lang_budget import DEFAULT_BUDGET, Budget, Meter
from ..graph.modes import MODES
from ..graph.option_text import expression
from ..graph.report import graph_report
from .lockstep import Views
from .pictures import Picture
from .scripting import script_of

FORMATS = ("order", "dot", "json", "script")

#: Names of the files that the screen writes.
ENDINGS = {"order": "txt", "dot": "dot", "json": "json", "script": "py"}


def order_text(picture: Picture) -> str:
    """Return the node order of a picture, one line a node."""
    if picture.graph is not None:
        return picture.graph.text()
    lines = []
    for node in picture.nodes:
        words = node.value if node.constant else expression("", node.words, node.options)
        called = node.name or f"%{node.id}"
        value = f"  # {node.value}" if node.value and not node.constant else ""
        lines.append(
            f"%{node.id}: {node.shape} = {node.op} {words}".rstrip() + f"  # {called}{value}"
        )
    return "\n".join(lines)


def dot_text(picture: Picture) -> str:
    """Return a picture in Graphviz's language."""
    if picture.graph is not None:
        return picture.graph.dot()
    rows = ["digraph g {", "  rankdir=TB;", '  node [shape=box, fontname="monospace"];']
    for node in picture.nodes:
        name = node.name or f"%{node.id}"
        options = f" {node.options}" if node.options else ""
        label = f"{name} = {node.op}{options}\\n{node.shape} {node.value}".replace('"', '\\"')
        dashed = ", style=dashed" if node.phase == "backward" else ""
        rows.append(f'  n{node.id} [label="{label}"{dashed}];')
    rows += [f"  n{arg} -> n{node.id};" for node in picture.nodes for arg in node.args]
    return "\n".join([*rows, "}"])


def json_text(
    views: Views,
    budget: Budget = DEFAULT_BUDGET,
    cancelled: Callable[[], bool] | None = None,
) -> str:
    """Return the report of the run, as ``dgplay graph --json`` prints it."""
    run = views.run
    assert run.program is not None
    options = run.asked.options
    report = graph_report(
        run.program, MODES, [call.inputs for call in run.calls], grads=run.grads,
        passes=options.passes, recompile_limit=options.recompile_limit,
        dynamic=options.dynamic == "on", guards=not options.no_guards,
        budget=budget, cancelled=cancelled,
    )  # fmt: skip
    return json.dumps(report, ensure_ascii=False)


def script_text(
    views: Views,
    call: int,
    budget: Budget = DEFAULT_BUDGET,
    cancelled: Callable[[], bool] | None = None,
) -> str | None:
    """Return a numpy script that gives the numbers of a call; None where it would be too large.

    Raises GraphError where the program cannot be run, Cancelled when asked to stop.
    """
    run, view = views.run, views.calls[call].call
    gave = view.logs["eager"].gave
    if run.program is None or gave is None:
        return None
    tensors = [value for value in gave.outputs if isinstance(value, np.ndarray)]
    wanted = [*tensors, *gave.gradients.values()]
    return script_of(run.program, view.inputs, run.grads, wanted, Meter(budget, cancelled))
