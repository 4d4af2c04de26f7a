"""How media go to a browser: which bytes of them, and what is said about them."""

from __future__ import annotations

import re

from hodgerank.errors import InvalidArgument
from hodgerank.server.media.kinds import KINDS

_RANGE = re.compile(r"bytes\s*=\s*(\d*)\s*-\s*(\d*)\s*", re.ASCII | re.IGNORECASE)
_MOST_DIGITS = 18  # more than any file has


class UnsatisfiableRange(InvalidArgument):
    """No byte of the file is in the range: 416, with `Content-Range: bytes */size`."""


def range_of(header: str | None, size: int) -> tuple[int, int] | None:
    """The first and the last byte that a Range header asks for; None for the whole file.

    Headers that are not understood, and those for several ranges, are passed over, as a server may
    do (RFC 9110, 14.2).

    >>> range_of("bytes=0-99", 1000), range_of("bytes=-100", 1000), range_of("lines=1-2", 1000)
    ((0, 99), (900, 999), None)
    """
    found = _RANGE.fullmatch(header.strip()) if header is not None else None
    if found is None:
        return None
    first, last = (_number(digits) for digits in found.groups())
    if first is None and last is None:
        return None
    if first is None:
        start, end = max(size - (last or 0), 0), size - 1
    else:
        start, end = first, size - 1 if last is None else min(last, size - 1)
        if last is not None and last < first:
            return None
    if start >= size:
        raise UnsatisfiableRange(f"there are {size:,} bytes: ask for some of them")
    return start, end


def _number(digits: str) -> int | None:
    if not digits:
        return None
    return int(digits) if len(digits) <= _MOST_DIGITS else 10**_MOST_DIGITS


def media_headers(name: str) -> dict[str, str]:
    """The headers of a file of the library, which never changes: another content has another name.

    It is shown and never run, and pages of others cannot use it.
    """
    file = name.removeprefix("media:")
    sha256, _, ending = file.partition(".")
    return {
        "Content-Type": KINDS[ending].media_type,
        "Content-Disposition": f'inline; filename="{file}"',
        "X-Content-Type-Options": "nosniff",
        "Content-Security-Policy": "default-src 'none'; sandbox",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Cache-Control": "private, max-age=31536000, immutable",
        "ETag": f'"{sha256}"',
        "Accept-Ranges": "bytes",
    }
