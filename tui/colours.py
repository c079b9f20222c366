"""Colours on a light ground, where Textual has words too pale and a program as on a dark one."""

from __future__ import annotations

from rich.style import Style
from textual.color import Color
from textual.theme import Theme
from textual.widgets.text_area import TextAreaTheme

#: Words in these colours Textual leaves at 3.2 to 1 on a light ground; 4.5 is easily read.
PALE = ("text-warning", "text-accent", "text-success")

#: By so much of its lightness such a colour is darkened; 5 to 1 is the least then.
DARKER = 0.12

_PROGRAM = {
    "#0a3069": ("string", "string.documentation"),
    "#57606a": ("comment",),
    "#a40e26": (
        "keyword", "keyword.function", "keyword.return", "keyword.operator", "conditional",
        "repeat", "exception", "include",
    ),
    "#0550ae": ("number", "float", "boolean", "constant.builtin"),
    "#5a32a3": ("function", "function.call", "method", "method.call"),
    "#7a3e00": ("class", "type", "type.class", "type.builtin"),
}  # fmt: skip

#: A program on a light ground; what is not named is in the colour of all text.
PROGRAM_ON_LIGHT = TextAreaTheme(
    name="program-on-light",
    syntax_styles={
        name: Style(color=colour) for colour, names in _PROGRAM.items() for name in names
    },
)


def is_light(theme: Theme) -> bool:
    """Return whether a theme has a light ground in colours of its own, not the terminal's."""
    return not theme.dark and not theme.ansi


def readable(variables: dict[str, str], theme: Theme) -> dict[str, str]:
    """Return the variables of a theme with words dark enough for its ground."""
    if not is_light(theme):
        return variables
    darker = {name: Color.parse(variables[name]).darken(DARKER).hex for name in PALE}
    return {**variables, **darker}
