"""Copy local media files of items into the library."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.commands.owner import edit_item
from hodgerank.campaign.items import CampaignItem
from hodgerank.campaign.state import CampaignState
from hodgerank.display import short
from hodgerank.errors import InvalidArgument
from hodgerank.server.context import ServerContext
from hodgerank.server.media.library import MediaLibrary
from hodgerank.server.uploads.file_names import is_address
from hodgerank.types import Item


@dataclass(frozen=True)
class AdoptedMedia:
    """Result of copying local media files.

    Attributes
    ----------
    changes
        Items whose media are now in the library, with their new names.
    refusals
        Items whose media could not be copied, and why.
    """

    changes: dict[Item, str]
    refusals: dict[Item, str]


def adopt(items: Iterable[CampaignItem], library: MediaLibrary) -> AdoptedMedia:
    """Copy local media files of items into the library.

    Only for items added by the owner of this machine, since a path gives access to the file.
    """
    changes: dict[Item, str] = {}
    refusals: dict[Item, str] = {}
    for item in items:
        if not item.media or item.media.startswith("media:") or is_address(item.media):
            continue
        try:
            changes[item.id] = library.add(Path(item.media), item.media)
        except InvalidArgument as error:
            refusals[item.id] = str(error)
    return AdoptedMedia(changes, refusals)


MOST_TOLD = 10
WHERE_TO_LOOK = (
    "media files are missing: if they are in another folder, name it with --media; all servers "
    "of a database need the same folder"
)


def adopt_media(
    context: ServerContext, tell: Callable[[str], object] = lambda words: None
) -> list[str]:
    """Copy local media files of campaigns into the library; return warnings."""
    refused, is_any_lost = [], False
    for id in context.database.campaigns():
        tell(f"opening {id}")
        campaign = asyncio.run(context.campaign(id))
        if campaign is not None:
            told, is_lost = _adopt(context, campaign, tell)
            refused += told
            is_any_lost |= is_lost
    return [*refused, WHERE_TO_LOOK] if is_any_lost else refused


def _adopt(
    context: ServerContext, campaign: Campaign, tell: Callable[[str], object]
) -> tuple[list[str], bool]:
    """Return warnings, and whether media of a library are missing."""
    tell(f"checking the media of {campaign.id}")
    found = adopt(campaign.items, context.media)
    if found.changes:
        campaign.log.transact(lambda state, now: _show(state, now, found.changes))
    lost = {
        item.id: f"{item.media} is not in {context.media.folder}"
        for item in campaign.items
        if item.media.startswith("media:") and item.media not in context.media
    }
    refusals = {**found.refusals, **lost}
    told = [
        f"{campaign.id}: {short(item)} cannot be shown: {why}"
        for item, why in list(refusals.items())[:MOST_TOLD]
    ]
    if (n := len(refusals) - MOST_TOLD) > 0:
        told.append(f"{campaign.id}: and {n:,} more items")
    return told, bool(lost)


def _show(state: CampaignState, now: float, changes: Mapping[Item, str]) -> None:
    for item, media in changes.items():
        edit_item(state, now, item, None, media)
