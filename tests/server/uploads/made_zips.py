"""Zips as nobody should make them."""

from __future__ import annotations

import io
import stat
import struct
import zipfile
import zlib


def zip_of(files: dict[str | zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as packed:
        for name, content in files.items():
            packed.writestr(name, content)
    return file.getvalue()


def entry(name: str, kind: int = stat.S_IFREG) -> zipfile.ZipInfo:
    """A file of some kind: a link, a pipe, a device."""
    info = zipfile.ZipInfo(name)
    info.create_system = 3
    info.external_attr = (kind | 0o644) << 16
    return info


def patched(content: bytes, old: bytes, new: bytes) -> bytes:
    """A zip in which a name is another one of the same length."""
    assert len(old) == len(new)
    assert content.count(old) >= 2
    return content.replace(old, new)


def encrypted(name: str) -> bytes:
    """A zip that says of its file that it is encrypted."""
    content = bytearray(zip_of({name: b"secret"}))
    content[6] |= 1
    directory = content.index(b"PK\1\2")
    content[directory + 8] |= 1
    return bytes(content)


def overlapping(n_files: int = 50, size: int = 1_000_000) -> bytes:
    """Many names for the same packed bytes: the zip is small, and what it unpacks to is not."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    content = bytes(size)
    packed = packer.compress(content) + packer.flush()
    checksum = zlib.crc32(content)
    numbers = struct.pack("<III", checksum, len(packed), size)
    head = b"PK\3\4" + struct.pack("<HHHHH", 20, 0, 8, 0, 0) + numbers
    body = head + struct.pack("<HH", 5, 0) + b"a.txt" + packed
    one = b"PK\1\2" + struct.pack("<HHHHHH", 20, 20, 0, 8, 0, 0) + numbers
    one += struct.pack("<HHHHHII", 5, 0, 0, 0, 0, 0, 0) + b"a.txt"
    end = struct.pack("<HHHHIIH", 0, 0, n_files, n_files, len(one) * n_files, len(body), 0)
    return body + one * n_files + b"PK\5\6" + end


def lying_about_its_size(size: int = 30_000_000, said: int = 10) -> bytes:
    """A zip whose directory says that a large file is small."""
    content = bytearray(zip_of({"a.bmp": bytes(size)}))
    for place in (22, content.index(b"PK\1\2") + 24):
        content[place : place + 4] = struct.pack("<I", said)
    return bytes(content)
