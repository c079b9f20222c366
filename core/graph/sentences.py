"""Owns the sentences of Python's parser and of numpy that reach a person.

The words are theirs and stay so in English. A sentence that is listed here is taken apart
into its template and its values, so that a front end can say it in another language.
"""

from __future__ import annotations

import re
from functools import cache

from ..wording import Said


def mark(template: str) -> str:
    """Return the template itself; the catalogues gather what is marked."""
    return template


#: What CPython 3.11 to 3.14 and numpy 2 say; the longer of two that begin alike comes first.
KNOWN: tuple[str, ...] = (
    mark("'{bracket}' was never closed"),
    mark("unmatched '{bracket}'"),
    mark(
        "closing parenthesis '{closing}' does not match opening parenthesis '{opening}' "
        "on line {line}"
    ),
    mark("closing parenthesis '{closing}' does not match opening parenthesis '{opening}'"),
    mark("too many nested parentheses"),
    mark("unterminated string literal (detected at line {line})"),
    mark("unterminated triple-quoted string literal (detected at line {line})"),
    mark("unterminated f-string literal (detected at line {line})"),
    mark("unterminated triple-quoted f-string literal (detected at line {line})"),
    mark("unexpected EOF while parsing"),
    mark("unexpected character after line continuation character"),
    mark("unexpected indent"),
    mark("unindent does not match any outer indentation level"),
    mark("inconsistent use of tabs and spaces in indentation"),
    mark("expected an indented block after {statement} on line {line}"),
    mark("expected an indented block"),
    mark("expected 'else' after 'if' expression"),
    mark("expected 'except' or 'finally' block"),
    mark("expected '{sign}'"),
    mark("invalid character '{character}' (U+{code})"),
    mark("invalid non-printable character U+{code}"),
    mark("invalid decimal literal"),
    mark("invalid hexadecimal literal"),
    mark("invalid octal literal"),
    mark("invalid binary literal"),
    mark("invalid imaginary literal"),
    mark("invalid digit '{digit}' in {base} literal"),
    mark(
        "leading zeros in decimal integer literals are not permitted; "
        "use an 0o prefix for octal integers"
    ),
    mark(
        "Exceeds the limit ({limit} digits) for integer string conversion: value has {digits} "
        "digits; use sys.set_int_max_str_digits() to increase the limit"
    ),
    mark("invalid syntax. Perhaps you forgot a comma?"),
    mark("invalid syntax. Maybe you meant '==' or ':=' instead of '='?"),
    mark("invalid syntax"),
    mark("cannot assign to {target} here. Maybe you meant '==' instead of '='?"),
    mark("cannot assign to {target}"),
    mark("cannot delete {target}"),
    mark("'{target}' is an illegal expression for augmented assignment"),
    mark("illegal target for annotation"),
    mark("only single target (not {target}) can be annotated"),
    mark('expression cannot contain assignment, perhaps you meant "=="?'),
    mark("positional argument follows keyword argument unpacking"),
    mark("positional argument follows keyword argument"),
    mark("keyword argument repeated: {name}"),
    mark("duplicate argument '{name}' in function definition"),
    mark("non-default argument follows default argument"),
    mark("parameter without a default follows parameter with a default"),
    mark("named arguments must follow bare *"),
    mark("Generator expression must be parenthesized"),
    mark("did you forget parentheses around the comprehension target?"),
    mark("trailing comma not allowed without surrounding parentheses"),
    mark("Missing parentheses in call to '{name}'. Did you mean {name}(...)?"),
    mark("f-string: {message}"),
    mark("expecting '{sign}'"),
    mark("empty expression not allowed"),
    mark("single '{sign}' is not allowed"),
    mark("valid expression required before '{sign}'"),
    mark("source code string cannot contain null bytes"),
    mark("source code cannot contain null bytes"),
    mark(
        "'{codec}' codec can't encode character '{character}' in position {position}: "
        "surrogates not allowed"
    ),
    mark(
        "'{codec}' codec can't encode characters in position {first}-{last}: surrogates not allowed"
    ),
    mark("operands could not be broadcast together with shapes {shapes}"),
    mark(
        "shape mismatch: objects cannot be broadcast to a single shape.  Mismatch is between "
        "arg {first} with shape {left} and arg {second} with shape {right}."
    ),
    mark("could not broadcast input array from shape {shape} into shape {wanted}"),
    mark(
        "setting an array element with a sequence. The requested array has an inhomogeneous "
        "shape after {count} dimensions. The detected shape was {shape} + inhomogeneous part."
    ),
    mark("cannot reshape array of size {size} into shape {shape}"),
    mark("shapes {left} and {right} not aligned: {inner} != {other}"),
    mark(
        "matmul: Input operand {number} has a mismatch in its core dimension {axis}, with gufunc "
        "signature {signature} (size {size} is different from {other})"
    ),
    mark("index {index} is out of bounds for axis {axis} with size {size}"),
    mark("axis {axis} is out of bounds for array of dimension {ndim}"),
    mark("too many indices for array: array is {ndim}-dimensional, but {count} were indexed"),
    # What stands in the place of a value above.
    mark("'{word}' statement"),
    mark("function definition"),
    mark("class definition"),
    mark("function call"),
    mark("literal"),
    mark("expression"),
    mark("comparison"),
    mark("conditional expression"),
    mark("named expression"),
    mark("lambda"),
    mark("f-string expression"),
    mark("list comprehension"),
    mark("generator expression"),
    mark("dict literal"),
    mark("set display"),
    mark("subscript"),
    mark("attribute"),
    mark("tuple"),
    mark("list"),
    mark("hexadecimal"),
    mark("octal"),
    mark("binary"),
)


def recognized(text: str) -> str:
    """Return a sentence with its template and values; one that is not known as it is."""
    if isinstance(text, Said):
        return text
    for template, pattern in _patterns():
        found = pattern.fullmatch(text)
        if found is not None:
            values = {name: recognized(value) for name, value in found.groupdict().items()}
            return Said(template, values)
    return text


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((template, _pattern(template)) for template in KNOWN)


def _pattern(template: str) -> re.Pattern[str]:
    """Return what matches the texts that a template makes; a name that comes again is the same."""
    seen: set[str] = set()
    parts = []
    for part in re.split(r"(\{\w+\})", template):
        if not re.fullmatch(r"\{\w+\}", part):
            parts.append(re.escape(part))
            continue
        name = part[1:-1]
        parts.append(f"(?P={name})" if name in seen else f"(?P<{name}>.+?)")
        seen.add(name)
    return re.compile("".join(parts), re.DOTALL)
