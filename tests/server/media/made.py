"""Small media of every kind, and media that are something else as well."""

from __future__ import annotations

import io
import struct
import wave
import zipfile
import zlib
from collections.abc import Callable
from random import Random

from PIL import Image

ALERT = b"<script>alert(1)</script>"


def picture(form: str, size: tuple[int, int] = (16, 12), seed: int = 1, **options: object) -> bytes:
    """Noise, so that every seed gives another picture."""
    width, height = size
    pixels = Image.frombytes("RGB", size, Random(seed).randbytes(3 * width * height))
    file = io.BytesIO()
    pixels.save(file, form, **options)
    return file.getvalue()


def png(seed: int = 1) -> bytes:
    return picture("PNG", seed=seed)


def jpeg(seed: int = 1) -> bytes:
    return picture("JPEG", seed=seed)


def gif(n_frames: int = 1, size: tuple[int, int] = (8, 8)) -> bytes:
    frames = [Image.new("L", size, 5 * k % 256) for k in range(n_frames)]
    file = io.BytesIO()
    frames[0].save(file, "GIF", save_all=True, append_images=frames[1:], loop=0)
    return file.getvalue()


def png_chunk(name: bytes, content: bytes) -> bytes:
    checksum = zlib.crc32(name + content)
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", checksum)


def pixel_flood(width: int = 60_000, height: int = 60_000) -> bytes:
    """A PNG of some bytes that says it has billions of pixels."""
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = (b"IHDR", head), (b"IDAT", zlib.compress(bytes(1000))), (b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(png_chunk(*chunk) for chunk in chunks)


def wav(seconds: float = 0.1) -> bytes:
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setparams((1, 2, 8000, 0, "NONE", ""))
        sound.writeframes(bytes(2 * int(8000 * seconds)))
    return file.getvalue()


def box(name: bytes, *parts: bytes) -> bytes:
    content = b"".join(parts)
    return struct.pack(">I", 8 + len(content)) + name + content


def mp4(
    handler: bytes = b"vide", codec: bytes = b"avc1", brand: bytes = b"isom", more: bytes = b""
) -> bytes:
    """The boxes of an MP4 with one track."""
    described = box(b"stsd", bytes(4), struct.pack(">I", 1), box(codec, bytes(70)))
    track = box(
        b"trak",
        box(b"tkhd", bytes(84)),
        box(
            b"mdia",
            box(b"hdlr", bytes(8), handler, bytes(13)),
            box(b"minf", box(b"stbl", described)),
        ),
    )
    return b"".join(
        (
            box(b"ftyp", brand, bytes(4), brand, b"mp41"),
            box(b"moov", box(b"mvhd", bytes(100)), track),
            more,
            box(b"mdat", bytes(500)),
        )
    )


def element(name: int, *parts: bytes, is_open: bool = False) -> bytes:
    content = b"".join(parts)
    length = (1 << 56) - 1 if is_open else len(content)
    head = name.to_bytes((name.bit_length() + 7) // 8, "big")
    return head + (1 << 56 | length).to_bytes(8, "big") + content


def webm(types: bytes = b"\1", doc_type: bytes = b"webm", is_open: bool = False) -> bytes:
    """The elements of a WebM with tracks of these types."""
    tracks = [element(0xAE, element(0x83, bytes([kind]))) for kind in types]
    parts = element(0x1654AE6B, *tracks), element(0x1F43B675, bytes(300), is_open=is_open)
    header = element(0x1A45DFA3, element(0x4282, doc_type))
    return header + element(0x18538067, *parts, is_open=is_open)


def ogg_page(content: bytes, is_first: bool = False) -> bytes:
    sizes = [255] * (len(content) // 255) + [len(content) % 255]
    head = b"OggS\0" + bytes([2 if is_first else 0]) + bytes(20) + bytes([len(sizes)])
    return head + bytes(sizes) + content


def ogg(codec: bytes = b"OpusHead") -> bytes:
    return ogg_page(codec + bytes(11), True) + ogg_page(bytes(700)) + ogg_page(b"")


def flac() -> bytes:
    info = bytes([0, 0, 0, 34]) + bytes(34)
    return b"fLaC" + info + bytes([0x81, 0, 0, 5]) + bytes(5) + b"\xff\xf8" + bytes(200)


def mp3(n_frames: int = 6, tag: bytes = b"") -> bytes:
    frame = b"\xff\xfb\x90\x00" + bytes(413)  # 128 kbit/s and 44.1 kHz: 417 bytes
    return tag + frame * n_frames


def id3(size: int = 50) -> bytes:
    return b"ID3\x04\0\0" + bytes([0, 0, size >> 7, size & 127]) + bytes(size)


def aac(n_frames: int = 6) -> bytes:
    length = 100
    head = bytes([0xFF, 0xF1, 0x50, 0x80 | length >> 11, length >> 3 & 255, (length & 7) << 5, 0])
    return (head + bytes(length - 7)) * n_frames


def zipped(files: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in files.items():
            packed.writestr(name, content)
    return file.getvalue()


EVERY_KIND: dict[str, tuple[str, Callable[[], bytes]]] = {
    "png": ("image/png", png),
    "jpg": ("image/jpeg", jpeg),
    "gif": ("image/gif", gif),
    "webp": ("image/webp", lambda: picture("WEBP")),
    "avif": ("image/avif", lambda: picture("AVIF")),
    "bmp": ("image/bmp", lambda: picture("BMP")),
    "mp4": ("video/mp4", mp4),
    "webm": ("video/webm", webm),
    "mp3": ("audio/mpeg", mp3),
    "wav": ("audio/wav", wav),
    "flac": ("audio/flac", flac),
    "ogg": ("audio/ogg", ogg),
    "m4a": ("audio/mp4", lambda: mp4(b"soun", b"mp4a", b"M4A ")),
    "aac": ("audio/aac", aac),
    "weba": ("audio/webm", lambda: webm(b"\2")),
}


def jpeg_with_comment(comment: bytes) -> bytes:
    plain = jpeg()
    segment = b"\xff\xfe" + struct.pack(">H", len(comment) + 2) + comment
    return plain[:2] + segment + plain[2:]


def jpeg_that_is_a_script() -> bytes:
    """A JPEG whose first segment is as long as the two letters that begin a comment."""
    plain = jpeg()
    length = int.from_bytes(b"/*", "big")
    closing = b"*/=alert(1);/*"
    body = plain[6:20] + bytes(length - 2 - 14 - len(closing)) + closing
    return plain[:4] + b"/*" + body + plain[20:] + b"*/"


def gif_that_is_a_script() -> bytes:
    """A GIF as wide as the two letters that begin a comment; the script is behind its end."""
    file = io.BytesIO()
    Image.new("L", (int.from_bytes(b"/*", "little"), 1)).save(file, "GIF")
    return file.getvalue() + b"*/=1;alert(document.domain)//"


# Each is a proper picture or sound for its own program, and something else for another.
TWO_THINGS_AT_ONCE: dict[str, tuple[Callable[[], bytes], str]] = {
    "PNG with a page behind it": (lambda: png() + b"<html><body>" + ALERT, "HTML page"),
    "PNG with a script in its text": (
        lambda: png()[:33] + png_chunk(b"tEXt", b"Comment\0" + ALERT) + png()[33:],
        "a script",
    ),
    "PNG that is a zip": (lambda: png() + zipped({"a.txt": b"x"}), "a zip as well"),
    "JPEG with a page in its comment": (
        lambda: jpeg_with_comment(b"<HTML ><img src=x onerror=alert(1)>"),
        "HTML page",
    ),
    "JPEG with a handler": (
        lambda: jpeg_with_comment(b"<img src=x onerror =alert(1)>"),
        "HTML page",
    ),
    "JPEG with a drawing": (
        lambda: jpeg_with_comment(b"<svg/onload=alert(1)>"),
        "SVG drawing",
    ),
    "JPEG with PHP": (lambda: jpeg_with_comment(b"<?php system($_GET[0]);?>"), "a PHP program"),
    "JPEG with a PDF": (lambda: jpeg_with_comment(b"%PDF-1.7\n1 0 obj"), "a PDF"),
    "JPEG that is a script": (jpeg_that_is_a_script, "read as a script"),
    "GIF that is a script": (gif_that_is_a_script, "read as a script"),
    "GIF with a script behind it": (lambda: gif() + ALERT, "a script"),
    "WebP that is a zip": (lambda: picture("WEBP") + zipped({"a": b"x"}), "a zip as well"),
    "WAV with a page": (lambda: wav() + b"<!DOCTYPE  html><title>x", "HTML page"),
    "MP3 with a page in its tag": (lambda: mp3(tag=id3(50)[:10] + ALERT + bytes(25)), "a script"),
    "MP4 with a page": (lambda: mp4(more=box(b"free", ALERT)), "a script"),
    "BMP that is a zip": (lambda: picture("BMP") + zipped({"a": b"x"}), "a zip as well"),
}

SVG = b'<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
# What browsers do not show, or what could act there, and a part of what is said.
NOT_TAKEN: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "it is empty: upload it again"),
    "SVG": (SVG, "SVG can carry scripts: save it as PNG or WebP"),
    "SVG with a mark in front": (b"\xef\xbb\xbf \n" + SVG, "SVG can carry scripts"),
    "SVG in capitals": (b"<!-- x --><SVG onload=alert(1)>", "SVG can carry scripts"),
    "page": (b"\n<!doctype html><p>x", "it is a page or XML"),
    "PDF": (b"%PDF-1.7\n", "PDF can carry scripts"),
    "HEIC": (box(b"ftyp", b"heic", bytes(4), b"mif1heic"), "HEIC: save it as JPEG or PNG"),
    "TIFF": (b"II*\0" + bytes(50), "TIFF: save it as PNG or WebP"),
    "JPEG XL": (b"\xff\x0a" + bytes(50), "JPEG XL"),
    "JPEG 2000": (b"\0\0\0\x0cjP  \r\n", "JPEG 2000"),
    "PSD": (b"8BPS\0\1", "PSD"),
    "zip": (zipped({"a.png": b"x"}), "it is a zip or a document"),
    "gzip": (b"\x1f\x8b\x08", "unpack it first"),
    "QuickTime": (box(b"ftyp", b"qt  ", bytes(4), b"qt  "), "QuickTime: save it as MP4"),
    "strange boxes": (box(b"ftyp", b"xxxx", bytes(4), b"yyyy"), "this kind of MP4"),
    "Matroska": (webm(doc_type=b"matroska"), "Matroska: save it as WebM or MP4"),
    "AVI": (b"RIFF\x10\0\0\0AVI LIST", "AVI: save it as MP4 or WebM"),
    "Windows Media": (b"\x30\x26\xb2\x75\x8e\x66", "Windows Media"),
    "Flash": (b"FLV\x01", "Flash video"),
    "MPEG": (b"\0\0\1\xba" + bytes(20), "MPEG-1"),
    "AIFF": (b"FORM\0\0\0\x10AIFF", "AIFF: save it as WAV or FLAC"),
    "MIDI": (b"MThd\0\0", "MIDI"),
    "Theora": (ogg(b"\x80theora"), "videos in Ogg: save it as WebM or MP4"),
    "another Ogg": (ogg(b"\0\0\0\0\0\0\0\0"), "this kind of Ogg"),
    "words": (b"hello", "it is not a picture, video or sound that browsers show"),
    "one byte": (b"\xff", "it is not a picture"),
}
