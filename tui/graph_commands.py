"""The commands of the Graph screen, in the form of the table in ``commands.py``."""

from __future__ import annotations

from .commands import LAB_COMMANDS, Command, mark

CURSOR = mark("Graph: cursor")
VIEWS = mark("Graph: views")
RUNS = mark("Graph: program and runs")
EXPLAIN = mark("Graph: predict and take away")

GRAPH_COMMANDS: tuple[Command, ...] = (
    Command("graph.back", ("left", "h"), "← h", "step(-1)",
            mark("one step back, in every mode"), CURSOR, mark("step")),
    Command("graph.step", ("right", "l"), "→ l", "step(1)",
            mark("one step on, in every mode"), CURSOR),
    Command("graph.play", ("space",), "Space", "play",
            mark("play, or pause"), CURSOR, mark("play")),
    Command("graph.break", ("b",), "b", "break(1)",
            mark("to the next graph break, refusal or difference"), CURSOR, mark("break")),
    Command("graph.backward", ("g",), "g", "to_backward",
            mark("to the backward"), CURSOR, mark("backward")),
    Command("graph.break_before", ("B",), "B", "break(-1)",
            mark("to the graph break, refusal or difference before"), CURSOR),
    Command("graph.up", ("up", "k"), "↑ k", "row(-1)",
            mark("the line, row or pass above"), CURSOR),
    Command("graph.down", ("down", "j"), "↓ j", "row(1)",
            mark("the line, row or pass below"), CURSOR),
    Command("graph.enter", ("enter",), "Enter", "enter",
            mark("run to the chosen line; switch the chosen pass; go to the chosen node"), CURSOR),
    Command("graph.start", ("home",), "Home", "goto('start')", mark("to the start"), CURSOR),
    Command("graph.end", ("end",), "End", "goto('end')", mark("to the end"), CURSOR),
    Command("graph.page_up", ("pageup",), "PgUp", "page(-1)", mark("a page up"), CURSOR),
    Command("graph.page_down", ("pagedown",), "PgDn", "page(1)", mark("a page down"), CURSOR),
    Command("graph.call_before", ("left_square_bracket",), "[", "call(-1)",
            mark("to the call before"), CURSOR),
    Command("graph.call_after", ("right_square_bracket",), "]", "call(1)",
            mark("to the next call"), CURSOR),
    Command("graph.slower", ("minus",), "-", "speed(-1)", mark("play slower"), CURSOR),
    Command("graph.faster", ("plus",), "+", "speed(1)", mark("play faster"), CURSOR),
    Command("graph.lockstep", ("a",), "a", "view('lockstep')",
            mark("all three modes, in lockstep"), VIEWS),
    Command("graph.passes", ("x",), "x", "view('passes')",
            mark("passes: before and after, switched by Enter"), VIEWS, mark("passes")),
    Command("graph.nodes", ("d",), "d", "view('nodes')",
            mark("the nodes of a graph, with what depends on what"), VIEWS),
    Command("graph.capture", ("c",), "c", "view('capture')",
            mark("capture: segments, guards, breaks, recompiles"), VIEWS, mark("capture")),
    Command("graph.walk", ("w",), "w", "view('backward')",
            mark("the tape walked back, and the gradient graph"), VIEWS),
    Command("graph.memory", ("m",), "m", "view('memory')",
            mark("memory: which buffer is in use when"), VIEWS),
    Command("graph.next_mode", ("o",), "o", "next_mode",
            mark("the next mode, or the next graph of the run"), VIEWS),
    Command("graph.fold", ("r",), "r", "fold",
            mark("fold repeated blocks, or unfold them"), VIEWS),
    Command("graph.find", ("slash",), "/", "find", mark("find a node by name or op"), VIEWS),
    Command("graph.next_call", ("n",), "n", "next_call",
            mark("make another call, with other inputs"), RUNS, mark("call")),
    Command("graph.inputs", ("i",), "i", "inputs",
            mark("edit the inputs: a=2; x=[1, 2]; k=int(3)"), RUNS, mark("inputs")),
    Command("graph.program", ("f",), "f", "program",
            mark("another program: bundled or a file"), RUNS, mark("program")),
    Command("graph.edit", ("e",), "e", "edit", mark("edit the program; Esc runs it"), RUNS),
    Command("graph.write", ("s",), "s", "write", mark("save the program to a file"), RUNS),
    Command("graph.drop_call", ("N",), "N", "drop_call", mark("take the last call back"), RUNS),
    Command("graph.grads", ("G",), "G", "grads",
            mark("which gradients are wanted"), RUNS),
    Command("graph.guards", ("v",), "v", "guards",
            mark("guards off: watch a stale answer; and on again"), RUNS),
    Command("graph.dynamic", ("D",), "D", "dynamic",
            mark("whether a second size makes a dimension symbolic"), RUNS),
    Command("graph.limit", ("L",), "L", "limit", mark("the recompile limit"), RUNS),
    Command("graph.all_passes", ("X",), "X", "all_passes", mark("every pass, or none"), RUNS),
    Command("graph.seed", ("S",), "S", "seed", mark("the seed of every random draw"), RUNS),
    Command("graph.undo", ("u",), "u", "undo", mark("undo what was asked"), RUNS),
    Command("graph.redo", ("U",), "U", "redo", mark("redo it"), RUNS),
    Command("graph.predict", ("p",), "p", "predict",
            mark("predict what comes next, then see it"), EXPLAIN, mark("predict")),
    Command("graph.check", ("F",), "F", "check",
            mark("check the gradients by finite differences"), EXPLAIN),
    Command("graph.time", ("T",), "T", "time",
            mark("measure the time of every call, unwatched, or hide it"), EXPLAIN),
    Command("graph.export", ("E",), "E", "export",
            mark("export: node order, DOT, JSON, a numpy script"), EXPLAIN),
)  # fmt: skip

#: Commands of the Lab that mean the same here.
_SHARED = ("pane.next", "pane.previous", "view.zoom", "view.back", "copy.table", "copy.line")

GRAPH_SHARED = tuple(command for command in LAB_COMMANDS if command.id in _SHARED)
