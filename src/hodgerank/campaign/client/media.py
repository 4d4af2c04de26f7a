"""MediaCopies: media of a server, downloaded on demand."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp
from threading import Lock
from weakref import finalize

from hodgerank.atomic_write import write_file
from hodgerank.campaign.client.connection import Connection, FileContent
from hodgerank.campaign.items import KEPT, CampaignItem
from hodgerank.display import short, visible
from hodgerank.errors import CampaignError, InvalidArgument


class MediaCopies:
    """A temporary folder to which every file is downloaded once."""

    def __init__(self, connection: Connection, id: str) -> None:
        self._connection, self._id = connection, id
        self._lock = Lock()
        self._folder: Path | None = None

    def path_of(self, media: str) -> Path:
        """Return the local path of media; InvalidArgument if the server does not have it."""
        found = KEPT.fullmatch(media)
        if found is None:
            raise InvalidArgument(
                f"{short(media) or 'nothing'} is neither on this machine nor uploaded to the server"
            )
        if self._folder is None or not (self._folder / found[1]).exists():
            content = self._connection.media(self._id, found[1])
            if not found[1].startswith(hashlib.sha256(content).hexdigest()):
                raise CampaignError(
                    f"{self._connection.address} sent a damaged copy of {short(media)}: try again"
                )
            write_file(self._place() / found[1], content)
        return self._place() / found[1]

    def remove(self) -> None:
        """Remove the files."""
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


LONG = 600.0
"""Additional seconds for a server to check a file."""


def with_media_sent(connection: Connection, items: Iterable[CampaignItem]) -> list[CampaignItem]:
    """Upload the local media of items, each file once, and return the items with their uploads.

    Raises InvalidArgument before anything is sent if one of them cannot be read.
    """
    items = list(items)
    files = {item.media: _content(item) for item in items if is_of_this_machine(item.media)}
    names = {media: _send(connection, media, content) for media, content in files.items()}
    return [replace(item, media=names.get(item.media, item.media)) for item in items]


def is_of_this_machine(media: str) -> bool:
    """Return whether media are a local path, not an address or an upload."""
    return bool(media) and not media.startswith("media:") and "://" not in media


def _content(item: CampaignItem) -> FileContent:
    try:
        return FileContent(Path(item.media))
    except InvalidArgument as error:
        raise InvalidArgument(f"the media of {short(item.id)}: {error}") from None


def _send(connection: Connection, media: str, content: FileContent) -> str:
    try:
        found = connection.call(
            "POST",
            "media",
            content=content,
            kind="application/octet-stream",
            is_repeatable=True,
            extra_seconds=LONG,
        )
    except InvalidArgument as error:
        raise InvalidArgument(f"{visible(media)}: {error}") from None
    return str(found["media"])
