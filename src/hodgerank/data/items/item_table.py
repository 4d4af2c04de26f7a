"""Items from a table, a JSON file or a folder, and the tracks they are ranked in."""

from __future__ import annotations

import codecs
import json
import math
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

from hodgerank.data.items.samples import Sample, image_kind
from hodgerank.display import UNSEEN, short
from hodgerank.errors import InvalidArgument, InvalidComparisons, did_you_mean


class JsonRecords(NamedTuple):
    """Objects of a JSON file, and all their keys."""

    name: str
    columns: list[str]
    records: list[dict[str, Any]]


def is_json(source: object) -> bool:
    """Return whether a path is that of a JSON file."""
    from hodgerank.data.sources.files import JSON, JSON_LINES

    is_path = isinstance(source, str | os.PathLike)
    return is_path and str(source).lower().endswith((*JSON, *JSON_LINES))


def read_json_records(path: Path, encoding: str | None, name: str | None = None) -> JsonRecords:
    """Read the objects of a file, one per line or in a list; numbers become strings."""
    name = name or str(path)
    records = _records_of(_text_of(path, encoding, name), name)
    return JsonRecords(name, list(dict.fromkeys(k for r in records for k in r)), records)


def _records_of(text: str, name: str) -> list[dict[str, Any]]:
    try:
        whole = _parsed(text)
    except ValueError:
        return [_record(line, f"{name}, line {n:,}") for n, line in _numbered(text)]
    if isinstance(whole, dict):
        return [whole]
    if not isinstance(whole, list) or not all(isinstance(record, dict) for record in whole):
        raise InvalidComparisons(
            f'{name}: write one object per line for each item, {{"id": "...", "text": "..."}}'
        )
    return whole


def _text_of(path: Path, encoding: str | None, name: str) -> str:
    from hodgerank.data.sources.text_table import DAMAGE, opened

    try:
        with opened(path) as file:
            content = file.read()
        return content.decode(encoding or json.detect_encoding(content))
    except FileNotFoundError:
        raise InvalidComparisons(f"{name} does not exist") from None
    except LookupError:
        raise InvalidArgument(f"there is no encoding {encoding!r}; try 'latin-1'") from None
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InvalidComparisons(
            f"{name}, line {line:,}: byte 0x{content[error.start]:02x} is not {error.encoding}: "
            "save the file as UTF-8, or give its encoding: encoding='latin-1' (--encoding "
            "latin-1)"
        ) from None
    except DAMAGE as error:
        raise InvalidComparisons(f"{name} cannot be read: {error}") from None


def _numbered(text: str) -> list[tuple[int, str]]:
    # not splitlines: a quoted text may hold other line separators than \n
    return [(n, line) for n, line in enumerate(text.split("\n"), 1) if line.strip()]


def _record(line: str, where: str) -> dict[str, Any]:
    try:
        record = _parsed(line)
    except ValueError as error:
        raise InvalidComparisons(f"{where} is not readable as JSON: {error}") from None
    if not isinstance(record, dict):
        raise InvalidComparisons(
            f'{where}: write an object, {{"id": "...", "text": "..."}}, not {line.strip()[:40]}'
        )
    return record


def _parsed(text: str) -> Any:
    try:
        return json.loads(text, parse_int=str, parse_float=str, parse_constant=lambda _: None)
    except RecursionError:
        raise ValueError("nested too deeply") from None


COLUMNS = {
    "id": ("id", "item", "name", "model", "system"),
    "text": ("text", "output", "answer", "response", "completion", "summary", "translation"),
    "context": ("context", "prompt", "input", "question", "source", "document"),
    "image": ("image", "file", "path"),
    "media": ("media", "image", "video", "audio", "file", "path", "url"),
    "track": ("track",),
}
TEXTS = (".txt", ".md")
IMAGES = (".png", ".jpg", ".jpeg", ".gif", ".webp")
_BYTE_ORDER_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_MOST_FAULTS = 5
_HALF = re.compile("[\ud800-\udfff]")  # halves of characters, which JSON may hold
T = TypeVar("T")
Cells: TypeAlias = Mapping[str, str | None]  # cells of one row, by role


class Columns(Protocol):
    """A table, by its name and its columns."""

    @property
    def name(self) -> str:
        """Name in messages."""

    @property
    def columns(self) -> list[str]:
        """Names of all columns."""


class Row(NamedTuple):
    """A sample of an item, where it was found, its track, if any, and its other columns."""

    where: str
    item: str
    sample: Sample
    track: str | None = None
    others: Cells = MappingProxyType({})


class RowsRead(NamedTuple, Generic[T]):
    """Rows read from a table, and errors in others.

    Attributes
    ----------
    name
        Name of the table in messages.
    columns, unused
        Columns by role, and unused columns.
    rows, faults
        Rows read, and errors in the other rows.
    others
        Unused columns of each row, if wanted; without those that hold lists or tables.
    """

    name: str
    columns: dict[str, str]
    unused: list[str]
    rows: list[T]
    faults: list[str]
    others: list[dict[str, str | None]]

    def all_rows(self) -> list[T]:
        """Return the rows, or raise all errors."""
        if self.faults:
            more = len(self.faults) - _MOST_FAULTS
            shown = "; ".join(self.faults[:_MOST_FAULTS])
            rest = f"; and {more:,} more such rows" if more > 0 else ""
            raise InvalidComparisons(f"{self.name}, {shown}{rest}")
        return self.rows


def as_option(part: str, column: str) -> str:
    """Return how to name the column of a role, in Python and on the command line."""
    return f"{part}={short(repr(column))} (--{part} {short(column)})"


def rows_of_table(
    source: Any,
    given: Mapping[str, str | None],
    encoding: str | None,
    separator: str | None,
    sheet: str | None,
) -> tuple[str, list[Row]]:
    """Return the name of a table and its rows, or raise all errors."""
    make = partial(_row, folder_beside(source))
    read = read_rows(
        source, given, make, encoding=encoding, separator=separator, sheet=sheet, with_others=True
    )
    rows = zip(read.all_rows(), read.others, strict=True)
    return read.name, [row._replace(others=others) for row, others in rows]


def folder_beside(source: object) -> Path:
    """Return the folder of the files that a table names."""
    return Path(source).parent if isinstance(source, str | os.PathLike) else Path()


def read_rows(
    source: Any,
    given: Mapping[str, str | None],
    make: Callable[[str, Cells], T],
    *,
    encoding: str | None = None,
    separator: str | None = None,
    sheet: str | None = None,
    name: str | None = None,
    how_to_name: Callable[[str, str], str] = as_option,
    with_others: bool = False,
) -> RowsRead[T]:
    """Convert every row that is not empty, from its place and its cells.

    An InvalidArgument that `make` raises is collected as an error of that row. `name` is the name
    of the file in messages, and `how_to_name` describes how to name a column. `with_others` also
    reads the columns that have no role.
    """
    records: Iterable[Mapping[str, Any]]
    table: Columns
    ragged = None
    if is_json(name or source):
        table = found = read_json_records(Path(source), encoding, name)
        parts, records = columns_by_part(table, given, how_to_name), found.records
    else:
        from hodgerank.data.sources.open_table import open_table

        table = opened = open_table(
            source, encoding=encoding, separator=separator, sheet=sheet, name=name
        )
        parts = columns_by_part(table, given, how_to_name)
        wanted = [*parts.values(), *(opened.columns if with_others else ())]
        frame, ragged = opened.rows(list(dict.fromkeys(wanted)))
        records = frame.iter_rows(named=True)
    unused = [column for column in table.columns if column not in parts.values()]
    rows, faults, others = [], [], []
    for place, values in enumerate(records):
        where = f"row {place + 1:,}"
        try:
            if ragged is not None and ragged[place]:
                raise InvalidArgument(
                    "more fields than the header: put texts that contain the separator in quotes"
                )
            shown = {part: _as_text(values.get(column), column) for part, column in parts.items()}
            if any(value is not None for value in shown.values()):
                rows.append(make(where, shown))
                if with_others:
                    others.append(
                        {
                            c: _as_text(values.get(c), c)
                            for c in unused
                            if _can_be_kept(values.get(c))
                        }
                    )
        except InvalidArgument as error:
            faults.append(f"{where}: {error}")
    return RowsRead(table.name, parts, unused, rows, faults, others)


def columns_by_part(
    table: Columns,
    given: Mapping[str, str | None],
    how_to_name: Callable[[str, str], str] = as_option,
) -> dict[str, str]:
    """Return the column of each role, as given or (None) by its name."""
    source, columns = table.name, table.columns
    has = f"it has {_listed(columns)}"
    parts = {}
    for part, name in given.items():
        if name:
            alike = [c for c in columns if c.strip().lower() == name.strip().lower()]
            if name not in columns and len(alike) != 1:
                raise InvalidArgument(
                    f"{source} has no column {short(repr(name))} for the {part}"
                    f"{did_you_mean(name, columns)}: {has}"
                )
            parts[part] = name if name in columns else alike[0]
    for part in [part for part, name in given.items() if name is None]:
        free = [column for column in columns if column not in parts.values()]
        named_so = [column for column in free if column.strip().lower() in COLUMNS[part]]
        likely = list(dict.fromkeys(named_so))
        if len(likely) > 1:
            raise InvalidArgument(
                f"{source}: several columns may be the {part} ({_listed(likely)}): name one, "
                f"{how_to_name(part, likely[0])}"
            )
        if likely:
            parts[part] = likely[0]
    if "id" not in parts:
        raise InvalidArgument(
            f"{source} has no column for the id (called {', '.join(COLUMNS['id'])}): name the "
            f"column that identifies the items, {how_to_name('id', '...')}; {has}"
        )
    media = next((part for part in ("image", "media") if part in given), "image")
    if "text" not in parts and media not in parts:
        raise InvalidArgument(
            f"{source} has no column for the text (called {', '.join(COLUMNS['text'])}) or the "
            f"{media} ({', '.join(COLUMNS[media])}): name one, {how_to_name('text', '...')}; {has}"
        )
    return parts


def _listed(columns: Sequence[str]) -> str:
    shown = ", ".join(map(short, columns[:20]))
    return shown if len(columns) <= 20 else f"{shown}, ... ({len(columns):,})"


def _as_text(value: object, column: str) -> str | None:
    """Return a cell as text; None if it is empty."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, bool):
        return str(value).lower()
    if not _is_plain(value):
        raise InvalidArgument(f"{short(column)} holds a {type(value).__name__}: write it as text")
    text = str(value)
    return text if text.strip() else None


def _is_plain(value: object) -> bool:
    return isinstance(value, str) or not isinstance(value, Sequence | Mapping | set)


def _can_be_kept(value: object) -> bool:
    """Return whether a cell without a role is a plain value that can be written to files."""
    return _is_plain(value) and not (isinstance(value, str) and _HALF.search(value))


def id_in(cells: Cells) -> str:
    """Return the id of a row, which must also have something to show."""
    item = cells["id"]
    if item is None:
        raise InvalidArgument("the id is empty: fill it in")
    if all(cells.get(part) is None for part in ("text", "image", "media")):
        raise InvalidArgument(f"{short(item)} has no content: fill it in, or remove the row")
    return item


def track_in(cells: Cells) -> str | None:
    """Return the track of a row, if it has one."""
    track = cells.get("track")
    return None if track is None else track.strip()


def _row(folder: Path, where: str, cells: Cells) -> Row:
    item, image = id_in(cells), cells.get("image")
    if image is not None and "://" in image:
        raise InvalidArgument(f"{short(image)} is not a file: save the image, and give its path")
    path = None if image is None else folder / image.strip()
    sample = Sample(cells.get("text"), path, cells.get("context"))
    return Row(where, item, sample, track_in(cells))


def rows_of_folder(folder: Path) -> tuple[list[Row], list[str]]:
    """Return the texts or images of a folder by name, and the names of all other files."""
    try:
        files = sorted(folder.iterdir(), key=lambda path: path.name)
        texts = [path for path in files if _has_ending(path, TEXTS) and path.is_file()]
        images = [path for path in files if not _has_ending(path, TEXTS) and _is_image(path)]
    except OSError as error:
        raise InvalidComparisons(f"{folder} cannot be read: {error}") from None
    if texts and images:
        raise InvalidComparisons(
            f"{folder} holds texts ({short(texts[0].name)}) and images "
            f"({short(images[0].name)}): put each kind into its own folder, or name both in a "
            "table with the columns id, text and image"
        )
    taken = {*texts, *images}
    left_out = [path.name for path in files if path not in taken]
    rows: dict[str, Row] = {}
    for path in texts or images:
        if path.stem in rows:
            raise InvalidComparisons(
                f"{folder}: {short(rows[path.stem].where)} and {short(path.name)} would both be "
                f"the item {short(path.stem)}: rename one"
            )
        try:
            sample = Sample(text_of(path.read_bytes())) if texts else Sample(image=path)
        except (OSError, InvalidArgument) as error:
            raise InvalidComparisons(f"{folder}, {short(path.name)}: {error}") from None
        rows[path.stem] = Row(path.name, path.stem, sample)
    return list(rows.values()), left_out


def _has_ending(path: Path, endings: Iterable[str]) -> bool:
    return path.suffix.lower() in endings and not path.name.startswith(".")


def _is_image(path: Path) -> bool:
    """Return whether a file has the name or the content of an image."""
    if path.name.startswith(".") or not path.is_file():
        return False
    if _has_ending(path, IMAGES):
        return True
    with path.open("rb") as file:
        return image_kind(file.read(16)) is not None


def text_of(content: bytes) -> str:
    """Return the text of a file without trailing line ends."""
    encoding = "utf-16" if content.startswith(_BYTE_ORDER_MARKS) else "utf-8-sig"
    try:
        return content.decode(encoding).rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise InvalidArgument(
            f"byte {error.start + 1:,} is not {encoding.removesuffix('-sig').upper()}: save the "
            "text as UTF-8"
        ) from None


_MOST_ROWS = 5


class TrackedRow(Protocol):
    """Where an item was found, and its track, if any."""

    @property
    def where(self) -> str:
        """Place in messages."""

    @property
    def item(self) -> str:
        """Id of the item."""

    @property
    def track(self) -> str | None:
        """Track in which it is ranked."""


def tracks_of(rows: Sequence[TrackedRow], name: str) -> dict[str, str]:
    """Return the track of each item; empty without tracks. Either all rows have one, or none.

    >>> from hodgerank.data.items.samples import Sample
    >>> from hodgerank.data.items.item_table import Row
    >>> tracks_of([Row("row 1", "a", Sample("x"), "easy")], "items.csv")
    {'a': 'easy'}
    """
    without = [row for row in rows if row.track is None]
    if len(without) == len(rows):
        return {}
    if without:
        raise InvalidComparisons(
            f"{name}, {_places(without)}: the track is empty, but other rows have one: fill it "
            "in, or ignore the column with track='' (or rename the column)"
        )
    first: dict[str, TrackedRow] = {}
    for row in rows:
        earlier = first.setdefault(row.item, row)
        if earlier.track != row.track:
            raise InvalidComparisons(
                f"{name}: {short(row.item)} is in the track {short(repr(earlier.track))} in "
                f"{earlier.where} and in {short(repr(row.track))} in {row.where}: use a "
                "different id in each track"
            )
    tracks = {item: str(row.track) for item, row in first.items()}
    for item, track in tracks.items():
        if unseen := UNSEEN.search(track):
            raise InvalidComparisons(
                f"{name}, {first[item].where}: the track {short(track)} has the character "
                f"{short(unseen[0])}, which cannot be displayed: rename the track"
            )
    return tracks


def _places(rows: Sequence[TrackedRow]) -> str:
    shown = ", ".join(row.where for row in rows[:_MOST_ROWS])
    more = len(rows) - _MOST_ROWS
    return f"{shown} and {more:,} more rows" if more > 0 else shown
