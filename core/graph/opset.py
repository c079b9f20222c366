"""Owns the table of all ops: which kernel, rules, flags and sentence belong to which name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..wording import say
from . import control, kernels, loops, rules, rules_shape, tiles, vjps, vjps_shape
from .avals import AnyAval, Aval, exact
from .ops import REQUIRED, Attrs, Cost, Kernel, Op, Vjp, elementwise_cost, multiply_adds, register


def _binary(name: str, kernel: Kernel, doc: str, vjp: Vjp | None, **flags: Any) -> None:
    floating = flags.pop("floating", False)
    rule = rules.arithmetic(name, floating=floating)
    register(Op(name, 2, rule, kernel, doc, vjp, elementwise=True, **flags))


def _unary(name: str, kernel: Kernel, doc: str, vjp: Vjp | None, **flags: Any) -> None:
    rule = rules.arithmetic(name, floating=flags.pop("floating", True))
    register(Op(name, 1, rule, kernel, doc, vjp, elementwise=True, **flags))


register(
    Op("add", 2, rules.addition, np.add, "The sum of two values.", vjps.add, elementwise=True,
       commutative=True, tileable=True)
)  # fmt: skip
_binary("sub", np.subtract, "The difference of two values.", vjps.sub, tileable=True)
_binary(
    "mul", np.multiply, "The product of two values, element by element.", vjps.mul,
    commutative=True, tileable=True, saves=(0, 1),
)  # fmt: skip
_binary(
    "div", np.true_divide, "The quotient of two values; whole numbers give floats.", vjps.div,
    floating=True, tileable=True, saves=(1, -1),
)  # fmt: skip
_binary("floordiv", kernels.floordiv, "The quotient rounded down.", None)
_binary("mod", np.remainder, "The remainder, with the sign of the divisor.", vjps.mod, saves=(0, 1))
_binary("pow", kernels.power, "The first value to the power of the second.", vjps.power,
        saves=(0, 1, -1))  # fmt: skip
_binary("maximum", np.maximum, "The larger of two values; half the gradient each at a tie.",
        vjps.maximum, tileable=True, saves=(0, 1))  # fmt: skip
_binary("minimum", np.minimum, "The smaller of two values; half the gradient each at a tie.",
        vjps.minimum, tileable=True, saves=(0, 1))  # fmt: skip

_unary("neg", np.negative, "The value with its sign turned.", vjps.neg, floating=False,
       tileable=True)  # fmt: skip
_unary("abs", np.absolute, "The value without its sign; derivative 0 at 0.", vjps.absolute,
       floating=False, tileable=True, saves=(0,))  # fmt: skip
_unary("sign", np.sign, "-1, 0 or 1.", None, floating=False)
_unary("exp", np.exp, "e to the power of the value.", vjps.exp, tileable=True, saves=(-1,))
_unary("log", np.log, "The natural logarithm.", vjps.log, tileable=True, saves=(0,))
_unary("sqrt", np.sqrt, "The square root; derivative inf at 0.", vjps.sqrt, tileable=True,
       saves=(-1,))  # fmt: skip
_unary("sin", np.sin, "The sine.", vjps.sin, tileable=True, saves=(0,))
_unary("cos", np.cos, "The cosine.", vjps.cos, tileable=True, saves=(0,))
_unary("tanh", np.tanh, "The hyperbolic tangent.", vjps.tanh, tileable=True, saves=(-1,))
_unary("sigmoid", kernels.sigmoid, "1 / (1 + exp(-x)).", vjps.sigmoid, tileable=True, saves=(-1,))
_unary("relu", kernels.relu, "The positive part; derivative 0 at 0.", vjps.relu, floating=False,
       tileable=True, saves=(0,))  # fmt: skip
register(
    Op(
        "clip", 1, rules.clip, kernels.clip,
        "The value moved into low to high; derivative 1 at a bound.", vjps.clip,
        {"low": None, "high": None}, elementwise=True, saves=(0,),
    )
)  # fmt: skip

_COMPARISONS: tuple[tuple[str, Kernel, str], ...] = (
    ("less", np.less, "Whether the first is smaller."),
    ("less_equal", np.less_equal, "Whether the first is smaller or equal."),
    ("greater", np.greater, "Whether the first is larger."),
    ("greater_equal", np.greater_equal, "Whether the first is larger or equal."),
    ("equal", np.equal, "Whether two values are equal; NaN equals nothing."),
    ("not_equal", np.not_equal, "Whether two values differ."),
)
for _name, _ufunc, _doc in _COMPARISONS:
    register(Op(_name, 2, rules.comparison(_name), _ufunc, _doc, elementwise=True))
_LOGICAL: tuple[tuple[str, Kernel, str], ...] = (
    ("logical_and", np.logical_and, "Whether both hold."),
    ("logical_or", np.logical_or, "Whether at least one holds."),
)
for _name, _ufunc, _doc in _LOGICAL:
    register(Op(_name, 2, rules.logical(_name), _ufunc, _doc, elementwise=True))
register(
    Op("logical_not", 1, rules.logical("logical_not"), np.logical_not, "Whether it does not hold.",
       elementwise=True)
)  # fmt: skip
register(
    Op("where", 3, rules.where, kernels.where,
       "The second where the first holds, else the third; both are computed.", vjps.where,
       elementwise=True, saves=(0,))
)  # fmt: skip
register(
    Op("cast", 1, rules.cast, kernels.cast, "The value in another element type.", vjps.cast,
       {"dtype": REQUIRED}, elementwise=True)
)  # fmt: skip
register(
    Op("dropout", 1, rules.dropout, kernels.dropout,
       "Elements set to 0 at a rate, the rest scaled up; the same seed draws the same.",
       vjps.dropout, {"rate": 0.5, "seed": 0}, elementwise=True)
)  # fmt: skip


_COST = say("the cost of matmul")


def _matmul_cost(avals: Sequence[AnyAval], aval: AnyAval, attrs: Attrs) -> tuple[int, int]:
    x = avals[0]
    assert isinstance(x, Aval)
    assert isinstance(aval, Aval)
    turned = attrs["transpose_a"] and x.ndim > 1
    inner = exact(x.shape[-2 if turned else -1], _COST)
    return multiply_adds(aval, inner), elementwise_cost(avals, aval, attrs)[1]


def _several(op: str, kernel: Kernel, doc: str, **more: Any) -> None:
    rule = getattr(rules_shape, op)
    register(Op(op, None, rule, kernel, doc, getattr(vjps_shape, op), {"axis": 0}, **more))


def _single(
    name: str, rule: Any, kernel: Kernel, doc: str, options: dict[str, Any],
    vjp: Vjp | None, saves: tuple[int, ...] = (), arity: int = 1,
    cost: Cost = elementwise_cost,
) -> None:  # fmt: skip
    register(Op(name, arity, rule, kernel, doc, vjp, options, cost, saves=saves))


_REDUCE = {"axis": None, "keepdims": False}
_single("matmul", rules_shape.matmul, kernels.matmul, "The matrix product.",
        {"transpose_a": False, "transpose_b": False}, vjps_shape.matmul, (0, 1), 2,
        _matmul_cost)  # fmt: skip
_single("outer", rules_shape.outer, kernels.outer,
        "Every product of an element of one vector with one of another.", {},
        vjps_shape.outer, (0, 1), 2)  # fmt: skip
_single("sum", rules.reduction("sum"), kernels.total, "The sum over axes.", _REDUCE,
        vjps_shape.total)  # fmt: skip
_single("mean", rules.reduction("mean"), kernels.mean, "The mean over axes.", _REDUCE,
        vjps_shape.mean)  # fmt: skip
_single("max", rules.reduction("max"), kernels.largest,
        "The maximum over axes; ties share the gradient equally.", _REDUCE, vjps_shape.largest,
        (0, -1))  # fmt: skip
_single("softmax", rules.along_axis("softmax"), kernels.softmax,
        "exp(x) over its sum along an axis.", {"axis": -1}, vjps_shape.softmax,
        (-1,))  # fmt: skip
_single("layer_norm", rules.along_axis("layer_norm"), kernels.layer_norm,
        "The value less its mean, over the root of its variance plus eps, along an axis.",
        {"axis": -1, "eps": 1e-5}, vjps_shape.layer_norm, (0, -1))  # fmt: skip
_single("reshape", rules_shape.reshape, kernels.reshape, "The elements in another shape.",
        {"shape": REQUIRED}, vjps_shape.reshape)  # fmt: skip
_single("transpose", rules_shape.transpose, kernels.transpose, "The axes permuted.",
        {"axes": None}, vjps_shape.transpose)  # fmt: skip
_single("broadcast_to", rules_shape.broadcast_to, kernels.broadcast_to,
        "The value repeated to a shape.", {"shape": REQUIRED},
        vjps_shape.broadcast_to)  # fmt: skip
_single("sum_to", rules_shape.sum_to, kernels.sum_to,
        "The sum over what broadcasting had repeated.", {"shape": REQUIRED},
        vjps_shape.sum_to)  # fmt: skip
_several("concat", kernels.concat, "Values joined along an axis.")
_several("stack", kernels.stack, "Values joined along a new axis.")
_single("getitem", rules_shape.getitem, kernels.getitem, "A part, by fixed positions.",
        {"index": REQUIRED}, vjps_shape.getitem)  # fmt: skip
_single("put", rules_shape.put, kernels.put, "Zeros with the value written at a part.",
        {"shape": REQUIRED, "index": REQUIRED}, vjps_shape.put)  # fmt: skip
_single("take", rules_shape.take, kernels.take,
        "Entries of the first axis at positions known at run time.", {}, vjps_shape.take,
        (1,), 2)  # fmt: skip
_single("take_grad", rules_shape.take_grad, kernels.take_grad,
        "Zeros with the value added at positions known at run time.", {"shape": REQUIRED},
        vjps_shape.take_grad, (1,), 2)  # fmt: skip
_single("fill", rules_shape.fill, kernels.fill, "An array of one repeated number.",
        {"shape": REQUIRED, "value": 0.0, "dtype": "float64"}, None, arity=0)  # fmt: skip
_single("dim", rules_shape.dim, kernels.dim, "A size, as a number of the graph.",
        {"size": REQUIRED, "dtype": "float64"}, None, arity=0)  # fmt: skip

register(
    Op("placeholder", 0, rules_shape.placeholder, None, "A named input, fed when it runs.",
       options={"name": REQUIRED, "aval": REQUIRED}, structural=True)
)  # fmt: skip
register(
    Op("const", 0, rules_shape.const, kernels.const, "A value fixed when the graph is drawn.",
       options={"value": REQUIRED}, structural=True)
)  # fmt: skip
register(
    Op("pick", 1, rules_shape.pick, kernels.pick, "One of several results.",
        vjps_shape.pick,
       options={"index": REQUIRED}, structural=True)
)  # fmt: skip
register(
    Op("fused", None, tiles.fused_rule, tiles.fused, "A group of elementwise ops as one launch.",
       options={"body": REQUIRED}, elementwise=True)
)  # fmt: skip
register(
    Op("print", None, rules_shape.printing, None, "Prints when it runs; text and values in order.",
       options={"parts": REQUIRED}, control=control.run_print, pure=False)
)  # fmt: skip
register(
    Op("cond", None, control.cond_rule, None, "Runs one of two subgraphs, chosen by a bool.",
       control.cond_vjp, {"true": REQUIRED, "false": REQUIRED}, control=control.run_cond,
       saves=None)
)  # fmt: skip
register(
    Op("while_loop", None, loops.while_rule, None,
       "Repeats a subgraph while a test holds; the trip count is known only when it runs.",
       loops.while_vjp,
       {"test": REQUIRED, "body": REQUIRED, "carries": REQUIRED, "save": False},
       control=loops.run_while, saves=None)
)  # fmt: skip
register(
    Op("while_grad", None, loops.while_grad_rule, None,
       "Runs the saved trips of a while_loop in reverse, adding up gradients; forward for the "
       "gradient of a gradient.", loops.while_grad_vjp,
       {"backward": REQUIRED, "takes": REQUIRED, "gives": REQUIRED, "forward": False,
        "save": False},
       control=loops.run_while_grad, saves=None)
)  # fmt: skip
