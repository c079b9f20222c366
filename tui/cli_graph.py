"""The command ``dgplay graph``: one program in every mode, as tables or JSON.

Nothing is computed here: the report comes from ``core/graph/report.py``. Exit code 0 if a mode
ran, 1 if every mode asked for refuses, 2 for feeds and options that cannot be.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

    from dgplay.core.graph.capture import Capture, Miss
    from dgplay.core.graph.feeds import Feed
    from dgplay.core.graph.lang_code import Program

HELP = "run a program eagerly, as a static graph and captured, side by side"
MODES = ("eager", "static", "capture")
PASSES = ("fold", "deadbranch", "cse", "dce", "fuse", "fast-math")

#: How much of a node order, and how many guards, the tables show; JSON holds all.
SHOWN_LINES = 40

_FEED = "x=2, x=[1,2], k=int(3), x=int64([1,2]), x=float32([1]), x=randn(3,4)"


def add_graph_command(subparsers: Any) -> argparse.ArgumentParser:
    """Add ``graph`` to the commands; returns its parser."""
    parser: argparse.ArgumentParser = subparsers.add_parser("graph", help=HELP, description=HELP)
    graph_options(parser)
    return parser


def graph_options(parser: argparse.ArgumentParser) -> None:
    """Give a parser the arguments of ``dgplay graph``."""
    add = parser.add_argument
    add("program", nargs="?", metavar="PROGRAM", help="a bundled program, a file, or - for a pipe")
    add("--mode", choices=(*MODES, "all"), default="all", help="which mode (default all)")
    add("--feed", nargs="+", action="extend", default=[], metavar="NAME=VALUE",
        help=f"inputs of every call: {_FEED}")  # fmt: skip
    add("--call", nargs="+", action="extend", default=[], metavar="CALL",
        help='one call each, such as "x=[1,2]; k=int(3)"')  # fmt: skip
    add("--grad", nargs="+", action="extend", default=[], metavar="NAME",
        help="inputs whose gradient of the sum of the outputs is wanted")  # fmt: skip
    add("--passes", type=_passes, default=_passes("all"), metavar="all|none|LIST",
        help=f"which of {', '.join(PASSES)}; all is the first five (default all)")  # fmt: skip
    add("--recompile-limit", type=_limit, default=8, metavar="N",
        help="graphs compiled at one place before it runs eagerly (default 8)")  # fmt: skip
    add("--dynamic", choices=("on", "off"), default="on",
        help="whether a second size makes a dimension symbolic (default on)")  # fmt: skip
    add("--no-guards", action="store_true", help="replay the first call, stale or not")
    add("--events", action="store_true", help="add every event to the JSON")
    add("--seed", type=_limit, default=0, metavar="S", help="seed of randn (default 0)")
    add("--json", action="store_true", help="print JSON")


def _passes(text: str) -> tuple[str, ...]:
    if text == "all":
        return tuple(name for name in PASSES if name != "fast-math")
    if text == "none":
        return ()
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    wrong = [name for name in names if name not in PASSES]
    if wrong:
        raise argparse.ArgumentTypeError(
            f"there is no pass {wrong[0]} (all, none, or some of {', '.join(PASSES)})"
        )
    return names


def _limit(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 9):
        raise argparse.ArgumentTypeError(f"{text} is not a whole number from 0")
    return int(text)


def graph_command(given: argparse.Namespace) -> int:
    """Run ``dgplay graph`` on stdout; returns the exit code."""
    return run_graph(given, sys.stdout)


def run_graph(args: argparse.Namespace, stdout: IO[str]) -> int:
    """Run the command; returns the exit code. Messages go to stderr, data to ``stdout``."""
    from dgplay.core.graph.lang_refusal import Refusal
    from dgplay.core.graph.report import Told, graph_report

    modes = MODES if args.mode == "all" else (args.mode,)
    try:
        _find_program_among_feeds(args)
        calls_of = _read_calls(args)
    except Refusal as refusal:
        return _fail(2, refusal)
    try:
        program = _load(args)
    except Refusal as refusal:
        if args.json:
            shown = {mode: {"error": refusal.parts} for mode in modes}
            name = "stdin" if args.program == "-" else Path(args.program).name
            _write_json(stdout, _nothing_ran(name, shown))
        return _fail(1, refusal)
    except OSError as error:
        sys.stderr.write(f"dgplay: {args.program}: {error.strerror}\n")
        return 1
    try:
        calls = _bind(program, calls_of)
        _check_grads(program, args.grad)
    except Refusal as refusal:
        return _fail(2, refusal)
    told = Told()
    report = graph_report(
        program,
        modes,
        calls,
        grads=tuple(dict.fromkeys(args.grad)),
        passes=args.passes,
        recompile_limit=args.recompile_limit,
        dynamic=args.dynamic == "on",
        guards=not args.no_guards,
        events=args.events,
        told=told,
    )
    if args.json:
        _write_json(stdout, report)
    else:
        write_tables(report, stdout, told.capture)
        if args.program != "-":  # a pipe has been read and cannot be opened again
            stdout.write(f"{_reproduce(args)}\n")
    refused = all("error" in mode for mode in report["modes"].values())
    return 1 if refused else 0


def _reproduce(args: argparse.Namespace) -> str:
    """Return the command line that opens the Graph screen on this program and these options."""
    from dgplay.core.command_line import line
    from dgplay.core.graph_view.options import NO_GRADIENTS, GraphOptions, ordered
    from dgplay.core.sequences.dataset import DataOptions
    from dgplay.core.state import State

    graph = GraphOptions(
        program=args.program,
        feed=tuple(args.feed),
        calls=tuple(args.call),
        grad=tuple(args.grad) or (NO_GRADIENTS,),
        passes=ordered(args.passes),
        recompile_limit=args.recompile_limit,
        dynamic=args.dynamic,
        no_guards=args.no_guards,
    )
    state = State(data=DataOptions(seed=args.seed), graph=graph, screen="graph")
    if args.mode != "all":
        state = replace(state, mode=args.mode)
    return line(state, state.preset)


def _fail(code: int, refusal: Exception) -> int:
    sys.stderr.write(f"dgplay: {refusal}\n")
    return code


def _nothing_ran(program: str, modes: dict[str, Any]) -> dict[str, Any]:
    return {
        "program": program, "agree": None, "max_ulps": None, "first_difference": None,
        "modes": modes,
    }  # fmt: skip


def _write_json(stdout: IO[str], report: dict[str, Any]) -> None:
    stdout.write(json.dumps(report, ensure_ascii=False) + "\n")


def _find_program_among_feeds(args: argparse.Namespace) -> None:
    """Let ``--feed a=2 affine`` mean what it says: the last word is the program."""
    from dgplay.core.graph.lang_refusal import Place, Refusal

    for words in (args.feed, args.call):
        if args.program is None and words and "=" not in words[-1]:
            args.program = words.pop()
    if args.program is None:
        raise Refusal(
            Place(), "no program is named", "graph runs one program",
            "try dgplay graph affine",
        )  # fmt: skip


def _read_calls(args: argparse.Namespace) -> list[dict[str, Feed]]:
    """Return what is fed in each call, defaults aside."""
    from dgplay.core.graph.feeds import read_feeds

    always = read_feeds(args.feed, args.seed)
    return [{**always, **read_feeds([call], args.seed)} for call in args.call] or [always]


def _load(args: argparse.Namespace) -> Program:
    from dgplay.core.graph.bundled import find
    from dgplay.core.graph.lang import load

    if args.program == "-":
        return load(sys.stdin.read() if sys.stdin else "", "stdin", args.seed)
    return find(args.program, args.seed)


def _bind(program: Program, calls: Sequence[dict[str, Feed]]) -> list[dict[str, Feed]]:
    from dgplay.core.graph.feeds import bind

    return [bind(program.parameters, program.inputs, call) for call in calls]


def _check_grads(program: Program, grads: Sequence[str]) -> None:
    from dgplay.core.graph.lang_refusal import Place, Refusal

    for name in grads:
        if name not in program.parameters:
            listed = ", ".join(program.parameters) or "none"
            raise Refusal(
                Place(), f"the program has no input {name}", f"its inputs are: {listed}",
                "name one of its inputs after --grad",
            )  # fmt: skip


# -- tables ---------------------------------------------------------------------------------


def write_tables(report: dict[str, Any], stdout: IO[str], capture: Capture | None) -> None:
    """Write the report as tables, from the same values as the JSON.

    ``capture`` is the capture that ran, if one did: it knows what made it compile again.
    """
    from rich.console import Console
    from rich.table import Table

    console = Console(file=stdout, highlight=False, markup=False, soft_wrap=True)
    console.print(f"program {report['program']}")
    ran = {name: mode for name, mode in report["modes"].items() if "error" not in mode}
    for name, mode in report["modes"].items():
        if "error" in mode:
            error = mode["error"]
            where = f"line {error['line']}, column {error['column']}: " if error["line"] else ""
            console.print(
                f"{name} refuses: {where}{error['what']}: {error['why']}; {error['hint']}"
            )
    if not ran:
        return
    counters = Table(box=None, pad_edge=False)
    keys = ("nodes", "dispatches", "launches", "peak_bytes", "seconds")
    for title in ("mode", *(key.replace("_", " ") for key in keys)):
        counters.add_column(title, justify="left" if title == "mode" else "right")
    for name, mode in ran.items():
        cells = [f"{mode[key]:.2e}" if key == "seconds" else f"{mode[key]:,}" for key in keys]
        counters.add_row(name, *cells)
    console.print(counters)
    for name, mode in ran.items():
        _write_calls(console, name, mode)
    _write_agreement(console, report)
    if "capture" in ran and capture is not None:
        _write_capture(console, ran["capture"], capture)
    for name, mode in ran.items():
        _write_order(console, name, mode["order"])


def _write_calls(console: Console, name: str, mode: dict[str, Any]) -> None:
    from dgplay.core.counting import counted

    for number, call in enumerate(mode["calls"], 1):
        for line in call["prints"]:
            console.print(f"{name} call {number} prints: {line}")
        outputs = ", ".join(map(_short, call["outputs"]))
        gradients = "".join(f"  d {k} = {_short(v)}" for k, v in call["gradients"].items())
        so_far = counted(call["compiles"], "compiles")
        compiles = f"  ({so_far} so far)" if name != "eager" else ""
        console.print(f"{name} call {number}: {outputs}{gradients}{compiles}")


def _write_agreement(console: Console, report: dict[str, Any]) -> None:
    if report["agree"] is None:
        return
    if report["agree"]:
        console.print("the modes agree bit for bit")
        return
    at = report["first_difference"]
    console.print(
        f"the modes DIFFER: call {at['call']}, {at['value']} at {at['index']}: "
        f"{at['modes'][0]} {at['values'][0]}, {at['modes'][1]} {at['values'][1]}"
    )


def _write_capture(console: Console, mode: dict[str, Any], capture: Capture) -> None:
    from dgplay.core.counting import Counted, counted

    segments = counted(mode["segments"], "segments")
    console.print(f"capture: {segments}, {counted(mode['compiles'], 'compiles')}")
    for miss in capture.misses[:SHOWN_LINES]:
        console.print(f"call {miss.call} compiles again, graph {miss.graph}: {_missed(miss)}")
    if len(capture.misses) > SHOWN_LINES:
        console.print(f"… and compiles {len(capture.misses) - SHOWN_LINES:,} times more")
    if mode["fallback"]:
        console.print("capture: past the recompile limit, RUNS EAGERLY")
    for item, found in zip(mode["breaks"], capture.breaks.values(), strict=True):
        graphs, times = counted(item["count"], "graphs"), counted(found.reached, "times")
        console.print(
            f"graph break at line {item['line']}, column {item['column']} "
            f"(in {graphs}, reached {times}): "
            f"{item['what']}: {item['why']}; computed as {item['where']}; {item['hint']}"
        )
    for guard in mode["guards"][:SHOWN_LINES]:
        hits, misses = Counted(guard["hits"]), Counted(guard["misses"])
        console.print(f"guard {guard['text']}  ({hits:hit|hits}, {misses:miss|misses})")


def _missed(miss: Miss) -> str:
    """Return which guard failed; of several graphs, that of the last one."""
    if len(miss.failed) == 1:
        return miss.failed[0]
    return f"none of {len(miss.failed)} graphs fits; the last one: {miss.failed[-1]}"


def _write_order(console: Console, name: str, order: Sequence[str]) -> None:
    console.print(f"{name} order:")
    for line in order[:SHOWN_LINES]:
        console.print(f"  {line}")
    if len(order) > SHOWN_LINES:
        console.print(f"  … and {len(order) - SHOWN_LINES:,} more (--json shows all)")


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 400 else text[:397] + "..."
