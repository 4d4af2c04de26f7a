"""Tables on disk, in and out, by the suffix of their file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl

from hodgerank.errors import InvalidArgument, InvalidComparisons

WRITERS: dict[str, Callable[[pl.DataFrame, Path], None]] = {
    ".csv": lambda frame, path: frame.write_csv(path),
    ".parquet": lambda frame, path: frame.write_parquet(path),
    ".json": lambda frame, path: frame.write_json(path),
}


def table_writer(path: Path) -> Callable[[pl.DataFrame], None]:
    """What writes a table there; asked for before the work, so that a bad path costs nothing."""
    try:
        write = WRITERS[path.suffix.lower()]
    except KeyError:
        raise InvalidArgument(
            f"{path}: the file name must end in {', '.join(WRITERS)} to tell the format"
        ) from None
    if not path.absolute().parent.is_dir():
        raise InvalidArgument(f"{path}: the folder {path.parent} does not exist")

    def write_there(frame: pl.DataFrame) -> None:
        try:
            write(frame, path)
        except OSError as error:
            raise InvalidArgument(f"{path} cannot be written: {error.strerror or error}") from None

    return write_there


def read_scores(path: Path) -> dict[str, float]:
    """Scores by item from a CSV with columns item and score."""
    try:
        table = pl.read_csv(path, schema_overrides={"item": pl.String, "score": pl.Float64})
        return dict(zip(table["item"], table["score"], strict=True))
    except (OSError, pl.exceptions.PolarsError) as error:
        raise InvalidComparisons(f"{path}: columns item and score are needed ({error})") from None
