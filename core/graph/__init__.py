"""Computation graphs: define-by-run, define-and-run and captured, from one registry of ops.

Read in this order; each file says in its first lines what it owns:

==============  ==================================================================
errors.py       every error that the engine explains
avals.py        shape, dtype, symbolic sizes, broadcasting
summaries.py    what events say of a value; how numbers are written
events.py       what happens, one schema for all modes; the log
replay.py       the fold over events: a frame at any moment
ops.py          the record of an op, the registry ``OPS``, ``infer``
rules*.py       shape and dtype rules
kernels*.py     numpy kernels
vjps*.py        gradient rules, written once against a builder
kinks.py        the published table of derivatives at kinks
opset.py        all ops, filled into ``OPS``
option_text.py  the options of an op in words
build.py        the ``Builder`` protocol; weak Python numbers
placed.py       source positions and names, which both builders of programs note
operators.py    ``x + y``, ``x[i]``, ``x.sum()`` for Tensor and Sym
ir.py           the immutable ``Graph``, verify, text, dot
views.py        what differs between two graphs, what repeats in one
static.py       ``GraphBuilder`` and ``Sym``: drawing graphs, subgraphs of cond and while
control.py      cond and print; the vjp of cond
trips.py        one value for each trip of a loop
loops.py        while_loop, and its gradients of every order
grad.py         gradients appended to a graph
arrays.py       ``ArrayBuilder``: the protocol on plain arrays, for the tape's backward
interp.py       the plain interpreter of graphs, counters, live bytes
tiles.py        how a fused group runs
recording.py    ``no_grad``
notes.py        what few tensors need: names, positions, writes
tensor.py       ``Tensor``: operators that compute and record, writes in place
tape.py         the reverse sweep over the tape
eager.py        ``EagerBuilder``: the protocol on Tensors, with events and counters
library.py      eager for use from Python: grad, custom_op, cond, node_gradients
runtime.py      ``Session``: run a graph under feeds, for fetches, with a memory plan
memory.py       liveness, buffer assignment with proof, peaks
passes/         rewrites, each ``Graph -> PassResult``
feeds.py        inputs as they are typed: ``x=[1,2]; k=int(3)``
lang.py         a source text as a checked program; what the language is
lang_*.py       its parser, names, instructions, machine, budgets and refusals
bundled.py      the bundled programs, which are in programs/
capture.py      capture: run on fakes, compile, guard, ask again
capture_*.py    one call, traces, places, runs, backward, fallback, replay
guards.py       guards as sentences
segments.py     compiled segments and their cache
modes.py        one program opened in a mode, call by call
compare.py      where results differ, in ulps
report.py       the JSON of ``dgplay graph``
==============  ==================================================================

The protocol in one example; ``b`` may be any builder, ``x`` and ``y`` its values::

    def program(b, x, y):
        z = b.call("add", b.call("mul", x, x), b.call("mul", x, y))
        big = b.call("greater", b.call("sum", z), 0.0)
        z = b.cond(big, lambda b, z: b.call("sin", z), lambda b, z: z, z)
        (n,) = b.while_loop(lambda b, n: n < 10, lambda b, n: n + 1, 0)
        return z, n

The functions given to ``cond`` and ``while_loop`` get an inner builder (a ``GraphBuilder`` in
every mode) and its ``Sym`` values; they may use outer values, which are captured.

Eager::   ``b = EagerBuilder(observer); x = b.input(array, name="x")``, run the program,
          ``b.gradients(outputs, [x])``, ``b.stats``
Static::  ``b = GraphBuilder(observer); x = b.placeholder("x", shape, dtype)``, run the
          program, ``g = b.finish(*outputs)``, ``gradients(g, ["x"])``, ``Session(g).run``
Capture:: as static, with ``avals.symbol("s0")`` among the sizes; an op that needs the number
          raises ``DimNeeded`` with the symbols that must become exact. The session binds
          symbols from the shapes of its feeds.

Positions: ``b.line, b.column = …`` or ``with b.at(line, column)``; names: ``b.name(value,
"z")``. Both builders have them.
"""

from __future__ import annotations

from . import opset as opset  # fills the registry before anything looks into it
