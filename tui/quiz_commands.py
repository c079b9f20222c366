"""The commands of the Quiz screen, in the form of the table in ``commands.py``."""

from __future__ import annotations

from .commands import LAB_COMMANDS, Command, mark

QUIZ = mark("Quiz")

QUIZ_COMMANDS: tuple[Command, ...] = (
    Command("quiz.enter", ("enter",), "Enter", "enter",
            mark("type an answer, or go on to the next question"), QUIZ, mark("answer")),
    Command("quiz.choose", tuple("1234567890"), "1-9", "type",
            mark("choose an answer, or begin to type a number"), QUIZ, mark("choose")),
    Command("quiz.next", ("space", "n"), "Space", "next",
            mark("the next question; what was wrong comes again"), QUIZ, mark("next")),
    Command("quiz.previous", ("up", "k"), "↑ k", "row(-1)",
            mark("the question above"), QUIZ, mark("question")),
    Command("quiz.following", ("down", "j"), "↓ j", "row(1)", mark("the question below"), QUIZ),
    Command("quiz.draw", ("r",), "r", "draw",
            mark("new questions; what was wrong before comes first"), QUIZ, mark("new")),
    Command("quiz.seed", ("e",), "e", "seed",
            mark("the questions of a seed, the same for a whole class"), QUIZ, mark("seed")),
    Command("quiz.up", ("pageup",), "PgUp", "scroll(-1)",
            mark("scroll the question up"), QUIZ),
    Command("quiz.down", ("pagedown",), "PgDn", "scroll(1)",
            mark("scroll the question down"), QUIZ),
)  # fmt: skip

#: Commands of the Lab that mean the same here.
_SHARED = ("pane.next", "pane.previous", "view.zoom", "view.back", "copy.table", "copy.line",
           "view.columns_left", "view.columns_right")  # fmt: skip

SHARED_COMMANDS = tuple(command for command in LAB_COMMANDS if command.id in _SHARED)
