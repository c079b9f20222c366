"""What is taken away: scripts that give the same bits on their own; text, DOT, JSON."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from dgplay.core.graph.bundled import NAMES
from dgplay.core.graph_view.exporting import dot_text, json_text, order_text, script_text
from dgplay.core.graph_view.lockstep import Views
from dgplay.core.graph_view.next_call import suggested
from dgplay.core.graph_view.options import GraphOptions
from dgplay.core.graph_view.pictures import pictures
from dgplay.core.graph_view.running import Asked, run, typed

#: Ops that no bundled program has.
MORE = """
def more(x=[[1.5, -2], [0.5, 3]], v=[1, 2], k=int64([1, 0])):
    y = concat([x, transpose(x)]).reshape(2, 4)
    z = softmax(stack([v, v * 2])) + mean(x, axis=0) + max(x, axis=1, keepdims=True)
    w = x[k].sum() + sigmoid(v).sum() + minimum(v, 1.5).sum() + (v ** 2).sum() % 3
    t = where(x > 0, x, abs(x)) @ v + clip(v, 0, 1.2) + x[0, 1] + v[:, None].sum()
    return y.sum() * w, z, t, x > 1, log(v) / sqrt(v) - exp(-v) + cos(v)
"""


def views_of(program: str, text: str | None = None, *calls: str) -> Views:
    asked = GraphOptions(program=program, grad=("all",), calls=calls)
    return Views(run(Asked(asked, text)))


def test_the_scripts_reproduce_every_program_bit_for_bit(tmp_path: Path) -> None:
    made = {name: views_of(name) for name in NAMES}
    for name, views in tuple(made.items()):
        other = typed(suggested(views.run.calls[0].inputs))
        made[f"{name}_again"] = views_of(name, None, "", other, "")
    made["more"] = views_of("more", MORE)
    assert made["more"].run.problem is None
    made["dynamic_block_2"] = views_of("dynamic_block", None, "x=[-2.5, 0.2]")
    for name, views in made.items():
        assert views.run.calls[0].logs["eager"].refusal is None, name
        for call in range(len(views.calls)):
            script = script_text(views, call)
            assert script is not None
            assert "dgplay" not in script
            (tmp_path / f"{name}_{call}.py").write_text(script, encoding="utf-8")
    runner = (
        "import pathlib, runpy, sys\n"
        "for path in sorted(pathlib.Path(sys.argv[1]).glob('*.py')):\n"
        "    print('##', path.stem); runpy.run_path(str(path))\n"
        "assert not [name for name in sys.modules if name.startswith('dgplay')]\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", runner, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.count("##") == sum(len(views.calls) for views in made.values())
    assert "output 0 [0.5314410000000002, 1.0628820000000003]" in done.stdout


def test_a_script_that_would_be_too_large_is_not_written() -> None:
    assert script_text(views_of("square_sum", None, "x=zeros(400,400)"), 0) is None


def test_order_dot_and_json() -> None:
    views = views_of("affine")
    for picture in pictures(views, 0):
        order = order_text(picture)
        assert "add" in order
        dot = dot_text(picture)
        assert dot.startswith("digraph g {")
        assert dot.endswith("}")
    eager = order_text(pictures(views, 0)[0]).splitlines()
    assert eager[3] == "%3: f64[] = add a b  # s  # 5.0"
    report = json.loads(json_text(views))
    assert report["modes"]["eager"]["calls"][0]["outputs"] == [20.0]
    assert report["agree"] is True
