"""DATA as a command line spells it, turned into a list of sources to read, each with its weight."""

from __future__ import annotations

import difflib
import glob
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ..errors import DataError
from ..foreign import reason
from ..wording import say
from .bundled import names
from .detect import DATA_SUFFIXES
from .generators import is_generator
from .values import shown

STDIN = "-"

_WEIGHT = re.compile(r"(.+)\*([0-9]{1,18})\Z", re.DOTALL)
_GLOB = re.compile(r"[*?[]")


@dataclass(frozen=True)
class Source:
    """One thing to read: a ``file`` by its path, ``stdin``, a ``bundled`` set or a ``generator``.

    ``text`` is the path, the name or the generator as typed; every length counts ``weight``
    times.
    """

    kind: Literal["file", "stdin", "bundled", "generator"]
    text: str
    weight: int = 1

    @property
    def label(self) -> str:
        """How messages call the source."""
        return "stdin" if self.kind == "stdin" else shown(self.text, 200)


def resolve(words: Sequence[str]) -> list[Source]:
    """Return the sources that DATA names, in its order; folders and globs give sorted files.

    Raises DataError for a word that names nothing, a folder or a glob without data, a weight of
    0, and standard input asked for twice.
    """
    sources = [source for word in words for source in _resolve_word(word)]
    if sum(source.kind == "stdin" for source in sources) > 1:
        raise DataError(say("standard input can be read only once"), where=STDIN)
    return sources


def _resolve_word(word: str) -> list[Source]:
    # A path that has the whole pattern wins; a generator with a weight would be a bad generator.
    if found := _paths(word):
        return [Source("file", path) for path in found]
    weighted = _WEIGHT.match(word)
    if weighted is None:
        return [_named(word, 1)]
    name, weight = weighted[1], int(weighted[2])
    if weight == 0:
        raise DataError(say("a weight is at least 1"), where=shown(word, 200))
    if found := _paths(name):
        return [Source("file", path, weight) for path in found]
    return [_named(name, weight)]


def _paths(word: str) -> list[str]:
    """Return the files that a word means as a path: one, those of a folder, those of a glob."""
    if word == STDIN or "\0" in word:
        return []
    if os.path.isdir(word):
        return _shards(word)
    return [word] if os.path.lexists(word) else _matches(word)


def _named(word: str, weight: int) -> Source:
    """Return what a word means that is no path. Raises DataError where it means nothing."""
    if word == STDIN:
        return Source("stdin", word, weight)
    if word in names():
        return Source("bundled", word, weight)
    if is_generator(word):
        return Source("generator", word, weight)
    raise _unknown(word)


def _matches(pattern: str) -> list[str]:
    """Return the files that a glob matches, sorted; folders among them are left out."""
    if not _GLOB.search(pattern):
        return []
    found = sorted(glob.glob(pattern, recursive=True))
    paths = [path for path in found if not os.path.isdir(path)]
    if found and not paths:
        raise DataError(say("matches folders only"), where=shown(pattern, 200), hint=say("add /*"))
    return paths


def _shards(folder: str) -> list[str]:
    """Return the data files directly inside a folder, sorted. Raises DataError without any."""
    try:
        inside = sorted(os.listdir(folder))
    except OSError as error:
        refused = reason(error, "cannot be listed", small=True)
        raise DataError(refused, where=shown(folder, 200)) from None
    paths = [
        os.path.join(folder, name)
        for name in inside
        if not name.startswith((".", "_"))
        and name.lower().removesuffix(".gz").endswith(DATA_SUFFIXES)
        and os.path.isfile(os.path.join(folder, name))
    ]
    if not paths:
        raise DataError(
            say("the folder holds no data files"),
            where=shown(folder, 200),
            hint=say(
                "files ending {suffixes} are read, others by a glob",
                suffixes=" ".join(DATA_SUFFIXES),
            ),
        )
    return paths


def _unknown(word: str) -> DataError:
    if _GLOB.search(word):
        return DataError(say("no file matches"), where=shown(word, 200))
    close = difflib.get_close_matches(word, names(), 1)
    close += [name for name in names() if len(word) > 2 and word in name]
    hint = say("dgplay data lists the bundled data sets")
    if close:
        hint = say("did you mean {name}?", name=close[0])
    if os.sep in word or re.search(r"\.[A-Za-z]+\Z", word):
        return DataError(say("no such file or folder"), where=shown(word, 200))
    what = say("no such file, folder, bundled data set or generator")
    return DataError(what, where=shown(word or "''", 200), hint=hint)
