"""Pictures of the Lab, kept as SVG: colours, boxes and what lies over it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lab_driver import Clock, Lab, make_app
from textual.pilot import Pilot

WIDE, USUAL = (120, 40), (80, 24)

#: What is on the picture: arguments of dgplay, size, options of the app, keys.
PICTURES: dict[str, tuple[str, tuple[int, int], dict[str, Any], tuple[str, ...]]] = {
    "lab-wide": ("", WIDE, {}, ("left", "down")),
    "lab": ("", USUAL, {}, ("left", "down")),
    "data": ("gsm8k_train_qa", USUAL, {}, ("left",)),
    "one-sequence-wide": ("--sequence 2", WIDE, {}, ("t", "z", "down")),
    "one-sequence": ("--sequence 2", USUAL, {}, ("t", "down")),
    "predict": ("--predict", USUAL, {}, ("up", "space", "down")),
    "first-start": ("", USUAL, {"first_start": True}, ()),
    "lesson": ("", USUAL, {"lesson": "tour"}, ()),
    "quiz": ("", USUAL, {}, ("5", "2")),
    "methods": ("", USUAL, {}, ("m",)),
    "data-picker": ("", USUAL, {}, ("f", *"words")),
    "help": ("", USUAL, {}, ("?",)),
    "compare": ("--compare uniform:1-30", USUAL, {}, ("c", "left", "C")),
    "typing": ("", USUAL, {}, ("enter",)),
    "light": ("--theme textual-light", USUAL, {}, ("left",)),
    "no-colour": ("", USUAL, {}, ("left",)),
    "ascii": ("--ascii", USUAL, {}, ("left",)),
    "chinese": ("--lang zh", USUAL, {}, ("left",)),
    "chinese-help": ("--lang zh", USUAL, {}, ("?",)),
}


@pytest.mark.parametrize("name", PICTURES)
def test_pictures(
    snap_compare: Callable[..., bool],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
) -> None:
    line, size, options, keys = PICTURES[name]
    if name == "no-colour":
        monkeypatch.setenv("NO_COLOR", "1")
    clock = Clock()
    app = make_app(line, tmp_path, clock=clock, **options)
    # What names a file of this machine would make another picture on the next one.
    app.paths = type(app.paths)(app.paths.state, app.paths.copied, Path("~/keymap.toml"))

    async def act(pilot: Pilot[None]) -> None:
        lab = Lab(app, pilot, clock)
        await lab.known()
        await lab.press(*keys)
        await lab.known()

    assert snap_compare(app, terminal_size=size, run_before=act)
