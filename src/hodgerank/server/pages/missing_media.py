"""Missing media: items of which browsers would get nothing to show."""

from __future__ import annotations

from collections.abc import Sequence

from hodgerank.campaign.items import CampaignItem
from hodgerank.server.media.library import MediaLibrary
from hodgerank.server.uploads.addresses import is_address


def missing_media(library: MediaLibrary, items: Sequence[CampaignItem]) -> frozenset[int]:
    """By number: those whose file is not in the library; what stands elsewhere is not looked at."""
    return frozenset(
        number
        for number, item in enumerate(items)
        if item.media and not is_address(item.media) and item.media not in library
    )
