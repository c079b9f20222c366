"""The lockstep frames: the same forward and back, counters that agree, modes aligned by line."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from dgplay.core.graph.bundled import NAMES
from dgplay.core.graph.lang_budget import Budget
from dgplay.core.graph.modes import MODES
from dgplay.core.graph_view.lockstep import Views
from dgplay.core.graph_view.options import KEEPING, PASS_NAMES, GraphOptions, pass_list, toggled
from dgplay.core.graph_view.running import Asked, run

#: A second call with other inputs, where the usual ones would hide what happens then.
SECOND = {
    "dynamic_block": "x=[1,2,3]",
    "static_block": "x=[-2.5,0.2]",
    "rnn_loop": "seq=[1,2]",
    "tree": "x=[1,2,3]",
    "deep_chain": "depth=int(5)",
}


def views_of(program: str, *calls: str, text: str | None = None, **options: object) -> Views:
    asked = GraphOptions(program=program, calls=calls, **options)  # type: ignore[arg-type]
    return Views(run(Asked(asked, text)))


@pytest.mark.parametrize("program", NAMES)
def test_stepping_forward_then_back_draws_identical_frames(program: str) -> None:
    views = views_of(program, "", SECOND.get(program, ""))
    forward = [views.frame(cursor) for cursor in range(views.total)]
    back = [views.frame(cursor) for cursor in reversed(range(views.total))]
    assert forward == back[::-1]
    again = Views(views.run)
    cursors = list(range(views.total))
    random.Random(0).shuffle(cursors)
    for cursor in cursors:
        assert again.frame(cursor) == forward[cursor]
    for before, after in pairwise(forward):
        if before.call == after.call:
            for old, new in zip(before.columns, after.columns, strict=True):
                assert new.entries[: len(old.entries)] == old.entries


@pytest.mark.parametrize("program", NAMES)
def test_the_counters_at_the_end_are_those_of_the_run(program: str) -> None:
    views = views_of(program, grad=("all",))
    last = views.frame(views.last)
    for column in last.columns:
        ran = views.run.modes[column.mode]
        if ran.calls:
            counted = (column.counters.dispatches, column.counters.launches)
            assert counted == (ran.stats.dispatches, ran.stats.launches), column.mode
            assert column.entries[-1].kind in ("returned", "gradient")
    assert all(column.done for column in last.columns)


@pytest.mark.parametrize("program", NAMES)
def test_stops_never_go_back_and_end_with_the_logs(program: str) -> None:
    for view in views_of(program, "", SECOND.get(program, "")).calls:
        for before, after in pairwise(view.stops):
            assert all(a <= b for a, b in zip(before.positions, after.positions, strict=True))
        ends = tuple(len(view.call.logs[mode].events) for mode in MODES)
        assert view.stops[-1].positions == ends


def told(views: Views, cursor: int, mode: str) -> list[str]:
    """What came with a stop, as text."""
    column = next(c for c in views.frame(cursor).columns if c.mode == mode)
    lines = []
    for entry in column.entries[column.fresh :]:
        words = [entry.kind, entry.name, entry.op, *entry.args, entry.value, entry.what]
        lines.append(" ".join(filter(None, words)))
    return lines


def test_affine_line_by_line() -> None:
    views = views_of("affine")
    assert [views.stop(cursor).kind for cursor in range(views.total)] == [
        "inputs", "line", "line", "line", "prepare", "run", "backward", "backward", "backward",
        "end",
    ]  # fmt: skip
    assert told(views, 1, "eager") == ["computed s add a b 5.0"]
    assert told(views, 1, "static") == ["drawn s add a b"]
    assert told(views, 1, "capture")[-1] == "drawn s add a b"
    assert told(views, 2, "eager") == ["computed y mul s c 20.0"]
    assert told(views, 4, "static") == ["pass fold constant", "pass fuse group"]
    assert told(views, 5, "static") == ["session", "ran y add·mul a b c 20.0"]
    assert told(views, 9, "eager") == ["returned 20.0", "gradient a 4.0"]
    launches = [c.counters.launches for c in views.frame(5).columns]
    assert launches == [2, 1, 1]


def test_dynamic_block_meets_its_if_in_all_modes_at_once() -> None:
    views = views_of("dynamic_block", "", "x=[1,2,3]")
    cursor = views.next_where(0, 1, ("break", "refused"))
    assert cursor == 2
    assert views.stop(cursor).line == 6
    assert told(views, cursor, "eager")[-1] == "branch"
    assert told(views, cursor, "static")[-1].startswith("refused if decides on a traced value")
    capture = told(views, cursor, "capture")
    assert any(line.startswith("break if decides on a traced value") for line in capture)
    refused = views.frame(cursor).columns[1].entries[-1]
    assert "use cond(" in refused.hint
    second = views.starts[1]
    reasons = [
        entry.what
        for entry in views.calls[1].tracks["capture"].entries
        if entry.kind == "miss"
    ]  # fmt: skip
    assert reasons[0] == "x: shape[0] == 2, was 3"
    assert views.at(second) == (1, 0)


def test_a_call_that_hits_the_cache_is_passed_where_its_segments_end() -> None:
    views = views_of("dynamic_block", "", "")
    second = views.calls[1]
    kinds = {entry.kind for entry in second.tracks["capture"].entries}
    assert "compile" not in kinds
    assert {"guard", "break", "session"} <= kinds
    breaks = [c for c in range(views.starts[1], views.total)
              if any(line.startswith("break") for line in told(views, c, "capture"))]  # fmt: skip
    assert [views.stop(cursor).line for cursor in breaks] == [6] * 6


def test_without_guards_the_second_call_is_stale_and_the_modes_differ() -> None:
    views = views_of("square_sum", "", "x=[3,4]", no_guards=True)
    assert views.run.difference.at is None  # same shape: the graph fits
    views = views_of("dynamic_block", "x=[1,2]", "x=[-2.5,0.2]", no_guards=True)
    assert told(views, views.starts[1], "capture")[0] == "stale"
    last = views.frame(views.last)
    assert last.differs is not None


def test_a_stale_answer_is_told_with_what_eager_gives_and_so_is_its_gradient() -> None:
    # rnn_loop unrolls its loop: the graph of four items is replayed for five
    views = views_of("rnn_loop", "seq=[1,2,3,4]", "seq=[1,2,3,4,5]", no_guards=True)
    wrong = [e for e in views.calls[1].tracks["capture"].entries if e.kind == "wrong"]
    assert [(e.name, e.value, e.what) for e in wrong[:1]] == [("", "1.99928", "1.9999")]
    assert [(e.name, e.value[:6], e.what[:6]) for e in wrong[1:]] == [("seq", "f64[4]", "f64[5]")]
    found = views.frame(views.last).differs
    assert found is not None
    assert (found.modes, found.entries) == (("eager", "capture"), ("1.9999", "1.99928"))
    assert found.ulps is None  # so many that they say nothing
    assert not [e for e in views.calls[0].tracks["capture"].entries if e.kind == "wrong"]


def test_graphs_that_do_not_fit_are_one_line_with_how_many_they_are() -> None:
    views = views_of("dynamic_block", "x=[1,2]", "x=[1,2,3]")
    entries = views.calls[1].tracks["capture"].entries
    place = next(n for n, entry in enumerate(entries) if entry.kind == "fallback")
    missed = entries[place - 1]
    assert (missed.kind, missed.why, missed.numbers[2]) == ("miss", "none", 8)
    assert missed.what.startswith("x: shape[0] == 2, was 3 (×6); the loop: next is 1 with 5 left")
    assert entries[place - 2].kind != "miss"


def test_keys_find_what_a_walk_over_all_stops_finds() -> None:
    views = views_of("dynamic_block", "x=[1,2]", "x=[1,2,3]")
    kinds = ("break", "fallback")

    def comes(cursor: int) -> bool:
        call, number = views.at(cursor)
        view = views.calls[call]
        before = view.stops[number - 1].positions if number else (-1, -1, -1)
        return any(
            begin < entry.at <= end and entry.kind in kinds
            for begin, end, mode in zip(before, view.stops[number].positions, MODES, strict=True)
            for entry in view.tracks[mode].entries
        )

    there = [cursor for cursor in range(views.total) if comes(cursor)]
    lines = [
        c for c in range(views.total) if (views.stop(c).kind, views.stop(c).line) == ("line", 7)
    ]
    assert there
    assert lines
    for cursor in range(views.total):
        later, earlier = [c for c in there if c > cursor], [c for c in there if c < cursor]
        assert views.next_where(cursor, 1, kinds) == (later[0] if later else None)
        assert views.next_where(cursor, -1, kinds) == (earlier[-1] if earlier else None)
        passed = [c for c in lines if c > cursor]
        assert views.next_line(cursor, 7) == (passed or lines)[0]
    assert views.next_line(0, 0) is None
    assert views.next_kind(0, "nothing of the kind") is None


def test_fast_math_shows_where_modes_differ_in_ulps() -> None:
    text = "def f(x=2.2):\n    y = (x + 0.1) + 0.2\n    return y\n"
    views = views_of("t", text=text, passes=PASS_NAMES)
    frame = views.frame(views.last)
    assert frame.differs is not None
    found = frame.differs
    assert (found.value, found.modes) == ("output 0", ("eager", "static"))
    assert found.entries == ("2.5000000000000004", "2.5")  # the same in six digits
    ulps = found.ulps
    assert ulps is not None
    assert ulps >= 1
    static = views.calls[0].tracks["static"].entries
    marked = next(entry for entry in static if entry.kind == "differs")
    assert (marked.name, marked.numbers) == ("y", (ulps,))
    plain = views_of("t", text=text)
    assert plain.frame(plain.last).differs is None
    kinds = {e.kind for track in plain.calls[0].tracks.values() for e in track.entries}
    assert "differs" not in kinds


def test_a_problem_of_the_whole_run_is_no_exception() -> None:
    for options, what in (
        ({"program": "nosuch"}, "there is no program nosuch"),
        ({"program": "affine", "feed": ("q=1",)}, "the program has no input q"),
        ({"program": "affine", "feed": ("a=",)}, ""),
        ({"program": "affine", "grad": ("q",)}, "the program has no input q"),
        ({"program": "/etc"}, "there is no program /etc"),
    ):
        made = run(Asked(GraphOptions(**options)))  # type: ignore[arg-type]
        assert made.problem is not None
        assert made.problem.what.startswith(what)
        assert Views(made).total == 0


def test_an_endless_program_is_stopped_by_its_budget_in_every_mode() -> None:
    text = "def f(x=1):\n    while True:\n        x = x + 1\n    return x\n"
    made = run(Asked(text=text), Budget(steps=3000))
    views = Views(made)
    for column in views.frame(views.last).columns:
        assert column.entries[-1].kind == "refused"
        assert "budget" in column.entries[-1].what


def test_no_float_output_is_run_without_gradients() -> None:
    views = views_of("t", text="def f(x=[1, 2]):\n    return x > 1\n")
    assert views.run.problem is None
    assert all(log.gave is not None for log in views.run.calls[0].logs.values())


def test_passes_are_read_and_switched() -> None:
    assert pass_list("all") == KEEPING
    assert pass_list("none") == ()
    assert pass_list("fuse, fold") == ("fold", "fuse")
    assert toggled(GraphOptions(), "fast-math") == PASS_NAMES
    assert toggled(GraphOptions(), "fold") == KEEPING[1:]
    for wrong in ("", "fold;cse", "x"):
        with pytest.raises(ValueError):
            pass_list(wrong)
