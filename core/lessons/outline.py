"""A lesson with its numbers: each step opened, its words filled in, its answer computed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import DgplayError
from ..sequences.analysis import Analysis
from ..sequences.dataset import DataOptions
from ..state import open_state
from .answers import fill, look_up
from .facts import Facts
from .lesson import Lesson, LessonStep


def step_facts(step: LessonStep, analysis_of: Callable[[DataOptions], Analysis]) -> Facts:
    """Open the state of a step; raises DgplayError naming the line of the lesson."""
    try:
        analysis = analysis_of(step.request.state.data)
        return Facts(open_state(step.request, analysis), analysis)
    except DgplayError as error:
        raise _at(step, error) from error


def step_record(step: LessonStep, facts: Facts) -> dict[str, Any]:
    """Return one step as JSON, with its answer; raises DgplayError naming the line."""
    try:
        found = look_up(step.path, facts) if step.path else None
        sentence, question = fill(step.sentence, facts), fill(step.question, facts)
    except DgplayError as error:
        raise _at(step, error) from error
    return {
        "line": step.line,
        "sentence": sentence,
        "question": question or None,
        "path": step.path or None,
        "answer": found.value if found else None,
        "answer_text": found.text if found else None,
    }


def lesson_record(lesson: Lesson, analysis_of: Callable[[DataOptions], Analysis]) -> dict[str, Any]:
    """Return a lesson as JSON, every answer computed; raises DgplayError naming a line.

    ``analysis_of`` reads data; it is asked once for each set of options.
    """
    known: dict[DataOptions, Analysis] = {}

    def once(options: DataOptions) -> Analysis:
        if options not in known:
            known[options] = analysis_of(options)
        return known[options]

    steps = [step_record(step, step_facts(step, once)) for step in lesson.steps]
    return {"name": lesson.name, "title": lesson.title, "steps": steps}


def _at(step: LessonStep, error: DgplayError) -> DgplayError:
    """Say where in the lesson an error comes from."""
    return DgplayError(error.told, where=step.place, hint=error.hint)
