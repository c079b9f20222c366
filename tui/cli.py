"""The command line: which command, which options, which exit code.

stdout is data, stderr is narration. Exit codes are a contract: 0 done, 1 the work failed (one
line on stderr), 2 usage, 130 interrupted. Textual is imported only to open the screens.
"""

from __future__ import annotations

import argparse
import errno
import io
import os
import sys
import textwrap
from collections.abc import Callable, Sequence
from enum import IntEnum
from importlib import import_module
from typing import TYPE_CHECKING, Any

from dgplay.core.command_line import (
    APPEARANCE_OPTIONS,
    DATA_OPTIONS,
    GRAPH_OPTIONS,
    PLAN_OPTIONS,
    PLANNING_OPTIONS,
    VIEW_OPTIONS,
    add_options,
)
from dgplay.core.errors import DgplayError
from dgplay.core.sequences.strategies import EVERY, FURTHER

from . import headless

if TYPE_CHECKING:
    from dgplay.core.lessons.lesson import Lesson


class Exit(IntEnum):
    """What the exit codes mean."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    INTERRUPTED = 130


Run = Callable[[argparse.Namespace], int]

DATA_HELP = (
    "files, globs, folders, each optionally PATH*WEIGHT; - for a pipe; a bundled name; a generator "
    "such as uniform:1-20; nothing for the reference experiment"
)


def run(words: Sequence[str]) -> int:
    """Run the command that ``words`` name and return its exit code."""
    _prepare_streams()
    try:
        code = _run(list(words))
        sys.stdout.flush()
        return code
    except DgplayError as error:
        sys.stderr.write(f"dgplay: {error}\n")
        return Exit.FAILED
    except KeyboardInterrupt:
        sys.stderr.write("dgplay: interrupted\n")
        return Exit.INTERRUPTED
    except BrokenPipeError:  # whoever read stdout has gone
        _give_up_stdout()
        return Exit.DONE
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO):
            raise
        _give_up_stdout()
        sys.stderr.write(f"dgplay: stdout cannot be written: {error.strerror}\n")
        return Exit.FAILED


def _prepare_streams() -> None:
    """Make sure that there are streams to write to, and that no character stops them."""
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - as long as the process
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A file name may hold bytes that are no text; an old terminal may lack a sign.
        utf8 = sys.stdout.encoding.lower().startswith("utf")
        sys.stdout.reconfigure(errors="surrogateescape" if utf8 else "replace")


def _give_up_stdout() -> None:
    """Let go of stdout, so that no second complaint comes at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(words: list[str]) -> int:
    command, rest = (words[0], words[1:]) if words and words[0] in COMMANDS else ("", words)
    parser = argparse.ArgumentParser(
        prog=f"dgplay {command}".strip(),
        description=COMMANDS[command].help if command else UI_HELP,
        epilog=None if command else _command_list(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    options, work = (COMMANDS[command].options, COMMANDS[command].work) if command else UI
    options(parser)
    # DATA may stand anywhere among the options; after -- argparse can do that no more.
    parse = parser.parse_args if "--" in rest else parser.parse_intermixed_args
    try:
        given = parse(rest)
    except SystemExit as stop:  # argparse has printed help (0) or what is wrong (2)
        return int(stop.code or 0)
    return work(given)


UI_HELP = """\
Open the playground on DATA: bucket boundaries moved by key, with steps, waste and correctness
at every key. Every state of the screens is such a line; the key Y copies it."""


def _command_list() -> str:
    lines = ["commands:"]
    lines += [f"  {name:<13}{command.help.splitlines()[0]}" for name, command in COMMANDS.items()]
    return "\n".join(lines)


def _data(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("sources", nargs="*", metavar="DATA", help=DATA_HELP)
    add_options(parser, DATA_OPTIONS, "reading")


def _state(parser: argparse.ArgumentParser) -> None:
    _data(parser)
    add_options(parser, PLAN_OPTIONS, "boundaries")
    add_options(parser, PLANNING_OPTIONS, "planning and batches")
    add_options(parser, GRAPH_OPTIONS, "the Graph screen")
    add_options(parser, VIEW_OPTIONS, "view and model")
    add_options(parser, APPEARANCE_OPTIONS, "appearance")


def _formats(parser: argparse.ArgumentParser, *kinds: str) -> None:
    group = parser.add_mutually_exclusive_group()
    for kind in kinds:
        group.add_argument(
            f"--{kind}", dest="output", action="store_const", const=kind, help=f"print {kind}"
        )


def _ui_options(parser: argparse.ArgumentParser) -> None:
    _state(parser)
    parser.add_argument(
        "--resume",
        nargs="?",
        const="",
        metavar="FILE",
        help="open the state that was saved last, or the one in FILE",
    )
    parser.add_argument("--version", action="store_true", help="print the version")


def _ui(given: argparse.Namespace) -> int:
    if given.version:
        from dgplay.core.version import VERSION

        sys.stdout.write(f"dgplay {VERSION}\n")
        return Exit.DONE
    obstacle = _no_terminal()
    if "-" in given.sources and obstacle in ("", UNSEEN):
        obstacle = "a pipe cannot be read while keys are"
    if obstacle:
        reason = f"dgplay: {obstacle}; use 'dgplay report' instead\n"
        sys.stderr.write(reason)
        if obstacle == UNSEEN:
            sys.stdout.write(reason)  # which is a terminal: there it is seen
        return Exit.USAGE
    from .opening import open_ui

    return open_ui(given)


#: Textual draws on stderr, except on Windows (``textual/drivers/linux_driver.py``).
UNSEEN = "the screens are drawn on stderr, which is redirected"


def _no_terminal() -> str:
    """Return why the screens cannot open here, or nothing."""
    if not sys.stdin or not sys.stdin.isatty() or not sys.stdout.isatty():
        return "the screens need a terminal for input and output"
    if os.environ.get("TERM", "") in ("", "dumb"):
        return f"the terminal (TERM={os.environ.get('TERM', '')!r}) cannot be drawn on"
    if sys.platform != "win32" and not (sys.__stderr__ and sys.__stderr__.isatty()):
        return UNSEEN
    return ""


def _report_options(parser: argparse.ArgumentParser) -> None:
    _state(parser)
    parser.epilog = _strategy_list()
    parser.add_argument("--table", choices=("strategies", "buckets"), help="only this table")
    _formats(parser, "json", "csv", "markdown")


def _strategy_list() -> str:
    """Return what each strategy does, those of --all behind the others."""
    wide = textwrap.TextWrapper(width=78, subsequent_indent=20 * " ")
    lines = ["strategies:"]
    for strategy in EVERY:
        if strategy is FURTHER[0]:
            lines.append("with --all also:")
        lines.append(wide.fill(f"  {strategy.name:<18}{strategy.doc}"))
    return "\n".join(lines)


def _lengths_options(parser: argparse.ArgumentParser) -> None:
    _data(parser)
    parser.add_argument("-o", dest="to", metavar="FILE", help="write to FILE instead of stdout")


def _completions_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=("bash", "zsh", "fish"))


def _completions(given: argparse.Namespace) -> int:
    import shtab

    if given.shell not in shtab.SUPPORTED_SHELLS:
        known = ", ".join(shtab.SUPPORTED_SHELLS)
        raise DgplayError(f"the installed shtab completes {known} only", where=given.shell)
    sys.stdout.write(shtab.complete(whole_parser(), shell=given.shell) + "\n")
    return Exit.DONE


def whole_parser() -> argparse.ArgumentParser:
    """Return one parser with every command and option, for completion."""
    parser = argparse.ArgumentParser(prog="dgplay", description=UI_HELP)
    _ui_options(parser)
    commands = parser.add_subparsers(dest="command")
    for name, command in COMMANDS.items():
        command.options(commands.add_parser(name, help=command.help.splitlines()[0]))
    _complete_files(parser)
    return parser


def _complete_files(parser: argparse.ArgumentParser) -> None:
    import shtab

    for action in parser._actions:
        if action.dest in ("sources", "to", "resume"):
            setattr(action, "complete", shtab.FILE)  # noqa: B010 - what shtab looks for
        if isinstance(action, argparse._SubParsersAction):
            for sub in action.choices.values():
                _complete_files(sub)


class Command:
    """A headless command: one line of help, its options, its work."""

    def __init__(self, help: str, options: Callable[[argparse.ArgumentParser], Any], work: Run):
        self.help = help
        self.options = options
        self.work = work


UI: tuple[Callable[[argparse.ArgumentParser], Any], Run] = (_ui_options, _ui)


def _later(module: str, name: str) -> Callable[[Any], Any]:
    """Return a function that imports its module when it is called: report needs no lesson."""

    def call(given: Any) -> Any:
        return getattr(import_module(f".{module}", __package__), name)(given)

    return call


def _lesson(given: argparse.Namespace) -> int:
    from .cli_lessons import lesson_command

    def run(given: argparse.Namespace, lesson: Lesson) -> int:
        from .opening import open_lesson_ui

        return open_lesson_ui(given, lesson)

    return lesson_command(given, None if _no_terminal() else run)


COMMANDS: dict[str, Command] = {
    "report": Command(
        "steps, waste and correctness of every strategy, without a screen",
        _report_options,
        headless.report_command,
    ),
    "plan": Command(
        "provably optimal boundaries, other people's, batches, and exports to their tools",
        _later("cli_plan", "plan_options"),
        _later("cli_plan", "plan_command"),
    ),
    "pack": Command(
        "sequences laid end to end into rows of one capacity, and how near the optimum",
        _later("cli_plan", "pack_options"),
        _later("cli_plan", "pack_command"),
    ),
    "graph": Command(
        "one program under define-by-run, define-and-run and capture",
        _later("cli_graph", "graph_options"),
        _later("cli_graph", "graph_command"),
    ),
    "lengths": Command(
        "any input as a length,count histogram",
        _lengths_options,
        headless.lengths_command,
    ),
    "data": Command(
        "the bundled data sets",
        lambda parser: _formats(parser, "json"),
        headless.data_command,
    ),
    "lesson": Command(
        "a lesson, bundled or your own file; alone, which there are",
        _later("cli_lessons", "lesson_options"),
        _lesson,
    ),
    "quiz": Command(
        "questions on a state, the same for a whole class by their seed",
        _later("cli_lessons", "quiz_options"),
        _later("cli_lessons", "quiz_command"),
    ),
    "completions": Command(
        "a completion script for bash, zsh or fish",
        _completions_options,
        _completions,
    ),
}
