"""Items of a campaign from a table or a folder, for everyone who lets items join."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from hodgerank.campaign.items import CampaignItem
from hodgerank.data.items.sources import Row, rows_of_folder, rows_of_table
from hodgerank.data.items.tracks import tracks_of
from hodgerank.errors import InvalidArgument, InvalidComparisons
from hodgerank.notebook import short


@dataclass(frozen=True)
class ItemsRead:
    """Items, and the files of a folder that were not taken."""

    items: list[CampaignItem]
    left_out: list[str]


class ItemRow(NamedTuple):
    """An item, where it was found, and the track it is ranked in, if there are any."""

    where: str
    item: str
    text: str
    media: str
    track: str | None = None


def read_campaign_items(
    source: str, columns: Mapping[str, str | None], encoding: str | None
) -> ItemsRead:
    """Items with one sample each; one item alone may join others."""
    left_out: list[str] = []
    if Path(source).is_dir():
        if named := next((part for part, column in columns.items() if column is not None), None):
            raise InvalidArgument(f"--{named} names a column, and a folder has none: leave it out")
        name = source
        rows, left_out = rows_of_folder(Path(source))
    else:
        name, rows = rows_of_table(source, columns, encoding, None, None)
    return ItemsRead(items_of([_as_shown(row) for row in rows], name), left_out)


def items_of(rows: Sequence[ItemRow], name: str) -> list[CampaignItem]:
    """An item of every row; `name` is what messages call their source."""
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
    return [CampaignItem(row.item, row.text, row.media, tracks.get(row.item, "")) for row in rows]


def text_with_context(context: str | None, text: str | None) -> str:
    """What is read of an item: its context stands above it."""
    return "\n\n".join(part for part in (context, text) if part)


def _as_shown(row: Row) -> ItemRow:
    text = text_with_context(row.sample.context, row.sample.text)
    image = row.sample.image
    # the whole path: who answers may do so in another folder
    media = "" if image is None else str(image.absolute())
    return ItemRow(row.where, row.item, text, media, row.track)
