"""The commands lesson and quiz: listed, printed, asked on a terminal, written to a file.

No number is made here, and Textual is not imported.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from dgplay.core.command_line import (
    APPEARANCE_OPTIONS,
    DATA_OPTIONS,
    GRAPH_OPTIONS,
    PLAN_OPTIONS,
    PLANNING_OPTIONS,
    VIEW_OPTIONS,
    Option,
    add_options,
    count,
    positive,
)
from dgplay.core.lessons.facts import Facts
from dgplay.core.lessons.lesson import Lesson, bundled_lesson, bundled_lessons, open_lesson
from dgplay.core.lessons.outline import lesson_record
from dgplay.core.lessons.questions import Question
from dgplay.core.lessons.quiz import USUAL_COUNT, QuizRun, draw, quiz_record, start
from dgplay.core.report import json_safe
from dgplay.core.saving import write_atomically
from dgplay.core.sequences.analysis import Analysis
from dgplay.core.state import open_state
from dgplay.core.wording import mark, translated

from .headless import load_told, print_json, requested
from .i18n import Translate, translator

#: The data's own seed and count go by other names here: --seed and --count are the quiz's.
_RENAMED = {"seed": "--data-seed", "count": "--data-count"}

QUIZ_OPTIONS: tuple[Option, ...] = (
    Option("--seed", "quiz_seed", "seed of the questions (default 0)", count, "S"),
    Option("--count", "quiz_count", f"how many (default {USUAL_COUNT})", positive, "N"),
)


def quiz_options(parser: argparse.ArgumentParser) -> None:
    """Give a parser the options of ``dgplay quiz``."""
    help = "what the questions are about, as for report; nothing for the reference experiment"
    parser.add_argument("sources", nargs="*", metavar="DATA", help=help)
    add_options(parser, QUIZ_OPTIONS, "quiz")
    renamed = tuple(
        replace(option, flag=_RENAMED.get(option.name, option.flag)) for option in DATA_OPTIONS
    )
    add_options(parser, renamed, "reading")
    add_options(parser, PLAN_OPTIONS, "boundaries")
    add_options(parser, PLANNING_OPTIONS, "planning and batches")
    add_options(parser, GRAPH_OPTIONS, "the Graph screen")
    add_options(parser, VIEW_OPTIONS, "view and model")
    add_options(parser, APPEARANCE_OPTIONS, "appearance")
    _json_option(parser)
    parser.add_argument("-o", dest="to", metavar="FILE", help="write questions and results to FILE")


def lesson_options(parser: argparse.ArgumentParser) -> None:
    """Give a parser the options of ``dgplay lesson``."""
    help = "a bundled lesson or a lesson file; nothing lists what is bundled"
    parser.add_argument("lesson", nargs="?", metavar="NAME|FILE", help=help)
    add_options(parser, APPEARANCE_OPTIONS, "appearance")
    _json_option(parser)


def _json_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", dest="output", action="store_const", const="json",
                        help="print json")  # fmt: skip


def lesson_command(
    given: argparse.Namespace, run: Callable[[argparse.Namespace, Lesson], int] | None = None
) -> int:
    """List the lessons, print one with its answers, or ``run`` it where there is a terminal."""
    lang = getattr(given, "lang", "en")
    if given.lesson is None:
        _list_lessons(given.output, lang)
        return 0
    lesson = open_lesson(given.lesson, lang)
    if given.output is None and run is not None and _on_terminal():
        return run(given, lesson)
    record = lesson_record(lesson, lambda options: Analysis(load_told(options)))
    if given.output == "json":
        print_json(record)
    else:
        sys.stdout.write(_lesson_text(record))
    return 0


def _list_lessons(output: str | None, lang: str) -> None:
    lessons = [bundled_lesson(name, lang) for name in bundled_lessons()]
    if output == "json":
        print_json(
            [{"name": one.name, "title": one.title, "steps": len(one.steps)} for one in lessons]
        )
        return
    width = max(len(one.name) for one in lessons)
    for one in lessons:
        sys.stdout.write(f"{one.name:<{width}}  {one.title}\n")


def _lesson_text(record: dict[str, Any]) -> str:
    lines = [record["title"]]
    for number, step in enumerate(record["steps"], 1):
        lines += ["", f"{number}. {step['line']}", f"   {step['sentence']}"]
        if step["question"]:
            lines.append(f"   {step['question']}")
        if step["path"]:
            lines.append(f"   = {step['answer_text']}  ({step['path']})")
    return "\n".join(lines) + "\n"


def quiz_command(given: argparse.Namespace) -> int:
    """Print a quiz with its answers, ask it on a terminal, or write it to a file."""
    request = requested(given)
    analysis = Analysis(load_told(request.state.data))
    state = open_state(request, analysis)
    tr = translator(state.appearance.lang)
    facts = Facts(state, analysis)
    wanted = getattr(given, "quiz_count", USUAL_COUNT)
    run = start(draw(facts, getattr(given, "quiz_seed", 0), wanted))
    if len(run.replies) < wanted:
        sys.stderr.write(f"dgplay: {len(run.replies)} questions is all there is to ask\n")
    asked = given.output is None and _on_terminal()
    if asked:
        run = _ask(run, tr)
    record = quiz_record(run, facts, translate=tr)
    if given.to is not None:
        _write(Path(given.to), record)
    elif given.output == "json":
        print_json(record)
    elif not asked:
        sys.stdout.write(_quiz_text(run, tr) + f"{record['reproduce']}\n")
    return 0


def _write(path: Path, record: dict[str, Any]) -> None:
    replaced = path.exists()
    text = json.dumps(json_safe(record), allow_nan=False, ensure_ascii=False, indent=1)
    write_atomically(path, text + "\n")
    sys.stderr.write(f"dgplay: {'replaced' if replaced else 'wrote'} {path}\n")


def _on_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()


def _quiz_text(run: QuizRun, tr: Translate) -> str:
    """Return all the questions, then all the answers."""
    questions = run.quiz.questions
    lines = [_question_text(number, one, tr) for number, one in enumerate(questions, 1)]
    lines.append(tr("Answers"))
    for number, one in enumerate(questions, 1):
        lines.append(f"{number}. {one.answer_text(tr)}\n   {translated(one.why, tr)}")
    return "\n".join(lines) + "\n"


def _question_text(number: int, question: Question, tr: Translate) -> str:
    lines = [f"{number}. {translated(question.asked, tr)}"]
    for place, choice in enumerate(question.choices, 1):
        lines.append(f"   {place}  {translated(choice, tr)}")
    return "\n".join(lines) + "\n"


_VERDICTS = {"exact": mark("exact"), "close": mark("close"), "off": mark("off")}


def _ask(run: QuizRun, tr: Translate) -> QuizRun:
    """Ask on the terminal until all is answered, the input ends or ``q`` is typed."""
    sys.stdout.write(tr("Type an answer and Enter; q ends.") + "\n\n")
    while run.question is not None and not run.done:
        question = run.question
        sys.stdout.write(_question_text(run.index + 1, question, tr))
        answered = _asked_until_read(run, tr)
        if answered is run or answered.reply is None:
            break
        verdict = tr(_VERDICTS[answered.reply.grade])
        answer, why = question.answer_text(tr), translated(question.why, tr)
        sys.stdout.write(f"   {verdict}: {answer}\n   {why}\n\n")
        run = answered.go_on()
    told = ", ".join(f"{number} {tr(grade)}" for grade, number in run.tally.items())
    sys.stdout.write(told + "\n")
    return run


def _asked_until_read(run: QuizRun, tr: Translate) -> QuizRun:
    """Read lines until one is an answer; return the run as it was where the input ends."""
    while True:
        sys.stdout.write("> ")
        sys.stdout.flush()
        line = sys.stdin.readline()
        if not line or line.strip() in ("q", "ｑ"):
            sys.stdout.write("\n")
            return run
        answered = run.answered(line, tr)
        if answered is not run:
            return answered
        hint = (
            tr("one of the numbers, please")
            if run.question is not None and run.question.choices
            else tr("a number, please")
        )
        sys.stdout.write(f"{hint}\n")
