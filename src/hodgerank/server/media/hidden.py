"""Files that are two things at once: a picture that is a page, a script or a zip as well."""

from __future__ import annotations

import re
from collections.abc import Iterable

from hodgerank.errors import InvalidArgument

# The beginnings are so long that the bytes of pixels and sounds do not hold one by chance: in 200
# MB of random bytes the likeliest of them, that of a drawing, is expected 0.0003 times.
_PAGE = re.compile(
    rb"<(?i:"
    rb"(?P<html>!doctype\s+html|(?:html|iframe|object|embed)[\s/>][\t-\r -~])"
    rb"|(?P<script>script[\s/>])"
    rb"|(?P<svg>!doctype\s+svg|svg[\s/>:][\t-\r -~]{4})"
    rb"|(?P<php>\?php\s)"
    rb"|(?P<handler>[a-z][^<>]{0,500}?[\s/\"']on(?:error|load|click|focus|begin|toggle|mouse[a-z]+)"
    rb"\s*=)"
    rb")"
)
_PDF = re.compile(rb"%PDF-\d")
_NAMES = {
    "html": "an HTML page",
    "script": "a script",
    "svg": "an SVG drawing",
    "php": "a PHP program",
    "handler": "an HTML page",
}
# First bytes that are letters to a script too: an assignment or a comment behind them makes the
# file one. In a JPEG it is the length of the first segment, in a GIF the width, and only some
# values are refused there, since any length and width is in use.
_SCRIPT = re.compile(
    rb"(?:GIF8[79]a|RIFF|BM)(?:/[*/]|=[\t-\r -~])"
    rb"|\xff(?:\xd8\xff[\xe0-\xff]|[\xe0-\xff])(?:/[*/]|=[\"'`/])"
)
_ZIP_DIRECTORY = b"PK\1\2"
_ZIP_END = b"PK\5\6"
_WITHIN_END = 22 + 65_535  # the last record of a zip and the longest comment behind it
_OVERLAP = 1024  # more than any of these beginnings has


def require_nothing_hidden(pieces: Iterable[bytes]) -> None:
    """Refuse a file that something else than its own program would read as a page or a zip."""
    window, n_before, has_directory, end = b"", 0, False, b""
    for piece in pieces:
        if n_before == 0 and not window and _SCRIPT.match(piece):
            raise InvalidArgument(
                "its first bytes can be read as a script: save it as PNG or WAV, or with another "
                "width or without metadata"
            )
        n_before += len(window)
        window = window[-_OVERLAP:] + piece
        n_before -= len(window) - len(piece)
        if found := _PAGE.search(window):
            raise _refused(_NAMES[str(found.lastgroup)], n_before + found.start())
        if found := _PDF.search(window):
            raise _refused("a PDF", n_before + found.start())
        has_directory = has_directory or _ZIP_DIRECTORY in window
        end = (end + piece)[-_WITHIN_END:]
    if has_directory and _ZIP_END in end:
        raise InvalidArgument(
            "it is a zip as well: save it again with a program that leaves nothing else in it"
        )


def _refused(what: str, place: int) -> InvalidArgument:
    return InvalidArgument(
        f"it holds the beginning of {what} at byte {place + 1:,}: save it again without metadata"
    )
