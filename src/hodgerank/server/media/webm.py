"""WebM: elements with an id and a length, and what its tracks are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from hodgerank.errors import InvalidArgument
from hodgerank.server.media.kinds import CUT_OFF, DAMAGED

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
