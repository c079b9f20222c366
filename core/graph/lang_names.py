"""Owns the names that a program may use without defining them, and hints for other habits.

Three kinds: ops of the registry, builtins of the language, and host functions, which only
Python can answer (in capture they end a segment).
"""

from __future__ import annotations

import math

from ..wording import say
from .ops import OPS

#: Builtins that the interpreter answers itself, with their sentence for help.
BUILTINS: dict[str, str] = {
    "len": "The size of the first axis, or the number of items.",
    "range": "Whole numbers in order, for a loop.",
    "int": "A Python whole number; on a tensor Python needs its value.",
    "float": "A Python number; on a tensor Python needs its value.",
    "bool": "True or False; on a tensor Python needs its value.",
    "min": "The smallest of numbers or tensors, element by element.",
    "enumerate": "Pairs of position and item.",
    "zip": "Items of several side by side.",
    "cond": "cond(test, true_function, false_function, *operands): runs one of the two.",
    "while_loop": "while_loop(test_function, body_function, *carries): repeats when it runs.",
    "capture": "A decorator: this helper is captured and cached on its own.",
    "array": "A tensor from nested lists.",
    "zeros": "A tensor of zeros: zeros(2, 3).",
    "ones": "A tensor of ones: ones(2, 3).",
    "graph_print": "Prints when the graph runs, in every mode, without a graph break.",
    "print": "Prints at once; in capture Python must do it, so the segment ends.",
}

#: Numbers that every program knows.
CONSTANTS: dict[str, float] = {"pi": math.pi, "inf": math.inf, "nan": math.nan}

#: Functions and methods that need the value itself: no op stands for them.
HOST: dict[str, str] = {
    "item": "The value of a one-element tensor as a Python number.",
    "tolist": "The values as nested lists of Python numbers.",
    "round": "A Python number rounded; needs the value.",
}

#: Ops that programs cannot call by name: they have syntax of their own or serve gradients.
HIDDEN_OPS = frozenset(
    {"placeholder", "const", "pick", "print", "cond", "while_loop", "while_grad", "put",
     "take_grad", "sum_to", "fill", "dim", "getitem"}
)  # fmt: skip

#: Other names by which people know ops.
ALIASES: dict[str, str] = {
    "power": "pow",
    "negative": "neg",
    "subtract": "sub",
    "multiply": "mul",
    "divide": "div",
    "absolute": "abs",
    "concatenate": "concat",
    "layernorm": "layer_norm",
}

#: Methods of a tensor that are ops of the same name with the tensor in front.
METHODS: tuple[str, ...] = (
    "sum", "mean", "max", "exp", "log", "sqrt", "sin", "cos", "tanh", "sigmoid", "relu", "abs",
    "clip", "softmax", "reshape", "transpose", "layer_norm", "dropout", "matmul", "maximum",
    "minimum", "cast", "broadcast_to", "equal", "not_equal", "sign", "pow", "take",
)  # fmt: skip

ATTRIBUTES: tuple[str, ...] = ("shape", "ndim", "T", "size")

#: What to try instead of names and attributes that come from other habits.
HINTS: dict[str, str] = {
    **{
        name: say("write the op alone: sin(x), not {library}.sin(x)", library=name)
        for name in ("np", "numpy", "torch", "tf", "math", "jnp", "jax")
    },
    "eval": say("write the expression itself"),
    "exec": say("write the statements themselves"),
    "open": say("feed arrays with --feed instead of reading files"),
    "input": say("make it an input of the function and feed it"),
    "__import__": say("nothing can be imported; the ops are there already"),
    "backward": say("ask for gradients with --grad"),
    "randn": say("draw once, outside: w = randn(3, 4) at the top level, or as a default input"),
    "float32": say("use cast(x, dtype='float32'), or feed x=float32([1, 2])"),
    "int64": say("use cast(x, dtype='int64'), or feed x=int64([1, 2])"),
    "str": say("print takes numbers and tensors as they are"),
    "tensor": say("use array([1, 2])"),
    **dict.fromkeys(
        ("tuple", "list", "dict", "set", "sorted", "reversed", "map", "filter"),
        say("use a for loop with xs.append(x)"),
    ),
    **dict.fromkeys(
        ("isinstance", "type", "getattr", "hasattr", "setattr", "globals", "locals", "vars", "dir"),
        say("leave it out: what a value is cannot be asked"),
    ),
    "detach": say("there is no detach; leave the input out of --grad"),
    "numpy": say("use x.tolist(), or print(x)"),
    "dtype": say("feed another type, such as x=float32([1, 2]), or use cast(x, dtype='float32')"),
    "astype": say("use cast(x, dtype='float32')"),
    "view": say("use x.reshape(2, 3)"),
    "dot": say("use x @ y"),
}


def callable_ops() -> tuple[str, ...]:
    """Return the names of the ops that a program may call, in registry order."""
    return tuple(name for name in OPS if name not in HIDDEN_OPS)


def resolve(name: str) -> str | None:
    """Return the kind of a predefined name: op, builtin, host; None if it is not one."""
    if name in BUILTINS:
        return "builtin"
    if name in HOST:
        return "host"
    if name in CONSTANTS:
        return "constant"
    if ALIASES.get(name, name) in OPS and name not in HIDDEN_OPS:
        return "op"
    return None


def known_names() -> tuple[str, ...]:
    """Return every predefined name."""
    return (*BUILTINS, *HOST, *CONSTANTS, *callable_ops(), *ALIASES)
