"""MediaCopies: media that a server keeps, fetched to this machine when they are asked for."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path
from tempfile import mkdtemp
from threading import Lock
from weakref import finalize

from hodgerank.campaign.media_folder import KEPT
from hodgerank.campaign.remote.connection import Connection
from hodgerank.errors import CampaignError, InvalidArgument
from hodgerank.notebook import short
from hodgerank.writing import write_file


class MediaCopies:
    """A folder for a while, in which every file is fetched once."""

    def __init__(self, connection: Connection, id: str) -> None:
        self._connection, self._id = connection, id
        self._lock = Lock()
        self._folder: Path | None = None

    def path_of(self, media: str) -> Path:
        """Where the file is that items call so; InvalidArgument if the server does not show it."""
        found = KEPT.fullmatch(media)
        if found is None:
            raise InvalidArgument(
                f"{short(media) or 'nothing'} is not on this machine, and no upload of the server"
            )
        if self._folder is None or not (self._folder / found[1]).exists():
            content = self._connection.media(self._id, found[1])
            if not found[1].startswith(hashlib.sha256(content).hexdigest()):
                raise CampaignError(
                    f"{self._connection.address} sends other bytes than those of {short(media)}"
                )
            write_file(self._place() / found[1], content)
        return self._place() / found[1]

    def remove(self) -> None:
        """They are not needed any more."""
        with self._lock:
            folder, self._folder = self._folder, None
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)

    def _place(self) -> Path:
        with self._lock:
            if self._folder is None:
                self._folder = Path(mkdtemp(prefix="hodgerank-"))
                finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
            return self._folder
