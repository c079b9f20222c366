"""A real dgplay in a terminal of its own: a pty, its size, what it writes, how it ends."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

ALTERNATE_ON, ALTERNATE_OFF = "\x1b[?1049h", "\x1b[?1049l"
CURSOR_OFF, CURSOR_ON = "\x1b[?25l", "\x1b[?25h"
LEFT, RIGHT, DOWN, F9 = b"\x1b[D", b"\x1b[C", b"\x1b[B", b"\x1b[20~"

#: Escape sequences: CSI, OSC, and the short ones.
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-~])")


class Terminal:
    """Runs ``dgplay`` with arguments; a context that ends the process it began."""

    def __init__(
        self, *arguments: str, size: tuple[int, int] = (80, 24), home: Path, **settings: str
    ) -> None:
        self.written = ""
        self.master, slave = pty.openpty()
        self.resize(*size)
        self.before = termios.tcgetattr(slave)
        environment = {
            key: value
            for key, value in os.environ.items()
            if key not in ("NO_COLOR", "COLUMNS", "LINES") and not key.startswith("TEXTUAL")
        }
        environment |= {"TERM": "xterm-256color", "LANG": "C.UTF-8", "HOME": str(home)}
        environment |= {f"XDG_{name}_HOME": str(home / name) for name in ("STATE", "CONFIG")}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "dgplay.tui", *arguments],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=environment | settings,
            cwd=home,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        self.slave = slave

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.slave)
        os.close(self.master)

    def resize(self, width: int, height: int) -> None:
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))

    def send(self, keys: bytes) -> None:
        os.write(self.master, keys)

    def read(self, seconds: float) -> str:
        """Return what is written within a time, at once when something was."""
        if not select.select([self.master], [], [], seconds)[0]:
            return ""
        try:
            text = os.read(self.master, 1 << 20).decode("utf-8", "replace")
        except OSError:  # the other side is gone
            return ""
        self.written += text
        return text

    def rest(self, quiet: float = 0.03) -> str:
        """Read until nothing is written for a while; return what was."""
        text = ""
        while more := self.read(quiet):
            text += more
        return text

    def until(self, text: str, seconds: float = 30) -> None:
        """Read until a text stands on the screen; escapes between its words do not matter."""
        end, start = time.monotonic() + seconds, len(self.written)
        while text not in plain(self.written[start:]) and text not in self.written[start:]:
            assert time.monotonic() < end, f"{text!r} never came: {plain(self.written)[-2000:]}"
            assert self.process.poll() is None or self.read(0.1), plain(self.written)[-2000:]
            self.read(0.05)

    def comes_to(self, condition: Callable[[], bool], seconds: float = 30) -> None:
        """Read until a condition holds."""
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, f"it never came to that: {plain(self.written)[-2000:]}"
            self.read(0.05)

    def wait(self, seconds: float = 30) -> int:
        """Read to the end and return the exit code."""
        end = time.monotonic() + seconds
        while self.process.poll() is None:
            assert time.monotonic() < end, "it does not end"
            self.read(0.05)
        self.rest(0.1)
        return self.process.returncode

    @property
    def restored(self) -> bool:
        """Whether the terminal is as it was: main screen, cursor, line discipline."""
        modes = termios.tcgetattr(self.slave)
        return (
            self.written.rfind(ALTERNATE_OFF) > self.written.rfind(ALTERNATE_ON)
            and self.written.rfind(CURSOR_ON) > self.written.rfind(CURSOR_OFF)
            and modes[:4] == self.before[:4]
        )

    @property
    def _stat(self) -> list[str]:
        """The fields of /proc that follow the name of the process."""
        return Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(") ")[2].split()

    @property
    def status(self) -> str:
        """The state of the process in one letter, such as R (runs) or T (is stopped)."""
        return self._stat[0]

    @property
    def cpu_seconds(self) -> float:
        """The processor time that the process and its threads have used."""
        fields = self._stat
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def plain(text: str) -> str:
    """Return text without escape sequences."""
    return _ESCAPES.sub("", text)
