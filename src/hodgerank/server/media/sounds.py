"""WAV, FLAC, Ogg, MP3 and AAC: whether their parts follow each other as they should."""

from __future__ import annotations

from collections.abc import Callable
from typing import BinaryIO

from hodgerank.errors import InvalidArgument
from hodgerank.server.media.kinds import CUT_OFF, DAMAGED

MOST_PARTS = 1_000_000
_NOT_KNOWN = (0, 0xFFFFFFFF)  # a length that was not known when it was written
_N_FRAMES = 4  # in a row: by chance there is no second one
_BIT_RATES = (
    (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320),
    (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
)
_SAMPLE_RATES = {3: (44100, 48000, 32000), 2: (22050, 24000, 16000), 0: (11025, 12000, 8000)}
_OGG_SOUNDS = (b"\x01vorbis", b"OpusHead", b"\x7fFLAC", b"Speex   ")


def require_wav(file: BinaryIO, size: int) -> None:
    """Chunks up to the data, which are all there."""
    start, n_chunks = 12, 0
    names: set[bytes] = set()
    while size - start >= 8 and n_chunks < MOST_PARTS:
        file.seek(start)
        name, length = file.read(4), int.from_bytes(file.read(4), "little")
        names.add(name)
        if name == b"data" and length in _NOT_KNOWN:
            length = size - start - 8
        if start + 8 + length > size:
            raise InvalidArgument(CUT_OFF)
        start, n_chunks = start + 8 + length + length % 2, n_chunks + 1
    if not {b"fmt ", b"data"} <= names:
        raise InvalidArgument(DAMAGED if b"data" in names else CUT_OFF)


def require_flac(file: BinaryIO, size: int) -> None:
    """Blocks of metadata, and a frame behind them."""
    start, is_last = 4, False
    while not is_last:
        file.seek(start)
        head = file.read(4)
        if len(head) < 4:
            raise InvalidArgument(CUT_OFF)
        if start == 4 and (head[0] & 0x7F, head[3]) != (0, 34):
            raise InvalidArgument(DAMAGED)
        is_last = head[0] >= 0x80
        start += 4 + int.from_bytes(head[1:], "big")
    file.seek(start)
    if file.read(2) not in (b"\xff\xf8", b"\xff\xf9"):
        raise InvalidArgument(DAMAGED if start < size else CUT_OFF)


def require_ogg(file: BinaryIO, size: int) -> None:
    """Pages up to the end, of sounds that browsers know."""
    start, n_pages, has_sound = 0, 0, False
    while start < size:
        file.seek(start)
        head = file.read(27)
        n_segments = head[26] if len(head) == 27 else 0
        segments = file.read(n_segments)
        length = 27 + n_segments + sum(segments)
        if head[:5] != b"OggS\0"[: len(head)] or n_pages == MOST_PARTS:
            raise InvalidArgument(DAMAGED)
        if len(head) < 27 or start + length > size:
            raise InvalidArgument(CUT_OFF)
        if head[5] & 2:  # the first page of a stream names its codec
            codec = file.read(8)
            has_sound = has_sound or codec.startswith(_OGG_SOUNDS)
            if codec.startswith((b"\x80theora", b"BBCD", b"OVP80")):
                raise InvalidArgument("few browsers play videos in Ogg: save it as WebM or MP4")
        start, n_pages = start + length, n_pages + 1
    if not has_sound:
        raise InvalidArgument("browsers do not play this kind of Ogg: save it as Opus or MP3")


def require_mp3(file: BinaryIO, size: int) -> None:
    """A tag perhaps, and frames of layer III."""
    start = 0
    file.seek(0)
    head = file.read(10)
    if head[:3] == b"ID3":
        if len(head) < 10 or max(head[6:10]) >= 0x80:
            raise InvalidArgument(DAMAGED)
        n_tag = sum(byte << shift for byte, shift in zip(head[6:10], (21, 14, 7, 0), strict=True))
        start = 10 + n_tag + (10 if head[5] & 0x10 else 0)
        if start >= size:
            raise InvalidArgument(CUT_OFF)
        file.seek(start)
        padding = file.read(1 << 16)
        start += len(padding) - len(padding.lstrip(b"\0"))
    _require_frames(file, start, size, _mp3_length)


def require_aac(file: BinaryIO, size: int) -> None:
    """Frames with ADTS heads."""
    _require_frames(file, 0, size, _aac_length)


def _require_frames(
    file: BinaryIO, start: int, size: int, length_of: Callable[[bytes], int]
) -> None:
    n_frames = 0
    while n_frames < _N_FRAMES and start < size:
        file.seek(start)
        length = length_of(file.read(7))
        if length == 0 or (n_frames == 0 and start + length > size):
            raise InvalidArgument(DAMAGED)
        start, n_frames = start + length, n_frames + 1
    if n_frames == 0:
        raise InvalidArgument(CUT_OFF)


def _mp3_length(head: bytes) -> int:
    """Bytes of a frame of layer III; 0 if it is none."""
    if len(head) < 4 or head[0] != 0xFF or head[1] & 0xE6 != 0xE2:
        return 0
    version, rate, frequency = head[1] >> 3 & 3, head[2] >> 4, head[2] >> 2 & 3
    if version == 1 or rate in (0, 15) or frequency == 3:
        return 0
    is_first = version == 3
    bit_rate = _BIT_RATES[0 if is_first else 1][rate] * 1000
    samples = 144 if is_first else 72
    return samples * bit_rate // _SAMPLE_RATES[version][frequency] + (head[2] >> 1 & 1)


def _aac_length(head: bytes) -> int:
    """Bytes of a frame of AAC; 0 if it is none."""
    if len(head) < 7 or head[0] != 0xFF or head[1] & 0xF6 != 0xF0 or head[2] >> 2 & 15 > 12:
        return 0
    length = (head[3] & 3) << 11 | head[4] << 3 | head[5] >> 5
    return length if length >= 7 else 0
