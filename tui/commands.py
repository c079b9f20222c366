"""The commands of the Lab and the program; ``all_commands.py`` has those of every screen.

Bindings, palette, help and the key list of the README come from these tables.

A command has an id by which a user's keymap can move it to other keys. Every command can also be
reached through the palette, so nothing depends on a key that a terminal or an input method may
swallow.
"""

from __future__ import annotations

from dataclasses import dataclass

from textual.binding import Binding


def mark(text: str) -> str:
    """Mark a text for translation where it is written; it is translated where it is shown."""
    return text


@dataclass(frozen=True)
class Command:
    """What a key does.

    ``keys`` are Textual's names, the first is shown; ``brief`` is the label in the line of keys at
    the bottom, empty where the command is not listed there.
    """

    id: str
    keys: tuple[str, ...]
    shown: str
    action: str
    help: str
    group: str
    brief: str = ""

    def binding(self) -> Binding:
        """Return the binding, whose id a keymap can name."""
        return Binding(",".join(self.keys), self.action, self.help, show=False, id=self.id)

    def shown_as(self, *, ascii: bool) -> str:
        """Return the keys as they are shown, by their names where signs must be ASCII."""
        return " ".join(self.keys) if ascii and not self.shown.isascii() else self.shown


BUCKETS = mark("Bucket editor")
SEQUENCE = mark("One sequence")
LEARN = mark("Predict and compare")
VIEW = mark("View")
DATA = mark("Data and results")
PROGRAM = mark("Program")

LAB_COMMANDS: tuple[Command, ...] = (
    Command("bucket.previous", ("up", "k"), "↑ k", "vertical(-1)",
            mark("the bucket, mode or row above"), BUCKETS, mark("bucket")),
    Command("bucket.next", ("down", "j"), "↓ j", "vertical(1)",
            mark("the bucket, mode or row below"), BUCKETS),
    Command("bucket.left", ("left", "h"), "← h", "horizontal(-1)",
            mark("move the end of the bucket one step to the left"), BUCKETS, mark("move")),
    Command("bucket.right", ("right", "l"), "→ l", "horizontal(1)",
            mark("move the end of the bucket one step to the right"), BUCKETS),
    Command("bucket.left_far", ("shift+left", "H"), "⇧← H", "far(-1)",
            mark("move the end left by one column of the histogram"), BUCKETS),
    Command("bucket.right_far", ("shift+right", "L"), "⇧→ L", "far(1)",
            mark("move the end right by one column of the histogram"), BUCKETS),
    Command("bucket.type", ("enter", "equals_sign"), "Enter =", "type",
            mark("type an end: 17, +3, 5,10,15,20, 5.0s or k=8"), BUCKETS, mark("type")),
    Command("bucket.add", ("a",), "a", "add",
            mark("add a boundary where it saves most"), BUCKETS),
    Command("bucket.delete", ("d",), "d", "delete",
            mark("join the bucket with its neighbour"), BUCKETS),
    Command("bucket.methods", ("m",), "m", "methods",
            mark("every method with its resulting steps"), BUCKETS, mark("methods")),
    Command("bucket.optimum", ("o",), "o", "optimum",
            mark("the optimum for the same number of buckets"), BUCKETS, mark("optimum")),
    Command("bucket.more", ("plus",), "+", "count(1)",
            mark("the optimum for one bucket more"), BUCKETS),
    Command("bucket.fewer", ("minus",), "-", "count(-1)",
            mark("the optimum for one bucket fewer"), BUCKETS),
    Command("edit.undo", ("u",), "u", "undo", mark("undo"), BUCKETS, mark("undo")),
    Command("edit.redo", ("U",), "U", "redo", mark("redo"), BUCKETS),
    Command("view.pad_to", ("b",), "b", "pad_to",
            mark("pad to the longest of a bucket, or to its boundary"), BUCKETS),
    Command("view.sequence", ("t",), "t", "pane_of('sequence')",
            mark("one sequence: its state after each step"), SEQUENCE, mark("trace")),
    Command("sequence.next", ("n",), "n", "sequence(1)", mark("the next sequence"), SEQUENCE),
    Command("sequence.previous", ("N",), "N", "sequence(-1)",
            mark("the sequence before"), SEQUENCE),
    Command("sequence.shortest", ("left_square_bracket",), "[", "sequence_of('shortest')",
            mark("a shortest sequence"), SEQUENCE),
    Command("sequence.longest", ("right_square_bracket",), "]", "sequence_of('longest')",
            mark("a longest sequence"), SEQUENCE),
    Command("sequence.index", ("i",), "i", "sequence_index",
            mark("a sequence by its number"), SEQUENCE),
    Command("predict.toggle", ("p",), "p", "predict",
            mark("predict: hide results until guessed or revealed"), LEARN, mark("predict")),
    Command("predict.reveal", ("space",), "Space", "reveal",
            mark("reveal the row"), LEARN),
    Command("compare.pin", ("c",), "c", "pin",
            mark("keep this setting as A to compare with"), LEARN),
    Command("compare.show", ("C",), "C", "compare",
            mark("A against now, bucket by bucket, and other data"), LEARN),
    Command("time.measure", ("T",), "T", "time",
            mark("measure the time of each strategy"), LEARN),
    Command("view.all", ("A",), "A", "all_strategies",
            mark("all strategies, or the usual six"), LEARN),
    Command("pane.next", ("tab",), "Tab", "pane(1)", mark("the next pane"), VIEW, mark("pane")),
    Command("pane.previous", ("shift+tab",), "⇧Tab", "pane(-1)", mark("the pane before"), VIEW),
    Command("view.zoom", ("z",), "z", "zoom", mark("one pane alone, or all again"), VIEW),
    Command("view.back", ("escape",), "Esc", "back", mark("close what is open"), VIEW),
    Command("view.mode", ("g",), "g", "mode",
            mark("the next graph-building mode"), VIEW, mark("mode")),
    Command("view.preset", ("v",), "v", "preset",
            mark("lesson (correctness) or data (methods)"), VIEW),
    Command("view.columns_left", ("less_than_sign",), "<", "columns(-1)",
            mark("the columns before"), VIEW),
    Command("view.columns_right", ("greater_than_sign",), ">", "columns(1)",
            mark("the columns after"), VIEW),
    Command("data.open", ("f",), "f", "open_data",
            mark("other data: bundled, a file or a generator"), DATA, mark("data")),
    Command("data.settings", ("e",), "e", "settings",
            mark("edit generator, count, seed, scale, bias and hidden width"), DATA),
    Command("copy.table", ("y",), "y", "copy_table",
            mark("copy the table of the pane"), DATA),
    Command("copy.line", ("Y",), "Y", "copy_line",
            mark("copy the command line of this state"), DATA),
    Command("state.save", ("s",), "s", "save", mark("save this state to a file"), DATA),
)  # fmt: skip

#: The screens that are built, on the digits that the design gives them.
SCREEN_COMMANDS: tuple[Command, ...] = (
    Command("screen.lab", ("1",), "1", "screen('lab')",
            mark("the Lab: buckets, strategies, one sequence"), PROGRAM, mark("Lab")),
    Command("screen.plan", ("2",), "2", "screen('plan')",
            mark("the Plan: the whole frontier, methods, batches, exports"), PROGRAM,
            mark("Plan")),
    Command("screen.graph", ("3",), "3", "screen('graph')",
            mark("the Graph: one program, three modes, step by step"), PROGRAM, mark("Graph")),
    Command("screen.quiz", ("5",), "5", "screen('quiz')",
            mark("the Quiz: questions on this state"), PROGRAM, mark("Quiz")),
)  # fmt: skip

APP_COMMANDS: tuple[Command, ...] = (
    Command("app.help", ("question_mark", "f1", "fullwidth_question_mark"), "?", "help",
            mark("keys and formulas"), PROGRAM, mark("help")),
    Command("app.palette", ("ctrl+p",), "ctrl+p", "command_palette",
            mark("every command by name"), PROGRAM),
    Command("app.theme", (), "", "change_theme", mark("another theme"), PROGRAM),
    Command("app.language", (), "", "language", mark("English or Chinese"), PROGRAM),
    Command("app.quit", ("q", "ctrl+q"), "q", "quit", mark("quit; the state is kept"), PROGRAM),
)  # fmt: skip


def bindings(commands: tuple[Command, ...]) -> list[Binding]:
    """Return the bindings of commands that have keys."""
    return [command.binding() for command in commands if command.keys]
