"""Colours of words: dark enough on a light ground, also in the editor; those of a terminal stay."""

from __future__ import annotations

from typing import Any

import pytest
from graph_driver import drawn, graph_of
from textual.color import Color
from textual.theme import BUILTIN_THEMES

from dgplay.tui.colours import PALE, PROGRAM_ON_LIGHT, is_light, readable
from dgplay.tui.widgets.editor import Editor

LIGHT = tuple(name for name, theme in BUILTIN_THEMES.items() if is_light(theme))

#: What WCAG 2.1 asks of text, success criterion 1.4.3.
AA = 4.5


def luminance(colour: Color) -> float:
    """Relative luminance, https://www.w3.org/TR/WCAG21/#dfn-relative-luminance."""
    parts = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (channel / 255 for channel in colour.rgb)
    )
    red, green, blue = parts
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: Color, other: Color) -> float:
    """Contrast ratio, https://www.w3.org/TR/WCAG21/#dfn-contrast-ratio."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def variables(name: str) -> dict[str, str]:
    theme = BUILTIN_THEMES[name]
    return {**theme.to_color_system().generate(), **theme.variables}


def test_there_are_light_themes_and_those_of_the_terminal_are_not_among_them() -> None:
    assert "textual-light" in LIGHT
    assert not {"ansi-light", "ansi-dark", "textual-dark"} & {*LIGHT}


@pytest.mark.parametrize("name", LIGHT)
@pytest.mark.parametrize("variable", PALE)
def test_words_on_a_light_ground_are_easily_read(name: str, variable: str) -> None:
    found = readable(variables(name), BUILTIN_THEMES[name])
    assert contrast(Color.parse(found[variable]), Color.parse(found["background"])) > AA


@pytest.mark.parametrize("name", ["textual-dark", "ansi-dark", "ansi-light"])
def test_other_themes_keep_their_colours(name: str) -> None:
    assert readable(variables(name), BUILTIN_THEMES[name]) == variables(name)


async def test_every_letter_of_the_editor_is_easily_read_on_a_light_ground(open_app: Any) -> None:
    async with open_app(
        "--screen graph --program clip_at_zero --theme textual-light", (120, 40)
    ) as lab:
        screen = await graph_of(lab)
        await lab.press("e", "down", "down")
        await drawn(lab)
        editor = screen.query_one(Editor)
        assert editor.theme == PROGRAM_ON_LIGHT.name
        pairs = {
            (segment.style.color.triplet, segment.style.bgcolor.triplet)
            for y in range(editor.size.height)
            for segment in editor.render_line(y)
            if segment.text.strip() and segment.style is not None
            and segment.style.color is not None and segment.style.bgcolor is not None
        }  # fmt: skip
        assert len(pairs) > 4
        for letter, ground in pairs:
            assert contrast(Color(*letter), Color(*ground)) > AA, (letter, ground)


async def test_the_editor_follows_the_theme(open_app: Any) -> None:
    async with open_app("--screen graph", (80, 24)) as lab:
        screen = await graph_of(lab)
        await lab.press("e")
        await drawn(lab)
        editor = screen.query_one(Editor)
        assert editor.theme == "css"
        lab.app.theme = "textual-light"
        await drawn(lab)
        assert editor.theme == PROGRAM_ON_LIGHT.name


async def test_without_colour_the_chosen_row_of_a_list_is_underlined(
    open_app: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with open_app("", (80, 24)) as lab:
        await lab.press("m", "down")
        strips = lab.app.screen._compositor.render_strips()
        styles = {
            name: segment.style.underline
            for strip in strips
            for segment in strip
            for name in ("optimal", "uniform")
            if segment.style is not None and segment.text.strip().startswith(name)
        }
        assert styles["uniform"] is True
        assert not styles["optimal"]
