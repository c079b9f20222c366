"""Saved states: versioned JSON, written whole or not at all.

A file holds the arguments of the command line that reopens the state and the folder from which
its relative paths are meant. A damaged file is set aside under another name and reported; it is
never overwritten, and never a traceback.
"""

from __future__ import annotations

import contextlib
import glob
import json
import os
import stat
import tempfile
from dataclasses import replace
from itertools import count
from pathlib import Path

from . import command_line, foreign
from .errors import DgplayError
from .sequences.costs import LINEAR, QUADRATIC
from .state import Request, State
from .wording import say

FORMAT = "dgplay-state"
VERSION = 1


def write_atomically(path: Path, text: str) -> None:
    """Write a UTF-8 file so that a reader sees the old one or the new one, never a part.

    Makes the folder where it is missing. A link stays a link, the permissions of a replaced file
    stay, and a device or pipe is written to, never replaced. Raises DgplayError where the file
    cannot be written.
    """
    try:
        if path.is_dir():
            raise DgplayError(say("is a folder"), where=str(path))
        if path.exists() and not path.is_file():
            path.write_text(text, encoding="utf-8", errors="surrogateescape")
            return
        target = Path(os.path.realpath(path))
        target.parent.mkdir(parents=True, exist_ok=True)
        _replace(target, text)
    except OSError as error:
        raise DgplayError(
            say("cannot be written: {reason}", reason=foreign.reason(error)), where=str(path)
        ) from error


def check_folder(path: Path) -> None:
    """Find out whether a file can be written beside ``path``, and leave nothing but its folder.

    Raises DgplayError, as :func:`write_atomically` would.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        os.close(handle)
        os.unlink(name)
    except OSError as error:
        raise DgplayError(
            say("cannot be written: {reason}", reason=foreign.reason(error)), where=str(path)
        ) from error


def _replace(target: Path, text: str) -> None:
    """Write a file beside ``target`` and rename it. Raises OSError and leaves nothing behind."""
    permissions = _permissions(target)
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, permissions)
        os.replace(name, target)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def _permissions(target: Path) -> int:
    """Return the permissions of a file, or those that a new one gets."""
    with contextlib.suppress(FileNotFoundError):
        return stat.S_IMODE(target.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def save(path: Path, state: State) -> None:
    """Save a state to ``path``; raises DgplayError where that cannot be."""
    record = {
        "format": FORMAT,
        "version": VERSION,
        "folder": _here(),
        "arguments": command_line.arguments(state),
    }
    # As ASCII, because a file name may hold bytes that are no text.
    write_atomically(path, json.dumps(record, indent=1) + "\n")


def _here() -> str:
    """Return the working folder, or nothing where it has been deleted."""
    try:
        return os.getcwd()
    except OSError:
        return ""


def load(path: Path, *, own: bool = True) -> Request:
    """Read a saved state.

    Raises DgplayError where there is none, and where the file is damaged. With ``own`` (a file
    that dgplay saves by itself, and would save again) a damaged one is set aside first, and the
    error names the new place; a file that a person named stays where it is. A file of a newer
    version is refused and left alone.
    """
    try:
        return _read(path)
    except _DamagedError as damage:
        reason = str(damage)
    if not own:
        raise DgplayError(say("is no saved state: {reason}", reason=reason), where=str(path))
    raise set_aside(path, reason)


def make_room(path: Path) -> str:
    """Set aside what saving to ``path`` would overwrite although it cannot be read here.

    That is a damaged file, or one of a newer version. Returns the line that says so, else nothing.
    """
    if not path.is_file():
        return ""
    try:
        _read(path)
    except _DamagedError as damage:
        return str(set_aside(path, str(damage)))
    except DgplayError as error:
        return str(set_aside(path, error.what, say("is not ours to overwrite")))
    return ""


def refuse_newer(version: int, known: int, path: Path) -> None:
    """Raise DgplayError for a file of a later version than the one that is read here."""
    if version > known:
        raise DgplayError(
            say(
                "was saved by a newer dgplay (version {version}, this one reads {known})",
                version=version,
                known=known,
            ),
            where=str(path),
        )


class _DamagedError(Exception):
    """The file is there, but it does not hold a saved state."""


def _read(path: Path) -> Request:
    """Read a saved state, or raise _DamagedError with the reason why it is none."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise DgplayError(say("there is no saved state"), where=str(path)) from None
    except OSError as error:
        raise DgplayError(
            say("cannot be read: {reason}", reason=foreign.reason(error)), where=str(path)
        ) from error
    except (ValueError, RecursionError) as error:
        raise _DamagedError(foreign.unread(error)) from error
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise _DamagedError(say("it does not say that it is one"))
    version = record.get("version")
    if not isinstance(version, int) or version < 1:
        raise _DamagedError(say("it has no version"))
    refuse_newer(version, VERSION, path)
    words, folder = record.get("arguments"), record.get("folder")
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise _DamagedError(say("its arguments are not a list of words"))
    if not isinstance(folder, str):
        raise _DamagedError(say("it has no folder"))
    try:
        request = command_line.parse(words)
    except DgplayError as error:
        raise _DamagedError(error.what) from error
    return from_folder(request, folder)


def from_folder(request: Request, folder: str) -> Request:
    """Mean relative paths from the folder in which the state was saved."""
    if folder == _here():
        return request
    state = request.state
    sources = tuple(_anchored(source, folder) for source in state.data.sources)
    data = replace(state.data, sources=sources)
    compare = None if state.compare is None else _anchored(state.compare, folder)
    planning = state.planning
    if planning.cost not in (LINEAR.name, QUADRATIC.name):
        planning = replace(planning, cost=_anchored(planning.cost, folder))
    return replace(request, state=replace(state, data=data, planning=planning, compare=compare))


def _anchored(source: str, folder: str) -> str:
    """Anchor a path, a glob or a weighted path that exists in ``folder``; leave names alone."""
    if source == "-" or os.path.isabs(source):
        return source
    bare, star, weight = source.rpartition("*")
    meant = [source, bare] if star and weight.isdigit() else [source]
    if any(os.path.lexists(os.path.join(folder, path)) for path in meant):
        return os.path.join(folder, source)
    beside = glob.escape(folder)
    if any(glob.glob(os.path.join(beside, path), recursive=True) for path in meant):
        return os.path.join(beside, source)
    return source


def set_aside(path: Path, reason: str, verdict: str = "") -> DgplayError:
    """Rename a damaged file so that nothing overwrites it, and return the error to raise."""
    verdict = verdict or say("is damaged")
    names = (f"{path.name}.damaged-{number}" for number in count(1))
    beside = next(place for place in map(path.with_name, names) if not os.path.lexists(place))
    try:
        os.rename(path, beside)
    except OSError as error:
        return DgplayError(
            say(
                "{verdict} ({reason}) and stays: {why}",
                verdict=verdict,
                reason=reason,
                why=foreign.reason(error),
            ),
            where=str(path),
        )
    return DgplayError(
        say(
            "{verdict} ({reason}); it is kept as {name}",
            verdict=verdict,
            reason=reason,
            name=beside.name,
        ),
        where=str(path),
    )
