"""The --state of a ranking: statistics on disk that one command at a time adds to."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from hodgerank.errors import InvalidArgument

if TYPE_CHECKING:
    from hodgerank.data.comparisons import Comparisons
    from hodgerank.graph.comparison_graph import ComparisonGraph
    from hodgerank.graph.edge_file import EdgeFile

PATIENCE = 1.0  # seconds before a word about waiting
PAUSE = 0.02


@contextmanager
def taking_turns(path: Path) -> Iterator[None]:
    """Hold a state file for this process alone; others wait for their turn.

    The lock is on the folder: the file itself is replaced, and a lock file would be left behind.
    """
    try:
        import fcntl
    except ImportError:
        raise InvalidArgument(
            "--state needs the file locks of Linux or macOS, which are not there: leave it out"
        ) from None
    folder = os.open(os.path.dirname(os.path.realpath(path)), os.O_RDONLY)
    try:
        patient_until = time.monotonic() + PATIENCE
        while time.monotonic() < patient_until:
            try:
                fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                time.sleep(PAUSE)
        else:
            from hodgerank.cli.console import complaints, verbatim

            complaints().print(verbatim(f"waiting for another command that uses {path} ..."))
            fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def with_state(path: Path, votes: "Comparisons | ComparisonGraph", again: bool) -> "EdgeFile":
    """What the file holds, and the votes."""
    from hodgerank.graph.edge_file import EdgeFile, edge_file

    return EdgeFile.read(path).add(votes, again=again) if path.exists() else edge_file(votes)
