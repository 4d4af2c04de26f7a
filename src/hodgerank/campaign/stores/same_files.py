"""SameFiles: refuses to write to files that have lost their names."""

from __future__ import annotations

import os
from pathlib import Path

from hodgerank.errors import CannotWrite


class SameFiles:
    """Remembers the database that is open, and its journal.

    SQLite goes on with the files that it has open, whatever becomes of their names. What it
    writes then, nobody would find again.
    """

    def __init__(self, path: Path, name: str) -> None:
        self._path, self._name = path, name
        self._journal_path = Path(f"{path}-wal")
        self._database: tuple[int, int] | None = None
        self._journal: tuple[int, int] | None = None
        self._size = 0
        self._is_shrinking = False

    def opened(self) -> None:
        """Remember the journal; the database is the one that was opened first."""
        found = _found(self._path)
        self._database = self._database or _identity(found)
        if not self._is_shrinking:
            self._size = max(self._size, found.st_size if found else 0)
        self._journal = _identity(_found(self._journal_path))

    def closed(self) -> None:
        """Forget the journal, which SQLite may remove."""
        self._journal = None

    def may_shrink(self, size: int) -> None:
        """Let the database become as small as this, at some time until `has_shrunk`."""
        self._size = min(self._size, size)
        self._is_shrinking = True

    def has_shrunk(self) -> None:
        """The database will not become smaller any more."""
        self._is_shrinking = False

    def require(self) -> None:
        """Refuse, in words, to go on without them."""
        found = _found(self._path)
        if found is None or _identity(found) != self._database:
            raise CannotWrite(
                f"{self._name} was moved, deleted or replaced while it was open: put it back, or "
                "leave it and open the other one"
            )
        if found.st_size < self._size:
            raise CannotWrite(
                f"{self._name} was cut short while it was open: leave it and open it again; where "
                "that is refused, import a log that was exported"
            )
        if not self._is_shrinking:
            self._size = found.st_size
        if self._journal and _identity(_found(self._journal_path)) != self._journal:
            raise CannotWrite(
                f"{self._journal_path}, where the newest answers are, was moved, deleted or "
                f"replaced while it was open: put it back, or leave {self._name} and open it again"
            )


def _found(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except OSError:
        return None


def _identity(found: os.stat_result | None) -> tuple[int, int] | None:
    return found and (found.st_dev, found.st_ino)
