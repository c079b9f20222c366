"""Numbers with their nouns: 1 step, 2 steps; and the lengths of data, which may all be one."""

from __future__ import annotations

from .sequences.dataset import Dataset


class Counted(int):
    """A whole number that brings its noun: ``{n:step|steps}`` is 1 step, 2 steps.

    For templates, so that each language says what it needs: one that knows no plural writes
    ``{n}``. Any other format is that of a whole number.
    """

    def __format__(self, spec: str) -> str:
        """Return the number, behind it the first word for 1 and the second one for all else."""
        one, bar, many = spec.partition("|")
        if not bar:
            return super().__format__(spec)
        return f"{int(self)} {one if self == 1 else many}"


def counted(number: int, many: str) -> str:
    """Return a number with its noun, given as English has it for many, with an s."""
    return f"{Counted(number):{many.removesuffix('s')}|{many}}"


def lengths_text(shortest: int, longest: int, unit: str, between: str) -> str:
    """Return the range of lengths: ``3–20 words``, or ``3 words`` where there is one only."""
    if shortest == longest:
        return counted(longest, unit)
    return f"{shortest}{between}{longest} {unit}"


def data_text(dataset: Dataset, between: str) -> str:
    """Return what data are: ``chainer-100: 100 sequences of 1–20 steps``."""
    histogram = dataset.histogram
    lengths = lengths_text(histogram.minimum, histogram.maximum, dataset.unit, between)
    return f"{dataset.name}: {counted(histogram.sequences, 'sequences')} of {lengths}"
