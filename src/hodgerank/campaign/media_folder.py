"""Where the media of a campaign lie, which items call 'media:<sha256>.<ending>'."""

from __future__ import annotations

import re
from pathlib import Path

from hodgerank.errors import InvalidArgument
from hodgerank.notebook import short

KEPT = re.compile(r"media:(([0-9a-f]{2})[0-9a-f]{62}\.[a-z0-9]+)")


def media_folder(address: str) -> Path:
    """The folder beside a file of campaigns; for PostgreSQL one in the current folder."""
    return Path("hodgerank-media" if "://" in address else f"{address}-media")


def media_file(folder: Path, media: str) -> Path | None:
    """Where something of that name lies; None for what is no name of kept media.

    >>> media_file(Path("m"), "a.png") is None
    True
    """
    found = KEPT.fullmatch(media)
    return None if found is None else folder / found[2] / found[1]


def local_media(address: str, media: str) -> Path:
    """Where the media of an item lie on this machine, for campaigns that are kept at an address.

    What is there is not looked at. InvalidArgument for addresses of the web.
    """
    if not media or "://" in media:
        raise InvalidArgument(f"{short(media) or 'nothing'} is not on this machine")
    return media_file(media_folder(address), media) or Path(media)
