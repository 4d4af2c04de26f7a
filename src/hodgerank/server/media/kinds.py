"""Kinds of media files, recognised by their first bytes rather than by their names."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from hodgerank.data.items.samples import image_kind
from hodgerank.errors import InvalidArgument

N_FIRST = 4096  # bytes that are looked at
CUT_OFF = "it is cut off: upload it again"
DAMAGED = "it is damaged: save it again"
What: TypeAlias = Literal["image", "video", "audio"]


@dataclass(frozen=True)
class MediaKind:
    """A kind of media that browsers show.

    Attributes
    ----------
    what
        The element that shows it: 'image', 'video' or 'audio'.
    media_type
        As HTTP names it.
    ending
        Of the names of such files, without the dot.
    """

    what: What
    media_type: str
    ending: str


KINDS = {
    kind.ending: kind
    for kind in (
        MediaKind("image", "image/png", "png"),
        MediaKind("image", "image/jpeg", "jpg"),
        MediaKind("image", "image/gif", "gif"),
        MediaKind("image", "image/webp", "webp"),
        MediaKind("image", "image/avif", "avif"),
        MediaKind("image", "image/bmp", "bmp"),
        MediaKind("video", "video/mp4", "mp4"),
        MediaKind("video", "video/webm", "webm"),
        MediaKind("audio", "audio/mpeg", "mp3"),
        MediaKind("audio", "audio/wav", "wav"),
        MediaKind("audio", "audio/flac", "flac"),
        MediaKind("audio", "audio/ogg", "ogg"),
        MediaKind("audio", "audio/mp4", "m4a"),
        MediaKind("audio", "audio/aac", "aac"),
        MediaKind("audio", "audio/webm", "weba"),
    )
}
_OTHER_ENDINGS = {"jpeg": "jpg", "apng": "png", "m4v": "mp4", "oga": "ogg", "opus": "ogg"}
_IMAGES = {"png": "png", "jpeg": "jpg", "gif": "gif", "webp": "webp"}  # as image_kind says it
# Two letters are little: the four bytes that are always 0 and the size of the header belong to it.
_BMP = re.compile(rb"BM.{4}\0{4}.{4}[\x0c\x28\x34\x38\x40\x6c\x7c]\0{3}", re.DOTALL)
# What an MP4 may be called; players go by any of these.
_MP4 = {b"isom", b"iso2", b"iso4", b"iso5", b"iso6", b"mp41", b"mp42", b"avc1", b"dash", b"M4V "}
_M4A = {b"M4A ", b"M4B "}
_HEIC = {b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1"}

REFUSED = [
    (re.compile(pattern, re.DOTALL | re.IGNORECASE), words)
    for pattern, words in (
        (rb"\s*<.*?svg\b", "SVG can carry scripts: save it as PNG or WebP"),
        (rb"\s*<", "it is a page or XML: save what it shows as PNG or WebP"),
        (rb"%PDF", "PDF can carry scripts: save its pages as PNG or WebP"),
        (rb"II\*\0|MM\0\*", "browsers do not show TIFF: save it as PNG or WebP"),
        (rb"\0\0\0\x0cJXL |\xff\x0a", "few browsers show JPEG XL: save it as PNG or WebP"),
        (rb"\0\0\0\x0cjP  |\xffO\xffQ", "browsers do not show JPEG 2000: save it as PNG or WebP"),
        (rb"8BPS", "browsers do not show PSD: save it as PNG or WebP"),
        (rb"PK(?:\x03\x04|\x05\x06)", "it is a zip or a document: save what it holds as files"),
        (rb"\x1f\x8b", "it is packed with gzip: unpack it first"),
        (rb"RIFF.{4}AVI ", "browsers do not play AVI: save it as MP4 or WebM"),
        (rb"\x30\x26\xb2\x75", "browsers do not play Windows Media: save it as MP4 or MP3"),
        (rb"FLV", "browsers do not play Flash video: save it as MP4 or WebM"),
        (rb"\0\0\x01[\xba\xb3]|G.{187}G", "browsers do not play MPEG-1 and -2: save it as MP4"),
        (rb"FORM.{4}AIF", "few browsers play AIFF: save it as WAV or FLAC"),
        (rb"MThd", "browsers do not play MIDI: save it as MP3 or Ogg"),
    )
]
NOT_MEDIA = (
    "it is not a picture, video or sound that browsers show: save it as PNG, JPEG, GIF, WebP, "
    "AVIF or BMP, as MP4 or WebM, or as MP3, WAV, FLAC, Ogg, M4A or AAC"
)


def kind_of(start: bytes) -> MediaKind:
    """The kind of a file that starts so, or InvalidArgument with what to do instead.

    Whether an MP4 or a WebM is a sound is told by its tracks, not by its start.

    >>> kind_of(b"GIF89a...").media_type
    'image/gif'
    """
    if not start:
        raise InvalidArgument("it is empty: upload it again")
    if found := image_kind(start):
        return KINDS[_IMAGES[found]]
    if start[4:8] == b"ftyp":
        return KINDS[_kind_of_boxes(start)]
    for ending, is_so in _SIGNS.items():
        if is_so(start):
            return KINDS[ending]
    beginning = start.removeprefix(b"\xef\xbb\xbf")
    for pattern, words in REFUSED:
        if pattern.match(beginning):
            raise InvalidArgument(words)
    raise InvalidArgument(NOT_MEDIA)


def kind_of_ending(name: str) -> MediaKind | None:
    """Guess the kind of a file from its name: for addresses, whose bytes are elsewhere."""
    ending = name.rpartition(".")[2].lower()
    return KINDS.get(_OTHER_ENDINGS.get(ending, ending))


def _kind_of_boxes(start: bytes) -> str:
    """The ending of a file in the boxes that MP4, AVIF and HEIC share."""
    size = int.from_bytes(start[:4], "big")
    if not 16 <= size <= N_FIRST or size % 4:
        raise InvalidArgument(DAMAGED)
    first, others = start[8:12], {start[k : k + 4] for k in range(16, size, 4)}
    brands = {first, *others}
    if brands & {b"avif", b"avis"}:
        return "avif"
    if brands & _HEIC:
        raise InvalidArgument("few browsers show HEIC: save it as JPEG or PNG")
    if first == b"qt  ":
        raise InvalidArgument("few browsers play QuickTime: save it as MP4")
    if brands & _M4A:
        return "m4a"
    if brands & _MP4:
        return "mp4"
    raise InvalidArgument("browsers do not play this kind of MP4: save it as MP4 with H.264")


def _is_mp3(start: bytes) -> bool:
    """An ID3 tag, or the sync bits of a frame of layer III."""
    is_frame = start[0] == 0xFF and len(start) > 1 and start[1] & 0xE6 == 0xE2
    return is_frame or (start[:3] == b"ID3" and start[3:4] in (b"\2", b"\3", b"\4"))


_SIGNS: dict[str, Callable[[bytes], bool]] = {
    "bmp": lambda start: _BMP.match(start) is not None,
    "wav": lambda start: start[:4] == b"RIFF" and start[8:12] == b"WAVE",
    "flac": lambda start: start[:4] == b"fLaC",
    "ogg": lambda start: start[:5] == b"OggS\0",
    "webm": lambda start: start[:4] == b"\x1aE\xdf\xa3",
    "aac": lambda start: start[0] == 0xFF and len(start) > 1 and start[1] & 0xF6 == 0xF0,
    "mp3": _is_mp3,
}
