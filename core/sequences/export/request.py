"""What an exporter is given, what it declares, and the words that every export opens with.

Inside dgplay boundaries are inclusive pad-to sizes in steps. Each exporter derives from them what
its tool's own comparison needs. Seconds are frames divided by the frame rate, rounded once to the
nearest float, and written in the fewest digits that give that float. Rounding never reorders: a
duration of at most that many frames is at most the bin as a float too, and a longer one is above
it unless the two differ by less than floats can tell.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

from ...errors import PlanError
from ...wording import say
from ..batch_options import BatchOptions, bucket_batch_sizes
from ..buckets import BucketTable
from ..dataset import Dataset

#: What an exporter counts in; ``either`` takes data on any axis.
AXES = ("lengths", "seconds", "either")


@dataclass(frozen=True)
class ExportRequest:
    """Boundaries and what has to be said about them.

    ``table`` lays the boundaries over the data under the policy ``boundary``. ``axes`` are those
    the data has (see :func:`axes_of`). ``batches`` holds the budget or the batch size, None
    where neither was given. ``command`` reproduces the plan. ``block_size`` is vLLM's, in tokens.
    """

    data_name: str
    table: BucketTable
    method: str
    unit: str = "steps"
    frame_rate: Fraction | None = None
    axes: frozenset[str] = field(default=frozenset({"lengths"}))
    batches: BatchOptions | None = None
    command: str = ""
    block_size: int = 128

    @property
    def boundaries(self) -> tuple[int, ...]:
        """Inclusive pad-to sizes in steps."""
        return self.table.boundaries

    @cached_property
    def batch_sizes(self) -> tuple[int, ...] | None:
        """The batch size of each bucket, None without a budget or a batch size."""
        return bucket_batch_sizes(self.boundaries, self.batches) if self.batches else None

    @cached_property
    def seconds(self) -> tuple[float, ...]:
        """The boundaries in seconds.

        Raises PlanError where the data has none, or where two of them are the same float.
        """
        found = tuple(self.to_seconds(boundary) for boundary in self.boundaries)
        for before, after in pairwise(found):
            if after <= before:
                raise PlanError(
                    say("two boundaries are the same time as a float, {after!r} s", after=after)
                )
        return found

    def to_seconds(self, frames: int) -> float:
        """Return a number of frames in seconds, rounded once; raises PlanError without a rate."""
        if self.frame_rate is None:
            raise PlanError(
                say("the data has no seconds"),
                hint=say("give --frame-rate for data that counts frames"),
            )
        return float(frames / self.frame_rate)

    @cached_property
    def shapes(self) -> tuple[tuple[int | None, int], ...]:
        """Every (rows, padded length) that is compiled; rows None where any number may come."""
        compiled = self.batches.batch_sizes if self.batches else ()
        if not compiled or self.batch_sizes is None:
            return tuple((None, boundary) for boundary in self.boundaries)
        return tuple(
            (rows, boundary)
            for boundary, most in zip(self.boundaries, self.batch_sizes, strict=True)
            for rows in compiled
            if rows <= most
        )


@dataclass(frozen=True)
class Exporter:
    """One target: what it counts in, what it needs, and how it is written.

    ``needs`` is empty, ``batch sizes`` (a budget or a batch size) or the like; ``suffix`` is the
    usual ending of such a file.
    """

    name: str
    axis: str
    needs_batch_sizes: bool
    render: Callable[[ExportRequest], str]
    doc: str
    suffix: str = ".py"


def axes_of(dataset: Dataset, assumed: bool) -> frozenset[str]:
    """Return what a data set can be exported in: lengths, seconds or both.

    There are seconds where a step is a frame of known rate. There are no lengths where the data
    holds durations and the rate was ``assumed``: what a frame is to that model was never said.
    """
    if dataset.frame_rate is None:
        return frozenset({"lengths"})
    return frozenset({"seconds"} if assumed else {"lengths", "seconds"})


def header(request: ExportRequest, *more: str) -> str:
    """Return the comment lines that name the data, k, policy and waste; ``more`` follow them."""
    table = request.table
    waste = "no steps" if table.waste is None else f"waste {100 * table.waste:.2f} %"
    lines = [
        f"Boundaries for {request.data_name}, made by dgplay.",
        f"k = {len(table.boundaries)}, method {request.method}, padded to the boundary:"
        f" {waste} ({table.steps} steps for {table.real_steps} real ones).",
    ]
    if request.frame_rate is not None:
        lines.append(f"One step is one frame, {request.frame_rate} frames per second.")
    else:
        lines.append(f"Lengths count {request.unit}.")
    if request.batches is not None:
        given, unit = request.batches.budget, "steps per batch, padding included"
        if given is None:
            given, unit = request.batches.batch_size, "sequences per batch"
        lines.append(f"Batches of at most {given} {unit}.")
    if request.command:
        lines.append(request.command)
    return comment(*lines, *more)


def sizes_not_kept(request: ExportRequest) -> tuple[str, ...]:
    """Return what to say where a tool computes batch sizes by itself and cannot keep ours."""
    batches = request.batches
    if batches is None or (batches.batch_multiple == 1 and not batches.batch_sizes):
        return ()
    flag = "--batch-sizes" if batches.batch_sizes else "--batch-multiple"
    return (f"{flag} is not kept: the batch sizes are computed there.",)


def comment(*lines: str) -> str:
    """Return comment lines; whatever could end a line early is made visible instead."""
    return "".join(f"# {_one_line(line)}\n" for line in lines)


def _one_line(text: str) -> str:
    return "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in text)


def assignment(name: str, values: Iterable[int | float], brackets: str = "[]") -> str:
    """Return a Python assignment of a list or tuple, wrapped where it is long."""
    items = [repr(value) for value in values]
    tail = "," if brackets == "()" and len(items) == 1 else ""
    line = f"{name} = {brackets[0]}{', '.join(items)}{tail}{brackets[1]}"
    if len(line) <= 100:
        return f"{line}\n"
    filled = textwrap.fill(
        ", ".join(items) + ",", 96, initial_indent="    ", subsequent_indent="    "
    )
    return f"{name} = {brackets[0]}\n{filled}\n{brackets[1]}\n"


#: Python that every target with a pad helper shares; ``BUCKETS`` stands above it.
PAD_TO = '''

def pad_to(length):
    """Return the size that a sequence of `length` is padded to; ValueError above the last."""
    place = bisect_left(BUCKETS, length)
    if place == len(BUCKETS):
        raise ValueError(f"length {length} is above the last bucket {BUCKETS[-1]}")
    return BUCKETS[place]
'''
