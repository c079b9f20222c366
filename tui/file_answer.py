"""Writing a file under a name that is typed; one that is there is replaced when asked twice.

Every screen that saves something asks with a line of its own; what the answer does is here.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from dgplay.core.errors import DgplayError

from .i18n import Translate
from .phrases import refusal_text


class FileAnswer:
    """Takes the typed name of a file, once for every time that Enter is pressed.

    ``write`` writes the file and may raise DgplayError, which is said; ``done`` is told where it
    is. ``say`` is told what is in the way. A new question needs a new answer.
    """

    def __init__(
        self,
        write: Callable[[Path], None],
        *,
        say: Callable[[str], None],
        done: Callable[[Path], None],
        tr: Translate,
    ) -> None:
        self._write = write
        self._say = say
        self._done = done
        self._tr = tr
        self._replace: Path | None = None

    def __call__(self, typed: str) -> None:
        """Write the file, and before one is replaced ask once more; nothing typed does nothing."""
        name = typed.strip()
        if not name:
            return
        # os.path raises neither for a user nobody knows nor for a name that is too long.
        path = Path(os.path.expanduser(name))
        if os.path.exists(path) and self._replace != path:
            self._replace = path
            self._say(self._tr("{path} exists; Enter again replaces it").format(path=path))
            return
        try:
            self._write(path)
        except DgplayError as error:
            self._say(refusal_text(error, self._tr))
            return
        self._done(path)
