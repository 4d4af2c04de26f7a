"""FileLock: one process writes to a file, and others are told which."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from hodgerank.errors import CampaignError, CannotWrite
from hodgerank.private_files import create_private

if sys.platform == "win32":
    import msvcrt

    def _take(descriptor: int) -> None:
        os.lseek(descriptor, 1 << 30, os.SEEK_SET)  # far behind the text, which others read
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

    def _give_back(descriptor: int) -> None:
        os.lseek(descriptor, 1 << 30, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _take(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _give_back(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)


class FileLock:
    """A lock of the kernel, held until released or the process ends; the file names the holder.

    The lock file is `path` with the suffix `.lock`; `name` is its name in messages. It is not
    removed, since another process may be about to take it.
    """

    def __init__(self, path: Path, name: str) -> None:
        place = path.with_name(path.name + ".lock")
        try:
            create_private(place, path)
            self._descriptor: int | None = os.open(place, os.O_RDWR)
        except OSError as error:
            raise CannotWrite(
                f"{name} cannot be locked, because {place} cannot be opened: {error.strerror}"
            ) from error
        try:
            _take(self._descriptor)
        except OSError as error:
            holder = _words(self._descriptor)
            self._let_go()
            if isinstance(error, (BlockingIOError, PermissionError)):
                raise CampaignError(
                    f"{name} is in use by {holder}: stop that program, or release the file there "
                    "(end the with block, or call campaign.leave()), or open it read only"
                ) from None
            raise CannotWrite(
                f"{name} cannot be locked: {error.strerror}; move it to a local disk"
            ) from error
        now = datetime.now().astimezone().isoformat(" ", "seconds")
        os.ftruncate(self._descriptor, 0)
        with suppress(OSError):  # a full disk: the lock holds without words
            os.lseek(self._descriptor, 0, os.SEEK_SET)
            os.write(self._descriptor, f"process {os.getpid()} since {now}\n".encode())

    def release(self) -> None:
        """Release the lock."""
        if self._descriptor is not None:
            with suppress(OSError):
                _give_back(self._descriptor)  # a child that was forked has a copy of it
            self._let_go()

    def _let_go(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def _words(descriptor: int) -> str:
    with suppress(OSError):
        os.lseek(descriptor, 0, os.SEEK_SET)
        if words := os.read(descriptor, 200).decode(errors="replace").strip():
            return words
    return "another process"


class FileIdentity:
    """Watches the open database file and its journal.

    SQLite keeps writing to open files even if they are moved or deleted, which would lose data.
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
        """Allow the database to shrink to this size, until `has_shrunk`."""
        self._size = min(self._size, size)
        self._is_shrinking = True

    def has_shrunk(self) -> None:
        """Do not allow the database to shrink any more."""
        self._is_shrinking = False

    def require(self) -> None:
        """Raise an error if the files were moved, deleted or replaced."""
        found = _found(self._path)
        if found is None or _identity(found) != self._database:
            raise CannotWrite(
                f"{self._name} was moved, deleted or replaced while it was open: put it back, or "
                "close it and open the other file"
            )
        if found.st_size < self._size:
            raise CannotWrite(
                f"{self._name} was truncated while it was open: close it and open it again; if "
                "that fails, import an exported log"
            )
        if not self._is_shrinking:
            self._size = found.st_size
        if self._journal and _identity(_found(self._journal_path)) != self._journal:
            raise CannotWrite(
                f"{self._journal_path}, which holds the newest answers, was moved, deleted or "
                f"replaced while it was open: put it back, or close {self._name} and open it "
                "again"
            )


def _found(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except OSError:
        return None


def _identity(found: os.stat_result | None) -> tuple[int, int] | None:
    return found and (found.st_dev, found.st_ino)
