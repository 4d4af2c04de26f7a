"""The command line: one command per file; a command returns a result, one renderer prints it."""

from __future__ import annotations

import sys
from collections.abc import Sequence

# Exit statuses; 0 is success and 2 a command line that cannot be understood.
BAD_INPUT = 3
NOT_UNIQUE = 4


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and exit with a status that tells what happened."""
    from hodgerank.cli.app import app
    from hodgerank.errors import DisconnectedGraph, HodgeRankError

    try:
        app(None if arguments is None else list(arguments))
    except HodgeRankError as error:
        from hodgerank.cli.render import complain

        complain(error)
        sys.exit(NOT_UNIQUE if isinstance(error, DisconnectedGraph) else BAD_INPUT)
