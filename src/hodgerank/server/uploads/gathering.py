"""All files of an upload in one list, whether they came loose or in zips."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from hodgerank.data.sources.files import EXCEL
from hodgerank.errors import InvalidArgument
from hodgerank.server.uploads.names import clean_name, is_clutter, shown
from hodgerank.server.uploads.opening import Opener, UploadedFile
from hodgerank.server.uploads.zips import entries_of

CLUTTER = "a system has written it for itself"
_ZIP = (b"PK\3\4", b"PK\5\6")


class Refusal(NamedTuple):
    """A file that was not taken, ready for a page: its name in one line, and why."""

    name: str
    reason: str


@dataclass
class Gathered:
    """Files by their clean names, and what became of the others."""

    most_files: int
    files: dict[str, UploadedFile] = field(default_factory=dict)
    refusals: list[Refusal] = field(default_factory=list)
    left_out: list[Refusal] = field(default_factory=list)

    def refuse(self, name: str, reason: object) -> None:
        """Say why a file is not taken."""
        self.refusals.append(Refusal(shown(name), str(reason)))

    def leave_out(self, name: str, reason: str) -> None:
        """Say why a file plays no part, though nothing is wrong with it."""
        self.left_out.append(Refusal(shown(name), reason))

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


def gather(files: Iterable[tuple[str, Path]], opener: Opener) -> Gathered:
    """Files and the files in zips; a zip within a zip stays closed."""
    found = Gathered(opener.limits.most_files)
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


def _unpack(name: str, path: Path, opener: Opener, found: Gathered) -> None:
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
