"""What a command says that changed something."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from rich.console import Console

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.settings import CampaignSettings
from hodgerank.cli.console import verbatim
from hodgerank.cli.result import CommandResult


@dataclass(frozen=True)
class Done(CommandResult):
    """A sentence, and the same as plain values."""

    words: str
    content: dict[str, Any]
    as_json: bool
    written = None

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for --json."""
        return self.content

    def show(self, console: Console) -> None:
        """The sentence."""
        console.print(verbatim(self.words))


def done(campaign: Campaign, words: str, as_json: bool, **more: Any) -> Done:
    """What was done to a campaign."""
    name, database = campaign.id, campaign.database.name
    content = {"campaign": name, "database": database, "status": campaign.counts.status, **more}
    return Done(words, content, as_json)


def answers_words(settings: CampaignSettings) -> str:
    """What may be answered."""
    choice = "left or right"
    if settings.grades == 0:
        choice = "any number from -1 to 1"
    elif settings.grades > 1:
        choice = f"left or right, in {settings.grades} grades"
    return f"{choice}, or a tie" if settings.ties else choice


def end_words(settings: CampaignSettings) -> str:
    """When it ends by itself."""
    ends = [] if settings.budget is None else [f"{settings.budget:,} answers"]
    ends += [] if settings.stop is None else [settings.stop]
    return " or ".join(ends) or "it is closed: neither --budget nor --stop is given"


def when(at: float) -> str:
    """A moment, in the time of this machine."""
    return f"{datetime.fromtimestamp(at):%Y-%m-%d %H:%M}"
