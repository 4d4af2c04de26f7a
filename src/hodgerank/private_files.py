"""Files that only their owner reads; their group too where it was allowed. No umask matters.

A file beside another one, such as the lock of a database or a picture in a folder, gets the
permissions of the group from that one.
"""

from __future__ import annotations

import os
import shlex
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

_FILE, _FOLDER = 0o600, 0o700
_GROUP_FILE, _GROUP_FOLDER = 0o640, 0o750
_OTHERS = 0o007


def opener_beside(beside: Path | None = None) -> Callable[[str, int], int]:
    """Return an `opener` for `open` that creates private files."""
    mode = _GROUP_FILE if _is_shared(beside) else _FILE

    def opener(path: str, flags: int) -> int:
        descriptor = os.open(path, flags, mode)
        if flags & os.O_EXCL and os.name == "posix":  # it is new: the umask does not matter
            os.fchmod(descriptor, mode)
        return descriptor

    return opener


def create_private(path: Path, beside: Path | None = None) -> None:
    """Create an empty private file, unless it exists."""
    with suppress(FileExistsError), open(path, "xb", opener=opener_beside(beside)):
        pass


def make_private_folder(path: Path, beside: Path | None = None) -> None:
    """Create a private folder, unless it exists; folders above it are created as usual."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with suppress(FileExistsError):
        path.mkdir(mode=_FOLDER)
        path.chmod(_GROUP_FOLDER if _is_shared(beside) else _FOLDER)
    if not path.is_dir():
        raise FileExistsError(17, "there is a file of this name", str(path))


def share_with_group(places: Iterable[Path]) -> None:
    """Let the group read files and folders, with what is in them."""
    for path in (each for place in places for each in _all_in(place)):
        with suppress(FileNotFoundError):
            mode = stat.S_IMODE(path.stat().st_mode)
            wanted = mode | (_GROUP_FOLDER if path.is_dir() else _GROUP_FILE)
            if mode != wanted:
                path.chmod(wanted)


def _all_in(place: Path) -> Iterator[Path]:
    yield place
    if place.is_dir():
        for path in place.rglob("*"):
            if not path.is_symlink() and not any(
                part.startswith(".") for part in path.relative_to(place).parts
            ):
                yield path


def exposed(places: Iterable[Path]) -> str:
    """Return the command that hides files which all users of the machine can read; or nothing."""
    if os.name != "posix":
        return ""
    found = [str(path) for path in places if _mode(path) & _OTHERS]
    return f"chmod -R o= {shlex.join(found)}" if found else ""


def _is_shared(beside: Path | None) -> bool:
    return beside is not None and bool(_mode(beside) & stat.S_IRGRP)


def _mode(path: Path) -> int:
    try:
        return path.stat().st_mode
    except OSError:
        return 0
