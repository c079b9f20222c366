"""Readers of plain lines: text (one sequence a line), bare numbers, FASTA records.

Whole blocks of ASCII are measured by numpy; any line with another byte goes through Python's
own ``str.split()`` and ``len``, so that what counts as white space is what Python says.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..wording import say
from .dataset import DataOptions
from .detect import is_comment
from .reading import Reading
from .streams import ByteStream, line_blocks
from .tally import Lengths, Tally
from .units import Unit
from .values import LARGEST, BadRow, decoded, measure, shown, whole

_ASCII_SPACE = bytes(code for code in range(128) if chr(code).isspace())
_SPACE_TABLE = bytes(int(code in _ASCII_SPACE) for code in range(256))
_NEWLINE = 10
_DIGITS_AND_NEWLINE = b"0123456789\n"


def read_text(stream: ByteStream, tally: Tally, options: DataOptions) -> Reading:
    """Read one sequence a line; a blank line is a sequence of length zero."""
    unit = options.unit or "words"
    line = 1
    for block in line_blocks(stream):
        lengths = _measure_lines(block, unit)
        if block.isascii():
            tally.add_many(lengths, range(line, line + lengths.size))
        else:
            _add_wide_lines(block, lengths, line, unit, tally)
        line += lengths.size
    return Reading("text", unit=Unit(unit))


def _newlines(block: bytes) -> npt.NDArray[np.int64]:
    return np.flatnonzero(np.frombuffer(block, np.uint8) == _NEWLINE)


def _measure_lines(block: bytes, unit: str) -> Lengths:
    """Return the length of every line of a block, right where the line is ASCII."""
    ends = _newlines(block)
    if unit != "words":
        return np.diff(ends, prepend=-1) - 1
    space = np.frombuffer(block.translate(_SPACE_TABLE), np.bool_)
    # A word ends where a byte is no space and the next one is; every line ends in a space.
    word_ends = np.flatnonzero(space[1:] & ~space[:-1])
    return np.diff(np.searchsorted(word_ends, ends), prepend=0)


def _add_wide_lines(
    block: bytes, lengths: Lengths, first_line: int, unit: str, tally: Tally
) -> None:
    """Add the lines of a block, measuring again each one that is not ASCII."""
    begin = 0
    for offset, end in enumerate(_newlines(block).tolist()):
        text, begin = block[begin:end], end + 1
        try:
            length = int(lengths[offset]) if text.isascii() else measure(decoded(text), unit)
        except BadRow as problem:
            tally.bad(problem, first_line + offset)
        else:
            tally.add(length, first_line + offset)


def read_numbers(stream: ByteStream, tally: Tally, options: DataOptions) -> Reading:
    """Read one length a line; blank lines and ``#`` comments are passed over."""
    line = 1
    for block in line_blocks(stream):
        lengths = _plain_numbers(block)
        if lengths is not None:
            tally.add_many(lengths, range(line, line + lengths.size))
            line += lengths.size
            continue
        for raw in block[:-1].split(b"\n"):
            try:
                text = decoded(raw)
                if not is_comment(text):
                    tally.add(whole(text), line)
            except BadRow as problem:
                tally.bad(problem, line)
            line += 1
    return Reading("numbers")


def _plain_numbers(block: bytes) -> Lengths | None:
    """Return the numbers of a block that has one in each line and nothing else, or None."""
    if block.translate(None, _DIGITS_AND_NEWLINE):
        return None
    words = block.split()
    if len(words) != _newlines(block).size or max(map(len, words)) > 16:
        return None
    lengths = np.array(list(map(int, words)), np.int64)
    return lengths if int(lengths.max()) <= LARGEST else None


def read_fasta(stream: ByteStream, tally: Tally, options: DataOptions) -> Reading:
    """Read one sequence a record: the residues between its ``>`` line and the next."""
    record: int | None = None  # the line of the header of the open record
    residues = 0
    broken = False
    line = 0
    for block in line_blocks(stream):
        for raw in block[:-1].split(b"\n"):
            line += 1
            if raw.startswith(b">"):
                if record is not None and not broken:
                    tally.add(residues, record)
                record, residues, broken = line, 0, False
            elif not broken:
                try:
                    residues += _residues(raw, record)
                except BadRow as problem:
                    tally.bad(problem, line)
                    broken = True  # one bad row for all of the record
    if record is not None and not broken:
        tally.add(residues, record)
    return Reading("FASTA", unit=Unit("residues"))


def _residues(raw: bytes, record: int | None) -> int:
    """Return the residues in one line of a record. Raises BadRow if it cannot be part of one."""
    text = decoded(raw)
    count = sum(map(len, text.split()))
    if record is None and count:
        raise BadRow(say('"{text}" stands before the first > header', text=shown(text.strip())))
    return count
