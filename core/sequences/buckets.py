"""Buckets: boundaries laid over a histogram, and what each bucket costs.

Boundaries are *inclusive pad-to sizes*: a length belongs to the first boundary that is at least
as large. A zero length belongs to no bucket. Every total comes from prefix sums, so a table of K
buckets costs K binary searches, whatever the number of sequences.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from ..errors import PlanError
from ..wording import say
from .histogram import Histogram

#: The policies whose steps follow from the histogram alone.
PAD_TO_POLICIES = ("longest", "boundary")


@dataclass(frozen=True)
class Bucket:
    """One bucket, ``low``…``high`` inclusive.

    ``pad_to`` is the length its sequences are padded to, None where the policy is ``longest`` and
    no sequence falls into the bucket. ``steps`` count padding, ``real_steps`` do not.
    """

    low: int
    high: int
    count: int
    pad_to: int | None
    steps: int
    real_steps: int

    @property
    def waste(self) -> float | None:
        """(steps - real steps) / steps, None where there is no step."""
        return (self.steps - self.real_steps) / self.steps if self.steps else None


@dataclass(frozen=True, eq=False)
class BucketTable:
    """The buckets of ``boundaries`` on one histogram under one pad_to policy.

    Build it with :func:`bucket_table`.
    """

    boundaries: tuple[int, ...]
    pad_to_policy: str
    buckets: tuple[Bucket, ...]

    @cached_property
    def steps(self) -> int:
        """All cell steps, padding included."""
        return sum(bucket.steps for bucket in self.buckets)

    @cached_property
    def real_steps(self) -> int:
        """All cell steps without padding."""
        return sum(bucket.real_steps for bucket in self.buckets)

    @cached_property
    def waste(self) -> float | None:
        """(steps - real steps) / steps over all buckets, None where there is no step."""
        return (self.steps - self.real_steps) / self.steps if self.steps else None

    def bucket_index(self, length: int) -> int:
        """Return the index of the bucket that ``length`` > 0 falls into.

        Raises PlanError above the last boundary, and for length 0, which has no bucket.
        """
        if length <= 0:
            raise PlanError(
                say("a sequence of length {length} belongs to no bucket", length=length)
            )
        index = bisect_left(self.boundaries, length)
        if index == len(self.boundaries):
            raise PlanError(
                say(
                    "length {length} is above the last boundary {last}",
                    length=length,
                    last=self.boundaries[-1],
                )
            )
        return index

    def pad_to_of(self, length: int) -> int:
        """Return the length that a sequence of ``length`` steps is padded to."""
        pad_to = self.buckets[self.bucket_index(length)].pad_to
        return length if pad_to is None else pad_to


def bucket_table(
    histogram: Histogram, boundaries: Iterable[int], pad_to_policy: str = "longest"
) -> BucketTable:
    """Lay ``boundaries`` over ``histogram``.

    Raises PlanError where the boundaries are not strictly increasing whole numbers above zero or
    end below the longest length.
    """
    checked = check_boundaries(boundaries, histogram.maximum)
    if pad_to_policy not in PAD_TO_POLICIES:
        raise PlanError(say("unknown pad_to policy {pad_to_policy!r}", pad_to_policy=pad_to_policy))
    lows = (1, *(boundary + 1 for boundary in checked[:-1]))
    buckets = tuple(
        _bucket(histogram, low, high, pad_to_policy)
        for low, high in zip(lows, checked, strict=True)
    )
    return BucketTable(checked, pad_to_policy, buckets)


def check_boundaries(boundaries: Iterable[int], maximum: int) -> tuple[int, ...]:
    """Return the boundaries as a tuple, or raise PlanError with the reason they cannot be."""
    checked = tuple(boundaries)
    if not checked:
        raise PlanError(
            say("there are no boundaries"), hint=say("give at least the longest length")
        )
    for before, after in zip((0, *checked[:-1]), checked, strict=True):
        if after <= before:
            reason = say("is not above 0")
            if before:
                reason = say("does not rise above {before}", before=before)
            raise PlanError(
                say("boundary {after} {reason}", after=after, reason=reason),
                hint=say("boundaries rise strictly from 1"),
            )
    if checked[-1] < maximum:
        raise PlanError(
            say(
                "the last boundary {last} is below the longest length {maximum}",
                last=checked[-1],
                maximum=maximum,
            ),
            hint=say("add {maximum}", maximum=maximum),
        )
    return checked


def _bucket(histogram: Histogram, low: int, high: int, policy: str) -> Bucket:
    count = histogram.count_between(low, high)
    pad_to = histogram.longest_between(low, high) if policy == "longest" else high
    return Bucket(
        low=low,
        high=high,
        count=count,
        pad_to=pad_to,
        steps=count * pad_to if pad_to is not None else 0,
        real_steps=histogram.steps_between(low, high),
    )
