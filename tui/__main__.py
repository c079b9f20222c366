"""The ``dgplay`` command: answers --version at once, and imports the rest only when needed.

``--version`` imports neither argparse nor numpy nor textual: it costs what Python itself does.
"""

from __future__ import annotations

import sys


def main() -> int:
    """Run ``dgplay`` with the arguments of the process and return its exit code."""
    words = sys.argv[1:]
    if words == ["--version"] and sys.stdout:
        from ..core.version import VERSION

        sys.stdout.write(f"dgplay {VERSION}\n")
        return 0
    try:
        from .cli import run

        return run(words)
    except KeyboardInterrupt:  # while it was still being imported
        return 130


if __name__ == "__main__":
    sys.exit(main())
