"""The Graph screen as frames and pictures: what each view looks like at every size."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from graph_driver import SIZES, graph_of
from lab_driver import make_app

#: What is on the screen: arguments of dgplay, keys.
SITUATIONS: dict[str, tuple[str, tuple[str, ...]]] = {
    "start": ("--program affine", ()),
    "break": ("--program dynamic_block", ("b",)),
    "second": ("--program dynamic_block --call x=[1,2] --call x=[1,2,3] --step 27", ("b",)),
    "backward": ("--program x2_plus_xy", ("g", "right", "right", "right", "w")),
    "tape": ("--program x2_plus_xy --step 3", ("w",)),
    "nodes": ("--program rnn_loop", ("end", "d", "down", "down", "down")),
    "passes": ("--program x2_plus_xy --passes all", ("x", "down", "down")),
    "fast-math": ("--program x2_plus_xy", ("x", "up", "down", "down", "down", "down", "down")),
    "memory": ("--program linear_bn_relu", ("m", "down", "down", "down")),
    "memory-plan": ("--program linear_bn_relu", ("m", "o", "down", "down", "down")),
    "calls": (
        "--program rnn_loop --call seq=[1,2] --call seq=[1,2] --call seq=[1,2,3] --call seq=[1]",
        ("end", "c", "down", "down", "down", "down", "down"),
    ),
    "capture": ("--program rnn_loop --call seq=[1,2] --call seq=[1,2,3]", ("end", "c", "down")),
    "stale": ("--program dynamic_block --call x=[1,2] --call x=[-2.5,0.2] --no-guards", ("end",)),
    "problem": ("--program nosuch", ()),
    "predict": ("--program affine --step 2", ("p",)),
    "plain": ("--program dynamic_block --ascii --step 3", ()),
}


@pytest.mark.parametrize("name", SITUATIONS)
async def test_graph_frames(
    open_app: Any, frame_golden: Callable[[str, str], None], name: str
) -> None:
    start, keys = SITUATIONS[name]
    async with open_app(f"--screen graph {start}", SIZES[0]) as lab:
        await graph_of(lab)
        await lab.press(*keys)
        for width, height in SIZES:
            await lab.resize(width, height)
            await lab.settled()
            frame = lab.frame()
            assert len(frame) == height
            assert max(map(len, frame)) <= width
            frame_golden(f"graph-{name}-{width}x{height}", lab.text)
            if "--ascii" in start:
                wide = {one for one in lab.text if unicodedata.east_asian_width(one) in "AWF"}
                assert not wide


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=["80x24", "120x40"])
def test_a_picture_of_the_lockstep_view(
    snap_compare: Any, tmp_path: Path, size: tuple[int, int]
) -> None:
    app = make_app("--screen graph --program dynamic_block --step 3", tmp_path)

    async def ready(pilot: Any) -> None:
        for _ in range(1000):
            if all(worker.is_finished for worker in app.workers):
                break
            await pilot.pause(0.005)
        await pilot.pause()
        await pilot.pause()

    assert snap_compare(app, terminal_size=size, run_before=ready)
