"""adopt: media that are files of this machine come into the library."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from hodgerank.campaign.items import CampaignItem
from hodgerank.errors import InvalidArgument
from hodgerank.server.media.library import MediaLibrary
from hodgerank.server.uploads.addresses import is_address
from hodgerank.types import Item


@dataclass(frozen=True)
class Adopted:
    """What became of media that are files.

    Attributes
    ----------
    changes
        Items whose media are in the library now, and what they are called there.
    refusals
        Items whose media stay where they are, and why.
    """

    changes: dict[Item, str]
    refusals: dict[Item, str]


def adopt(items: Iterable[CampaignItem], library: MediaLibrary) -> Adopted:
    """Put into the library what items show from files of this machine.

    Only for items that the owner of this machine let join: whoever may write a path here reads
    the picture behind it.
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
    return Adopted(changes, refusals)
