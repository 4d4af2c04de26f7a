"""The campaign of the demonstration."""

from __future__ import annotations

from typing import Any

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.items import CampaignItem
from hodgerank.server.demo.crowd import DemoCrowd
from hodgerank.server.demo.pictures import KINDS, pictures
from hodgerank.server.house import House

ID = "demo"
SETTINGS: dict[str, Any] = {
    "title": "Twelve pictures of one lake",
    "question": "Which picture looks better?",
    "ties": True,
    "stop": "tau >= 0.9",
    "repeat_share": 0.05,
    "gold": [{"better": KINDS[0].name, "worse": KINDS[-1].name}],
    "gold_share": 0.03,
}


def begin_demo(house: House) -> None:
    """Draw the pictures and begin the campaign, unless it is there already."""
    if ID not in house.database.campaigns():
        drawn = pictures().items()
        items = [CampaignItem(name, media=house.media.add(file, name)) for name, file in drawn]
        Campaign.create(house.database, items, SETTINGS, id=ID)


async def play_demo(house: House) -> None:
    """Play workers of the campaign for ever."""
    campaign = await house.campaign(ID)
    assert campaign is not None
    await DemoCrowd(campaign, {kind.name: kind.score for kind in KINDS}).play()
