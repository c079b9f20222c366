"""What every part of the Lab shares: its keys, its pane with the focus, its zoom."""

from __future__ import annotations

from typing import ClassVar

from .. import layout
from ..commands import LAB_COMMANDS, Command
from ..footer import Briefs, lab_briefs
from .shell import Shell


class LabBase(Shell):
    """The part that draws nothing: subclasses add keys, :class:`LabScreen` adds the panes."""

    OWN: ClassVar[tuple[Command, ...]] = LAB_COMMANDS

    def __init__(self) -> None:
        super().__init__("lab", layout.BUCKETS)

    @property
    def briefs(self) -> Briefs:
        """What the keys do in the pane with the focus."""
        run = self.dgplay.lesson
        question = run is not None and run.open_question
        return lab_briefs(self.showing, self.state, question=question)

    @property
    def panes(self) -> tuple[str, ...]:
        """The panes in the order of Tab; a lesson comes first."""
        return layout.PANES if self.dgplay.lesson is None else layout.LESSON_PANES
