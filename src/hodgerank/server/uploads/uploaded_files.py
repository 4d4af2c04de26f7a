"""Files of an upload, on disk or in a zip, as streams."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import SpooledTemporaryFile
from types import TracebackType
from typing import BinaryIO, NamedTuple, cast
from zipfile import ZipInfo

from hodgerank.data.sources.files import EXCEL
from hodgerank.errors import CannotWrite, InvalidArgument
from hodgerank.server.media.library import too_large
from hodgerank.server.media.validation import pieces
from hodgerank.server.uploads.archives import DAMAGED, TROUBLE, ZipArchive, entries_of
from hodgerank.server.uploads.file_names import Limits, clean_name, is_clutter, shown

IN_MEMORY = 8 << 20  # larger files are unpacked on disk


class UploadedFile(NamedTuple):
    """A file by its clean name, and where its bytes are: on disk, or in a zip there."""

    name: str
    path: Path
    entry: ZipInfo | None = None

    @property
    def shown(self) -> str:
        """For messages."""
        return shown(self.name)


class FileOpener:
    """Opens the files of an upload, and counts how much they hold in all.

    A zip is opened once. `folder` is for what is unpacked meanwhile and too large for memory.
    """

    def __init__(self, limits: Limits, folder: Path | None = None) -> None:
        self.limits = limits
        self.n_bytes = 0
        self.folder = folder
        self._zips: dict[Path, ZipArchive] = {}

    def __enter__(self) -> FileOpener:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for opened in self._zips.values():
            opened.close()
        self._zips.clear()

    def zip(self, path: Path) -> ZipArchive:
        """The zip in a file."""
        if path not in self._zips:
            self._zips[path] = ZipArchive(path, self.limits.most_files)
        return self._zips[path]

    @contextmanager
    def stream(self, file: UploadedFile) -> Iterator[BinaryIO]:
        """The bytes of a file, from the first to the last."""
        if file.entry is None:
            with file.path.open("rb") as found:
                yield found
            return
        try:
            packed = self.zip(file.path).open(file.entry)
        except TROUBLE:
            raise InvalidArgument(DAMAGED) from None
        with packed:
            yield cast(BinaryIO, packed)

    @contextmanager
    def whole(self, file: UploadedFile, most: int | None = None) -> Iterator[BinaryIO]:
        """A file in which one may go back and forth, if it has at most so many bytes."""
        most = self.limits.largest_file if most is None else most
        with self.stream(file) as found:
            if file.entry is None:
                self._count(os.fstat(found.fileno()).st_size, most)
                yield found
                return
            place = None if self.folder is None else str(self.folder)
            with SpooledTemporaryFile(IN_MEMORY, dir=place) as unpacked:
                self._unpack(found, file.entry, most, cast(BinaryIO, unpacked))
                yield cast(BinaryIO, unpacked)

    def _unpack(self, packed: BinaryIO, entry: ZipInfo, most: int, to: BinaryIO) -> None:
        """All of a file from a zip; sizes are counted, since the zip may say anything."""
        size, n_bytes = 0, self.n_bytes
        most_unpacked = max(entry.compress_size * self.limits.most_unpacked, IN_MEMORY)
        for piece in _read(packed):
            size += len(piece)
            if size > most_unpacked:
                raise InvalidArgument(
                    f"it unpacks to more than {self.limits.most_unpacked} times its size, like a "
                    "zip bomb: upload it without the zip"
                )
            self.n_bytes = n_bytes
            self._count(size, most)
            try:
                to.write(piece)
            except OSError as error:
                raise no_room(entry.filename, error) from error
        to.seek(0)

    def _count(self, size: int, most: int) -> None:
        if size > most:
            raise InvalidArgument(too_large(most))
        if self.n_bytes + size > self.limits.all_files:
            in_all = f"{self.limits.all_files / 2**30:.3g} GB"
            raise InvalidArgument(f"the upload has more than {in_all} in all: upload it in parts")
        self.n_bytes += size


def no_room(name: str, error: OSError) -> CannotWrite:
    """Return the error for a file that cannot be unpacked for lack of room."""
    return CannotWrite(f"there is no room to unpack {shown(name)}: {error.strerror or error}")


def _read(packed: BinaryIO) -> Iterator[bytes]:
    try:
        yield from pieces(packed)
    except TROUBLE:
        raise InvalidArgument(DAMAGED) from None


CLUTTER = "a system file"
_ZIP = (b"PK\3\4", b"PK\5\6")


class RefusedFile(NamedTuple):
    """A file that was not taken, ready for a page: its name in one line, and why."""

    name: str
    reason: str


@dataclass
class UploadedFiles:
    """Files by their clean names, and what became of the others."""

    most_files: int
    files: dict[str, UploadedFile] = field(default_factory=dict)
    refusals: list[RefusedFile] = field(default_factory=list)
    left_out: list[RefusedFile] = field(default_factory=list)

    def refuse(self, name: str, reason: object) -> None:
        """Say why a file is not taken."""
        self.refusals.append(RefusedFile(shown(name), str(reason)))

    def leave_out(self, name: str, reason: str) -> None:
        """Say why a file plays no part, though nothing is wrong with it."""
        self.left_out.append(RefusedFile(shown(name), reason))

    def take(self, file: UploadedFile) -> None:
        """One file more, unless its name is there already, or there are enough."""
        if file.name in self.files:
            self.refuse(file.name, "there is another file of this name: rename one of them")
        elif len(self.files) == self.most_files:
            self.refuse(
                file.name, f"the upload has more than {self.most_files:,} files: upload it in parts"
            )
        else:
            self.files[file.name] = file


def gather_files(files: Iterable[tuple[str, Path]], opener: FileOpener) -> UploadedFiles:
    """Files and the files in zips; a zip within a zip stays closed."""
    found = UploadedFiles(opener.limits.most_files)
    for name, path in files:
        if is_clutter(name):
            found.leave_out(name, CLUTTER)
            continue
        try:
            clean = clean_name(name)
            if _is_zip(path) and not clean.lower().endswith(EXCEL):
                _unpack(clean, path, opener, found)
            else:
                found.take(UploadedFile(clean, path))
        except InvalidArgument as error:
            found.refuse(name, error)
    return found


def _unpack(name: str, path: Path, opener: FileOpener, found: UploadedFiles) -> None:
    for inner, entry in entries_of(opener.zip(path)):
        if is_clutter(inner):
            found.leave_out(inner, CLUTTER)
        elif isinstance(entry, InvalidArgument):
            found.refuse(f"{name}: {inner}", entry)
        else:
            found.take(UploadedFile(inner, path, entry))


def _is_zip(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) in _ZIP
