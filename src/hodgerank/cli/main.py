"""Run a command, and say what went wrong."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from io import TextIOWrapper


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and exit with a status that tells what happened."""
    from hodgerank.cli.app import app
    from hodgerank.cli.exit_status import BAD_INPUT, FAILED, NOT_UNIQUE, WRONG_USAGE
    from hodgerank.errors import DisconnectedGraph, HodgeRankError, InvalidArgument

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # names the terminal cannot show
    try:
        app(None if arguments is None else list(arguments))
        sys.stdout.flush()
    except (HodgeRankError, OSError) as error:
        from hodgerank.cli.console import complain

        complain(error)
        if isinstance(error, OSError):
            sys.exit(FAILED)
        if isinstance(error, InvalidArgument):
            sys.exit(WRONG_USAGE)
        sys.exit(NOT_UNIQUE if isinstance(error, DisconnectedGraph) else BAD_INPUT)
