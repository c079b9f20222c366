"""The table of the README: what is exact in it is recomputed here."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from dgplay.core.sequences.bundled import names

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def script() -> Any:
    path = ROOT / "tests" / "benchmarks" / "heuristics_table.py"
    spec = importlib.util.spec_from_file_location("heuristics_table", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def rows() -> dict[str, list[str]]:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    inside = text.partition("<!-- heuristics: ")[2].partition("<!-- end of heuristics -->")[0]
    lines = [line.strip("| ").split(" | ") for line in inside.splitlines() if line[:1] == "|"]
    return {first: rest for first, *rest in lines}


def test_both_policies_are_named_at_four_eight_and_sixteen(rows: dict[str, list[str]]) -> None:
    assert rows["method"] == [
        f"`{policy}` k = {k}" for policy in ("boundary", "batch") for k in (4, 8, 16)
    ]


def test_what_is_exact_is_up_to_date(script: Any, rows: dict[str, list[str]]) -> None:
    found = script.measured(names(), batches=False)
    for method, name in script.WHOSE.items():
        now = [script.cell(found[method, "boundary", k]) for k in script.KS]
        assert rows[name][:3] == now, name


def test_equal_total_is_near_and_quantile_is_far(rows: dict[str, list[str]]) -> None:
    """At eight buckets: 7 % and 51 % padded to boundaries, about 3 % in batches of their own."""

    def at_eight(name: str, policy: str) -> float:
        return float(rows[name][{"boundary": 1, "batch": 4}[policy]].split()[0])

    equal_total, quantile = "equal-total (lhotse, NeMo)", "quantile (fairseq)"
    assert round(at_eight(equal_total, "boundary")) == 7
    assert round(at_eight(quantile, "boundary")) == 51
    assert 1.5 < at_eight(equal_total, "batch") < 3.5
    for name in rows.keys() - {"method", "---", equal_total, "optimum for fixed shapes"}:
        assert at_eight(name, "batch") > at_eight(equal_total, "batch")
