"""Sending: what a campaign takes becomes what a server takes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from hodgerank.campaign.items import CampaignItem
from hodgerank.data.comparisons import Comparisons

PIECE_BYTES = 400_000
MOST_ITEMS = 2000


def pieces_of(items: Iterable[CampaignItem]) -> list[list[dict[str, Any]]]:
    """Items in portions that a server takes at once."""
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
    """A line of JSON for each vote."""
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
