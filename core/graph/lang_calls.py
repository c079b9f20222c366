"""Owns calls: builtins, host functions, methods, and ops by their names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..wording import say
from .avals import SymbolicDim
from .errors import OptionError
from .lang_budget import Meter
from .lang_code import Instruction
from .lang_host import Host
from .lang_names import ALIASES
from .lang_numbers import compare, known
from .lang_operations import Operations
from .lang_values import (
    LARGEST_VALUE,
    Function,
    Predefined,
    RangeValue,
    ZipValue,
    holds_list,
    is_number,
    is_tensor,
    kind_of,
)
from .ops import REQUIRED, get_op
from .static import GraphBuilder

#: Runs a function of the program on values of another builder, at once.
RunFunction = Callable[[Any, GraphBuilder, tuple[Any, ...]], Any]


class Calls(Operations):
    """Calls everything but the program's own functions, which the machine enters itself."""

    def __init__(self, host: Host, meter: Meter, run_function: RunFunction) -> None:
        super().__init__(host, meter)
        self.run_function = run_function

    def call(
        self, callee: Predefined, args: Sequence[Any], named: dict[str, Any], ask: Instruction
    ) -> Any:
        """Call an op, a builtin or a host function."""
        if callee.kind == "op":
            return self.call_op(ALIASES.get(callee.name, callee.name), args, named)
        if callee.kind == "host":
            self.take(callee.name, args, named, 1, 1)
            return self.request(callee.name, args[0], ask)
        method: Callable[..., Any] = getattr(self, "builtin_" + callee.name)
        return method(args, named, ask)

    def method(
        self, receiver: Any, name: str, args: Sequence[Any], named: dict[str, Any],
        ask: Instruction,
    ) -> Any:  # fmt: skip
        """Call ``receiver.name(...)``."""
        if name == "append":
            if not isinstance(receiver, list):
                raise OptionError(
                    say("append is for lists, not {receiver}", receiver=kind_of(receiver))
                )
            self.take("append", args, named, 1, 1)
            if holds_list(args[0]):
                raise OptionError(
                    say("a list is not appended to a list"),
                    hint=say("use a tuple for the inner one"),
                )
            receiver.append(args[0])
            if len(receiver) > LARGEST_VALUE:
                raise OptionError(say("a list holds at most {limit:,} items", limit=LARGEST_VALUE))
            return None
        if not is_tensor(receiver):
            raise OptionError(
                say("{receiver} has no method {name}", receiver=kind_of(receiver), name=name)
            )
        if name in ("item", "tolist", "round"):
            self.take(name, args, named, 0, 0)
            return self.request(name, receiver, ask)
        if name in ("reshape", "broadcast_to") and args and not isinstance(args[0], (tuple, list)):
            args = [tuple(args)]
        if name == "transpose" and args and not isinstance(args[0], (tuple, list)):
            args = [tuple(args)]
        return self.call_op(name, [receiver, *args], named)

    def call_op(self, name: str, args: Sequence[Any], named: dict[str, Any]) -> Any:
        """Apply an op: operands first, then its options in order or by name."""
        if all(is_number(arg) for arg in args) and not named:
            if name == "abs" and len(args) == 1:
                return -args[0] if compare("less", args[0], 0) else args[0]
            if name == "pow" and len(args) == 2:
                return self.binary("pow", args[0], args[1])
        if name == "max" and not named and compares(args):
            return self.extreme("maximum", args)
        if name == "sum" and args and isinstance(args[0], (list, tuple)):
            return self.sum_items(args[0])
        op = get_op(name)
        if op.arity is None:
            several = args[0] if args and isinstance(args[0], (list, tuple)) else args
            extra = args[1:] if several is not args else ()
            if not several:
                raise OptionError(say("{name} needs at least one tensor", name=name))
            return self.op(name, *several, **self.options(name, extra, named))
        if len(args) < op.arity:
            raise OptionError(
                say(
                    "{name} takes {wanted} operands, not {given}",
                    name=name, wanted=op.arity, given=len(args),
                )
            )  # fmt: skip
        options = self.options(name, args[op.arity :], named)
        return self.op(name, *args[: op.arity], **options)

    def options(self, name: str, extra: Sequence[Any], named: dict[str, Any]) -> dict[str, Any]:
        """Return the options of an op, given in order or by name; they are Python values."""
        names = list(get_op(name).options)
        if len(extra) > len(names):
            raise OptionError(
                say("{name} takes no more than {count} options", name=name, count=len(names))
            )
        found = dict(zip(names, extra, strict=False))
        for key, value in named.items():
            if key in found:
                raise OptionError(say("{name} got the option {key} twice", name=name, key=key))
            found[key] = value
        for key, value in found.items():
            if key not in names:
                known_options = ", ".join(names) or "none"
                raise OptionError(
                    say(
                        "{name} has no option {key} (options: {known_options})",
                        name=name, key=key, known_options=known_options,
                    )
                )  # fmt: skip
            found[key] = self.option(name, key, value)
        for key in names:
            if get_op(name).options[key] is REQUIRED and key not in found:
                raise OptionError(say("{name} needs the option {key}", name=name, key=key))
        return found

    def option(self, name: str, key: str, value: Any) -> Any:
        """Return one option in the form that rules take."""
        if isinstance(value, (list, tuple)):
            return tuple(self.option(name, key, item) for item in value)
        if value is None or isinstance(value, (bool, int, float, str, SymbolicDim)):
            return value
        raise OptionError(
            say(
                "the option {key} of {name} is a Python number, not {value}",
                key=key, name=name, value=kind_of(value),
            ),
            hint=say("feed it as k=int(3)"),
        )  # fmt: skip

    def sum_items(self, items: Sequence[Any]) -> Any:
        """Return the sum of the items of a list, first to last."""
        total: Any = items[0] if items else 0
        for item in items[1:]:
            total = self.binary("add", total, item)
        return total

    def extreme(self, name: str, args: Sequence[Any]) -> Any:
        """Return the larger or smaller of several numbers or tensors."""
        best = args[0]
        for other in args[1:]:
            if is_number(best) and is_number(other):
                smaller = compare("less", other, best)
                larger = compare("greater", other, best)
                best = other if (larger if name == "maximum" else smaller) else best
            else:
                best = self.op(name, best, other)
        return best

    def request(self, name: str, value: Any, ask: Instruction) -> Any:
        """Return what Python gets of a value for ``int``, ``float``, ``item`` and the like."""
        if is_tensor(value):
            return self.host.value(value, name, ask)
        number = known(value)
        if not isinstance(number, (bool, int, float)):
            raise OptionError(say("{name} does not take {value}", name=name, value=kind_of(value)))
        if name in ("item", "tolist"):
            return number
        if name in ("int", "round") and (
            number != number or number in (float("inf"), -float("inf"))
        ):
            raise OptionError(say("{number} is not a whole number", number=number))
        convert: Callable[[Any], Any] = {"int": int, "float": float, "bool": bool}.get(name, round)
        return convert(number)

    @staticmethod
    def take(
        name: str, args: Sequence[Any], named: dict[str, Any], low: int, high: int | None
    ) -> None:
        """Check the number of arguments; none go by name."""
        if named:
            raise OptionError(
                say(
                    "{name} takes no argument called {unknown}",
                    name=name, unknown=next(iter(named)),
                )
            )  # fmt: skip
        if len(args) < low or (high is not None and len(args) > high):
            wanted = str(low)
            if high is None:
                wanted = say("{low} or more", low=low)
            elif low != high:
                wanted = say("{low} to {high}", low=low, high=high)
            raise OptionError(
                say(
                    "{name} takes {wanted} arguments, not {given}",
                    name=name, wanted=wanted, given=len(args),
                )
            )  # fmt: skip

    # -- builtins -----------------------------------------------------------------------

    def builtin_len(self, args: Sequence[Any], named: dict[str, Any], ask: Instruction) -> Any:
        """Return the number of items."""
        self.take("len", args, named, 1, 1)
        return self.length(args[0])

    def builtin_range(self, args: Sequence[Any], named: dict[str, Any], ask: Instruction) -> Any:
        """Return whole numbers in order."""
        self.take("range", args, named, 1, 3)
        numbers = [
            self.host.value(arg, "range", ask) if is_tensor(arg) else known(arg) for arg in args
        ]
        if not all(isinstance(number, int) for number in numbers):
            raise OptionError(say("range takes whole numbers"), hint=say("feed them as k=int(3)"))
        if len(numbers) == 3 and numbers[2] == 0:
            raise OptionError(say("the step of range cannot be 0"))
        if any(abs(number) > 2**62 for number in numbers):
            raise OptionError(say("range takes whole numbers of 64 bits"))
        start, stop = (0, numbers[0]) if len(numbers) == 1 else numbers[:2]
        return RangeValue(start, stop, numbers[2] if len(numbers) == 3 else 1)

    def builtin_int(self, args: Sequence[Any], named: dict[str, Any], ask: Instruction) -> Any:
        """Return a Python whole number."""
        self.take("int", args, named, 1, 1)
        return self.request("int", args[0], ask)

    def builtin_float(self, args: Sequence[Any], named: dict[str, Any], ask: Instruction) -> Any:
        """Return a Python number."""
        self.take("float", args, named, 1, 1)
        return self.request("float", args[0], ask)

    def builtin_bool(self, args: Sequence[Any], named: dict[str, Any], ask: Instruction) -> Any:
        """Return a truth value."""
        self.take("bool", args, named, 1, 1)
        if is_tensor(args[0]) or is_number(args[0]):
            return self.request("bool", args[0], ask)
        return self.truth(args[0], "bool", ask, "")

    def builtin_min(self, args: Sequence[Any], named: dict[str, Any], ask: Instruction) -> Any:
        """Return the smallest; of one tensor, over its elements."""
        if len(args) == 1 and is_tensor(args[0]):
            return self.op("neg", self.call_op("max", [self.op("neg", args[0])], named))
        self.take("min", args, named, 2, None)
        return self.extreme("minimum", args)

    def builtin_enumerate(
        self, args: Sequence[Any], named: dict[str, Any], ask: Instruction
    ) -> Any:
        """Return pairs of position and item."""
        self.take("enumerate", args, named, 1, 1)
        return ZipValue((RangeValue(0, 2**62, 1), self.iterator(args[0])))

    def builtin_zip(self, args: Sequence[Any], named: dict[str, Any], ask: Instruction) -> Any:
        """Return items side by side; the shortest ends it."""
        self.take("zip", args, named, 1, None)
        return ZipValue(tuple(self.iterator(arg) for arg in args))

    def builtin_array(self, args: Sequence[Any], named: dict[str, Any], ask: Instruction) -> Any:
        """Return a tensor of nested lists."""
        self.take("array", args, named, 1, 1)
        value = args[0]
        return (
            self.builder.const(float(known(value))) if is_number(value) else self.tensor_of(value)
        )

    def builtin_zeros(self, args: Sequence[Any], named: dict[str, Any], ask: Instruction) -> Any:
        """Return zeros."""
        return self.filled("zeros", 0.0, args, named)

    def builtin_ones(self, args: Sequence[Any], named: dict[str, Any], ask: Instruction) -> Any:
        """Return ones."""
        return self.filled("ones", 1.0, args, named)

    def filled(self, name: str, value: float, args: Sequence[Any], named: dict[str, Any]) -> Any:
        """Return a tensor of one number in a shape given as sizes or as one tuple."""
        self.take(name, args, named, 0, None)
        sizes = args[0] if len(args) == 1 and isinstance(args[0], (tuple, list)) else args
        shape = self.option(name, "shape", tuple(sizes))
        return self.op("fill", shape=shape, value=value, dtype="float64")

    def builtin_print(self, args: Sequence[Any], named: dict[str, Any], ask: Instruction) -> Any:
        """Print now."""
        self.take("print", args, named, 0, None)
        self.host.show(tuple(args), ask)

    def builtin_graph_print(
        self, args: Sequence[Any], named: dict[str, Any], ask: Instruction
    ) -> Any:
        """Print when the graph runs."""
        self.take("graph_print", args, named, 1, None)
        parts = tuple(
            None if is_tensor(arg) else str(known(arg)) if is_number(arg) else str(arg)
            for arg in args
        )
        self.op("print", *(arg for arg in args if is_tensor(arg)), parts=parts)

    def builtin_capture(self, args: Sequence[Any], named: dict[str, Any], ask: Instruction) -> Any:
        """Refuse ``capture`` as anything but a decorator."""
        raise OptionError(say("capture stands above a def, as @capture"))

    def builtin_cond(self, args: Sequence[Any], named: dict[str, Any], ask: Instruction) -> Any:
        """Run one of two functions, chosen when it runs."""
        self.take("cond", args, named, 3, None)
        test, true_function, false_function, *operands = args
        self.functions("cond", true_function, false_function)
        self.meter.op()
        if not (is_tensor(test) or isinstance(test, bool)):
            raise OptionError(
                say(
                    "the test of cond is a tensor such as x.sum() > 0, not {test}",
                    test=kind_of(test),
                )
            )
        return self.builder.cond(
            self.host.adopt(test) if is_tensor(test) else test,
            lambda inner, *values: self.arm(true_function, inner, values),
            lambda inner, *values: self.arm(false_function, inner, values),
            *(self.operand("cond", value, ()) for value in operands),
        )

    def builtin_while_loop(
        self, args: Sequence[Any], named: dict[str, Any], ask: Instruction
    ) -> Any:
        """Repeat a function while another says so, decided when it runs."""
        self.take("while_loop", args, named, 3, None)
        test, body, *carries = args
        self.functions("while_loop", test, body)
        self.meter.op()
        several = len(carries) > 1
        found = self.builder.while_loop(
            lambda inner, *values: self.arm(test, inner, values),
            lambda inner, *values: self.arm(body, inner, values),
            *(self.operand("while_loop", value, ()) for value in carries),
        )
        return tuple(found) if several else found[0]

    def functions(self, name: str, *functions: Any) -> None:
        """Check that functions are functions."""
        for function in functions:
            if not isinstance(function, (Function, Predefined)):
                raise OptionError(
                    say(
                        "{name} takes functions, such as lambda x: x + 1, not {function}",
                        name=name, function=kind_of(function),
                    )
                )  # fmt: skip

    def arm(self, function: Any, inner: GraphBuilder, values: tuple[Any, ...]) -> Any:
        """Draw a function inside a subgraph; its results become values of that graph."""
        result = self.run_function(function, inner, values)
        if isinstance(result, (tuple, list)):
            return tuple(self.result(inner, item) for item in result)
        return self.result(inner, result)

    def result(self, inner: GraphBuilder, value: Any) -> Any:
        """Return a result of an arm as a value that a graph can return."""
        if is_tensor(value):
            return value if value.builder is inner else self.host.adopt(value)
        if isinstance(value, (bool, int, float)):
            return inner.const(value)
        if isinstance(value, SymbolicDim):
            return inner.call("dim", size=value, dtype="int64")
        raise OptionError(
            say("a function of cond or while_loop returned {value}", value=kind_of(value))
        )


def compares(args: Sequence[Any]) -> bool:
    """Return whether ``max(a, b)`` compares: a whole number beside one tensor is an axis."""
    if len(args) == 2 and is_tensor(args[0]) and isinstance(args[1], int):
        return False
    return len(args) > 1 and all(is_number(arg) or is_tensor(arg) for arg in args)
