"""Where the media of a campaign lie, which items call 'media:<sha256>.<ending>'."""

from __future__ import annotations

import re
from pathlib import Path

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
