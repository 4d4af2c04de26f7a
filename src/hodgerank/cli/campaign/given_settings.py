"""Settings as a command line gives them: a file, single values, a table of gold pairs."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from hodgerank.errors import InvalidArgument, InvalidComparisons

Assignments = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Any setting by name, e.g. attention.same_side=30; none is no limit.",
    ),
]


def read_assignments(given: Iterable[str]) -> dict[str, Any]:
    """Settings from NAME=VALUE; a value is TOML, or a text where it is none."""
    found: dict[str, Any] = {}
    for text in given:
        name, equals, written = text.partition("=")
        if not equals or not name.strip():
            raise InvalidArgument(f"--set {text}: write NAME=VALUE")
        table, _, inner = name.strip().partition(".")
        value = _value(written.strip())
        found = merged(found, {table: {inner: value}} if inner else {table: value})
    return found


def _value(written: str) -> Any:
    try:
        found = tomllib.loads(f"value = {written}")
    except (tomllib.TOMLDecodeError, RecursionError):
        return written
    return found["value"] if len(found) == 1 else written


def merged(settings: Mapping[str, Any], others: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of which others have the last word; of tables, value by value."""
    found = {**settings, **others}
    for name in settings.keys() & others.keys():
        if isinstance(settings[name], Mapping) and isinstance(others[name], Mapping):
            found[name] = {**settings[name], **others[name]}
    return found


def read_settings_file(path: Path) -> dict[str, Any]:
    """The values of a TOML file, which need not be all that a campaign needs."""
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise InvalidArgument(f"{path} cannot be read: {error.strerror or error}") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise InvalidArgument(f"{path} is not TOML: {error}") from None


def read_gold(path: Path) -> list[dict[str, str]]:
    """Pairs with a known answer from a table with the columns better and worse."""
    from hodgerank.data.sources.files import open_file

    raw = open_file(path)
    columns = ["better", "worse"]
    if not set(columns) <= set(raw.columns):
        from hodgerank.notebook import cut

        has = cut(", ".join(raw.columns), 200)
        raise InvalidComparisons(f"{path}: columns better and worse are needed; it has {has}")
    table, _ = raw.rows(columns)
    if table.null_count().sum_horizontal().sum() or not len(table):
        raise InvalidComparisons(f"{path}: every row needs two items, better and worse")
    return [{"better": str(one).strip(), "worse": str(two).strip()} for one, two in table.rows()]
