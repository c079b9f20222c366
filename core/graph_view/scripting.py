"""Owns the export as a script: a graph written out as plain numpy, with a check of its own.

What is drawn are the decisions of one call: where Python asks for a value, it gets the real one.
The helpers in front of the script do what the kernels do, in the same order, so bits agree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..graph.capture_call import arrays_of
from ..graph.feeds import Feed
from ..graph.grad import gradients
from ..graph.ir import Graph, Node
from ..graph.lang_budget import DEFAULT_BUDGET, Meter
from ..graph.lang_code import Instruction, Program
from ..graph.lang_host import StaticHost, python_value
from ..graph.lang_machine import Machine
from ..graph.lang_values import Function
from ..graph.runtime import Session
from ..graph.segments import tensors_in
from ..graph.static import GraphBuilder

#: Arrays with more elements are not written into a script.
MOST_ELEMENTS = 100_000

_UFUNCS = {
    "add": "add", "sub": "subtract", "mul": "multiply", "div": "true_divide",
    "floordiv": "floor_divide", "mod": "remainder", "pow": "power", "maximum": "maximum",
    "minimum": "minimum", "neg": "negative", "abs": "absolute", "sign": "sign", "exp": "exp",
    "log": "log", "sqrt": "sqrt", "sin": "sin", "cos": "cos", "tanh": "tanh", "less": "less",
    "less_equal": "less_equal", "greater": "greater", "greater_equal": "greater_equal",
    "equal": "equal", "not_equal": "not_equal", "logical_and": "logical_and",
    "logical_or": "logical_or", "logical_not": "logical_not", "where": "where",
}  # fmt: skip

_HELPERS: dict[str, str] = {
    "sigmoid": "def sigmoid(x):\n    return 1.0 / (np.exp(np.negative(x)) + 1.0)\n",
    "clip": (
        "def clip(x, low, high):\n    x = x if low is None else np.maximum(x, low)\n"
        "    return x if high is None else np.minimum(x, high)\n"
    ),
    "dropout": (
        "def dropout(x, rate, seed):\n"
        "    number = zlib.crc32(seed.encode()) if isinstance(seed, str) else abs(seed)\n"
        "    kept = np.random.default_rng(number).random(x.shape) >= rate\n"
        "    return np.where(kept, np.divide(x, 1.0 - rate), np.zeros((), x.dtype))\n"
    ),
    "matmul": (
        "def matmul(x, y, transpose_a, transpose_b):\n"
        "    if transpose_a != transpose_b and x.shape == y.shape and np.may_share_memory(x, y):\n"
        "        y = y.copy()\n"
        "    x = x.swapaxes(-1, -2) if transpose_a and x.ndim > 1 else x\n"
        "    y = y.swapaxes(-1, -2) if transpose_b and y.ndim > 1 else y\n"
        "    if x.ndim <= 2 and y.ndim <= 2:\n        return np.asarray(x.dot(y))\n"
        "    return np.ascontiguousarray(np.matmul(x, y))\n"
    ),
    "mean": (
        "def mean(x, axis, keepdims):\n"
        "    dtype = x.dtype if x.dtype.kind == 'f' else np.float64\n"
        "    total = np.add.reduce(x, axis=axis, dtype=dtype, keepdims=keepdims)\n"
        "    return np.divide(total, float(math.prod(x.shape[i] for i in axis)))\n"
    ),
    "sum": (
        "def total(x, axis, keepdims):\n"
        "    dtype = np.int64 if x.dtype.kind == 'b' else None\n"
        "    return np.add.reduce(x, axis=axis, dtype=dtype, keepdims=keepdims)\n"
    ),
    "softmax": (
        "def softmax(x, axis):\n"
        "    e = np.exp(np.subtract(x, np.maximum.reduce(x, axis=axis, keepdims=True)))\n"
        "    return np.divide(e, np.add.reduce(e, axis=axis, keepdims=True))\n"
    ),
    "layer_norm": (
        "def layer_norm(x, axis, eps):\n    count = float(x.shape[axis])\n"
        "    d = np.subtract(x, np.divide(np.add.reduce(x, axis=axis, keepdims=True), count))\n"
        "    v = np.divide(np.add.reduce(np.multiply(d, d), axis=axis, keepdims=True), count)\n"
        "    return np.divide(d, np.sqrt(np.add(v, eps)))\n"
    ),
    "sum_to": (
        "def sum_to(x, shape):\n    lead = x.ndim - len(shape)\n"
        "    more = [i + lead for i, n in enumerate(shape) if n == 1 and x.shape[i + lead] != 1]\n"
        "    axes = (*range(lead), *more)\n"
        "    return np.add.reduce(x, axis=axes, keepdims=True).reshape(shape)\n"
    ),
    "put": (
        "def put(x, shape, index):\n    filled = np.zeros(shape, x.dtype)\n"
        "    filled[index] = x\n    return filled\n"
    ),
    "take_grad": (
        "def take_grad(gradient, index, shape):\n    filled = np.zeros(shape, gradient.dtype)\n"
        "    np.add.at(filled, index, gradient)\n    return filled\n"
    ),
    "while_loop": (
        "def while_loop(test, body, count, values):\n"
        "    carries, outer = tuple(values[:count]), tuple(values[count:])\n"
        "    begun = [[] for _ in carries]\n"
        "    while bool(test(*carries, *outer)[0]):\n"
        "        for carry, kept in zip(carries, begun):\n            kept.append(carry)\n"
        "        carries = body(*carries, *outer)\n"
        "    return (*carries, *begun)\n"
    ),
    "while_grad": (
        "def while_grad(body, takes, gives, zeros, forward, values):\n"
        "    row = list(values)\n"
        "    trips = [i for i, role in enumerate(takes) if role == 'trip']\n"
        "    carries = [i for i, role in enumerate(takes) if role == 'carry']\n"
        "    count = len(values[trips[0]])\n"
        "    found = [[None] * count if role == 'trip' else None for role in gives]\n"
        "    begun = [[None] * count for _ in carries]\n"
        "    for t in range(count) if forward else reversed(range(count)):\n"
        "        for i in trips:\n            row[i] = values[i][t]\n"
        "        for i, kept in zip(carries, begun):\n            kept[t] = row[i]\n"
        "        passed = iter(carries)\n"
        "        for k, (role, result) in enumerate(zip(gives, body(*row))):\n"
        "            if role == 'carry':\n                row[next(passed)] = result\n"
        "            elif role == 'trip':\n                found[k][t] = result\n"
        "            else:\n"
        "                found[k] = result if found[k] is None else np.add(found[k], result)\n"
        "    passed = iter(carries)\n"
        "    for k, role in enumerate(gives):\n"
        "        if role == 'carry':\n            found[k] = row[next(passed)]\n"
        "        elif found[k] is None:\n            found[k] = np.zeros(*zeros[k])\n"
        "    return (*found, *begun)\n"
    ),
}


class DecidedHost(StaticHost):
    """Draws a graph, and where Python needs a value computes it from what is drawn so far."""

    def __init__(self, builder: GraphBuilder, feed: Mapping[str, Any]) -> None:
        super().__init__(builder)
        self.drawing = builder
        self.feed = feed

    def value(self, tensor: Any, request: str, ask: Instruction, text: str = "") -> Any:
        """Return the real value."""
        graph = self.drawing.finish(tensor)
        fed = {name: self.feed[name] for name, _ in graph.inputs}
        (found,) = Session(graph).run(fed)
        return python_value(found, request)


def decided_graph(
    program: Program, inputs: Mapping[str, Feed], grads: Sequence[str], meter: Meter | None = None
) -> tuple[Graph, int]:
    """Return the graph of one call with its decisions taken, and how many outputs it has."""
    builder = GraphBuilder()
    feed = {name: value for name, value in inputs.items() if isinstance(value, np.ndarray)}
    machine = Machine(program, DecidedHost(builder, feed), meter or Meter(DEFAULT_BUDGET))
    args = [
        builder.placeholder(name, value.shape, value.dtype)
        if isinstance(value, np.ndarray) else value
        for name, value in inputs.items()
    ]  # fmt: skip
    machine.start(Function(program.main), args, {})
    outputs = tensors_in(machine.run())
    graph = builder.finish(*outputs)
    return (gradients(graph, tuple(grads)) if grads else graph), len(outputs)


def script_of(
    program: Program, inputs: Mapping[str, Feed], grads: Sequence[str], wanted: Sequence[Any],
    meter: Meter | None = None,
) -> str | None:  # fmt: skip
    """Return the script of one call; ``wanted`` are the outputs and gradients of the run.

    None where an array is too large to be written out. Raises GraphError as the program does.
    """
    graph, count = decided_graph(program, inputs, grads, meter)
    arrays = {name: np.asarray(inputs[name]) for name, _ in graph.inputs}
    if any(array.size > MOST_ELEMENTS for array in (*arrays.values(), *wanted)):
        return None
    labels = [f"output {number}" for number in range(count)]
    labels += [f"gradient of {name}" for name in grads]
    results = [np.asarray(arrays_of(value)) for value in wanted]
    return numpy_script(program.name, graph, arrays, labels, results)


def numpy_script(
    name: str, graph: Graph, arrays: Mapping[str, np.ndarray[Any, Any]], labels: Sequence[str],
    wanted: Sequence[np.ndarray[Any, Any]],
) -> str:  # fmt: skip
    """Return a graph as a script that runs on ``arrays`` and compares with ``wanted``."""
    writer = _Writer()
    names = writer.function("run", graph)
    shown = [_literal(value) for value in wanted]
    pairs = ",\n".join(
        f"    ({label!r}, {text})" for label, text in zip(labels, shown, strict=True)
    )
    fed = ",\n".join(f"    {_literal(arrays[given])},  # {given}" for given in names)
    helpers = "\n\n".join(_HELPERS[name] for name in _HELPERS if name in writer.used)
    functions = "\n\n".join(writer.functions)
    return f'''"""One call of a program in plain numpy, with the decisions that it took.

Prints every result, and fails where one differs from the run that this was made from.
"""

import math
import zlib

import numpy as np

PROGRAM = {name!r}
nan, inf = float("nan"), float("inf")


{helpers}

{functions}

INPUTS = (
{fed}
)
WANTED = (
{pairs},
)

with np.errstate(all="ignore"):
    results = run(*INPUTS)
for (label, wanted), got in zip(WANTED, results):
    print(label, np.asarray(got).tolist())
    assert np.array_equal(got, wanted, equal_nan=wanted.dtype.kind == "f"), label
'''


class _Writer:
    """Writes graphs as functions; ``used`` are the helpers that they need."""

    def __init__(self) -> None:
        self.functions: list[str] = []
        self.used: set[str] = set()
        self._count = 0

    def function(self, name: str, graph: Graph) -> list[str]:
        """Write a graph as a function; return the names of its inputs."""
        places = {number: f"v{number}" for _, number in graph.inputs}
        lines = []
        for number, node in enumerate(graph.nodes):
            if node.op.name == "placeholder":
                continue
            args = [places[arg] for arg in node.args]
            places[number] = f"v{number}"
            called = graph.name_of(number)
            note = "" if called.startswith("%") else f"  # {called}"
            lines.append(f"    v{number} = {self.code(node, args)}{note}")
        inputs = ", ".join(places[number] for _, number in graph.inputs)
        results = "".join(f"{places[number]}, " for number in graph.outputs)
        body = "\n".join([*lines, f"    return ({results})" if results else "    return ()"])
        self.functions.append(f"def {name}({inputs}):\n{body}\n")
        return [given for given, _ in graph.inputs]

    def inner(self, graph: Graph) -> str:
        """Write a subgraph; return the name of its function."""
        self._count += 1
        name = f"part_{self._count}"
        self.function(name, graph)
        return name

    def code(self, node: Node, args: Sequence[str]) -> str:
        """Return the expression of a node."""
        op, options = node.op.name, node.kwargs
        listed = ", ".join(args)
        if op in _UFUNCS:
            return f"np.{_UFUNCS[op]}({listed})"
        if op in _HELPERS and op not in ("while_loop", "while_grad"):
            self.used.add(op)
            index = _index(options.pop("index")) if "index" in options and op == "put" else None
            more = "".join(f", {key}={value!r}" for key, value in options.items())
            more += f", index={index}" if index is not None else ""
            return f"{'total' if op == 'sum' else op}({listed}{more})"
        return self._other(op, options, args, listed)

    def _other(self, op: str, options: dict[str, Any], args: Sequence[str], listed: str) -> str:
        match op:
            case "const":
                return _literal(options["value"].array)
            case "relu":
                return f"np.maximum({listed}, 0)"
            case "cast":
                return f"{args[0]}.astype({options['dtype']!r})"
            case "outer":
                return f"{args[0]}[:, None].dot({args[1]}[None])"
            case "max":
                axis, kept = options["axis"], options["keepdims"]
                return f"np.maximum.reduce({listed}, axis={axis!r}, keepdims={kept})"
            case "reshape":
                return f"{args[0]}.reshape({options['shape']!r})"
            case "transpose":
                return f"{args[0]}.transpose({options['axes']!r}).copy()"
            case "broadcast_to":
                return f"np.broadcast_to({listed}, {options['shape']!r}).copy()"
            case "concat" | "stack":
                name = "concatenate" if op == "concat" else "stack"
                return f"np.{name}(({listed},), axis={options['axis']})"
            case "getitem":
                return f"np.array({args[0]}[{_index(options['index'])}])"
            case "take":
                return f"{args[0]}[{args[1]}]"
            case "fill":
                value = options["value"]
                return f"np.full({options['shape']!r}, {value!r}, {options['dtype']!r})"
            case "dim":
                return f"np.array({options['size']}, {options['dtype']!r})"
            case "pick":
                return f"{args[0]}[{options['index']}]"
            case "cond":
                arms = [self.inner(options[arm]) for arm in ("true", "false")]
                rest = ", ".join(args[1:])
                return f"({arms[0]} if bool({args[0]}) else {arms[1]})({rest})"
            case "while_loop":
                self.used.add(op)
                test, body = self.inner(options["test"]), self.inner(options["body"])
                return f"while_loop({test}, {body}, {options['carries']}, ({listed},))"
            case "while_grad":
                self.used.add(op)
                back = self.inner(options["backward"])
                takes, gives, forward = (options[key] for key in ("takes", "gives", "forward"))
                body = options["backward"]
                avals = [body.nodes[number].aval for number in body.outputs]
                zeros = [(aval.shape, aval.dtype.name) for aval in avals]
                return f"while_grad({back}, {takes}, {gives}, {zeros}, {forward}, ({listed},))"
            case _:
                return "np.array(False)"  # print: it shows, and gives nothing to compute with


def _literal(array: np.ndarray[Any, np.dtype[Any]]) -> str:
    """Return an array with all its bits as Python writes it."""
    return f"np.array({array.tolist()!r}, dtype={array.dtype.name!r}).reshape({array.shape!r})"


def _index(index: tuple[tuple[Any, ...], ...]) -> str:
    """Return a static index as Python writes it inside brackets."""
    parts = []
    for entry in index:
        if entry[0] == "int":
            parts.append(str(entry[1]))
        elif entry[0] == "new":
            parts.append("None")
        else:
            parts.append(f"slice({', '.join(map(repr, entry[1:]))})")
    return f"({''.join(f'{part}, ' for part in parts)})"
