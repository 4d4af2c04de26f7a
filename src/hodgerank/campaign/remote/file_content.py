"""FileContent: a file of this machine as what a request brings."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path

from hodgerank.errors import InvalidArgument
from hodgerank.notebook import visible

PIECE = 1 << 18


class FileContent:
    """The bytes of a file, never many at once; they are read again where a request is sent again.

    Attributes
    ----------
    size
        How many there are.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            found = path.stat()
        except (OSError, ValueError) as error:
            raise self._unreadable(error) from None
        if not stat.S_ISREG(found.st_mode):
            raise InvalidArgument(f"{visible(str(path))} is not a file: name one")
        self.size = found.st_size

    def __iter__(self) -> Iterator[bytes]:
        left = self.size
        try:
            with self._path.open("rb") as file:
                while left and (piece := file.read(min(PIECE, left))):
                    left -= len(piece)
                    yield piece
        except OSError as error:
            raise self._unreadable(error) from None
        if left:
            raise InvalidArgument(f"{visible(str(self._path))} got shorter meanwhile: try again")

    def _unreadable(self, error: OSError | ValueError) -> InvalidArgument:
        reason = error.strerror if isinstance(error, OSError) else None
        return InvalidArgument(f"{visible(str(self._path))} cannot be read: {reason or error}")
