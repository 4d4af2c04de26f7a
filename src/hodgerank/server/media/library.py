"""MediaLibrary: a folder in which every file is called by what is in it."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from hodgerank.display import short, shortened, visible
from hodgerank.errors import CannotWrite, InvalidArgument
from hodgerank.private_files import make_private_folder, opener_beside
from hodgerank.server.media.kinds import KINDS, MediaKind
from hodgerank.server.media.validation import ValidatedFile, pieces, validate_file

LARGEST = 200 << 20  # bytes of one file
_NAME = re.compile(rf"media:(([0-9a-f]{{2}})[0-9a-f]{{62}}\.({'|'.join(KINDS)}))")
_MOST_TRIES = 100
_PART = re.compile(r"\.[0-9a-f]{32}\.part")
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_NO_WAITING = getattr(os, "O_NONBLOCK", 0)  # nobody may ever write into a pipe

if sys.platform == "win32":

    def _claim(descriptor: int) -> None:
        """A file that is open cannot be removed there."""

else:
    import fcntl

    def _claim(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


class MediaLibrary:
    """Pictures, videos and sounds, each kept once: `folder/ab/<sha256>.<ending>`.

    A file is there when all of it is on disk, or it is not there. Several processes may use one
    folder. What a process that was killed left behind is removed when the next one begins.

    Parameters
    ----------
    folder
        Made if it is not there. Links in it are not followed.
    largest
        The most bytes that one file may have.
    validate
        How a file is validated: `validate_file`, or the same in another process.
    beside
        A new folder is readable by the group if this file is.
    """

    def __init__(
        self,
        folder: Path | str,
        largest: int = LARGEST,
        validate: Callable[[Path], ValidatedFile] = validate_file,
        beside: Path | None = None,
    ) -> None:
        self.folder = Path(folder).absolute()
        self._validate = validate
        self.largest = largest
        with self._writing():
            make_private_folder(self.folder, beside)
            self._remove_left_behind()

    def add(
        self, source: bytes | Path | BinaryIO, name: str, examined: ValidatedFile | None = None
    ) -> str:
        """Keep a file, and what it is called here: 'media:<sha256>.<ending>'.

        InvalidArgument if it is refused, CannotWrite if there is no room; then nothing of it stays.

        Parameters
        ----------
        source
            Bytes, a path, or a file that is open, which is read from where it stands.
        name
            What messages call it; its ending is not asked.
        examined
            What was found out about the same bytes before, which need not be found out again.
        """
        with self._new_part() as (part, place), _opened(source, name) as file:
            digest, size = hashlib.sha256(), 0
            for piece in _read(file, name):
                size += len(piece)
                if size > self.largest:
                    raise _refused(name, too_large(self.largest))
                digest.update(piece)
                with self._writing():
                    part.write(piece)
            with self._writing():
                part.flush()
                os.fsync(part.fileno())
            if examined is None or examined.sha256 != digest.hexdigest():
                try:
                    examined = self._validate(place)
                except InvalidArgument as error:
                    raise _refused(name, str(error)) from None
            with self._writing():
                if sys.platform == "win32":
                    part.close()  # what is open cannot be moved there
                self._settle(place, examined)
        return examined.name

    def path_of(self, name: str) -> Path:
        """Where a file is; InvalidArgument if the name is none of ours, or nothing is there."""
        path = self._place(name)
        if path is None or not _is_file(path):
            raise InvalidArgument(f"there are no media called {short(name)}")
        return path

    def kind_of(self, name: str) -> MediaKind:
        """Return the kind of a file from its name in the library."""
        found = _NAME.fullmatch(name)
        if found is None:
            raise InvalidArgument(f"there are no media called {short(name)}")
        return KINDS[found[3]]

    def __contains__(self, name: str) -> bool:
        path = self._place(name)
        return path is not None and _is_file(path)

    def _place(self, name: str) -> Path | None:
        found = _NAME.fullmatch(name)
        if found is None:
            return None
        shelf = self.folder / found[2]
        return None if shelf.is_symlink() else shelf / found[1]

    @contextmanager
    def _new_part(self) -> Iterator[tuple[BinaryIO, Path]]:
        """A file that is being written; it is gone in the end unless it was moved to its place."""
        with self._writing():
            part, place = self._claimed_part()
        try:
            yield part, place
        finally:
            with suppress(OSError):  # a full disk, which was told already
                part.close()
            with suppress(OSError):
                place.unlink(missing_ok=True)

    def _claimed_part(self) -> tuple[BinaryIO, Path]:
        """A new file that is locked: a process that begins takes others for leftovers."""
        for _ in range(_MOST_TRIES):
            place = self.folder / f".{secrets.token_hex(16)}.part"
            part = open(place, "x+b", opener=opener_beside(self.folder))  # noqa: SIM115 the caller closes it
            try:
                _claim(part.fileno())
                is_ours = os.fstat(part.fileno()).st_nlink > 0
            except BlockingIOError:
                is_ours = False  # that process was faster
            except OSError:
                is_ours = True  # there are no locks here, and nobody tidies up
            if is_ours:
                return part, place
            part.close()
        raise OSError("other processes remove what is being written")

    def _settle(self, part: Path, examined: ValidatedFile) -> None:
        """Move a file to its place, unless the same one is there."""
        path = self._place(examined.name)
        if path is None or (path.parent.exists() and not path.parent.is_dir()):
            raise OSError(f"{examined.sha256[:2]} is not a folder")
        is_new_shelf = not path.parent.exists()
        make_private_folder(path.parent, self.folder)
        if _is_file(path) and path.stat().st_size == examined.size:
            return
        os.replace(part, path)
        _keep_names(path.parent)
        if is_new_shelf:
            _keep_names(self.folder)

    def _remove_left_behind(self) -> None:
        for place in self.folder.iterdir():
            if _PART.fullmatch(place.name):
                with suppress(OSError):  # somebody is writing it, or was faster
                    descriptor = os.open(place, os.O_RDWR | _NO_LINK | _NO_WAITING)
                    try:
                        _claim(descriptor)
                        place.unlink()
                    finally:
                        os.close(descriptor)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise CannotWrite(
                f"the media folder {self.folder} cannot be written: {error.strerror or error}"
            ) from error


@contextmanager
def _opened(source: bytes | Path | BinaryIO, name: str) -> Iterator[BinaryIO]:
    if isinstance(source, bytes):
        yield BytesIO(source)
    elif isinstance(source, Path):
        with _file(source, name) as file:
            yield file
    else:
        yield source


def _file(path: Path, name: str) -> BinaryIO:
    """A file of this machine; not a pipe or a device, which need not end."""
    try:
        descriptor = os.open(path, os.O_RDONLY | _NO_WAITING | getattr(os, "O_BINARY", 0))
    except (OSError, ValueError) as error:
        raise _unreadable(name, error) from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise _refused(name, "it is not a file")
    return os.fdopen(descriptor, "rb")


def _read(file: BinaryIO, name: str) -> Iterator[bytes]:
    try:
        yield from pieces(file)
    except OSError as error:
        raise _unreadable(name, error) from None


def _unreadable(name: str, error: OSError | ValueError) -> InvalidArgument:
    reason = error.strerror if isinstance(error, OSError) else None
    return _refused(name, f"it cannot be read: {reason or error}")


def _refused(name: str, why: str) -> InvalidArgument:
    return InvalidArgument(f"{shortened(visible(name), 80)}: {why}")


def too_large(most: int) -> str:
    """Why a file is refused that has more bytes than this."""
    return f"it has more than {most / 2**20:.3g} MB: make it smaller"


def _is_file(path: Path) -> bool:
    """Whether a file is there, and not a link to one."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def _keep_names(folder: Path) -> None:
    """Put the renaming on disk, where the file system knows how to."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
