"""Random keys and sizes: nothing raises, and the line of every state opens that state again."""

from __future__ import annotations

import random
import shlex
from typing import Any

import pytest
from lab_driver import Lab, session_of

from dgplay.tui.commands import APP_COMMANDS, LAB_COMMANDS

#: Keys that leave or suspend are tried elsewhere; in a modal q closes, so it is among the others.
LEAVING = frozenset({"q", "ctrl+q"})
OWN = [
    key for command in (*LAB_COMMANDS, *APP_COMMANDS) for key in command.keys if key not in LEAVING
]
OTHERS = [
    *("pageup", "pagedown", "home", "end", "backspace", "delete", "f9", "ctrl+a", "ctrl+k"),
    *"0123456789,.=+-* x",
    *("，", "４", "？", "　", "中", "é", "[", "]", "/", "'", '"', "\\"),
]
#: Lines worth typing where a line is asked for.
LINES = (
    *("17", "+3", "-99", "k=3", "k=99", "5,10,20", "x", "", "uniform:1-9 count=7", "bias=0.5"),
    *("scale=0", "hidden=3", "seed=4", "seed=4 uniform:1-20", "[/x]", "'", "1e9", "50%", "OK"),
    *("zipf:1.5", "count=1", "gsm8k_train_qa", "uniform:1-1", "/dev/null", "/proc"),
)
SIZES = ((80, 24), (120, 40), (60, 20), (40, 12), (10, 3), (20, 5), (1, 1), (39, 9), (200, 60))


async def press_at_random(lab: Lab, draw: random.Random, count: int) -> list[str]:
    """Press random keys, without waiting for most of them; return them."""
    pressed = []
    for _ in range(count):
        if lab.prompt.asking and draw.random() < 0.3:
            text = draw.choice(LINES)
            lab.prompt.query_one("Input").value = text  # type: ignore[attr-defined]
            key = "enter"
            pressed.append(text)
        else:
            key = draw.choice(OWN if draw.random() < 0.8 else OTHERS)
        pressed.append(key)
        lab.send(key)
        if draw.random() < 0.5:
            await lab.pilot.pause(0)
        assert not lab.app._exit, pressed
    await lab.settled()
    return pressed


def reopened(line: str) -> object:
    """The state that a copied line opens."""
    return session_of(shlex.join(shlex.split(line)[1:])).state


@pytest.fixture(autouse=True)
def _no_suspending(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setattr("textual.app.App.action_suspend_process", lambda app: None)
    monkeypatch.chdir(tmp_path)  # s writes a file where it is pressed


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("line", ["", "gsm8k_train_qa --ascii"])
async def test_the_line_of_any_state_opens_it_again(open_app: Any, line: str, seed: int) -> None:
    async with open_app(line, SIZES[seed % 4]) as lab:
        pressed = await press_at_random(lab, random.Random(seed), 100)
        assert reopened(lab.app.line) == lab.state, pressed
        await lab.reset(lab.app.session)
        await lab.press("Y")
        assert lab.app.clipboard == lab.app.line


@pytest.mark.parametrize("seed", [101, 102])
async def test_keys_and_sizes_at_random_never_raise(open_app: Any, seed: int) -> None:
    draw = random.Random(seed)
    options: dict[str, Any] = {"first_start": True} if seed % 2 else {"lesson": "tour"}
    async with open_app(**options) as lab:
        for _ in range(10):
            await press_at_random(lab, draw, 50)
            await lab.resize(*draw.choice(SIZES))
        assert reopened(lab.app.line) == lab.state


@pytest.mark.parametrize("line", ["", "gsm8k_train_qa -k 20"])
async def test_a_storm_of_sizes_ends_where_it_began(open_app: Any, line: str) -> None:
    async with open_app(line) as lab:
        await lab.known()
        for key in ("t", "?", "enter", "f"):
            await lab.press(key)
            await lab.known()
            before = lab.text
            for size in ((60, 20), (39, 9), (1, 1), (200, 60), (200, 2)):
                await lab.resize(*size)
                assert len(lab.frame()) == size[1]
            await lab.resize(80, 24)
            await lab.known()
            assert lab.text == before, key
            await lab.press("escape")
        await lab.reset(lab.app.session)


async def test_a_storm_while_data_are_read(open_app: Any) -> None:
    async with open_app() as lab:
        await lab.press("e")
        await lab.enter("uniform:1-400 count=3000")
        for size in SIZES:
            await lab.resize(*size)
            lab.send("right")
        await lab.resize(80, 24)
        await lab.settled()
        assert lab.state.data.count == 3000


def test_the_keys_tried_are_all_there_are() -> None:
    assert len(OWN) > 45
