"""Sending media: files that items show go to the server before the items do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from hodgerank.campaign.items import CampaignItem
from hodgerank.campaign.remote.connection import Connection
from hodgerank.campaign.remote.file_content import FileContent
from hodgerank.errors import InvalidArgument
from hodgerank.notebook import short, visible

LONG = 600.0
"""Seconds more that a server may look at a file."""


def with_media_sent(connection: Connection, items: Iterable[CampaignItem]) -> list[CampaignItem]:
    """Items whose media are addresses and uploads: files of this machine are sent, each once.

    InvalidArgument before anything is sent where one of them cannot be read.
    """
    items = list(items)
    files = {item.media: _content(item) for item in items if is_of_this_machine(item.media)}
    names = {media: _send(connection, media, content) for media, content in files.items()}
    return [replace(item, media=names.get(item.media, item.media)) for item in items]


def is_of_this_machine(media: str) -> bool:
    """Whether media are a path, not an address or the name of an upload."""
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
