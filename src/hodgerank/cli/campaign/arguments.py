"""Arguments that name a campaign, shared by all campaign commands."""

from __future__ import annotations

import shlex
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from hodgerank.cli.files import by_name
from hodgerank.data.sources.files import open_file
from hodgerank.display import cut
from hodgerank.errors import InvalidArgument, InvalidComparisons, UnknownItem
from hodgerank.types import Item

DEFAULT_NAME = "campaign"
Where = Annotated[
    str,
    typer.Argument(
        metavar="CAMPAIGN",
        help="File of the campaign, or postgresql:// address.",
        show_default=False,
    ),
]
Name = Annotated[
    str | None,
    typer.Option("--name", metavar="ID", help=("Name of the campaign, if there are several.")),
]


def command_line(command: str, database: str, name: str, *more: str) -> str:
    """Return a follow-up command, quoted for a shell."""
    which = [] if name == DEFAULT_NAME else ["--name", name]
    return shlex.join(["hodgerank", "campaign", command, database, *which, *more])


PANEL = "Columns of ITEMS"
Items = Annotated[
    str,
    typer.Argument(
        metavar="ITEMS",
        help="CSV, JSON lines, Parquet or Excel with the columns id, text and perhaps image, "
        "context (shown above the text) or track (ranked separately); or a folder of texts "
        "or images.",
    ),
]


def _column(help_text: str, *names: str) -> object:
    return typer.Option(*names, rich_help_panel=PANEL, help=help_text, show_default=False)


IdColumn = Annotated[str | None, _column("Column, if not recognised by its name.", "--id")]
TextColumn = Annotated[str | None, _column("Likewise.", "--text")]
ContextColumn = Annotated[
    str | None, _column("Column, if not recognised; '' ignores it.", "--context")
]
ImageColumn = Annotated[
    str | None, _column("Column of paths relative to ITEMS, if not recognised.", "--image")
]
TrackColumn = Annotated[str | None, _column("Column, if not recognised; '' ignores it.", "--track")]
Encoding = Annotated[str | None, _column("Encoding of ITEMS, if not UTF-8.", "--encoding")]
StopRule = Annotated[
    str | None,
    typer.Option(
        help="Stop early: 'tau >= 0.9', 'top 3 >= 0.95', 'ranks <= 2', 'established'; combine with "
        "and, or."
    ),
]


def known_items(names: Iterable[str], items: Iterable[Item]) -> list[Item]:
    """Return the items named on the command line, in their own type (text or number)."""
    known = by_name(list(items))
    found = []
    for name in names:
        if name not in known:
            raise UnknownItem(name, known)
        found.append(known[name])
    return found


Assignments = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Any setting by name, e.g. attention.same_side=30; none removes a limit.",
    ),
]


def read_assignments(given: Iterable[str]) -> dict[str, Any]:
    """Read settings from NAME=VALUE, where the value is TOML or else plain text."""
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
    """Merge settings; `others` take precedence, in tables value by value."""
    found = {**settings, **others}
    for name in settings.keys() & others.keys():
        if isinstance(settings[name], Mapping) and isinstance(others[name], Mapping):
            found[name] = {**settings[name], **others[name]}
    return found


def read_settings_file(path: Path) -> dict[str, Any]:
    """Read a TOML file, which need not have all settings of a campaign."""
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise InvalidArgument(f"{path} cannot be read: {error.strerror or error}") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise InvalidArgument(f"{path} is not TOML: {error}") from None


def read_gold(path: Path) -> list[dict[str, str]]:
    """Read pairs with a known answer from the columns better and worse."""
    raw = open_file(path)
    columns = ["better", "worse"]
    if not set(columns) <= set(raw.columns):
        has = cut(", ".join(raw.columns), 200)
        raise InvalidComparisons(f"{path}: columns better and worse are needed; it has {has}")
    table, _ = raw.rows(columns)
    if table.null_count().sum_horizontal().sum() or not len(table):
        raise InvalidComparisons(f"{path}: every row needs two items, better and worse")
    return [{"better": str(one).strip(), "worse": str(two).strip()} for one, two in table.rows()]
