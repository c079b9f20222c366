"""What the modes are compared by: whole values, buffers of the tape, guards per call, time."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from dgplay.core.graph.bundled import NAMES
from dgplay.core.graph.events import Alloc, Free, RunEnded
from dgplay.core.graph.lang_budget import Budget
from dgplay.core.graph.lang_refusal import Cancelled
from dgplay.core.graph.summaries import KEPT_ELEMENTS, WHOLE_BYTES, summarize
from dgplay.core.graph_view.buffers import buffer_table, why
from dgplay.core.graph_view.captured import capture_rows
from dgplay.core.graph_view.lockstep import Views
from dgplay.core.graph_view.next_call import suggested
from dgplay.core.graph_view.nodes import formula
from dgplay.core.graph_view.options import PASS_NAMES, GraphOptions
from dgplay.core.graph_view.pictures import Picture, pictures
from dgplay.core.graph_view.running import Asked, GraphRun, KeepingLog, run, typed
from dgplay.core.graph_view.tape_buffers import tape_table, why_kept
from dgplay.core.graph_view.timing import REPEATS, Measured, measure

#: -0.0 at the last of twenty places becomes 0.0 where 0.0 is added, unless that is left out.
ZERO = """
def part(x):
    y = x * 1.5
    return y + 0.0

def f(x=ones(20), z=[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-0.0]):
    for i in range(2):
        a = part(x)
    b = part(z)
    return a, b
"""


def views_of(program: str, *calls: str, text: str | None = None, **options: object) -> Views:
    asked = GraphOptions(program=program, calls=calls, **options)  # type: ignore[arg-type]
    return Views(run(Asked(asked, text)))


def picture(views: Views, kind: str, call: int = 0) -> Picture:
    return next(p for p in pictures(views, call) if p.kind == kind)


def marked(views: Views, mode: str) -> list[tuple[str, tuple[int, ...]]]:
    entries = views.calls[0].tracks[mode].entries
    return [(entry.name, entry.numbers) for entry in entries if entry.kind == "differs"]


# ---- where modes part -------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["static", "capture"])
def test_a_difference_behind_the_first_sixteen_entries_is_marked_at_its_call_of_a_helper(
    mode: str,
) -> None:
    views = views_of("t", text=ZERO, passes=PASS_NAMES)
    assert marked(views, mode) == [("b", (1,))]  # 0.0 and -0.0 are one ulp apart


@pytest.mark.parametrize("program", NAMES)
def test_no_value_of_a_bundled_program_differs_between_the_modes(program: str) -> None:
    views = views_of(program, grad=("all",))
    assert marked(views, "static") == []
    assert marked(views, "capture") == []


def test_a_difference_in_an_unnamed_value_is_marked_too() -> None:
    text = "def f(x=2.2):\n    return ((x + 0.1) + 0.2) * 2.0\n"
    views = views_of("t", text=text, passes=PASS_NAMES)
    ((_, (ulps,)),) = marked(views, "static")
    assert ulps == 1  # (2.2 + 0.1) + 0.2 against 2.2 + (0.1 + 0.2), both 2.5 or next to it


def test_without_guards_the_op_is_marked_that_eager_does_not_come_to() -> None:
    views = views_of("dynamic_block", "x=[1,2]", "x=[-2.5,0.2]", no_guards=True)
    entries = views.calls[1].tracks["capture"].entries
    (at,) = [place for place, entry in enumerate(entries) if entry.kind == "differs"]
    assert entries[at].what == "another way"  # sum is -2.3: eager adds where the replay multiplies
    assert (entries[at - 1].name, entries[at - 1].op.split("·")[0]) == ("x", "mul")


def test_without_guards_a_replay_that_is_right_has_no_mark() -> None:
    views = views_of("square_sum", "x=[1,2]", "x=[3,4]", no_guards=True)
    kinds = [entry.kind for entry in views.calls[1].tracks["capture"].entries]
    assert "ran" in kinds
    assert "differs" not in kinds


def test_a_replay_that_does_not_end_is_stopped_by_the_budget() -> None:
    text = "def f(x=1):\n    return while_loop(lambda v: v < 9, lambda v: v * 2.0, x)\n"
    asked = GraphOptions(program="t", calls=("", "x=0"), no_guards=True, grad=("none",))
    log = run(Asked(asked, text), Budget(seconds=0.5)).calls[1].logs["capture"]
    assert log.refusal is not None
    assert "budget" in log.refusal.what


@pytest.mark.parametrize("limit", [8, 1])
def test_what_a_mode_computes_from_sizes_is_no_difference(limit: int) -> None:
    text = "def f(x=[1,2,3]):\n    y = x.sum() / x.shape[0]\n    return ((x - y) ** 2).mean()\n"
    views = views_of("t", "", "x=[2,3,4,5]", "x=[1,1]", text=text, recompile_limit=limit)
    for call in views.calls:
        assert all(e.kind != "differs" for track in call.tracks.values() for e in track.entries)


def test_a_captured_helper_is_shown_in_eager_too() -> None:
    text = (
        "@capture\ndef h(x):\n    return x * 2.0 + 1.0\n\n"
        "def f(x=[1,2]):\n    return (h(x) * h(x)).sum()\n"
    )
    views = views_of("t", text=text)
    eager = views.calls[0].tracks["eager"].entries
    assert [entry.op for entry in eager if entry.kind == "computed"][:2] == ["h", "h"]
    assert [node.op for node in picture(views, "eager").nodes][1] == "h"


def test_a_summary_of_a_large_array_tells_arrays_apart_that_begin_alike() -> None:
    one, two = np.zeros(KEPT_ELEMENTS + 1), np.zeros(KEPT_ELEMENTS + 1)
    two[-1] = -0.0
    assert summarize(one).digest != summarize(two).digest
    assert summarize(one).whole == one.tobytes()
    assert summarize(one[:-1]).whole == b""  # it is in ``first``


def test_every_nan_has_the_same_checksum() -> None:
    one = np.full(20, np.nan)
    two = one.copy()
    two.view(np.int64)[3] |= 1  # another payload
    assert one.tobytes() != two.tobytes()
    assert summarize(one).digest == summarize(two).digest


def test_what_is_larger_than_the_limit_has_a_checksum_only() -> None:
    summary = summarize(np.zeros(WHOLE_BYTES // 8 + 1))
    assert summary.whole == b""
    assert summary.digest


def test_a_log_keeps_bits_up_to_its_limit() -> None:
    made = run(Asked(GraphOptions(), "def f(x=ones(20)):\n    y = x + 1.0\n    return y * 2.0\n"))
    events = made.calls[0].logs["eager"].events
    ends = [e for e in events if type(e).__name__ == "OpEnd" and e.value.whole]  # type: ignore[union-attr]
    log = KeepingLog(limit_bytes=160)  # one array of 20 float64
    for event in ends[:2]:
        log.emit(event)
    assert [len(event.value.whole) for event in log] == [160, 0]  # type: ignore[union-attr]


# ---- options in words -------------------------------------------------------------------


def formulas(text: str) -> list[str]:
    made = picture(views_of("t", text=text, grad=("none",)), "eager")
    return [formula(node) for node in made.nodes if node.op not in ("placeholder", "const")]


@pytest.mark.parametrize(
    ("expression", "wanted"),
    [
        ("x[1]", "y = x[1]"),
        ("x[:, 1:3]", "y = x[:, 1:3]"),
        ("x[None, 0, ::2]", "y = x[None, 0, ::2]"),
        ("x.sum()", "y = sum x"),
        ("x.sum(axis=0)", "y = sum x axis=0"),
        ("x.sum(axis=1, keepdims=True)", "y = sum x axis=1 keepdims"),
        ("softmax(x)", "y = softmax x axis=1"),
        ("transpose(x)", "y = transpose x axes=1,0"),
        ("x.reshape(4, 2)", "y = reshape x shape=4,2"),
        ("dropout(x, rate=0.5, seed=7)", "y = dropout x rate=0.5 seed=7"),
        ("concat([x, x], axis=1)", "y = concat x x axis=1"),
        ("relu(x)", "y = relu x"),
    ],
)
def test_the_options_of_a_node_are_in_its_formula(expression: str, wanted: str) -> None:
    assert formulas(f"def f(x=[[1,2,3,4],[5,6,7,8]]):\n    y = {expression}\n    return y\n") == [
        wanted
    ]


@pytest.mark.parametrize("kind", ["drawn", "static", "capture"])
def test_graphs_write_options_as_eager_does(kind: str) -> None:
    text = "def f(x=[[1,2],[3,4]]):\n    y = x[0]\n    return y\n"
    made = picture(views_of("t", text=text, grad=("none",)), kind)
    assert "y = x[0]" in [formula(node) for node in made.nodes]


# ---- what eager keeps -------------------------------------------------------------------


@pytest.mark.parametrize("program", NAMES)
def test_the_bars_of_the_tape_are_what_the_log_says(program: str) -> None:
    views = views_of(program, grad=("all",))
    made = picture(views, "eager")
    table = tape_table(views.calls[0], made)
    assert table is not None
    events = views.calls[0].call.logs["eager"].events
    (ended,) = [e for e in events if isinstance(e, RunEnded) and e.mode == "eager"]
    assert table.peak == ended.peak_bytes
    assert table.kept <= ended.peak_bytes
    alive = sum(e.nbytes for e in events if isinstance(e, Alloc) and not e.scope)
    alive -= sum(e.nbytes for e in events if isinstance(e, Free) and not e.scope)
    assert 0 <= alive <= (table.peak or 0)
    for row in table.rows:
        assert row.used is not None
        assert 0 <= row.start <= row.end < table.steps
        assert why_kept(row, table)


def test_the_tape_keeps_what_a_backward_reads() -> None:
    text = "def f(x=[1,2]):\n    y = x * 2.0\n    z = y * y\n    t = z + 1.0\n    return t.sum()\n"
    views = views_of("t", text=text, grad=("x",))
    table = tape_table(views.calls[0], picture(views, "eager"))
    assert table is not None
    rows = {row.name: row for row in table.rows}
    assert rows["y"].saved == ("z",)
    assert why_kept(rows["y"], table) == (
        "the tape keeps it until the backward is over: that of z reads it"
    )
    assert rows["z"].saved == ()
    assert rows["z"].taped
    assert table.backward is not None
    assert rows["y"].end >= table.backward


def test_without_gradients_a_buffer_goes_with_its_last_variable() -> None:
    text = "def f(x=[1,2]):\n    y = x * 2.0\n    y = y + 1.0\n    y = y * 3.0\n    return y\n"
    views = views_of("t", text=text, grad=("none",))
    table = tape_table(views.calls[0], picture(views, "eager"))
    assert table is not None
    first = next(row for row in table.rows if row.op == "mul")
    assert first.end < table.steps - 1
    assert why_kept(first, table).startswith("on no tape: let go at step")
    assert table.backward is None


def test_a_graph_with_symbolic_sizes_has_the_buffers_of_the_call() -> None:
    views = views_of("square_sum", "x=[1,2]", "x=[1,2,3]", grad=("none",))
    made = picture(views, "capture", 1)
    assert made.sizes == {"s0": 3}
    table = buffer_table(made)
    assert table is not None
    assert {row.name: row.nbytes for row in table.rows}["x"] == 24  # three float64
    assert why(table.graph, 0) == "the caller holds it"  # type: ignore[arg-type]


# ---- guards, call by call ---------------------------------------------------------------


def test_guards_have_hits_and_misses_for_every_call() -> None:
    views = views_of("rnn_loop", "seq=[1,2]", "seq=[1,2]", "seq=[1,2,3]", "seq=[1,2]")
    rows = capture_rows(views, 3)
    guard = next(row for row in rows if row.text == "seq: shape[0] == 2")
    assert guard.cells == ((0, 0), (1, 0), (0, 1), (1, 0))
    assert guard.numbers == (2, 1)


def test_a_call_says_which_graph_served_it() -> None:
    views = views_of("rnn_loop", "seq=[1,2]", "seq=[1,2]", "seq=[1,2,3]", "seq=[1,2]")
    rows = capture_rows(views, 3)
    assert [row.ran for row in rows if row.kind == "call"] == [(0,), (0,), (1,), (0,)]
    graphs = [row.cells for row in rows if row.kind == "graph"]  # (compiled, run again) a call
    assert graphs == [
        ((1, 0), (0, 1), (0, 0), (0, 1)),
        ((0, 0), (0, 0), (1, 0), (0, 0)),
    ]


def test_a_recompile_names_the_guard_that_failed_in_every_graph_there_was() -> None:
    views = views_of("rnn_loop", "seq=[1,2]", "seq=[1,2,3]", "seq=[1]")
    row = [row for row in capture_rows(views, 2) if row.kind == "recompile"][-1]
    assert row.numbers == (0, 2, 2)  # segment 0, graph 2, two did not fit
    assert row.more == "0: seq: shape[0] == 2, was 1; 1: seq: shape[0] == 3, was 1"


# ---- another call -----------------------------------------------------------------------


@pytest.mark.parametrize("program", NAMES)
def test_the_suggested_call_runs_wherever_the_first_one_did(program: str) -> None:
    first = views_of(program).run.calls[0]
    other = typed(suggested(first.inputs))
    assert other != first.inputs_text
    second = views_of(program, "", other).run.calls[1]
    for mode, log in second.logs.items():
        assert (log.refusal is None) == (first.logs[mode].refusal is None)


def test_the_suggestion_grows_arrays_of_one_shape_together() -> None:
    made = suggested({"x": np.array([1.0, 2.0]), "m": np.array([1, 0]), "w": np.eye(1), "k": 3})
    assert typed(made) == "x=[1.0, 2.0, 2.0]; m=int64([1, 0, 0]); w=[[1.0]]; k=int(3)"
    assert typed(suggested({"a": np.array(2.0), "b": np.array(3.0)})) == "a=2.0; b=4.0"
    assert typed(suggested({"k": 3, "on": True})) == "k=int(4); on=True"


def test_a_second_size_compiles_for_any_size_and_says_so() -> None:
    views = views_of("square_sum", "x=[1,2]", "x=[1,2,3]")
    compile_ = [e for e in views.calls[1].tracks["capture"].entries if e.kind == "compile"]
    assert [entry.args for entry in compile_] == [("x: f64[s0]",)]
    first = [e for e in views.calls[0].tracks["capture"].entries if e.kind == "compile"]
    assert [entry.args for entry in first] == [()]


# ---- measured time ----------------------------------------------------------------------


def ticking(step: int) -> object:
    return itertools.count(0, step).__next__


def made(program: str, *calls: str) -> GraphRun:
    return run(Asked(GraphOptions(program=program, calls=calls)))


def test_a_call_is_measured_once_and_then_the_shortest_of_some_more() -> None:
    (times,) = measure(made("affine"), clock=ticking(1000))  # type: ignore[arg-type]
    assert times == {mode: Measured(1000, 1000, REPEATS) for mode in ("eager", "static", "capture")}


def test_measuring_stops_when_its_time_is_up() -> None:
    (times,) = measure(made("affine"), clock=ticking(10**9))  # type: ignore[arg-type]
    assert times["capture"] == Measured(10**9, None, 0)


def test_a_mode_that_refuses_has_no_time() -> None:
    (times,) = measure(made("dynamic_block"))
    assert set(times) == {"eager", "capture"}


def test_measuring_can_be_cancelled() -> None:
    with pytest.raises(Cancelled):
        measure(made("rnn_loop"), cancelled=lambda: True)
