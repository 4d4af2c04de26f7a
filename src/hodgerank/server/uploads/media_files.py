"""MediaFiles: the media among uploaded files, by what tables call them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from posixpath import dirname, join, normpath

from hodgerank.errors import InvalidArgument
from hodgerank.server.media.examining import Examined, examine
from hodgerank.server.uploads.names import same_form, shown
from hodgerank.server.uploads.opening import Opener, UploadedFile


class MediaFiles:
    """Uploaded files that are examined when they are asked for, each once.

    Attributes
    ----------
    kept
        What was found to be media: by its name in the library, the file and what it is.
    refused
        Files that are none, and why.
    """

    def __init__(self, files: Mapping[str, UploadedFile], opener: Opener) -> None:
        self.kept: dict[str, tuple[UploadedFile, Examined]] = {}
        self.refused: dict[str, str] = {}
        self._files = files
        self._opener = opener
        self._names: dict[str, str] = {}  # in the library, by the name of the file
        self._by_last_part: dict[str, list[UploadedFile]] = defaultdict(list)
        for file in files.values():
            self._by_last_part[_last_part(file.name)].append(file)

    @property
    def used(self) -> set[str]:
        """Names of files that were asked for."""
        return {*self._names, *self.refused}

    def media_of(self, file: UploadedFile) -> str:
        """What the library will call a file, or InvalidArgument if it is refused."""
        if file.name not in self._names and file.name not in self.refused:
            try:
                with self._opener.whole(file) as content:
                    examined = examine(content)
            except InvalidArgument as error:
                self.refused[file.name] = str(error)
            else:
                self._names[file.name] = examined.name
                self.kept.setdefault(examined.name, (file, examined))
        if file.name in self.refused:
            raise InvalidArgument(f"{file.shown} is refused")
        return self._names[file.name]

    def named(self, cell: str, beside: str) -> UploadedFile:
        """The file that a table calls so; `beside` is the name of the table.

        It stands beside the table, or where the path leads from the top, or it is the only one
        whose last part is the same: a table may have the paths of the machine it was written on.
        """
        path = same_form(cell.replace("\\", "/").strip())
        for place in (join(dirname(beside), path), path):
            if found := self._files.get(normpath(place)):
                return found
        alike = self._by_last_part[_last_part(path)]
        if len(alike) == 1:
            return alike[0]
        if alike:
            raise InvalidArgument(
                f"{shown(cell)} may be {alike[0].shown} or {alike[1].shown}: write the folder too"
            )
        raise InvalidArgument(f"{shown(cell)} is not among the uploaded files: upload it too")


def _last_part(name: str) -> str:
    return name.rpartition("/")[2].lower()
