"""The commands of the Plan screen, in the form of the table in ``commands.py``."""

from __future__ import annotations

from .commands import LAB_COMMANDS, Command, mark

PLAN = mark("Plan")

PLAN_COMMANDS: tuple[Command, ...] = (
    Command("plan.fewer", ("left", "h"), "← h", "graphs(-1)",
            mark("the optimum for one graph fewer, in the Lab too"), PLAN, mark("graphs")),
    Command("plan.more", ("right", "l"), "→ l", "graphs(1)",
            mark("the optimum for one graph more, in the Lab too"), PLAN),
    Command("plan.fewer_far", ("shift+left", "H"), "⇧← H", "graphs(-8)",
            mark("the optimum for eight graphs fewer"), PLAN),
    Command("plan.more_far", ("shift+right", "L"), "⇧→ L", "graphs(8)",
            mark("the optimum for eight graphs more"), PLAN),
    Command("plan.previous", ("up", "k"), "↑ k", "vertical(-1)",
            mark("the method or the bucket above"), PLAN, mark("row")),
    Command("plan.following", ("down", "j"), "↓ j", "vertical(1)",
            mark("the method or the bucket below"), PLAN),
    Command("plan.take", ("enter",), "Enter", "take",
            mark("take the boundaries of the method"), PLAN, mark("take")),
    Command("plan.type", ("equals_sign",), "=", "type",
            mark("type a number of graphs, or boundaries: 8, or 5,10,15,20"), PLAN, mark("type")),
    Command("plan.optimum", ("o",), "o", "optimum",
            mark("the optimum for as many graphs"), PLAN, mark("optimum")),
    Command("plan.export", ("x",), "x", "export",
            mark("the boundaries in the format of a tool, with a preview"), PLAN, mark("export")),
    Command("plan.budget", ("B",), "B", "budget",
            mark("make batches: a budget in steps, or batch=32"), PLAN, mark("batches")),
    Command("plan.settings", ("e",), "e", "settings",
            mark("edit cost, multiple, minimum, compile cost, budget and batch size"), PLAN,
            mark("edit")),
    Command("plan.best", ("b",), "b", "best",
            mark("the number of graphs that the compile cost asks for"), PLAN),
    Command("plan.pace", ("T",), "T", "pace",
            mark("steps per second and epochs: break-even in seconds too"), PLAN),
)  # fmt: skip

#: Commands of the Lab that mean the same here.
_SHARED = ("edit.undo", "edit.redo", "pane.next", "pane.previous", "view.zoom", "view.back",
           "copy.table", "copy.line", "view.columns_left", "view.columns_right")  # fmt: skip

SHARED_COMMANDS = tuple(command for command in LAB_COMMANDS if command.id in _SHARED)
