"""examine: a file is media that browsers show, whole, and nothing else beside."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from io import SEEK_END
from pathlib import Path
from typing import BinaryIO

from hodgerank.errors import InvalidArgument
from hodgerank.server.media.formats import (
    read_mp4,
    require_aac,
    require_flac,
    require_mp3,
    require_ogg,
    require_picture,
    require_wav,
    webm_tracks,
)
from hodgerank.server.media.kinds import DAMAGED, KINDS, N_FIRST, MediaKind, kind_of

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


PIECE = 1 << 20
_PLAYED = {b"avc1", b"avc3", b"av01", b"vp08", b"vp09", b"mp4a", b"Opus", b"fLaC", b".mp3"}
_SOUNDS: dict[str, Callable[[BinaryIO, int], None]] = {
    "wav": require_wav,
    "flac": require_flac,
    "ogg": require_ogg,
    "mp3": require_mp3,
    "aac": require_aac,
}


@dataclass(frozen=True)
class ValidatedFile:
    """A media file that passed validation.

    Attributes
    ----------
    kind, sha256, size
        Of its bytes.
    warning
        What may go wrong with it in some browsers; empty where nothing is known.
    """

    kind: MediaKind
    sha256: str
    size: int
    warning: str = ""

    @property
    def name(self) -> str:
        """Name of the file in items and in the library."""
        return f"media:{self.sha256}.{self.kind.ending}"


def validate_media(file: BinaryIO) -> ValidatedFile:
    """Validate a media file; InvalidArgument says why it is refused, and what to do.

    The bytes stay as they are: what is compared may be the quality of a picture.
    """
    size = file.seek(0, SEEK_END)
    file.seek(0)
    kind, warning = kind_of(file.read(N_FIRST)), ""
    digest = hashlib.sha256()
    require_nothing_hidden(_hashed(file, digest.update))
    if kind.what == "image":
        require_picture(file, kind)
    elif kind.ending in _SOUNDS:
        _SOUNDS[kind.ending](file, size)
    elif kind.ending == "webm":
        kind = KINDS["webm" if "video" in webm_tracks(file, size) else "weba"]
    else:
        kind, warning = _examined_mp4(file, size)
    return ValidatedFile(kind, digest.hexdigest(), size, warning)


def validate_file(path: Path) -> ValidatedFile:
    """Validate the media file at a path, as `validate_media` does."""
    with path.open("rb") as file:
        return validate_media(file)


def pieces(file: BinaryIO) -> Iterator[bytes]:
    """All of a file from where it stands, never much of it at once."""
    while piece := file.read(PIECE):
        yield piece


def _hashed(file: BinaryIO, update: Callable[[bytes], None]) -> Iterator[bytes]:
    file.seek(0)
    for piece in pieces(file):
        update(piece)
        yield piece


def _examined_mp4(file: BinaryIO, size: int) -> tuple[MediaKind, str]:
    found = read_mp4(file, size)
    if not found.handlers & {b"vide", b"soun"}:
        raise InvalidArgument(DAMAGED)
    others = found.codecs - _PLAYED - {b"tx3g", b"text", b"wvtt", b"tmcd", b"mett", b"rtp "}
    warning = ""
    if others:
        names = ", ".join(sorted(codec.decode("latin-1").strip() for codec in others))
        warning = f"some browsers do not play {names}: MP4 with H.264 and AAC plays everywhere"
    return KINDS["mp4" if b"vide" in found.handlers else "m4a"], warning
