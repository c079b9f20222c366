"""Make every SVG in this folder from the running app: ``python screenshots/make.py``.

Each picture is a command line, a size and the keys that are pressed. Ids inside an SVG are
numbered anew, so that a picture changes only when the screen does.
"""

from __future__ import annotations

import asyncio
import re
import shlex
import tempfile
from dataclasses import dataclass
from pathlib import Path

from dgplay.core.command_line import parse
from dgplay.core.sequences.analysis import Analysis
from dgplay.core.sequences.loading import load
from dgplay.core.session import open_session
from dgplay.tui.app import DgplayApp
from dgplay.tui.paths import Paths

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Picture:
    """A name, the arguments of ``dgplay``, a size in cells and the keys to press."""

    name: str
    line: str
    size: tuple[int, int]
    keys: tuple[str, ...] = ()


PICTURES = (
    Picture("lab", "", (120, 40), ("left", "down", "down", "right")),
    Picture("lab-80x24", "", (80, 24), ("left",)),
    Picture("real-data", "gsm8k_train_qa", (100, 30), ()),
    Picture("one-sequence", "--sequence 2", (80, 24), ("t", "down")),
    Picture("predict", "--predict", (80, 24), ("space",)),
    Picture("plan", "gsm8k_train_qa --screen plan", (100, 30), ()),
    Picture("graph", "--screen graph --program dynamic_block", (120, 40), ("right",) * 4),
    Picture("lab-zh", "--lang zh", (80, 24), ()),
)


async def settle(app: DgplayApp, pause: object) -> None:
    """Wait until nothing is being computed: every strategy checked, the sequence traced."""
    for _ in range(200):
        await pause(0.05)  # type: ignore[operator]
        session = app.session
        if not session.unchecked and session.known.traces is not None:
            return
    raise TimeoutError("the app did not come to rest")


async def take(picture: Picture, folder: Path) -> str:
    """Return the SVG of one picture."""
    request = parse(shlex.split(picture.line))
    session = open_session(request, Analysis(load(request.state.data)))
    paths = Paths(folder / "state.json", folder / "copied.txt", folder / "keymap.toml")
    app = DgplayApp(session, paths)
    async with app.run_test(size=picture.size) as pilot:
        await settle(app, pilot.pause)
        await pilot.press(*picture.keys)
        await settle(app, pilot.pause)
        await pilot.pause()
        return stable(app.export_screenshot(title="dgplay"))


def stable(svg: str) -> str:
    """Number the ids, which otherwise follow the content, and leave out what is fetched."""
    found = re.search(r"terminal-(\d+)", svg)
    named = svg.replace(f"terminal-{found[1]}", "terminal-1") if found else svg
    return re.sub(r"@font-face \{.*?\}\s*", "", named, flags=re.DOTALL)


def main() -> None:
    """Write every picture."""
    for picture in PICTURES:
        with tempfile.TemporaryDirectory() as folder:
            svg = asyncio.run(take(picture, Path(folder)))
        (FOLDER / f"{picture.name}.svg").write_text(svg, encoding="utf-8")
        print(f"{picture.name}.svg: {len(svg)} bytes")


if __name__ == "__main__":
    main()
