"""Conversion of responses to the objects that a campaign returns."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from math import inf
from typing import Any

from hodgerank.campaign.commands.answers import Receipt
from hodgerank.campaign.items import CampaignItem
from hodgerank.campaign.results import TrackProgress
from hodgerank.campaign.summaries import CampaignProgress, Counts, RuleRate
from hodgerank.campaign.tasks import Task
from hodgerank.collecting.forecast import Forecast
from hodgerank.collecting.stopping import RankingRule, read_rule
from hodgerank.data.comparisons import Comparisons
from hodgerank.types import Pair


def task_of(found: Mapping[str, Any]) -> Task:
    """Return a task; its purpose is sent to owners only."""
    return Task(
        id=found["id"],
        worker=found["worker"],
        pair=Pair(found["left"]["item"], found["right"]["item"]),
        track=found["track"],
        purpose=found.get("purpose", ""),
        expires=found["expires"],
    )


def receipt_of(found: Mapping[str, Any]) -> Receipt:
    """Return the receipt of an answer."""
    return Receipt(**{**found, "marks": tuple(found["marks"])})


def item_of(found: Mapping[str, Any]) -> CampaignItem:
    """Return an item."""
    return CampaignItem(found["item"], found["text"], found["media"], found["track"])


def counts_of(found: Mapping[str, Any]) -> Counts:
    """Return the counts of a campaign."""
    rules = tuple(
        RuleRate(rule["rule"], rule["n_passed"], rule["n_failed"], rule["is_alarm"])
        for rule in found["rules"]
    )
    names = Counts.__dataclass_fields__
    return Counts(**{**{name: found[name] for name in names}, "rules": rules})


def progress_of(found: Mapping[str, Any], stop: str | None) -> CampaignProgress:
    """Return the progress of a campaign with this stopping rule."""
    rule = None if stop is None else read_rule(stop)
    tracks = tuple(
        TrackProgress(
            track=track["track"],
            n_items=track["items"],
            n_votes=track["answers"],
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
    votes, lower, upper = (
        inf if found[name] is None else found[name] for name in ("answers", "lower", "upper")
    )
    is_unknown = found.get("spread_is_unknown", False)  # not said by older servers
    return Forecast(rule, found["now"], votes, lower, upper, is_unknown)


PIECE_BYTES = 400_000
MOST_ITEMS = 2000


def pieces_of(items: Iterable[CampaignItem]) -> list[list[dict[str, Any]]]:
    """Split items into requests of acceptable size."""
    pieces: list[list[dict[str, Any]]] = []
    n_bytes = 0
    for item in items:
        plain = {"item": item.id, "text": item.text, "media": item.media, "track": item.track}
        size = len(json.dumps(plain))
        if not pieces or n_bytes + size > PIECE_BYTES or len(pieces[-1]) == MOST_ITEMS:
            pieces.append([])
            n_bytes = 0
        pieces[-1].append(plain)
        n_bytes += size
    return pieces


def vote_lines(votes: Comparisons) -> Iterator[bytes]:
    """Yield a line of JSON for each vote."""
    weights = [1.0] * len(votes) if votes.weight is None else votes.weight.tolist()
    columns = (votes.left, votes.right, votes.outcome, votes.worker, votes.display_known)
    rows = zip(*(column.tolist() for column in columns), weights, strict=True)
    for left, right, outcome, worker, is_known, weight in rows:
        record = {
            "left": votes.items[left],
            "right": votes.items[right],
            "outcome": outcome,
            "worker": str(votes.workers[worker]) if worker >= 0 else None,
            "weight": weight,
            "is_display_known": is_known,
        }
        yield json.dumps(record, allow_nan=False).encode() + b"\n"
