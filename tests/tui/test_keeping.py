"""A state that cannot be kept is said once, at the start, and stands in nobody's way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lab_driver import Clock, make_app, opened

SAID = "nothing is kept for the next start: "


async def test_a_folder_that_cannot_be_written_is_said_at_the_start_and_once(
    tmp_path: Path,
) -> None:
    (tmp_path / "file").write_text("mine")
    clock = Clock()
    app = make_app("", tmp_path / "file", clock=clock)
    async with opened(app, (120, 40), clock) as lab:
        assert lab.line("status").startswith(SAID)
        assert "!" not in lab.line("status")
        await lab.press("left")
        await lab.settled()  # the state has changed, and keeping it was tried
        assert lab.boundaries == (4, 10, 15, 20)
        assert SAID not in lab.text
        assert lab.line("status").startswith("bucket 1 ends at 4")


async def test_where_it_can_be_kept_nothing_is_said(open_app: Any, tmp_path: Path) -> None:
    async with open_app() as lab:
        assert SAID not in lab.text
        await lab.press("left")
        await lab.settled()
        await lab.until(lambda: (tmp_path / "state.json").exists())
