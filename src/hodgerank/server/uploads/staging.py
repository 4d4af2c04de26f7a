"""Staging: uploads that their owner has not confirmed yet, each in its own folder."""

from __future__ import annotations

import json
import re
import secrets
import shutil
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from types import MappingProxyType
from typing import BinaryIO

from hodgerank.errors import CannotWrite
from hodgerank.private_files import make_private_folder
from hodgerank.server.uploads.item_tables import is_table
from hodgerank.server.uploads.read_upload import Upload, read_upload

KEPT_SECONDS = 86_400
MOST_REMEMBERED = 4
FOLDER = ".staged"
_ID = re.compile(r"[0-9a-f]{32}")
_NAMES, _READING = "names.json", "reading.json"


class Staging:
    """A folder in which uploads are kept for a day.

    Parameters
    ----------
    folder
        Made if it is not there; beside the media.
    read
        How uploads are read: `read_upload`, or the same in another process.
    """

    def __init__(self, folder: Path, read: Callable[..., Upload] = read_upload) -> None:
        self._folder = folder / FOLDER
        self._read_upload = read
        self._read: OrderedDict[tuple[str, str], Upload] = OrderedDict()
        self._readers: dict[tuple[str, str], Lock] = {}
        self._one_at_a_time = Lock()
        self.clean()

    def keep(self, files: Iterable[tuple[str, BinaryIO]], who: str, beside: str = "") -> str:
        """Keep files under the names that the browser gave; by what id they can be had again.

        `who` is whose they are: nobody else gets them. Those that are kept as `beside` stay with
        them, but for files of the same names, and for the table if there is another one.
        """
        id = secrets.token_hex(16)
        place = self._folder / id
        try:
            with _room_for_upload():
                self._make(place)
                names = []
                for number, (name, content) in enumerate(files):
                    with (place / str(number)).open("xb") as file:
                        shutil.copyfileobj(content, file, 1 << 20)
                    names.append(name)
                has_table = any(map(is_table, names))
                for name, path in self._files(beside, who) or []:
                    if name not in names and not (has_table and is_table(name)):
                        shutil.copyfile(path, place / str(len(names)))
                        names.append(name)
                told = {"who": who, "names": names}
                (place / _NAMES).write_text(json.dumps(told), encoding="utf-8")
        except CannotWrite:
            shutil.rmtree(place, ignore_errors=True)
            raise
        self.clean()
        return id

    def find(
        self,
        id: str,
        who: str,
        columns: Mapping[str, str] = MappingProxyType({}),
        encoding: str | None = None,
    ) -> Upload | None:
        """Read a staged upload; None if it does not exist or belongs to somebody else.

        `columns` are those of a table whose names do not tell, and `encoding` is that of a table
        that is not in UTF-8, as `read_upload` takes them.
        """
        files = self._files(id, who)
        if files is None:
            return None
        reading = json.dumps([dict(columns), encoding], sort_keys=True)
        with _room_for_upload():
            (self._folder / id / _READING).write_text(reading, encoding="utf-8")
        return self._understood(id, files, reading)

    def find_again(self, id: str, who: str) -> Upload | None:
        """Return a staged upload as `find` last read it, in this or another process.

        None if it does not exist, belongs to somebody else, or was never read.
        """
        files = self._files(id, who)
        if files is None:
            return None
        try:
            reading = (self._folder / id / _READING).read_text(encoding="utf-8")
        except OSError:  # nobody has looked at it
            return None
        return self._understood(id, files, reading)

    def _understood(self, id: str, files: list[tuple[str, Path]], reading: str) -> Upload:
        key, (columns, encoding) = (id, reading), json.loads(reading)
        with self._one_at_a_time:
            one_reader = self._readers.setdefault(key, Lock())
        with one_reader:  # those who want the same upload wait for the first
            found = self._read.get(key) or self._read_upload(
                files, columns=columns, encoding=encoding, folder=self._folder / id
            )
            with self._one_at_a_time:
                self._read[key] = found
                self._read.move_to_end(key)
                while len(self._read) > MOST_REMEMBERED:
                    self._forget(next(iter(self._read)))
        return found

    def _forget(self, key: tuple[str, str]) -> None:
        del self._read[key]
        self._readers.pop(key, None)

    def _files(self, id: str, who: str) -> list[tuple[str, Path]] | None:
        """Names and places of what is kept; None where nothing is, or it is somebody else's."""
        if not _ID.fullmatch(id):
            return None
        place = self._folder / id
        try:
            told = json.loads((place / _NAMES).read_text(encoding="utf-8"))
        except OSError:
            return None
        if told["who"] != who:
            return None
        return [(name, place / str(k)) for k, name in enumerate(told["names"])]

    def drop(self, id: str) -> None:
        """It is not needed any more."""
        with self._one_at_a_time:
            for key in [key for key in self._read if key[0] == id]:
                self._forget(key)
        if _ID.fullmatch(id):
            shutil.rmtree(self._folder / id, ignore_errors=True)

    @contextmanager
    def scratch(self) -> Iterator[Path]:
        """A new folder until the block ends; `clean` removes those of servers that were killed."""
        place = self._folder / secrets.token_hex(16)
        try:
            with _room_for_upload():
                self._make(place)
            yield place
        finally:
            shutil.rmtree(place, ignore_errors=True)

    def _make(self, place: Path) -> None:
        make_private_folder(self._folder)
        make_private_folder(place)

    def clean(self) -> None:
        """Remove what nobody came back for."""
        if not self._folder.is_dir():
            return
        for place in self._folder.iterdir():
            try:
                is_old = time.time() - place.stat().st_mtime > KEPT_SECONDS
            except OSError:  # another process was faster
                continue
            if is_old:
                self.drop(place.name)


@contextmanager
def _room_for_upload() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise CannotWrite(f"there is no room for the upload: {error.strerror or error}") from error
