"""Run cases in a worker that is there already."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from fuzz.cases import Case

TIME_LIMIT = 60.0
TESTS = Path(__file__).parents[1]
CASES_OF_A_WORKER = 300
THREADS = ("POLARS_MAX_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")


@dataclass(frozen=True)
class Outcome:
    """How a command ended; a status below 0 is the signal that killed it, None that it hung."""

    status: int | None
    stdout: bytes
    stderr: bytes
    seconds: float


def environment(width: int = 100) -> dict[str, str]:
    """That of the commands."""
    path = os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    return {
        **os.environ, **dict.fromkeys(THREADS, "1"), "PYTHONPATH": path, "COLUMNS": str(width),
        "PYTHONIOENCODING": "utf-8",
    }  # fmt: skip


class Worker:
    """A worker, which is started again when it has died, hung, or done enough."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._done = 0

    def run(self, case: Case, folder: Path) -> Outcome:
        """Run the command of a case in its folder."""
        process = self._ready()
        task = {"folder": str(folder), "arguments": case.arguments, "width": case.width}
        start = time.monotonic()
        process.stdin.write(json.dumps(task).encode() + b"\n")
        process.stdin.flush()
        answered = select.select([process.stdout], [], [], TIME_LIMIT)[0]
        answer = process.stdout.readline() if answered else b""
        status: int | None = int(answer) if answer.strip() else None
        if status is None:
            self.close()
            status = process.returncode if answered else None
        self._done += 1
        seconds = time.monotonic() - start
        return Outcome(status, _content(folder / "stdout"), _content(folder / "stderr"), seconds)

    def close(self) -> None:
        """End the process, if it has not ended by itself."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _ready(self) -> subprocess.Popen[bytes]:
        if self._done >= CASES_OF_A_WORKER:
            self.close()
        if self._process is None:
            self._done = 0
            self._process = subprocess.Popen(
                [sys.executable, "-m", "fuzz.worker"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                env=environment(),
            )  # fmt: skip
        return self._process


def _content(path: Path) -> bytes:
    return path.read_bytes() if path.exists() else b""
