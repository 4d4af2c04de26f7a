"""Output of commands that change a campaign."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from rich.console import Console

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.settings import CampaignSettings
from hodgerank.cli.console import count, verbatim
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
        """Print the sentence."""
        console.print(verbatim(self.words))


def done(campaign: Campaign, words: str, as_json: bool, **more: Any) -> Done:
    """Return what was done to a campaign."""
    name, database = campaign.id, campaign.database.name
    content = {"campaign": name, "database": database, "status": campaign.counts.status, **more}
    return Done(words, content, as_json)


def answers_words(settings: CampaignSettings) -> str:
    """Return the allowed answers in words."""
    choice = "left or right"
    if settings.grades == 0:
        choice = "any number from -1 to 1"
    elif settings.grades > 1:
        choice = f"left or right, in {settings.grades} grades"
    return f"{choice}, or a tie" if settings.ties else choice


def end_words(settings: CampaignSettings) -> str:
    """Return when the campaign ends by itself."""
    ends = [] if settings.budget is None else [f"{count(settings.budget, 'vote')}"]
    ends += [] if settings.stop is None else [settings.stop]
    return " or ".join(ends) or "closed by hand (neither --budget nor --stop is given)"


def when(at: float) -> str:
    """Return a moment in local time."""
    return f"{datetime.fromtimestamp(at):%Y-%m-%d %H:%M}"
