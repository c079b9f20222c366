"""Owns texts that remember how they were made, so that a screen can say them in its language.

A :class:`Said` is the English text and behaves as any other string; beside it stand the
template and the values that made it. Core says everything in English; a front end translates
the template, and the values that are themselves said, and fills them in again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any


class Said(str):
    """A text with the template and the values that made it; equal to the plain text."""

    template: str
    values: Mapping[str, Any]

    def __new__(cls, template: str, values: Mapping[str, Any]) -> Said:
        """Fill the template in, as ``str.format`` does."""
        said = super().__new__(cls, template.format_map(values))
        said.template = template
        said.values = values
        return said

    def __str__(self) -> Said:
        """Return the text itself: ``str(error)`` must not forget how its message was made."""
        return self

    def __reduce__(self) -> tuple[type[Said], tuple[str, Mapping[str, Any]]]:
        """A copy is made from the template again."""
        return Said, (self.template, self.values)


def mark(template: str) -> str:
    """Mark a text for translation where it is written; it is translated where it is shown."""
    return template


def say(template: str, /, **values: Any) -> Said:
    """Return ``template`` filled in with ``values``: ``say("no axis {axis}", axis=2)``."""
    return Said(template, values)


def joined(separator: str, parts: Iterable[str]) -> Said:
    """Return the parts joined; each is still translated on its own."""
    kept = tuple(parts)
    names = [f"part{index}" for index in range(len(kept))]
    template = separator.replace("{", "{{").replace("}", "}}").join(f"{{{n}}}" for n in names)
    return Said(template, dict(zip(names, kept, strict=True)))


def translated(text: str, translate: Callable[[str], str]) -> str:
    """Return a text in another language; what was not made by :func:`say` stays as it is."""
    if not isinstance(text, Said):
        return text
    values = {
        name: translated(value, translate) if isinstance(value, str) else value
        for name, value in text.values.items()
    }
    return translate(text.template).format_map(values)
