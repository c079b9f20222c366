"""Long work: what holds while it runs holds no longer."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from dgplay.tui.work import MANY_RECORDS, garbage_waits


class Result:
    """Many records, and a cycle that counting references cannot take apart."""

    def __init__(self) -> None:
        self.records = [[number] for number in range(2 * MANY_RECORDS)]
        self.itself = self


@pytest.fixture
def thawed() -> Iterator[None]:
    gc.collect()
    yield
    gc.unfreeze()
    gc.collect()


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


def test_much_work_ends_with_a_look_whose_findings_are_not_looked_at_again(thawed: None) -> None:
    with garbage_waits():
        made = Result()
    assert gc.get_freeze_count() >= len(made.records)
    assert gc.get_count()[0] < MANY_RECORDS


def test_little_work_leaves_the_collector_as_it_was(thawed: None) -> None:
    with garbage_waits():
        few = [[number] for number in range(10)]
    assert gc.get_freeze_count() == 0
    assert len(few) == 10


def test_a_result_that_was_replaced_is_gone_after_the_next_much_work(thawed: None) -> None:
    with garbage_waits():
        made = Result()
    gone = weakref.ref(made)
    del made
    with garbage_waits():
        other = Result()
    assert gone() is None
    assert other.itself is other


def test_a_result_that_was_replaced_is_the_collectors_again_after_little_work(
    thawed: None,
) -> None:
    with garbage_waits():
        made = Result()
    gone = weakref.ref(made)
    del made
    gc.collect()
    assert gone() is not None
    with garbage_waits():
        pass
    gc.collect()
    assert gone() is None
