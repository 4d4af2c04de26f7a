"""Run cases: most in a worker that is there already, some in a process of their own."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from fuzz.cases import Case
from fuzz.worker import limit_memory

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
            if not answered:
                process.kill()
            process.wait()
            status = process.returncode if answered else None
            self._process = None
        self._done += 1
        seconds = time.monotonic() - start
        return Outcome(status, _content(folder / "stdout"), _content(folder / "stderr"), seconds)

    def close(self) -> None:
        """End the process."""
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


def run_in_a_process(case: Case, folder: Path) -> Outcome:
    """Run the command with streams that are pipes, closed or full."""
    start = time.monotonic()
    content = b"" if case.piped is None else case.inputs[case.piped]
    redirections = {"stdin closed": "<&-", "stdout closed": ">&-", "stderr closed": "2>&-",
                    "stdout full": ">/dev/full", "read no further": "| head -c 1"}  # fmt: skip
    script = f'"$0" -m hodgerank "$@" {redirections.get(case.mode, "")}'
    if case.mode == "read no further":
        script += "; exit ${PIPESTATUS[0]}"
    command = ["bash", "-c", script, sys.executable, *case.arguments]
    if case.mode == "interrupted":
        command = [sys.executable, "-m", "hodgerank", *case.arguments]
    if case.mode == "fifo":
        _feed(folder / "in" / str(case.piped), content)
    process = subprocess.Popen(
        [os.fsencode(word) for word in command],
        cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=environment(case.width), preexec_fn=_alone, start_new_session=True,
    )  # fmt: skip
    if case.mode == "interrupted":
        timer = threading.Timer((case.seed % 97) / 97, process.send_signal, [signal.SIGINT])
        timer.start()
    try:
        stdout, stderr = process.communicate(content, timeout=TIME_LIMIT)
        status: int | None = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        stdout, stderr = process.communicate()
        status = None
    (folder / "stdout").write_bytes(stdout)
    (folder / "stderr").write_bytes(stderr)
    return Outcome(status, stdout, stderr, time.monotonic() - start)


def _alone() -> None:
    limit_memory()
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _feed(fifo: Path, content: bytes) -> None:
    """Write into a named pipe as soon as somebody reads it."""

    def write() -> None:
        deadline = time.monotonic() + TIME_LIMIT
        while time.monotonic() < deadline:
            with suppress(OSError):
                descriptor = os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
                os.set_blocking(descriptor, True)
                with suppress(BrokenPipeError), os.fdopen(descriptor, "wb") as pipe:
                    pipe.write(content)
                return
            time.sleep(0.02)

    threading.Thread(target=write, daemon=True).start()


def _content(path: Path) -> bytes:
    return path.read_bytes() if path.exists() else b""
