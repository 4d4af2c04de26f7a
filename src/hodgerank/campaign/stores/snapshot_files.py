"""SnapshotFiles: saved states beside a log, so that it need not be read from its beginning.

A snapshot is only a cache: the log has everything. It is used only if the version of the code, its
own checksum, and the digest of all events that it covers agree. So a snapshot of a copy, a backup
or an edited log is ignored.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from hodgerank.atomic_write import write_file
from hodgerank.errors import CannotWrite
from hodgerank.private_files import make_private_folder


class LogMark(NamedTuple):
    """A place in a log, with a digest of the events up to it.

    Attributes
    ----------
    seq
        The number of the last event that counts.
    digest
        Of all events up to it.
    n_wiped
        How often names had been replaced when this was made.
    """

    campaign: str
    seq: int
    digest: str
    n_wiped: int


class SnapshotFiles:
    """A folder with the last snapshot of each campaign that is large enough for one.

    Parameters
    ----------
    folder
        Folder of the snapshots, created on demand, readable only by its owner.
    last
        The number of the last event of a campaign.
    digest
        What changes with any of the events of a campaign up to a number.
    """

    def __init__(
        self, folder: Path, last: Callable[[str], int], digest: Callable[[str, int], str]
    ) -> None:
        self._folder, self.last, self._digest = folder, last, digest
        self._one_writer = Lock()
        self._n_wiped = 0

    def mark(self, campaign: str, seq: int) -> LogMark:
        """Return the present place of the log, for a snapshot of what is read from now on."""
        n_wiped = self._n_wiped
        return LogMark(campaign, seq, self._digest(campaign, seq), n_wiped)

    def load(self, campaign: str, code: str) -> bytes | None:
        """Return the snapshot of a campaign, if it fits the code and the events."""
        try:
            head, _, content = self._path(campaign).read_bytes().partition(b"\n")
        except OSError:
            return None
        try:
            said = json.loads(head)
        except ValueError:
            return None
        if not isinstance(said, dict) or not isinstance(said.get("seq"), int):
            return None
        if said != _head(code, campaign, said["seq"], said.get("log"), content):
            return None
        if said["seq"] > self.last(campaign) or said["log"] != self._digest(campaign, said["seq"]):
            return None
        return content

    def save(self, mark: LogMark, code: str, content: bytes) -> bool:
        """Replace the snapshot of a campaign; return whether it was saved."""
        head = _head(code, mark.campaign, mark.seq, mark.digest, content)
        with self._one_writer:
            if mark.n_wiped != self._n_wiped:
                return False  # it may have a name that was replaced meanwhile
            try:
                make_private_folder(self._folder)
                for part in self._folder.glob(".*.part"):
                    part.unlink()  # of a process that was killed: nobody else writes here
                write_file(self._path(mark.campaign), json.dumps(head).encode() + b"\n" + content)
            except (OSError, CannotWrite):
                return False
        return True

    def wipe(self) -> None:
        """Remove all snapshots, which may contain names that were replaced in the log."""
        with self._one_writer:
            self._n_wiped += 1
            try:
                for file in self._folder.iterdir():
                    file.unlink()
            except FileNotFoundError:
                pass  # there is none
            except OSError as error:
                raise CannotWrite(f"{self._folder} cannot be wiped: {error.strerror}") from error

    def _path(self, campaign: str) -> Path:
        return self._folder / sha256(campaign.encode()).hexdigest()[:32]


def _head(code: str, campaign: str, seq: int, log: Any, content: bytes) -> dict[str, Any]:
    """Return the first line of a snapshot."""
    return {
        "code": code,
        "campaign": campaign,
        "seq": seq,
        "log": log,
        "content": sha256(content).hexdigest(),
    }
