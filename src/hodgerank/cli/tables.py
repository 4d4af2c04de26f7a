"""Tables on disk, in and out, by the suffix of their file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl

from hodgerank.data.sources.files import open_file
from hodgerank.errors import InvalidArgument, InvalidComparisons

WRITERS: dict[str, Callable[[pl.DataFrame, Path], None]] = {
    ".csv": lambda frame, path: frame.write_csv(path),
    ".parquet": lambda frame, path: frame.write_parquet(path),
    ".json": lambda frame, path: frame.write_json(path),
}


def table_writer(
    path: Path, *others: Path | str | None, or_else: tuple[str, ...] = ()
) -> Callable[[pl.DataFrame], None]:
    """What writes a table there; asked for before the work, so that a bad path costs nothing.

    The other files of the command must not be overwritten. `or_else` are suffixes that somebody
    else would have understood.
    """
    if any(other is not None and Path(other).absolute() == path.absolute() for other in others):
        raise InvalidArgument(f"{path} would be overwritten: choose another name for the output")
    try:
        write = WRITERS[path.suffix.lower()]
    except KeyError:
        suffixes = ", ".join((*WRITERS, *or_else))
        raise InvalidArgument(
            f"{path}: the file name must end in {suffixes} to tell the format"
        ) from None
    if not path.absolute().parent.is_dir():
        raise InvalidArgument(f"{path}: the folder {path.parent} does not exist")

    def write_there(frame: pl.DataFrame) -> None:
        try:
            write(frame, path)
        except OSError as error:
            raise InvalidArgument(f"{path} cannot be written: {error.strerror or error}") from None

    return write_there


def result_writer(path: Path, *others: Path | str | None) -> Callable[[Any], None]:
    """What writes a result there: as its chart if the name says so, else as its table."""
    from hodgerank.plotting.charts import SUFFIXES, altair, save_chart

    if path.suffix.lower() not in SUFFIXES:
        write = table_writer(path, *others, or_else=SUFFIXES)
        return lambda result: write(result.to_frame("polars"))
    altair()
    if not path.absolute().parent.is_dir():
        raise InvalidArgument(f"{path}: the folder {path.parent} does not exist")
    return lambda result: save_chart(result.plot(), path)


def read_scores(path: Path) -> dict[str, float]:
    """Scores by item from a table with columns item and score."""
    raw = open_file(path)
    if not {"item", "score"} <= set(raw.columns):
        raise InvalidComparisons(
            f"{path}: columns item and score are needed; it has {', '.join(raw.columns)}"
        )
    table, _ = raw.rows(["item", "score"])
    scores = table["score"].cast(pl.Float64, strict=False)
    names = table["item"].cast(pl.String).str.strip_chars()
    if scores.null_count() or names.n_unique() < len(names):
        raise InvalidComparisons(f"{path}: every item needs one score, a number")
    return dict(zip(names, scores, strict=True))
