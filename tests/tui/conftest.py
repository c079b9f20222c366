"""What the tests of the screens share: an app apart from this machine, and its goldens."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_textual_snapshot
import textual

sys.path.insert(0, str(Path(__file__).parent))

from lab_driver import Clock, Lab, make_app, opened

from dgplay.core.sequences.checks import Baseline

#: The version whose pictures are kept; another one draws some of them differently.
PINNED_TEXTUAL = "8.2.8"

# syrupy 5 looks for ``file_extension``, syrupy 4 for ``_file_extension``: serve both.
pytest_textual_snapshot.SVGImageExtension.file_extension = "svg"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-frames",
        action="store_true",
        help="write the text frames of tests/tui/frames anew; look at every one of them",
    )


def pytest_configure(config: pytest.Config) -> None:
    updates = config.getoption("update_snapshots", False) or config.getoption(
        "--update-frames", False
    )
    if updates and textual.__version__ != PINNED_TEXTUAL:
        raise pytest.UsageError(
            f"pictures are kept for Textual {PINNED_TEXTUAL}, not for {textual.__version__}"
        )


@pytest.fixture(autouse=True)
def _apart(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Keep out what this machine is set to: colours, language, folders.

    Random keys also save to random names, so every test has a folder of its own to stand in.
    """
    monkeypatch.chdir(tmp_path)
    for name in list(os.environ):
        if name.startswith("TEXTUAL_SNAPSHOT"):  # what the plugin tells itself
            continue
        if name in ("NO_COLOR", "FORCE_COLOR", "COLORTERM") or name.startswith(("TEXTUAL", "LC_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.setenv("LANGUAGE", "en")
    for name in ("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    monkeypatch.setattr("dgplay.tui.session_app.PAUSE_SECONDS", 0.01)
    # The reference experiment takes 2,000 steps a strategy; real data would take the whole budget.
    monkeypatch.setattr(Baseline.__init__, "__defaults__", (10_000,))


OpenApp = Callable[..., AbstractAsyncContextManager[Lab]]


@pytest.fixture
def open_app(tmp_path: Path) -> OpenApp:
    """Return ``open_app(line, size, **options of DgplayApp)``: the app at rest, to drive."""

    @asynccontextmanager
    async def open_(
        line: str = "", size: tuple[int, int] = (80, 24), **options: Any
    ) -> AsyncIterator[Lab]:
        clock = Clock()
        async with opened(make_app(line, tmp_path, clock=clock, **options), size, clock) as lab:
            yield lab

    return open_


@pytest.fixture
def frame_golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Return what compares a frame with its golden, or with --update-frames writes it."""
    folder = Path(__file__).parent / "frames"

    def compare(name: str, text: str) -> None:
        path = folder / f"{name}.txt"
        if request.config.getoption("--update-frames", False):
            folder.mkdir(exist_ok=True)
            path.write_text(f"{text.rstrip()}\n", encoding="utf-8")
        assert path.exists(), f"there is no {path.name}; --update-frames writes it"
        assert text.rstrip().splitlines() == path.read_text(encoding="utf-8").splitlines()

    return compare
