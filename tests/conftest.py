"""What all tests share: garbage is looked for less often than by default.

The runner holds hundreds of thousands of objects, and a look at all of them takes a tenth of a
second; at Python's own pace that is a quarter of the time of the suite.
"""

from __future__ import annotations

import gc


def pytest_configure() -> None:
    gc.set_threshold(20_000, 20, 20)
