"""The options that tell which items join a campaign, and how their file is read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from hodgerank.types import Item

PANEL = "Columns of ITEMS"
Items = Annotated[
    str,
    typer.Argument(
        metavar="ITEMS",
        help="CSV, JSON lines, Parquet or Excel with id, text and perhaps image, context (shown "
        "above the text) or track (ranked apart); or a folder of texts or images.",
    ),
]


def _column(help_text: str, *names: str) -> object:
    return typer.Option(*names, rich_help_panel=PANEL, help=help_text, show_default=False)


IdColumn = Annotated[str | None, _column("If not found by name.", "--id")]
TextColumn = Annotated[str | None, _column("Likewise.", "--text")]
ContextColumn = Annotated[str | None, _column("Likewise; '' leaves it out.", "--context")]
ImageColumn = Annotated[str | None, _column("Likewise; paths beside ITEMS.", "--image")]
TrackColumn = Annotated[str | None, _column("Likewise; '' leaves it out.", "--track")]
Encoding = Annotated[str | None, _column("Of ITEMS, if not UTF-8.", "--encoding")]


def known_items(names: Iterable[str], items: Iterable[Item]) -> list[Item]:
    """Items that are named on the command line or in a file, whatever their type."""
    from hodgerank.cli.lists import by_name
    from hodgerank.errors import UnknownItem

    known = by_name(list(items))
    found = []
    for name in names:
        if name not in known:
            raise UnknownItem(name, known)
        found.append(known[name])
    return found
