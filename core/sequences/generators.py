"""Generators: lengths drawn from a seeded stream instead of read from a file.

The stream of seed S is ``default_rng(S)``: Wx (16, 8), Wh (8, 8) and Wy (8, 4) as standard
normals, then all lengths, then the inputs of each sequence in order. The weights are always drawn
at that reference size, so neither lengths nor inputs depend on the hidden width of the model.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..errors import DataError
from ..wording import say
from .dataset import KEPT_IN_ORDER, Dataset
from .histogram import Histogram

Floats = npt.NDArray[np.float64]
Drawn = npt.NDArray[np.float64] | npt.NDArray[np.int64]

#: Numbers per time step of one sequence, and of one output.
INPUT_SIZE = 16
OUTPUT_SIZE = 4
REFERENCE_HIDDEN = 8

REFERENCE_SPEC = "uniform:1-20"
REFERENCE_NAME = "chainer-100"
REFERENCE_COUNT = 100
REFERENCE_SEED = 0

#: Every generator except ``uniform`` is rounded and clipped to this range.
CLIP_LOW, CLIP_HIGH = 1, 10_000

MOST_SEQUENCES = 100_000_000
LONGEST = 2**53


@dataclass(frozen=True)
class Kind:
    """One generator: its parameters as a command line spells them, and how it draws.

    ``parse`` turns the text after the colon into numbers and raises ValueError with the reason;
    ``draw`` takes the generator, those numbers and a count. ``clipped`` says that what was drawn
    still has to be rounded and clipped.
    """

    usage: str
    example: str
    parse: Callable[[str], tuple[float, ...]]
    draw: Callable[[np.random.Generator, tuple[float, ...], int], Drawn]
    clipped: bool = True


@dataclass(frozen=True, eq=False)
class Stream:
    """A stream after its lengths: weights of the reference size, lengths, and what comes next.

    ``lengths`` has shape (count,), dtype int64; ``outside`` counts those that were clipped.
    """

    wx: Floats
    wh: Floats
    wy: Floats
    lengths: npt.NDArray[np.int64]
    outside: int
    rng: np.random.Generator

    def inputs(self) -> Floats:
        """Draw the inputs of all sequences, one behind the other: shape (real steps, 16).

        To be called once: it moves the stream on.
        """
        return self.rng.standard_normal((int(self.lengths.sum()), INPUT_SIZE))


def is_generator(text: str) -> bool:
    """Say whether ``text`` names a generator, well-formed or not: ``uniform:1-20``."""
    return text.partition(":")[0] in KINDS


def generate(text: str, count: int, seed: int) -> Dataset:
    """Draw ``count`` lengths as ``text`` says.

    Raises DataError, one line, for a malformed specification, a count outside
    1…100,000,000 or a negative seed.
    """
    stream = open_stream(text, count, seed)
    reference = (text, count, seed) == (REFERENCE_SPEC, REFERENCE_COUNT, REFERENCE_SEED)
    notes: tuple[str, ...] = ()
    if KINDS[text.partition(":")[0]].clipped:
        notes = (
            f"{text}: rounded and clipped to {CLIP_LOW} to {CLIP_HIGH:,}"
            f" ({stream.outside:,} of {count:,} clipped)",
        )
    return Dataset(
        name=REFERENCE_NAME if reference else text,
        kind="reference" if reference else "generator",
        histogram=Histogram.from_lengths(stream.lengths),
        rows=count,
        in_order=stream.lengths[:KEPT_IN_ORDER].copy(),
        notes=notes,
    )


def open_stream(text: str, count: int, seed: int) -> Stream:
    """Start the stream of ``seed`` and draw its weights and ``count`` lengths.

    Raises DataError as :func:`generate` does.
    """
    kind, numbers = _parse(text)
    if count < 1:
        raise DataError(
            say("a generator makes 1 sequence or more, not {count}", count=count), where="--count"
        )
    if count > MOST_SEQUENCES:
        raise DataError(
            say(
                "a generator makes at most {most:,} sequences, not {count:,}",
                most=MOST_SEQUENCES,
                count=count,
            ),
            where="--count",
        )
    if seed < 0:
        raise DataError(say("a seed is 0 or above, not {seed}", seed=seed), where="--seed")
    rng = np.random.default_rng(seed)
    wx = rng.standard_normal((INPUT_SIZE, REFERENCE_HIDDEN))
    wh = rng.standard_normal((REFERENCE_HIDDEN, REFERENCE_HIDDEN))
    wy = rng.standard_normal((REFERENCE_HIDDEN, OUTPUT_SIZE))
    drawn = kind.draw(rng, numbers, count)
    outside = 0
    if kind.clipped:
        rounded = np.rint(drawn.astype(np.float64, copy=False))
        outside = int(np.count_nonzero((rounded < CLIP_LOW) | (rounded > CLIP_HIGH)))
        drawn = np.clip(rounded, CLIP_LOW, CLIP_HIGH)
    return Stream(wx, wh, wy, drawn.astype(np.int64, copy=False), outside, rng)


def stream_of(dataset: Dataset, seed: int) -> Stream | None:
    """Start the stream that ``dataset`` was drawn from, None where it is not such a stream.

    None for files, where rows were dropped or truncated after drawing, and where the seed is
    another one (the lengths then differ).
    """
    if dataset.kind not in ("reference", "generator") or seed < 0:
        return None
    if dataset.dropped or dataset.truncated or dataset.rows != dataset.histogram.sequences:
        return None
    text = REFERENCE_SPEC if dataset.kind == "reference" else dataset.name
    if not is_generator(text):
        return None
    stream = open_stream(text, dataset.rows, seed)
    drawn = Histogram.from_lengths(stream.lengths)
    same = np.array_equal(drawn.lengths, dataset.histogram.lengths) and np.array_equal(
        drawn.counts, dataset.histogram.counts
    )
    return stream if same else None


def _parse(text: str) -> tuple[Kind, tuple[float, ...]]:
    name, _, parameters = text.partition(":")
    if name not in KINDS:
        raise DataError(
            say("no such generator"),
            where=text,
            hint=say("there are {names}", names=", ".join(KINDS)),
        )
    kind = KINDS[name]
    try:
        return kind, kind.parse(parameters)
    except ValueError as error:
        hint = say(
            "write {name}:{usage}, as in {name}:{example}",
            name=name,
            usage=kind.usage,
            example=kind.example,
        )
        raise DataError(str(error), where=text, hint=hint) from None


def _parse_range(text: str) -> tuple[float, ...]:
    match = re.fullmatch(r"([0-9]{1,16})-([0-9]{1,16})", text)
    if match is None:
        raise ValueError(say("{text!r} is not a range of two whole numbers", text=text))
    low, high = int(match[1]), int(match[2])
    if low > high:
        raise ValueError(say("the range runs backwards, from {low} to {high}", low=low, high=high))
    if high > LONGEST:
        raise ValueError(say("a length of {high} is above 2^53", high=high))
    return low, high


def _numbers(text: str, names: tuple[str, ...]) -> list[float]:
    parts = text.split(",") if text else []
    if len(parts) != len(names):
        wanted, given = len(names), len(parts)
        if wanted == 1:
            raise ValueError(say("takes 1 number, not {given}", given=given))
        raise ValueError(say("takes {wanted} numbers, not {given}", wanted=wanted, given=given))
    values = []
    for name, part in zip(names, parts, strict=True):
        try:
            value = float(part)
        except ValueError:
            raise ValueError(say("{name} {part!r} is not a number", name=name, part=part)) from None
        if not math.isfinite(value):
            raise ValueError(say("{name} {part!r} is not finite", name=name, part=part))
        values.append(value)
    return values


def _not_below(name: str, value: float, least: float) -> None:
    if value < least:
        raise ValueError(
            say("{name} {value:g} is below {least:g}", name=name, value=value, least=least)
        )


def _parse_normal(text: str) -> tuple[float, ...]:
    mean, deviation = _numbers(text, ("MEAN", "SD"))
    _not_below("SD", deviation, 0)
    return mean, deviation


def _parse_lognormal(text: str) -> tuple[float, ...]:
    median, sigma = _numbers(text, ("MEDIAN", "SIGMA"))
    if median <= 0:
        raise ValueError(say("MEDIAN {median:g} is not above 0", median=median))
    _not_below("SIGMA", sigma, 0)
    return median, sigma


def _parse_zipf(text: str) -> tuple[float, ...]:
    (exponent,) = _numbers(text, ("A",))
    if exponent <= 1:
        raise ValueError(say("A {exponent:g} is not above 1", exponent=exponent))
    return (exponent,)


def _parse_bimodal(text: str) -> tuple[float, ...]:
    first, first_sd, second, second_sd, share = _numbers(text, ("M1", "S1", "M2", "S2", "SHARE"))
    _not_below("S1", first_sd, 0)
    _not_below("S2", second_sd, 0)
    if not 0 <= share <= 1:
        raise ValueError(say("SHARE {share:g} is not between 0 and 1", share=share))
    return first, first_sd, second, second_sd, share


def _draw_uniform(rng: np.random.Generator, numbers: tuple[float, ...], count: int) -> Drawn:
    low, high = int(numbers[0]), int(numbers[1])
    return rng.integers(low, high + 1, count)


def _draw_normal(rng: np.random.Generator, numbers: tuple[float, ...], count: int) -> Drawn:
    mean, deviation = numbers
    return rng.normal(mean, deviation, count)


def _draw_lognormal(rng: np.random.Generator, numbers: tuple[float, ...], count: int) -> Drawn:
    median, sigma = numbers
    return rng.lognormal(math.log(median), sigma, count)


def _draw_zipf(rng: np.random.Generator, numbers: tuple[float, ...], count: int) -> Drawn:
    return rng.zipf(numbers[0], count)


def _draw_bimodal(rng: np.random.Generator, numbers: tuple[float, ...], count: int) -> Drawn:
    first, first_sd, second, second_sd, share = numbers
    from_first = rng.random(count) < share
    return rng.normal(
        np.where(from_first, first, second), np.where(from_first, first_sd, second_sd)
    )


#: Every generator by the word before the colon.
KINDS: dict[str, Kind] = {
    "uniform": Kind("LOW-HIGH", "1-20", _parse_range, _draw_uniform, clipped=False),
    "normal": Kind("MEAN,SD", "60,15", _parse_normal, _draw_normal),
    "lognormal": Kind("MEDIAN,SIGMA", "40,0.6", _parse_lognormal, _draw_lognormal),
    "zipf": Kind("A", "1.5", _parse_zipf, _draw_zipf),
    "bimodal": Kind("M1,S1,M2,S2,SHARE", "20,5,200,40,0.8", _parse_bimodal, _draw_bimodal),
}
