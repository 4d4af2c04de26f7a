"""Addresses of media elsewhere: http and https, and nothing that means more than a place."""

from __future__ import annotations

import re
from urllib.parse import quote

from hodgerank.errors import InvalidArgument
from hodgerank.notebook import short

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
        raise InvalidArgument(f"{short(cell)} has more than {LONGEST_ADDRESS:,} characters: shorten it")
    if _WITH_USER.match(cell):
        raise InvalidArgument(f"{short(cell)} has a user name, which everybody would see: omit it")
    if found is None:
        raise InvalidArgument(
            f"{short(cell)} is no address of media: write http:// or https://, a host in ASCII "
            "letters, and a path"
        )
    return found[1].lower() + quote(found[2] or "/", safe=_KEPT)
