"""What a person can ask of batches, and the one rule for how many sequences a batch may hold.

The rule: a batch of n sequences padded to a length of ``pad`` steps costs n * pad cell steps and
may cost at most the budget. A batch multiple rounds n down (to n itself where not even one
multiple fits, as fairseq does); a list of compiled batch sizes rounds it down to the list and
fills a smaller last batch up to the list with empty rows.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from ..errors import PlanError
from ..wording import say

ORDERS = ("bucketed", "random", "grouped")
UNEVEN = ("drop", "repeat")
OVER = ("refuse", "drop", "keep")
PAD_TO = ("boundary", "longest", "batch")

#: Ranks at most: an optimizer step names the batch of each.
MOST_RANKS = 1_000_000

#: Batches that a group of the length-grouped order holds at most (transformers' default).
MEGA_BATCHES = 50


@dataclass(frozen=True)
class BatchOptions:
    """How sequences become batches; exactly one of ``budget`` and ``batch_size`` is given.

    ``budget`` is in cell steps per batch, padding included; ``batch_size`` in sequences.
    ``batch_sizes`` are the only numbers of rows that are compiled, ascending, empty for any.
    ``over`` says what happens to a sequence that exceeds the budget on its own: refuse, drop, or
    keep it as a batch of one. ``uneven`` says what happens to batches that the ranks cannot share
    equally. ``skip_batches`` are the batches that each rank has already run (its optimizer steps).
    ``mega_batches`` fixes how many batches a group of the grouped order holds; None takes 50, or
    fewer where the data would not fill four groups. What a batch is padded to is rounded up to a
    multiple of ``multiple_of`` steps.
    """

    budget: int | None = None
    batch_size: int | None = None
    batch_multiple: int = 1
    batch_sizes: tuple[int, ...] = ()
    pad_to: str = "boundary"
    order: str = "bucketed"
    longest_first: bool = False
    over: str = "refuse"
    ranks: int = 1
    uneven: str = "drop"
    skip_batches: int = 0
    mega_batches: int | None = None
    seed: int = 0
    multiple_of: int = 1

    def check(self) -> None:
        """Raise PlanError, one line, for options that contradict each other or make no sense."""
        if (self.budget is None) == (self.batch_size is None):
            raise PlanError(
                say("batches need either a budget or a batch size"),
                hint=say("give --budget or --batch-size"),
            )
        for option, value, least in (
            ("--budget", self.budget, 1),
            ("--batch-size", self.batch_size, 1),
            ("--batch-multiple", self.batch_multiple, 1),
            ("--ranks", self.ranks, 1),
            ("--multiple-of", self.multiple_of, 1),
            ("--skip-batches", self.skip_batches, 0),
            ("--seed", self.seed, 0),
        ):
            if value is not None and value < least:
                raise PlanError(
                    say("is {least} or above, not {value}", least=least, value=value), where=option
                )
        if self.ranks > MOST_RANKS:
            raise PlanError(
                say("is at most {most:,}, not {ranks:,}", most=MOST_RANKS, ranks=self.ranks),
                where="--ranks",
            )
        for option, word, known in (
            ("--order", self.order, ORDERS),
            ("--uneven", self.uneven, UNEVEN),
            ("--pad-to", self.pad_to, PAD_TO),
            ("--over", self.over, OVER),
        ):
            if word not in known:
                raise PlanError(
                    say("is one of {names}, not {word!r}", names=", ".join(known), word=word),
                    where=option,
                )
        self._check_sizes()

    def _check_sizes(self) -> None:
        if self.batch_sizes and self.batch_multiple > 1:
            raise PlanError(say("says the same as --batch-multiple"), where="--batch-sizes")
        for before, size in zip((0, *self.batch_sizes), self.batch_sizes, strict=False):
            if size <= before:
                raise PlanError(
                    say("{size} does not rise above {before}", size=size, before=before),
                    where="--batch-sizes",
                )
        if self.batch_size is not None and self.size_for(1) == 0:
            raise PlanError(
                say(
                    "{batch_size} is below the smallest of --batch-sizes {least}",
                    batch_size=self.batch_size,
                    least=self.batch_sizes[0],
                ),
                where="--batch-size",
            )

    def size_for(self, pad: int) -> int:
        """Return the most sequences that fit a batch padded to ``pad`` >= 1 steps, 0 for none."""
        fit = self.batch_size if self.batch_size is not None else (self.budget or 0) // pad
        if self.batch_sizes:
            place = bisect_right(self.batch_sizes, fit)
            return self.batch_sizes[place - 1] if place else 0
        return fit - fit % self.batch_multiple if fit >= self.batch_multiple else fit

    def rows_for(self, count: int) -> int:
        """Return the rows that a batch of ``count`` sequences runs with, empty ones included.

        ``count`` itself where it is above the largest compiled size, which only a caller that
        ignores :meth:`size_for` can reach.
        """
        if not self.batch_sizes or count > self.batch_sizes[-1]:
            return count
        return self.batch_sizes[bisect_left(self.batch_sizes, count)]

    def fits(self, pad: int, count: int) -> bool:
        """Say whether ``count`` sequences may share a batch padded to ``pad`` steps."""
        if self.batch_size is not None:
            return count <= self.size_for(1)
        if self.batch_sizes and count > self.batch_sizes[-1]:
            return False
        return pad * self.rows_for(count) <= (self.budget or 0)


def bucket_batch_sizes(boundaries: tuple[int, ...], options: BatchOptions) -> tuple[int, ...]:
    """Return the batch size of each bucket, every one of its sequences padded to its boundary.

    A bucket that exceeds the budget with a single sequence has batches of the smallest size where
    over-long sequences are kept. Raises PlanError for it where they are refused or dropped, and
    for options that cannot be.
    """
    options.check()
    sizes = tuple(options.size_for(boundary) for boundary in boundaries)
    if all(sizes):
        return sizes
    if options.over != "keep":
        boundary = boundaries[sizes.index(0)]
        raise PlanError(
            say(
                "one sequence padded to {boundary} exceeds the budget of {budget}",
                boundary=boundary,
                budget=options.budget,
            ),
            where="--budget",
            hint=say("raise it to {steps}", steps=boundary * options.rows_for(1)),
        )
    return tuple(size or options.rows_for(1) for size in sizes)
