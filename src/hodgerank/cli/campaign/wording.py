"""Settings in a few words."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hodgerank.campaign.settings import CampaignSettings


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
