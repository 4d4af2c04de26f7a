"""Pictures decode wholly, or are refused."""

from __future__ import annotations

import io
import struct
import time

import pytest
from PIL import Image

from hodgerank.errors import InvalidArgument
from hodgerank.server.media import formats
from hodgerank.server.media.formats import require_picture
from hodgerank.server.media.kinds import KINDS
from hodgerank.server.media.validation import validate_media
from server.media.made import EVERY_KIND, gif, picture, pixel_flood, png, png_chunk

PICTURES = [ending for ending, kind in KINDS.items() if kind.what == "image"]


def refusal(content: bytes) -> str:
    with pytest.raises(InvalidArgument) as caught:
        validate_media(io.BytesIO(content))
    return str(caught.value)


@pytest.mark.parametrize("ending", PICTURES)
def test_a_picture_that_is_cut_off_is_refused(ending):
    content = EVERY_KIND[ending][1]()
    for share in (0.3, 0.6, 0.9):
        assert refusal(content[: int(len(content) * share)])


def test_a_png_with_a_wrong_checksum_is_refused():
    content = bytearray(picture("PNG", (40, 40)))
    place = content.index(b"IDAT") + 30
    content[place] ^= 1
    assert "damaged" in refusal(bytes(content))


@pytest.mark.parametrize("size", [(60_000, 60_000), (100_000_001, 1), (13_000, 8_000)])
def test_a_flood_of_pixels_is_refused_before_it_is_decoded(size):
    start = time.process_time()
    assert "more than 100 million pixels: make it smaller" in refusal(pixel_flood(*size))
    assert time.process_time() - start < 1


def test_so_many_pixels_and_no_more_are_taken(monkeypatch):
    monkeypatch.setattr(formats, "MOST_PIXELS", 192)
    validate_media(io.BytesIO(png()))  # of 16 x 12
    assert "million pixels" in refusal(picture("PNG", (16, 13)))


def test_a_gif_larger_than_it_says_is_refused():
    content = bytearray(gif())
    place = content.index(b"\x2c") + 5  # the width of its frame
    content[place : place + 4] = struct.pack("<HH", 60_000, 60_000)
    assert refusal(bytes(content))


def test_animations_are_taken_up_to_a_number_of_frames(monkeypatch):
    monkeypatch.setattr(formats, "MOST_FRAMES", 12)
    assert validate_media(io.BytesIO(gif(12))).kind.ending == "gif"
    assert "more than 12 frames: save it as a video" in refusal(gif(13))


def test_animations_are_taken_up_to_a_number_of_pixels(monkeypatch):
    monkeypatch.setattr(formats, "MOST_PIXELS_OF_ALL_FRAMES", 640)
    validate_media(io.BytesIO(gif(10)))
    assert "too many pixels in all" in refusal(gif(11))


@pytest.mark.parametrize("ending", PICTURES)
def test_a_picture_that_takes_too_long_is_refused(ending):
    content = EVERY_KIND[ending][1]()
    with pytest.raises(InvalidArgument, match="more than -1 s to decode"):
        require_picture(io.BytesIO(content), KINDS[ending], seconds=-1)


def test_a_decoder_without_memory_refuses(monkeypatch):
    def without_memory(*_, **__):
        raise MemoryError

    monkeypatch.setattr(Image, "open", without_memory)
    assert "not enough memory" in refusal(png())


def test_a_picture_may_be_of_another_mode():
    for mode in ("1", "L", "LA", "P", "RGBA", "I;16"):
        file = io.BytesIO()
        Image.new(mode, (9, 9)).save(file, "PNG")
        assert validate_media(file).kind.ending == "png"
    file = io.BytesIO()
    Image.new("CMYK", (9, 9)).save(file, "JPEG")
    assert validate_media(file).kind.ending == "jpg"


def test_chunks_that_nobody_knows_do_not_matter():
    content = png()
    assert validate_media(io.BytesIO(content[:33] + png_chunk(b"zzZz", b"x" * 99) + content[33:]))
