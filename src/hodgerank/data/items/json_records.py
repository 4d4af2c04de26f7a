"""Objects of a JSON file, value by value as they are written: 3 stays '3', 1e3 stays '1e3'.

Records about items have fields beside the texts that differ from row to row; what is not used need
not fit into a table.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, NamedTuple

from hodgerank.errors import InvalidArgument, InvalidComparisons


class JsonRecords(NamedTuple):
    """The objects of a file, and all keys that they have."""

    name: str
    columns: list[str]
    records: list[dict[str, Any]]


def is_json(source: object) -> bool:
    """Whether a path is that of a JSON file."""
    from hodgerank.data.sources.files import JSON, JSON_LINES

    is_path = isinstance(source, str | os.PathLike)
    return is_path and str(source).lower().endswith((*JSON, *JSON_LINES))


def read_json_records(path: Path, encoding: str | None, name: str | None = None) -> JsonRecords:
    """The objects of a file, one a line or all in a list; numbers are strings."""
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
            f'{name}: write an object for each item, {{"id": "...", "text": "..."}}, one a line'
        )
    return whole


def _text_of(path: Path, encoding: str | None, name: str) -> str:
    from hodgerank.data.sources.text import DAMAGE, opened

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
            "save the file as UTF-8, or name its encoding: encoding='latin-1' (--encoding latin-1)"
        ) from None
    except DAMAGE as error:
        raise InvalidComparisons(f"{name} cannot be read: {error}") from None


def _numbered(text: str) -> list[tuple[int, str]]:
    # not splitlines: a text in quotes may hold other ends of lines than \n
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
        raise ValueError("it is nested too deep") from None
