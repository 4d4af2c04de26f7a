"""Tables on disk, read and written by the suffix of their file."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from io import BytesIO
from json import dumps
from pathlib import Path
from typing import IO, Any

import polars as pl

from hodgerank.atomic_write import write_file
from hodgerank.cli.outputs import LEADERBOARDS, TABLES, goes_to_standard_output, print_bytes
from hodgerank.data.reading.ballots import find_rankings
from hodgerank.data.reading.layouts import pair_layout
from hodgerank.data.reading.options import ReadOptions
from hodgerank.data.sources.files import open_file
from hodgerank.display import cut, short
from hodgerank.errors import InvalidArgument, InvalidComparisons, UnknownItem
from hodgerank.types import Item

STANDARD_INPUT = Path("-")


def file_or_input(path: Path) -> Path | IO[bytes]:
    """Return the file, or the stream that - stands for."""
    return path if path != STANDARD_INPUT else standard_input()


def standard_input() -> IO[bytes]:
    """Return standard input."""
    if sys.stdin is None:
        raise InvalidComparisons("standard input is closed: pipe the votes in, or name a file")
    return sys.stdin.buffer


def require_one_reader(paths: Iterable[Path | str | None]) -> None:
    """Refuse to read standard input twice."""
    if sum(str(path) == str(STANDARD_INPUT) for path in paths) > 1:
        raise InvalidArgument("standard input (-) can be read only once: name files instead")


def write_table(table: pl.DataFrame, path: Path) -> None:
    """Write a table in the format of the file name, or as CSV to standard output."""
    form = ".csv" if goes_to_standard_output(path) else path.suffix.lower()
    table = writable(table, form)
    if goes_to_standard_output(path):
        print_bytes(table.write_csv().encode())
        return
    writers: dict[str, Callable[[BytesIO], object]] = {
        ".csv": table.write_csv,
        ".parquet": table.write_parquet,
        ".json": table.write_json,
        ".jsonl": table.write_ndjson,
    }
    buffer = BytesIO()
    writers[form](buffer)
    write_file(path, buffer.getvalue())


def writable(table: pl.DataFrame, form: str) -> pl.DataFrame:
    """Return a table with text where a format lacks the type; nested values become JSON in CSV."""
    if form == ".parquet":
        return table
    columns = table.get_columns()  # by position: any text may be the name of a column
    for place, column in enumerate(columns):
        kind, has_bytes = column.dtype, "Binary" in str(column.dtype)
        if has_bytes or (form == ".csv" and (kind.is_nested() or kind == pl.Duration)):
            texts = [None if value is None else _text(value) for value in column.to_list()]
            columns[place] = pl.Series(column.name, texts, pl.String)
    return pl.DataFrame({column.name: column for column in columns})


def _text(value: Any) -> str:
    if isinstance(value, list | dict):
        return dumps(value, ensure_ascii=False, default=str)
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)


def write_result(result: Any, path: Path) -> None:
    """Write a result as a table, leaderboard or chart, by the file name."""
    if path.suffix.lower() in TABLES or goes_to_standard_output(path):
        write_table(result.to_frame("polars"), path)
        return
    if path.suffix.lower() in LEADERBOARDS:
        is_markdown = path.suffix.lower() == ".md"
        text: str = result.to_markdown() if is_markdown else result.to_latex()
        write_file(path, text.encode())
        return
    from hodgerank.plotting.charts import save_chart

    save_chart(result.plot(), path)


def read_scores(path: Path) -> dict[str, float]:
    """Read scores by item from a table with the columns item and score."""
    raw = open_file(file_or_input(path))
    if not {"item", "score"} <= set(raw.columns):
        columns = cut(", ".join(raw.columns), 200)
        raise InvalidComparisons(f"{path}: columns item and score are needed; it has {columns}")
    table, _ = raw.rows(["item", "score"])
    scores = table["score"].cast(pl.Float64, strict=False)
    names = table["item"].cast(pl.String).str.strip_chars()
    if scores.null_count() or names.n_unique() < len(names):
        raise InvalidComparisons(f"{path}: every item needs exactly one numeric score")
    return dict(zip(names, scores, strict=True))


HEADERS = ("item", "items", "name", "id", "model", "option", "title", "label", "object")
VOTE = re.compile(r"[^,;\t]+([,;\t])[^,;\t]+\1[+-]?[01](\1|$)")


def read_items(path: Path | IO[bytes]) -> list[Item] | None:
    """Read a list of items; return None if the file holds votes.

    The list is a .txt with one item per line, a table with one column, or a table with a column
    called item, such as a written ranking. The header of a single column counts as an item unless
    it is a usual column name.
    """
    raw = open_file(path)
    if isinstance(path, Path) and path.suffix.lower() == ".txt" and path.is_file():
        if pair_layout(raw.columns, ReadOptions()) is not None:
            return None  # votes, regardless of the file name
        lines = _lines(path)
        _require_no_votes(lines, path)
        return _typed(lines, str(path))
    if len(raw.columns) > 1 and "item" not in raw.columns:
        return None
    if find_rankings(raw.columns, ReadOptions()) is not None:
        return None
    column = raw.columns[0] if len(raw.columns) == 1 else "item"
    table, _ = raw.rows([column])
    first = [] if column.lower() in HEADERS else [column]
    return _typed([*first, *(str(value).strip() for value in table[column].drop_nulls())], raw.name)


def read_pairs(
    path: Path, items: tuple[Item, ...], group: tuple[str, Item] | None = None
) -> list[tuple[Item, Item]]:
    """Read pairs of known items from the columns left and right, or the first two.

    A header of two items is a pair. With `group` (column and name), read the pairs of that group.
    """
    raw = open_file(file_or_input(path))
    if len(raw.columns) < 2:
        raise InvalidComparisons(f"{path}: pairs need two columns, left and right")
    names = ["left", "right"] if {"left", "right"} <= set(raw.columns) else raw.columns[:2]
    known = by_name(items)
    if group is None:
        table, _ = raw.rows(names)
    else:
        column, name = group
        if column not in raw.columns:
            raise InvalidComparisons(f"{path}: a column {column} with the groups is needed")
        table, _ = raw.rows([*names, column])
        table = table.filter(table[column].cast(pl.String) == str(name)).select(names)
        if not len(table):
            return []
    rows = [(str(a).strip(), str(b).strip()) for a, b in table.rows()]
    if set(names) <= known.keys():
        rows.insert(0, (names[0], names[1]))
    if not rows:
        raise InvalidComparisons(f"{path}: there is a header but no pairs")
    for name in (name for row in rows for name in row):
        if name not in known:
            raise InvalidComparisons(f"{path}: {UnknownItem(name, items)}")
    return [(known[a], known[b]) for a, b in rows]


def read_workers(path: Path) -> list[Item]:
    """Read workers from a .txt with one per line, or from a column worker.

    From a table with a column flag, as `hodgerank workers -o` writes it, take those with a warning.
    """
    from hodgerank.estimators.workers.assessment import WARNINGS

    if path != STANDARD_INPUT and not path.is_file():
        raise InvalidArgument(f"--exclude-workers {path}: neither 'flagged' nor a file")
    if path.suffix.lower() == ".txt":
        return list(_lines(path))
    raw = open_file(file_or_input(path))
    name = "worker" if "worker" in raw.columns else raw.columns[0]
    if name != "worker" and len(raw.columns) > 1:
        raise InvalidComparisons(f"{path}: a column worker is needed")
    table, _ = raw.rows([name, *(["flag"] if "flag" in raw.columns else [])])
    if "flag" in table.columns:
        table = table.filter(table["flag"].is_in(WARNINGS))
    first = [] if name == "worker" else [name]
    return [*first, *(str(value).strip() for value in table[name].drop_nulls())]


def _lines(path: Path) -> list[str]:
    """Return the lines that are not blank."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise InvalidComparisons(f"{path} is not UTF-8 text: {error.reason}") from None
    return [line.strip() for line in lines if line.strip()]


def by_name(items: Sequence[Item]) -> dict[str, Item]:
    """Return items by their names as text; of two with the same name, the first."""
    return {str(item): item for item in reversed(items)}


def _require_no_votes(lines: list[str], path: Path) -> None:
    """Refuse files whose lines all look like votes: two names and 1, 0 or -1, perhaps a worker."""
    if lines and all(VOTE.match(line) for line in lines):
        raise InvalidComparisons(f"{path} looks like votes without a header: add --no-header")


def _typed(names: list[str], path: str) -> list[Item]:
    counts = Counter(names)
    distinct = list(counts)
    if len(distinct) < len(names):
        twice = next(name for name in distinct if counts[name] > 1)
        raise InvalidComparisons(f"{path}: the item {short(repr(twice))} is listed twice")
    if distinct and all(re.fullmatch(r"0|-?[1-9][0-9]{0,17}", name) for name in distinct):
        return [int(name) for name in distinct]
    return list(distinct)
