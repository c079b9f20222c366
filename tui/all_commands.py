"""Every command of every screen: what a keymap may name, what help and the README list.

``python -m dgplay.tui.all_commands README.md`` writes the key list between its markers.
"""

from __future__ import annotations

import sys
from itertools import groupby
from pathlib import Path

from .commands import APP_COMMANDS, LAB_COMMANDS, SCREEN_COMMANDS, Command
from .graph_commands import GRAPH_COMMANDS
from .plan_commands import PLAN_COMMANDS
from .quiz_commands import QUIZ_COMMANDS

ALL: tuple[Command, ...] = (
    *LAB_COMMANDS,
    *PLAN_COMMANDS,
    *GRAPH_COMMANDS,
    *QUIZ_COMMANDS,
    *SCREEN_COMMANDS,
    *APP_COMMANDS,
)

BEGIN, END = "<!-- keys: by python -m dgplay.tui.all_commands README.md -->", "<!-- end of keys -->"


def key_table() -> str:
    """Return the key list as the README shows it, one table a group."""
    lines: list[str] = []
    listed = [command for command in ALL if command.keys]
    for group, commands in groupby(listed, key=lambda command: command.group):
        lines += [f"**{group}**", "", "| key | what it does |", "| --- | --- |"]
        lines += [f"| `{command.shown}` | {command.help} |" for command in commands]
        lines.append("")
    return "\n".join(lines)


def with_key_table(text: str) -> str:
    """Return a text with the key list between its markers brought up to date."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{key_table()}\n{END}{after}"


def main() -> None:
    """Write the key list into the file that is named."""
    path = Path(sys.argv[1])
    path.write_text(with_key_table(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
