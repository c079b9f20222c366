"""Undo and redo: a list of states, in which a held key counts as one change."""

from __future__ import annotations

from dataclasses import dataclass

from .state import State

#: States kept to go back to; a state is a few hundred bytes.
MOST_UNDOS = 1000


@dataclass(frozen=True)
class History:
    """The present state with those before and after it, nearest last."""

    present: State
    past: tuple[State, ...] = ()
    future: tuple[State, ...] = ()

    def after(self, state: State, *, held: bool = False) -> History:
        """Make ``state`` the present one.

        A change of selection alone is no step to undo. With ``held`` the change joins the one
        before it, because the same key is still down.
        """
        if state.content() == self.present.content():
            return History(state, self.past, self.future)
        if held and self.past:
            return History(state, self.past)
        return History(state, (*self.past, self.present)[-MOST_UNDOS:])

    def undo(self) -> History:
        """Go back by one change; without one, stay."""
        if not self.past:
            return self
        back = self.present.with_content_of(self.past[-1])
        return History(back, self.past[:-1], (*self.future, self.present))

    def redo(self) -> History:
        """Take one undo back; without one, stay."""
        if not self.future:
            return self
        forth = self.present.with_content_of(self.future[-1])
        return History(forth, (*self.past, self.present), self.future[:-1])
