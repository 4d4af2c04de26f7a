"""Reading: what a server sends becomes what the campaign itself would return."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Any

from hodgerank.campaign.answering import Receipt
from hodgerank.campaign.items import CampaignItem
from hodgerank.campaign.standing import TrackProgress
from hodgerank.campaign.summaries import CampaignProgress, Counts, RuleRate
from hodgerank.campaign.tasks import Task
from hodgerank.collecting.forecast import Forecast
from hodgerank.collecting.rule_text import read_rule
from hodgerank.collecting.stopping import RankingRule
from hodgerank.types import Pair


def task_of(found: Mapping[str, Any]) -> Task:
    """A task; its purpose is told to owners only."""
    return Task(
        id=found["id"],
        worker=found["worker"],
        pair=Pair(found["left"]["item"], found["right"]["item"]),
        track=found["track"],
        purpose=found.get("purpose", ""),
        expires=found["expires"],
    )


def receipt_of(found: Mapping[str, Any]) -> Receipt:
    """What became of an answer."""
    return Receipt(**{**found, "marks": tuple(found["marks"])})


def item_of(found: Mapping[str, Any]) -> CampaignItem:
    """An item."""
    return CampaignItem(found["item"], found["text"], found["media"], found["track"])


def counts_of(found: Mapping[str, Any]) -> Counts:
    """The campaign in numbers, with whatever else there is left out."""
    rules = tuple(
        RuleRate(rule["rule"], rule["n_passed"], rule["n_failed"], rule["is_alarm"])
        for rule in found["rules"]
    )
    names = Counts.__dataclass_fields__
    return Counts(**{**{name: found[name] for name in names}, "rules": rules})


def progress_of(found: Mapping[str, Any], stop: str | None) -> CampaignProgress:
    """How far a campaign is that has this stopping rule."""
    rule = None if stop is None else read_rule(stop)
    tracks = tuple(
        TrackProgress(
            track=track["track"],
            n_items=track["items"],
            n_answers=track["answers"],
            expected_tau=track["expected_tau"],
            is_enough=track["is_enough"],
            forecast=_forecast(track["forecast"], rule),
            is_doubtful=track["is_doubtful"],
        )
        for track in found["tracks"]
    )
    return CampaignProgress(counts_of(found), tracks)


def _forecast(found: Mapping[str, Any] | None, rule: object) -> Forecast | None:
    if found is None or not isinstance(rule, RankingRule):
        return None
    numbers = {name: found[name] for name in ("answers", "lower", "upper")}
    far = {name: inf if number is None else number for name, number in numbers.items()}
    return Forecast(rule=rule, now=found["now"], **far)
