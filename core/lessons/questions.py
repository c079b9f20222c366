"""The questions of the quiz: each kind makes one question of a state, with computed numbers.

A kind returns None where the state has nothing to ask: one bucket, no padding, no steps. Random
draws use only ``random.Random(seed).random()``, the one method whose sequence Python promises to
keep, with index arithmetic of our own; so the same seed asks the same on every version.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from ..tables import ASCII, percent, signed
from ..wording import Said, translated
from .answers import Answer, number_text
from .facts import Facts
from .grading import NO, UNREADABLE, YES, plain
from .wording import untranslated, worded

Item = TypeVar("Item")

#: Buckets whose steps are written out one by one in an explanation.
_MOST_TERMS = 8

#: Wrong choices beside the right one.
_OTHERS = 3

#: Lengths tried as wrong places for one more boundary.
_TRIED = 24


class Dice:
    """Seeded draws that are the same on every Python version."""

    def __init__(self, seed: int, salt: int = 0) -> None:
        self._random = random.Random(seed * 1000 + salt)

    def below(self, most: int) -> int:
        """Draw a whole number from 0 up to but without ``most``."""
        return min(int(self._random.random() * most), most - 1)

    def shuffled(self, items: Sequence[Item]) -> list[Item]:
        """Return the items in a drawn order."""
        left, drawn = list(items), []
        while left:
            drawn.append(left.pop(self.below(len(left))))
        return drawn


@dataclass(frozen=True)
class Question:
    """One question. With ``choices`` the truth is the number of the right one, from 1."""

    id: str
    asked: Said
    truth: Answer
    why: Said
    choices: tuple[Said, ...] = ()

    def grade(self, typed: str, translate: Callable[[str], str] = untranslated) -> str:
        """Grade what was typed: exact, close, off or unreadable.

        A choice may be typed as its number or in its own words.
        """
        if not self.choices:
            return self.truth.grade(typed)
        chosen = self.chosen(typed, translate)
        if chosen is None:
            return UNREADABLE
        return "exact" if chosen == self.truth.value else "off"

    def chosen(self, typed: str, translate: Callable[[str], str]) -> int | None:
        """Return the number of the choice that was typed, None for what is none."""
        text = plain(typed)
        if text.isascii() and text.isdigit() and len(text) < 3:
            return int(text) if 1 <= int(text) <= len(self.choices) else None
        words = [plain(translated(choice, translate)) for choice in self.choices]
        if text in words:
            return words.index(text) + 1
        if len(words) == 2 and (text in YES or text in NO):
            return 1 if text in YES else 2
        return None

    def answer_text(self, translate: Callable[[str], str] = untranslated) -> str:
        """Return the answer in full: the number with its unit, or the words of the choice."""
        value = self.truth.value
        if self.choices and isinstance(value, int):
            return translated(self.choices[value - 1], translate)
        return self.truth.text


Make = Callable[[Facts, Dice], Question | None]


@dataclass(frozen=True)
class Kind:
    """A kind of question; ``checks`` names the strategies that must have been run for it."""

    id: str
    make: Make
    checks: tuple[str, ...] = ()


def _choice(
    id: str, asked: Said, right: Said, others: Sequence[Said], why: Said, dice: Dice
) -> Question:
    """Make a question with choices in a drawn order."""
    choices = dice.shuffled([right, *others])
    return Question(id, asked, Answer(choices.index(right) + 1), why, tuple(choices))


def _yes_no(id: str, asked: Said, truth: bool, why: Said) -> Question:
    return Question(id, asked, Answer(1 if truth else 2), why, (worded("yes"), worded("no")))


def _known(id: str, why: Said, dice: Dice) -> Question:
    """Make one of the questions whose choices are words."""
    others = [worded(f"{id}.wrong.{number}") for number in (1, 2, 3)]
    return _choice(id, worded(f"{id}.question"), worded(f"{id}.right"), others, why, dice)


def _zeros(facts: Facts, dice: Dice) -> Question | None:
    histogram, check = facts.analysis.histogram.positive, facts.check("pad")
    if not check.checked:
        return None
    shortest, longest = histogram.minimum, histogram.maximum
    why = worded(
        "zeros.why",
        longest=longest,
        shortest=shortest,
        extra=longest - shortest,
        wrong=check.wrong,
        checked=check.checked,
    )
    return _known("zeros", why, dice)


def _mask(facts: Facts, dice: Dice) -> Question | None:
    counts = facts.rows["pad+mask"].counts
    return _known("mask", worded("mask.why", steps=counts.steps, real=counts.real_steps), dice)


def _buckets(facts: Facts, dice: Dice) -> Question | None:
    counts = facts.rows["bucketed"].counts
    why = worded(
        "buckets.why",
        k=len(facts.state.boundaries),
        steps=counts.steps,
        saved=percent(counts.saved, ASCII),
        waste=percent(counts.waste, ASCII),
        graphs=counts.graphs,
        optimal=facts.best.steps,
    )
    return _known("buckets", why, dice)


def _standard(facts: Facts, dice: Dice) -> Question | None:
    check, masked = facts.check("pad"), facts.check("pad+mask")
    if not check.checked:
        return None
    why = worded(
        "standard.why",
        wrong=check.wrong,
        checked=check.checked,
        error=_error(check.max_abs_error),
        masked=masked.wrong,
    )
    return _known("standard", why, dice)


def _faster(facts: Facts, dice: Dice) -> Question | None:
    dynamic, pad = facts.rows["dynamic"].counts, facts.rows["pad"].counts
    why = worded(
        "faster.why",
        dynamic=dynamic.steps,
        pad=pad.steps,
        dynamic_calls=dynamic.launches,
        pad_calls=pad.launches,
    )
    return _known("faster", why, dice)


def _chainer(facts: Facts, dice: Dice) -> Question | None:
    why = worded("chainer.why", distinct=facts.analysis.histogram.positive.distinct)
    return _known("chainer", why, dice)


def _steps(facts: Facts, dice: Dice) -> Question | None:
    table = facts.table
    asked = worded("steps.question", boundaries=_ends(facts), policy=worded(facts.state.pad_to))
    terms = _sum([bucket.steps for bucket in table.buckets])
    why = worded("steps.why", sum=terms, steps=table.steps, real=table.real_steps)
    return Question("steps", asked, Answer(table.steps), why)


def _saved(facts: Facts, dice: Dice) -> Question | None:
    counts, pad = facts.rows["bucketed"].counts, facts.rows["pad"].counts
    if counts.saved is None:
        return None
    shown = percent(counts.saved, ASCII)
    asked = worded("saved.question", pad=pad.steps, boundaries=_ends(facts))
    why = worded("saved.why", steps=counts.steps, pad=pad.steps, saved=shown)
    return Question("saved", asked, Answer(counts.saved, share=True), why)


def _pad(facts: Facts, dice: Dice) -> Question | None:
    counts, histogram = facts.rows["pad"].counts, facts.analysis.histogram.positive
    asked = worded("pad.question", count=histogram.sequences)
    why = worded(
        "pad.why",
        count=histogram.sequences,
        longest=histogram.maximum,
        steps=counts.steps,
        real=counts.real_steps,
    )
    return Question("pad", asked, Answer(counts.steps), why)


def _waste(facts: Facts, dice: Dice) -> Question | None:
    filled = [bucket for bucket in facts.table.buckets if bucket.steps]
    if not filled:
        return None
    bucket = filled[dice.below(len(filled))]
    asked = worded("waste.question", low=bucket.low, high=bucket.high, count=bucket.count)
    why = worded(
        "waste.why",
        count=bucket.count,
        pad=bucket.pad_to,
        steps=bucket.steps,
        real=bucket.real_steps,
        padding=bucket.steps - bucket.real_steps,
        waste=percent(bucket.waste, ASCII),
    )
    return Question("waste", asked, Answer(bucket.waste, share=True), why)


def _move(facts: Facts, dice: Dice) -> Question | None:
    steps, best = facts.single_steps, facts.best_step
    if not steps:
        return None
    least = best.change if best else -1
    worse = dice.shuffled([step for step in steps if step.change > least])
    choices = [
        worded("move.choice", bucket=step.bucket, before=step.before, length=step.length)
        for step in ([best] if best else []) + worse[:_OTHERS]
    ]
    numbers = {
        "steps": facts.table.steps,
        "k": len(facts.state.boundaries),
        "optimal": facts.best.steps,
    }
    none = worded("move.none")
    if best is None:
        why = worded("move.why.none", count=len(steps), **numbers)
        return _choice("move", worded("move.question"), none, choices, why, dice)
    change = signed(best.change, ASCII)
    why = worded("move.why", after=best.steps, change=change, **numbers)
    return _choice("move", worded("move.question"), choices[0], [*choices[1:], none], why, dice)


def _change(facts: Facts, dice: Dice) -> Question | None:
    steps = facts.single_steps
    if not steps:
        return None
    step = steps[dice.below(len(steps))]
    asked = worded("change.question", bucket=step.bucket, before=step.before, length=step.length)
    change = signed(step.change, ASCII)
    why = worded("change.why", steps=facts.table.steps, after=step.steps, change=change)
    return Question("change", asked, Answer(step.change), why)


def _add(facts: Facts, dice: Dice) -> Question | None:
    place = facts.best_addition
    if place is None:
        return None
    after = facts.steps_with(place)
    lengths = [int(length) for length in facts.analysis.histogram.positive.lengths]
    free = [length for length in lengths if length not in facts.state.boundaries]
    tried = sorted({free[dice.below(len(free))] for _ in range(_TRIED)} - {place})
    worse = dice.shuffled([length for length in tried if facts.steps_with(length) > after])
    if not worse:
        return None
    others = [worded("add.choice", length=length) for length in worse[:_OTHERS]]
    before = facts.table.steps
    why = worded("add.why", length=place, saves=before - after, steps=before, after=after)
    right = worded("add.choice", length=place)
    return _choice("add", worded("add.question"), right, others, why, dice)


def _optimum(facts: Facts, dice: Dice) -> Question | None:
    best, k = facts.best, len(facts.state.boundaries)
    why = worded(
        "optimum.why",
        optimal=best.steps,
        boundaries=_listed(best.boundaries),
        distance=-best.change,
        steps=facts.table.steps,
    )
    return Question("optimum", worded("optimum.question", k=k), Answer(best.steps), why)


def _wrong(facts: Facts, dice: Dice) -> Question | None:
    check, masked = facts.check("pad"), facts.check("pad+mask")
    if not check.checked:
        return None
    why = worded(
        "wrong.why",
        wrong=check.wrong,
        checked=check.checked,
        error=_error(check.max_abs_error),
        longest=facts.analysis.histogram.maximum,
        masked=masked.wrong,
    )
    asked = worded("wrong.question", checked=check.checked)
    return Question("wrong", asked, Answer(check.wrong), why)


def _left(facts: Facts, dice: Dice) -> Question | None:
    check = facts.check("left-pad")
    if check.correct is None:
        return None
    asked = worded("left.question", bias=f"{facts.state.model.bias:g}")
    why = worded("left.why", wrong=check.wrong, checked=check.checked)
    return _yes_no("left", asked, check.correct, why)


def _repeat(facts: Facts, dice: Dice) -> Question | None:
    check, zeros = facts.check("repeat-last"), facts.check("pad")
    if check.correct is None:
        return None
    why = worded("repeat.why", wrong=check.wrong, checked=check.checked, pad_wrong=zeros.wrong)
    return _yes_no("repeat", worded("repeat.question"), check.correct, why)


def _graphs(facts: Facts, dice: Dice) -> Question | None:
    graphs = facts.rows["bucketed"].counts.graphs
    why = worded(
        "graphs.why",
        graphs=graphs,
        k=len(facts.state.boundaries),
        distinct=facts.analysis.histogram.positive.distinct,
    )
    return Question("graphs", worded("graphs.question"), Answer(graphs), why)


def _calls(facts: Facts, dice: Dice) -> Question | None:
    calls = facts.rows["bucketed"].counts.launches
    terms = _sum([bucket.pad_to or 0 for bucket in facts.table.buckets if bucket.count])
    why = worded("calls.why", sum=terms, calls=calls, longest=facts.analysis.histogram.maximum)
    return Question("calls", worded("calls.question"), Answer(calls), why)


#: Every kind, in an order that is part of what a seed means: new ones go to the end.
KINDS: tuple[Kind, ...] = (
    Kind("zeros", _zeros, ("pad",)),
    Kind("mask", _mask),
    Kind("buckets", _buckets),
    Kind("standard", _standard, ("pad", "pad+mask")),
    Kind("faster", _faster),
    Kind("chainer", _chainer),
    Kind("steps", _steps),
    Kind("saved", _saved),
    Kind("pad", _pad),
    Kind("waste", _waste),
    Kind("move", _move),
    Kind("change", _change),
    Kind("add", _add),
    Kind("optimum", _optimum),
    Kind("wrong", _wrong, ("pad", "pad+mask")),
    Kind("left", _left, ("left-pad",)),
    Kind("repeat", _repeat, ("repeat-last", "pad")),
    Kind("graphs", _graphs),
    Kind("calls", _calls),
)

#: Strategies whose check some question needs.
NEEDED_CHECKS = tuple(dict.fromkeys(name for kind in KINDS for name in kind.checks))


def _ends(facts: Facts) -> str:
    return _listed(facts.state.boundaries)


def _listed(boundaries: tuple[int, ...]) -> str:
    """Return boundaries as they are typed; from the middle of a long list, dots."""
    if len(boundaries) <= 2 * _MOST_TERMS:
        return ",".join(map(str, boundaries))
    first, last = boundaries[:_MOST_TERMS], boundaries[-_MOST_TERMS:]
    return f"{','.join(map(str, first))},...,{','.join(map(str, last))}"


def _sum(terms: list[int]) -> Said | str:
    if len(terms) > _MOST_TERMS:
        return worded("sum.long", k=len(terms))
    return " + ".join(map(str, terms))


def _error(value: float | None) -> str:
    return "-" if value is None else number_text(value)
