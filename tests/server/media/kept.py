"""What a library of media holds."""

from __future__ import annotations

from pathlib import Path


def names_in(folder: Path) -> list[str]:
    """What media in it are called."""
    found = folder.glob("[0-9a-f][0-9a-f]/*")
    return sorted(f"media:{path.name}" for path in found if len(path.stem) == 64)
