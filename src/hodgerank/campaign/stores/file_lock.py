"""FileLock: one process writes to a file, and others are told which."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from hodgerank.errors import CampaignError, CannotWrite

if sys.platform == "win32":
    import msvcrt

    def _take(descriptor: int) -> None:
        os.lseek(descriptor, 1 << 30, os.SEEK_SET)  # far behind the words, which others read
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
    """Held until released or until the process ends: it is the kernel's, the file only says whose.

    The lock file is `path` with `.lock` behind it; `name` is what messages call it. It stays when
    the lock is released: another process may be about to take it.
    """

    def __init__(self, path: Path, name: str) -> None:
        place = path.with_name(path.name + ".lock")
        try:
            self._descriptor: int | None = os.open(place, os.O_RDWR | os.O_CREAT, 0o666)
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
                    f"{name} is being written by {holder}: end that program, or let go of the file "
                    "there (the end of the with block, or campaign.leave()), or open it read only"
                ) from None
            raise CannotWrite(
                f"{name} cannot be locked: {error.strerror}; put it on a disk of this machine"
            ) from error
        now = datetime.now().astimezone().isoformat(" ", "seconds")
        os.ftruncate(self._descriptor, 0)
        with suppress(OSError):  # a full disk: the lock holds without words
            os.lseek(self._descriptor, 0, os.SEEK_SET)
            os.write(self._descriptor, f"process {os.getpid()} since {now}\n".encode())

    def release(self) -> None:
        """Let others write."""
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
