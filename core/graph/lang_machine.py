"""Owns the interpreter: one machine for all modes, its whole state in plain data.

``Machine.frames`` is everything: the calls that have not returned, each with its position,
variables and stack of values. Handlers look at their operands before they take them, so a
handler that is interrupted (capture ending a segment) leaves the state as it found it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..wording import say
from .errors import DimNeeded, GraphError, OptionError
from .events import LineReached
from .lang_budget import Meter
from .lang_calls import Calls
from .lang_code import CallShape, Code, Decision, Instruction, Program
from .lang_explain import explain
from .lang_host import ArmHost, Host, name_value
from .lang_refusal import Refusal
from .lang_values import (
    Frame,
    Function,
    Predefined,
    Unread,
    Variables,
    check_nesting,
    is_tensor,
    kind_of,
)
from .static import GraphBuilder

#: How deep cond and while_loop may stand within one another, through calls too.
DEEPEST_ARMS = 12

_MISSING = object()


class Machine:
    """Runs a program in the mode of ``host``; ``result`` holds what it returned."""

    def __init__(self, program: Program, host: Host, meter: Meter, arms: int = 0) -> None:
        self.program = program
        self.host = host
        self.meter = meter
        self.arms = arms
        self.globals = program.globals
        self.calls = Calls(host, meter, self.run_arm)
        self.frames: list[Frame] = []
        self.result: Any = None
        self.finished = False

    # -- running ------------------------------------------------------------------------

    def start(self, function: Function, args: Sequence[Any], named: dict[str, Any]) -> None:
        """Enter a function with no call around it."""
        self.frames = [self.frame(function, args, named)]
        self.finished = False

    def run(self) -> Any:
        """Run until the first function returns; return its value."""
        while not self.finished:
            self.step()
        return self.result

    def step(self) -> None:
        """Execute one instruction. Every failure of the program is a :class:`Refusal`."""
        frame = self.frames[-1]
        ask = frame.code.instructions[frame.position]
        meter = self.meter
        meter.place = ask.place
        meter.step()
        builder: Any = self.host.builder
        builder.line, builder.column = ask.place.line, ask.place.column
        handler: Callable[[Frame, Any, Instruction], None] = getattr(self, "do_" + ask.do)
        try:
            handler(frame, ask.arg, ask)
        except DimNeeded:
            raise
        except GraphError as error:
            raise self.explained(error, ask) from None

    def explained(self, error: GraphError, ask: Instruction) -> Refusal:
        """Return the refusal for an error of the engine at an instruction."""
        calls = self.calls
        tensors = [(value, calls.aval(value)) for value in calls.operands if is_tensor(value)]
        variables = self.frames[-1].variables.values if self.frames else {}
        return explain(error, ask, self.program.source.lines, variables, tensors)

    def frame(self, function: Function, args: Sequence[Any], named: dict[str, Any]) -> Frame:
        """Bind arguments to parameters."""
        code = function.code
        values = dict(zip(code.parameters, args, strict=False))
        if len(args) > len(code.parameters):
            raise OptionError(
                say(
                    "{function} takes {wanted} arguments, not {given}",
                    function=code.name, wanted=len(code.parameters), given=len(args),
                )
            )  # fmt: skip
        for name, value in named.items():
            if name not in code.parameters:
                raise OptionError(
                    say("{function} has no parameter {name}", function=code.name, name=name)
                )
            if name in values:
                raise OptionError(say("{function} got {name} twice", function=code.name, name=name))
            values[name] = value
        first = len(code.parameters) - len(function.defaults)
        for name, value in zip(code.parameters[first:], function.defaults, strict=True):
            values.setdefault(name, value)
        missing = [name for name in code.parameters if name not in values]
        if missing:
            raise OptionError(
                say(
                    "{function} needs a value for {missing}",
                    function=code.name, missing=", ".join(missing),
                )
            )  # fmt: skip
        return Frame(code, Variables(values, function.outer))

    def run_arm(self, function: Any, inner: GraphBuilder, args: tuple[Any, ...]) -> Any:
        """Draw a function given to cond or while_loop in its own builder."""
        if self.arms >= DEEPEST_ARMS:
            raise OptionError(
                say(
                    "cond and while_loop stand more than {limit} deep in one another",
                    limit=DEEPEST_ARMS,
                ),
                hint=say("both arms of a cond are drawn, so recursion through one never ends"),
            )
        machine = Machine(self.program, ArmHost(inner, self.host), self.meter, self.arms + 1)
        machine.globals = self.globals
        if isinstance(function, Predefined):
            ask = self.frames[-1].instruction
            return machine.calls.call(function, args, {}, ask)
        machine.start(function, args, {})
        return machine.run()

    # -- the stack ----------------------------------------------------------------------

    def peek(self, frame: Frame, count: int) -> list[Any]:
        """Return the top ``count`` values, first pushed first, without taking them."""
        if not count:
            return []
        stack = frame.stack
        for position in range(len(stack) - count, len(stack)):
            if type(stack[position]) is Unread:
                stack[position] = self.host.read(stack[position])
        return stack[-count:]

    def replace(self, frame: Frame, count: int, *values: Any) -> None:
        """Take ``count`` values, push others, go to the next instruction."""
        if count:
            del frame.stack[-count:]
        frame.stack.extend(values)
        frame.position += 1

    # -- values -------------------------------------------------------------------------

    def do_line(self, frame: Frame, arg: None, ask: Instruction) -> None:
        """Note that a statement begins."""
        if self.host.observer is not None:
            self.host.observer.emit(LineReached(ask.place.line, ask.place.column))
        frame.position += 1

    def do_const(self, frame: Frame, arg: Any, ask: Instruction) -> None:
        """Push a literal."""
        self.replace(frame, 0, arg)

    def do_load(self, frame: Frame, arg: tuple[int, str], ask: Instruction) -> None:
        """Push a variable of this call or of a function around it."""
        hops, name = arg
        variables: Variables | None = frame.variables
        for _ in range(hops):
            assert variables is not None
            variables = variables.outer
        assert variables is not None
        value = variables.values.get(name, _MISSING)
        if value is _MISSING:
            raise OptionError(
                say("{name} has no value yet on this path", name=name), hint=say("assign it first")
            )
        if type(value) is Unread:
            value = variables.values[name] = self.host.read(value)
        self.replace(frame, 0, value)

    def do_global(self, frame: Frame, arg: str, ask: Instruction) -> None:
        """Push a function or constant of the file."""
        code = self.program.functions.get(arg)
        if code is not None:
            self.replace(frame, 0, Function(code, self.program.function_defaults[arg]))
        else:
            self.replace(frame, 0, self.host.constant(arg, self.globals[arg]))

    def do_predefined(self, frame: Frame, arg: tuple[str, str], ask: Instruction) -> None:
        """Push an op, builtin or host function."""
        self.replace(frame, 0, Predefined(*arg))

    def do_store(self, frame: Frame, arg: str, ask: Instruction) -> None:
        """Take the top value into a variable."""
        value = frame.stack[-1]
        if is_tensor(value):
            name_value(self.host.builder, value, arg)
        frame.variables.values[arg] = value
        self.replace(frame, 1)

    def do_pop(self, frame: Frame, arg: None, ask: Instruction) -> None:
        """Drop the top value."""
        self.replace(frame, 1)

    def do_copy(self, frame: Frame, arg: None, ask: Instruction) -> None:
        """Push the top value again."""
        self.replace(frame, 0, *self.peek(frame, 1))

    def do_tuck(self, frame: Frame, arg: None, ask: Instruction) -> None:
        """Turn ``a b`` into ``b a b``: the middle of a chain is used twice."""
        left, right = self.peek(frame, 2)
        self.replace(frame, 2, right, left, right)

    def do_drop_below(self, frame: Frame, arg: None, ask: Instruction) -> None:
        """Turn ``a b`` into ``b``."""
        _, top = self.peek(frame, 2)
        self.replace(frame, 2, top)

    def do_tuple(self, frame: Frame, arg: int, ask: Instruction) -> None:
        """Make a tuple."""
        made = tuple(self.peek(frame, arg))
        check_nesting(made)
        self.replace(frame, arg, made)

    def do_list(self, frame: Frame, arg: int, ask: Instruction) -> None:
        """Make a list."""
        made = list(self.peek(frame, arg))
        check_nesting(made)
        self.replace(frame, arg, made)

    def do_slice(self, frame: Frame, arg: None, ask: Instruction) -> None:
        """Make a slice."""
        self.replace(frame, 3, slice(*self.peek(frame, 3)))

    def do_unpack(self, frame: Frame, arg: int, ask: Instruction) -> None:
        """Take a value apart; the first item ends on top."""
        (value,) = self.peek(frame, 1)
        iterator = self.calls.iterator(value)
        items: list[Any] = []
        while len(items) <= arg:
            step = self.calls.advance(iterator)
            if step is None:
                break
            item, iterator = step
            items.append(item)
        if len(items) != arg:
            many = say("more than {arg}", arg=arg) if len(items) > arg else str(len(items))
            raise OptionError(
                say(
                    "{value} with {many} items does not fill {arg} names",
                    value=kind_of(value), many=many, arg=arg,
                )
            )  # fmt: skip
        self.replace(frame, 1, *reversed(items))

    # -- operators ----------------------------------------------------------------------

    def do_binary(self, frame: Frame, arg: str, ask: Instruction) -> None:
        """Apply an operator to two values."""
        left, right = self.peek(frame, 2)
        self.replace(frame, 2, self.calls.binary(arg, left, right))

    def do_unary(self, frame: Frame, arg: str, ask: Instruction) -> None:
        """Apply an operator to one value."""
        (value,) = self.peek(frame, 1)
        self.replace(frame, 1, self.calls.unary(arg, value))

    def do_compare(self, frame: Frame, arg: str, ask: Instruction) -> None:
        """Compare two values."""
        left, right = self.peek(frame, 2)
        self.replace(frame, 2, self.calls.compare(arg, left, right))

    def do_not(self, frame: Frame, arg: str, ask: Instruction) -> None:
        """Turn a truth value round."""
        (value,) = self.peek(frame, 1)
        self.replace(frame, 1, not self.calls.truth(value, "not", ask, arg))

    def do_subscript(self, frame: Frame, arg: None, ask: Instruction) -> None:
        """Take a part of a value."""
        value, index = self.peek(frame, 2)
        self.replace(frame, 2, self.calls.subscript(value, index, ask))

    def do_attribute(self, frame: Frame, arg: str, ask: Instruction) -> None:
        """Take an attribute of a tensor."""
        (value,) = self.peek(frame, 1)
        self.replace(frame, 1, self.calls.attribute(value, arg))

    # -- jumps --------------------------------------------------------------------------

    def do_jump(self, frame: Frame, arg: int, ask: Instruction) -> None:
        """Go elsewhere."""
        frame.position = arg

    def do_jump_if_false(self, frame: Frame, arg: Decision, ask: Instruction) -> None:
        """Take a value; go elsewhere if it is false."""
        (value,) = self.peek(frame, 1)
        taken = self.calls.truth(value, arg.kind, ask, arg.text)
        self.replace(frame, 1)
        if not taken:
            frame.position = arg.target

    def do_keep_if_false(self, frame: Frame, arg: Decision, ask: Instruction) -> None:
        """Go elsewhere with a false value, else drop it: ``and``."""
        self.keep(frame, arg, ask, False)

    def do_keep_if_true(self, frame: Frame, arg: Decision, ask: Instruction) -> None:
        """Go elsewhere with a true value, else drop it: ``or``."""
        self.keep(frame, arg, ask, True)

    def keep(self, frame: Frame, arg: Decision, ask: Instruction, wanted: bool) -> None:
        """Go elsewhere and keep the value if its truth is ``wanted``, else drop it."""
        (value,) = self.peek(frame, 1)
        if self.calls.truth(value, arg.kind, ask, arg.text) == wanted:
            frame.position = arg.target
        else:
            self.replace(frame, 1)

    def do_iterate(self, frame: Frame, arg: str, ask: Instruction) -> None:
        """Begin to loop over a value."""
        (value,) = self.peek(frame, 1)
        self.replace(frame, 1, self.calls.iterator(value))

    def do_next(self, frame: Frame, arg: int, ask: Instruction) -> None:
        """Push the next item of a loop, or leave it."""
        (iterator,) = self.peek(frame, 1)
        step = self.calls.advance(iterator)
        if step is None:
            frame.stack.pop()
            frame.position = arg
            return
        item, rest = step
        self.replace(frame, 1, rest, item)

    # -- functions ----------------------------------------------------------------------

    def do_function(self, frame: Frame, arg: Code, ask: Instruction) -> None:
        """Make a function that sees the variables of this call."""
        defaults = tuple(self.peek(frame, arg.defaults))
        self.replace(frame, arg.defaults, Function(arg, defaults, frame.variables))

    def do_call(self, frame: Frame, arg: CallShape, ask: Instruction) -> None:
        """Call a function."""
        callee, *values = self.peek(frame, arg.total + 1)
        args = values[: arg.positional]
        named = dict(zip(arg.keywords, values[arg.positional :], strict=True))
        if isinstance(callee, Function):
            entered = self.frame(callee, args, named)
            if callee.code.captured and callee.outer is None and self.host.helper is not None:
                done, result = self.host.helper(callee.code, entered.variables.values)
                if done:
                    self.replace(frame, arg.total + 1, result)
                    return
            self.meter.depth(len(self.frames) + 1)
            self.replace(frame, arg.total + 1)
            self.frames.append(entered)
        elif isinstance(callee, Predefined):
            self.replace(frame, arg.total + 1, self.calls.call(callee, args, named, ask))
        else:
            raise OptionError(say("{callee} cannot be called", callee=kind_of(callee)))

    def do_method(self, frame: Frame, arg: CallShape, ask: Instruction) -> None:
        """Call a method."""
        receiver, *values = self.peek(frame, arg.total + 1)
        args = values[: arg.positional]
        named = dict(zip(arg.keywords, values[arg.positional :], strict=True))
        found = self.calls.method(receiver, arg.method, args, named, ask)
        self.replace(frame, arg.total + 1, found)

    def do_return(self, frame: Frame, arg: None, ask: Instruction) -> None:
        """Leave a function with a value."""
        (value,) = self.peek(frame, 1)
        self.frames.pop()
        if self.frames:
            self.frames[-1].stack.append(value)
        else:
            self.result = value
            self.finished = True
