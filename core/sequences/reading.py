"""What a reader returns beside its tally: how the source was read, in which unit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .dataset import DataOptions
from .streams import ByteStream
from .tally import Tally
from .units import Unit, shown_rate


@dataclass(frozen=True)
class Reading:
    """How a source was read: ``kind`` in words, its field if it has fields, its unit if stated.

    ``assumed`` says that the frame rate was not given but taken by default.
    """

    kind: str
    field: str | None = None
    unit: Unit | None = None
    assumed: bool = False

    def __str__(self) -> str:
        parts = [f"read as {self.kind}"]
        if self.field is not None:
            parts.append(f"field {self.field}")
        if self.unit is not None and self.unit.rate is not None:
            rate = f"{shown_rate(self.unit.rate)} frames a second"
            parts.append(f"{rate} (assumed)" if self.assumed else rate)
        elif self.unit is not None:
            parts.append(f"in {self.unit.name}")
        return ", ".join(parts)


Reader = Callable[[ByteStream, Tally, DataOptions], Reading]
