"""Plans as sentences in the language of the screens."""

from __future__ import annotations

from dgplay.core.plan_tables import Pace, amount_text, excess_text, seconds_cell
from dgplay.core.plan_view import PlanView
from dgplay.core.sequences.scores import Score
from dgplay.core.tables import percent

from .commands import mark
from .i18n import Translate
from .widgets.lab_panes import Look

#: What an export needs, by the words of core.
_NEEDS = {
    "seconds": mark("in seconds"),
    "lengths": mark("lengths"),
    "either": mark("either"),
    "batches": mark("batches"),
}


def needs_text(needs: str, tr: Translate) -> str:
    """Return what an export needs: ``lengths, batches``."""
    return ", ".join(tr(_NEEDS[word]) for word in needs.split(", "))


def own_score(view: PlanView) -> Score | None:
    """Return the score of the present boundaries."""
    found = view.comparison
    scores = () if found is None else found.scores
    return next((score for score in scores if score.name == "own"), None)


def present_texts(view: PlanView, look: Look, missing: str) -> tuple[str, ...]:
    """Return what the present boundaries cost, in several lengths; ``missing`` if unknown."""
    score, signs = own_score(view), look.signs
    if score is None:
        return (f"K={view.k}: {missing}",)
    first = look.tr("K={k}: {steps} steps, waste {waste}").format(
        k=view.k, steps=score.steps, waste=percent(score.waste, signs)
    )
    over = excess_text(score.excess, signs)
    second = look.tr("{over} over the optimum {least}").format(
        over=over, least=amount_text(score.optimal_cost, signs)
    )
    return (f"{first}, {second}", f"{first}, {over}", first)


def next_texts(view: PlanView, pace: Pace | None, look: Look, missing: str) -> tuple[str, ...]:
    """Return what the next graph saves and the compile cost it pays up to, in several lengths."""
    tr, signs, row = look.tr, look.signs, view.following
    if view.planned is None:
        return (missing,)
    if row is None or row.saves is None:
        return (tr("no further graph saves a step"),)
    saves, pays = amount_text(row.saves, signs), amount_text(row.break_even, signs)
    unit = view.planned.solution.options.cost.unit
    ways = []
    for pattern in (
        tr("graph {k} saves {saves} steps: it pays if compiling costs less than {pays} {unit} do"),
        tr("graph {k} saves {saves}, pays below {pays} {unit}"),
        tr("graph {k}: {pays} {unit}"),
    ):
        text = pattern.format(k=row.k, saves=saves, pays=pays, unit=tr(unit))
        if pace is not None:
            text += f" = {seconds_cell(pace.seconds(row.saves))}"
        ways.append(text)
    return tuple(ways)
