"""Commands as processes of their own, for tests of what only an operating system does."""

from __future__ import annotations

import resource
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

COMMAND = [sys.executable, "-m", "hodgerank"]


def hodgerank(*arguments: object, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    options = {"capture_output": True, "text": True, "timeout": 120} | options
    return subprocess.run([*COMMAND, *map(str, arguments)], **options)


def in_shell(arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command with what a shell does to its streams; the status is that of the command."""
    script = f"'{sys.executable}' -m hodgerank {arguments}; exit ${{PIPESTATUS[0]}}"
    return subprocess.run(
        ["bash", "-c", script], cwd=folder, capture_output=True, text=True, timeout=120
    )


def small_disk() -> None:
    """Let no file grow beyond 4 KB, as if the disk were full: for `preexec_fn`."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
