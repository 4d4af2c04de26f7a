"""Where results go: checked before any work is done, so that a bad name costs nothing."""

import os
from collections.abc import Iterable
from fnmatch import fnmatch
from glob import glob, has_magic
from pathlib import Path
from typing import Any

import typer

from hodgerank.errors import InvalidArgument

TABLES = (".csv", ".parquet", ".json")


def output_option(
    help_text: str, *names: str, suffixes: tuple[str, ...] = TABLES, charts: bool = False
) -> Any:
    """An option that names a file to be written, in a format that the name tells.

    With - among the suffixes it may be standard output.
    """

    def check(path: Path | None) -> Path | None:
        if path is not None and str(path) not in suffixes:
            _check_name(path, suffixes, charts)
        return path

    return typer.Option(*names, help=help_text, callback=check)


def _check_name(path: Path, suffixes: tuple[str, ...], charts: bool) -> None:
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


def keep_apart(outputs: Iterable[Path | None], inputs: Iterable[Path | str | None] = ()) -> None:
    """Refuse to write two results to one file, or to a file that is read.

    Inputs may be patterns; what a pattern would find once it is written is an input too.
    """
    read = [str(path) for path in inputs if path is not None]
    written: list[str] = []
    for output in outputs:
        if output is None or str(output) == "-":
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
