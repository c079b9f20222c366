"""The Plan screen: the frontier by keys, methods, batches, exports, at every size."""

from __future__ import annotations

import ast
import random
import threading
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lab_driver import Clock, Lab, make_app
from textual.command import CommandPalette
from textual.pilot import Pilot
from textual.widgets import Input, OptionList, Static

from dgplay.core.plan_view import Point, plan_for
from dgplay.core.planning import Planning
from dgplay.core.session import Session
from dgplay.tui.palette import CommandProvider
from dgplay.tui.plan_commands import PLAN_COMMANDS, SHARED_COMMANDS
from dgplay.tui.screens.choice import ChoiceScreen
from dgplay.tui.screens.export import PreviewScreen
from dgplay.tui.screens.lab import LabScreen
from dgplay.tui.screens.plan import PlanScreen
from dgplay.tui.widgets.frontier_plot import FrontierModel, lay_out, scale_of
from dgplay.tui.widgets.line import Line
from dgplay.tui.widgets.line_table import LineTable
from dgplay.tui.widgets.plan_panes import BATCHES, METHODS, PLAN_PANES, MethodPane
from dgplay.tui.widgets.prompt import Prompt

SIZES = ((120, 40), (80, 24), (60, 20), (40, 12), (30, 8))
PLAN = "--screen plan"


def plan_of(lab: Lab) -> PlanScreen:
    found = [screen for screen in lab.app.screen_stack if isinstance(screen, PlanScreen)]
    return found[0]


def line(lab: Lab, id: str) -> str:
    return plan_of(lab).query_one(f"#{id}", Line).text.strip()


async def drawn_anew(lab: Lab) -> None:
    """Wait until a screen that was just opened is drawn."""
    await lab.settled()
    await lab.pilot.pause()


async def enter(lab: Lab, text: str) -> None:
    """Replace what stands in the line to type into, and press Enter."""
    plan_of(lab).query_one(Prompt).query_one(Input).value = text
    await lab.press("enter")
    await lab.settled()


# What it looks like.

SITUATIONS: dict[str, tuple[str, tuple[str, ...]]] = {
    "article": (PLAN, ()),
    "data": (f"gsm8k_train_qa {PLAN} --budget 4000 --compile-cost 3000", ("right",)),
    "methods": (f"gsm8k_train_qa {PLAN}", ("tab", "down", "down", "down")),
    "batches": (f"{PLAN} --budget 80 --ascii", ("shift+tab", "down")),
    "frames": (f"voxconverse_segments_10ms {PLAN} -k 12 --cost quadratic", ()),
    "refused": (f"{PLAN} --min-count 101", ()),
    "typing": (PLAN, ("=",)),
}


@pytest.mark.parametrize("name", SITUATIONS)
async def test_plan_frames(
    open_app: Any, frame_golden: Callable[[str, str], None], name: str
) -> None:
    start, keys = SITUATIONS[name]
    async with open_app(start, SIZES[0]) as lab:
        await lab.press(*keys)
        await lab.settled()
        for width, height in SIZES:
            await lab.resize(width, height)
            frame = lab.frame()
            assert len(frame) == height
            frame_golden(f"plan-{name}-{width}x{height}", lab.text)
            if "--ascii" in start:
                wide = {one for one in lab.text if unicodedata.east_asian_width(one) in "AWF"}
                assert not wide


@pytest.mark.parametrize("size", [(120, 40), (80, 24)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_plan_picture(snap_compare: Any, tmp_path: Path, size: tuple[int, int]) -> None:
    clock = Clock()
    app = make_app(f"gsm8k_train_qa {PLAN} --budget 4000", tmp_path, clock=clock)

    async def at_rest(pilot: Pilot[None]) -> None:
        lab = Lab(app, pilot, clock)
        await lab.settled()
        await lab.press("right")
        await lab.settled()

    assert snap_compare(app, terminal_size=size, run_before=at_rest)


def drawn(model: FrontierModel, width: int, height: int) -> list[str]:
    return ["".join(text for text, _ in pieces) for pieces in lay_out(model, width, height)]


def test_bars_are_the_optimum_and_methods_lie_above_them() -> None:
    points = (Point("u", "uniform", 4, 0.3), Point("q", "quantile", 3, 0.9))
    model = FrontierModel((0.8, 0.6, 0.4, 0.2), 3, points)
    assert drawn(model, 30, 6) == [
        "  40% ↑↑↑↑↑↑↑↑↑↑↑↑██q███      ",
        "  30% ██████████████████  u   ",
        "      ████████████████████████",
        "  10% ████████████████████████",
        "        1     2           4   ",
        "                    ^ 3       ",
    ]


def test_names_stand_behind_letters_where_there_is_room() -> None:
    points = (
        Point("u", "uniform", 2, 0.5),
        Point("o", "now", 2, 0.5),
        Point("x", "exponential", 2, 0.3),
    )
    wastes = (0.5, 0.25, *[0.0] * 38)
    assert drawn(FrontierModel(wastes, 1, points, 9, "9 best"), 46, 6) == [
        f"{'  50% █o o now, uniform':46}",
        f"{'  38% █x x exponential':46}",
        f"{'      ██':46}",
        f"{'  12% ██':46}",
        f"{'      1  4   8       16      24      32':46}",
        f"{'      ^ 1     ^ 9 best':46}",
    ]


def test_one_and_two_graphs_are_cut_off_at_the_top() -> None:
    model = FrontierModel((0.9, 0.6, 0.3, 0.15), 3, ascii=True)
    assert drawn(model, 12, 5) == [
        "  30% ^^#   ",
        "  20% ###-  ",
        "  10% ####  ",
        "      1  4  ",
        "        ^ 3 ",
    ]
    assert scale_of(FrontierModel((0.9, 0.6, 0.3), 1), 50, 10).top == 0.9


@pytest.mark.parametrize("width", range(0, 130, 7))
@pytest.mark.parametrize("height", [0, 1, 2, 3, 5, 12])
def test_the_curve_fits_any_size(width: int, height: int) -> None:
    points = (
        Point("u", "uniform", 5, 0.9),
        Point("o", "now", 64, 0.0),
        Point("*", "optimal", 1, 1),
    )
    wastes = tuple(1 / k for k in range(1, 65))
    for k in (1, 7, 64, 90):
        lines = drawn(FrontierModel(wastes, k, points, 9, "9 best"), width, height)
        assert len(lines) <= height
        assert all(len(text) == width for text in lines)


def test_where_a_column_is_clicked_is_the_number_of_graphs() -> None:
    for most in (1, 3, 20, 64):
        model = FrontierModel(tuple(1 / k for k in range(1, most + 1)), 1)
        for width in (30, 64, 80, 200):
            scale = scale_of(model, width, 10)
            for k in range(1, most + 1):
                found = scale.k_at(scale.column(k))
                assert found is not None
                assert scale.column(found) == scale.column(k)


# The frontier and the Lab.


async def test_the_digit_goes_there_and_back(open_app: Any) -> None:
    async with open_app() as lab:
        await lab.press("2")
        await lab.settled()
        assert isinstance(lab.app.screen, PlanScreen)
        assert lab.app.line == "dgplay --boundaries 5,10,15,20 --screen plan"
        await lab.press("1")
        assert isinstance(lab.app.screen, LabScreen)


async def test_moving_along_the_frontier_moves_the_lab_and_can_be_undone(open_app: Any) -> None:
    async with open_app(PLAN) as lab:
        await lab.press("o")
        assert lab.boundaries == (4, 11, 17, 20)
        await lab.press("right")
        assert (len(lab.boundaries), lab.steps) == (5, 1207)
        await lab.press("left", "h", "h")
        assert (len(lab.boundaries), lab.steps) == (2, 1496)
        await lab.press("1")
        assert "K=2" in lab.text
        await lab.press("2", *["u"] * 5)
        assert lab.boundaries == (5, 10, 15, 20)
        await lab.press("U")
        assert lab.boundaries == (4, 11, 17, 20)


async def test_a_held_key_is_one_undo(open_app: Any) -> None:
    async with open_app(PLAN) as lab:
        lab.clock.step = 0.01
        await lab.press(*["right"] * 6)
        assert len(lab.boundaries) == 10
        await lab.press("u")
        assert lab.boundaries == (5, 10, 15, 20)


async def test_the_ends_of_the_frontier_hold(open_app: Any) -> None:
    async with open_app(PLAN) as lab:
        await lab.press("H", "H", "left")
        assert lab.boundaries == (20,)
        await lab.press("L", "shift+right", "L", "L")
        assert len(lab.boundaries) == lab.app.session.analysis.histogram.distinct
        assert "no further graph saves a step" in lab.text


async def test_what_the_next_graph_is_worth(open_app: Any) -> None:
    async with open_app(PLAN, (120, 40)) as lab:
        assert "graph 5 saves 49" in line(lab, "plan-next")
        await lab.press("T")
        await enter(lab, "7, 2")
        assert line(lab, "plan-next").endswith("= 14 s")
        await lab.press("T")
        await enter(lab, "quickly")
        assert "is not steps per second and epochs" in line(lab, "status")
        await lab.press("escape")


async def test_a_compile_cost_has_a_best_number_of_graphs(open_app: Any) -> None:
    async with open_app(PLAN) as lab:
        await lab.press("b")
        assert "no compile cost is given" in line(lab, "status")
        await lab.press("e")
        await enter(lab, "compile=45")
        assert "5 best at this compile cost" in lab.text
        await lab.press("b")
        assert len(lab.boundaries) == 5
        assert "--compile-cost 45" in lab.app.line


async def test_a_number_or_boundaries_are_typed(open_app: Any) -> None:
    async with open_app(PLAN) as lab:
        await lab.press("=")
        await enter(lab, "6")
        assert len(lab.boundaries) == 6
        await lab.press("=")
        await enter(lab, "7，20")
        assert lab.boundaries == (7, 20)
        await lab.press("=")
        await enter(lab, "7,19")
        assert "below the longest length 20" in line(lab, "status")
        await lab.press("escape")
        assert lab.boundaries == (7, 20)


async def test_a_click_on_the_curve_takes_that_number(open_app: Any) -> None:
    async with open_app(PLAN) as lab:
        plot = plan_of(lab).query_one("FrontierPlot")
        model = FrontierModel((0.0,) * 20, 1)
        column = scale_of(model, plot.size.width, plot.size.height).column(7)
        await lab.pilot.click("FrontierPlot", offset=(6 + column, 1))
        await lab.calm()
        assert len(lab.boundaries) == 7


# Methods.


async def test_a_method_is_taken(open_app: Any) -> None:
    async with open_app(f"gsm8k_train_qa {PLAN}") as lab:
        await lab.press("tab", *["up"] * 12)
        pane = plan_of(lab).query_one(MethodPane)
        assert pane.chosen == "optimal"
        await lab.press("down", "enter")
        assert pane.chosen == "lognormal"
        assert lab.boundaries == lab.app.session.analysis.plan(8, "lognormal")
        await lab.press(*["down"] * 12, "enter")
        assert pane.chosen == "equal-total-10k"
        assert "looks at the first 10,000 rows" in line(lab, "status")


async def test_the_mouse_chooses_a_method(open_app: Any) -> None:
    async with open_app(PLAN, (120, 40)) as lab:
        screen = plan_of(lab)
        await lab.pilot.click(screen.query_one(MethodPane).table, offset=(4, 3))
        await lab.calm()
        assert (screen.showing, screen.query_one(MethodPane).chosen) == (METHODS, "uniform")


async def test_more_graphs_than_the_frontier_knows_are_scored_by_a_worker(open_app: Any) -> None:
    many = ",".join(map(str, range(3, 400, 3)))
    async with open_app(f"gsm8k_train_qa {PLAN} --boundaries {many}") as lab:
        assert f"K={len(lab.boundaries)}" in line(lab, "plan-now")
        assert "over the optimum" in line(lab, "plan-now")


# Batches.


async def test_a_budget_makes_batches(open_app: Any) -> None:
    async with open_app(PLAN, (120, 40)) as lab:
        assert "B gives a budget" in lab.text
        await lab.press("B")
        await enter(lab, "80")
        assert lab.state.planning == Planning(budget=80)
        for word in ("bucketed", "random", "grouped", "rank wait for 8 ranks", "in batches"):
            assert word in lab.text
        assert "1–5     23   5    16" in lab.text
        await lab.press("B")
        await enter(lab, "batch=4")
        assert lab.state.planning == Planning(batch_size=4)
        assert "4 sequences each" in lab.text
        await lab.press("B")
        await enter(lab, "-")
        assert lab.state.planning == Planning()
        await lab.press("u", "u")
        assert lab.state.planning == Planning(budget=80)


async def test_a_budget_that_holds_no_sequence_says_so(open_app: Any) -> None:
    async with open_app(f"{PLAN} --budget 19") as lab:
        await lab.press("shift+tab")
        assert "exceeds the budget of 19" in lab.text


async def test_the_buckets_of_the_batches_have_a_cursor(open_app: Any) -> None:
    async with open_app(f"{PLAN} --budget 80") as lab:
        await lab.press("shift+tab", "down", "j", "k")
        assert lab.state.bucket == 2
        await lab.press("y")
        copied = lab.app.paths.copied.read_text(encoding="utf-8")
        assert "bucketed ~" in copied
        assert "16–20" in copied


async def test_settings_that_cannot_be_are_told_and_the_line_stays(open_app: Any) -> None:
    async with open_app(PLAN) as lab:
        await lab.press("e")
        await enter(lab, "speed=3")
        assert "'speed=3' is none of cost=" in line(lab, "status")
        await enter(lab, "min=101")
        assert "cannot be met by 100 in all" in lab.text
        await lab.press("right")
        assert lab.boundaries == (5, 10, 15, 20)
        await lab.press("u")
        await lab.settled()
        assert "graph 5 saves 49" in lab.text


async def test_conditions_change_the_frontier(open_app: Any) -> None:
    async with open_app(PLAN) as lab:
        await lab.press("e")
        await enter(lab, "multiple=4 cost=quadratic")
        await lab.press("o")
        assert all(boundary % 4 == 0 for boundary in lab.boundaries)
        assert "(cost quadratic, multiples of 4)" in lab.text


# Exports.


async def test_an_export_is_previewed_saved_and_copied(
    open_app: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    async with open_app(f"{PLAN} --budget 80") as lab:
        await lab.press("o", "x")
        assert isinstance(lab.app.screen, ChoiceScreen)
        names = [option.id for option in lab.app.screen.query_one(OptionList).options]
        assert len(names) == 15
        await lab.press(*["down"] * names.index("pytorch"), "enter")
        await drawn_anew(lab)
        screen = lab.app.screen
        assert isinstance(screen, PreviewScreen)
        assert "BUCKETS = (4, 11, 17, 20)" in lab.text
        assert "s saves to a file, y copies" in lab.text
        await lab.press("y")
        assert "copied, also in" in lab.text
        await lab.press("s", "enter")
        path = tmp_path / "boundaries-pytorch.py"
        ast.parse(path.read_text(encoding="utf-8"))
        assert "saved to boundaries-pytorch.py" in lab.text
        path.write_text("mine")
        await lab.press("s", "enter")
        assert "exists; Enter again replaces it" in lab.text
        assert path.read_text() == "mine"
        await lab.press("escape")
        assert lab.app.screen is screen
        await lab.press("s", "enter", "enter")
        assert "BATCH_SIZES" in path.read_text(encoding="utf-8")
        await lab.press("escape")
        assert isinstance(lab.app.screen, PlanScreen)


async def test_an_export_that_a_tool_cannot_take_is_told(open_app: Any) -> None:
    async with open_app(PLAN) as lab:
        await lab.press("x", "enter")
        assert isinstance(lab.app.screen, PlanScreen)
        assert "lhotse counts in seconds" in line(lab, "status")


async def test_a_folder_is_no_file_to_save_to(open_app: Any, tmp_path: Path) -> None:
    async with open_app(PLAN) as lab:
        await lab.press("x", "end", "enter")
        await drawn_anew(lab)
        await lab.press("s")
        lab.app.screen.query_one(Input).value = str(tmp_path)
        await lab.press("enter", "enter")
        said = lab.app.screen.query_one("#preview-line", Static).content
        assert str(said).endswith("is a folder")


# Every command.

BEFORE: dict[str, tuple[str, ...]] = {
    "edit.undo": ("right",),
    "edit.redo": ("right", "u"),
    "plan.following": ("up",),
    "plan.take": ("tab", "down", "down", "down", "down"),
    "view.back": ("z",),
    "view.columns_left": (">",),
}


def looks(lab: Lab) -> tuple[object, ...]:
    screen = plan_of(lab)
    prompt = screen.query_one(Prompt)
    return (
        lab.app.session.state,
        lab.app.session.outcome,
        lab.app.session.history.past,
        lab.app.notice,
        type(lab.app.screen),
        screen.showing,
        screen.zoomed,
        str(prompt.query_one("#prompt-label").content) if prompt.asking else "",  # type: ignore[attr-defined]
        screen.query_one(MethodPane).chosen,
        [(table._offset, table._top) for table in screen.query(LineTable)],
    )


async def reset(lab: Lab, session: Session) -> None:
    screen = plan_of(lab)
    while lab.app.screen is not screen:
        await lab.press("escape")
    await lab.press("escape", "escape")
    for table in screen.query(LineTable):
        table._offset = 0
    screen.query_one(MethodPane).chosen = "own"
    lab.app.become(session)
    screen.go_to("frontier")
    await lab.settled()


async def by_palette(lab: Lab, id: str) -> None:
    """Run a command as the palette does: the hit that its own words find first."""
    command = next(item for item in (*PLAN_COMMANDS, *SHARED_COMMANDS) if item.id == id)
    provider = CommandProvider(plan_of(lab))
    words = f"{command.group}: {command.help}"
    hits = [hit async for hit in provider.search(words)]
    best = max(hits, key=lambda hit: hit.score)
    assert best.text == words
    await best.command()
    await lab.calm()


async def test_every_command_by_each_key_and_by_palette(open_app: Any) -> None:
    start = f"{PLAN} --budget 80 --compile-cost 45"
    async with open_app(start, (60, 24)) as lab:
        session = lab.app.session
        for command in (*PLAN_COMMANDS, *SHARED_COMMANDS):
            ways = []
            for key in (*command.keys, ""):
                await reset(lab, session)
                await lab.press(*BEFORE.get(command.id, ()))
                before = looks(lab)
                await (lab.press(key) if key else by_palette(lab, command.id))
                after = looks(lab)
                assert after != before, f"{command.id} by {key or 'palette'} does nothing"
                ways.append(after)
            assert all(after == ways[0] for after in ways), command.id


def test_no_key_has_two_meanings() -> None:
    keys = [key for command in PlanScreen.OWN for key in command.keys]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (40, 12)])
async def test_tab_goes_round_the_panes(open_app: Any, size: tuple[int, int]) -> None:
    async with open_app(PLAN, size) as lab:
        screen = plan_of(lab)
        seen = []
        for _ in range(3):
            seen.append(screen.showing)
            assert screen.query_one(f"#{screen.showing}").has_focus
            assert screen.query_one(f"#{screen.showing}").display
            await lab.press("tab")
        assert tuple(seen) == PLAN_PANES
        await lab.press("shift+tab", "z")
        assert (screen.showing, screen.query_one("#frontier").display) == (BATCHES, False)


async def test_a_key_never_waits_for_the_frontier(
    open_app: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until the worker has answered there is a sign, and keys that need it do nothing."""
    answered = threading.Event()

    def slowly(*args: Any) -> Any:
        answered.wait(20)
        return plan_for(*args)

    monkeypatch.setattr("dgplay.tui.screens.plan_work.plan_for", slowly)
    async with open_app() as lab:
        await lab.press("2", "right", "o", "enter", "b", "down", "x", "escape")
        assert lab.boundaries == (5, 10, 15, 20)
        assert line(lab, "plan-now") == "K=4: …"
        assert plan_of(lab).query_one(MethodPane).table.as_text().endswith("…")
        answered.set()
        await lab.settled()
        assert "graph 5 saves 49" in line(lab, "plan-next")


async def test_two_hundred_random_keys(open_app: Any) -> None:
    pick = random.Random(4)
    keys = [key for command in PlanScreen.OWN for key in command.keys]
    keys += ["1", "2", "9", "escape", "enter", "x", "="]
    async with open_app(f"{PLAN} --budget 80") as lab:
        for _ in range(200):
            lab.send(pick.choice(keys))
            if pick.random() < 0.2:
                await lab.calm()
            if pick.random() < 0.02:
                await lab.resize(pick.randint(20, 130), pick.randint(5, 45))
            if isinstance(lab.app.screen, CommandPalette) or CommandPalette.is_open(lab.app):
                await lab.press("escape")
        await lab.settled()
        assert lab.app.return_code is None


async def test_chinese_full_width_digits_read_as_ascii(open_app: Any) -> None:
    async with open_app(f"{PLAN} --lang en") as lab:
        await lab.press("=")
        await enter(lab, "６")
        assert len(lab.boundaries) == 6
