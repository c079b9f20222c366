"""Owns what Python, numpy and the system say inside our messages, so that it can be translated.

Their English stays byte for byte. A sentence that is listed here is taken apart into its template
and its values, so that a front end can say it in another language; the rest passes as it is.
"""

from __future__ import annotations

import json
import re
from functools import cache

from .wording import Said, mark, say

#: What the system says most often where a file cannot be read or written.
SYSTEM: tuple[str, ...] = (
    mark("No such file or directory"),
    mark("Permission denied"),
    mark("Operation not permitted"),
    mark("Is a directory"),
    mark("Not a directory"),
    mark("File exists"),
    mark("File name too long"),
    mark("Too many levels of symbolic links"),
    mark("No space left on device"),
    mark("Read-only file system"),
    mark("Input/output error"),
    mark("Device or resource busy"),
    mark("Too many open files"),
    mark("Disk quota exceeded"),
    mark("Invalid argument"),
    mark("no such file or directory"),
    mark("permission denied"),
    mark("operation not permitted"),
    mark("is a directory"),
    mark("not a directory"),
    mark("file name too long"),
    mark("too many levels of symbolic links"),
    mark("input/output error"),
    mark("cannot be listed"),
    mark("cannot be read"),
)

#: What Python's readers of JSON, CSV and command lines say.
READERS: tuple[str, ...] = (
    mark("Expecting value"),
    mark("Expecting ',' delimiter"),
    mark("Expecting ':' delimiter"),
    mark("Expecting property name enclosed in double quotes"),
    mark("Illegal trailing comma before end of array"),
    mark("Illegal trailing comma before end of object"),
    mark("Extra data"),
    mark("Unterminated string starting at"),
    mark("Invalid control character at"),
    mark("Invalid \\escape"),
    mark("Invalid \\uXXXX escape"),
    mark("Unexpected UTF-8 BOM (decode using utf-8-sig)"),
    mark("',' expected after '\"'"),
    mark("new-line character seen in unquoted field"),
    mark("line contains NUL"),
    mark("No closing quotation"),
    mark("No escaped character"),
    mark("no closing quotation"),
    mark("no escaped character"),
)

#: What the parser of CPython 3.11 to 3.14 says; the longer of two that begin alike comes first.
PARSER: tuple[str, ...] = (
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
)

#: What numpy 2 says of arrays that do not fit.
NUMPY: tuple[str, ...] = (
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
)

#: What stands in the place of a value in the sentences of the parser.
VALUES: tuple[str, ...] = (
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

KNOWN: tuple[str, ...] = (*SYSTEM, *READERS, *PARSER, *NUMPY, *VALUES)

_WITHOUT_VALUES = frozenset(template for template in KNOWN if "{" not in template)


def foreign(text: str) -> str:
    """Return a sentence that is not ours, with its template and values where it is known."""
    if isinstance(text, Said):
        return text
    if text in _WITHOUT_VALUES:
        return Said(text, {})
    for template, pattern in _patterns():
        found = pattern.fullmatch(text)
        if found is not None:
            values = {name: foreign(value) for name, value in found.groupdict().items()}
            return Said(template, values)
    return text


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((each, _pattern(each)) for each in KNOWN if each not in _WITHOUT_VALUES)


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


def reason(error: OSError, otherwise: str = "", *, small: bool = False) -> str:
    """Return why the system refused, else ``otherwise``; ``small`` without a capital."""
    text = error.strerror or otherwise
    return foreign(text.lower() if small else text)


def unread(error: Exception) -> str:
    """Return the first line of why a JSON file cannot be read."""
    if isinstance(error, json.JSONDecodeError):
        return say(
            "{problem}: line {line} column {column} (char {place})",
            problem=foreign(error.msg),
            line=error.lineno,
            column=error.colno,
            place=error.pos,
        )
    if isinstance(error, UnicodeDecodeError):
        return say(
            "'{encoding}' codec can't decode byte 0x{byte:02x} in position {place}: {problem}",
            encoding=error.encoding,
            byte=error.object[error.start],
            place=error.start,
            problem=foreign(error.reason),
        )
    return foreign(str(error).split("\n")[0])
