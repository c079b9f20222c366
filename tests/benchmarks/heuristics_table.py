"""What heuristics cost on the bundled corpora, as a table of the README.

``python tests/benchmarks/heuristics_table.py README.md`` writes it between its markers: for each
method the steps over those of the optimum for as many graphs as were asked for, in percent, the
mean over the twelve corpora and in brackets the worst. Under ``boundary`` both sides are exact.
Under ``batch`` both are means of simulated epochs with batches of at most 16 times the longest
length, and the other side is the batch policy.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import mean

from dgplay.core.sequences.batch_simulation import BatchRule
from dgplay.core.sequences.bundled import names
from dgplay.core.sequences.dataset import DataOptions
from dgplay.core.sequences.loading import load
from dgplay.core.sequences.planners import METHOD_NAMES, plan
from dgplay.core.sequences.scores import Scorer
from dgplay.core.sequences.variants import DEFAULT_OPTIONS, prepare

BEGIN = "<!-- heuristics: by python tests/benchmarks/heuristics_table.py README.md -->"
END = "<!-- end of heuristics -->"

KS = (4, 8, 16)

#: The method that needs the order of the rows has none in a histogram.
METHODS = tuple(name for name in METHOD_NAMES if name not in ("equal-total-10k", "optimal"))

WHOSE = {
    "uniform": "uniform",
    "quantile": "quantile (fairseq)",
    "equal-total": "equal-total (lhotse, NeMo)",
    "geometric": "geometric",
    "exponential": "exponential 1.1 (GluonNLP)",
    "lognormal": "lognormal (speechbrain)",
    "power-of-two": "power-of-two",
    "multiples": "multiples of 8",
}

#: Excess by method, policy and k: one number for each corpus.
Excess = dict[tuple[str, str, int], list[float]]


def measured(corpora: Sequence[str], *, batches: bool = True) -> Excess:
    """Return the excess of every method and of the optimum for fixed shapes."""
    found: Excess = {}
    for corpus in corpora:
        histogram = load(DataOptions((corpus,))).histogram
        solution = prepare(histogram, DEFAULT_OPTIONS)
        rule = BatchRule(budget=16 * histogram.maximum) if batches else None
        scorer = Scorer(solution, rule)
        for k in KS:
            least = scorer.score("batch", scorer.batch_boundaries(k)) if batches else None
            for method in ("optimal", *METHODS):
                boundaries = plan(histogram, k, method, solution.frontier)  # type: ignore[arg-type]
                score = scorer.score(method, boundaries)
                over = score.steps / float(solution.optimal_cost(k)) - 1
                found.setdefault((method, "boundary", k), []).append(over)
                if score.batch is not None and least is not None and least.batch is not None:
                    steps = score.batch.simulation.mean_steps
                    over = steps / least.batch.simulation.mean_steps - 1
                    found.setdefault((method, "batch", k), []).append(over)
    return found


def cell(values: Sequence[float]) -> str:
    """Return the mean and the worst in percent."""
    shown = (round(100 * value, 1) + 0.0 for value in (mean(values), max(values)))  # no -0.0
    return "{:.1f} ({:.1f})".format(*shown)


def table(found: Excess) -> str:
    """Return the rows of the table; a policy that was not measured is left out."""
    columns = [
        (policy, k)
        for policy in ("boundary", "batch")
        for k in KS
        if ("uniform", policy, k) in found
    ]
    lines = [
        "| method | " + " | ".join(f"`{policy}` k = {k}" for policy, k in columns) + " |",
        "| --- |" + " ---: |" * len(columns),
    ]
    named = {"optimal": "optimum for fixed shapes", **WHOSE}
    for method, name in named.items():
        cells = [cell(found[method, policy, k]) for policy, k in columns]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def with_table(text: str, found: Excess) -> str:
    """Return a text with the table between its markers brought up to date."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{table(found)}\n\n{END}{after}"


def main() -> None:
    """Write the table into the file that is named."""
    path = Path(sys.argv[1])
    text = path.read_text(encoding="utf-8")
    if BEGIN not in text:
        raise SystemExit(f"{path}: there is no line {BEGIN}")
    path.write_text(with_table(text, measured(names())), encoding="utf-8")


if __name__ == "__main__":
    main()
