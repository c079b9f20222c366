"""The keys of the Lab: every command by key and by palette, and what each of them means."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from lab_driver import Lab, by_id
from textual import events
from textual.command import CommandPalette
from textual.widgets import Input, OptionList

from dgplay.core.sequences.strategies import EVERY
from dgplay.tui import session_app
from dgplay.tui.commands import APP_COMMANDS, LAB_COMMANDS, SCREEN_COMMANDS
from dgplay.tui.palette import CommandProvider
from dgplay.tui.paths import read_keymap
from dgplay.tui.screens.choice import ChoiceScreen, DataScreen
from dgplay.tui.screens.compare import CompareScreen
from dgplay.tui.screens.help import HelpScreen
from dgplay.tui.widgets.histogram import HistogramPlot
from dgplay.tui.widgets.lab_panes import StrategyPane
from dgplay.tui.widgets.line_table import LineTable

#: What can be done on the Lab.
COMMANDS = (*LAB_COMMANDS, *SCREEN_COMMANDS, *APP_COMMANDS)

#: What must have happened for a command to have something to do, as keys.
BEFORE: dict[str, tuple[str, ...]] = {
    "bucket.previous": ("down",),
    "edit.undo": ("left",),
    "edit.redo": ("left", "u"),
    "bucket.optimum": ("left",),
    "predict.reveal": ("p",),
    "compare.show": ("c", "left"),
    "sequence.previous": ("n",),
    "view.back": ("z",),
    "view.columns_left": ("tab", "tab", ">"),
    "view.columns_right": ("tab", "tab"),
}

#: Commands that leave the Lab; they are tried apart.
LEAVING = frozenset(item.id for item in COMMANDS if item.id.startswith("screen.")) | {"app.quit"}


def looks(lab: Lab) -> tuple[object, ...]:
    """Everything that a command may change and a user sees."""
    app, screen = lab.app, lab.screen
    tables = [(table._offset, table._top) for table in screen.query(LineTable)]
    prompt = str(screen.query_one("#prompt-label").content) if lab.prompt.asking else ""
    return (
        app.session.state,
        app.session.outcome,
        app.session.prediction,
        app.session.pinned,
        app.session.history.past,
        app.notice,
        type(app.screen),
        screen.showing,
        screen.zoomed,
        prompt,
        tables,
    )


async def by_palette(lab: Lab, id: str) -> None:
    """Run a command as the palette does: the hit that its own words find first."""
    command = by_id(id)
    provider = CommandProvider(lab.screen)
    words = f"{lab.app.tr(command.group)}: {lab.app.tr(command.help)}"
    hits = [hit async for hit in provider.search(words)]
    best = max(hits, key=lambda hit: hit.score)
    assert best.text == words
    await best.command()
    await lab.calm()


@pytest.mark.parametrize("group", sorted({command.group for command in COMMANDS}))
async def test_every_command_by_each_key_and_by_palette(open_app: Any, group: str) -> None:
    commands = [item for item in COMMANDS if item.group == group and item.id not in LEAVING]
    async with open_app() as lab:
        start = lab.app.session
        lab.app.challenged = False
        for command in commands:
            ways: list[tuple[str, object]] = []
            for key in (*command.keys, ""):
                await lab.reset(start)
                await lab.press(*BEFORE.get(command.id, ()))
                before = looks(lab)
                await (lab.press(key) if key else by_palette(lab, command.id))
                after = looks(lab)
                ways.append((key, after))
                if command.id != "app.palette":
                    assert after != before, f"{command.id} by {key or 'palette'} does nothing"
                else:
                    assert isinstance(lab.app.screen, CommandPalette)
                    await lab.press("escape")
            assert all(after == ways[0][1] for _, after in ways), command.id


async def test_the_palette_itself(open_app: Any) -> None:
    async with open_app() as lab:
        await lab.press("ctrl+p", *"provable", *["backspace"] * 8, *"boundary where it saves")
        await lab.settled()
        await lab.pilot.pause(0.1)
        await lab.press("enter")
        await lab.pilot.pause(0.1)
        await lab.press("enter")
        await lab.calm()
        assert len(lab.boundaries) == 5


def test_no_key_has_two_meanings() -> None:
    keys = [key for command in COMMANDS for key in command.keys]
    assert len(keys) == len(set(keys))
    assert len({command.id for command in COMMANDS}) == len(COMMANDS)


@pytest.mark.parametrize("key", ["?", "？", "f1"])
async def test_help_opens_once_and_closes(open_app: Any, key: str) -> None:
    async with open_app() as lab:
        await lab.press(key)
        assert isinstance(lab.app.screen, HelpScreen)
        await lab.press("j", "k", "down", key)
        assert lab.app.screen is lab.screen
        await lab.press(key, "q")
        assert lab.app.screen is lab.screen
        assert lab.app.return_code is None


@pytest.mark.parametrize("key", ["q", "ctrl+q", "ctrl+c"])
async def test_leaving_keeps_the_state(open_app: Any, key: str) -> None:
    async with open_app() as lab:
        await lab.press("left")
        lab.send(key)
        await lab.until(lambda: lab.app._exit)
        assert lab.app.return_code == 0
        assert "4,10,15,20" in lab.app.paths.state.read_text(encoding="utf-8")


async def test_ctrl_c_and_ctrl_z_in_a_text_field_do_not_leave(
    open_app: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    suspended: list[int] = []
    async with open_app() as lab:
        monkeypatch.setattr(
            "textual.app.App.action_suspend_process", lambda app: suspended.append(1)
        )
        await lab.press("enter", "ctrl+c", "ctrl+z")
        assert not lab.app._exit
        assert not suspended
        assert lab.prompt.asking
        await lab.press("escape", "ctrl+z")
        assert suspended == [1]
        await lab.press("f", "ctrl+c")
        assert not lab.app._exit
        assert isinstance(lab.app.screen, DataScreen)


@pytest.mark.parametrize(
    ("text", "boundaries"),
    [
        ("4", (4, 10, 15, 20)),
        ("+3", (8, 10, 15, 20)),
        ("-2", (3, 10, 15, 20)),
        ("４", (4, 10, 15, 20)),
        ("＋３", (8, 10, 15, 20)),
        ("5,10,15,20", (5, 10, 15, 20)),
        ("４，１１，１７，２０", (4, 11, 17, 20)),
        ("4、11、17、20", (4, 11, 17, 20)),
        ("3 9 20", (3, 9, 20)),
        ("k=2", (11, 20)),
        ("Ｋ＝２", (11, 20)),
        ("99", (9, 10, 15, 20)),
    ],
)
async def test_typed_edits(open_app: Any, text: str, boundaries: tuple[int, ...]) -> None:
    async with open_app() as lab:
        await lab.press("enter")
        await lab.enter(text)
        assert lab.boundaries == boundaries
        assert not lab.prompt.asking
        assert lab.screen.query_one("#keys").display
        await lab.press("left")
        assert lab.boundaries != boundaries  # the keys are keys again


async def test_typing_replaces_what_stands_there(open_app: Any) -> None:
    async with open_app() as lab:
        await lab.press("=", "7", "enter")
        assert lab.boundaries == (7, 10, 15, 20)
        assert lab.line("status").startswith("bucket 1 ends at 7: 1270 → 1289 (+19)")


@pytest.mark.parametrize("text", ["x", "0", "", "5.0s", "k=0", "5,10", "-99999999999999999999"])
async def test_a_refused_edit_says_so_and_can_be_corrected(open_app: Any, text: str) -> None:
    async with open_app() as lab:
        before = lab.state
        await lab.press("enter")
        await lab.enter(text)
        if lab.prompt.asking:
            assert lab.line("status").startswith("! ")
            assert lab.state == before
            await lab.enter("4")
            assert lab.boundaries == (4, 10, 15, 20)
        else:
            assert lab.state.boundaries[1:] == before.boundaries[1:]


async def test_escape_gives_up_and_then_leaves_the_zoom(open_app: Any) -> None:
    async with open_app() as lab:
        before = lab.state
        await lab.press("z", "enter", "9", "escape")
        assert (lab.state, lab.prompt.asking, lab.screen.zoomed) == (before, False, True)
        await lab.press("escape")
        assert not lab.screen.zoomed
        await lab.press("escape")
        assert lab.state == before
        assert not lab.app._exit


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (60, 20), (40, 12)])
async def test_tab_goes_through_every_pane_and_shows_it(
    open_app: Any, size: tuple[int, int]
) -> None:
    panes = ["buckets", "modes", "strategies", "sequence", "plot"]
    async with open_app("", size) as lab:
        for key, order in (("tab", panes), ("shift+tab", [panes[0], *reversed(panes[1:])])):
            seen = []
            for _ in panes:
                focused = lab.app.focused
                assert focused is not None
                assert focused.region.height > 1
                assert "> " in lab.text
                seen.append(focused.id)
                await lab.press(key)
            assert seen == order


async def test_a_held_key_is_one_undo(open_app: Any) -> None:
    async with open_app() as lab:
        lab.clock.step = 0.05
        await lab.press("right", "right", "right", "right")
        assert lab.boundaries == (9, 10, 15, 20)
        lab.clock.step = 1.0
        await lab.press("left", "left")
        assert lab.boundaries == (7, 10, 15, 20)
        seen = []
        for _ in range(4):
            await lab.press("u")
            seen.append(lab.boundaries[0])
        assert seen == [8, 9, 5, 5]
        assert lab.line("status").startswith("nothing to undo")
        await lab.press("U", "U", "U")
        assert lab.boundaries == (7, 10, 15, 20)


async def test_the_challenge(open_app: Any) -> None:
    async with open_app(first_start=True) as lab:
        assert "four keys lead from 1270 to the optimum; find them" in lab.text
        assert "left and right move its end" in lab.text
        assert lab.state.bucket == 1
        await lab.press("left")
        assert lab.line("status").startswith("1 move: 1270 → 1259")
        await lab.press("down", "down", "right", "up", "right", "down")
        assert lab.boundaries == (4, 11, 16, 20)
        await lab.press("right")
        assert lab.boundaries == (4, 11, 17, 20)
        assert lab.steps == 1256
        solved = "solved in 4 moves: 1270 → 1259 → 1258 → 1257 → 1256"
        assert lab.line("status").startswith(solved)
        seen = [lab.steps]
        for _ in range(4):
            await lab.press("u")
            seen.append(lab.steps)
        assert seen == [1256, 1257, 1258, 1259, 1270]
        assert lab.line("status").startswith("four keys lead from 1270")


async def test_a_second_start_is_quiet(open_app: Any) -> None:
    async with open_app() as lab:
        assert "four keys" not in lab.text
        await lab.press("left")
        assert lab.line("status").startswith("bucket 1 ends at 4: 1270 → 1259 (−11)")


async def test_one_sequence_shows_the_numbers_of_the_article(open_app: Any) -> None:
    async with open_app("--sequence 2", (80, 24)) as lab:
        await lab.press("t", "down")
        assert "length 3" in lab.text
        numbers = next(line for line in lab.frame() if line.startswith(" pad: "))
        assert numbers.startswith(" pad: 2.16 1.83 1.71 │ 1.37 0.95 ")
        row = {line[2:13].strip(): line.split()[-2:] for line in lab.frame()[11:17]}
        assert row["pad"] == ["0.09", "1.07"]
        assert row["pad+mask"] == ["1.71", "0"]
        await lab.press("left")
        assert lab.state.step == 19
        await lab.press("down")
        masked = next(line for line in lab.frame() if line.startswith(" pad+mask: "))
        assert masked.startswith(" pad+mask: 2.16 1.83 1.71 │ 1.71 1.71")


async def test_left_padding_starts_with_a_bias(open_app: Any) -> None:
    async with open_app("--sequence 2") as lab:
        await lab.press("t", "down", "down", "down")
        assert lab.state.strategy == "left-pad"
        assert " left-pad: 0.00 0.00" in lab.text
        await lab.press("e")
        await lab.enter("bias=0.5")
        await lab.known()
        assert lab.state.model.bias == 0.5
        assert " left-pad: 0.00 " not in lab.text


async def test_choosing_the_sequence(open_app: Any) -> None:
    async with open_app() as lab:
        await lab.press("t", "n", "n", "N")
        assert lab.state.sequence == 1
        await lab.press("]")
        await lab.known()
        assert "length 20" in lab.text
        await lab.press("[")
        await lab.known()
        assert "length 1," in lab.text
        await lab.press("i", "9", "9", "enter")
        assert lab.state.sequence == 99
        await lab.press("n")
        assert lab.state.sequence == 99
        await lab.press("i", "x", "enter")
        assert lab.line("status").startswith("! 'x' is not the number")
        await lab.press("escape")
        await lab.known()


async def test_predict_guess_and_reveal(open_app: Any) -> None:
    async with open_app() as lab:
        await lab.press("p")
        assert "1270" not in lab.text
        assert "1256" not in lab.text
        assert "1259" not in lab.text
        assert lab.line("moves").startswith("predict: 0 exact, 0 close, 0 off")
        assert lab.app.screen.showing == "strategies"  # where results are guessed
        await lab.press("shift+tab", "shift+tab", "left")
        assert "1259" not in lab.text  # what a move does is a result too
        await lab.press("u", "tab", "tab", "enter")
        assert lab.prompt.asking
        await lab.press(*"about", "enter")
        assert "cannot be read as a guess" in lab.line("status")
        await lab.enter("１２７０")
        await lab.settled()
        assert lab.line("moves").startswith("predict: 1 exact, 0 close, 0 off")
        assert "[✓1270]" in lab.text
        await lab.press("up", "enter")  # dynamic
        await lab.enter("1070")
        await lab.press("right", "enter")
        await lab.enter("90%")
        assert lab.line("moves").startswith("predict: 1 exact, 1 close, 1 off")
        await lab.press("up", "space")
        assert "2000" in lab.text
        await lab.press("p")
        assert "?" not in "".join(lab.frame()[:21])


async def test_m_and_compare_do_not_give_predictions_away(open_app: Any) -> None:
    async with open_app("--predict") as lab:
        await lab.press("m")
        assert isinstance(lab.app.screen, ChoiceScreen)
        shown = "".join(str(item.prompt) for item in lab.app.screen.query_one(OptionList).options)
        assert "optimal" in shown
        assert "1256" not in shown
        await lab.press("escape", "c", "left")
        assert "1270" not in lab.text


async def test_compare(open_app: Any) -> None:
    async with open_app("--compare uniform:1-30") as lab:
        await lab.press("c")
        assert lab.line("status").startswith("this setting is A now")
        await lab.press("left")
        assert "A 1270 (−11)" in lab.line("status")
        await lab.press("C")
        assert isinstance(lab.app.screen, CompareScreen)
        table = lab.app.screen.query_one(LineTable).as_text()
        assert "1259 (−11)" in table
        assert "uniform:1-30" in table
        await lab.press("down", "up", "j", "k", "C", "escape", "c", "c")
        assert lab.app.session.pinned is None
        assert lab.line("status").startswith("A is let go")


async def test_nothing_to_compare(open_app: Any) -> None:
    async with open_app() as lab:
        await lab.press("C")
        assert lab.line("status").startswith("nothing to compare with")
        assert lab.app.screen is lab.screen


async def test_time_is_measured_on_request(open_app: Any) -> None:
    async with open_app("", (160, 40)) as lab:
        assert not lab.app.session.known.timings
        await lab.press("T")
        await lab.known()
        assert lab.state.time
        timings = lab.app.session.known.timings
        assert set(timings) >= {"pad", "dynamic", "bucketed"}
        assert f"{1000 * timings['dynamic'].seconds:.3g} (" in lab.text
        await lab.press("T")
        assert not lab.state.time


async def test_all_strategies_are_a_state_that_the_copied_line_carries(open_app: Any) -> None:
    async with open_app() as lab:
        table = lab.screen.query_one(StrategyPane).table
        assert len(table.model.rows) == 6
        await lab.press("A")
        await lab.known()  # every further strategy has been run and found right
        assert (lab.screen.showing, len(table.model.rows)) == ("strategies", 15)
        assert [check.wrong for check in lab.app.session.checks.values()] == [
            *(92, 0, 0, 0, 0, 92),
            *[0] * 9,
        ]
        await lab.press(*["down"] * 20)
        assert "› packed-rows" in lab.text  # scrolled to, at 80 x 24
        assert "↑ exact-length" in lab.text
        assert lab.app.line == "dgplay --boundaries 5,10,15,20 --strategy packed-rows --all"
        await lab.press("A")
        assert (len(table.model.rows), lab.state.strategy) == (6, "bucketed")
        assert lab.app.line == "dgplay --boundaries 5,10,15,20"


@pytest.mark.parametrize(
    ("size", "keys"), [((120, 50), ()), ((100, 36), ()), ((80, 24), ("tab", "tab", "z"))]
)
async def test_every_strategy_is_seen_at_once_where_there_is_room(
    open_app: Any, size: tuple[int, int], keys: tuple[str, ...]
) -> None:
    async with open_app("--all", size) as lab:
        await lab.press(*keys)
        frame = lab.frame()
        title = next(number for number, line in enumerate(frame) if "Strategies (static)" in line)
        names = [line[2:].partition(" ")[0] for line in frame[title + 2 : title + 17]]
        assert names == [strategy.name for strategy in EVERY]


async def test_a_time_that_cannot_be_measured_is_asked_for_once(
    open_app: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dgplay.core.sequences.timing.FEWEST_RUNS", 1)
    monkeypatch.setattr("dgplay.core.sequences.timing.MOST_SECONDS", 0.0)
    async with open_app("uniform:1-20 --count 3000 --all --time", (160, 40)) as lab:
        await lab.known()
        timings = lab.app.session.known.timings
        assert [name for name, timing in timings.items() if timing is None] == [
            *("capture", "capture-symbolic"),  # 500 sequences, some 5,250 steps: too many for them
        ]
        assert not lab.app.session.untimed


async def test_a_boundary_that_moves_checks_again_what_it_may_have_changed(open_app: Any) -> None:
    async with open_app("--all") as lab:
        await lab.known()
        await lab.press("left")
        assert lab.app.session.unchecked == ("bucketed",)  # the optimum knows only how many
        await lab.known()
        await lab.press("plus")
        assert lab.app.session.unchecked == ("bucketed", "optimal-buckets")


async def test_help_says_what_each_strategy_does(open_app: Any) -> None:
    async with open_app("--lang zh") as lab:
        await lab.press("?")
        page = lab.app.screen.page()
        for strategy in EVERY:
            assert f"{strategy.name:<17} {lab.app.tr(strategy.doc)}" in page
            assert lab.app.tr(strategy.doc) != strategy.doc


async def test_save_asks_before_it_replaces(open_app: Any, tmp_path: Path) -> None:
    path = tmp_path / "kept.json"
    async with open_app() as lab:
        await lab.press("s")
        await lab.enter(str(path))
        assert "--boundaries" in json.loads(path.read_text(encoding="utf-8"))["arguments"]
        assert lab.line("status").startswith("saved; dgplay --resume ")
        await lab.press("left", "s")
        await lab.enter(str(path))
        assert lab.prompt.asking
        assert "exists" in lab.app.notice
        assert "5,10,15,20" in path.read_text(encoding="utf-8")
        await lab.press("enter")
        assert "4,10,15,20" in path.read_text(encoding="utf-8")
        await lab.press("s")
        await lab.enter(str(tmp_path / "kept.json" / "x.json"))
        assert lab.line("status").startswith("!")
        await lab.press("escape")
        assert not lab.prompt.asking


async def test_copies_go_to_the_clipboard_and_a_file(open_app: Any) -> None:
    async with open_app() as lab:
        await lab.press("y")
        copied = lab.app.paths.copied.read_text(encoding="utf-8")
        assert copied.splitlines()[0].split() == [
            *("bucket", "n", "pad", "steps", "waste", "result"),
        ]
        assert lab.app.clipboard + "\n" == copied
        assert "copied, also in" in lab.app.notice
        await lab.press("tab", "tab", "y")
        assert "multiply-adds" in lab.app.clipboard  # columns that do not fit are copied too
        await lab.press("left", "Y")
        assert lab.app.clipboard == "dgplay --boundaries 4,10,15,20"
        assert lab.app.paths.copied.read_text(encoding="utf-8") == lab.app.clipboard + "\n"


async def test_a_copy_that_cannot_be_kept_is_still_a_copy(open_app: Any, tmp_path: Path) -> None:
    (tmp_path / "copied.txt").mkdir()
    async with open_app() as lab:
        await lab.press("Y")
        assert lab.app.clipboard == "dgplay --boundaries 5,10,15,20"
        assert lab.line("status").startswith("copied")


async def test_a_keymap_moves_a_command(open_app: Any, tmp_path: Path) -> None:
    path = tmp_path / "keymap.toml"
    path.write_text('"bucket.optimum" = "ctrl+o,f2"\nedit.undo = "backspace"\n', encoding="utf-8")
    keymap = read_keymap(path, {command.id for command in COMMANDS})
    async with open_app(keymap=keymap) as lab:
        await lab.press("o")
        assert lab.boundaries == (5, 10, 15, 20)
        for key in ("ctrl+o", "f2"):
            await lab.press(key)
            assert lab.boundaries == (4, 11, 17, 20)
            await lab.press("backspace")
            assert lab.boundaries == (5, 10, 15, 20)


async def test_other_data_are_opened_from_the_list(open_app: Any) -> None:
    async with open_app() as lab:
        await lab.press("f")
        assert isinstance(lab.app.screen, DataScreen)
        await lab.press(*"gsm", "down", "enter")
        await lab.known()
        assert lab.state.data.sources == ("gsm8k_train_qa",)
        assert lab.state.preset == "data"
        assert lab.line("top").endswith("gsm8k_train_qa  en")
        await lab.press("f", "down", "enter")
        await lab.known()
        assert lab.state.data.sources == ()
        await lab.press("u")
        assert lab.state.data.sources == ("gsm8k_train_qa",)
        await lab.known()


async def test_a_part_of_a_name_opens_the_set_it_finds(open_app: Any) -> None:
    async with open_app() as lab:
        await lab.press("f", *"gsm", "enter")
        await lab.known()
        assert lab.state.data.sources == ("gsm8k_train_qa",)


async def test_a_file_is_opened_by_its_path(open_app: Any, tmp_path: Path) -> None:
    path = tmp_path / "my [lengths].txt"
    path.write_text("3\n5\n8\n", encoding="utf-8")
    async with open_app() as lab:
        await lab.press("f")
        await lab.enter(f"'{path}'")
        await lab.known()
        assert lab.app.session.analysis.histogram.sequences == 3
        assert lab.state.preset == "data"
        await lab.press("right", "z", "z", "t")
        await lab.known()


@pytest.mark.parametrize(
    "text", ["/no/such/file", "'unclosed", "uniform:9-1", "count=x", "uniform:1-5 seed=-1", "[/x]"]
)
async def test_data_that_cannot_be_read_leave_the_state(open_app: Any, text: str) -> None:
    async with open_app("", (200, 30)) as lab:
        before = lab.app.session
        await lab.press("f")
        await lab.enter(text)
        await lab.settled()
        assert lab.app.screen is lab.screen
        assert lab.app.session is before
        assert lab.line("status").startswith("! ")
        await lab.press("left")
        assert lab.boundaries == (4, 10, 15, 20)


async def test_settings_are_edited_in_one_line(open_app: Any) -> None:
    async with open_app() as lab:
        await lab.press("e")
        assert lab.screen.query_one(Input).value == (
            "uniform:1-20 count=100 seed=0 scale=0.3 bias=0 hidden=8"
        )
        await lab.enter("uniform:1-50 count=２００ hidden=4")
        await lab.known()
        assert lab.state.data.sources == ("uniform:1-50",)
        assert (lab.state.data.count, lab.state.model.hidden) == (200, 4)
        await lab.press("e")
        await lab.enter("hidden=0")
        assert lab.prompt.asking
        assert "hidden" in lab.line("status")
        await lab.press("escape")


async def test_work_stops_when_the_state_changes(
    open_app: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Checks of the boundaries before are cancelled; those of the last ones arrive."""
    import threading

    go, started, cancelled = threading.Event(), threading.Event(), []
    real = session_app.run_checks

    def slow(*args: Any, **options: Any) -> Any:
        started.set()
        go.wait(10)
        cancelled.append(options["cancelled"]())
        return real(*args, **options)

    async with open_app() as lab:
        monkeypatch.setattr(session_app, "run_checks", slow)
        await lab.press("left")
        await lab.until(started.is_set)
        assert "…" in lab.text
        first = [worker for worker in lab.app.workers if worker.group == "checks"]
        await lab.press("left")
        await lab.until(lambda: first[0].is_cancelled)
        go.set()
        await lab.known()
        assert lab.boundaries == (3, 10, 15, 20)
        assert True in cancelled
        assert False in cancelled
        assert lab.app.session.checks["bucketed"].correct


async def test_a_click_on_the_histogram_moves_the_nearest_boundary(open_app: Any) -> None:
    async with open_app() as lab:
        plot = lab.screen.query_one(HistogramPlot)
        cell = plot.columns.cells[3] + 2  # length 4, after the numbers of the axis
        await lab.pilot.click(HistogramPlot, offset=(cell, 1))
        await lab.calm()
        assert lab.boundaries == (4, 10, 15, 20)
        assert lab.app.focused is not None
        assert lab.app.focused.id == "plot"
        wheel = events.MouseScrollDown(plot, cell, 1, 0, 0, 0, False, False, False)
        plot.post_message(wheel)
        await lab.calm()
        assert lab.boundaries == (5, 10, 15, 20)
        plot.post_message(events.MouseScrollUp(plot, cell, 1, 0, 0, 0, False, False, False))
        await lab.calm()
        assert lab.boundaries == (4, 10, 15, 20)
        await lab.press("u", "u", "u")
        assert lab.boundaries == (5, 10, 15, 20)


async def test_clicks_choose_rows(open_app: Any) -> None:
    async with open_app("", (120, 40)) as lab:
        await lab.pilot.click("#buckets LineTable", offset=(4, 3))
        await lab.calm()
        assert (lab.state.bucket, lab.screen.showing) == (3, "buckets")
        await lab.pilot.click("#buckets LineTable", offset=(4, 5))  # the totals are no bucket
        await lab.pilot.click("#modes LineTable", offset=(4, 3))
        await lab.calm()
        assert lab.state.mode == "capture"
        await lab.pilot.click("#strategies LineTable", offset=(4, 1))
        await lab.calm()
        assert lab.state.strategy == "pad"
        await lab.pilot.click("#sequence SequencePlot", offset=(20, 3))
        await lab.calm()
        assert (lab.state.strategy, lab.screen.showing) == ("pad+mask", "sequence")


async def test_a_click_on_a_method_and_enter_take_it(open_app: Any) -> None:
    async with open_app("gsm8k_train_qa") as lab:
        await lab.pilot.click("#strategies LineTable", offset=(4, 2))
        await lab.calm()
        await lab.press("enter")
        assert lab.boundaries == lab.app.session.analysis.plan(8, "optimal")
        assert lab.line("status").startswith("method optimal: 851683 → 809263 (−42420)")


async def test_methods_are_listed_and_taken(open_app: Any) -> None:
    async with open_app() as lab:
        await lab.press("m", "m", "enter")  # m twice opens one list
        assert lab.app.screen is lab.screen
        assert lab.boundaries == (4, 11, 17, 20)


async def test_the_language_goes_over_and_back(open_app: Any) -> None:
    async with open_app() as lab:
        before = lab.text
        lab.app.action_language()
        await lab.known()
        assert lab.state.appearance.lang == "zh"
        assert lab.text != before
        lab.app.action_language()
        await lab.known()
        assert lab.line("top").endswith("en")


def test_every_lab_command_is_a_method_of_the_screen() -> None:
    from dgplay.tui.screens.lab import LabScreen

    for command in LAB_COMMANDS:
        assert hasattr(LabScreen, f"action_{command.action.partition('(')[0]}"), command.id


async def test_the_state_is_kept_once_the_keys_rest(open_app: Any) -> None:
    async with open_app() as lab:
        await lab.press("left", "left")
        await lab.settled()
        kept = json.loads(lab.app.paths.state.read_text(encoding="utf-8"))
        assert kept["arguments"] == ["--boundaries", "3,10,15,20", "--preset", "lesson"]


async def test_a_state_that_cannot_be_kept_says_so(open_app: Any, tmp_path: Path) -> None:
    (tmp_path / "state.json").mkdir()
    async with open_app("", (200, 30)) as lab:
        await lab.press("left")
        await lab.settled()
        assert lab.line("status").startswith("! ")
        assert lab.boundaries == (4, 10, 15, 20)
