"""judge_for: language models that are shown what the workers of a campaign are shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.items import CampaignItem
from hodgerank.campaign.remote.remote_campaign import RemoteCampaign
from hodgerank.data.items.samples import Sample
from hodgerank.errors import CampaignError, InvalidArgument
from hodgerank.judges.chat_judge import ChatJudge
from hodgerank.notebook import short


def judge_for(
    campaign: Campaign | RemoteCampaign, models: str | Sequence[str], **options: Any
) -> ChatJudge:
    """A judge with the items and the question of a campaign, for `judge_campaign`.

    Texts are shown as texts, `media` that is an image file as an image. Those of a `RemoteCampaign`
    are fetched here, and can be shown as long as it is connected. Options are those of `ChatJudge`;
    `log` keeps a run that is interrupted from paying for anything twice.
    """
    question = campaign.settings.question
    return ChatJudge(_samples(campaign), question, models, **options)


def _samples(campaign: Campaign | RemoteCampaign) -> dict[str, Sample]:
    """Of every item; a retired one that cannot be shown is not asked about."""
    retired, found = set(campaign.retired), dict[str, Sample]()
    for item in campaign.items:
        name = str(item.id)
        try:
            found[name] = _sample(campaign, item)
        except InvalidArgument as error:
            if item.id not in retired:
                raise CampaignError(
                    f"models cannot be shown the item {short(name)}: {error}"
                ) from None
    return found


def _sample(campaign: Campaign | RemoteCampaign, item: CampaignItem) -> Sample:
    return Sample(item.text or None, campaign.media_file(item.media) if item.media else None)
