"""Assessment of workers, and the ranking without one of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.results import TrackStanding, rank_votes, standing_of
from hodgerank.campaign.snapshot import CampaignSnapshot
from hodgerank.campaign.summaries import WorkerSummary, worker_summaries
from hodgerank.data.comparisons import Comparisons
from hodgerank.data.groups import VoteGroups
from hodgerank.estimators.workers.assess import assess_workers
from hodgerank.estimators.workers.assessment import NOTES, WARNINGS, WorkerAssessment
from hodgerank.types import Item

MOST_MOVES = 20


@dataclass(frozen=True)
class WorkerRow:
    """Summary and assessment of a worker; None if there is no assessment.

    Attributes
    ----------
    level, flag
        'warning', 'note' or 'none', and the flag: see `WorkerAssessment`. None for workers without
        votes.
    """

    did: WorkerSummary
    flag: str | None = None
    level: str = "none"
    bias: float | None = None
    bias_stderr: float | None = None
    agreement: float | None = None
    reliability: float | None = None


@dataclass(frozen=True)
class WorkersView:
    """All workers, those with a warning first.

    Attributes
    ----------
    meanings
        Flags and the number of workers with each.
    innocent
        False discovery rate of the warnings.
    """

    n_votes: int
    at: float
    rows: tuple[WorkerRow, ...]
    meanings: dict[str, int]
    innocent: float
    notes: tuple[str, ...]


def workers_view(campaign: Campaign) -> WorkersView:
    """Assess all workers by the votes that count, over all tracks."""

    def read(
        state: CampaignSnapshot, now: float
    ) -> tuple[float, list[WorkerSummary], list[TrackStanding]]:
        standings = [standing_of(state, track) for track in state.items.tracks]
        return state.at, worker_summaries(state), standings

    at, did, standings = campaign.log.read(read)
    answered: dict[Item, Comparisons] = {one.track: one.votes for one in standings if one.n_votes}
    found = None
    if any(votes.n_workers for votes in answered.values()):
        first = next(iter(answered.values()))
        groups = VoteGroups("track", answered, first.report)
        found = assess_workers(first if len(answered) == 1 else groups.together())
    rows = _rows(did, found)
    flags = Counter(row.flag for row in rows)
    return WorkersView(
        n_votes=sum(votes.n_votes for votes in answered.values()),
        at=at,
        rows=tuple(rows),
        meanings={flag: flags[flag] for flag in (*WARNINGS, *NOTES) if flags[flag]},
        innocent=0.0 if found is None else found.false_discovery_rate,
        notes=() if found is None else found.notes,
    )


def _rows(did: list[WorkerSummary], found: WorkerAssessment | None) -> list[WorkerRow]:
    places = {} if found is None else {name: k for k, name in enumerate(found.workers)}
    rows = []
    for one in did:
        k = places.get(one.worker)
        if found is None or k is None:
            rows.append(WorkerRow(one))
            continue
        rows.append(
            WorkerRow(
                did=one,
                flag=found.flag[k],
                level=found.level[k],
                bias=_number(found.position_bias[k]),
                bias_stderr=_number(found.position_bias_stderr[k]),
                agreement=_number(found.agreement[k]),
                reliability=_number(found.reliability[k]),
            )
        )
    order = ("warning", "note", "none")
    return sorted(rows, key=lambda row: (order.index(row.level), -row.did.n_answers))


def _number(value: float) -> float | None:
    return float(value) if value == value else None


@dataclass(frozen=True)
class Move:
    """An item with another rank."""

    item: Item
    before: int
    after: int


@dataclass(frozen=True)
class Without:
    """A track with and without the votes of one worker.

    Attributes
    ----------
    n_votes, n_left
        Votes of the worker, and of all others.
    n_moves, moves
        Number of items with another rank, and those that move most.
    leader_before, leader_after
        Best item with and without the worker.
    """

    track: str
    n_votes: int
    n_left: int
    n_items: int
    n_moves: int
    moves: tuple[Move, ...]
    leader_before: Item
    leader_after: Item


def without(campaign: Campaign, worker: str) -> list[Without]:
    """Compare the rankings of all tracks in which votes of the worker count."""
    standings = campaign.log.read(
        lambda state, now: [standing_of(state, track) for track in state.items.tracks]
    )
    return [_without(one, worker) for one in standings if worker in one.votes.workers]


def _without(standing: TrackStanding, worker: str) -> Without:
    votes = _others(standing.votes, worker)
    before, after = standing.ranking, rank_votes(votes, standing.settings)
    moves = [
        Move(item, int(rank), after[item].rank)
        for item, rank in zip(before.items, before.ranks, strict=True)
        if after[item].rank != rank
    ]
    moves.sort(key=lambda move: -abs(move.after - move.before))
    return Without(
        track=standing.track,
        n_votes=standing.n_votes - votes.n_votes,
        n_left=votes.n_votes,
        n_items=len(before),
        n_moves=len(moves),
        moves=tuple(moves[:MOST_MOVES]),
        leader_before=before.items[0],
        leader_after=after.items[0],
    )


def _others(votes: Comparisons, worker: str) -> Comparisons:
    """Return the votes of all other workers."""
    code = votes.workers.index(worker)
    kept = votes.select(votes.worker != code)
    return replace(
        kept,
        workers=(*votes.workers[:code], *votes.workers[code + 1 :]),
        worker=np.where(kept.worker > code, kept.worker - 1, kept.worker).astype(np.int32),
    )
