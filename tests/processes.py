"""Commands as processes of their own, for tests of what only an operating system does."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
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


@contextmanager
def small_disk(n_bytes: int = 4096) -> Iterator[None]:
    """Let no file grow beyond this, as if the disk were full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, hard))  # Python ignores the signal
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
