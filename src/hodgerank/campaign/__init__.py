"""Campaigns: collecting votes that nothing can lose.

`Campaign` leases pairs to workers, takes their answers, and keeps everything that happens in a
log: in memory, in a file, or in PostgreSQL for several processes. The extra `campaign` has what it
takes, `postgres` the rest.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hodgerank.campaign.answering import Receipt as Receipt
    from hodgerank.campaign.attention import Attention as Attention
    from hodgerank.campaign.campaign import Campaign as Campaign
    from hodgerank.campaign.database import Database as Database
    from hodgerank.campaign.desk import Desk as Desk
    from hodgerank.campaign.events import Event as Event
    from hodgerank.campaign.gold import GoldPair as GoldPair
    from hodgerank.campaign.items import CampaignItem as CampaignItem
    from hodgerank.campaign.joining import Joining as Joining
    from hodgerank.campaign.joining import PracticePair as PracticePair
    from hodgerank.campaign.joining import QuizQuestion as QuizQuestion
    from hodgerank.campaign.pages import Pages as Pages
    from hodgerank.campaign.panel import Panel as Panel
    from hodgerank.campaign.remote.remote_campaign import RemoteCampaign as RemoteCampaign
    from hodgerank.campaign.settings import CampaignSettings as CampaignSettings
    from hodgerank.campaign.standing import TrackProgress as TrackProgress
    from hodgerank.campaign.standing import rank_votes as rank_votes
    from hodgerank.campaign.summaries import CampaignProgress as CampaignProgress
    from hodgerank.campaign.summaries import Counts as Counts
    from hodgerank.campaign.summaries import RuleRate as RuleRate
    from hodgerank.campaign.summaries import WorkerSummary as WorkerSummary
    from hodgerank.campaign.tasks import Task as Task

_HOMES = {
    "Campaign": "campaign",
    "RemoteCampaign": "remote.remote_campaign",
    "CampaignSettings": "settings",
    "CampaignItem": "items",
    "GoldPair": "gold",
    "Attention": "attention",
    "Joining": "joining",
    "PracticePair": "joining",
    "QuizQuestion": "joining",
    "Panel": "panel",
    "Pages": "pages",
    "Database": "database",
    "Desk": "desk",
    "Task": "tasks",
    "Receipt": "answering",
    "CampaignProgress": "summaries",
    "TrackProgress": "standing",
    "Counts": "summaries",
    "RuleRate": "summaries",
    "WorkerSummary": "summaries",
    "rank_votes": "standing",
    "Event": "events",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'hodgerank.campaign' has no attribute {name!r}")
    return getattr(import_module(f"hodgerank.campaign.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
