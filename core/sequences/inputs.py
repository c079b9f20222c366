"""Inputs of sequences: which sequences there are, by position, and the numbers they carry.

A generated stream that is small enough is taken whole, in its own order. Any other data has only
lengths; position p then means the p-th sequence in ascending order of length, and its inputs come
from ``default_rng([seed, p])`` time step by time step, so that they do not depend on what else is
run. Sequences that run together lie one behind the other in one ragged buffer, never in a padded
block.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
import numpy.typing as npt

from .dataset import Dataset
from .generators import INPUT_SIZE, Floats, stream_of
from .histogram import Histogram

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Ragged:
    """Sequences one behind the other: x (all steps, inputs), starts (n,), lengths (n,)."""

    x: Floats
    starts: Ints
    lengths: Ints

    @classmethod
    def join(cls, sequences: Sequence[Floats]) -> Ragged:
        """Put sequences of shape (steps, inputs) one behind the other."""
        lengths = np.array([len(sequence) for sequence in sequences], np.int64)
        x = np.concatenate(sequences) if sequences else np.zeros((0, INPUT_SIZE))
        return cls(x, np.cumsum(lengths) - lengths, lengths)

    def take(self, rows: npt.NDArray[np.intp]) -> Ragged:
        """Return the chosen sequences in the given order; their steps are not copied."""
        return Ragged(self.x, self.starts[rows], self.lengths[rows])


class Source(Protocol):
    """Where the inputs of a data set come from."""

    def length(self, position: int) -> int:
        """Return the length of the sequence at ``position``."""

    def first_of(self, length: int) -> int:
        """Return the first position whose sequence has ``length``, which occurs."""

    def inputs(self, position: int) -> Floats:
        """Return the inputs of the sequence at ``position``: (length, inputs)."""


@dataclass(frozen=True, eq=False)
class StreamSource:
    """All sequences of a generated stream, in the order of the stream."""

    whole: Ragged

    def length(self, position: int) -> int:
        """Return the length of the sequence at ``position``."""
        return int(self.whole.lengths[position])

    def first_of(self, length: int) -> int:
        """Return the first position whose sequence has ``length``, which occurs."""
        return int(np.argmax(self.whole.lengths == length))

    def inputs(self, position: int) -> Floats:
        """Return the inputs of the sequence at ``position``: (length, inputs), a view."""
        start = int(self.whole.starts[position])
        return self.whole.x[start : start + self.length(position)]


@dataclass(frozen=True, eq=False)
class SeededSource:
    """Sequences known by their lengths only; each position has a stream of its own."""

    histogram: Histogram
    seed: int

    @cached_property
    def _lengths(self) -> list[int]:
        return [int(length) for length in self.histogram.lengths]

    @cached_property
    def _before(self) -> list[int]:
        return [int(count) for count in self.histogram.count_prefix]

    def length(self, position: int) -> int:
        """Return the length of the sequence at ``position``."""
        return self._lengths[bisect_right(self._before, position) - 1]

    def first_of(self, length: int) -> int:
        """Return the first position whose sequence has ``length``, which occurs."""
        return self._before[self.histogram.position(length) - 1]

    def inputs(self, position: int) -> Floats:
        """Draw the inputs of the sequence at ``position``: (length, inputs)."""
        rng = np.random.default_rng([self.seed, position])
        return rng.standard_normal((self.length(position), INPUT_SIZE))


def open_source(dataset: Dataset, seed: int, budget: int) -> Source:
    """Return the exact stream where all its real steps fit into ``budget``, else seeded inputs."""
    stream = stream_of(dataset, seed) if dataset.histogram.real_steps <= budget else None
    if stream is None:
        return SeededSource(dataset.histogram, seed)
    starts = np.cumsum(stream.lengths) - stream.lengths
    return StreamSource(Ragged(stream.inputs(), starts, stream.lengths))
