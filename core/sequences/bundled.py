"""The bundled data sets: real length histograms that come with the package, by name."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import BinaryIO, cast

_SUFFIX = ".csv"


@dataclass(frozen=True)
class BundledSet:
    """What the first lines of a bundled set say about it.

    ``sequences`` and ``zeros`` count its sequences and the zero-length ones among them.
    """

    name: str
    field: str
    unit: str
    source: str
    files: str
    sequences: int
    zeros: int
    note: str = ""


def _folder() -> Traversable:
    package = __name__.rsplit(".", 2)[0]
    return files(f"{package}.data") / "lengths"


@cache
def names() -> tuple[str, ...]:
    """Return the names of the bundled sets, sorted."""
    found = (entry.name for entry in _folder().iterdir())
    return tuple(sorted(name.removesuffix(_SUFFIX) for name in found if name.endswith(_SUFFIX)))


def open_set(name: str) -> BinaryIO:
    """Open the histogram of a bundled set. Raises KeyError for a name that is not bundled."""
    if name not in names():
        raise KeyError(name)
    return cast(BinaryIO, (_folder() / f"{name}{_SUFFIX}").open("rb"))


@cache
def describe() -> tuple[BundledSet, ...]:
    """Return what there is to know of each bundled set, sorted by name."""
    return tuple(_described(name) for name in names())


def _described(name: str) -> BundledSet:
    said: dict[str, str] = {}
    with open_set(name) as lines:
        for raw in lines:
            if not raw.startswith(b"#"):
                break
            key, _, value = raw.decode("utf-8").lstrip("# ").partition(":")
            said[key] = value.strip()
    return BundledSet(
        name=said["name"],
        field=said["field"],
        unit=said["unit"],
        source=said["source"],
        files=said["files"],
        sequences=int(said["sequences"]),
        zeros=int(said["zero-length"]),
        note=said.get("note", ""),
    )
