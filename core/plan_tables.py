"""Plans as tables of words: the same cells for ``dgplay plan``, the Plan screen and the tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from .counting import counted, data_text
from .plan_laid import Laid
from .plan_report import OWN, PlanReport
from .sequences.packing import Packing
from .sequences.scores import Comparison, Score
from .sequences.variants import FrontierRow
from .tables import UNICODE, Cell, Heading, Signs, Table, length_text, percent

#: The letter that stands for a method in the drawing of the frontier.
LETTERS: Mapping[str, str] = {
    OWN: "o",
    "optimal": "*",
    "batch": "b",
    "uniform": "u",
    "quantile": "q",
    "equal-total": "e",
    "equal-total-10k": "E",
    "geometric": "g",
    "exponential": "x",
    "lognormal": "l",
    "power-of-two": "p",
    "multiples": "m",
}


@dataclass(frozen=True)
class Pace:
    """How fast steps run, which turns steps of an epoch into seconds of the whole training."""

    throughput: Fraction
    epochs: Fraction = Fraction(1)

    def seconds(self, steps: int | float | Decimal) -> float:
        """Return how long as many steps of every epoch take."""
        return float(Fraction(steps) * self.epochs / self.throughput)


def amount_text(value: int | float | Decimal | None, signs: Signs = UNICODE) -> str:
    """Return steps or a cost: whole numbers as they are, a mean or an expectation with ``~``."""
    if value is None:
        return signs.unknown
    return f"~{value:.0f}" if isinstance(value, float) else str(value)


def excess_text(excess: float | None, signs: Signs = UNICODE) -> str:
    """Return an excess over an optimum in percent with its sign."""
    if excess is None:
        return signs.unknown
    sign = "+" if excess >= 0 else signs.minus
    return f"{sign}{100 * abs(excess):.1f}%"


def seconds_cell(seconds: float) -> str:
    """Return seconds with three figures, in hours from one hour on."""
    return f"{seconds:.3g} s" if seconds < 3600 else f"{seconds / 3600:.3g} h"


PLAN_BUCKET_HEADINGS = (
    Heading("bucket", "bucket", "left"),
    Heading("n", "n"),
    Heading("pad", "pad"),
    Heading("size", "batch"),
    Heading("steps", "steps"),
    Heading("waste", "waste"),
)


def plan_bucket_table(laid: Laid, rate: Fraction | None = None, signs: Signs = UNICODE) -> Table:
    """Return one row for each bucket and one for all together."""
    rows = []
    for place, bucket in enumerate(laid.buckets, 1):
        high = length_text(bucket.high, rate)
        pad = "" if bucket.pad_to is None and bucket.count else amount_text(bucket.pad_to, signs)
        rows.append(
            (
                str(place),
                (
                    Cell(f"{bucket.low}{signs.between}{high}", "strong"),
                    Cell(str(bucket.count)),
                    Cell(pad or "own"),
                    Cell(amount_text(bucket.batch_size, signs)),
                    Cell(amount_text(bucket.steps, signs)),
                    Cell(percent(bucket.waste, signs)),
                ),
            )
        )
    total = (
        Cell("all", "strong"),
        Cell(str(sum(bucket.count for bucket in laid.buckets))),
        Cell(""),
        Cell(""),
        Cell(amount_text(laid.steps, signs), "strong"),
        Cell(percent(laid.waste, signs)),
    )
    return Table(PLAN_BUCKET_HEADINGS, (*rows, ("all", total)))


FRONTIER_HEADINGS = (
    Heading("k", "K"),
    Heading("steps", "steps"),
    Heading("waste", "waste"),
    Heading("saves", "saves"),
    Heading("break_even", "pays up to"),
    Heading("pace", "pays up to, in time"),
)


def frontier_table(
    rows: Sequence[FrontierRow], pace: Pace | None = None, signs: Signs = UNICODE
) -> Table:
    """Return the frontier: what each further graph saves, and the compile cost it pays up to."""
    table = tuple(
        (
            str(row.k),
            (
                Cell(str(row.k), "strong"),
                Cell(amount_text(row.steps, signs)),
                Cell(percent(row.waste, signs)),
                Cell(amount_text(row.saves, signs)),
                Cell(amount_text(row.break_even, signs)),
                Cell("" if pace is None or row.saves is None
                     else seconds_cell(pace.seconds(row.saves))),
            ),
        )
        for row in rows
    )  # fmt: skip
    shown = Table(FRONTIER_HEADINGS, table)
    if pace is not None:
        return shown
    return Table(FRONTIER_HEADINGS[:-1], tuple((name, cells[:-1]) for name, cells in shown.rows))


SCORE_HEADINGS = (
    Heading("letter", ""),
    Heading("method", "method", "left"),
    Heading("k", "K"),
    Heading("steps", "steps"),
    Heading("waste", "waste"),
    Heading("excess", "over optimum"),
    Heading("batch_steps", "in batches"),
    Heading("batch_excess", "over batch"),
)


def score_table(
    found: Comparison,
    signs: Signs = UNICODE,
    *,
    batches: bool = False,
    names: Mapping[str, str] | None = None,
) -> Table:
    """Return every method's score, best first; what was refused comes last, without numbers.

    ``batches`` adds the columns of the ``batch`` policy, ``…`` where they are not known yet.
    ``names`` are other words for methods.
    """
    rows = []
    for score in found.scores:
        rows.append((score.name, _score_cells(score, signs, names or {})))
    for name, _ in found.refused:
        blank = (Cell(signs.unknown, "muted"),) * 6
        rows.append((name, (Cell(LETTERS[name], "muted"), Cell(name, "muted"), *blank)))
    kept = len(SCORE_HEADINGS) if batches else len(SCORE_HEADINGS) - 2
    return Table(SCORE_HEADINGS[:kept], tuple((name, cells[:kept]) for name, cells in rows))


def _score_cells(score: Score, signs: Signs, names: Mapping[str, str]) -> tuple[Cell, ...]:
    batch = score.batch
    steps = signs.waiting if batch is None else amount_text(batch.simulation.mean_steps, signs)
    over = signs.waiting if batch is None else excess_text(batch.excess, signs)
    return (
        Cell(LETTERS[score.name]),
        Cell(names.get(score.name, score.name), "strong"),
        Cell(str(score.k)),
        Cell(amount_text(score.steps, signs)),
        Cell(percent(score.waste, signs)),
        Cell(excess_text(score.excess, signs) if score.enough else f"{signs.bad} too few"),
        Cell(steps, "muted" if batch is None else ""),
        Cell(over, "muted" if batch is None else ""),
    )


BATCH_HEADINGS = (
    Heading("order", "order", "left"),
    Heading("batches", "batches"),
    Heading("steps", "steps"),
    Heading("waste", "waste"),
    Heading("shapes", "shapes"),
    Heading("fill", "fill"),
    Heading("wait", "rank wait"),
    Heading("correlation", "correlation"),
    Heading("buffer", "buffer"),
)


def batch_table(rows: Sequence[tuple[str, Laid | None]], signs: Signs = UNICODE) -> Table:
    """Return the batches of several orders, each under its name; None: not known yet."""
    made = []
    for name, laid in rows:
        report = None if laid is None else laid.batches
        if laid is None or report is None:
            waiting = (Cell(signs.waiting, "muted"),) * (len(BATCH_HEADINGS) - 1)
            made.append((name, (Cell(name, "strong"), *waiting)))
            continue
        correlation = report.length_correlation
        made.append(
            (
                name,
                (
                    Cell(name, "strong"),
                    Cell(str(report.count)),
                    Cell(amount_text(report.steps_per_epoch, signs)),
                    Cell(percent(report.waste, signs)),
                    Cell(str(report.shapes)),
                    Cell(percent(report.fill, signs)),
                    Cell(percent(report.rank_wait, signs)),
                    Cell(signs.unknown if correlation is None else f"{correlation:+.2f}"),
                    Cell(str(report.buffer)),
                ),
            )
        )
    return Table(BATCH_HEADINGS, tuple(made))


def plan_heading_lines(report: PlanReport, signs: Signs = UNICODE) -> list[str]:
    """Return what stands above the tables: the data, how the plan was made, its totals."""
    dataset = report.analysis.dataset
    request, laid = report.request, report.laid
    real = counted(dataset.histogram.real_steps, "real steps")
    asked = "" if request.k_asked in (None, len(report.boundaries)) else f" of {request.k_asked}"
    cost = "" if request.planning.cost == "linear" else f", cost {request.planning.cost}"
    lines = [
        f"{data_text(dataset, signs.between)}, {real}",
        f"K={len(report.boundaries)}{asked}, method {report.method}, pad to {request.pad_to}{cost}",
        f"{amount_text(laid.steps, signs)} steps, waste {percent(laid.waste, signs)}",
    ]
    if report.proved:
        least = amount_text(report.optimal_cost, signs)
        lines[-1] += (
            f"; {excess_text(report.excess, signs)} over the optimum for K="
            f"{len(report.boundaries)}, {least} {report.scorer.solution.options.cost.unit}"
        )
    else:
        spread = laid.batches.steps_spread if laid.batches else None
        lines[-1] += (
            f"; the mean of simulated epochs {'±' if signs is UNICODE else '+-'}{spread or 0:.0f}"
            f", expected {amount_text(float(report.cost), signs)}"
        )
    return lines


def next_graph_text(
    rows: Sequence[FrontierRow], k: int, pace: Pace | None = None, signs: Signs = UNICODE
) -> str:
    """Return what one graph more than ``k`` saves, and the compile cost up to which it pays."""
    following = next((row for row in rows if row.k == k + 1), None)
    if following is None or following.saves is None:
        return "no further graph saves a step"
    saves, pays = amount_text(following.saves, signs), amount_text(following.break_even, signs)
    text = f"graph {k + 1} saves {saves} step{'' if saves == '1' else 's'}"
    if following.break_even != following.saves:
        text += f", cost {pays}"
    text += f": pays up to {pays} a compile"
    if pace is not None:
        text += f" ({seconds_cell(pace.seconds(following.saves))})"
    return text


def batch_lines(laid: Laid, ranks: int, signs: Signs = UNICODE) -> list[str]:
    """Return what is to be said of the batches of a plan, in a few lines."""
    report = laid.batches
    if report is None:
        return []
    correlation = report.length_correlation
    related = signs.unknown if correlation is None else f"{correlation:+.2f}"
    lines = [
        f"batches: {report.count}, optimizer steps {report.optimizer_steps} on "
        f"{counted(ranks, 'ranks')}, {amount_text(report.steps_per_epoch, signs)} steps an "
        f"epoch, waste {percent(report.waste, signs)}",
        f"shapes {report.shapes}, fill {percent(report.fill, signs)}, rank wait "
        f"{percent(report.rank_wait, signs)}, adjacent-batch length correlation {related}, buffer "
        f"{counted(report.buffer, 'sequences')}",
    ]
    if report.unshared:
        steps = counted(report.unshared_steps, "steps")
        lines.append(f"dropped for the ranks: {report.unshared} ({steps})")
    if report.repeated:
        steps = counted(report.repeated_steps, "steps")
        lines.append(f"repeated for the ranks: {report.repeated} ({steps})")
    return lines


def other_text(other: Laid, signs: Signs = UNICODE) -> str:
    """Return how the boundaries do on other data."""
    steps = amount_text(other.steps, signs)
    return f"on {other.name}: {steps} steps, waste {percent(other.waste, signs)}"


PACK_HEADINGS = (
    Heading("rows", "rows"),
    Heading("fill", "fill"),
    Heading("waste", "empty"),
    Heading("lengths", "lengths", "left"),
)

#: Kinds of rows that the table of a packing shows; the JSON holds all.
MOST_KINDS = 12


def pack_table(packing: Packing, signs: Signs = UNICODE) -> Table:
    """Return the most frequent kinds of rows: how full they are, and of what."""
    times = "×" if signs is UNICODE else "x"
    kinds = sorted(packing.kinds, key=lambda row: (-row.count, -row.fill))[:MOST_KINDS]
    rows = tuple(
        (
            str(place),
            (
                Cell(str(row.count), "strong"),
                Cell(str(row.fill)),
                Cell(str(packing.capacity - row.fill)),
                Cell(" + ".join(f"{often}{times}{length}" if often > 1 else str(length)
                                for length, often in row.lengths)),
            ),
        )
        for place, row in enumerate(kinds)
    )  # fmt: skip
    return Table(PACK_HEADINGS, rows)


def pack_lines(packing: Packing, name: str, signs: Signs = UNICODE) -> list[str]:
    """Return what a packing comes to, and how far it is proved to be the best."""
    verdict = "proved optimal" if packing.optimal else f"at most {packing.gap} above the optimum"
    lines = [
        f"{name}: {counted(packing.sequences, 'sequences')} into rows of "
        f"{counted(packing.capacity, 'steps')}",
        f"{counted(packing.bins, 'rows')} by best-fit decreasing, {verdict}: at least "
        f"{packing.lower_bound} (Martello-Toth), {packing.lower_bound_volume} by volume",
        f"{counted(packing.steps, 'steps')}, waste {percent(packing.waste, signs)}, not below "
        f"{percent(packing.least_waste, signs)}; fill {packing.mean_fill:.1f} on average, "
        f"{packing.min_fill} at least",
    ]
    if packing.zeros:
        lines.append(f"in no row: {counted(packing.zeros, 'sequences')} of length zero")
    return lines
