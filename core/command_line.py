"""A state as a command line and back: one table of options serves the parser and the writer.

``parse(arguments(state))`` asks for exactly that state again, which is what saving, resuming,
the line that reports end with and the line that a key copies all rest on.
"""

from __future__ import annotations

import argparse
import math
import re
import shlex
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Any, NoReturn

from .errors import DgplayError
from .graph_view.options import GraphOptions, pass_list
from .planning import Planning
from .sequences.buckets import PAD_TO_POLICIES
from .sequences.dataset import DataOptions
from .sequences.planners import METHOD_NAMES
from .sequences.strategies import EVERY, FURTHER
from .state import LANGUAGES, MODES, PRESETS, SCREENS, Appearance, Model, Request, State
from .wording import say

FORMATS = ("jsonl", "csv", "tsv", "histogram", "fasta", "numbers", "text", "npy", "parquet")
UNITS = ("words", "chars", "bytes")
OVER = ("refuse", "drop", "truncate")

#: Words that are commands where they come first; a file of that name must not.
COMMAND_WORDS = (
    *("report", "plan", "pack", "lengths", "data", "graph", "cost", "claims", "quiz", "lesson"),
    "completions",
)


@dataclass(frozen=True)
class Option:
    """One option: its flag, where its value goes, how it is read and what help says.

    ``read`` turns text into a value (ValueError for what it cannot read); None marks a switch.
    """

    flag: str
    name: str
    help: str
    read: Callable[[str], Any] | None = None
    metavar: str | None = None
    choices: tuple[str, ...] | None = None
    repeats: bool = False  #: may be given several times; the value is a tuple


def whole(text: str) -> int:
    """Read a whole number; raises ValueError."""
    if not text.isascii() or not text.lstrip("+-").isdigit() or len(text) > 20:
        raise ValueError(text)
    return int(text)


def count(text: str) -> int:
    """Read a whole number that is not negative; raises ValueError."""
    number = whole(text)
    if number < 0:
        raise ValueError(text)
    return number


def positive(text: str) -> int:
    """Read a whole number above zero; raises ValueError."""
    number = whole(text)
    if number < 1:
        raise ValueError(text)
    return number


def finite(text: str) -> float:
    """Read a finite number; raises ValueError."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


def rate(text: str) -> Fraction:
    """Read a positive rate such as 100, 12.5 or 1/3 as an exact fraction; raises ValueError."""
    match = re.fullmatch(r"[0-9]{0,20}\.[0-9]{1,20}|[0-9]{1,60}(?:/([0-9]{1,60}))?", text)
    if match is None or (match[1] is not None and not int(match[1])) or not Fraction(text):
        raise ValueError(text)
    return Fraction(text)


def amount(text: str) -> Fraction:
    """Read a number that is not negative, such as 0, 2.5 or 1/3, exactly; raises ValueError."""
    return Fraction(0) if re.fullmatch(r"[0.]*0[0.]*", text) and Fraction(text) == 0 else rate(text)


def whole_list(text: str) -> tuple[int, ...]:
    """Read whole numbers with commas between; raises ValueError."""
    return tuple(whole(word.strip()) for word in text.split(","))


#: What a value has to be, for the message where it is not.
_EXPECTED: dict[Callable[[str], Any], str] = {
    whole: "a whole number",
    count: "a whole number of at least 0",
    positive: "a whole number of at least 1",
    finite: "a finite number",
    rate: "a number above 0, such as 100, 12.5 or 1/3",
    amount: "a number of at least 0, such as 100, 2.5 or 1/3",
    whole_list: "whole numbers with commas between",
}


def reader(read: Callable[[str], Any]) -> Callable[[str], Any]:
    """Return ``read`` for argparse, which else names the function in its message."""
    expected = _EXPECTED.get(read)
    if expected is None:
        return read

    def read_or_say(text: str) -> Any:
        try:
            return read(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is not {expected}") from None

    return read_or_say


DATA_OPTIONS: tuple[Option, ...] = (
    Option("--field", "field", "the field or column that holds the lengths", str, "NAME"),
    Option("--unit", "unit", "what a string's length counts (default words)", str, None, UNITS),
    Option("--frame-rate", "frame_rate", "frames a second, for durations", rate, "R"),
    Option("--format", "format", "the kind of file, instead of finding out", str, "KIND", FORMATS),
    Option("--skip-bad", "skip_bad", "count bad rows and go on, instead of stopping"),
    Option("--count", "count", "sequences that a generator draws (default 100)", positive, "N"),
    Option("--seed", "seed", "seed of every random draw (default 0)", count, "S"),
    Option("--max-length", "max_length", "the longest length that is taken", positive, "N"),
    Option("--over", "over", "what happens to longer ones (default refuse)", str, None, OVER),
)

PLAN_OPTIONS: tuple[Option, ...] = (
    Option("--boundaries", "boundaries", "inclusive pad-to sizes", whole_list, "5,10,15,20"),
    Option("-k", "k", "how many buckets; alone, the optimum for K", whole, "K"),
    Option("--method", "method", "how boundaries are chosen", str, None, METHOD_NAMES),
    Option("--pad-to", "pad_to", "pad to the longest of a bucket or to its boundary "
           "(default longest)", str, None, PAD_TO_POLICIES),
)  # fmt: skip

PLANNING_OPTIONS: tuple[Option, ...] = (
    Option("--cost", "cost", "what a plan minimises: linear, quadratic, A,B or a file of "
           "length,milliseconds (default linear)", str, "COST"),
    Option("--multiple-of", "multiple_of", "boundaries are multiples of M", positive, "M"),
    Option("--min-count", "min_count", "sequences in a bucket at least", positive, "N"),
    Option("--compile-cost", "compile_cost", "what a graph costs by itself, in steps or in the "
           "unit of the cost", amount, "STEPS"),
    Option("--budget", "budget", "steps of a batch at most, padding included", positive, "STEPS"),
    Option("--batch-size", "batch_size", "sequences of a batch", positive, "N"),
)  # fmt: skip

GRAPH_OPTIONS: tuple[Option, ...] = (
    Option("--program", "program", "the program of the Graph screen: bundled, or a file "
           "(default affine)", str, "PROGRAM"),
    Option("--feed", "feed", "inputs of every call: a=2; x=[1,2]; k=int(3)", str, "INPUTS",
           repeats=True),
    Option("--call", "calls", "one call with inputs of its own; as often as there are calls",
           str, "INPUTS", repeats=True),
    Option("--grad", "grad", "an input whose gradient is wanted, all or none (default the first "
           "float input)", str, "NAME", repeats=True),
    Option("--passes", "passes", "all, none, or a list of fold, deadbranch, cse, dce, fuse, "
           "fast-math (default all: the first five)", pass_list, "LIST"),
    Option("--recompile-limit", "recompile_limit", "graphs compiled at one place before it runs "
           "eagerly (default 8)", count, "N"),
    Option("--dynamic", "dynamic", "whether a second size makes a dimension symbolic "
           "(default on)", str, None, ("on", "off")),
    Option("--no-guards", "no_guards", "replay the first call, stale or not"),
)  # fmt: skip

VIEW_OPTIONS: tuple[Option, ...] = (
    Option("--mode", "mode", "graph-building mode (default static)", str, None, MODES),
    Option(
        "--strategy",
        "strategy",
        "the chosen row of the table",
        str,
        None,
        tuple(strategy.name for strategy in EVERY),
    ),
    Option("--bias", "bias", "bias of each hidden unit (default 0)", finite, "B"),
    Option("--weight-scale", "weight_scale", "scale of the weights (default 0.3)", finite, "X"),
    Option("--hidden", "hidden", "hidden units of the RNN (default 8)", positive, "N"),
    Option("--screen", "screen", "the screen to open", str, None, SCREENS),
    Option("--bucket", "bucket", "the active bucket, from 1", positive, "N"),
    Option("--sequence", "sequence", "the one sequence to look at, from 0", count, "I"),
    Option(
        "--step",
        "step",
        "its step to look at, from 1; of the Graph screen, its cursor",
        positive,
        "N",
    ),
    Option("--preset", "preset", "what the Lab shows", str, None, PRESETS),
    Option("--predict", "predict", "hide results until guessed or revealed"),
    Option("--time", "time", "measure the time of each strategy"),
    Option(
        "--all",
        "all_strategies",
        "every strategy, also " + ", ".join(strategy.name for strategy in FURTHER),
    ),
    Option("--compare", "compare", "score the boundaries on other data too", str, "OTHER"),
)

APPEARANCE_OPTIONS: tuple[Option, ...] = (
    Option("--lang", "lang", "language of the screens", str, None, LANGUAGES),
    Option("--theme", "theme", "a Textual theme, such as textual-light", str, "NAME"),
    Option("--no-color", "no_color", "no colour at all"),
    Option("--ascii", "ascii", "no character outside ASCII in drawings"),
    Option("--no-animation", "no_animation", "nothing moves by itself"),
)

STATE_OPTIONS = (
    *PLAN_OPTIONS, *PLANNING_OPTIONS, *GRAPH_OPTIONS, *VIEW_OPTIONS, *APPEARANCE_OPTIONS,
)  # fmt: skip


#: Options of which at most one is given.
EXCLUSIVE = (("boundaries", "k"), ("budget", "batch_size"))


def add_options(parser: argparse.ArgumentParser, options: Iterable[Option], title: str) -> None:
    """Give a parser a group of options; what is not given is absent from the result."""
    options = tuple(options)
    group = parser.add_argument_group(title)
    named = {option.name for option in options}
    either = {
        name: exclusive
        for names in EXCLUSIVE
        if named.issuperset(names)
        for exclusive in (group.add_mutually_exclusive_group(),)
        for name in names
    }
    for option in options:
        settings: dict[str, Any] = {"dest": option.name, "help": option.help.replace("%", "%%")}
        if option.read is None:
            settings["action"] = "store_true"
        else:
            settings |= {"type": reader(option.read)}
            settings |= {"choices": option.choices, "metavar": option.metavar}
            settings |= {"action": "append"} if option.repeats else {}
        target = either.get(option.name, group)
        target.add_argument(option.flag, default=argparse.SUPPRESS, **settings)


def request_from(given: dict[str, Any]) -> Request:
    """Make the request that parsed options (name to value, absent ones left out) ask for."""

    def taken(kind: type, options: Iterable[str]) -> Any:
        found = {name: given[name] for name in options if name in given}
        return kind(**{n: tuple(v) if isinstance(v, list) else v for n, v in found.items()})

    data = taken(DataOptions, ("sources", *(option.name for option in DATA_OPTIONS)))
    model = taken(Model, _names(VIEW_OPTIONS, Model))
    planning = taken(Planning, _names(PLANNING_OPTIONS, Planning))
    graph = taken(GraphOptions, _names(GRAPH_OPTIONS, GraphOptions))
    appearance = taken(Appearance, _names(APPEARANCE_OPTIONS, Appearance))
    own = set(_names(STATE_OPTIONS, State)) - {"boundaries", "preset"}
    state = taken(State, own)
    return Request(
        state=replace(
            state, data=data, planning=planning, graph=graph, model=model, appearance=appearance
        ),
        boundaries=given.get("boundaries"),
        k=given.get("k"),
        method=given.get("method"),
        preset=given.get("preset"),
    )


def _names(options: Iterable[Option], record: type) -> list[str]:
    """Return the names of the options that are fields of a record."""
    known = {field.name for field in fields(record)}
    return [option.name for option in options if option.name in known]


def parse(words: list[str]) -> Request:
    """Read the arguments of a saved or copied line; raises DgplayError where it cannot."""
    parser = _RaisingParser(add_help=False, allow_abbrev=False)
    parser.add_argument("sources", nargs="*")
    add_options(parser, (*DATA_OPTIONS, *STATE_OPTIONS), "all")
    given = vars(parser.parse_args(words))
    return request_from({**given, "sources": tuple(given["sources"])})


class _RaisingParser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise DgplayError(message, where=say("command line"))


def arguments(state: State, usual_preset: str | None = None) -> list[str]:
    """Return the arguments that open exactly this state; defaults are left out.

    The boundaries are always named. The preset is left out where it is ``usual_preset``.
    """
    words = _differing(DATA_OPTIONS, state.data, DataOptions())
    words += ["--boundaries", ",".join(map(str, state.boundaries))]
    words += _differing(PLAN_OPTIONS, state, State())
    words += _differing(PLANNING_OPTIONS, state.planning, Planning())
    words += _differing(GRAPH_OPTIONS, state.graph, GraphOptions())
    words += _differing(VIEW_OPTIONS, state.model, Model())
    words += _differing(VIEW_OPTIONS, state, State())
    words += _differing(APPEARANCE_OPTIONS, state.appearance, Appearance())
    if state.preset != usual_preset:
        words += ["--preset", state.preset]
    sources = list(state.data.sources)
    if set(sources[:1]) & set(COMMAND_WORDS) or any(map(_looks_like_option, sources)):
        return [*words, "--", *sources]
    return [*sources, *words]


def line(state: State, usual_preset: str | None = None) -> str:
    """Return the command line that opens exactly this state."""
    return shlex.join(["dgplay", *arguments(state, usual_preset)])


def _differing(options: Iterable[Option], record: object, usual: object) -> list[str]:
    words: list[str] = []
    for option in options:
        if option.name in ("boundaries", "preset") or not hasattr(record, option.name):
            continue
        value = getattr(record, option.name)
        if value != getattr(usual, option.name) and value is not None:
            words += _spelt(option, value)
    return words


def words_of(options: Iterable[Option], given: dict[str, Any]) -> list[str]:
    """Return parsed options as arguments again; ``given`` maps names to values."""
    words = [word for option in options if option.name in given
             for word in _spelt(option, given[option.name])]  # fmt: skip
    sources = list(given.get("sources", ()))
    if any(map(_looks_like_option, sources)):
        return [*words, "--", *sources]
    return [*sources, *words]


def _spelt(option: Option, value: object) -> list[str]:
    """Return an option with its value as a command line spells it."""
    if option.read is None:
        return [option.flag]
    if option.repeats:
        each = value if isinstance(value, (tuple, list)) else ()
        return [word for one in each for word in _spelt(replace(option, repeats=False), one)]
    text = (",".join(map(str, value)) or "none") if isinstance(value, tuple) else str(value)
    if text.startswith("-"):
        return [f"{option.flag}={text}"]  # else argparse would see an option
    return [option.flag, text]


def _looks_like_option(source: str) -> bool:
    return source.startswith("-") and source != "-"
