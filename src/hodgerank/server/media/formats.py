"""MP4: boxes within boxes, and what its tracks are."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from io import BytesIO
from typing import BinaryIO, NamedTuple

from PIL import Image
from PIL.ImageFile import ImageFile

from hodgerank.errors import InvalidArgument
from hodgerank.server.media.kinds import CUT_OFF, DAMAGED, MediaKind

MOST_BOXES = 100_000
_HOLDERS = {b"moov", b"trak", b"mdia", b"minf", b"stbl"}  # each stands in the one before
_DEPTH = len(_HOLDERS)


class Box(NamedTuple):
    """A box without its head: from `start` up to `end`."""

    name: bytes
    start: int
    end: int


@dataclass
class Boxes:
    """Contents of the boxes of an MP4 file.

    Attributes
    ----------
    names
        Of all boxes that were met.
    handlers
        What tracks are: b'vide', b'soun' and others.
    codecs
        How they are coded: b'avc1', b'mp4a' and others.
    """

    names: set[bytes] = field(default_factory=set)
    handlers: set[bytes] = field(default_factory=set)
    codecs: set[bytes] = field(default_factory=set)
    n_boxes: int = 0


def read_mp4(file: BinaryIO, size: int) -> Boxes:
    """Walk through a file; what does not fit into it is refused."""
    found = Boxes()
    _walk(file, 0, size, found, _DEPTH)
    if b"moov" not in found.names or not found.handlers:
        raise InvalidArgument(CUT_OFF if b"mdat" in found.names else DAMAGED)
    if b"mdat" not in found.names:
        raise InvalidArgument(CUT_OFF)
    return found


def _walk(file: BinaryIO, start: int, end: int, found: Boxes, depth: int) -> None:
    for box in _boxes(file, start, end):
        found.n_boxes += 1
        if found.n_boxes > MOST_BOXES:
            raise InvalidArgument(f"it has more than {MOST_BOXES:,} parts: save it again as MP4")
        found.names.add(box.name)
        if box.name in _HOLDERS and depth:
            _walk(file, box.start, box.end, found, depth - 1)
        elif box.name == b"hdlr":
            found.handlers.add(_read_at(file, box.start + 8, 4))
        elif box.name == b"stsd":
            found.codecs.add(_read_at(file, box.start + 12, 4))


def _boxes(file: BinaryIO, start: int, end: int) -> Iterator[Box]:
    while end - start >= 8:
        head = _read_at(file, start, 16)
        length, name, n_head = int.from_bytes(head[:4], "big"), head[4:8], 8
        if length == 1:
            length, n_head = int.from_bytes(head[8:16], "big"), 16
        elif length == 0:
            length = end - start
        if length < n_head:
            raise InvalidArgument(DAMAGED)
        if start + length > end:
            raise InvalidArgument(CUT_OFF)
        yield Box(name, start + n_head, start + length)
        start += length


def _read_at(file: BinaryIO, place: int, n: int) -> bytes:
    file.seek(place)
    return file.read(n)


MOST_ELEMENTS = 100_000
_HEADER, _DOC_TYPE, _SEGMENT, _CLUSTER = 0x1A45DFA3, 0x4282, 0x18538067, 0x1F43B675
_TRACKS, _TRACK, _TRACK_TYPE = 0x1654AE6B, 0xAE, 0x83
_TYPES = {b"\1": "video", b"\2": "audio"}


class Element(NamedTuple):
    """An element without its head: from `start` up to `end`."""

    id: int
    start: int
    end: int


def webm_tracks(file: BinaryIO, size: int) -> set[str]:
    """The tracks of a file: 'video', 'audio', or both."""
    tops = list(_elements(file, 0, size))
    if len(tops) < 2 or [top.id for top in tops[:2]] != [_HEADER, _SEGMENT]:
        raise InvalidArgument(CUT_OFF if len(tops) == 1 else DAMAGED)
    named = [e for e in _elements(file, tops[0].start, tops[0].end) if e.id == _DOC_TYPE]
    if not named or _content(file, named[0]).rstrip(b"\0") != b"webm":
        raise InvalidArgument("few browsers play Matroska: save it as WebM or MP4")
    tracks: set[str] = set()
    has_cluster = False
    for part in _elements(file, tops[1].start, tops[1].end):
        has_cluster = has_cluster or part.id == _CLUSTER
        if part.id == _TRACKS:
            for track in _elements(file, part.start, part.end):
                if track.id == _TRACK:
                    tracks |= _types_of(file, track)
    if not tracks or not has_cluster:
        raise InvalidArgument(CUT_OFF)
    return tracks


def _types_of(file: BinaryIO, track: Element) -> set[str]:
    types = [e for e in _elements(file, track.start, track.end) if e.id == _TRACK_TYPE]
    return {_TYPES[kind] for e in types if (kind := _content(file, e)[-1:]) in _TYPES}


def _content(file: BinaryIO, element: Element) -> bytes:
    file.seek(element.start)
    return file.read(min(element.end - element.start, 64))


def _elements(file: BinaryIO, start: int, end: int) -> Iterator[Element]:
    n = 0
    while start < end:
        n += 1
        if n > MOST_ELEMENTS:
            raise InvalidArgument(f"it has more than {MOST_ELEMENTS:,} parts: save it again")
        file.seek(start)
        head = file.read(12)
        n_id = _n_bytes(head[:1])
        n_length = _n_bytes(head[n_id : n_id + 1])
        if n_id > 4 or len(head) < n_id + n_length:
            raise InvalidArgument(DAMAGED)
        all_ones = (1 << 7 * n_length) - 1
        length = int.from_bytes(head[n_id : n_id + n_length], "big") & all_ones
        start += n_id + n_length
        if length == all_ones:  # it was not known when this was written
            length = end - start
        if start + length > end:
            raise InvalidArgument(CUT_OFF)
        yield Element(int.from_bytes(head[:n_id], "big"), start, start + length)
        start += length


def _n_bytes(first: bytes) -> int:
    """How many bytes a number has whose first one this is: as many as it has zeros in front."""
    if not first or not first[0]:
        raise InvalidArgument(DAMAGED)
    return 9 - first[0].bit_length()


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


MOST_PIXELS = 100_000_000
MOST_FRAMES = 1_000
MOST_PIXELS_OF_ALL_FRAMES = 1_000_000_000
MOST_SECONDS = 30.0
_PIECE = 1 << 11  # bytes of a JPEG between two looks at the clock: some are a second of work
_TOO_LARGE = f"it has more than {MOST_PIXELS // 10**6} million pixels: make it smaller"
_READERS = {"png": "PNG", "jpg": "JPEG", "gif": "GIF", "webp": "WEBP", "avif": "AVIF", "bmp": "BMP"}

# Both are of the whole process: to set them for a moment would not be safe among threads.
Image.MAX_IMAGE_PIXELS = MOST_PIXELS
warnings.simplefilter("error", Image.DecompressionBombWarning)


class _TooSlow(Exception):
    """The time for one picture is over."""


class _Hurried:
    """A file that cannot be read any more when the time is over.

    Decoders read in pieces, so that this ends what no thread could end: a small file may ask for
    hours of work.
    """

    def __init__(self, file: BinaryIO, ends_at: float) -> None:
        self._file = file
        self._ends_at = ends_at
        self.seek, self.tell = file.seek, file.tell

    def read(self, size: int = -1) -> bytes:
        if time.monotonic() > self._ends_at:
            raise _TooSlow
        return self._file.read(size)


def require_picture(file: BinaryIO, kind: MediaKind, seconds: float = MOST_SECONDS) -> None:
    """Refuse what does not decode wholly, or takes too much room or time."""
    ends_at = time.monotonic() + seconds
    try:
        if kind.ending == "png":  # the decoder passes over the checksums
            with _opened(file, kind, ends_at) as image:
                image.verify()
        with _opened(file, kind, ends_at) as image:
            _decode(image, ends_at)
    except InvalidArgument:
        raise
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise InvalidArgument(_TOO_LARGE) from None
    except _TooSlow:
        raise InvalidArgument(
            f"it takes more than {seconds:g} s to decode: save it in a simpler form"
        ) from None
    except MemoryError:
        raise InvalidArgument("there is not enough memory to decode it: make it smaller") from None
    except Exception:  # whatever a decoder meets in bytes that somebody made up
        raise InvalidArgument(DAMAGED) from None


def _opened(file: BinaryIO, kind: MediaKind, ends_at: float) -> ImageFile:
    file.seek(0)
    reader = _READERS[kind.ending]
    if reader in ("WEBP", "AVIF"):  # these are read in one go anyway
        return Image.open(BytesIO(file.read()), formats=[reader])
    image = Image.open(_Hurried(file, ends_at), formats=[reader])  # type: ignore[arg-type]
    if reader == "JPEG":
        image.decodermaxblock = _PIECE
    return image


def _decode(image: ImageFile, ends_at: float) -> None:
    n_pixels = 0
    for frame in range(MOST_FRAMES + 1):
        try:
            image.seek(frame)
        except EOFError:
            return
        if frame == MOST_FRAMES:
            raise InvalidArgument(f"it has more than {MOST_FRAMES:,} frames: save it as a video")
        width, height = image.size
        n_pixels += width * height
        if width * height > MOST_PIXELS:
            raise InvalidArgument(_TOO_LARGE)
        if n_pixels > MOST_PIXELS_OF_ALL_FRAMES:
            raise InvalidArgument("its frames have too many pixels in all: save it as a video")
        if time.monotonic() > ends_at:
            raise _TooSlow
        image.load()
