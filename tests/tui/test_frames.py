"""Frames as text: every pane at every size, looked at before they were kept."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Any

import pytest

SIZES = ((120, 40), (80, 24), (60, 20), (40, 12), (30, 8))

#: What is on the screen: arguments of dgplay, options of the app, keys.
SITUATIONS: dict[str, tuple[str, dict[str, Any], tuple[str, ...]]] = {
    "lesson": ("", {}, ()),
    "strategies": ("", {}, ("tab", "tab")),
    "data": ("gsm8k_train_qa", {}, ()),
    "methods": ("gsm8k_train_qa", {}, ("tab", "tab")),
    "all": ("--all --strategy packed", {}, ("tab", "tab")),
    "sequence": ("--sequence 2", {}, ("t", "down")),
    "predict": ("--predict", {}, ("up", "space", "down")),
    "tour": ("", {"lesson": "tour"}, ()),
    "first": ("", {"first_start": True}, ()),
    "ascii": ("--ascii", {}, ("left",)),
    "ascii-strategies": ("--ascii", {}, ("shift+tab", "tab", "tab", "tab")),
    "ascii-data": ("gsm8k_train_qa --ascii", {}, ("t",)),
    "zh": ("--lang zh", {}, ("left",)),
    "zh-sequence": ("--lang zh --sequence 2", {}, ("t", "down")),
    "zh-data": ("gsm8k_train_qa --lang zh", {}, ("tab", "tab", "left")),
    "zh-predict": ("--predict --lang zh", {}, ()),
    "typing": ("", {}, ("enter",)),
    "distribution": ("gsm8k_train_qa", {}, ("shift+tab",)),
}


@pytest.mark.parametrize("name", SITUATIONS)
async def test_frames(open_app: Any, frame_golden: Callable[[str, str], None], name: str) -> None:
    line, options, keys = SITUATIONS[name]
    async with open_app(line, SIZES[0], **options) as lab:
        await lab.press(*keys)
        for width, height in SIZES:
            await lab.resize(width, height)
            await lab.known()
            frame = lab.frame()
            assert len(frame) == height
            frame_golden(f"{name}-{width}x{height}", lab.text)
            if "--ascii" in line:
                assert not wide_characters(lab.text)


def wide_characters(text: str) -> set[str]:
    """Return the characters that some terminals draw two cells wide."""
    return {one for one in text if unicodedata.east_asian_width(one) in ("A", "W", "F")}
