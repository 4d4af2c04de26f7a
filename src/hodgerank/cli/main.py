"""Run a command, and say what went wrong."""

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

READ_NO_FURTHER = 1  # what typer and rich make of a pipe that was closed; no status of ours


PLAIN = "hodgerank.plain"
IN_ASCII = str.maketrans({"“": '"', "”": '"', "–": "-", "±": "+-", "…": "..."})


def _in_ascii(error: UnicodeError) -> tuple[str, int]:
    """What to print for letters that the terminal cannot show: plain signs, or their codes."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end].translate(IN_ASCII)
    return text.encode("ascii", "backslashreplace").decode(), error.end


codecs.register_error(PLAIN, _in_ascii)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and exit with a status that tells what happened."""
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
        return "there is not enough memory for this"
    if isinstance(error, OSError) and error.strerror:  # one of the system, not of ours
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error)


def _status(arguments: Sequence[str] | None) -> int:
    try:
        words = list(sys.argv[1:] if arguments is None else arguments)
        app(words, obj=words)  # a report tells how to repeat it
    except SystemExit as end:
        return 0 if end.code in (None, READ_NO_FURTHER) else int(end.code)
    finally:
        with printing():
            pass  # but what is still to be printed
    return 0


def _prepare_streams() -> None:
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed: no file that is opened may take its place
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115
        elif isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors=PLAIN)


def _forget_impossible_width() -> None:
    width = os.environ.get("COLUMNS", "")
    if not (width.isdecimal() and int(width)):
        os.environ.pop("COLUMNS", None)  # a table of no width would print nothing
