"""Where dgplay keeps what outlives a session; core never asks, it is told."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from dgplay.core.errors import DgplayError


@dataclass(frozen=True)
class Paths:
    """The autosaved state, what was copied last, and the user's keymap."""

    state: Path
    copied: Path
    keymap: Path

    @property
    def progress(self) -> Path:
        """The boxes of the Quiz, beside the saved state."""
        return self.state.with_name("quiz.json")


def user_paths() -> Paths:
    """Return the files in the platform's folders for this user."""
    states = Path(platformdirs.user_state_dir("dgplay", appauthor=False))
    config = Path(platformdirs.user_config_dir("dgplay", appauthor=False))
    return Paths(states / "state.json", states / "copied.txt", config / "keymap.toml")


def read_keymap(path: Path, known: set[str]) -> dict[str, str]:
    """Read a keymap, ``"bucket.optimum" = "ctrl+o"`` a line; an absent file is an empty one.

    Raises DgplayError where it is not TOML or names a command that there is not.
    """
    try:
        text = path.read_text(encoding="utf-8")
        pairs = tomllib.loads(text)
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise DgplayError(f"the keymap cannot be read: {error}", where=str(path)) from error
    flat = dict(_flatten("", pairs))
    for name, keys in flat.items():
        if name not in known:
            raise DgplayError(f"no command is called {name!r}", where=str(path))
        if not isinstance(keys, str) or not keys:
            raise DgplayError(f"{name} needs keys such as 'ctrl+o,f2'", where=str(path))
    return flat


def _flatten(prefix: str, pairs: dict[str, object]) -> list[tuple[str, str]]:
    """Read both ``"bucket.optimum" = …`` and ``bucket.optimum = …``, which TOML nests."""
    flat: list[tuple[str, str]] = []
    for name, value in pairs.items():
        if isinstance(value, dict):
            flat += _flatten(f"{prefix}{name}.", value)
        else:
            flat.append((f"{prefix}{name}", value if isinstance(value, str) else ""))
    return flat
