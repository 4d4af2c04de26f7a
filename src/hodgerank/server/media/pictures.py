"""Pictures are decoded to the last pixel: what is damaged or far too large is found here."""

from __future__ import annotations

import time
import warnings
from io import BytesIO
from typing import BinaryIO

from PIL import Image
from PIL.ImageFile import ImageFile

from hodgerank.errors import InvalidArgument
from hodgerank.server.media.kinds import DAMAGED, MediaKind

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
