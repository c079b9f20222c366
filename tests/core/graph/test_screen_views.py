"""The views beside the lockstep: nodes with lanes, passes, backward, memory, capture, questions."""

from __future__ import annotations

import numpy as np
import pytest

from dgplay.core.graph.bundled import NAMES
from dgplay.core.graph_view.backward import check, gradient_nodes, walk
from dgplay.core.graph_view.buffers import buffer_table, spans, why
from dgplay.core.graph_view.captured import capture_rows
from dgplay.core.graph_view.lockstep import Views
from dgplay.core.graph_view.nodes import formula, found, node_detail, node_table
from dgplay.core.graph_view.options import KEEPING, GraphOptions
from dgplay.core.graph_view.pictures import Picture, pictures, stop_of
from dgplay.core.graph_view.predicting import next_question, recompile_question
from dgplay.core.graph_view.rewrites import counter_examples, pass_detail, pass_table
from dgplay.core.graph_view.running import Asked, run


def views_of(program: str, *calls: str, text: str | None = None, **options: object) -> Views:
    asked = GraphOptions(program=program, calls=calls, **options)  # type: ignore[arg-type]
    return Views(run(Asked(asked, text)))


def picture(views: Views, kind: str, call: int = 0) -> Picture:
    return next(p for p in pictures(views, call) if p.kind == kind)


@pytest.mark.parametrize("program", NAMES)
def test_every_view_of_every_program_can_be_made(program: str) -> None:
    views = views_of(program, grad=("all",))
    for made in pictures(views, 0):
        for folded in (True, False):
            table = node_table(made, folded=folded)
            shown = [row.node.id for row in table.rows if row.node is not None]
            assert folded or shown == list(range(len(made.nodes)))
            for row in table.rows:
                if row.node is not None:
                    assert node_detail(made, row.node, views.run.lines).node is row.node
        if made.graph is None:
            continue
        passes = pass_table(made, KEEPING)
        assert passes is not None
        assert passes.nodes[1] <= passes.nodes[0]
        for row in passes.rows:
            assert pass_detail(made, row.name, row.on) is not None
        buffers = buffer_table(made)
        assert buffers is not None
        for item in buffers.rows:
            first, used, last = spans(item, buffers.steps, 20)
            assert 0 <= first <= used <= last < max(20, buffers.steps)
            assert why(made.graph, item.node)
    assert walk(views.calls[0]).sweeps
    assert capture_rows(views, 0)


def test_lanes_of_affine() -> None:
    table = node_table(picture(views_of("affine", grad=("none",)), "eager"), folded=True)
    assert [formula(row.node) for row in table.rows if row.node] == [
        "a = placeholder", "b = placeholder", "c = placeholder", "s = add a b", "y = mul s c",
    ]  # fmt: skip
    assert [row.lanes for row in table.rows] == ["o", "|o", "||o", "^^|o", "  ^^"]


def test_twenty_steps_fold_to_one_block() -> None:
    steps = ",".join(["1"] * 20)
    made = picture(views_of("rnn_loop", f"seq=[{steps}]", grad=("none",)), "drawn")
    folded, flat = node_table(made, folded=True), node_table(made, folded=False)
    counts = [(row.count, row.period) for row in folded.rows if row.count]
    assert counts[0][0] in (19, 20)
    assert len(folded.rows) < 16
    assert len(flat.rows) == len(made.nodes)
    row = found(flat, "TANH", 0)
    assert row is not None
    assert flat.rows[row].node is not None
    assert found(flat, "nosuch", 0) is None


def test_a_node_in_full() -> None:
    views = views_of("affine")
    made = picture(views, "eager")
    node = next(n for n in made.nodes if n.name == "s")
    detail = node_detail(made, node, views.run.lines)
    assert (node.value, node.gradient, node.launches, node.nbytes) == ("5.0", "4.0", 1, 8)
    assert detail.operands == (("a", "2.0"), ("b", "3.0"))
    assert detail.users[0] == "y"
    assert detail.source == "s = a + b"
    assert "sum" in detail.doc
    assert views.calls[0].stops[stop_of(views.calls[0], "eager", node.known or 0)].line == 5


def test_passes_say_what_fired_and_what_they_would_do() -> None:
    views = views_of("affine")
    table = pass_table(picture(views, "static"), KEEPING)
    assert table is not None
    by_name = {row.name: row for row in table.rows}
    assert by_name["fuse"].launches == (3, 2)
    assert by_name["fuse"].keeps_bits
    assert not by_name["fast-math"].keeps_bits
    off = views_of("affine", passes=())
    made = picture(off, "static")
    row = {row.name: row for row in pass_table(made, ()).rows}["fuse"]  # type: ignore[union-attr]
    assert (row.on, row.fired) == (False, 1)
    detail = pass_detail(made, "fuse", on=False)
    assert detail is not None
    assert [sign for sign, _ in detail.before if sign == "-"]
    assert pass_table(picture(views, "eager"), KEEPING) is None


def test_every_value_changing_rule_shows_an_input_that_it_changes() -> None:
    examples = counter_examples()
    assert len(examples) == 6
    for example in examples:
        assert example.without != example.with_rule, example.rule


def test_the_walk_adds_up_at_fan_out() -> None:
    made = walk(views_of("x2_plus_xy").calls[0])
    last = made.sweeps[-1]
    assert (last.name, last.gradient) == ("x", "7.0")
    assert [value for _, value in last.parts] == ["3.0", "4.0"]
    views = views_of("clip_at_zero")
    assert walk(views.calls[0]).nonfinite is not None
    assert gradient_nodes(picture(views, "drawn"))


def test_finite_differences_agree_and_kinks_are_found() -> None:
    views = views_of("relu_half")
    call = views.calls[0].call
    gave = call.logs["eager"].gave
    assert gave is not None
    assert views.run.program is not None
    checked = check(views.run.program, call.inputs, gave.gradients)
    assert [item.kink for item in checked] == [False, False, True, False, False]
    assert all(item.agrees for item in checked if not item.kink)
    wrong = {name: value + 0.5 for name, value in gave.gradients.items()}
    assert not any(i.agrees for i in check(views.run.program, call.inputs, wrong) if not i.kink)
    large = views_of("square_sum", f"x={[1.0] * 100}")
    inputs = large.calls[0].call.inputs
    assert large.run.program is not None
    assert len(check(large.run.program, inputs, {"x": np.full(100, 2.0)})) == 64


def test_capture_rows_tell_the_guard_that_failed() -> None:
    views = views_of("rnn_loop", "seq=[1,2,3,4]", "seq=[1,2,3,4]", "seq=[1,2]")
    rows = capture_rows(views, 2)
    calls = [row.numbers for row in rows if row.kind == "call"]
    assert calls == [(1, 1, 1, 0), (2, 0, 1, 0), (3, 1, 2, 0)]
    assert [row.text for row in rows if row.kind == "recompile"] == ["seq: shape[0] == 4, was 2"]
    guards = {row.text: row.numbers for row in rows if row.kind == "guard"}
    assert guards["seq: shape[0] == 4"] == (1, 1)
    assert [row.kind for row in capture_rows(views, 0)].count("graph") == 1
    broken = capture_rows(views_of("dynamic_block"), 0)
    row = next(row for row in broken if row.kind == "break")
    assert row.numbers == (6, 9, 6)
    assert "use cond(" in row.hint
    assert row.more.startswith("Python needs")


def test_questions_on_what_comes_next() -> None:
    views = views_of("affine", "", "x")
    assert views.total == 0
    views = views_of("affine", "", "c=5")
    first = next_question(views, 0)
    assert first is not None
    assert (first.card, first.name, first.truth, first.to) == ("graph-value", "s", 5.0, 1)
    assert [first.grade(text) for text in ("5", "5.1", "9", "?")] == [
        "exact", "close", "off", "unreadable",
    ]  # fmt: skip
    cards = []
    cursor = 0
    while True:
        question = next_question(views, cursor)
        if question is None or question.to <= cursor:
            break
        cards.append(question.card)
        cursor = question.to
    assert cards[:3] == ["graph-value", "graph-value", "graph-launches"]
    assert "graph-gradient" in cards
    assert "graph-recompile" in cards
    again = recompile_question(views, 1)
    assert again.truth is False
    other = recompile_question(views_of("dynamic_block", "", "x=[1,2,3]"), 1)
    assert (other.truth, other.grade("y")) == (True, "exact")
    assert next_question(views_of("square_sum", "x=[1,2]"), 0) is not None


def test_a_break_counts_its_graphs_and_how_often_it_was_reached() -> None:
    rows = capture_rows(views_of("dynamic_block", "x=[1,2]", "x=[1,2]"), 1)
    (found,) = (row for row in rows if row.kind == "break")
    # Six trips of the loop, in two calls; the second runs the graphs of the first.
    assert (found.numbers, len(found.ran)) == ((6, 9, 12), 6)
    assert str(found.text).endswith("(sum→gt)")  # the first way there, as the JSON has it


def test_the_listings_of_a_pass_define_every_name_and_mark_what_reads_otherwise() -> None:
    detail = pass_detail(picture(views_of("fold"), "static"), "fold", on=True)
    assert detail is not None
    assert detail.before[:5] == (
        (" ", "%0 x = placeholder"), (" ", "%1 a = const 2.0"), (" ", "%2 const 3.0"),
        ("-", "%3 b = add a %2"), (" ", "%4 mul x b"),
    )  # fmt: skip
    assert detail.after[3:5] == (("+", "%3 b = const 5.0"), (" ", "%4 mul x b"))
    assert detail.fired[0].before == ("%3 b = add a %2",)
    assert detail.fired[0].after == "%3 b = const 5.0"


def test_a_pass_marks_both_sides_of_what_it_changed_and_nothing_that_reads_the_same() -> None:
    detail = pass_detail(picture(views_of("x2_plus_xy"), "static"), "fold", on=True)
    assert detail is not None
    pairs = list(zip(detail.before, detail.after, strict=True))
    changed = [old[1] for old, new in pairs if (old[0], new[0]) == ("-", "+")]
    assert changed == ["%6 fill value=1.0", "%9 sub %2 %8", "%13 equal %2 %12"]
    assert all(old == new for old, new in pairs if old[1] not in changed)


def test_questions_fit_the_next_event_and_gradients_are_small_scalars() -> None:
    views = views_of("dynamic_block", "x=[1,2]")
    cards, cursor = [], 0
    while (question := next_question(views, cursor)) is not None and question.to > cursor:
        cards.append((question.card, question.line, question.truth))
        cursor = question.to
    # Line 6 decides six times: first whether capture breaks there, then which way it goes.
    assert [card for card in cards if card[1] == 6] == [
        ("graph-break", 6, True), *[("graph-branch", 6, True)] * 5
    ]  # fmt: skip
    assert not [card for card in cards if card[0] == "graph-gradient"]


def test_no_question_asks_for_what_nobody_finds_in_their_head() -> None:
    question = next_question(views_of("affine", "a=0.1234567; b=1; c=2"), 0)
    assert question is not None
    assert question.card == "graph-launches"


def test_a_decision_on_a_python_number_is_not_asked_about() -> None:
    text = "def f(x=1, k=int(3)):\n    if k > 2:\n        x = x + 1\n    return x\n"
    question = next_question(views_of("p.py", text=text), 0)
    assert question is not None
    assert (question.card, question.line) == ("graph-value", 3)
