"""Items of a campaign from a file or a folder, with the options that tell how to read them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hodgerank.errors import InvalidComparisons
from hodgerank.notebook import short

if TYPE_CHECKING:
    from hodgerank.campaign.items import CampaignItem
    from hodgerank.data.items.samples import Sample
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


@dataclass(frozen=True)
class ItemsRead:
    """Items, and the files of a folder that were not taken."""

    items: list[CampaignItem]
    left_out: list[str]


def read_campaign_items(
    source: str, columns: dict[str, str | None], encoding: str | None
) -> ItemsRead:
    """Items with one sample each; one item alone may join others."""
    from hodgerank.campaign.items import CampaignItem
    from hodgerank.data.items.sources import rows_of_folder, rows_of_table
    from hodgerank.data.items.tracks import tracks_of
    from hodgerank.errors import InvalidArgument

    left_out: list[str] = []
    if Path(source).is_dir():
        if named := next((part for part, column in columns.items() if column is not None), None):
            raise InvalidArgument(f"--{named} names a column, and a folder has none: leave it out")
        name = source
        rows, left_out = rows_of_folder(Path(source))
    else:
        name, rows = rows_of_table(source, columns, encoding, None, None)
    if not rows:
        raise InvalidComparisons(f"{name} has no items")
    places: dict[str, str] = {}
    for row in rows:
        if row.item in places:
            raise InvalidComparisons(
                f"{name}: {short(row.item)} stands in {places[row.item]} and in {row.where}: an "
                "item of a campaign is shown in one way; give every row an id of its own, or let "
                "models judge several samples (hodgerank judge)"
            )
        places[row.item] = row.where
    tracks = tracks_of(rows, name)
    items = [
        CampaignItem(row.item, _text(row.sample), _media(row.sample), tracks.get(row.item, ""))
        for row in rows
    ]
    return ItemsRead(items, left_out)


def _text(sample: Sample) -> str:
    return "\n\n".join(part for part in (sample.context, sample.text) if part)


def _media(sample: Sample) -> str:
    """The whole path: who answers may do so in another folder."""
    return "" if sample.image is None else str(sample.image.absolute())


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
