"""Words in the language of the screens: gettext over bundled catalogues, English by default."""

from __future__ import annotations

import gettext
from collections.abc import Callable
from functools import cache
from pathlib import Path

Translate = Callable[[str], str]

#: Language of the command line to the name of its catalogue.
CATALOGUES = {"en": "en", "zh": "zh_CN"}

LOCALE = Path(__file__).parent / "locale"


@cache
def translator(lang: str) -> Translate:
    """Return the function that translates into ``lang``; unknown words stay English."""
    catalogue = gettext.translation("dgplay", LOCALE, [CATALOGUES[lang]], fallback=lang == "en")
    return catalogue.gettext
