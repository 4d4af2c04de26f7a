"""Where results go: checked before any work is done, so that a bad name costs nothing."""

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
STANDARD_OUTPUT = Path("-")
ON_STANDARD_OUTPUT = "- for CSV on standard output, and nothing else there"
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
TopItems = Annotated[
    int | None,
    typer.Option(
        min=0,
        metavar="N",
        help="Show the best N only, 0 shows all; 50 if not given, all with --json.",
    ),
]


def output_option(help_text: str, *, charts: bool = False) -> Any:
    """--output: a file in a format that its name tells, or - for a table on standard output."""

    def check(path: Path | None) -> Path | None:
        if path is not None and not goes_to_standard_output(path):
            check_output_name(path, TABLES, charts)
        return path

    help_text = f"{help_text}; {ON_STANDARD_OUTPUT}."
    return typer.Option("--output", "-o", help=help_text, callback=check)


def file_option(help_text: str, suffixes: tuple[str, ...] = TABLES) -> Any:
    """An option that names another file to be written, in a format that its name tells."""

    def check(path: Path | None) -> Path | None:
        if path is not None:
            check_output_name(path, suffixes)
        return path

    return typer.Option(help=help_text, callback=check)


def goes_to_standard_output(path: Path | None) -> bool:
    """Whether the table is printed, and so nothing else may be."""
    return path == STANDARD_OUTPUT


def check_output_name(path: Path, suffixes: tuple[str, ...], charts: bool = False) -> None:
    """Refuse a name that does not tell a format, and a place where no file can be."""
    suffix = path.suffix.lower()
    if charts and suffix not in suffixes:
        from hodgerank.plotting.charts import SUFFIXES, require_charts

        suffixes = (*suffixes, *SUFFIXES)
        if suffix in SUFFIXES:
            require_charts()
    if suffix not in suffixes:
        raise InvalidArgument(
            f"{path}: the file name must end in {', '.join(suffixes)} to tell the format"
        )
    if not path.absolute().parent.is_dir():
        raise InvalidArgument(f"{path}: the folder {path.parent} does not exist")
    if path.is_dir():
        raise InvalidArgument(f"{path} is a folder: name a file to write")


def require_one_printed(output: Path | None, as_json: bool) -> None:
    """Refuse to print two things on one standard output."""
    if as_json and goes_to_standard_output(output):
        raise InvalidArgument("--json and -o - both want standard output: choose one")


def keep_apart(outputs: Iterable[Path | None], inputs: Iterable[Path | str | None] = ()) -> None:
    """Refuse to write two results to one file, or to a file that is read.

    Inputs may be patterns; what a pattern would find once it is written is an input too.
    """
    read = [str(path) for path in inputs if path is not None]
    written: list[str] = []
    for output in outputs:
        if output is None or goes_to_standard_output(output):
            continue
        path = os.path.realpath(output)
        if any(_is_same(path, other) for other in written):
            raise InvalidArgument(f"{output} would be written twice: write one result elsewhere")
        for source in read:
            if _is_same(path, source) or (has_magic(source) and _is_found(path, source)):
                raise InvalidArgument(
                    f"{output} would overwrite what is read from {source}: write it elsewhere"
                )
        written.append(path)


def _is_same(one: str, other: str) -> bool:
    """By whatever names: links, relative paths, hard links."""
    if os.path.exists(one) and os.path.exists(other):
        return os.path.samefile(one, other)
    return os.path.realpath(one) == os.path.realpath(other)


def _is_found(path: str, pattern: str) -> bool:
    """Whether a pattern finds the file, or will when it is there."""
    folders, names = os.path.split(pattern)
    folder, name = os.path.split(path)
    return any(_is_same(path, found) for found in glob(pattern, recursive=True)) or (
        fnmatch(name, names)
        and any(_is_same(folder, found) for found in glob(folders or ".", recursive=True))
    )


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
