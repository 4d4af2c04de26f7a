"""Names of uploaded files: they come from elsewhere, and are never a path of this machine."""

from __future__ import annotations

import re
import unicodedata

from hodgerank.errors import InvalidArgument
from hodgerank.notebook import shortened, visible

LONGEST_NAME = 1000
_DRIVE = re.compile(r"[A-Za-z]:")
_CLUTTER = {"__macosx", "thumbs.db", "desktop.ini"}


def shown(name: str) -> str:
    """A name for messages: in one line, all of it visible, not too long."""
    return shortened(visible(name), 80)


def clean_name(name: str) -> str:
    r"""A name with the folders it stands in, or InvalidArgument if it leads out of them.

    >>> clean_name("pictures\\./one.png")
    'pictures/one.png'
    """
    if "\0" in name:
        raise InvalidArgument("its name has a character that ends names: rename it")
    if len(name) > LONGEST_NAME:
        raise InvalidArgument(f"its name has more than {LONGEST_NAME:,} characters: rename it")
    parts = name.replace("\\", "/").split("/")
    if not parts[0] or _DRIVE.match(name):
        raise InvalidArgument("its name is a path from the root of a disk: pack it by its own name")
    if ".." in parts:
        raise InvalidArgument("its name leads out of the folder: pack it by its own name")
    proper = "/".join(part for part in parts if part not in ("", "."))
    if not proper:
        raise InvalidArgument("it has no name: give it one")
    return same_form(proper)


def same_form(name: str) -> str:
    """A name as it compares: some systems write é as one character, others as two."""
    return unicodedata.normalize("NFC", name)


def is_clutter(name: str) -> bool:
    """Whether systems leave such files in folders, and nobody means them."""
    parts = name.lower().replace("\\", "/").split("/")
    return any((part.startswith(".") and part.strip(".")) or part in _CLUTTER for part in parts)


def without_ending(name: str) -> str:
    """A name as the id of an item.

    >>> without_ending("dogs/a.b.png")
    'dogs/a.b'
    """
    folder, slash, last = name.rpartition("/")
    stem = last.rpartition(".")[0]
    return folder + slash + (stem or last)
