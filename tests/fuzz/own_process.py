"""Run a case in a process of its own, with streams that are pipes, closed or full."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from fuzz.cases import Case
from fuzz.running import TIME_LIMIT, Outcome, environment
from fuzz.worker import MOST_MEMORY

LIMITS = f"ulimit -d {MOST_MEMORY >> 10} -c 0"
STREAMS = {
    "stdin closed": "<&-",
    "stdout closed": ">&-",
    "stderr closed": "2>&-",
    "stdout full": ">/dev/full",
}
LATEST_INTERRUPT = 1.5  # seconds after the start


def run_in_a_process(case: Case, folder: Path) -> Outcome:
    """Run the command of a case in its folder."""
    start = time.monotonic()
    content = b"" if case.piped is None else case.inputs[case.piped]
    script = f'{LIMITS}; exec "$0" -m hodgerank "$@" {STREAMS.get(case.mode, "")}'
    if case.mode == "read no further":
        script = f'{LIMITS}; "$0" -m hodgerank "$@" | head -c 1; exit ${{PIPESTATUS[0]}}'
    process = subprocess.Popen(
        [os.fsencode(word) for word in ("bash", "-c", script, sys.executable, *case.arguments)],
        cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=environment(case.width), start_new_session=True,
    )  # fmt: skip
    with _disturbed(case, process, folder, content):
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


@contextmanager
def _disturbed(
    case: Case, process: subprocess.Popen[bytes], folder: Path, content: bytes
) -> Iterator[None]:
    """While it runs, interrupt it or write into the named pipe it reads, if the case says so."""
    is_over = threading.Event()

    def interrupt() -> None:
        if not is_over.wait(LATEST_INTERRUPT * (case.seed % 97) / 97):
            process.send_signal(signal.SIGINT)

    def feed() -> None:
        while not is_over.wait(0.02):
            with suppress(OSError):  # nobody reads yet
                pipe = os.open(folder / "in" / str(case.piped), os.O_WRONLY | os.O_NONBLOCK)
                os.set_blocking(pipe, True)
                with suppress(BrokenPipeError), os.fdopen(pipe, "wb") as file:
                    file.write(content)
                return

    doing = {"interrupted": interrupt, "fifo": feed}.get(case.mode, is_over.wait)
    disturbance = threading.Thread(target=doing)
    disturbance.start()
    try:
        yield
    finally:
        is_over.set()
        disturbance.join()
