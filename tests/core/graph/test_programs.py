"""The bundled programs: short, documented, and with the numbers that the lessons quote."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dgplay.core.graph.bundled import NAMES, bundled, find, source, summary
from dgplay.core.graph.events import EventLog, NodeCreated, OpEnd
from dgplay.core.graph.feeds import bind, read_feeds
from dgplay.core.graph.lang_refusal import Refusal
from dgplay.core.graph.modes import MODES, ModeCall, ModeRun, Options, run_mode


def run(name: str, mode: str, feed: str = "", *grads: str, **options: Any) -> ModeRun:
    program = bundled(name)
    inputs = bind(program.parameters, program.inputs, read_feeds([feed]) if feed else {})
    return run_mode(program, mode, [inputs], Options(grads=grads, **options))


def call(name: str, mode: str, feed: str = "", *grads: str) -> ModeCall:
    return run(name, mode, feed, *grads).calls[0]


@pytest.mark.parametrize("name", NAMES)
def test_programs_are_short_and_say_what_they_show(name: str) -> None:
    assert len(source(name).splitlines()) < 25
    assert summary(name).endswith(".")
    program = bundled(name)
    assert program.main.name == name
    assert set(program.inputs) == set(program.parameters)


@pytest.mark.parametrize("name", [n for n in NAMES if n != "dynamic_block"])
def test_every_mode_gives_the_same_bits(name: str) -> None:
    floats = [k for k, v in bundled(name).inputs.items() if isinstance(v, np.ndarray)]
    first = call(name, "eager", "", *floats)
    for mode in MODES[1:]:
        other = call(name, mode, "", *floats)
        assert [o.tobytes() for o in other.outputs] == [o.tobytes() for o in first.outputs]
        for key in floats:
            assert other.gradients[key].tobytes() == first.gradients[key].tobytes()


@pytest.mark.parametrize("mode", MODES)
def test_the_numbers_of_the_articles(mode: str) -> None:
    z = call("x2_plus_xy", mode, "", "x", "y")
    assert (z.outputs, z.gradients) == ([10.0], {"x": 7.0, "y": 2.0})
    square = call("square_sum", mode, "", "x")
    assert square.outputs == [5.0]
    assert square.gradients["x"].tolist() == [2.0, 4.0]
    affine = call("affine", mode, "", "a", "b", "c")
    assert affine.outputs == [20.0]
    assert affine.gradients == {"a": 4.0, "b": 4.0, "c": 5.0}
    assert call("fold", mode).outputs == [5.0]
    half = call("relu_half", mode, "", "x")
    assert half.outputs == [3.0]
    assert half.gradients["x"].tolist() == [0.0, 0.0, 0.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("name", "mode"),
    [("dynamic_block", "eager"), ("dynamic_block", "capture")]
    + [("static_block", mode) for mode in MODES],
)
def test_dynamic_block_and_its_twin(name: str, mode: str) -> None:
    found = call(name, mode, "x=[1, 2]", "x")
    assert np.allclose(found.outputs[0], [0.531441, 1.062882], rtol=1e-12)
    assert np.allclose(found.gradients["x"], 0.531441, rtol=1e-12)
    found = call(name, mode, "x=[-2.5, 0.2]", "x")
    assert np.allclose(found.outputs[0], [-0.32805, 1.44342], rtol=1e-12)
    assert np.allclose(found.gradients["x"], 0.6561, rtol=1e-12)


def test_dynamic_block_is_refused_by_static_at_its_if() -> None:
    with pytest.raises(Refusal) as caught:
        run("dynamic_block", "static")
    refusal = caught.value
    written = source("dynamic_block").splitlines()[refusal.place.line - 1]
    assert written[refusal.place.column - 1 :].startswith("if x.sum() > 0:")
    assert "cond" in refusal.hint


def test_affine_shows_s_and_needs_one_launch_once_fused() -> None:
    log = EventLog()
    eager = run("affine", "eager", observer=log)
    assert eager.order == ["s = add a b  # 5.0", "y = mul s c  # 20.0"]
    assert [e.value.text for e in log if isinstance(e, OpEnd)] == ["5.0", "20.0"]
    assert eager.stats.launches == 2
    static = run("affine", "static")
    assert (static.stats.launches, static.stats.dispatches) == (1, 1)
    assert run("affine", "static", passes=()).stats.launches == 2
    assert run("affine", "capture").stats.launches == 1


def test_fold_computes_its_constant_before_it_runs() -> None:
    order = "\n".join(run("fold", "static").order)
    assert "const(value=5.0)" in order
    assert "add" not in order
    assert "add" in "\n".join(run("fold", "static", passes=()).order)


def test_every_other_is_decided_while_drawing() -> None:
    found = run("every_other", "capture")
    assert found.capture is not None
    assert not found.capture.breaks
    assert [line for line in run("every_other", "eager").order if "tanh" in line].__len__() == 2


@pytest.mark.parametrize("steps", [2, 4, 8])
def test_the_unrolled_rnn_grows_with_its_steps_and_the_while_loop_does_not(steps: int) -> None:
    feed = f"seq={[0.5] * steps}"
    log = EventLog()
    run("rnn_loop", "static", feed, observer=log, passes=())
    ops = [e.op for e in log if isinstance(e, NodeCreated)]
    counted = [op for op in ops if op not in ("placeholder", "const", "getitem")]
    assert len(counted) == 3 * steps + 1
    log = EventLog()
    run("rnn_while", "static", feed, observer=log, passes=())
    assert [e.op for e in log if isinstance(e, NodeCreated)].count("while_loop") == 1
    assert call("rnn_while", "eager", feed).outputs == call("rnn_loop", "eager", feed).outputs


def test_the_mask_holds_the_state_bit_for_bit() -> None:
    masked = call("rnn_masked", "eager", "seq=[1, -0.5, 0.25, 9, 9]; mask=[1, 1, 1, 0, 0]")
    plain = call("rnn_loop", "eager", "seq=[1, -0.5, 0.25]")
    assert masked.outputs[0].tobytes() == plain.outputs[0].tobytes()


def test_tree_recurses_over_any_length() -> None:
    def tree(x: list[float]) -> float:
        if len(x) == 1:
            return x[0]
        half = len(x) // 2
        return float(np.tanh(tree(x[:half]) + 0.5 * tree(x[half:])))

    for mode in MODES:
        for size in (1, 2, 5, 8):
            x = [0.1 * i - 0.2 for i in range(size)]
            assert np.isclose(call("tree", mode, f"x={x}").outputs[0], tree(x), rtol=1e-14)


def test_clip_is_never_nan_and_the_norm_clip_is_at_zero() -> None:
    for mode in MODES:
        by_value, by_norm = call("clip_at_zero", mode).outputs
        assert by_value.tolist() == [0.0, 0.0]
        assert np.isnan(by_norm).all()
        assert np.isnan(call("clip_at_zero", mode, "", "g").gradients["g"]).all()


@pytest.mark.parametrize("mode", MODES)
def test_a_chain_of_ten_thousand_ops_works(mode: str) -> None:
    x, slope = 0.5, 1.0
    for _ in range(10000):
        x, slope = float(np.sin(x)), slope * float(np.cos(x))
    assert call("deep_chain", mode, "depth=int(10000)").outputs == [x]
    found = call("deep_chain", mode, "depth=int(3000)", "x")
    assert slope < found.gradients["x"] < 1e-3


def test_a_misspelt_name_lists_the_programs() -> None:
    with pytest.raises(Refusal, match="did you mean affine"):
        find("afine")


def test_a_file_wins_over_a_bundled_name(tmp_path: Any, monkeypatch: Any) -> None:
    (tmp_path / "affine").write_text("def mine(x=1):\n    return x\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert find("affine").main.name == "mine"
    assert find("fold").main.name == "fold"
