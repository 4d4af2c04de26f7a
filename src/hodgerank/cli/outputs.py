"""Outputs of commands, checked before any work is done."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from fnmatch import fnmatch
from glob import glob, has_magic
from pathlib import Path
from typing import Annotated, Any

import typer

from hodgerank.errors import CannotWrite, HodgeRankError, InvalidArgument

TABLES = (".csv", ".parquet", ".json")
VOTE_TABLES = (*TABLES, ".jsonl")
LEADERBOARDS = (".md", ".tex")  # tables for publication
STANDARD_OUTPUT = Path("-")
ON_STANDARD_OUTPUT = "- writes CSV to standard output and nothing else"
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
TopItems = Annotated[
    int | None,
    typer.Option(
        min=0,
        metavar="N",
        help="Show the best N; 0 shows all. Default: 50, with --json all.",
    ),
]


def output_option(
    help_text: str, *, charts: bool = False, suffixes: tuple[str, ...] = TABLES
) -> Any:
    """Return the option --output: a file whose name determines the format, or -."""

    def check(path: Path | None) -> Path | None:
        if path is not None and not goes_to_standard_output(path):
            check_output_name(path, suffixes, charts)
        return path

    help_text = f"{help_text}; {ON_STANDARD_OUTPUT}."
    return typer.Option("--output", "-o", help=help_text, callback=check)


def file_option(help_text: str, suffixes: tuple[str, ...] = TABLES) -> Any:
    """Return an option that names another output file, whose name determines the format."""

    def check(path: Path | None) -> Path | None:
        if path is not None:
            check_output_name(path, suffixes)
        return path

    return typer.Option(help=help_text, callback=check)


def goes_to_standard_output(path: Path | None) -> bool:
    """Return whether the table goes to standard output, so that nothing else may be printed."""
    return path == STANDARD_OUTPUT


def check_output_name(path: Path, suffixes: tuple[str, ...], charts: bool = False) -> None:
    """Refuse a name without a known format, and a folder that does not exist."""
    suffix = path.suffix.lower()
    if charts and suffix not in suffixes:
        from hodgerank.plotting.charts import SUFFIXES, require_charts

        suffixes = (*suffixes, *SUFFIXES)
        if suffix in SUFFIXES:
            require_charts()
    if suffix not in suffixes:
        raise InvalidArgument(f"{path}: the file name must end in {', '.join(suffixes)}")
    if not path.absolute().parent.is_dir():
        raise InvalidArgument(f"{path}: the folder {path.parent} does not exist")
    if path.is_dir():
        raise InvalidArgument(f"{path} is a folder: name a file to write")


def require_one_printed(output: Path | None, as_json: bool) -> None:
    """Refuse to print two results on standard output."""
    if as_json and goes_to_standard_output(output):
        raise InvalidArgument("--json and -o - both write to standard output: choose one")


def keep_apart(outputs: Iterable[Path | None], inputs: Iterable[Path | str | None] = ()) -> None:
    """Refuse to write two results to one file, or to overwrite an input.

    Inputs may be patterns; a new file that a pattern would match is an input too.
    """
    read = [str(path) for path in inputs if path is not None]
    written: list[str] = []
    for output in outputs:
        if output is None or goes_to_standard_output(output):
            continue
        path = os.path.realpath(output)
        if any(_is_same(path, other) for other in written):
            raise InvalidArgument(
                f"{output} would be written twice: choose another file for one result"
            )
        for source in read:
            if _is_same(path, source) or (has_magic(source) and _is_found(path, source)):
                raise InvalidArgument(
                    f"{output} would overwrite the input {source}: choose another file"
                )
        written.append(path)


def _is_same(one: str, other: str) -> bool:
    """Return whether two names are the same file, also through links."""
    if os.path.exists(one) and os.path.exists(other):
        return os.path.samefile(one, other)
    return os.path.realpath(one) == os.path.realpath(other)


def _is_found(path: str, pattern: str) -> bool:
    """Return whether a pattern matches the file, or will when it exists."""
    folders, names = os.path.split(pattern)
    folder, name = os.path.split(path)
    return any(_is_same(path, found) for found in glob(pattern, recursive=True)) or (
        fnmatch(name, names)
        and any(_is_same(folder, found) for found in glob(folders or ".", recursive=True))
    )


@contextmanager
def printing() -> Iterator[None]:
    """Print here: a reader that closes the pipe ends silently, other failures become errors."""
    try:
        yield
        sys.stdout.flush()
    except HodgeRankError:
        raise  # an error of a campaign has its own message
    except BrokenPipeError:
        _give_up()
    except OSError as error:
        _give_up()
        reason = error.strerror or error
        raise CannotWrite(f"standard output cannot be written: {reason}") from None


def print_bytes(content: bytes) -> None:
    """Print bytes unchanged, regardless of the encoding of the terminal."""
    with printing():
        sys.stdout.flush()
        sys.stdout.buffer.write(content)


def _give_up() -> None:
    """Discard pending output, which would make the interpreter fail again at its end."""
    with suppress(OSError):  # a stream without a file
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
