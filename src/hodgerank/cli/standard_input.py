"""Standard input, which - stands for wherever a file is read."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import IO

from hodgerank.errors import InvalidArgument, InvalidComparisons

STANDARD_INPUT = Path("-")


def file_or_input(path: Path) -> Path | IO[bytes]:
    """The file, or the stream that - stands for."""
    return path if path != STANDARD_INPUT else standard_input()


def standard_input() -> IO[bytes]:
    """What is piped in."""
    if sys.stdin is None:
        raise InvalidComparisons("standard input is closed: pipe the votes in, or name a file")
    return sys.stdin.buffer


def require_one_reader(paths: Iterable[Path | str | None]) -> None:
    """Refuse to read two things from one standard input."""
    if sum(str(path) == str(STANDARD_INPUT) for path in paths) > 1:
        raise InvalidArgument("- is standard input, which can be read once: name files instead")
