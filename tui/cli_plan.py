"""The commands plan and pack: options, then core's plan or packing as text, JSON, CSV or an export.

No number is made here, and Textual is not imported.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from dataclasses import replace
from fractions import Fraction
from typing import Any

from dgplay.core.command_line import (
    DATA_OPTIONS,
    PLAN_OPTIONS,
    PLANNING_OPTIONS,
    Option,
    add_options,
    amount,
    count,
    positive,
    rate,
    reader,
    request_from,
    whole,
    whole_list,
    words_of,
)
from dgplay.core.errors import PlanError
from dgplay.core.plan_report import (
    PLAN_POLICIES,
    PlanReport,
    PlanRequest,
    export_request,
    make_plan,
    pack_record,
)
from dgplay.core.report import reproduce
from dgplay.core.sequences.analysis import Analysis
from dgplay.core.sequences.batch_options import ORDERS, UNEVEN, BatchOptions
from dgplay.core.sequences.compile_cost import steps_per_graph
from dgplay.core.sequences.export import EXPORTERS, export
from dgplay.core.sequences.packing import pack
from dgplay.core.state import Request, State, default_preset

from .headless import (
    console_for,
    load_other,
    load_quietly,
    print_csv,
    print_json,
    print_table,
    tell,
)

_POLICY = Option("--pad-to", "pad_to", "pad to the boundary of a bucket, the longest of it, or the "
                 "longest of each batch (default boundary)", str, None, PLAN_POLICIES)  # fmt: skip

#: How boundaries are chosen, priced and shown.
CHOICE_OPTIONS: tuple[Option, ...] = (
    *(_POLICY if option.name == "pad_to" else option for option in PLAN_OPTIONS),
    *(option for option in PLANNING_OPTIONS if option.name not in ("budget", "batch_size")),
    Option("--compile-seconds", "compile_seconds", "what a graph costs by itself, in seconds",
           amount, "S"),
    Option("--throughput", "throughput", "steps that run in a second", rate, "STEPS_PER_S"),
    Option("--epochs", "epochs", "epochs that share the compiling (default 1)", rate, "E"),
    Option("--fill-last", "fill_last", "the last batch of a bucket is filled up to B sequences",
           positive, "B"),
    Option("--frontier", "frontier", "print the optimum for every number of buckets"),
    Option("--compare", "compare", "lay the boundaries over other data too", str, "OTHER"),
)  # fmt: skip

#: How sequences become batches.
BATCH_OPTIONS: tuple[Option, ...] = (
    *(option for option in PLANNING_OPTIONS if option.name in ("budget", "batch_size")),
    Option("--batch-multiple", "batch_multiple", "batch sizes are multiples of M", positive, "M"),
    Option("--batch-sizes", "batch_sizes", "the only numbers of rows that are compiled",
           whole_list, "1,4,16"),
    Option("--ranks", "ranks", "processes that share the batches (default 1)", positive, "R"),
    Option("--order", "order", "bucketed, random, or grouped by length as HF does (default "
           "bucketed)", str, None, ORDERS),
    Option("--longest-first", "longest_first", "run the batch with the longest sequence first"),
    Option("--uneven", "uneven", "batches that the ranks cannot share equally (default drop)",
           str, None, UNEVEN),
    Option("--skip-batches", "skip_batches", "batches that each rank has already run", count, "N"),
)  # fmt: skip

#: Fields of BatchOptions that options are named after.
_BATCH_FIELDS = ("batch_multiple", "batch_sizes", "ranks", "order", "longest_first", "uneven",
                 "skip_batches")  # fmt: skip


def plan_options(parser: argparse.ArgumentParser) -> None:
    """Give a parser the options of ``dgplay plan``."""
    _data(parser)
    add_options(parser, CHOICE_OPTIONS, "boundaries")
    add_options(parser, BATCH_OPTIONS, "batches")
    group = parser.add_argument_group("output")
    group.add_argument("--export", choices=tuple(EXPORTERS), metavar="FORMAT",
                       help=f"print the boundaries for a tool: {', '.join(EXPORTERS)}")  # fmt: skip
    either = group.add_mutually_exclusive_group()
    either.add_argument("--json", dest="output", action="store_const", const="json",
                        help="print json")  # fmt: skip
    either.add_argument("--csv", dest="output", action="store_const", const="csv",
                        help="print the buckets, or the frontier, as csv")  # fmt: skip


def pack_options(parser: argparse.ArgumentParser) -> None:
    """Give a parser the options of ``dgplay pack``."""
    _data(parser)
    parser.add_argument("--capacity", type=reader(whole), required=True, metavar="C",
                        help="steps that a row holds")  # fmt: skip
    parser.add_argument("--json", dest="output", action="store_const", const="json",
                        help="print json")  # fmt: skip


def _data(parser: argparse.ArgumentParser) -> None:
    from .cli import DATA_HELP

    parser.add_argument("sources", nargs="*", metavar="DATA", help=DATA_HELP)
    add_options(parser, DATA_OPTIONS, "reading")


def plan_command(given: argparse.Namespace) -> int:
    """Print a plan, or boundaries in the format of a tool."""
    values = {**vars(given), "sources": tuple(given.sources)}
    problem = _contradiction(values)
    if problem:
        sys.stderr.write(f"dgplay plan: error: {problem}\n")
        return 2
    asked = request_from({name: value for name, value in values.items() if name != "pad_to"})
    request = _plan_request(values, asked)
    analysis = Analysis(load_quietly(asked.state.data))
    other = load_other(asked, analysis)
    report = make_plan(request, analysis, other)
    exported = _exported(given.export, report, values) if given.export else ""
    tell(analysis.dataset, *([] if other is None else [other.dataset]))
    for note in report.notes():
        sys.stderr.write(f"dgplay: {note}\n")
    if exported:
        sys.stdout.write(exported)
    elif given.output == "json":
        print_json(report.record)
    elif given.output == "csv":
        print_csv(report.record["frontier" if "frontier" in values else "buckets"])
    else:
        _print_plan(report, asked.state, frontier="frontier" in values)
    return 0


def _words(values: dict[str, Any]) -> list[str]:
    """Return the arguments that ask for the same plan again."""
    shown = {name: value for name, value in values.items() if name != "frontier"}
    return words_of((*DATA_OPTIONS, *CHOICE_OPTIONS, *BATCH_OPTIONS), shown)


def _contradiction(values: dict[str, Any]) -> str:
    """Return what options say that cannot be meant together, or nothing."""
    if "compile_cost" in values and "compile_seconds" in values:
        return "argument --compile-seconds: not allowed with argument --compile-cost"
    if "compile_seconds" in values and "throughput" not in values:
        return "argument --compile-seconds: needs --throughput, the steps that run in a second"
    if "method" in values and "boundaries" in values:
        return "argument --method: not allowed with argument --boundaries"
    export, output = values.get("export"), values.get("output")
    if export and output and export != output:
        return f"argument --{output}: not allowed with argument --export {export}"
    batches = {"budget", "batch_size"} & set(values)
    others = [name for name in _BATCH_FIELDS if name in values]
    if others and not batches:
        flag = next(option.flag for option in BATCH_OPTIONS if option.name == others[0])
        return f"argument {flag}: needs --budget or --batch-size"
    return ""


def _plan_request(values: dict[str, Any], asked: Request) -> PlanRequest:
    planning, data = asked.state.planning, asked.state.data
    epochs = values.get("epochs", Fraction(1))
    if "compile_seconds" in values:
        if planning.cost != "linear":
            raise PlanError(
                f"is worth steps, but the cost is {planning.cost}",
                where="--compile-seconds",
                hint="give --compile-cost in the unit of the cost",
            )
        per_graph = steps_per_graph(values["compile_seconds"], values["throughput"], epochs)
        planning = replace(planning, compile_cost=per_graph)
    batches: BatchOptions | None = planning.batches(data.seed)
    if batches is not None:
        own = {name: values[name] for name in _BATCH_FIELDS if name in values}
        batches = replace(batches, **own, over="drop" if data.over == "drop" else "refuse")
    return PlanRequest(
        k=asked.k,
        boundaries=asked.boundaries,
        method=asked.method or "optimal",
        pad_to=values.get("pad_to", "boundary"),
        planning=planning,
        fill_last=values.get("fill_last", 1),
        batches=batches,
        throughput=values.get("throughput"),
        epochs=epochs,
    )


def _exported(name: str, report: PlanReport, values: dict[str, Any]) -> str:
    """Return the boundaries in the format of a tool; raises PlanError where it takes none."""
    asked = export_request(
        report.analysis.dataset,
        report.boundaries,
        report.method,
        report.request.batches,
        shlex.join(["dgplay", "plan", *_words(values)]),
        values.get("frame_rate"),
    )
    return export(name, asked)


def _print_plan(report: PlanReport, state: State, *, frontier: bool) -> None:
    from dgplay.core import plan_tables
    from dgplay.core.sequences.scores import compare_methods
    from dgplay.core.tables import UNICODE

    request, dataset = report.request, report.analysis.dataset
    console = console_for(state.appearance)
    pace = None
    if request.throughput is not None:
        pace = plan_tables.Pace(request.throughput, request.epochs)

    def say(*lines: str) -> None:
        for line in lines:
            console.print(line, soft_wrap=True)

    say(*plan_tables.plan_heading_lines(report), "")
    print_table(console, plan_tables.plan_bucket_table(report.laid, dataset.frame_rate), UNICODE)
    own = report.boundaries if report.method == "own" else None
    found = compare_methods(report.scorer, len(report.boundaries), dataset.in_order, own)
    batches = not report.proved
    say("")
    print_table(console, plan_tables.score_table(found, batches=batches), UNICODE)
    if frontier:
        say("")
        print_table(console, plan_tables.frontier_table(report.rows, pace), UNICODE)
    say("", plan_tables.next_graph_text(report.rows, len(report.boundaries), pace))
    ranks = request.batches.ranks if request.batches else 1
    say(*plan_tables.batch_lines(report.laid, ranks))
    if report.other is not None:
        say(plan_tables.other_text(report.other))
    # Planned boundaries open on the Plan screen, under the same conditions.
    opened = replace(
        state,
        boundaries=report.boundaries,
        planning=request.planning,
        preset=default_preset(report.analysis),
        screen="plan",
    )
    say(reproduce(opened, report.analysis))


def pack_command(given: argparse.Namespace) -> int:
    """Print a packing."""
    from dgplay.core import plan_tables
    from dgplay.core.tables import UNICODE

    asked = request_from({**vars(given), "sources": tuple(given.sources)})
    dataset = load_quietly(asked.state.data)
    packing = pack(dataset.histogram, given.capacity)
    tell(dataset)
    if given.output == "json":
        print_json(pack_record(packing))
        return 0
    console = console_for(asked.state.appearance)
    for line in plan_tables.pack_lines(packing, dataset.name):
        console.print(line, soft_wrap=True)
    print_table(console, plan_tables.pack_table(packing), UNICODE)
    left = len(packing.kinds) - plan_tables.MOST_KINDS
    if left > 0:
        console.print(f"and {left} more kinds of rows (--json shows all)", soft_wrap=True)
    return 0
