"""What batches cost: one line of numbers about an epoch, and resuming in the middle of one.

``steps_per_epoch`` is exact for one epoch; under the policy ``batch``, where every epoch differs,
it is the mean of a few simulated ones with its spread. A shape is a padded length, or a padded
length with a number of rows where a list of compiled batch sizes is given: what a compiler that
specialises on shapes compiles, once each.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import PlanError
from ..wording import say
from .batch_options import BatchOptions
from .batches import Batches, make_batches, needed_pads
from .orders import Ints, group_size
from .ranks import Shares, rank_wait, share

#: torch.compile's default limit of graphs per function; one more shape runs eagerly for good.
RECOMPILE_LIMIT = 8

#: Epochs that are simulated where each one differs.
SIMULATED_EPOCHS = 3

#: Epochs that --skip-batches may reach over, each of which has to be made.
MOST_EPOCHS = 100


@dataclass(frozen=True)
class BatchReport:
    """Figures of an epoch; the first seven are the JSON object ``batches`` of a plan.

    ``count`` and ``optimizer_steps`` (batches per rank) are those still to run after
    ``skip_batches``; all else describes the whole epoch. ``fill`` is the mean share of the budget
    (or of the batch size) that a batch uses, ``rank_wait`` the share of time that ranks wait for
    the slowest, ``length_correlation`` the correlation of the mean length of a batch with that
    of the next one, None where it is undefined. ``steps_spread`` is the standard deviation over
    simulated epochs, None where steps are exact. ``waste`` counts against ``steps_per_epoch``.
    ``buffer`` is how many sequences a stream must hold so that some bucket can always fill a
    batch. ``dropped`` sequences exceeded the budget, ``kept_over`` did and were kept;
    ``unshared`` and ``repeated`` are those of batches dropped or repeated for the ranks.
    ``bucket_steps`` are the steps of each bucket, in the mean of the simulated epochs; None where
    batches cross buckets.
    """

    count: int
    optimizer_steps: int
    steps_per_epoch: int | float
    shapes: int
    fill: float
    rank_wait: float | None
    length_correlation: float | None
    steps_spread: float | None
    real_steps: int
    waste: float | None
    buffer: int
    epoch: int
    zeros: int
    dropped: int
    dropped_steps: int
    kept_over: int
    unshared: int
    unshared_steps: int
    repeated: int
    repeated_steps: int
    bucket_steps: tuple[float, ...] | None

    def as_json(self) -> dict[str, Any]:
        """Return the seven figures of ``plan --json`` under their keys."""
        return {
            "count": self.count,
            "optimizer_steps": self.optimizer_steps,
            "steps_per_epoch": self.steps_per_epoch,
            "shapes": self.shapes,
            "fill": self.fill,
            "rank_wait": self.rank_wait,
            "length_correlation": self.length_correlation,
        }

    def notes(self) -> tuple[str, ...]:
        """Return one line for everything that was left out, repeated or exceeds a limit."""
        said = (
            ("zero-length sequences, in no batch", self.zeros),
            ("sequences above the budget, dropped", self.dropped),
            ("sequences above the budget, each kept as a batch of one", self.kept_over),
            ("sequences dropped so that all ranks run as many batches", self.unshared),
            ("sequences repeated so that all ranks run as many batches", self.repeated),
        )
        lines = [f"{what}: {count:,}" for what, count in said if count]
        warning = recompile_warning(self.shapes)
        return (*lines, warning) if warning else tuple(lines)


def batch_report(
    lengths: Ints,
    boundaries: tuple[int, ...],
    options: BatchOptions,
    epochs: int = SIMULATED_EPOCHS,
) -> BatchReport:
    """Make the batches of an epoch and report on them; raises PlanError as make_batches does."""
    batches, shares, skipped = resume(lengths, boundaries, options)
    simulated = _epochs(batches, lengths, boundaries, options, epochs)
    steps, spread = _steps_of_epochs(simulated, options)
    real = batches.total_real_steps
    capacity = options.budget or options.size_for(1)
    used = batches.total_steps if options.budget else int(batches.sizes.sum())
    return BatchReport(
        count=max(0, batches.count - skipped * options.ranks),
        optimizer_steps=shares.optimizer_steps - skipped,
        steps_per_epoch=steps,
        shapes=int(shapes_so_far(batches, options)[-1]) if batches.count else 0,
        fill=used / (capacity * batches.count) if batches.count else 0.0,
        rank_wait=rank_wait(batches, shares.order),
        length_correlation=length_correlation(batches),
        steps_spread=spread,
        real_steps=real,
        waste=(steps - real) / steps if steps else None,
        buffer=buffer_needed(lengths, boundaries, options),
        epoch=batches.epoch,
        zeros=batches.zeros,
        dropped=len(batches.dropped),
        dropped_steps=int(lengths[batches.dropped].sum()),
        kept_over=batches.kept_over,
        unshared=shares.dropped,
        unshared_steps=shares.dropped_steps,
        repeated=shares.repeated,
        repeated_steps=shares.repeated_steps,
        bucket_steps=_steps_of_buckets(simulated, boundaries, options),
    )


def resume(
    lengths: Ints, boundaries: tuple[int, ...], options: BatchOptions
) -> tuple[Batches, Shares, int]:
    """Return the epoch that a resumed run is in, its shares, and the steps of it already done.

    ``skip_batches`` counts what each rank has run since the first epoch. Exactly at the end of an
    epoch the next one begins at its first batch. Raises PlanError where that many batches reach
    over more than ``MOST_EPOCHS``, or where an epoch gives a rank nothing to do.
    """
    left = options.skip_batches
    for epoch in range(MOST_EPOCHS):
        batches = make_batches(lengths, boundaries, options, epoch)
        shares = share(batches, options.ranks, options.uneven)
        if left < shares.optimizer_steps or not options.skip_batches:
            return batches, shares, left
        if not shares.optimizer_steps:
            raise PlanError(
                say(
                    "an epoch of {batches} batches leaves {ranks} ranks nothing to do",
                    batches=batches.count,
                    ranks=options.ranks,
                ),
                where="--skip-batches",
                hint=say("take --uneven repeat or fewer ranks"),
            )
        left -= shares.optimizer_steps
    raise PlanError(
        say(
            "{batches} batches per rank are more than {most} epochs have",
            batches=options.skip_batches,
            most=MOST_EPOCHS,
        ),
        where="--skip-batches",
    )


def _epochs(
    first: Batches,
    lengths: Ints,
    boundaries: tuple[int, ...],
    options: BatchOptions,
    epochs: int,
) -> list[Batches]:
    """Return the epochs whose mean counts: some where each one differs, else the first alone."""
    if options.pad_to != "batch":
        return [first]
    numbers = range(first.epoch + 1, first.epoch + epochs)
    return [first, *(make_batches(lengths, boundaries, options, number) for number in numbers)]


def _steps_of_epochs(
    simulated: list[Batches], options: BatchOptions
) -> tuple[int | float, float | None]:
    """Return the steps of an epoch, the mean where each one differs, and their spread."""
    if options.pad_to != "batch":
        return simulated[0].total_steps, None
    steps = np.array([batches.total_steps for batches in simulated], np.float64)
    return float(steps.mean()), float(steps.std(ddof=1)) if len(steps) > 1 else 0.0


def _steps_of_buckets(
    simulated: list[Batches], boundaries: tuple[int, ...], options: BatchOptions
) -> tuple[float, ...] | None:
    if options.order != "bucketed":
        return None
    totals = np.zeros(len(boundaries))
    for batches in simulated:
        buckets = np.searchsorted(np.array(boundaries, np.int64), batches.longest)
        totals += np.bincount(buckets, batches.steps.astype(np.float64), len(boundaries))
    return tuple((totals / len(simulated)).tolist())


def shapes_so_far(batches: Batches, options: BatchOptions) -> npt.NDArray[np.int64]:
    """Return how many distinct shapes have run after each batch: what was compiled by then."""
    shapes = np.stack((batches.pad, batches.rows if options.batch_sizes else 0 * batches.rows))
    _, first = np.unique(shapes, axis=1, return_index=True)
    new = np.zeros(batches.count, np.int64)
    new[first] = 1
    return np.cumsum(new)


def recompile_warning(shapes: int, limit: int = RECOMPILE_LIMIT) -> str | None:
    """Return a warning where torch.compile would give up and run eagerly, None within the limit."""
    if shapes <= limit:
        return None
    return f"{shapes} shapes are more than torch.compile's limit of {limit}: it would run eagerly"


def length_correlation(batches: Batches) -> float | None:
    """Return Pearson's correlation of each batch's mean length with the next batch's.

    None below three batches, and where the means do not vary.
    """
    if batches.count < 3:
        return None
    means = batches.real_steps / batches.sizes
    before, after = means[:-1] - means[:-1].mean(), means[1:] - means[1:].mean()
    scale = float(np.sqrt((before @ before) * (after @ after)))
    # A constant mean leaves rounding errors of this size, which say nothing.
    if scale <= 1e-12 * float(means @ means):
        return None
    return float(before @ after) / scale


def buffer_needed(lengths: Ints, boundaries: tuple[int, ...], options: BatchOptions) -> int:
    """Return the least buffer, in sequences, that always holds a complete batch of some bucket.

    With at most n - 1 waiting in each bucket of batch size n, one more completes a batch. Where a
    batch is closed by its own longest, n is one more than the shortest lengths that fit. Random
    and grouped batches cross buckets: they need the sequences of one batch, or of one group.
    """
    present = lengths[lengths > 0]
    edges = np.array(boundaries, np.int64)
    buckets = np.searchsorted(edges, present).astype(np.int64)
    if options.order == "grouped":
        pads = needed_pads(present, boundaries, buckets, options)
        return min(len(present), group_size(pads, options))
    if options.order == "random":
        shortest = options.size_for(int(present.min())) + (options.budget is not None)
        return min(len(present), shortest)
    counts = np.bincount(buckets, minlength=len(edges)).tolist()
    shortest_of = np.full(len(edges), np.iinfo(np.int64).max)
    np.minimum.at(shortest_of, buckets, present)
    waiting = 0
    for count, boundary, shortest in zip(counts, boundaries, shortest_of.tolist(), strict=True):
        by_own_longest = options.pad_to == "batch" and options.budget is not None
        most = options.size_for(shortest) if by_own_longest else options.size_for(boundary) - 1
        waiting += min(count, max(0, most))
    return min(len(present), waiting + 1)
