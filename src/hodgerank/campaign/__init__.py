"""Campaigns: durable collection of votes.

`Campaign` assigns pairs to workers, records their answers, and keeps every event in a log: in
memory, in a file, or in PostgreSQL for several processes. Needs the extra `campaign`, and
`postgres` for PostgreSQL.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hodgerank.campaign.attention_checks import AttentionChecks as AttentionChecks
    from hodgerank.campaign.attention_checks import GoldPair as GoldPair
    from hodgerank.campaign.campaign import Campaign as Campaign
    from hodgerank.campaign.client.remote_campaign import RemoteCampaign as RemoteCampaign
    from hodgerank.campaign.commands.answers import Receipt as Receipt
    from hodgerank.campaign.database import Database as Database
    from hodgerank.campaign.events import Event as Event
    from hodgerank.campaign.items import CampaignItem as CampaignItem
    from hodgerank.campaign.log import CampaignLog as CampaignLog
    from hodgerank.campaign.page_settings import JoinSettings as JoinSettings
    from hodgerank.campaign.page_settings import PageSettings as PageSettings
    from hodgerank.campaign.page_settings import PracticePair as PracticePair
    from hodgerank.campaign.page_settings import QuizQuestion as QuizQuestion
    from hodgerank.campaign.page_settings import RecruitmentPanel as RecruitmentPanel
    from hodgerank.campaign.results import TrackProgress as TrackProgress
    from hodgerank.campaign.results import rank_votes as rank_votes
    from hodgerank.campaign.settings import CampaignSettings as CampaignSettings
    from hodgerank.campaign.summaries import CampaignProgress as CampaignProgress
    from hodgerank.campaign.summaries import Counts as Counts
    from hodgerank.campaign.summaries import RuleRate as RuleRate
    from hodgerank.campaign.summaries import WorkerSummary as WorkerSummary
    from hodgerank.campaign.tasks import Task as Task

_HOMES = {
    "Campaign": "campaign",
    "RemoteCampaign": "client.remote_campaign",
    "CampaignSettings": "settings",
    "CampaignItem": "items",
    "GoldPair": "attention_checks",
    "AttentionChecks": "attention_checks",
    "JoinSettings": "page_settings",
    "PracticePair": "page_settings",
    "QuizQuestion": "page_settings",
    "RecruitmentPanel": "page_settings",
    "PageSettings": "page_settings",
    "Database": "database",
    "CampaignLog": "log",
    "Task": "tasks",
    "Receipt": "commands.answers",
    "CampaignProgress": "summaries",
    "TrackProgress": "results",
    "Counts": "summaries",
    "RuleRate": "summaries",
    "WorkerSummary": "summaries",
    "rank_votes": "results",
    "Event": "events",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'hodgerank.campaign' has no attribute {name!r}")
    return getattr(import_module(f"hodgerank.campaign.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(_HOMES)
