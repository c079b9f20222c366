"""The challenge of the first start: from 5,10,15,20 to the optimum in four single moves.

Nothing is stored: the path is read from the history, so an undo takes a step of it back.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from .actions import table_of
from .sequences.dataset import DataOptions
from .session import Session
from .state import State

START = State()


@dataclass(frozen=True)
class Challenge:
    """The steps after each move since the start, and the least there is.

    ``single`` says whether every move shifted one boundary by one, as the challenge asks.
    """

    path: tuple[int, ...]
    goal: int
    single: bool

    @property
    def moves(self) -> int:
        """How many moves were made."""
        return len(self.path) - 1

    @property
    def solved(self) -> bool:
        """Whether the optimum is reached."""
        return self.path[-1] == self.goal


def challenge_of(session: Session) -> Challenge | None:
    """Return how the challenge stands, None where the session is not on its data."""
    if session.state.data != DataOptions():
        return None
    taken: list[State] = []
    for state in (*session.history.past, session.state):
        if _boundaries(state) == _boundaries(START):
            taken = [state]
        elif taken and state.data == START.data and state.boundaries != taken[-1].boundaries:
            taken.append(state)
    if not taken:
        return None
    path = tuple(table_of(state, session.analysis).steps for state in taken)
    single = all(
        _is_single_move(before.boundaries, after.boundaries) for before, after in pairwise(taken)
    )
    goal, _ = session.analysis.optimum(len(START.boundaries))
    return Challenge(path, goal, single)


def _boundaries(state: State) -> tuple[object, ...]:
    return (state.data, state.boundaries)


def _is_single_move(before: tuple[int, ...], after: tuple[int, ...]) -> bool:
    """Return whether one boundary, and only one, went one step."""
    if len(before) != len(after):
        return False
    return sum(abs(new - old) for old, new in zip(before, after, strict=True)) == 1
