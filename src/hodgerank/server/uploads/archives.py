"""Zip files from users, read defensively."""

from __future__ import annotations

import stat
import struct
import zlib
from collections.abc import Iterator
from io import FileIO
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from hodgerank.errors import InvalidArgument
from hodgerank.server.uploads.file_names import clean_name

# What reading a file from a zip may raise.
TROUBLE = (
    *(BadZipFile, zlib.error, struct.error, EOFError, OSError, OverflowError),
    *(NotImplementedError, RuntimeError, ValueError),
)
DAMAGED = "it is damaged in the zip: pack it again"
_HEAD = 30  # bytes of the fixed part of the head of a file
_BYTES_PER_NAME = 512  # of the directory: an entry has 46 and its name, and is many times that
_IS_ENCRYPTED, _IS_UTF8 = 0x1, 0x800


class _InPieces(FileIO):
    """A file of which nobody reads much at once: the directory of a zip is made into objects."""

    most = 0

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > self.most:
            raise _TooMany
        return super().read(size)


class _TooMany(Exception):
    """A zip has more files than are looked at."""


class ZipArchive(ZipFile):
    """A zip whose directory can be trusted, or InvalidArgument with what to do."""

    def __init__(self, path: Path, most_files: int) -> None:
        self._file = _InPieces(path)
        self._file.most = max(most_files * _BYTES_PER_NAME, 1 << 20)
        try:
            super().__init__(self._file)
            if len(self.infolist()) > most_files:
                raise _TooMany
            _require_apart(self, self._file)
        except BaseException as error:
            self._file.close()
            if isinstance(error, _TooMany):
                words = f"it has more than {most_files:,} files: upload it in parts"
            elif isinstance(error, UnicodeDecodeError):
                words = "it has a name that is not UTF-8: pack it again"
            elif isinstance(error, TROUBLE) and not isinstance(error, InvalidArgument):
                words = "it is not a zip, or it is damaged: pack it again"
            else:
                raise
            raise InvalidArgument(words) from None

    def close(self) -> None:
        """Let go of the file too."""
        super().close()
        self._file.close()


def _require_apart(opened: ZipFile, file: FileIO) -> None:
    """Refuse files that share bytes: so a few kilobytes unpack to terabytes."""
    entries = sorted(opened.infolist(), key=lambda entry: entry.header_offset)
    ends = [entry.header_offset for entry in entries[1:]] + [opened.start_dir]
    for entry, end in zip(entries, ends, strict=True):
        file.seek(entry.header_offset)
        head = file.read(_HEAD)
        n_names = sum(int.from_bytes(head[k : k + 2], "little") for k in (26, 28))
        if len(head) < _HEAD or entry.header_offset + _HEAD + n_names + entry.compress_size > end:
            raise InvalidArgument("files in it overlap, as in zip bombs: pack it again")


def entries_of(opened: ZipFile) -> Iterator[tuple[str, ZipInfo | InvalidArgument]]:
    """The files in a zip with a proper name, and why others are refused."""
    for entry in opened.infolist():
        if entry.filename.endswith("/"):
            continue
        try:
            name = _name_of(entry)
        except InvalidArgument as error:
            yield entry.orig_filename, error
            continue
        try:
            _require_plain(entry)
            yield clean_name(name), entry
        except InvalidArgument as error:
            yield name, error


def _name_of(entry: ZipInfo) -> str:
    name = entry.orig_filename
    if entry.flag_bits & _IS_UTF8 or name.isascii():
        return name
    try:  # many programs write UTF-8, and do not say so
        return name.encode("cp437").decode()
    except UnicodeError:
        raise InvalidArgument("its name is not UTF-8: rename it, or pack it again") from None


def _require_plain(entry: ZipInfo) -> None:
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind == stat.S_IFLNK:
        raise InvalidArgument("it is a link: pack the file that it leads to")
    if kind not in (0, stat.S_IFREG):
        raise InvalidArgument("it is a device or a pipe: pack files only")
    if entry.flag_bits & _IS_ENCRYPTED:
        raise InvalidArgument("it is encrypted: pack it without a password")
    if entry.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        raise InvalidArgument(
            "it uses an unsupported compression: pack it again as an ordinary zip"
        )
