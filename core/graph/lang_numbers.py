"""Owns arithmetic on Python numbers: bounded, and with errors that say what to do.

A whole number never grows beyond a few hundred bits, and that is checked before it is
computed: ``2**10**9`` costs nothing.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

from ..wording import say
from .avals import Dim, SymbolicDim, exact
from .errors import OptionError
from .lang_budget import LARGEST_BITS

#: Beyond this a factor of a size makes the size exact: budgets count the bits of numbers.
LARGEST_FACTOR = 2**32

_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "pow": operator.pow,
}

_COMPARISON: dict[str, Callable[[Any, Any], bool]] = {
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
    "equal": operator.eq,
    "not_equal": operator.ne,
}


def arithmetic(name: str, left: Any, right: Any) -> Any:
    """Return ``left name right`` for numbers; :class:`OptionError` says what cannot be."""
    symbolic = isinstance(left, SymbolicDim) or isinstance(right, SymbolicDim)
    whole = not isinstance(left, float) and not isinstance(right, float)
    if symbolic and whole and name in ("add", "sub", "mul"):
        result = _ARITHMETIC[name](left, right)
        if _is_small(result):
            return result
    left, right = known(left), known(right)
    if name in ("logical_and", "logical_or"):
        return _logical(name, left, right)
    _check_size(name, left, right)
    try:
        result = _ARITHMETIC[name](left, right)
    except ZeroDivisionError:
        raise OptionError(say("{left} cannot be divided by zero", left=left)) from None
    except OverflowError:
        raise OptionError(
            say("the result of {name} is too large for a number", name=name)
        ) from None
    if isinstance(result, complex):
        raise OptionError(say("{left} ** {right} is not a real number", left=left, right=right))
    return result


def _is_small(dim: Dim) -> bool:
    """Return whether numbers and factors are small enough for every size to give 64 bits."""
    if not isinstance(dim, SymbolicDim):
        return True
    return max(abs(n) for n in (dim.offset, *(factor for _, factor in dim.terms))) < LARGEST_FACTOR


def compare(name: str, left: Any, right: Any) -> bool:
    """Return ``left name right`` for numbers, deciding for symbolic sizes where possible."""
    if left is right or left == right:
        return name in ("less_equal", "greater_equal", "equal") and left == left
    if name in ("equal", "not_equal") and not (_symbolic(left) or _symbolic(right)):
        return _COMPARISON[name](left, right)
    if _symbolic(left) or _symbolic(right):
        decided = _decide_by_bounds(name, left, right)
        if decided is not None:
            return decided
    return _COMPARISON[name](known(left), known(right))


def known(value: Any) -> Any:
    """Return the number behind a size; DimNeeded where a decision needs a symbolic one."""
    if isinstance(value, SymbolicDim):
        return exact(value, say("Python computes with it"))
    return value


def _symbolic(value: Any) -> bool:
    return isinstance(value, SymbolicDim)


def _decide_by_bounds(name: str, left: Any, right: Any) -> bool | None:
    """Decide a comparison that holds, or fails, for every size of at least 2."""
    if isinstance(left, float) or isinstance(right, float):
        return None
    difference = left - right
    if not isinstance(difference, SymbolicDim):
        return _COMPARISON[name](difference, 0)
    if difference.low is not None and difference.low > 0:
        return name in ("greater", "greater_equal", "not_equal")
    opposite = -difference
    if isinstance(opposite, SymbolicDim) and opposite.low is not None and opposite.low > 0:
        return name in ("less", "less_equal", "not_equal")
    return None


def _logical(name: str, left: Any, right: Any) -> bool:
    if not (isinstance(left, bool) and isinstance(right, bool)):
        raise OptionError(
            say("& and | join truth values"), hint=say("use and, or for other values")
        )
    return (left and right) if name == "logical_and" else (left or right)


def _check_size(name: str, left: Any, right: Any) -> None:
    if not (isinstance(left, int) and isinstance(right, int)):
        return
    bits = max(left.bit_length(), right.bit_length()) + 1
    if name == "mul":
        bits = left.bit_length() + right.bit_length()
    elif name == "pow":
        # A negative power is a float, whatever its size.
        bits = int(math.log2(abs(left)) * right) + 1 if abs(left) > 1 and right > 0 else 1
    if bits > LARGEST_BITS:
        raise OptionError(
            say(
                "the whole number would have about {bits:,} bits, the budget is {limit}",
                bits=bits,
                limit=LARGEST_BITS,
            ),
            hint=say("use floats such as 2.0"),
        )
