"""Answers: a documented path to any number that a state amounts to, computed by core alone.

A lesson names where its answer is computed, ``strategies.pad.steps`` or ``best-addition``, and
never the answer itself. Nothing is computed before it is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..errors import DgplayError
from ..report import data_record
from ..sequences.analysis import Analysis
from ..sequences.checks import Check
from ..sequences.planners import METHODS
from ..sequences.strategies import EVERY
from ..sequences.traces import TRACED, Trace
from ..state import MODES, State
from ..strategy_rows import strategy_record
from ..wording import joined, say
from .facts import Facts
from .grading import Truth, grade, plain


@dataclass(frozen=True)
class Answer:
    """A computed answer; ``share`` says that it is a part of one, shown as a percentage."""

    value: Truth
    share: bool = False

    @property
    def text(self) -> str:
        """The answer as it is shown, in ASCII: 1270, 46.8%, 1.07, WRONG, 4,11,17,20 or -."""
        value = self.value
        if value is None:
            return "-"
        if isinstance(value, bool):
            return "OK" if value else "WRONG"
        if isinstance(value, tuple):
            return ",".join(map(str, value))
        if isinstance(value, float):
            return f"{100 * value:.1f}%" if self.share else number_text(value)
        return str(value)

    def grade(self, typed: str) -> str:
        """Grade what was typed: exact, as shown too, close, off or unreadable."""
        if isinstance(self.value, float) and plain(typed) == plain(self.text):
            return "exact"  # however much two decimals round a small number
        return grade(typed, self.value, share=self.share)


def number_text(value: float) -> str:
    """Return a number with two decimals, or three digits where it is small."""
    return f"{value:.2f}" if abs(value) >= 0.005 or value == 0 else f"{value:.3g}"


def answer(
    path: str, state: State, analysis: Analysis, checks: Mapping[str, Check] | None = None
) -> Answer:
    """Look up the answer at ``path`` in what a state amounts to.

    Raises DgplayError for a path that there is not, saying what there is in its place.
    """
    return look_up(path, Facts(state, analysis, checks))


def look_up(path: str, facts: Facts) -> Answer:
    """Look up one of several answers of the same state; raises DgplayError like ``answer``."""
    rule, words = _matched(path)
    return rule.find(facts, words)


def check_path(path: str) -> None:
    """Raise DgplayError for a path that no state answers, saying what there is in its place."""
    _matched(path)


def fill(text: str, facts: Facts) -> str:
    """Put computed answers where a text names their paths in braces: ``{best-addition}``."""
    return _BRACES.sub(lambda found: look_up(found[1].strip(), facts).text, text)


def paths_in(text: str) -> list[str]:
    """Return the paths that a text names in braces."""
    return [found.strip() for found in _BRACES.findall(text)]


def documented_paths() -> list[tuple[str, str]]:
    """Return every form of path with what it answers, for the help and the README."""
    return [(rule.form, rule.doc) for rule in _RULES]


_BRACES = re.compile(r"\{([^{}]*)\}")

Find = Callable[[Facts, list[str]], Answer]


@dataclass(frozen=True)
class _Part:
    """One part of a path: a name of a few, or a whole number from ``least`` on."""

    shown: str
    names: tuple[str, ...] = ()
    least: int = 0

    def takes(self, word: str) -> bool:
        if self.names:
            return word in self.names
        number = re.fullmatch(r"\d{1,15}", word, re.ASCII)
        return number is not None and int(word) >= self.least

    @property
    def choices(self) -> str:
        if self.names:
            return ", ".join(self.names)
        return say("whole numbers from {least}", least=self.least)


@dataclass(frozen=True)
class _Rule:
    """A form of path, what it answers and how."""

    parts: tuple[_Part, ...]
    doc: str
    find: Find

    @property
    def form(self) -> str:
        return ".".join(part.shown for part in self.parts)


def _matched(path: str) -> tuple[_Rule, list[str]]:
    words = path.split(".")
    rules: list[_Rule] = list(_RULES)
    for place, word in enumerate(words):
        fitting = [rule for rule in rules if len(rule.parts) > place]
        kept = [rule for rule in fitting if rule.parts[place].takes(word)]
        if not kept:
            before = ".".join(words[:place])
            if not fitting:
                raise _uncalled(path, say("{before} ends there", before=before))
            raise _uncalled(path, _there_are(before, place, fitting))
        rules = kept
    whole = [rule for rule in rules if len(rule.parts) == len(words)]
    if whole:
        return whole[0], words
    raise _uncalled(path, _there_are(path, len(words), rules))


def _there_are(before: str, place: int, rules: list[_Rule]) -> str:
    """Say what may stand at a place of a path, behind what stands there already."""
    names = joined("; ", dict.fromkeys(rule.parts[place].choices for rule in rules))
    if before:
        return say("after {before} there are {names}", before=before, names=names)
    return say("there are {names}", names=names)


def _uncalled(path: str, hint: str) -> DgplayError:
    return DgplayError(say("no answer is called {path!r}", path=path), hint=hint)


_SHARES = frozenset({"waste", "saved", "extra", "excess"})


def _field(record: Any, name: str) -> Answer:
    value = record[name] if isinstance(record, dict) else getattr(record, name)
    return Answer(value, share=name in _SHARES)


def _data(facts: Facts, words: list[str]) -> Answer:
    return _field(data_record(facts.analysis.dataset), words[1])


def _whole(facts: Facts, words: list[str]) -> Answer:
    if words[0] == "k":
        return Answer(len(facts.state.boundaries))
    return _field(facts.table, words[0])


def _bucket(facts: Facts, words: list[str]) -> Answer:
    index, name = int(words[1]) - 1, words[2]
    buckets = facts.table.buckets
    if index >= len(buckets):
        raise DgplayError(
            say("there is no bucket {bucket}", bucket=words[1]),
            hint=say("there are {count}", count=len(buckets)),
        )
    if name == "correct":
        return Answer(facts.check("bucketed").per_bucket[index])
    return _field(buckets[index], name)


_CHECKED = ("wrong", "checked", "max_abs_error", "correct")


def _strategy(facts: Facts, words: list[str]) -> Answer:
    row, name = facts.row(words[1]), words[2]
    if name == "graphs_made":
        return Answer(row.graphs_made)
    if name in _CHECKED:
        row = replace(row, check=facts.check(words[1]))
    return _field(strategy_record(row), name)


def _method(facts: Facts, words: list[str]) -> Answer:
    return _field(facts.methods[words[1]], words[2])


def _optimal(facts: Facts, words: list[str]) -> Answer:
    if words[1] == "distance":
        return Answer(-facts.best.change)
    if words[1] == "excess":
        return _field(facts.methods["now"], "excess")
    return _field(facts.best, words[1])


def _optimal_for(facts: Facts, words: list[str]) -> Answer:
    steps, boundaries = facts.analysis.optimum(int(words[1]))
    return Answer(steps if words[2] == "steps" else boundaries)


_GRAPHS = {
    "eager": {"drawn": "each sequence"},
    "static": {"pad": "pad", "bucketed": "bucketed", "while-loop": "while_loop"},
    "capture": {"per-length": "per length", "symbolic": "symbolic", "bucketed": "bucketed"},
}


def _mode(facts: Facts, words: list[str]) -> Answer:
    return Answer(dict(facts.modes[words[1]].graphs)[_GRAPHS[words[1]][words[2]]])


def _trace(facts: Facts, words: list[str]) -> Answer:
    found = facts.trace(words[1], int(words[2]))
    name = words[3]
    if name == "error":
        return Answer(found.output_error)
    if name == "length":
        return Answer(found.length)
    if name == "norm":
        return _norm(found, int(words[4]))
    return _norm(found, found.real_end if name == "real" else len(found.norms))


def _norm(found: Trace, step: int) -> Answer:
    """Return |h| after a step, counted from 1; before the first step it is 0."""
    if step > len(found.norms):
        raise DgplayError(
            say("there is no step {step}", step=step),
            hint=say("there are {count}", count=len(found.norms)),
        )
    return Answer(found.norms[step - 1] if step else 0.0)


def _addition(facts: Facts, words: list[str]) -> Answer:
    place = facts.best_addition
    if len(words) == 1 or place is None:
        return Answer(place)
    after = facts.steps_with(place)
    return Answer(after if words[1] == "steps" else facts.table.steps - after)


def _step(facts: Facts, words: list[str]) -> Answer:
    best = facts.best_step
    return Answer(None) if best is None else _field(best, words[1])


def _name(*names: str) -> _Part:
    return _Part("|".join(names), names)


_STRATEGY_NAMES = tuple(strategy.name for strategy in EVERY)
_N = _Part("N", least=1)

_RULES: tuple[_Rule, ...] = (
    _Rule((_name("data"), _name("name", "sequences", "zeros", "min", "max", "mean", "real_steps",
                                "rows", "skipped", "dropped", "truncated")),
          "what was read", _data),
    _Rule((_name("k", "boundaries", "steps", "real_steps", "waste"),),
          "the boundaries of the state and what they cost together", _whole),
    _Rule((_name("buckets"), _N, _name("low", "high", "count", "pad_to", "steps", "real_steps",
                                       "waste", "correct")),
          "bucket N, from 1", _bucket),
    _Rule((_name("strategies"), _Part("STRATEGY", _STRATEGY_NAMES),
           _name("steps", "real_steps", "waste", "saved", "extra", "macs", "graphs", "graphs_made",
                 "launches", *_CHECKED)),
          "a row of the strategy table", _strategy),
    _Rule((_name("methods"), _Part("METHOD", ("now", *METHODS)),
           _name("steps", "waste", "excess", "boundaries")),
          "a row of the method table", _method),
    _Rule((_name("optimal"), _name("k", "steps", "boundaries", "distance", "excess")),
          "the optimum for the same number of buckets, and how far it is", _optimal),
    _Rule((_name("optimal"), _N, _name("steps", "boundaries")),
          "the optimum for N buckets", _optimal_for),
    *(_Rule((_name("modes"), _name(mode), _name(*_GRAPHS[mode])),
            "graphs that the mode makes of the data", _mode) for mode in MODES),
    _Rule((_name("trace"), _Part("STRATEGY", TRACED), _Part("I"),
           _name("error", "length", "real", "last")),
          "sequence I, from 0: output error, length, |h| after its last real step, |h| at the end",
          _trace),
    _Rule((_name("trace"), _Part("STRATEGY", TRACED), _Part("I"), _name("norm"), _N),
          "|h| of sequence I after step N, from 1", _trace),
    _Rule((_name("best-addition"),), "where one more boundary saves most", _addition),
    _Rule((_name("best-addition"), _name("steps", "saves")),
          "the steps with that boundary, and how many it saves", _addition),
    _Rule((_name("best-move"), _name("bucket", "before", "length", "steps", "change")),
          "the single step of one end that saves most", _step),
)  # fmt: skip
