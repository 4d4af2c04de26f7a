"""The command line: one command per file; a command returns a result, one renderer prints it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from io import TextIOWrapper

# Exit statuses; 0 is success.
FAILED = 1
WRONG_USAGE = 2
BAD_INPUT = 3
NOT_UNIQUE = 4


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and exit with a status that tells what happened."""
    from hodgerank.cli.app import app
    from hodgerank.errors import DisconnectedGraph, HodgeRankError, InvalidArgument

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # names the terminal cannot show
    try:
        app(None if arguments is None else list(arguments))
        sys.stdout.flush()
    except (HodgeRankError, OSError) as error:
        from hodgerank.cli.render import complain

        complain(error)
        if isinstance(error, OSError):
            sys.exit(FAILED)
        if isinstance(error, InvalidArgument):
            sys.exit(WRONG_USAGE)
        sys.exit(NOT_UNIQUE if isinstance(error, DisconnectedGraph) else BAD_INPUT)
