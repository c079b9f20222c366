"""Owns the published table of derivatives where a function has a kink or none is defined.

Shown by the screens, cited by the tests, and the same in every mode. ``torch`` says whether
PyTorch 2.13 gives the same number.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kink:
    """One row: the op at a point, the derivative that this engine gives, and why."""

    op: str
    at: str
    operands: tuple[tuple[float, ...], ...]
    options: tuple[tuple[str, float], ...]
    gradients: tuple[tuple[float, ...] | None, ...]
    torch: bool
    why: str


INF = float("inf")
NAN = float("nan")

KINKS: tuple[Kink, ...] = (
    Kink("relu", "0", ((0.0,),), (), ((0.0,),), True, "0 lies outside x > 0"),
    Kink("abs", "0", ((0.0,),), (), ((0.0,),), True, "the middle of -1 and 1"),
    Kink("abs", "nan", ((NAN,),), (), ((NAN,),), False, "no side is known; PyTorch gives 0"),
    Kink("relu", "nan", ((NAN,),), (), ((1.0,),), True, "not closed, so it passes"),
    Kink("sqrt", "0", ((0.0,),), (), ((INF,),), True, "the one-sided limit"),
    Kink("maximum", "a tie", ((2.0,), (2.0,)), (), ((0.5,), (0.5,)), True, "half to each"),
    Kink("minimum", "a tie", ((2.0,), (2.0,)), (), ((0.5,), (0.5,)), True, "half to each"),
    Kink(
        "clip", "the lower bound", ((0.0,),), (("low", 0.0), ("high", 1.0)), ((1.0,),), True,
        "the bounds belong to the inside",
    ),
    Kink(
        "clip", "the upper bound", ((1.0,),), (("low", 0.0), ("high", 1.0)), ((1.0,),), True,
        "the bounds belong to the inside",
    ),
    Kink(
        "max", "a tie", ((2.0, 2.0, 1.0),), (), ((0.5, 0.5, 0.0),), True,
        "shared equally among the places that hold it",
    ),
    Kink("pow", "0 ** 0", ((0.0,), (0.0,)), (), ((0.0,), (0.0,)), True, "x ** 0 is flat"),
    Kink("pow", "0 ** 2", ((0.0,), (2.0,)), (), ((0.0,), (0.0,)), True, "0 ** p is flat"),
    Kink("mod", "a multiple", ((4.0,), (2.0,)), (), ((1.0,), (-2.0,)), True, "from the right"),
)  # fmt: skip
