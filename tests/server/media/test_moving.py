"""Videos and sounds: their parts follow each other, and nothing is missing at the end."""

from __future__ import annotations

import io
import struct

import pytest

from hodgerank.errors import InvalidArgument
from hodgerank.server.media import formats
from hodgerank.server.media import formats as boxes
from hodgerank.server.media import formats as elements
from hodgerank.server.media.validation import validate_media
from server.media.made import (
    EVERY_KIND,
    aac,
    box,
    element,
    flac,
    id3,
    mp3,
    mp4,
    ogg,
    ogg_page,
    wav,
    webm,
)

FTYP = mp4()[:24]


def ending(content: bytes) -> str:
    return validate_media(io.BytesIO(content)).kind.ending


def refusal(content: bytes) -> str:
    with pytest.raises(InvalidArgument) as caught:
        validate_media(io.BytesIO(content))
    return str(caught.value)


@pytest.mark.parametrize("kind", ["mp4", "m4a", "webm", "weba", "wav", "ogg"])
def test_what_says_how_long_it_is_is_not_taken_when_it_is_cut_off(kind):
    content = EVERY_KIND[kind][1]()
    for share in (0.4, 0.7, 0.98):
        assert "cut off: upload it again" in refusal(content[: int(len(content) * share)])


def test_an_mp4_without_pictures_is_a_sound():
    assert ending(mp4(b"soun", b"mp4a")) == "m4a"
    assert ending(mp4(b"vide", b"avc1", b"M4A ")) == "mp4"


def test_an_mp4_may_be_in_fragments_and_long():
    long = struct.pack(">I", 1) + b"mdat" + struct.pack(">Q", 16 + 100) + bytes(100)
    open_end = struct.pack(">I", 0) + b"mdat" + bytes(100)
    assert ending(mp4(more=box(b"moof", bytes(20)) + long) + open_end) == "mp4"


def test_codecs_that_few_browsers_play_are_a_warning():
    assert "do not play hvc1" in validate_media(io.BytesIO(mp4(codec=b"hvc1"))).warning


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (FTYP, "damaged"),
        (FTYP + box(b"mdat", bytes(9)), "cut off"),
        (mp4()[:-508], "cut off"),
        (mp4(b"hint"), "damaged"),
        (FTYP + struct.pack(">I", 4) + b"moov" + bytes(99), "damaged"),
        (struct.pack(">I", 9999) + b"ftypisom" + bytes(99), "damaged"),
        (struct.pack(">I", 2**31) + b"ftypisom" + bytes(99), "damaged"),
    ],
)
def test_an_mp4_of_which_parts_are_missing_is_refused(content, words):
    assert words in refusal(content)


def test_boxes_in_boxes_without_end_are_refused(monkeypatch):
    nested = b""
    for _ in range(5000):
        nested = box(b"moov", nested)
    assert refusal(FTYP + nested + box(b"mdat"))
    monkeypatch.setattr(boxes, "MOST_BOXES", 50)
    assert "more than 50 parts" in refusal(mp4(more=box(b"free") * 50))


def test_a_webm_without_pictures_is_a_sound():
    assert ending(webm(b"\2\2")) == "weba"
    assert ending(webm(b"\2\1")) == "webm"
    assert ending(webm(is_open=True)) == "webm"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\x1aE\xdf\xa3", "damaged"),
        (b"\x1aE\xdf\xa3\x00\x00", "damaged"),
        (element(0x1A45DFA3, element(0x4282, b"webm")), "cut off"),
        (element(0x1A45DFA3, element(0x4282, b"webm")) * 2, "damaged"),
        (element(0x1A45DFA3) + element(0x18538067), "Matroska"),
        (webm(b"\x11"), "cut off"),
        (webm(b""), "cut off"),
    ],
)
def test_a_webm_of_which_parts_are_missing_is_refused(content, words):
    assert words in refusal(content)


def test_a_webm_of_endless_parts_is_refused(monkeypatch):
    monkeypatch.setattr(elements, "MOST_ELEMENTS", 50)
    header = element(0x1A45DFA3, element(0x4282, b"webm"))
    assert "more than 50 parts" in refusal(header + element(0x18538067, element(0xEC) * 51))


def test_a_wav_may_come_from_a_pipe():
    content = wav()
    place = content.index(b"data") + 4
    assert ending(content[:place] + b"\xff" * 4 + content[place + 4 :]) == "wav"


def test_a_wav_has_sound_and_its_form():
    content = wav()
    assert "damaged" in refusal(content.replace(b"fmt ", b"xxxx"))
    assert "cut off" in refusal(content[: content.index(b"data")])


def test_an_mp3_may_have_a_tag():
    assert ending(mp3(tag=id3(50))) == "mp3"
    assert ending(mp3(tag=id3(50) + bytes(500))) == "mp3"
    assert ending(mp3(1)) == "mp3"
    assert ending(b"\xff\xf3\x40\xc0" + bytes(100) + b"\xff\xf3\x40\xc0" + bytes(100)) == "mp3"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (id3(50), "cut off"),
        (id3(50)[:5], "damaged"),
        (b"ID3\x04\0\0\xff\xff\xff\xff" + bytes(99), "damaged"),
        (id3(50) + b"\0" * 100, "cut off"),
        (id3(50) + b"text", "damaged"),
        (b"\xff\xfb\x90\x00" + bytes(100), "damaged"),
        (b"\xff\xfb\x90\x00" + bytes(413) + b"text", "damaged"),
        (b"\xff\xfb\xf0\x00" + bytes(999), "damaged"),
        (aac(1)[:50], "damaged"),
        (aac(2) + b"text and more", "damaged"),
        (b"\xff\xf1\x50\x80\x00\x00\x00" + bytes(99), "damaged"),
        (flac()[:20], "cut off"),
        (flac()[:42], "cut off"),
        (flac()[:51], "cut off"),
        (flac().replace(b"\xff\xf8", b"\0\0"), "damaged"),
        (b"fLaC\4\0\0\5" + bytes(99), "damaged"),
        (ogg() + b"text", "damaged"),
        (ogg() + b"OggS\0", "cut off"),
        (ogg_page(b"OpusHead", True)[:29], "cut off"),
    ],
)
def test_a_sound_that_is_none_after_its_first_bytes_is_refused(content, words):
    assert words in refusal(content)


def test_endless_parts_of_sounds_are_refused(monkeypatch):
    monkeypatch.setattr(formats, "MOST_PARTS", 20)
    assert "damaged" in refusal(ogg() + ogg_page(b"") * 20)
    junk = b"JUNK\0\0\0\0" * 30
    assert "cut off" in refusal(wav()[:12] + junk + wav()[12:])
