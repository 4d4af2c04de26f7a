"""Standard output that is full, closed, or read no further."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from hodgerank.errors import CannotWrite, HodgeRankError


@contextmanager
def printing() -> Iterator[None]:
    """Print here: who reads no further has read enough, and anything else is an error in words."""
    try:
        yield
        sys.stdout.flush()
    except HodgeRankError:
        raise  # of a campaign that cannot be written, say: it has words of its own
    except BrokenPipeError:
        _give_up()
    except OSError as error:
        _give_up()
        reason = error.strerror or error
        raise CannotWrite(f"standard output cannot be written: {reason}") from None


def print_bytes(content: bytes) -> None:
    """Print what has to arrive as it is, whatever characters the terminal knows."""
    with printing():
        sys.stdout.flush()
        sys.stdout.buffer.write(content)


def _give_up() -> None:
    """Let what is still to be printed go nowhere, or the interpreter fails once more at its end."""
    with suppress(OSError):  # a stream that is no file
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
