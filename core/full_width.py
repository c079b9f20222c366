"""Full-width letters, digits and signs as an input method types them, and their ASCII forms."""

from __future__ import annotations

#: For ``str.translate``; whoever reads a line adds the signs that mean something to it.
FULL_WIDTH: dict[int, int] = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
