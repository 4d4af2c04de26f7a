"""judge_for: language models that are shown what the workers of a campaign are shown."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.items import CampaignItem
from hodgerank.campaign.media_folder import media_file, media_folder
from hodgerank.campaign.remote.remote_campaign import RemoteCampaign
from hodgerank.data.items.samples import Sample
from hodgerank.errors import CampaignError, InvalidArgument
from hodgerank.judges.chat_judge import ChatJudge
from hodgerank.notebook import short


def judge_for(
    campaign: Campaign | RemoteCampaign, models: str | Sequence[str], **options: Any
) -> ChatJudge:
    """A judge with the items and the question of a campaign, for `judge_campaign`.

    Texts are shown as texts, `media` that is an image file as an image. Options are those of
    `ChatJudge`; `log` keeps a run that is interrupted from paying for anything twice.
    """
    question = campaign.settings.question
    return ChatJudge(_samples(campaign), question, models, **options)


def _samples(campaign: Campaign | RemoteCampaign) -> dict[str, Sample]:
    """Of every item; a retired one that cannot be shown is not asked about."""
    retired, found = set(campaign.retired), dict[str, Sample]()
    folder = media_folder(campaign.database.name) if isinstance(campaign, Campaign) else None
    for item in campaign.items:
        name = str(item.id)
        try:
            found[name] = _sample(item, folder)
        except InvalidArgument as error:
            if item.id not in retired:
                raise CampaignError(
                    f"models cannot be shown the item {short(name)}: {error}"
                ) from None
    return found


def _sample(item: CampaignItem, folder: Path | None) -> Sample:
    """What is shown of an item; media that a server keeps lie in the folder beside its file."""
    if "://" in item.media or (folder is None and item.media):
        raise InvalidArgument(
            f"{short(item.media)} is not on this machine, and they are shown files that are"
        )
    kept = None if folder is None else media_file(folder, item.media)
    return Sample(item.text or None, kept or (Path(item.media) if item.media else None))
