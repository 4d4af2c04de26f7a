"""Write files atomically: a result is on disk completely, or not at all."""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from io import RawIOBase
from pathlib import Path

from hodgerank.errors import CannotWrite


def write_file(path: Path | str, content: bytes) -> None:
    """Replace the content of a file atomically; on failure the old content is kept.

    A symbolic link stays, and its target is replaced. Devices and pipes are written to directly.
    """
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            with open(path, "wb") as file:
                file.write(content)
        else:
            _replace(Path(os.path.realpath(path)), content)
    except OSError as error:
        raise CannotWrite(f"{path} cannot be written: {error.strerror or error}") from error


def append_line(path: Path | str, *lines: bytes) -> None:
    """Append lines durably: they are on disk when this returns, or none is in the file."""
    try:
        with open(path, "ab", buffering=0) as file:
            end = file.seek(0, os.SEEK_END)
            try:
                _write_through(file, b"".join(line + b"\n" for line in lines))
            except BaseException:
                file.truncate(end)
                raise
        if end == 0:
            _keep_the_name(Path(path).parent)
    except OSError as error:
        raise CannotWrite(
            f"{path} cannot be written: {error.strerror or error}; earlier lines are kept, "
            "the last one is not"
        ) from error


def move_file(path: Path, to: Path) -> None:
    """Rename a file within its folder durably."""
    try:
        os.replace(path, to)
    except OSError as error:
        raise CannotWrite(f"{to} cannot be written: {error.strerror or error}") from error
    _keep_the_name(to.parent)


def _write_through(file: RawIOBase, content: bytes) -> None:
    while content:  # a full disk may take part of it before it refuses the rest
        content = content[file.write(content) or 0 :]
    os.fsync(file.fileno())


def _replace(path: Path, content: bytes) -> None:
    """Write a temporary file beside the target, and rename it once it is on disk."""
    old = path.stat() if path.exists() else None
    if old is not None and not os.access(path, os.W_OK):
        raise PermissionError(None, "it is write-protected")  # renaming alone would succeed
    beside = path.with_name(f".{secrets.token_hex(8)}.part")
    try:
        with open(beside, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if old is not None:
            _give_the_rights_of(old, beside)
        os.replace(beside, path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    _keep_the_name(path.parent)


def _give_the_rights_of(old: os.stat_result, path: Path) -> None:
    if hasattr(os, "chown"):
        with suppress(PermissionError):  # only root may change the owner
            os.chown(path, old.st_uid, old.st_gid)
    os.chmod(path, stat.S_IMODE(old.st_mode))


def _keep_the_name(folder: Path) -> None:
    """Flush the directory entry to disk, where the file system supports it."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
