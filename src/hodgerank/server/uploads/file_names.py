"""Names of uploaded files: they come from elsewhere, and are never a path of this machine."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from urllib.parse import quote

from hodgerank.display import short, shortened, visible
from hodgerank.errors import InvalidArgument

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


@dataclass(frozen=True)
class Limits:
    """How much one upload may hold.

    Attributes
    ----------
    largest_file, all_files
        Bytes of one file, and of all of them when they are unpacked.
    largest_table, largest_text
        Bytes of a table, and of the text of one item: these are held in memory.
    most_files, most_items
        Files in the upload, those in zips included; rows of a table.
    most_unpacked
        A file in a zip that has more than a few megabytes may be so many times as large as packed.
    """

    largest_file: int = 200 << 20
    all_files: int = 2 << 30
    largest_table: int = 50 << 20
    largest_text: int = 1 << 20
    most_files: int = 20_000
    most_items: int = 100_000
    most_unpacked: int = 200


LONGEST_ADDRESS = 2000
# Hosts go into a header of pages: letters, digits, dots and hyphens cannot end it early.
_ADDRESS = re.compile(
    r"(https?://[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::[0-9]{1,5})?)([/?#].*)?", re.I | re.ASCII
)
_SCHEME = re.compile(r"\w+://|(?:data|javascript|blob|file):", re.IGNORECASE)
_WITH_USER = re.compile(r"https?://[^/?#]*@", re.IGNORECASE)
_KEPT = "/?#[]@!$&'()*+,;=%:~"


def is_address(cell: str) -> bool:
    """Whether a cell is meant as an address, not as the name of a file."""
    return _SCHEME.match(cell) is not None


def proper_address(cell: str) -> str:
    """An address as browsers take it; what is not ASCII in its path is written with %.

    >>> proper_address("HTTPS://Example.org/a cat.png")
    'https://example.org/a%20cat.png'
    """
    found = _ADDRESS.fullmatch(cell) if cell.isprintable() else None
    if len(cell) > LONGEST_ADDRESS:
        raise InvalidArgument(
            f"{short(cell)} has more than {LONGEST_ADDRESS:,} characters: shorten it"
        )
    if _WITH_USER.match(cell):
        raise InvalidArgument(f"{short(cell)} has a user name, which everybody would see: omit it")
    if found is None:
        raise InvalidArgument(
            f"{short(cell)} is no address of media: write http:// or https://, a host in ASCII "
            "letters, and a path"
        )
    return found[1].lower() + quote(found[2] or "/", safe=_KEPT)
