"""Owns what Python and the system say inside our messages, so that it can be translated too.

Their English stays byte for byte; the common sentences are said, the rest passes as it is.
"""

from __future__ import annotations

import json

from .wording import say

#: What the system says most often where a file cannot be read or written.
SYSTEM = (
    say("No such file or directory"),
    say("Permission denied"),
    say("Operation not permitted"),
    say("Is a directory"),
    say("Not a directory"),
    say("File exists"),
    say("File name too long"),
    say("Too many levels of symbolic links"),
    say("No space left on device"),
    say("Read-only file system"),
    say("Input/output error"),
    say("Device or resource busy"),
    say("Too many open files"),
    say("Disk quota exceeded"),
    say("Invalid argument"),
    say("no such file or directory"),
    say("permission denied"),
    say("operation not permitted"),
    say("is a directory"),
    say("not a directory"),
    say("file name too long"),
    say("too many levels of symbolic links"),
    say("input/output error"),
    say("cannot be listed"),
    say("cannot be read"),
)

#: What Python's readers of JSON, CSV and command lines say.
READERS = (
    say("Expecting value"),
    say("Expecting ',' delimiter"),
    say("Expecting ':' delimiter"),
    say("Expecting property name enclosed in double quotes"),
    say("Illegal trailing comma before end of array"),
    say("Illegal trailing comma before end of object"),
    say("Extra data"),
    say("Unterminated string starting at"),
    say("Invalid control character at"),
    say("Invalid \\escape"),
    say("Invalid \\uXXXX escape"),
    say("Unexpected UTF-8 BOM (decode using utf-8-sig)"),
    say("',' expected after '\"'"),
    say("new-line character seen in unquoted field"),
    say("line contains NUL"),
    say("No closing quotation"),
    say("No escaped character"),
    say("no closing quotation"),
    say("no escaped character"),
)

_KNOWN = {str(text): text for text in (*SYSTEM, *READERS)}


def foreign(text: str) -> str:
    """Return a sentence that is not ours, said where it is a common one."""
    return _KNOWN.get(text, text)


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
