"""What the op tests share: one list of calls that reaches every differentiable op."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class OpCase:
    """One call: the op, shapes of its float operands, the range they are drawn from, options."""

    op: str
    shapes: tuple[tuple[int, ...], ...]
    low: float = -2.0
    high: float = 2.0
    options: dict[str, Any] = field(default_factory=dict)
    extra: tuple[Any, ...] = ()  #: further operands that are not differentiated

    @property
    def id(self) -> str:
        return f"{self.op}-{'-'.join('x'.join(map(str, s)) or '0d' for s in self.shapes)}" + (
            "-" + "-".join(f"{k}={v}" for k, v in self.options.items()) if self.options else ""
        )

    def arrays(self, seed: int = 0) -> list[np.ndarray]:
        rng = np.random.default_rng(seed)
        return [rng.uniform(self.low, self.high, shape) for shape in self.shapes]


def _cases() -> list[OpCase]:
    made = []
    pairs = [((3,), (3,)), ((2, 3), (3,)), ((2, 1), (1, 3)), ((), (2, 2)), ((2, 1, 3), (4, 1))]
    for op in ("add", "sub", "mul", "div", "maximum", "minimum"):
        made += [OpCase(op, pair) for pair in pairs]
    made += [OpCase("pow", pair, 0.5, 2.0) for pair in pairs]
    made += [OpCase("mod", pair, 0.5, 4.0) for pair in pairs]
    for op in ("neg", "abs", "exp", "sin", "cos", "tanh", "sigmoid", "relu"):
        made += [OpCase(op, (shape,)) for shape in ((), (4,), (2, 3))]
    for op in ("log", "sqrt"):
        made += [OpCase(op, (shape,), 0.3, 3.0) for shape in ((), (4,), (2, 3))]
    made.append(OpCase("clip", ((2, 5),), options={"low": -0.7, "high": 0.9}))
    made.append(OpCase("clip", ((5,),), options={"low": None, "high": 0.9}))
    for op in ("sum", "mean", "max"):
        for axis in (None, 0, -1, (0, 2)):
            for keepdims in (False, True):
                options = {"axis": axis, "keepdims": keepdims}
                made.append(OpCase(op, ((2, 3, 4),), options=options))
    for op in ("softmax", "layer_norm"):
        made += [OpCase(op, ((2, 3, 4),), options={"axis": axis}) for axis in (-1, 0, 1)]
    vectors = [((3,), (3,)), ((3,), (3, 4)), ((2, 3), (3,)), ((2, 3), (3, 4))]
    batches = [((5, 2, 3), (3, 4)), ((2, 3), (5, 3, 4)), ((5, 1, 2, 3), (4, 3, 2))]
    edges = [((3,), (5, 3, 4)), ((5, 2, 3), (3,))]
    made += [OpCase("matmul", pair) for pair in vectors + batches + edges]
    for a in (False, True):
        for b in (False, True):
            left, right = ((3, 2) if a else (2, 3)), ((4, 3) if b else (3, 4))
            flags = {"transpose_a": a, "transpose_b": b}
            made.append(OpCase("matmul", (left, right), options=flags))
            made.append(OpCase("matmul", ((5, *left), right), options=flags))
    made.append(OpCase("outer", ((3,), (4,))))
    made.append(OpCase("reshape", ((2, 6),), options={"shape": (3, -1)}))
    made.append(OpCase("transpose", ((2, 3, 4),), options={"axes": (2, 0, 1)}))
    made.append(OpCase("transpose", ((2, 3),), options={"axes": None}))
    made.append(OpCase("broadcast_to", ((2, 1),), options={"shape": (4, 2, 3)}))
    made.append(OpCase("sum_to", ((4, 2, 3),), options={"shape": (2, 1)}))
    made.append(OpCase("concat", ((2, 3), (2, 1), (2, 2)), options={"axis": 1}))
    made.append(OpCase("stack", ((2, 3), (2, 3)), options={"axis": 1}))
    for index in (1, -1, slice(None, None, 2), (slice(None), 1), (None, ..., -1)):
        made.append(OpCase("getitem", ((4, 3),), options={"index": index}))
    made.append(OpCase("put", ((3,),), options={"shape": (4, 3), "index": 2}))
    made.append(OpCase("take", ((4, 3),), extra=(np.array([0, 2, 2, -1]),)))
    made.append(OpCase("take", ((4, 3),), extra=(np.array(1),)))
    made.append(
        OpCase("take_grad", ((3, 2),), options={"shape": (4, 2)}, extra=(np.array([1, 1, 0]),))
    )
    made.append(OpCase("where", ((2, 3), (3,)), extra=(np.array([[True, False, True]]),)))
    made.append(OpCase("cast", ((3,),), options={"dtype": "float64"}))
    made.append(OpCase("dropout", ((4, 5),), options={"rate": 0.4, "seed": "mask"}))
    return made


CASES = _cases()


def operands(case: OpCase, values: list[Any]) -> tuple[Any, ...]:
    """Return the operands in the op's order: the test of ``where`` stands in front."""
    if case.op == "where":
        return (case.extra[0], *values)
    return (*values, *case.extra)
