"""Owns what a run is asked for, as one frozen record that a command line can say."""

from __future__ import annotations

from dataclasses import dataclass

#: Every pass, in the order in which screens list them; the last one changes values.
PASS_NAMES = ("fold", "deadbranch", "cse", "dce", "fuse", "fast-math")

#: The passes that keep every bit.
KEEPING = PASS_NAMES[:-1]

#: Say in ``grad`` that no gradient is wanted, or those of every float input.
NO_GRADIENTS, ALL_GRADIENTS = "none", "all"


@dataclass(frozen=True)
class GraphOptions:
    """The program, its inputs and calls, and how the modes run it.

    ``feed`` holds inputs of every call (``a=2; x=[1, 2]``), ``calls`` one text a call. ``grad``
    names the inputs whose gradients are wanted: nothing for the first float input.
    """

    program: str = "affine"
    feed: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()
    grad: tuple[str, ...] = ()
    passes: tuple[str, ...] = KEEPING
    recompile_limit: int = 8
    dynamic: str = "on"
    no_guards: bool = False


def pass_list(text: str) -> tuple[str, ...]:
    """Read ``all``, ``none`` or names with commas; raises ValueError."""
    if text == "all":
        return KEEPING
    if text == "none":
        return ()
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    if not names or any(name not in PASS_NAMES for name in names):
        raise ValueError(text)
    return ordered(names)


def ordered(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return passes in the order of the table, which is how they are compared."""
    return tuple(name for name in PASS_NAMES if name in names)


def toggled(options: GraphOptions, name: str) -> tuple[str, ...]:
    """Return the passes with one switched on or off."""
    if name in options.passes:
        return tuple(known for known in options.passes if known != name)
    return ordered((*options.passes, name))
