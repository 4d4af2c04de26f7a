"""Run a command and report errors."""

from __future__ import annotations

import codecs
import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper

from hodgerank.cli.app import app
from hodgerank.cli.interrupts import run_interruptibly
from hodgerank.cli.outputs import printing
from hodgerank.cli.result import BAD_INPUT, NOT_UNIQUE, WRONG_USAGE
from hodgerank.errors import DisconnectedGraph, HodgeRankError, InvalidArgument

PLAIN = "plain"
"""Name of the error handler of streams that cannot encode every character."""
ASCII = {"±": "+-", "−": "-", "–": "-", "…": "...", "│": "|", "─": "-", "└": "+", "●": "*"}
READ_NO_FURTHER = 1  # exit status of typer and rich for a closed pipe, not one of ours


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and exit with its status."""
    sys.exit(run_interruptibly(lambda: _run(arguments)))


def _run(arguments: Sequence[str] | None) -> int:
    _prepare_streams()
    _forget_impossible_width()
    try:
        return _status(arguments)
    except (HodgeRankError, OSError, MemoryError) as error:
        from hodgerank.cli.console import complain

        complain(_words(error))
        if isinstance(error, InvalidArgument):
            return WRONG_USAGE
        return NOT_UNIQUE if isinstance(error, DisconnectedGraph) else BAD_INPUT


def _words(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return "not enough memory"
    if isinstance(error, OSError) and error.strerror:  # an error of the operating system
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error)


def _status(arguments: Sequence[str] | None) -> int:
    try:
        words = list(sys.argv[1:] if arguments is None else arguments)
        app(words, obj=words)  # reports print the command that repeats them
    except SystemExit as end:
        return 0 if end.code in (None, READ_NO_FURTHER) else int(end.code)
    finally:
        with printing():
            pass  # flush what is still to be printed
    return 0


def _plain(error: UnicodeError) -> tuple[str, int]:
    """Write ± as +-, and what has no ASCII form, such as a name, as an escape sequence."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    characters = error.object[error.start : error.end]
    plain = "".join(
        ASCII.get(one) or one.encode("ascii", "backslashreplace").decode() for one in characters
    )
    return plain, error.end


def _prepare_streams() -> None:
    codecs.register_error(PLAIN, _plain)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed: a file that is opened later must not take its place
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115
        elif isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors=PLAIN)


def _forget_impossible_width() -> None:
    width = os.environ.get("COLUMNS", "")
    if not (width.isdecimal() and int(width)):
        os.environ.pop("COLUMNS", None)  # a table of no width would print nothing
