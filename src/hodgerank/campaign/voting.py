"""Votes that come from elsewhere, and votes as tables have them."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import Any

import numpy as np

from hodgerank.campaign.items import require_name
from hodgerank.campaign.state import CampaignState
from hodgerank.campaign.tasks import Purpose
from hodgerank.data.comparisons import Comparisons
from hodgerank.errors import CampaignError, InvalidArgument
from hodgerank.notebook import short


def import_votes(state: CampaignState, now: float, votes: Comparisons, again: bool) -> int:
    """Count votes that were collected elsewhere; how many."""
    if state.status == "closed":
        raise CampaignError("the campaign is closed for good")
    names = {str(name): code for name, code in state.items.codes.items()}  # as files have them
    codes = [names[n] if (n := str(item)) in names else state.items.code(n) for item in votes.items]
    workers = [require_name(str(worker), "the worker") for worker in votes.workers]
    tracks = np.array([state.items.track[code] for code in codes], np.int64)
    across = tracks[votes.left] != tracks[votes.right]
    if across.any():
        row = int(np.flatnonzero(across)[0])
        one, other = (short(votes.items[side[row]]) for side in (votes.left, votes.right))
        raise InvalidArgument(
            f"{int(across.sum()):,} votes compare items of two tracks, such as {one} and {other}"
        )
    source = _fingerprint(votes)
    if source in state.sources and not again:
        raise CampaignError(
            "the very same votes have been imported before: again=True (--again) counts them twice"
        )
    n_known = 0 if again else _n_known(state, votes, codes, workers)
    if n_known:
        raise CampaignError(
            f"{n_known:,} of these votes are here already, by the same worker about the same pair: "
            "leave them out, or count them twice by again=True (--again)"
        )
    for row in range(len(votes)):
        data: dict[str, Any] = {} if row else {"source": source}
        if votes.weight is not None and votes.weight[row] != 1:
            data["weight"] = float(votes.weight[row])
        if not votes.display_known[row]:
            data["display"] = "unknown"
        worker = votes.worker[row]
        state.record(
            "imported",
            now,
            worker=workers[worker] if worker >= 0 else None,
            left=codes[votes.left[row]],
            right=codes[votes.right[row]],
            outcome=float(votes.outcome[row]),
            data=data or None,
        )
    return len(votes)


def _n_known(state: CampaignState, votes: Comparisons, codes: list[int], workers: list[str]) -> int:
    """How many of these votes the campaign has, from a task or an earlier import."""
    tasks = state.tasks
    known = {
        (worker.name, tasks.pair(row))
        for worker in state.workers
        for row in (*worker.answers, *worker.imported)
    }
    pairs = zip(votes.worker.tolist(), votes.left.tolist(), votes.right.tolist(), strict=True)
    return sum(
        worker >= 0 and (workers[worker], tuple(sorted((codes[left], codes[right])))) in known
        for worker, left, right in pairs
    )


def _fingerprint(votes: Comparisons) -> str:
    """Of who said what about which pair, in any order."""
    names = repr((votes.items, votes.workers)).encode()
    columns = (votes.left, votes.right, votes.outcome, votes.worker, votes.total_weight)
    order = np.lexsort(columns)
    content = b"".join([names, *(column[order].tobytes() for column in columns)])
    return hashlib.sha256(content).hexdigest()


def vote_rows(state: CampaignState) -> list[dict[str, Any]]:
    """Every answer that was given, in that order, with what became of it."""
    tasks, items = state.tasks, state.items
    found = []
    for row, at, seconds in zip(tasks.answers, tasks.answered_at, tasks.seconds, strict=True):
        code = tasks.worker[row]
        why_not = state.why_not_counted(row)
        verdicts = tasks.verdicts.get(row, {})
        is_ours = tasks.purpose[row] != Purpose.IMPORTED
        found.append(
            {
                "left": items.name(tasks.left[row]),
                "right": items.name(tasks.right[row]),
                "outcome": tasks.outcome[row],
                "worker": state.workers[code].name if code >= 0 else None,
                "weight": tasks.weight.get(row, 1.0),
                "time": datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds"),
                "seconds": None if seconds != seconds else seconds,
                "track": items.tracks[state.track_of(row)],
                "asked_by": state.asker(row) if is_ours else None,
                "purpose": Purpose(tasks.purpose[row]).name.lower(),
                "is_counted": bool(tasks.is_counted[row]),
                "why_not": why_not,
                "marks": " ".join(rule for rule, passed in verdicts.items() if not passed),
                "is_late": row in tasks.late,
                "is_display_known": row not in tasks.display_unknown,
            }
        )
    return found
