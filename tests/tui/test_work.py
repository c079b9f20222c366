"""Long work: what holds while it runs holds no longer."""

from __future__ import annotations

import gc

import pytest

from dgplay.tui.work import garbage_waits


def test_the_collector_of_cycles_waits_within_the_block_alone() -> None:
    assert gc.isenabled()
    with garbage_waits():
        assert not gc.isenabled()
        with garbage_waits():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_it_goes_on_after_a_failure() -> None:
    with pytest.raises(ZeroDivisionError), garbage_waits():
        _ = 1 / 0
    assert gc.isenabled()
