"""Bytes of one source: opened, unpacked where they are gzip, cut into blocks of whole lines.

Whatever goes wrong below (missing, forbidden, truncated, damaged) is a DataError of one line.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from typing import BinaryIO, Protocol, cast

from ..errors import DataError
from ..foreign import foreign
from ..wording import say
from .values import shown

#: How much of a source is looked at to tell what it is.
HEAD = 1 << 16

#: Lines are read in blocks of about this many bytes: large enough to be fast, and cache-sized.
BLOCK = 1 << 17

_GZIP = b"\x1f\x8b"
_BOM = b"\xef\xbb\xbf"

#: A gzip file inside a gzip file is unpacked; deeper nesting is taken for data.
_GZIP_LAYERS = 2

_ARCHIVES = (
    (b"PK\x03\x04", say("a zip archive (or .npz)")),
    (b"BZh", say("bzip2 data")),
    (b"\xfd7zXZ\x00", say("xz data")),
    (b"\x28\xb5\x2f\xfd", say("zstd data")),
    (b"7z\xbc\xaf\x27\x1c", say("a 7z archive")),
)


class Readable(Protocol):
    """Something that gives bytes."""

    def read(self, size: int = -1, /) -> bytes:
        """Return at most ``size`` bytes, none at the end."""


class ByteStream:
    """Bytes read forward once, with a look ahead. ``name`` is how messages call the source."""

    def __init__(self, raw: Readable, name: str, *, path: str | None = None) -> None:
        self.name = name
        #: The file that holds exactly these bytes, None for pipes and unpacked data.
        self.path = path
        self._raw = raw
        self._head = b""

    def peek(self, size: int) -> bytes:
        """Return the next ``size`` bytes without taking them, fewer only at the end."""
        while len(self._head) < size:
            piece = self._pull(size - len(self._head))
            if not piece:
                break
            self._head += piece
        return self._head[:size]

    def read(self, size: int = -1) -> bytes:
        """Return at most ``size`` of the next bytes (all of them if negative), none at the end."""
        if size < 0:
            pieces = [self._head]
            self._head = b""
            while piece := self._pull(1 << 20):
                pieces.append(piece)
            return b"".join(pieces)
        if self._head:
            piece, self._head = self._head[:size], self._head[size:]
            return piece
        return self._pull(size)

    def _pull(self, size: int) -> bytes:
        try:
            return self._raw.read(size)
        except EOFError:
            raise DataError(say("the gzip data end too early"), where=self.name) from None
        except (gzip.BadGzipFile, zlib.error):
            raise DataError(say("the gzip data are damaged"), where=self.name) from None
        except OSError as error:
            raise unreadable(self.name, error) from None


def unreadable(name: str, error: OSError) -> DataError:
    """Return the one-line error for a file that the system does not give."""
    text = (error.strerror or str(error) or "cannot be read").lower()
    return DataError(foreign(shown(text, 80)), where=name)


def open_file(path: str) -> BinaryIO:
    """Open a file for reading bytes. Raises DataError if the system refuses."""
    try:
        return open(path, "rb")
    except OSError as error:
        raise unreadable(shown(path, 200), error) from None


def unpacked(stream: ByteStream) -> ByteStream:
    """Return the bytes inside gzip, or the stream itself where it is not gzip.

    Raises DataError for an empty source and for other kinds of archive.
    """
    for _ in range(_GZIP_LAYERS):
        if not stream.peek(2).startswith(_GZIP):
            break
        # Unpacking reads forward only, which is all that a ByteStream can do.
        stream = ByteStream(gzip.GzipFile(fileobj=cast(BinaryIO, stream)), stream.name)
    head = stream.peek(10)
    if not head or (head == _BOM):
        raise DataError(say("is empty"), where=stream.name)
    for magic, what in _ARCHIVES:
        if head.startswith(magic) and (magic != b"BZh" or head[4:10] == b"1AY&SY"):
            raise DataError(
                say("is {what}", what=what), where=stream.name, hint=say("unpack it first")
            )
    return stream


def line_blocks(stream: ByteStream, size: int = BLOCK) -> Iterator[bytes]:
    """Cut a stream into blocks of whole lines, each line ending in ``\\n``, the last one too.

    A byte order mark at the start is taken away, and ``\\r\\n`` becomes ``\\n``.
    """
    if stream.peek(len(_BOM)) == _BOM:
        stream.read(len(_BOM))
    rest: list[bytes] = []
    while piece := stream.read(size):
        end = piece.rfind(b"\n") + 1
        if end:
            rest.append(piece[:end])
            yield _unix(b"".join(rest))
            rest = []
        if end < len(piece):
            rest.append(piece[end:])
    if rest:
        yield _unix(b"".join(rest) + b"\n")


def _unix(block: bytes) -> bytes:
    return block.replace(b"\r\n", b"\n") if b"\r" in block else block
