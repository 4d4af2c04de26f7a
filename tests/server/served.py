"""`hodgerank serve` as a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from processes import COMMAND

PATIENCE = 60.0  # seconds


class Served:
    """A server on a free port, with standard error kept for later.

    Attributes
    ----------
    start
        What it told when it began.
    folder
        Where it runs.
    """

    def __init__(self, *options: object, folder: Path | None = None) -> None:
        self.folder = folder
        self._said = tempfile.TemporaryFile("w+")  # noqa: SIM115
        words = ["serve", "--no-browser", "--json", "--port", "0", *map(str, options)]
        self.process = subprocess.Popen(
            [*COMMAND, *words],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=self._said,
            text=True,
            start_new_session=True,
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            self.process.wait(PATIENCE)
            raise AssertionError(self.said)
        self.start: dict[str, Any] = json.loads(line)

    @property
    def url(self) -> str:
        """Where it is."""
        return str(self.start["address"])

    @property
    def port(self) -> int:
        """At which it listens, unless it is seen elsewhere."""
        return int(self.url.rpartition(":")[2].partition("/")[0])

    @property
    def said(self) -> str:
        """On standard error."""
        self._said.seek(0)
        return self._said.read()

    def browser(self, **options: Any) -> httpx.Client:
        """Somebody who has not signed in."""
        origin = self.url.rstrip("/")
        headers = {"Origin": "/".join(origin.split("/")[:3]), "Accept": "application/json"}
        return httpx.Client(base_url=origin, headers=headers, timeout=PATIENCE, **options)

    @contextmanager
    def owner(self, **options: Any) -> Iterator[httpx.Client]:
        """Who has opened the link of the owner."""
        with self.browser(**options) as browser:
            token = self.start["owner_link"].partition("#")[2]
            answer = browser.post("/enter", json={"token": token})
            assert answer.status_code == 200, answer.text
            yield browser

    @contextmanager
    def worker(self, campaign: str) -> Iterator[httpx.Client]:
        """Who has joined a campaign."""
        with self.browser() as browser:
            answer = browser.post(f"/j/{campaign}")
            assert answer.status_code == 303, answer.text
            yield browser

    def end(self, by: int = signal.SIGTERM) -> int:
        """Send a signal and wait; the exit status."""
        self.process.send_signal(by)
        return self.wait()

    def wait(self, seconds: float = PATIENCE) -> int:
        """Until it has ended; the exit status."""
        self.process.communicate(timeout=seconds)
        return int(self.process.returncode)

    def close(self) -> None:
        """Forget what it said."""
        self._said.close()

    def is_gone(self) -> bool:
        """Whether none of its processes is there."""
        until = time.monotonic() + 5
        while time.monotonic() < until:
            try:
                os.killpg(self.process.pid, 0)
            except ProcessLookupError:
                return True
            time.sleep(0.02)
        return False

    @property
    def megabytes(self) -> float:
        """Of memory."""
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 2**20

    @property
    def cpu_seconds(self) -> float:
        """Of processor time, without that of the process that ranks."""
        words = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def served(*options: object, folder: Path | None = None) -> Iterator[Served]:
    """A server until the block ends."""
    server = Served(*options, folder=folder)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            os.killpg(server.process.pid, signal.SIGKILL)
            server.wait()
        server.close()
