"""Which kind of data a source holds: told by the option, magic bytes, the name, the first lines."""

from __future__ import annotations

import csv

from ..errors import DataError
from ..wording import say
from .fields import KNOWN
from .streams import HEAD, ByteStream
from .values import looks_like_number

KINDS = ("jsonl", "csv", "tsv", "histogram", "fasta", "numbers", "text", "npy", "parquet")

NPY_MAGIC = b"\x93NUMPY"
PARQUET_MAGIC = b"PAR1"

_SUFFIXES = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".fasta": "fasta",
    ".fa": "fasta",
    ".fna": "fasta",
    ".faa": "fasta",
}

#: Endings (before .gz) of the files that a folder of shards is made of.
DATA_SUFFIXES = (*_SUFFIXES, ".txt", ".npy", ".parquet")

DELIMITERS = {"csv": ",", "tsv": "\t"}


def detect(
    stream: ByteStream, filename: str, forced: str | None = None, field: str | None = None
) -> str:
    """Return one of ``KINDS`` for an unpacked stream, which is only looked at.

    In this order: ``forced``, magic bytes, the ending of ``filename``, the first line that is
    neither blank nor a ``#`` comment (a header counts if it has a known field or ``field``),
    every such line of the first 64 KiB being a number; else text. Raises DataError for a kind
    that does not exist.
    """
    if forced is not None and forced not in KINDS:
        raise DataError(
            say("unknown --format {forced}", forced=forced),
            hint=say("choose from {names}", names=", ".join(KINDS)),
        )
    if forced is None and (magic := _by_magic(stream.peek(8))):
        return magic
    named = forced or _by_name(filename)
    if named is not None and named not in DELIMITERS:
        return named
    lines = _content_lines(stream)
    first = lines[0] if lines else ""
    if named is not None:
        return _refined(named, first)
    if first.startswith("{"):
        return "jsonl"
    if first.startswith(">"):
        return "fasta"
    known = {*KNOWN, field} if field else {*KNOWN}
    for kind in ("tsv", "csv") if "\t" in first else ("csv",):
        if known.intersection(header_cells(first, kind)):
            return _refined(kind, first)
    return "numbers" if lines and all(map(looks_like_number, lines)) else "text"


def header_cells(line: str, kind: str) -> list[str]:
    """Return the cells of a header line, trimmed; none where it cannot be cut."""
    try:
        rows = list(csv.reader([line], delimiter=DELIMITERS[kind], strict=True))
    except csv.Error:
        return []
    return [cell.strip() for cell in rows[0]] if rows else []


def is_comment(line: str) -> bool:
    """Say whether a line is blank or a ``#`` comment."""
    stripped = line.strip()
    return not stripped or stripped.startswith("#")


def _by_magic(head: bytes) -> str | None:
    if head.startswith(NPY_MAGIC):
        return "npy"
    return "parquet" if head.startswith(PARQUET_MAGIC) else None


def _by_name(filename: str) -> str | None:
    lowered = filename.lower().removesuffix(".gz")
    return next((kind for end, kind in _SUFFIXES.items() if lowered.endswith(end)), None)


def _refined(kind: str, first: str) -> str:
    """Tell histograms and bare numbers from tables, by the first line that says something."""
    if header_cells(first, kind) == ["length", "count"]:
        return "histogram"
    return "numbers" if looks_like_number(first) else kind


def _content_lines(stream: ByteStream) -> list[str]:
    """Return the whole lines of the first 64 KiB that are neither blank nor comments."""
    head = stream.peek(HEAD)
    lines = head.decode("utf-8-sig", "replace").split("\n")
    if len(head) == HEAD and len(lines) > 1:
        lines.pop()  # cut off in the middle
    return [line.strip("\r") for line in lines if not is_comment(line)]
