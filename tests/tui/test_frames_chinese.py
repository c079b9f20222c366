"""More frames in Chinese, of every screen, and no English left where words are shown."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from lab_driver import Clock, Lab, make_app, opened
from rich.cells import cell_len

from dgplay.core.actions import SetAppearance

SIZES = ((120, 40), (80, 24), (60, 20), (40, 12))

#: What is on the screen: arguments of dgplay, keys.
SITUATIONS: dict[str, tuple[str, tuple[str, ...]]] = {
    "strategies": ("", ("tab", "tab")),
    "compared": ("", ("c", "left", "C")),
    "methods": ("gsm8k_train_qa", ("m",)),
    "help": ("", ("question_mark",)),
    "plan": ("gsm8k_train_qa --screen plan --compile-cost 3000", ("tab",)),
    "batches": ("gsm8k_train_qa --screen plan --budget 4000", ("tab", "tab")),
    "quiz": ("--screen quiz", ()),
    "break": ("--screen graph --program dynamic_block", ("b",)),
    "nodes": ("--screen graph --program rnn_loop", ("end", "d")),
    "capture": ("--screen graph --program dynamic_block", ("c",)),
}

#: Latin words that stay: they are typed, they are keys, or the field writes them so.
KEPT = frozenset({
    "dgplay", "report", "plan", "chainer", "uniform", "quantile", "equal", "total", "geometric",
    "exponential", "lognormal", "power", "multiples", "optimal", "mask", "dynamic", "bucketed",
    "left", "repeat", "last", "while", "loop", "eager", "static", "capture", "fetch", "rank",
    "batch", "random", "grouped", "json", "Enter", "Space", "Shift", "Home", "PgUp", "PgDn",
    "shift", "ctrl", "gsm8k", "train", "bucket", "optimum",
})  # fmt: skip


def chinese(line: str) -> str:
    return f"{line} --lang zh".strip()


def english_left(text: str) -> set[str]:
    """Return the Latin words of at least four letters that a reader would have to know."""
    return {word for word in re.findall(r"[A-Za-z]{4,}", text) if word not in KEPT}


async def compare_all(lab: Lab, name: str, frame_golden: Callable[[str, str], None]) -> None:
    for width, height in SIZES:
        await lab.resize(width, height)
        await lab.settled()
        await lab.pilot.pause()
        frame = lab.frame()
        assert len(frame) == height
        assert max(map(cell_len, frame)) <= width
        frame_golden(f"chinese-{name}-{width}x{height}", lab.text)


@pytest.mark.parametrize("name", SITUATIONS)
async def test_frames(open_app: Any, frame_golden: Callable[[str, str], None], name: str) -> None:
    line, keys = SITUATIONS[name]
    async with open_app(chinese(line), SIZES[0]) as lab:
        await lab.press(*keys)
        await compare_all(lab, name, frame_golden)


async def test_tour_frames(frame_golden: Callable[[str, str], None], tmp_path: Path) -> None:
    clock = Clock()
    app = make_app("", tmp_path, lesson="tour", lang="zh", clock=clock)
    async with opened(app, SIZES[0], clock) as lab:
        lab.app.act(SetAppearance(replace(lab.state.appearance, lang="zh")))
        await compare_all(lab, "tour", frame_golden)
        await lab.press("enter")
        await lab.enter("2000")
        await lab.resize(80, 24)
        await lab.settled()
        frame_golden("chinese-tour-answered-80x24", lab.text)


@pytest.mark.parametrize("line", ["", "gsm8k_train_qa", "--screen plan", "--screen quiz"])
async def test_no_english_is_left(open_app: Any, line: str) -> None:
    async with open_app(chinese(line), (120, 40)) as lab:
        await lab.known()
        assert english_left(lab.text) == set()
        await lab.press("question_mark")
        groups = lab.text
    assert english_left(groups) == set()
