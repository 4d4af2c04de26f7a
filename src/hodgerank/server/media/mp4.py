"""MP4: boxes within boxes, and what its tracks are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO, NamedTuple

from hodgerank.errors import InvalidArgument
from hodgerank.server.media.kinds import CUT_OFF, DAMAGED

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
    """What was met on a walk through the boxes.

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
