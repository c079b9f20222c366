"""A bucket edit: processor time from the key to the redrawn screen, net of a key without meaning.

The real command runs in a pty, so that writing to the terminal counts too. The net time hardly
depends on how many sequences there are, because a key looks things up in the histogram alone.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

if not sys.platform.startswith("linux"):
    pytest.skip("reads /proc", allow_module_level=True)

sys.path.insert(0, str(Path(__file__).parents[1]))

from terminal import F9, LEFT, RIGHT, Terminal

pytestmark = pytest.mark.benchmark

KEYS = 150


def seconds_of(terminal: Terminal, keys: tuple[bytes, ...], *, draws: bool) -> float:
    """Return the processor time of a key, each pressed once the one before is drawn."""
    terminal.rest()
    before, drawn = terminal.cpu_seconds, 0
    for number in range(KEYS):
        terminal.send(keys[number % len(keys)])
        drawn += bool(terminal.rest(0.03))
    assert drawn >= 0.9 * KEYS if draws else drawn == 0
    return (terminal.cpu_seconds - before) / KEYS


def net_milliseconds(count: int, size: tuple[int, int], home: Path, *, data: bool = False) -> float:
    """Open so many sequences, wait until all is checked, and measure both kinds of keys."""
    preset = ("--preset", "data") if data else ()
    source = ("lognormal:200,0.6", "--count", str(count), "-k", "8", "--bucket", "4")
    with Terminal(*source, *preset, size=size, home=home) as terminal:
        terminal.until("optimum K=8", seconds=120)
        terminal.rest(1.0)
        while terminal.rest(1.0):
            pass  # checks are coming in
        bound = seconds_of(terminal, (LEFT, RIGHT), draws=True)
        terminal.rest(1.0)
        unbound = seconds_of(terminal, (F9,), draws=False)
        terminal.send(b"q")
        terminal.wait()
    return 1000 * (bound - unbound)


@pytest.mark.parametrize(("size", "most"), [((80, 24), 16.0), ((200, 60), 25.0)])
@pytest.mark.parametrize("data", [False, True], ids=["lesson", "data"])
def test_a_bucket_edit_on_a_million_sequences(
    tmp_path: Path,
    size: tuple[int, int],
    most: float,
    data: bool,
    capsys: pytest.CaptureFixture[str],
) -> None:
    net = net_milliseconds(1_000_000, size, tmp_path, data=data)
    with capsys.disabled():
        print(f"\n{size[0]}x{size[1]} {'data' if data else 'lesson'}: {net:.1f} ms")
    assert net < most


def test_the_number_of_sequences_does_not_matter(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    net = [net_milliseconds(count, (80, 24), tmp_path) for count in (1_000, 10_000_000)]
    with capsys.disabled():
        print(f"\n10^3: {net[0]:.1f} ms, 10^7: {net[1]:.1f} ms")
    assert max(net) < 1.6 * min(net)
