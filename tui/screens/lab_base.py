"""What every part of the Lab shares: its keys, its pane with the focus, its zoom."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from .. import layout
from ..commands import LAB_COMMANDS, Command
from .shell import Shell


class LabBase(Shell):
    """The part that draws nothing: subclasses add keys, :class:`LabScreen` adds the panes."""

    OWN: ClassVar[tuple[Command, ...]] = LAB_COMMANDS

    def __init__(self) -> None:
        super().__init__("lab", layout.BUCKETS)
        self._overwrite: Path | None = None

    @property
    def panes(self) -> tuple[str, ...]:
        """The panes in the order of Tab; a lesson comes first."""
        return layout.PANES if self.dgplay.lesson is None else layout.LESSON_PANES
