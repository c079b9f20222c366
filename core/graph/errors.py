"""Owns the errors of the graph engine: each names what it is about in one line.

Every class derives from :class:`GraphError`, so a front end can catch exactly these and show
the message; a bug in the engine itself stays an ordinary Python exception.
"""

from __future__ import annotations

from ..wording import say


class GraphError(Exception):
    """Base of every error that the engine explains to its user.

    ``what`` says what is wrong, ``hint`` what to try ("" where that depends on the program);
    the text of the error is ``what; hint``.
    """

    def __init__(self, what: str = "", *, hint: str = "") -> None:
        super().__init__(say("{what}; {hint}", what=what, hint=hint) if hint else what)
        self.what = what
        self.hint = hint


class ShapeError(GraphError):
    """Operands whose shapes do not fit the op."""


class DTypeError(GraphError):
    """Operands whose element types do not fit the op."""


class OptionError(GraphError):
    """An op called with an unknown option, a bad value of one, or a wrong number of operands."""


class ValueRangeError(GraphError):
    """A value that only shows at run time to be out of range, such as an index."""


class DimNeeded(ShapeError):  # noqa: N818 - a request to the tracer rather than a failure
    """A rule needs the number behind a symbolic dimension.

    ``symbols`` are the names of the symbols concerned, ``why`` says what needed them. A
    capture catches this and makes those dimensions exact.
    """

    def __init__(self, symbols: tuple[str, ...], why: str) -> None:
        listed = ", ".join(symbols)
        super().__init__(say("the size {listed} must be known here: {why}", listed=listed, why=why))
        self.symbols = symbols
        self.why = why


class DataDependentError(GraphError):
    """Python asked for the value of something that has none yet while a graph is drawn."""


class DefinitionError(GraphError):
    """A value used before it is defined, or outside the graph it belongs to."""


class FeedError(GraphError):
    """A feed that is missing, unknown, given twice, or of the wrong shape or element type."""


class VerifyError(GraphError):
    """A graph that breaks a rule; says which pass made it, which node, and which rule."""


class PlanError(GraphError):
    """A memory plan in which two live buffers overlap."""


class FreedError(GraphError):
    """A second backward through values that the first one freed."""


class InplaceError(GraphError):
    """A value saved for the backward was written in place afterwards."""


class NotDifferentiableError(GraphError):
    """A derivative was asked for where none is defined."""
