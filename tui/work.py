"""How long work is run: in a thread, under a name, one at a time, never ending the app by itself.

The work asks its worker whether it has been cancelled, and comes back as a message.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from textual.dom import DOMNode

#: The collector's look at so many new records is a pause that a key would show.
MANY_RECORDS = 10_000


@contextmanager
def garbage_waits() -> Iterator[None]:
    """Let the collector of cycles wait within the block, and after much work run it once.

    For work that makes many small records, all of which stay: the collector would look through
    them, and through everything else that the app holds, again and again and find nothing. What
    it put off is done at the end, in the thread that works and not at one of the next keys, and
    what is left then is spared later looks. The next block gives it back before it begins, so
    that what a later result has replaced is found at the latest at the end of that block.
    """
    enabled = gc.isenabled()
    gc.disable()
    if enabled:
        gc.unfreeze()
    try:
        yield
    finally:
        if enabled:
            if gc.get_count()[0] > MANY_RECORDS:
                gc.collect()
                gc.freeze()
            gc.enable()


def in_thread(node: DOMNode, work: Callable[[], None], name: str, description: str) -> None:
    """Run ``work`` in a thread; another of the same name that still runs is cancelled.

    A failure reaches ``on_worker_state_changed`` of ``node``'s app, which leaves with it.
    """
    node.run_worker(
        work,
        name=name,
        group=name,
        description=description,
        thread=True,
        exclusive=True,
        exit_on_error=False,
    )
