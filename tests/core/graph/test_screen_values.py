"""How the screen writes values: short ones whole, longer ones by their type and first entries."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dgplay.core.graph_view.words import array_text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.float64(2.0), "2.0"),
        (np.array([0.5, -1.0]), "[0.5, -1.0]"),
        (np.array([1, 2, 3]), "[1, 2, 3]"),
        (np.array([]), "[]"),
        (np.full(40, 0.25), "f64[40] [0.25, 0.25, 0.25 …]"),
        (np.full(40, 0.25, np.float32), "f32[40] [0.25, 0.25, 0.25 …]"),
        (np.arange(20), "i64[20] [0, 1, 2 …]"),
        (np.zeros((2, 3)), "f64[2,3] [0.0, 0.0, 0.0 …]"),
        (np.array([[True, False]]), "bool[1,2] [True, False]"),
        (np.array([-0.00205238, 0.00565805, 0.0470243, 0.0614756]),
         "f64[4] [-0.00205238, 0.00565805, 0.0470243 …]"),
    ],
)  # fmt: skip
def test_a_long_value_never_begins_with_a_bare_number(value: Any, text: str) -> None:
    assert array_text(np.asarray(value)) == text
