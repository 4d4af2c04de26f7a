"""examine: a file is media that browsers show, whole, and nothing else beside."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import SEEK_END
from typing import BinaryIO

from hodgerank.errors import InvalidArgument
from hodgerank.server.media.hidden import require_nothing_hidden
from hodgerank.server.media.kinds import DAMAGED, KINDS, N_FIRST, MediaKind, kind_of
from hodgerank.server.media.mp4 import read_mp4
from hodgerank.server.media.pictures import require_picture
from hodgerank.server.media.sounds import (
    require_aac,
    require_flac,
    require_mp3,
    require_ogg,
    require_wav,
)
from hodgerank.server.media.webm import webm_tracks

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
class Examined:
    """What a file is.

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
        """What items and the library call it."""
        return f"media:{self.sha256}.{self.kind.ending}"


def examine(file: BinaryIO) -> Examined:
    """What a file is, or InvalidArgument with the reason why it is refused, and what to do.

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
    return Examined(kind, digest.hexdigest(), size, warning)


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
